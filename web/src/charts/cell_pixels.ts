// A matrix as a picture of one pixel per cell: the hue says who wins, the opacity how clearly.
import type { Matrix } from "./matrix";
import { strength } from "./palette";

export type Colour = [red: number, green: number, blue: number];

const FAINTEST = 0.08; // a rate of one half can still be seen
const DIAGONAL = 0.12;

export function pixelsOf(
  matrix: Matrix,
  colours: { win: Colour; lose: Colour; self: Colour },
): Uint8ClampedArray {
  const size = matrix.arms.length;
  const pixels = new Uint8ClampedArray(4 * size * size); // transparent where a pair never met
  for (let row = 0; row < size; ++row) {
    for (let column = 0; column < size; ++column) {
      const cell = matrix.at(row, column);
      const met = cell !== null && cell.wins + cell.losses > 0;
      if (!met && row !== column) continue;
      const colour = !met ? colours.self : cell.rate >= 0.5 ? colours.win : colours.lose;
      const opacity = !met ? DIAGONAL : FAINTEST + (1 - FAINTEST) * strength(cell.rate);
      pixels.set([...colour, 255 * opacity], 4 * (row * size + column));
    }
  }
  return pixels;
}
