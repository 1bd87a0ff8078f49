// One experiment: the verdict first, then what it rests on.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Result } from "../api/types";
import { armNames } from "../charts/arm_names";
import { AuditCard } from "../charts/audit_card";
import { EvidenceBars } from "../charts/evidence_bars";
import { HeatMap, WIDE_FROM } from "../charts/heat_map";
import { judgingInWords } from "../charts/judging";
import { JudgesCard } from "../charts/judges_card";
import { decisiveOf, matrixOf } from "../charts/matrix";
import { count, percent } from "../charts/numbers";
import { PanelCount, panelInWords } from "../charts/panel_count";
import { StrengthChart } from "../charts/strength_chart";
import { AllocationChart, EvidenceChart, RegretChart } from "../charts/timeline_charts";
import { Exports, StateActions } from "./actions";
import { ArmTable } from "./arm_table";
import { CertificateCard } from "./certificate_card";
import { Changes } from "./changes_card";
import { FailedChecks, HealthList } from "../charts/health_list";
import { useLiveExperiment } from "./live_experiment";
import { OpenPages } from "./open_pages";
import { Curl, Failure, Link, StateBadge } from "./parts";
import { clonePath } from "./place";
import { RecentDuels } from "./recent_duels";
import { Settings } from "./settings";
import { Share } from "./share";
import { PartChoice, resultOfPart, SliceVerdicts, type Part } from "./slices";
import { spaceInWords } from "../charts/space";
import { SpacePath, SpaceProof } from "../charts/space_cards";
import { SpaceSlices } from "./space_slices";
import { verdictOf } from "../charts/verdict";
import { WhyNotYet } from "../charts/why_not_yet";

function Numbers({ result }: { result: Result }) {
  const { duels, pages } = result;
  const decisive: [string, number] = ["decisive", decisiveOf(duels)];
  const clickless = pages ? pages.closed_without_click + pages.closed_without_contest : 0;
  const facts: [string, number][] = pages
    ? [
        ["pages", duels.served],
        decisive,
        ["ties", duels.ties],
        ["no click", pages.closed_without_click],
        ["no difference", pages.closed_without_contest],
        ["expired", duels.expired - clickless],
        ["open", duels.pending],
      ]
    : [
        ["duels", duels.served],
        decisive,
        ["ties", duels.ties],
        ["both bad", duels.both_bad],
        ["skipped", duels.skips],
        ["expired", duels.expired],
        ["open", duels.pending],
      ];
  return (
    <dl class="numbers">
      {facts.map(([name, value]) => (
        <div>
          <dd>{count(value)}</dd>
          <dt>{name}</dt>
        </div>
      ))}
    </dl>
  );
}

// A card whose content comes from the whole log, and so a moment after the rest of the page.
function LogCard({
  id,
  title,
  children,
}: {
  id: string;
  title: string;
  children: ComponentChildren;
}) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children || (
        <p class="quiet" aria-busy="true">
          Reading the log…
        </p>
      )}
    </section>
  );
}

