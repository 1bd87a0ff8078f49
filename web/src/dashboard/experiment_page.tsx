// One experiment: the verdict first, then what it rests on.
import { useEffect, useMemo } from "preact/hooks";
import { pathOf } from "../api/client";
import type { Experiment, ExperimentResult, HealthCheck, RecentDuel } from "../api/types";
import { EvidenceBars } from "../charts/evidence_bars";
import { HeatMap } from "../charts/heat_map";
import { matrixOf } from "../charts/matrix";
import { count, percent } from "../charts/numbers";
import { AllocationChart, EvidenceChart, RegretChart } from "../charts/timeline_charts";
import { AddArm, Exports, RetireArm, ShareLink, StateActions } from "./actions";
import { HealthList } from "../charts/health_list";
import { useLiveExperiment } from "./live_experiment";
import { Curl, Failure, StateBadge } from "./parts";
import { verdictOf } from "../charts/verdict";

const MOST_ARMS = 30;

function Numbers({ result }: { result: ExperimentResult }) {
  const { duels } = result;
  const facts: [string, number][] = [
    ["duels", duels.served],
    ["decisive", duels.first_wins + duels.second_wins],
    ["ties", duels.ties],
    ["both bad", duels.both_bad],
    ["skipped", duels.skips],
    ["expired", duels.expired],
    ["open", duels.pending],
  ];
  return (
    <dl class="numbers">
      {facts.map(([name, value]) => (
        <div><dd>{count(value)}</dd><dt>{name}</dt></div>
      ))}
    </dl>
  );
}

