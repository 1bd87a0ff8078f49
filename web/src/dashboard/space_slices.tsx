// What the learner of a space believes along each dimension, and of two dimensions on their plane.
import * as Plot from "@observablehq/plot";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask } from "../api/client";
import { Paced } from "../api/paced";
import type { Dimension, PlanePoint, Slices, SpaceStanding } from "../api/types";
import { Figure } from "../charts/figure";
import { pen } from "../charts/palette";
import { planeCells, pointInWords, shortValue } from "../charts/space";
import { axisOf } from "../charts/space_cards";

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

// A belief is some 33 predictions for each dimension and a thousand for a plane, each of which costs the
// server time that it does not have for duels; and nobody sees it move from one duel to the next.
const SLICES_PAUSE_MS = 5_000;

function useSlices(id: string, served: number): Slices | null {
  const [slices, setSlices] = useState<Slices | null>(null);
  const paced = useRef<Paced | null>(null);
  useEffect(() => {
    const end = new AbortController();
    const asking = new Paced(
      () => ask("show_slices", { eid: id }, { signal: end.signal }).then(setSlices, () => {}),
      SLICES_PAUSE_MS,
      () => !document.hidden,
    );
    paced.current = asking;
    const seen = () => asking.look();
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      asking.end();
      end.abort();
    };
  }, [id]);
  useEffect(() => paced.current?.want(), [id, served]);
  return slices;
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
  const slices = useSlices(id, served);
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
