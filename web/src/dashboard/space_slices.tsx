// A space that is tuned: what its learner believes along each dimension, how the recommendation has
// moved, and how far a candidate is from its proof.
import * as Plot from "@observablehq/plot";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ask } from "../api/client";
import type { Dimension, PlanePoint, Slices, SpaceStanding } from "../api/types";
import { EVIDENCE } from "../charts/evidence_words";
import { marksOf } from "../charts/evidence_bars";
import { Figure } from "../charts/figure";
import { count, evidence, percent } from "../charts/numbers";
import { pen } from "../charts/palette";
import {
  logTicks,
  pathOf,
  planeCells,
  pointInWords,
  proofInWords,
  shareOf,
  shortValue,
} from "../charts/space";

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
        <table class="panel-count">
          <thead>
            <tr>
              <th scope="col">Candidate</th>
              <th scope="col">Won</th>
              <th scope="col">Lost</th>
              <th scope="col">What became of it</th>
            </tr>
          </thead>
          <tbody>
            {tried.map((one) => (
              <tr>
                <th scope="row">
                  {one.point_id} ({pointInWords(one.point)})
                </th>
                <td>{count(one.wins)}</td>
                <td>{count(one.losses)}</td>
                <td>{WHY_ENDED[one.state]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="small quiet after-bars">
        Only answers after the candidate was frozen count. The more candidates there were, the
        higher the threshold. {EVIDENCE}
      </p>
    </>
  );
}

const axisOf = ({ name, low, high, scale }: Dimension): Plot.ScaleOptions => ({
  label: name,
  type: scale === "log" ? "log" : "linear",
  domain: [low, high],
  ticks: scale === "log" ? logTicks(low, high) : 5,
  tickFormat: shortValue,
});

function Slice({ dimension, slices }: { dimension: Dimension; slices: Slices }) {
  const options = useMemo(() => {
    const rows = slices.slices.find((one) => one.name === dimension.name)?.points ?? [];
    const marks = [
      { at: dimension.in_use, words: "in use", colour: "var(--quiet)" },
      { at: dimension.recommended, words: "best guess", colour: pen(1).colour },
    ];
    return (width: number): Plot.PlotOptions => ({
      height: Math.round(Math.max(210, Math.min(300, width * 0.5))),
      x: axisOf(dimension),
      y: { label: "believed to beat the point in use", domain: [0, 1], grid: true, ticks: 5 },
      marginTop: 52, // the label of the axis, and below it a line for each mark
      marks: [
        ...(dimension.spread_low === undefined
          ? []
          : [
              Plot.rectX([dimension], {
                x1: "spread_low",
                x2: "spread_high",
                y1: 0,
                y2: 1,
                fill: pen(0).colour,
                fillOpacity: 0.12,
              }),
            ]),
        Plot.ruleY([0.5], { stroke: "var(--quiet)", strokeDasharray: "2 3" }),
        Plot.lineY(rows, {
          x: "value",
          y: "beats_in_use",
          stroke: pen(0).colour,
          strokeWidth: 2,
        }),
        Plot.ruleX(marks, { x: "at", stroke: "colour", strokeDasharray: "5 3" }),
        // One above the other, since the two may be the same number.
        ...marks.map((mark, k) =>
          Plot.text([mark], {
            x: "at",
            text: "words",
            fill: "colour",
            frameAnchor: "top",
            lineAnchor: "bottom",
            dy: k === 0 ? -4 : -18,
          }),
        ),
      ],
    });
  }, [dimension, slices]);
  return (
    <Figure
      options={options}
      label={`With what probability the learner believes that a point with this ${dimension.name} beats the point in use, from ${shortValue(dimension.low)} to ${shortValue(dimension.high)}: in use ${shortValue(dimension.in_use)}, best guess ${shortValue(dimension.recommended)}`}
    />
  );
}

function Plane({ plane, dimensions }: { plane: PlanePoint[]; dimensions: Dimension[] }) {
  const options = useMemo(() => {
    const [across, up] = dimensions as [Dimension, Dimension];
    const cells = planeCells(plane, [across, up]);
    const marks = [
      { x: across.in_use, y: up.in_use, words: "in use", filled: "currentColor" },
      { x: across.recommended, y: up.recommended, words: "best guess", filled: "var(--card)" },
    ];
    return (width: number): Plot.PlotOptions => ({
      height: Math.max(220, Math.min(420, width * 0.6)),
      x: axisOf(across),
      y: axisOf(up),
      marks: [
        Plot.rect(cells, {
          x1: "left",
          x2: "right",
          y1: "bottom",
          y2: "top",
          fill: ({ beatsInUse }) =>
            `rgb(var(--${beatsInUse >= 0.5 ? "win" : "lose"}) / ${Math.abs(2 * beatsInUse - 1).toFixed(3)})`,
          shapeRendering: "crispEdges", // no lines of the ground between neighbours
        }),
        ...marks.flatMap(({ x, y, words, filled }, k) => {
          const at = { x: [x], y: [y] };
          return [
            Plot.dot([words], { ...at, r: 8, fill: "var(--card)" }),
            Plot.dot([words], {
              ...at,
              r: 5,
              fill: filled,
              stroke: "currentColor",
              strokeWidth: 2,
            }),
            // One above and one below, since the two may be the same point.
            Plot.text([words], {
              ...at,
              text: [words],
              dy: k === 0 ? -16 : 16,
              fontWeight: 600,
              fill: "currentColor",
              stroke: "var(--card)",
              strokeWidth: 4,
            }),
          ];
        }),
      ],
    });
  }, [plane, dimensions]);
  const [across, up] = dimensions as [Dimension, Dimension];
  return (
    <Figure
      options={options}
      label={`With what probability the learner believes that a point beats the point in use, by ${across.name} and ${up.name}`}
    />
  );
}

export function SpaceSlices({
  id,
  space,
  served,
}: {
  id: string;
  space: SpaceStanding;
  served: number;
}) {
  const [slices, setSlices] = useState<Slices | null>(null);
  useEffect(() => {
    const end = new AbortController();
    ask("show_slices", { eid: id }, { signal: end.signal }).then(setSlices, () => {});
    return () => end.abort();
  }, [id, served]);
  if (!slices)
    return (
      <p class="quiet" aria-busy="true">
        Asking the learner…
      </p>
    );
  if (slices.slices.length === 0)
    return <p class="quiet">This learner holds no belief that could be drawn.</p>;
  return (
    <>
      <div class="slices-of-space">
        {space.dimensions.map((dimension) => (
          <Slice key={dimension.name} dimension={dimension} slices={slices} />
        ))}
      </div>
      <p class="small quiet">
        Through the best guess, {pointInWords(slices.through)}: along one dimension at a time, the
        others held. The band is where the search asked last. It is a belief, and proves nothing.
      </p>
      {slices.plane && (
        <>
          <h3>Both together</h3>
          <Plane plane={slices.plane} dimensions={space.dimensions} />
          <p class="small quiet">
            The stronger the blue, the surer the learner is that a point beats the one in use;
            orange says that it loses.
          </p>
        </>
      )}
    </>
  );
}

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
