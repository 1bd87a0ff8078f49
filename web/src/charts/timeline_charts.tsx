// What happened over time: evidence, who was shown, and what it cost.
import * as Plot from "@observablehq/plot";
import { useMemo } from "preact/hooks";
import type { Timeline } from "../api/types";
import type { ShownResult } from "./shown_result";
import { nameOf, shortNameOf, type ArmNames } from "./arm_names";
import { Figure } from "./figure";
import { count, shortNumber } from "./numbers";
import { pen } from "./palette";
import { regretPoints } from "./regret";

const MOST_CURVES = 7;
// Every serve counts, also a page that shows one arm alone and so is no duel.
// The axis begins at 0 and has a length also where nothing was served, or all at one moment.
export function servedAxis(timeline: Timeline) {
  const most = Math.max(1, ...timeline.points.map((one) => one.served));
  return { label: "served", tickFormat: "~s", ticks: 5, domain: [0, most] };
}

// Without a duel there is nothing to draw, and an axis would have no numbers.
export function hasDuels(timeline: Timeline): boolean {
  return timeline.points.length >= 2 && timeline.points.some((one) => one.served > 0);
}

// 0.1, 1, 10, .. up to `top`; not all of them where there are many.
export function decades(top: number): number[] {
  const last = Math.max(1, Math.floor(Math.log10(top)));
  const step = Math.ceil((last + 2) / 6);
  const ticks: number[] = [];
  for (let power = -1; power <= last; power += step) ticks.push(Math.pow(10, power));
  return ticks;
}

export function EvidenceChart({ timeline }: { timeline: Timeline }) {
  const options = useMemo(() => {
    const points = timeline.points.filter((one) => typeof one.log_evidence === "number");
    const threshold = points[points.length - 1]?.log_threshold;
    const rows = points.map((one) => ({
      served: one.served,
      value: Math.exp(Math.min(60, Math.max(-3, one.log_evidence as number))),
    }));
    const top = Math.max(10, threshold ? Math.exp(threshold) : 1, ...rows.map((row) => row.value));
    return (): Plot.PlotOptions => ({
      x: servedAxis(timeline),
      y: {
        type: "log",
        label: "evidence, logarithmic",
        grid: true,
        ticks: decades(top),
        tickFormat: shortNumber,
        domain: [0.05, top * 1.6],
      },
      marks: [
        ...(threshold
          ? [
              Plot.ruleY([Math.exp(threshold)], { stroke: "var(--good)", strokeDasharray: "5 3" }),
              Plot.text([Math.exp(threshold)], {
                y: (value: number) => value,
                frameAnchor: "right",
                dy: -7,
                dx: -2,
                text: () => "threshold",
                fill: "var(--good)",
                textAnchor: "end",
              }),
            ]
          : []),
        Plot.lineY(rows, {
          x: "served",
          y: "value",
          stroke: pen(0).colour,
          strokeWidth: 2,
          curve: "step-after",
        }),
      ],
    });
  }, [timeline]);
  const last = timeline.points[timeline.points.length - 1];
  if (!hasDuels(timeline)) return <p class="quiet">Needs a few duels first.</p>;
  return (
    <>
      <Figure
        options={options}
        label={`Evidence for the leader against its closest rival over ${count(last?.served ?? 0)} serves, with the threshold`}
      />
      <p class="small quiet">
        That the leader beats its closest rival. It is certain enough at the threshold, whenever
        that is reached; chance alone may take it up and down before.
      </p>
    </>
  );
}

// The arms that were shown most, and what is left of all others.
export function mostShown(timeline: Timeline, most = MOST_CURVES): number[] {
  const last = timeline.points[timeline.points.length - 1];
  if (!last) return [];
  return last.shown
    .map((times, arm) => ({ times, arm }))
    .sort((a, b) => b.times - a.times || a.arm - b.arm)
    .slice(0, most)
    .map(({ arm }) => arm);
}

export function AllocationChart({ timeline, names }: { timeline: Timeline; names: ArmNames }) {
  const arms = useMemo(() => mostShown(timeline), [timeline]);
  const options = useMemo(() => {
    const rows = timeline.points.flatMap(({ served, shown }) => {
      const total = shown.reduce((sum, one) => sum + one, 0);
      if (total === 0) return [];
      return arms.map((arm, index) => ({ served, share: (shown[arm] ?? 0) / total, arm: index }));
    });
    return (): Plot.PlotOptions => ({
      x: servedAxis(timeline),
      y: { label: "share shown", grid: true, percent: true, ticks: 4, zero: true },
      marks: arms.map((_, index) =>
        Plot.lineY(
          rows.filter((row) => row.arm === index),
          {
            x: "served",
            y: "share",
            stroke: pen(index).colour,
            strokeWidth: 2,
            ...(pen(index).dash ? { strokeDasharray: pen(index).dash } : {}),
          },
        ),
      ),
    });
  }, [timeline, arms]);
  if (!hasDuels(timeline)) return <p class="quiet">Needs a few duels first.</p>;
  return (
    <>
      <Figure
        options={options}
        label={`Share of the places that each arm had over time; most for ${nameOf(names, timeline.arms[arms[0] ?? 0] ?? "")}`}
      />
      <Key names={arms.map((arm) => shortNameOf(names, timeline.arms[arm] ?? "", 24))} />
      {timeline.arms.length > arms.length && (
        <p class="small quiet">
          The {arms.length} arms that were shown most, of {timeline.arms.length}.
        </p>
      )}
    </>
  );
}

export function RegretChart({ result, timeline }: { result: ShownResult; timeline: Timeline }) {
  const points = useMemo(() => regretPoints(result, timeline), [result, timeline]);
  const options = useMemo(() => {
    const bound = points.filter((one) => one.bound !== null);
    const most = Math.max(1, ...points.map((one) => Math.max(one.regret, one.bound ?? 0)));
    return (): Plot.PlotOptions => ({
      x: servedAxis(timeline),
      y: { label: "regret", grid: true, ticks: 4, tickFormat: "~s", domain: [0, most] },
      marks: [
        Plot.lineY(bound, {
          x: "served",
          y: "bound",
          stroke: "var(--quiet)",
          strokeDasharray: "5 3",
        }),
        Plot.lineY(points, { x: "served", y: "regret", stroke: pen(1).colour, strokeWidth: 2 }),
      ],
    });
  }, [points, timeline]);
  if (!result.leader || !hasDuels(timeline)) return <p class="quiet">Needs a leader first.</p>;
  const last = points[points.length - 1];
  return (
    <>
      <Figure
        options={options}
        label={`Estimated regret over time, ${(last?.regret ?? 0).toFixed(1)} so far, beside the lower bound`}
      />
      <p class="small quiet">
        <span class="stroke regret" aria-hidden="true" /> estimated regret{" "}
        <span class="stroke bound" aria-hidden="true" /> lower bound, C ln T. Both by the win rates
        so far. A duel costs 0 where both arms are as good as the leader and 0.5 where both always
        lose to it.
      </p>
    </>
  );
}

export function Key({ names }: { names: string[] }) {
  return (
    <ul class="key small">
      {names.map((name, index) => (
        <li>
          <svg width="26" height="8" aria-hidden="true">
            <line
              x1="0"
              x2="26"
              y1="4"
              y2="4"
              stroke={pen(index).colour}
              stroke-width="3"
              stroke-dasharray={pen(index).dash}
            />
          </svg>{" "}
          <span title={name}>{name}</span>
        </li>
      ))}
    </ul>
  );
}
