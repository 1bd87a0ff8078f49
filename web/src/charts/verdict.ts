// Where an experiment stands, in one sentence. "Tied for first" rather than a false order.
import type { ShownResult } from "./shown_result";
import { matrixOf } from "./matrix";
import { count } from "./numbers";

export interface Verdict {
  tone: "certified" | "open" | "cycle";
  sentence: string;
  detail: string | null; // the server's sentence, or the rest of it
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

const LONGEST_HEADING = 100;

// The server's sentence as a heading. Of a long one what follows its first part stands below.
function inServersWords(verdict: string): { sentence: string; detail: string | null } {
  const whole = verdict.replace(/\.$/, "");
  const cut = whole.length > LONGEST_HEADING ? whole.indexOf("; ") : -1;
  if (cut < 0) return { sentence: whole, detail: null };
  const rest = verdict.slice(cut + 2);
  // A name such as max_duels stays as it is.
  const detail = rest.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
  return { sentence: whole.slice(0, cut), detail };
}

// Of what is open the server's own sentence is shown: it knows whether more duels will be asked for.
// `alpha` is the experiment's error level; without it the sentence names none.
export function verdictOf(result: ShownResult, alpha?: number): Verdict {
  const level =
    alpha === undefined ? "certified" : `certified, ${+(100 * alpha).toPrecision(3)}\u202f%`;
  const { certificate, verdict } = result;
  if (certificate) {
    if (certificate.kind === "winner" && certificate.winner) {
      const sentence = `${certificate.winner} beats all others (${level})`;
      return { tone: "certified", sentence, detail: verdict };
    }
    if (certificate.kind === "no_winner") {
      const cycle = provenCycle(result);
      const sentence = `No single best${cycle ? `: ${cycle.join(" > ")}` : ""} (${level})`;
      return { tone: "cycle", sentence, detail: verdict };
    }
    return { tone: "certified", ...inServersWords(verdict) };
  }
  const cycle = provenCycle(result);
  if (cycle) {
    return { tone: "cycle", sentence: `No single best: ${cycle.join(" > ")}`, detail: verdict };
  }
  if (result.duels.served === 0) return { tone: "open", sentence: "No duels yet", detail: null };
  const level_with = result.arms.filter(
    (arm) => typeof arm.log_evidence === "number" && arm.duels_left === null,
  );
  if (result.state === "undecided" && result.leader && !result.order && level_with.length > 0) {
    const tied = listed([result.leader, ...level_with.map((arm) => arm.arm_id)]);
    return { tone: "open", sentence: `Undecided: tied for first are ${tied}`, detail: verdict };
  }
  return { tone: "open", ...inServersWords(verdict) };
}
