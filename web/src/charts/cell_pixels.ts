// A matrix as a picture of one pixel per cell: the hue says who wins, the opacity how much evidence
// there is for it.
import { colouringOf, type Weight } from "./evidence_words";
import { hasAnswers, type Matrix } from "./matrix";

export type Colour = [red: number, green: number, blue: number];

const DIAGONAL = 0.12;
// That two arms met can be seen before anything can be said of them. charts.css has the same steps.
export const OPACITY: Record<Weight, number> = { 0: 0.08, 1: 0.22, 2: 0.5, 3: 0.9 };

export function pixelsOf(
  matrix: Matrix,
  colours: { win: Colour; lose: Colour; self: Colour },
): Uint8ClampedArray {
  const size = matrix.arms.length;
  const pixels = new Uint8ClampedArray(4 * size * size); // transparent where a pair never met
  for (let row = 0; row < size; ++row) {
    for (let column = 0; column < size; ++column) {
      const cell = matrix.at(row, column);
      const met = hasAnswers(cell);
      if (!met && row !== column) continue;
      const { side, weight } = met
        ? colouringOf(cell)
        : { side: "win" as const, weight: 0 as const };
      const colour = weight === 0 ? colours.self : colours[side];
      const opacity = !met ? DIAGONAL : OPACITY[weight];
      pixels.set([...colour, 255 * opacity], 4 * (row * size + column));
    }
  }
  return pixels;
}