function ArmTable({ experiment, result, done }: { experiment: Experiment; result: ExperimentResult; done: () => void }) {
  const open = experiment.stopping.arms === "open" || experiment.state === "draft";
  const retired = experiment.arms.filter((arm) => arm.state === "retired");
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label="Table of arms">
        <table class="wide">
          <thead>
            <tr>
              <th scope="col">Arm</th><th scope="col" class="number">Won</th><th scope="col" class="number">Lost</th>
              <th scope="col" class="number">Rate</th><th scope="col" class="number">Elo</th>
              <th scope="col" class="number">P(best)</th><th scope="col"><span class="hidden-text">Actions</span></th>
            </tr>
          </thead>
          <tbody>
            {result.arms.slice(0, MOST_ARMS).map((arm) => (
              <tr>
                <th scope="row" class="arm" title={arm.arm_id}>{arm.arm_id}{arm.arm_id === result.leader && <span class="good"> leads</span>}</th>
                <td class="number">{count(arm.wins)}</td>
                <td class="number">{count(arm.losses)}</td>
                <td class="number">{arm.wins + arm.losses > 0 ? percent(arm.rate) : ""}</td>
                <td class="number">{arm.elo === null ? "" : Math.round(arm.elo)}</td>
                <td class="number">{arm.probability_best.toFixed(2)}</td>
                <td>{open && <RetireArm experiment={experiment} arm={arm.arm_id} done={done} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {result.arms.length > MOST_ARMS && <p class="small quiet">The {MOST_ARMS} arms with the best rates, of {result.arms.length}.</p>}
      {retired.length > 0 && <p class="small quiet">Retired: {retired.map((arm) => arm.arm_id).join(", ")}</p>}
      {open ? <AddArm experiment={experiment} done={done} /> : (
        <p class="small quiet">The arms are fixed: the certificate is about exactly these. An experiment with <code>"arms": "open"</code> lets arms come and go.</p>
      )}
      {open && <Curl what="retire an arm" method="DELETE" path={pathOf("experiments", experiment.experiment_id, "arms", result.arms[0]?.arm_id ?? "")} />}
    </>
  );
}

function answerOf(duel: RecentDuel): string {
  if (duel.state === "served") return "open";
  if (duel.state === "expired") return "expired";
  if (duel.result === "win") return `${duel.winner ?? ""} won${duel.place ? ` (place ${duel.place})` : ""}`;
  const words = { tie: "tie", both_bad: "both bad", skip: "skipped", invalid: "invalid" };
  const said = duel.result ? words[duel.result] : "";
  return duel.note ? `${said}: ${duel.note}` : said;
}

function RecentDuels({ duels }: { duels: RecentDuel[] }) {
  if (duels.length === 0) return <p class="quiet">No duels yet.</p>;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Table of recent duels">
      <table class="wide">
        <thead><tr><th scope="col">Served</th><th scope="col">Left</th><th scope="col">Right</th><th scope="col">Answer</th></tr></thead>
        <tbody>
          {duels.map((duel) => (
            <tr key={duel.duel_id}>
              <td class="small"><time dateTime={duel.served_at} title={duel.duel_id}>{new Date(duel.served_at).toLocaleTimeString()}</time></td>
              <td class="arm">{duel.first}</td>
              <td class="arm">{duel.serving === "exploit" ? "" : duel.second}</td>
              <td>{answerOf(duel)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function ExperimentPage({ id }: { id: string }) {
  const { experiment, result, timeline, duels, live, error, refresh } = useLiveExperiment(id);
  const matrix = useMemo(() => (result ? matrixOf(result) : null), [result]);
  const title = experiment?.name || id;
  useEffect(() => {
    document.title = `${title} · Duel`;
  }, [title]);
  if (!experiment || !result || !matrix) {
    return <>{error ? <Failure error={error} /> : <p class="quiet" aria-busy="true">Loading…</p>}</>;
  }
  const verdict = verdictOf(result, experiment.stopping.alpha);
  const health: HealthCheck[] = result.health;
  return (
    <>
      <div class="heading">
        <div>
          <h1>{title}</h1>
          <p class="small quiet">
            <code>{id}</code> · {experiment.goal} · <code>{experiment.policy}</code> · error level {percent(experiment.stopping.alpha, 1)}
          </p>
        </div>
        <p class="row">
          <StateBadge state={experiment.state} />
          <span class={`small ${live ? "good" : "quiet"}`} role="status">{live ? "● live" : "○ not live"}</span>
        </p>
      </div>
      {error !== null && <Failure error={error} />}
      <section class={`card verdict ${verdict.tone}`} aria-labelledby="verdict">
        <h2 id="verdict" class="hidden-text">Verdict</h2>
        <p class="sentence">{verdict.sentence}</p>
        <Numbers result={result} />
        <StateActions experiment={experiment} done={refresh} />
      </section>
      <div class="columns">
        <section class="card" aria-labelledby="h-matrix">
          <h2 id="h-matrix">Who beats whom</h2>
          <HeatMap matrix={matrix} />
        </section>
        <section class="card" aria-labelledby="h-bars">
          <h2 id="h-bars">How far to a certificate</h2>
          <EvidenceBars result={result} />
        </section>
      </div>
      <div class="thirds">
        <section class="card" aria-labelledby="h-evidence">
          <h2 id="h-evidence">Evidence over time</h2>
          {timeline ? <EvidenceChart timeline={timeline} /> : <p class="quiet" aria-busy="true">Reading the log…</p>}
        </section>
        <section class="card" aria-labelledby="h-shown">
          <h2 id="h-shown">Which arms were shown</h2>
          {timeline ? <AllocationChart timeline={timeline} /> : <p class="quiet" aria-busy="true">Reading the log…</p>}
        </section>
        <section class="card" aria-labelledby="h-regret">
          <h2 id="h-regret">What it has cost</h2>
          {timeline ? <RegretChart result={result} timeline={timeline} /> : <p class="quiet" aria-busy="true">Reading the log…</p>}
        </section>
      </div>
      <div class="columns">
        <div class="column">
          <section class="card" aria-labelledby="h-arms">
            <h2 id="h-arms">Arms</h2>
            <ArmTable experiment={experiment} result={result} done={refresh} />
          </section>
          <section class="card" aria-labelledby="h-duels">
            <h2 id="h-duels">Recent duels</h2>
            <RecentDuels duels={duels} />
          </section>
        </div>
        <div class="column">
          <section class="card" aria-labelledby="h-health">
            <h2 id="h-health">Can the answers be trusted?</h2>
            <HealthList checks={health} />
          </section>
          <section class="card" aria-labelledby="h-share">
            <h2 id="h-share">{experiment.mode === "duel" ? "Let people vote" : "Serve pages"}</h2>
            {experiment.mode === "duel" ? <ShareLink id={id} /> : (
              <Curl what="interleave the rankings of one query" method="POST" path={pathOf("experiments", id, "interleavings")}
                body={{ duel_id: "q-1", lists: Object.fromEntries(experiment.arms.slice(0, 2).map((arm) => [arm.arm_id, ["d1", "d2"]])) }} />
            )}
            <Curl what="ask for a duel" method="POST" path={pathOf("experiments", id, "duels")} body={{ duel_id: "my-1" }} />
            <Curl what="report its outcome" method="PUT" path={pathOf("experiments", id, "duels", "my-1", "outcome")} body={{ result: "win", winner: result.arms[0]?.arm_id ?? "" }} />
          </section>
          <section class="card" aria-labelledby="h-export">
            <h2 id="h-export">Export</h2>
            <Exports id={id} />
          </section>
        </div>
      </div>
    </>
  );
}