export function ExperimentPage({ id }: { id: string }) {
  const { experiment, result, timeline, duels, health, live, error, refresh } =
    useLiveExperiment(id);
  const [part, setPart] = useState<Part | null>(null);
  const charted = result && resultOfPart(result, part);
  const matrix = useMemo(() => (charted ? matrixOf(charted) : null), [charted]);
  const names = useMemo(
    () => armNames(result?.arms ?? [], experiment?.arms),
    [result?.arms, experiment?.etag],
  );
  const title = experiment?.name || id;
  useEffect(() => {
    document.title = `${title} · Duel`;
  }, [title]);
  if (!experiment || !result || !charted || !matrix) {
    if (!error)
      return (
        <p class="quiet" aria-busy="true">
          Loading…
        </p>
      );
    return (
      <>
        <div class="heading">
          <h1>{id}</h1>
        </div>
        <Failure error={error} />
        <p>
          <Link to="/">All experiments</Link>
        </p>
      </>
    );
  }
  const verdict = verdictOf(result, names, experiment.stopping.alpha);
  // Many arms need the whole width for their matrix.
  const many = matrix.arms.length >= WIDE_FROM;
  const whoBeatsWhom = (
    <section class="card" aria-labelledby="h-matrix">
      <h2 id="h-matrix">Who beats whom</h2>
      <HeatMap matrix={matrix} names={names} />
    </section>
  );
  const howFar = (
    <section class="card" aria-labelledby="h-bars">
      <h2 id="h-bars">How far to a certificate</h2>
      {result.space ? (
        <SpaceProof space={result.space} />
      ) : result.panel ? (
        <PanelCount pairs={result.panel.pairs} names={names} />
      ) : (
        <EvidenceBars result={charted} names={names} />
      )}
    </section>
  );
  const howStrong = (
    <section class="card" aria-labelledby="h-strengths">
      <h2 id="h-strengths">How strong each is</h2>
      <StrengthChart result={charted} names={names} />
    </section>
  );
  return (
    <>
      <div class="heading">
        <div>
          <h1>{title}</h1>
          <p class="small quiet">
            <code>{id}</code> ·{" "}
            {experiment.panel ? (
              panelInWords(experiment.panel)
            ) : (
              <>
                {result.space ? spaceInWords(result.space) : experiment.goal} ·{" "}
                <code>{experiment.policy}</code> · error level{" "}
                {percent(experiment.stopping.alpha, 1)}
              </>
            )}
          </p>
        </div>
        <p class="row">
          <StateBadge state={experiment.state} />
          <span class={`small ${live ? "good" : "quiet"}`} role="status">
            {live ? "● live" : "○ not live"}
          </span>
        </p>
      </div>
      {error !== null && <Failure error={error} />}
      <section class={`card verdict ${verdict.tone}`} aria-labelledby="verdict">
        <h2 id="verdict" class="hidden-text">
          Verdict
        </h2>
        <p class="sentence">{verdict.sentence}</p>
        <FailedChecks checks={health} where="#h-health" />
        {verdict.detail !== null && <p class="small">{verdict.detail}</p>}
        {result.if_wrong && <p class="small">{result.if_wrong}</p>}
        <WhyNotYet reasons={result.why_not_yet} forecast={result.forecast} />
        <Numbers result={result} />
        {result.judging && <p class="small quiet">{judgingInWords(result.judging)}</p>}
        <StateActions
          experiment={experiment}
          isCertified={result.certificate !== null}
          done={refresh}
        />
      </section>
      {result.certificate && <CertificateCard id={id} />}
      {result.audit && <AuditCard audit={result.audit} names={names} />}
      {result.judging?.judges && <JudgesCard judging={result.judging} />}
      {result.pages && (
        <section class="card open-pages" aria-labelledby="h-pages">
          <h2 id="h-pages">Open pages</h2>
          <OpenPages pages={result.pages} names={names} timeout={experiment.feedback.timeout_s} />
        </section>
      )}
      {result.by_slice && (
        <section class="card parts" aria-labelledby="h-parts">
          <h2 id="h-parts">Parts of the duels</h2>
          <SliceVerdicts result={result} />
          <PartChoice result={result} part={part} choose={setPart} />
        </section>
      )}
      {result.space ? (
        <>
          <div class="alone">
            <section class="card" aria-labelledby="h-slices">
              <h2 id="h-slices">What the learner believes</h2>
              <SpaceSlices id={id} space={result.space} served={experiment.served} />
            </section>
          </div>
          <div class="columns">
            {howFar}
            <section class="card" aria-labelledby="h-path">
              <h2 id="h-path">Where the best guess went</h2>
              <SpacePath space={result.space} served={experiment.served} />
            </section>
          </div>
        </>
      ) : many ? (
        <>
          <div class="alone">{whoBeatsWhom}</div>
          {result.panel ? (
            <div class="alone">{howFar}</div>
          ) : (
            <div class="columns">
              {howStrong}
              {howFar}
            </div>
          )}
        </>
      ) : (
        <>
          <div class="columns">
            {whoBeatsWhom}
            {howFar}
          </div>
          {!result.panel && <div class="alone">{howStrong}</div>}
        </>
      )}
      {!result.space && !result.panel && (
        <div class="thirds">
          <LogCard id="h-evidence" title="Evidence over time">
            {timeline && <EvidenceChart timeline={timeline} />}
          </LogCard>
          <LogCard id="h-shown" title="Which arms were shown">
            {timeline && <AllocationChart timeline={timeline} names={names} />}
          </LogCard>
          <LogCard id="h-regret" title="What it has cost">
            {timeline && <RegretChart result={result} timeline={timeline} />}
          </LogCard>
        </div>
      )}
      <div class="columns">
        <div class="column">
          {!result.space && (
            <section class="card" aria-labelledby="h-arms">
              <h2 id="h-arms">Arms</h2>
              <ArmTable experiment={experiment} result={result} names={names} done={refresh} />
            </section>
          )}
          <section class="card" aria-labelledby="h-duels">
            <h2 id="h-duels">Recent duels</h2>
            <RecentDuels duels={duels} names={names} />
          </section>
        </div>
        <div class="column">
          <section class="card" aria-labelledby="h-health">
            <h2 id="h-health">Can the answers be trusted?</h2>
            <HealthList checks={health} />
          </section>
          <section class="card" aria-labelledby="h-share">
            <h2 id="h-share">{experiment.mode === "duel" ? "Let people vote" : "Serve pages"}</h2>
            {experiment.mode === "duel" ? (
              <Share
                id={id}
                name={title}
                panel={experiment.panel}
                running={experiment.state === "running"}
              />
            ) : result.space ? (
              <p class="small">
                A page takes two steps: ask for a duel, then send the lists of its two points.
              </p>
            ) : (
              <Curl
                what="interleave the rankings of one query"
                operation="interleave_in_one"
                given={{ eid: id }}
                body={{
                  duel_id: "q-1",
                  lists: Object.fromEntries(
                    experiment.arms.slice(0, 2).map((arm) => [arm.arm_id, ["d1", "d2"]]),
                  ),
                }}
              />
            )}
            <Curl
              what="ask for a duel"
              operation="serve_duels"
              given={{ eid: id }}
              body={{ duel_id: "my-1" }}
            />
            <Curl
              what="report its outcome"
              operation="report_outcome"
              given={{ eid: id, did: "my-1" }}
              body={{ result: "win", winner: result.arms[0]?.arm_id ?? "" }}
            />
          </section>
          <section class="card" aria-labelledby="h-settings">
            <h2 id="h-settings">Settings</h2>
            <Settings experiment={experiment} done={refresh} />
            <p class="after-settings">
              <Link to={clonePath(id)}>Begin a new experiment from this one</Link>
            </p>
          </section>
          <section class="card" aria-labelledby="h-changes">
            <h2 id="h-changes">What was changed</h2>
            <Changes id={id} names={names} />
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
