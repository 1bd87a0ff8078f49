// A study: regret over rounds with its error and the lower bound, and how often the best arm was named.
import * as Plot from "@observablehq/plot";
import { useMemo } from "preact/hooks";
import { Figure } from "../charts/figure";
import { count, percent, shortNumber } from "../charts/numbers";
import { pen } from "../charts/palette";
import { TableHead } from "../charts/table_head";
import { Key } from "../charts/timeline_charts";
import type { Run } from "./report_data";

const BAND = 2; // standard errors to each side

interface Point {
  round: number;
  mean: number;
  low: number;
  high: number;
}

// The curve of a policy on logarithmic axes, where nothing below the smallest positive mean is drawn.
export function curveOf(run: Run, index: number, notion: string): Point[] {
  return (run.policies[index]?.checkpoints ?? []).flatMap((one) => {
    const { mean, se } = one.regret[notion] ?? { mean: null, se: null };
    if (mean === null || mean <= 0) return [];
    const half = BAND * (se ?? 0);
    return [{ round: one.round, mean, low: Math.max(mean - half, mean / 10), high: mean + half }];
  });
}

export function notionsOf(run: Run): string[] {
  return Object.keys(run.policies[0]?.checkpoints[0]?.regret ?? {});
}

function RegretFigure({ run, notion }: { run: Run; notion: string }) {
  const options = useMemo(() => {
    const curves = run.policies.map((_, index) => curveOf(run, index, notion));
    const rounds = (run.policies[0]?.checkpoints ?? [])
      .map((one) => one.round)
      .filter((round) => round > 1);
    const bound =
      notion === "average" && run.lower_bound !== null
        ? rounds.map((round) => ({ round, mean: (run.lower_bound as number) * Math.log(round) }))
        : [];
    return (width: number): Plot.PlotOptions => ({
      height: Math.round(Math.min(460, width * 0.6)),
      x: { type: "log", label: "rounds", tickFormat: shortNumber, ticks: 6 },
      y: { type: "log", label: `${notion} regret`, tickFormat: shortNumber, ticks: 6, grid: true },
      marks: [
        Plot.lineY(bound, {
          x: "round",
          y: "mean",
          stroke: "var(--quiet)",
          strokeDasharray: "5 3",
          strokeWidth: 2,
        }),
        ...curves.map((curve, index) =>
          Plot.areaY(curve, {
            x: "round",
            y1: "low",
            y2: "high",
            fill: pen(index).colour,
            fillOpacity: 0.15,
          }),
        ),
        ...curves.map((curve, index) =>
          Plot.lineY(curve, {
            x: "round",
            y: "mean",
            stroke: pen(index).colour,
            strokeWidth: 2,
            ...(pen(index).dash ? { strokeDasharray: pen(index).dash } : {}),
          }),
        ),
      ],
    });
  }, [run, notion]);
  return (
    <Figure
      options={options}
      label={`Cumulative ${notion} regret over rounds on ${run.matrix}, one curve per policy`}
    />
  );
}

function AccuracyFigure({ run }: { run: Run }) {
  const options = useMemo(
    () => (): Plot.PlotOptions => ({
      x: { type: "log", label: "rounds", tickFormat: shortNumber, ticks: 6 },
      y: { label: "best arm named", percent: true, grid: true, domain: [0, 100], ticks: 5 },
      marks: run.policies.map(({ checkpoints }, index) =>
        Plot.lineY(
          checkpoints.filter((one) => one.accuracy !== null),
          {
            x: "round",
            y: "accuracy",
            stroke: pen(index).colour,
            strokeWidth: 2,
            ...(pen(index).dash ? { strokeDasharray: pen(index).dash } : {}),
          },
        ),
      ),
    }),
    [run],
  );
  return (
    <Figure
      options={options}
      label={`Share of trials that name the right arm over rounds on ${run.matrix}`}
    />
  );
}

function last<T>(items: T[]): T | undefined {
  return items[items.length - 1];
}

function RunReport({ run }: { run: Run }) {
  const [notion = "average"] = notionsOf(run);
  const ranked = run.policies
    .map((policy) => ({ policy: policy.policy, end: last(policy.checkpoints) }))
    .sort(
      (a, b) =>
        (a.end?.regret[notion]?.mean ?? Infinity) - (b.end?.regret[notion]?.mean ?? Infinity),
    );
  return (
    <section class="card" aria-label={run.matrix}>
      <h2>{run.matrix}</h2>
      <p class="small quiet">
        {count(run.rounds)} rounds, {count(run.trials)} trials, seed {run.seed}.
        {run.lower_bound !== null &&
          notion === "average" &&
          " A short run may lie below the asymptotic lower bound."}
      </p>
      <div class="regret-chart">
        <Key names={run.policies.map((policy) => policy.policy)} />
        <RegretFigure run={run} notion={notion} />
        <p class="small quiet figure-note">
          Means of {count(run.trials)} trials on {run.matrix}; bands: {BAND} standard errors to each
          side.
          {run.lower_bound !== null &&
            notion === "average" &&
            ` Dashed: the asymptotic lower bound, ${run.lower_bound.toPrecision(4)} ln T.`}
        </p>
      </div>
      <h3>How often the best arm is named</h3>
      <AccuracyFigure run={run} />
      <h3>At the end</h3>
      <div class="scroll" tabIndex={0} role="group" aria-label={`Results on ${run.matrix}`}>
        <table class="wide">
          <TableHead
            about="Policy"
            figures={[...notionsOf(run).map((one) => `${one} regret`), "best arm named"]}
          />
          <tbody>
            {ranked.map(({ policy, end }) => (
              <tr>
                <th scope="row">
                  <code>{policy}</code>
                </th>
                {notionsOf(run).map((one) => {
                  const summary = end?.regret[one];
                  return (
                    <td class="number">
                      {summary?.mean == null ? "" : summary.mean.toPrecision(4)}
                      {summary?.se == null ? "" : ` ± ${summary.se.toPrecision(2)}`}
                    </td>
                  );
                })}
                <td class="number">{end?.accuracy == null ? "" : percent(end.accuracy)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function StudyReport({ title, runs }: { title: string; runs: Run[] }) {
  return (
    <>
      <h1>{title}</h1>
      {runs.map((run) => (
        <RunReport run={run} />
      ))}
    </>
  );
}
