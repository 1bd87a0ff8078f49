// The pairs of a result as a square: what the arm of the row did against the arm of the column.
import type { Result, ResultPair } from "../api/types";
import { count, percent } from "./numbers";

export interface Cell {
  row: string;
  column: string;
  wins: number;
  losses: number;
  ties: number;
  bothBad: number;
  served: number;
  rate: number;
  interval: [number, number] | null;
}

export interface Matrix {
  arms: string[]; // by rank, as the result has them
  at(row: number, column: number): Cell | null; // none on the diagonal and where a pair never met
}

function cellOf(pair: ResultPair, mirrored: boolean): Cell {
  const { counts } = pair;
  return {
    row: mirrored ? pair.second : pair.first,
    column: mirrored ? pair.first : pair.second,
    wins: mirrored ? counts.second_wins : counts.first_wins,
    losses: mirrored ? counts.first_wins : counts.second_wins,
    ties: counts.ties,
    bothBad: counts.both_bad,
    served: counts.served,
    rate: mirrored ? 1 - pair.rate : pair.rate,
    interval:
      pair.interval && (mirrored ? [1 - pair.interval[1], 1 - pair.interval[0]] : pair.interval),
  };
}

const known = new WeakMap<object, Matrix>();

// Several parts of a page ask for the matrix of one result, and it is large.
export function matrixOf(result: Pick<Result, "arms" | "pairs">): Matrix {
  let matrix = known.get(result);
  if (!matrix) known.set(result, (matrix = newMatrix(result)));
  return matrix;
}

function newMatrix(result: Pick<Result, "arms" | "pairs">): Matrix {
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
  return { arms, at: (row, column) => cells[row * arms.length + column] ?? null };
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
  const decisive = cell.wins + cell.losses;
  const rest = [
    cell.ties > 0 ? `${count(cell.ties)} ${cell.ties === 1 ? "tie" : "ties"}` : "",
    cell.bothBad > 0 ? `${count(cell.bothBad)} both bad` : "",
  ].filter(Boolean);
  if (decisive === 0)
    return [`${first} against ${second}: no decisive answer yet`, ...rest].join(", ") + ".";
  const range = cell.interval
    ? `, between ${percent(cell.interval[0])} and ${percent(cell.interval[1])}`
    : "";
  return (
    `${first} won ${count(cell.wins)} of ${count(decisive)} against ${second} (${percent(cell.rate)}${range})` +
    (rest.length > 0 ? `; ${rest.join(", ")}` : "") +
    "."
  );
}
