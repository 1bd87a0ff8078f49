// What "evidence" is, in one sentence, wherever a page shows it.
import type { Cell, PanelCell } from "./matrix";

export const EVIDENCE =
  "Evidence weighs what was answered: where an arm is no better, at most one experiment in 100 ever " +
  "reaches 100, and at most one in 1\u202f000 ever reaches 1\u202f000.";

// How far a pair's own evidence has got, in steps that the eye tells apart.
export type Weight = 0 | 1 | 2 | 3;

// The interval holds whenever you look, so one duel leaves it nearly as wide as before. Measured in
// its half widths, the distance of its middle from one half is how far the pair is from being told
// apart: at 1 one half is just outside. Evidence grows with the square of it: 1 is 20 to one.
export function weightOf(cell: Pick<Cell, "interval"> | null): Weight {
  if (!cell?.interval) return 0;
  const [low, high] = cell.interval;
  const half = (high - low) / 2;
  const distance = half > 0 ? Math.abs((low + high) / 2 - 0.5) / half : Infinity;
  return distance < 0.5 ? 0 : distance < 1 ? 1 : distance < 1.6 ? 2 : 3;
}

// The colour of a cell: whom it speaks for, from the side of the row, and how much.
export interface Colouring {
  side: "win" | "lose";
  weight: Weight;
}

// Of a panel what is certain by counting, or by the evidence of an early one; what is merely ruled out
// is faint, and what is open, or a tie, has no colour.
export function colouringOf(cell: Pick<Cell, "interval" | "rate" | "panel">): Colouring {
  const { panel } = cell;
  if (!panel) return { side: cell.rate >= 0.5 ? "win" : "lose", weight: weightOf(cell) };
  const weightFor = (one: PanelCell["row"], other: PanelCell["row"]): Weight => {
    if (one === "beats") return 3;
    if (one === "shown") return 2;
    return other === "cannot_beat" && one !== "cannot_beat" ? 1 : 0;
  };
  const [row, column] = [weightFor(panel.row, panel.column), weightFor(panel.column, panel.row)];
  return row >= column ? { side: "win", weight: row } : { side: "lose", weight: column };
}

export const WEIGHTS: { weight: Weight; words: string }[] = [
  { weight: 0, words: "too little to say" },
  { weight: 1, words: "leaning" },
  { weight: 2, words: "one is better, 95\u202f%" },
  { weight: 3, words: "beyond that" },
];
