// Where an experiment stands, in one sentence. "Tied for first" rather than a false order.
import type { ShownResult } from "./shown_result";
import { matrixOf } from "./matrix";
import { count, roughCount } from "./numbers";

export interface Verdict {
  tone: "certified" | "open" | "cycle";
  sentence: string;
}

const MOST_NAMED = 4;

function listed(names: string[]): string {
  if (names.length <= MOST_NAMED) return names.join(", ");
  return `${names.slice(0, MOST_NAMED).join(", ")} and ${count(names.length - MOST_NAMED)} more`;
}

// A cycle of arms each of which beats the next, where every arm is beaten by another: no single best.
// Only pairs whose interval excludes one half are believed. The first arm stands at the end again.
export function provenCycle(result: ShownResult): string[] | null {
  const matrix = matrixOf(result);
  const size = matrix.arms.length;
  const beatenBy: number[] = [];
  for (let row = 0; row < size; ++row) {
    let by = -1;
    for (let column = 0; column < size && by < 0; ++column) {
      const cell = row === column ? null : matrix.at(row, column);
      if (cell?.interval && cell.wins + cell.losses > 0 && cell.interval[1] < 0.5) by = column;
    }
    if (by < 0) return null;
    beatenBy.push(by);
  }
  if (size < 3) return null;
  const seen = new Map<number, number>();
  const path: number[] = [];
  let at = 0;
  while (!seen.has(at)) {
    seen.set(at, path.length);
    path.push(at);
    at = beatenBy[at] as number;
  }
  const found = path.slice(seen.get(at)).reverse();
  // From its arm with the best rate on.
  const best = found.indexOf(Math.min(...found));
  const cycle = [...found.slice(best), ...found.slice(0, best)];
  return [...cycle, cycle[0] as number].map((arm) => matrix.arms[arm] as string);
}

// `alpha` is the experiment's error level; without it the sentence names none.
export function verdictOf(result: ShownResult, alpha?: number): Verdict {
  const level =
    alpha === undefined ? "certified" : `certified, ${+(100 * alpha).toPrecision(3)}\u202f%`;
  const { certificate } = result;
  if (certificate) {
    if (certificate.kind === "winner" && certificate.winner) {
      return { tone: "certified", sentence: `${certificate.winner} beats all others (${level})` };
    }
    if (certificate.kind === "no_winner") {
      const cycle = provenCycle(result);
      return {
        tone: "cycle",
        sentence: `No single best${cycle ? `: ${cycle.join(" > ")}` : ""} (${level})`,
      };
    }
    return { tone: "certified", sentence: result.verdict };
  }
  const cycle = provenCycle(result);
  if (cycle) return { tone: "cycle", sentence: `No single best: ${cycle.join(" > ")}` };
  if (result.duels.served === 0) return { tone: "open", sentence: "No duels yet" };
  if (result.state === "not_enough_data") {
    return {
      tone: "open",
      sentence: `Not enough data yet: ${count(result.duels.served)} duels so far`,
    };
  }
  if (!result.leader) return { tone: "open", sentence: "Undecided: no decisive answer yet" };
  if (result.order) return { tone: "open", sentence: result.verdict.replace(/\.$/, "") };
  const open = result.not_ruled_out;
  const level_with = result.arms.filter(
    (arm) => typeof arm.log_evidence === "number" && arm.duels_left === null,
  );
  if (level_with.length > 0) {
    return {
      tone: "open",
      sentence: `Undecided: tied for first are ${listed([result.leader, ...level_with.map((arm) => arm.arm_id)])}`,
    };
  }
  const left = result.expected_duels_left;
  const more = left === null || left === 0 ? "" : `; about ${roughCount(left)} more duels`;
  const rest = more || open.length === 0 ? "" : `; not ruled out yet: ${listed(open)}`;
  return { tone: "open", sentence: `Undecided: ${result.leader} leads${rest}${more}` };
}
