// Where an experiment stands, in one sentence. Who leads and who is tied with it is the server's to say.
import { nameOf, shortNameOf, type ArmNames } from "./arm_names";
import type { ShownResult } from "./shown_result";

export interface Verdict {
  tone: "certified" | "open" | "cycle";
  sentence: string;
  detail: string | null; // the server's sentence, or the rest of it
}

const LONGEST_HEADING = 100;
const LONGEST_IN_CYCLE = 40; // letters of a name, of which there are four at least

// The server's sentence as a heading. Of a long one what follows its first part stands below.
export function inServersWords(verdict: string): { sentence: string; detail: string | null } {
  const whole = verdict.replace(/\.$/, "");
  const cut = whole.length > LONGEST_HEADING ? whole.indexOf("; ") : -1;
  if (cut < 0) return { sentence: whole, detail: null };
  const rest = verdict.slice(cut + 2);
  // A name such as max_duels stays as it is.
  const detail = rest.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
  return { sentence: whole.slice(0, cut), detail };
}

// Of what is open the server's own sentence is shown: it knows whether more duels will be asked for.
// What is certified is said with the names that the charts below have. `alpha` is the experiment's error
// level; without it the sentence names none.
export function verdictOf(result: ShownResult, names: ArmNames, alpha?: number): Verdict {
  // What a panel says is certain, or says its own level.
  if (result.panel) {
    const kind = result.certificate?.kind;
    const tone = !kind ? "open" : kind === "no_winner" ? "cycle" : "certified";
    return { tone, ...inServersWords(result.verdict) };
  }
  const level =
    alpha === undefined ? "certified" : `certified, ${+(100 * alpha).toPrecision(3)}\u202f%`;
  const { certificate, verdict } = result;
  if (certificate) {
    if (certificate.kind === "winner" && certificate.winner) {
      const sentence = `${nameOf(names, certificate.winner)} beats all others (${level})`;
      return { tone: "certified", sentence, detail: verdict };
    }
    if (certificate.kind === "no_winner") {
      const cycle = certificate.cycle ?? [];
      const called = cycle.map((arm) => shortNameOf(names, arm, LONGEST_IN_CYCLE));
      const named = called.length > 0 ? `: ${[...called, called[0]].join(" > ")}` : "";
      return { tone: "cycle", sentence: `No single best${named} (${level})`, detail: verdict };
    }
    // Only the server's sentence has the numbers of a point. What it means in full stands below.
    const brief = verdict.slice(0, Math.max(0, verdict.indexOf(": it wins")));
    if (certificate.kind === "point" && brief !== "")
      return { tone: "certified", sentence: `${brief} (${level})`, detail: verdict };
    return { tone: "certified", ...inServersWords(verdict) };
  }
  if (result.duels.served === 0) return { tone: "open", sentence: "No duels yet", detail: null };
  return { tone: "open", ...inServersWords(verdict) };
}
