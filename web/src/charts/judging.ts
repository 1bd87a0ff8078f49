// What judging has cost and how judges answer. The costs are in the words of `duel result`; tokens only where judges told of them.
import type { JudgesAgreement, Judging, ResultJudge } from "../api/types";
import { count, percent, shortNumber } from "./numbers";

const counted = (number: number, noun: string) =>
  `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

export function judgingInWords(judging: Judging): string | null {
  const parts: string[] = [];
  if (judging.answers > 0) {
    const each = judging.cost_per_decision;
    const tokens = judging.tokens > 0 ? ` (${counted(judging.tokens, "token")})` : "";
    parts.push(
      `Judging cost ${shortNumber(judging.cost)}${tokens} for ${counted(judging.answers, "answer")}` +
        (each === null ? "" : `, ${shortNumber(each)} for each pair that is decided`),
    );
  }
  if (judging.cached > 0)
    parts.push(
      `${counted(judging.cached, "answer")} from the cache, which ${judging.cached === 1 ? "is" : "are"} no evidence`,
    );
  return parts.length > 0 ? `${parts.join("; ")}.` : null;
}

// "54 % [45 %, 63 %]"; nothing is a dash.
function withInterval(share: number | null, [low, high]: [number, number]): string {
  return share === null ? "\u2013" : `${percent(share)} [${percent(low)}, ${percent(high)}]`;
}

// Answers, the share of what was shown first, and flips.
export const judgeRow = (one: ResultJudge): string[] => [
  count(one.answers),
  withInterval(one.first_share, one.first_share_interval),
  one.both_orders === 0
    ? "\u2013"
    : `${withInterval(one.flip_rate, one.flip_interval)} of ${count(one.both_orders)}`,
];

// Duels about which both lean to an arm, and in how many it is the same.
export const agreementRow = (one: JudgesAgreement): string[] => [
  count(one.agree + one.differ),
  withInterval(one.agreement, one.interval),
];
