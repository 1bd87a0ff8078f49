// The places of arms, and what the figures beside them mean.
import type { ResultArm } from "../api/types";
import type { ShownResult } from "./shown_result";

// "1", "2 to 5": what the evidence leaves open.
export const placesOf = (arm: Pick<ResultArm, "rank_range">): string =>
  arm.rank_range[0] === arm.rank_range[1]
    ? String(arm.rank_range[0])
    : `${arm.rank_range[0]} to ${arm.rank_range[1]}`;

// Columns that speak of people like those who answered, and so not of a panel.
export const SAMPLE_FIGURES = ["Elo", "95 %", "P(best)"];

export function SampleFigures({ arm, digits }: { arm: ResultArm; digits: number }) {
  const { elo, elo_interval: interval } = arm;
  return (
    <>
      <td class="number">{elo === null ? "" : Math.round(elo)}</td>
      <td class="number">
        {interval ? `${Math.round(interval[0])} to ${Math.round(interval[1])}` : ""}
      </td>
      <td class="number">{arm.probability_best.toFixed(digits)}</td>
    </>
  );
}

export function BestSentence({ result }: { result: ShownResult }) {
  if (result.panel)
    return (
      <p class="small quiet">
        Places are those that the count leaves open, whatever the others say.
      </p>
    );
  return (
    <p class="small quiet">
      Places are those that the evidence leaves open, whenever you look. P(best) is the probability
      that an arm beats every other, by the answers of its pairs; that none does has probability{" "}
      {result.probability_no_winner.toFixed(2)}. Elo is a fit, with intervals for one look.
    </p>
  );
}
