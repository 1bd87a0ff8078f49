// "How sure are we?" in one line that names no arm.
import { count, roughCount } from "../charts/numbers";
import type { VotingProgress } from "../api/types";

export function progressLine(progress: VotingProgress): string {
  const answers = `${count(progress.answers)} ${progress.answers === 1 ? "answer" : "answers"} so far`;
  if (progress.certified) return `${answers}; the result is certain enough to stop.`;
  const left = progress.expected_duels_left;
  if (progress.share_of_evidence === null && left === null) return `${answers}.`;
  const share = progress.share_of_evidence;
  const sure =
    share === null
      ? ""
      : share >= 1
        ? "; nearly certain"
        : `; ${Math.round(100 * share)} % of the evidence that is needed`;
  return left === null || left === 0
    ? `${answers}${sure}.`
    : `${answers}${sure}, about ${roughCount(left)} more to go.`;
}
