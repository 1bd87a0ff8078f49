// The pairs of a result as a square: what the arm of the row did against the arm of the column.
import type { Counts, PanelFacts, Result, ResultPair } from "../api/types";
import { count, percent } from "./numbers";

// Answers that speak for an arm; those that say how much (`graded`) speak for both in part.
export const decisiveOf = ({ first_wins, second_wins, graded = 0 }: Counts): number =>
  first_wins + second_wins + graded;

export interface Cell {
  row: string;
  column: string;
  wins: number;
  losses: number;
  decisive: number;
  ties: number;
  bothBad: number;
  served: number;
  rate: number;
  interval: [number, number] | null;
  panel: PanelCell | null; // of a panel, of which the rate and its interval say nothing
}

// What a panel has said of a pair, from the side of the row.
export interface PanelCell {
  forRow: number;
  forColumn: number;
  neither: number;
  unknown: number | null; // answers that have not come
  row: PanelFacts["of_first"] | null; // what is certain of the row against the column
  column: PanelFacts["of_first"] | null;
}

export interface Matrix {
  arms: string[]; // by rank, as the result has them
  at(row: number, column: number): Cell | null; // none on the diagonal and where a pair never met
  panel: { early: boolean } | null; // where its cells are what a panel has said
}

function panelCellOf(facts: PanelFacts, mirrored: boolean): PanelCell {
  const { for_first, for_second, for_neither, unknown, of_first, of_second } = facts;
  const [first, second] = [of_first ?? null, of_second ?? null];
  return {
    forRow: mirrored ? for_second : for_first,
    forColumn: mirrored ? for_first : for_second,
    neither: for_neither,
    unknown: unknown ?? null,
    row: mirrored ? second : first,
    column: mirrored ? first : second,
  };
}

function cellOf(pair: ResultPair, mirrored: boolean): Cell {
  const { counts } = pair;
  return {
    row: mirrored ? pair.second : pair.first,
    column: mirrored ? pair.first : pair.second,
    wins: mirrored ? counts.second_wins : counts.first_wins,
    losses: mirrored ? counts.first_wins : counts.second_wins,
    decisive: decisiveOf(counts),
    ties: counts.ties,
    bothBad: counts.both_bad,
    served: counts.served,
    rate: mirrored ? 1 - pair.rate : pair.rate,
    interval:
      pair.interval && (mirrored ? [1 - pair.interval[1], 1 - pair.interval[0]] : pair.interval),
    panel: pair.panel ? panelCellOf(pair.panel, mirrored) : null,
  };
}

const known = new WeakMap<object, Matrix>();

// Several parts of a page ask for the matrix of one result, and it is large.
export function matrixOf(result: Pick<Result, "arms" | "pairs" | "panel">): Matrix {
  let matrix = known.get(result);
  if (!matrix) known.set(result, (matrix = newMatrix(result)));
  return matrix;
}

function newMatrix(result: Pick<Result, "arms" | "pairs" | "panel">): Matrix {
  const arms = result.arms.map((arm) => arm.arm_id);
  const place = new Map(arms.map((arm, index) => [arm, index]));
  const cells: (Cell | null)[] = new Array<Cell | null>(arms.length * arms.length).fill(null);
  for (const pair of result.pairs) {
    const first = place.get(pair.first);
    const second = place.get(pair.second);
    if (first === undefined || second === undefined) continue; // a retired arm
    cells[first * arms.length + second] = cellOf(pair, false);
    cells[second * arms.length + first] = cellOf(pair, true);
  }
  return {
    arms,
    at: (row, column) => cells[row * arms.length + column] ?? null,
    panel: result.panel ? { early: result.panel.early ?? false } : null,
  };
}

// Whether there is an answer that the colour and the figures of the cell can be about.
export function hasAnswers(cell: Cell | null): cell is Cell {
  if (!cell) return false;
  const { panel } = cell;
  return panel ? panel.forRow + panel.forColumn + panel.neither > 0 : cell.decisive > 0;
}

// What a panel has said of two arms in a sentence. What is certain is so whatever the others say.
function panelWords(panel: PanelCell, row: string, column: string): string {
  const { forRow, forColumn, neither, unknown } = panel;
  const counts = [
    `${count(forRow)} ${forRow === 1 ? "answer" : "answers"} for ${row}`,
    `${count(forColumn)} for ${column}`,
    ...(neither > 0 ? [`${count(neither)} for neither`] : []),
    ...(unknown ? [`${count(unknown)} to come`] : []),
  ].join(", ");
  const beats = (fact: PanelCell["row"]) => fact === "beats" || fact === "shown";
  const cannot = [panel.row, panel.column].map((fact) => fact === "cannot_beat");
  const certain = beats(panel.row)
    ? `${row} beats ${column}`
    : beats(panel.column)
      ? `${column} beats ${row}`
      : cannot[0] && cannot[1]
        ? "they tie"
        : cannot[0]
          ? `${row} cannot beat ${column}`
          : cannot[1]
            ? `${column} cannot beat ${row}`
            : "";
  return `${counts}${certain && `: ${certain}`}.`;
}

// A cell in a sentence, for tooltips and screen readers. `called` gives the name of an arm.
export function describe(
  matrix: Matrix,
  row: number,
  column: number,
  called: (arm: string) => string = (arm) => arm,
): string {
  const [first, second] = [called(matrix.arms[row] ?? ""), called(matrix.arms[column] ?? "")];
  if (row === column) return first;
  const cell = matrix.at(row, column);
  if (!cell || cell.served === 0) return `${first} and ${second} have not met.`;
  if (cell.panel) return panelWords(cell.panel, first, second);
  const { decisive } = cell;
  const rest = [
    cell.ties > 0 ? `${count(cell.ties)} ${cell.ties === 1 ? "tie" : "ties"}` : "",
    cell.bothBad > 0 ? `${count(cell.bothBad)} both bad` : "",
  ].filter(Boolean);
  if (decisive === 0)
    return [`${first} against ${second}: no decisive answer yet`, ...rest].join(", ") + ".";
  const range = cell.interval
    ? `, between ${percent(cell.interval[0])} and ${percent(cell.interval[1])}`
    : "";
  const won =
    cell.wins + cell.losses === decisive
      ? `${first} won ${count(cell.wins)} of ${count(decisive)} against ${second} (${percent(cell.rate)}${range})`
      : `${first} won ${percent(cell.rate)} of ${count(decisive)} against ${second}${range}`;
  return won + (rest.length > 0 ? `; ${rest.join(", ")}` : "") + ".";
}
