// The result of a log or of a file of comparisons, as the dashboard shows it.
import { useMemo } from "preact/hooks";
import type { SpaceStanding, Timeline } from "../api/types";
import { ArmLabel } from "../charts/arm_label";
import { armNames, type ArmNames } from "../charts/arm_names";
import { AuditCard } from "../charts/audit_card";
import { EvidenceBars } from "../charts/evidence_bars";
import { BestSentence, placesOf, SAMPLE_FIGURES, SampleFigures } from "../charts/places";
import { FailedChecks, HealthList } from "../charts/health_list";
import { HeatMap } from "../charts/heat_map";
import { JudgesCard } from "../charts/judges_card";
import { judgingInWords } from "../charts/judging";
import { decisiveOf, matrixOf } from "../charts/matrix";
import { count, percent } from "../charts/numbers";
import { PanelCount } from "../charts/panel_count";
import type { ShownResult } from "../charts/shown_result";
import { SpacePath, SpaceProof } from "../charts/space_cards";
import { StrengthChart } from "../charts/strength_chart";
import { TableHead } from "../charts/table_head";
import { AllocationChart, EvidenceChart, RegretChart } from "../charts/timeline_charts";
import { verdictOf } from "../charts/verdict";
import { WhyNotYet } from "../charts/why_not_yet";
import type { ReportData } from "./report_data";

// A report asks no network for anything, and its policy would not let it.
function withoutRemotePictures(names: ArmNames): ArmNames {
  const here = (picture: string | null) => (picture?.startsWith("data:") ? picture : null);
  return new Map([...names].map(([id, one]) => [id, { ...one, picture: here(one.picture) }]));
}

type Data = Extract<ReportData, { kind: "result" }>;

export function ResultReport({ data }: { data: Data }) {
  const { result, timeline } = data;
  const names = useMemo(() => withoutRemotePictures(armNames(result.arms, data.arms)), [result]);
  const verdict = verdictOf(result, names, data.alpha);
  return (
    <>
      <h1>{result.experiment_id}</h1>
      <section class={`card verdict ${verdict.tone}`} aria-label="Verdict">
        <p class="sentence">{verdict.sentence}</p>
        <FailedChecks checks={result.health} where="#h-health" />
        {verdict.detail !== null && <p>{verdict.detail}</p>}
        {result.if_wrong && <p class="small">{result.if_wrong}</p>}
        <WhyNotYet reasons={result.why_not_yet} forecast={result.forecast} />
        <p class="small quiet">
          {count(result.duels.served)} duels: {count(decisiveOf(result.duels))} decisive,{" "}
          {count(result.duels.ties)} ties, {count(result.duels.both_bad)} both bad,{" "}
          {count(result.duels.skips)} skipped, {count(result.duels.expired)} expired.
        </p>
        {result.judging && <p class="small quiet">{judgingInWords(result.judging)}</p>}
      </section>
      {result.audit && <AuditCard audit={result.audit} names={names} />}
      {result.judging?.judges && <JudgesCard judging={result.judging} />}
      {result.space ? (
        <Space space={result.space} served={result.duels.served} />
      ) : (
        <Arms result={result} timeline={timeline} names={names} />
      )}
      <section class="card" aria-labelledby="h-health">
        <h2 id="h-health">Can the answers be trusted?</h2>
        <HealthList checks={result.health} />
      </section>
    </>
  );
}

// What the page of an experiment shows of a space, but for what its learner believes: a log does not
// say that.
function Space({ space, served }: { space: SpaceStanding; served: number }) {
  return (
    <>
      <section class="card" aria-labelledby="h-bars">
        <h2 id="h-bars">How far to a certificate</h2>
        <SpaceProof space={space} />
      </section>
      <section class="card" aria-labelledby="h-path">
        <h2 id="h-path">Where the best guess went</h2>
        <SpacePath space={space} served={served} />
      </section>
    </>
  );
}

function Arms({
  result,
  timeline,
  names,
}: {
  result: ShownResult;
  timeline: Timeline | undefined;
  names: ArmNames;
}) {
  const matrix = useMemo(() => matrixOf(result), [result]);
  return (
    <>
      <section class="card" aria-labelledby="h-matrix">
        <h2 id="h-matrix">Who beats whom</h2>
        <HeatMap matrix={matrix} names={names} />
      </section>
      {!result.panel && (
        <section class="card" aria-labelledby="h-strengths">
          <h2 id="h-strengths">How strong each is</h2>
          <StrengthChart result={result} names={names} />
        </section>
      )}
      <section class="card" aria-labelledby="h-bars">
        <h2 id="h-bars">How far to a certificate</h2>
        {result.panel ? (
          <PanelCount pairs={result.panel.pairs} names={names} />
        ) : (
          <EvidenceBars result={result} names={names} />
        )}
      </section>
      {timeline && !result.panel && (
        <>
          <section class="card" aria-labelledby="h-evidence">
            <h2 id="h-evidence">Evidence over time</h2>
            <EvidenceChart timeline={timeline} />
          </section>
          <section class="card" aria-labelledby="h-shown">
            <h2 id="h-shown">Which arms were shown</h2>
            <AllocationChart timeline={timeline} names={names} />
          </section>
          <section class="card" aria-labelledby="h-regret">
            <h2 id="h-regret">What it has cost</h2>
            <RegretChart result={result} timeline={timeline} />
          </section>
        </>
      )}
      <section class="card" aria-labelledby="h-arms">
        <h2 id="h-arms">Arms</h2>
        <div class="scroll" tabIndex={0} role="group" aria-label="Table of arms">
          <table class="wide">
            <TableHead
              about="Arm"
              figures={[
                "Place",
                "Won",
                "Lost",
                "Tied",
                ...(result.panel ? [] : ["Rate", ...SAMPLE_FIGURES]),
              ]}
            />
            <tbody>
              {result.arms.map((arm) => (
                <tr>
                  <th scope="row">
                    <ArmLabel id={arm.arm_id} names={names} />
                  </th>
                  <td class="number">{placesOf(arm)}</td>
                  <td class="number">{count(arm.wins)}</td>
                  <td class="number">{count(arm.losses)}</td>
                  <td class="number">{count(arm.ties)}</td>
                  {!result.panel && (
                    <>
                      <td class="number">{percent(arm.rate)}</td>
                      <SampleFigures arm={arm} digits={3} />
                    </>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <BestSentence result={result} />
      </section>
    </>
  );
}
