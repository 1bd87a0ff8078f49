// What judging has cost, in the words of `duel result`; tokens only where judges told of them.
import type { Judging } from "../api/types";
import { count, shortNumber } from "./numbers";

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
