// The places of arms, and what the figures beside them mean.
import type { ResultArm } from "../api/types";
import type { ShownResult } from "./shown_result";

// "1", "2 to 5": what the evidence leaves open.
export const placesOf = (arm: Pick<ResultArm, "rank_range">): string =>
  arm.rank_range[0] === arm.rank_range[1]
    ? String(arm.rank_range[0])
    : `${arm.rank_range[0]} to ${arm.rank_range[1]}`;

export function BestSentence({ result }: { result: ShownResult }) {
  return (
    <p class="small quiet">
      Places are those that the evidence leaves open, whenever you look. P(best) is the probability
      that an arm beats every other, by the answers of its pairs; that none does has probability{" "}
      {result.probability_no_winner.toFixed(2)}. Elo is a fit, with intervals for one look.
    </p>
  );
}
