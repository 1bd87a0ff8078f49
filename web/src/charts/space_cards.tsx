// A space that is tuned: how far a candidate is from its proof, and how the recommendation has moved.
import * as Plot from "@observablehq/plot";
import { useMemo } from "preact/hooks";
import type { Dimension, SpaceStanding } from "../api/types";
import { marksOf } from "./evidence_bars";
import { EVIDENCE } from "./evidence_words";
import { Figure } from "./figure";
import { count, evidence, percent } from "./numbers";
import { pen } from "./palette";
import { TableHead } from "./table_head";
import { logTicks, pathOf, pointInWords, proofInWords, shareOf, shortValue } from "./space";

const WHY_ENDED = {
  standing: "stands",
  beaten: "given up: it loses",
  better_guess: "given up for a better guess",
  certified: "certified",
};

// What there is to say of the proof where no candidate is on its way.
function NoCandidate({ space }: { space: SpaceStanding }) {
  const proved = proofInWords(space);
  if (proved !== null) return <p>{proved}</p>;
  return (
    <p class="quiet">
      No candidate stands.{" "}
      {space.tried.length === 0
        ? `The first is taken after ${count(space.warmup)} duels of the search.`
        : "The next is taken when the search has a better guess."}
    </p>
  );
}

export function SpaceProof({ space }: { space: SpaceStanding }) {
  const { candidate, tried } = space;
  const share = shareOf(space);
  return (
    <>
      {candidate && share !== null ? (
        <>
          <p class="small">
            Evidence that <strong>{candidate.point_id}</strong> ({pointInWords(candidate.point)})
            beats the point in use ({pointInWords(space.in_use_point)})
          </p>
          <ul class="bars">
            <li class="axis" aria-hidden="true">
              <span class="marks">
                {marksOf(candidate.log_threshold ?? 1).map(({ at, words }) => (
                  <span class="tick small quiet" style={{ left: `${(100 * at).toFixed(1)}%` }}>
                    {words}
                  </span>
                ))}
              </span>
            </li>
            <li>
              <span>{candidate.point_id}</span>
              <span class="track" aria-hidden="true">
                <span class="fill" style={{ width: `${(100 * share).toFixed(1)}%` }} />
              </span>
              <span class="words small">
                {evidence(candidate.log_evidence ?? 0)} of {evidence(candidate.log_threshold ?? 0)}
                {`, won ${count(candidate.wins)}, lost ${count(candidate.losses)}`}
              </span>
            </li>
          </ul>
        </>
      ) : (
        <NoCandidate space={space} />
      )}
      {tried.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label="Table of candidates">
          <table class="wide">
            <TableHead about="Candidate" figures={["Won", "Lost"]}>
              <th scope="col">What became of it</th>
            </TableHead>
            <tbody>
              {tried.map((one) => (
                <tr>
                  <th scope="row">
                    {one.point_id} ({pointInWords(one.point)})
                  </th>
                  <td class="number">{count(one.wins)}</td>
                  <td class="number">{count(one.losses)}</td>
                  <td>{WHY_ENDED[one.state]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="small quiet after-bars">
        Only answers after the candidate was frozen count. The more candidates there were, the
        higher the threshold. {EVIDENCE}
      </p>
    </>
  );
}

// The axis of a dimension.
export const axisOf = ({ name, low, high, scale }: Dimension): Plot.ScaleOptions => ({
  label: name,
  type: scale === "log" ? "log" : "linear",
  domain: [low, high],
  ticks: scale === "log" ? logTicks(low, high) : 5,
  tickFormat: shortValue,
});

function Path({
  dimension,
  space,
  served,
}: {
  dimension: Dimension;
  space: SpaceStanding;
  served: number;
}) {
  const options = useMemo(() => {
    const rows = pathOf(space, dimension.name, served);
    return (): Plot.PlotOptions => ({
      x: { label: "served", domain: [0, Math.max(1, served)], ticks: 5, tickFormat: "~s" },
      y: { ...axisOf(dimension), grid: true },
      marks: [
        Plot.ruleY([dimension.in_use], { stroke: "var(--quiet)", strokeDasharray: "5 3" }),
        Plot.lineY(rows, {
          x: "served",
          y: "value",
          stroke: pen(1).colour,
          strokeWidth: 2,
          curve: "step-after",
        }),
      ],
    });
  }, [dimension, space, served]);
  return (
    <Figure
      options={options}
      label={`The recommended ${dimension.name} over ${count(served)} duels, now ${shortValue(dimension.recommended)}`}
    />
  );
}

export function SpacePath({ space, served }: { space: SpaceStanding; served: number }) {
  if (space.path.length < 2) return <p class="quiet">The best guess is still the point in use.</p>;
  const belief = space.recommended.beats_in_use;
  return (
    <>
      <p>
        Best guess so far: <strong>{pointInWords(space.recommended.point)}</strong>
        {belief === undefined
          ? ""
          : `, of which the learner believes with ${percent(belief)} that it beats the point in use`}
      </p>
      <div>
        {space.dimensions.map((dimension) => (
          <Path key={dimension.name} dimension={dimension} space={space} served={served} />
        ))}
      </div>
    </>
  );
}
