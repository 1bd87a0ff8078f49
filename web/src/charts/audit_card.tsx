// Where people audit a judge: what it knows of their preferences, and what it alone would have said.
import type { AuditStanding } from "../api/types";
import { ArmLabel } from "./arm_label";
import type { ArmNames } from "./arm_names";
import { count, percent } from "./numbers";

// How often it names the arm that people name, with the interval that holds whenever you look.
export function agreementWords(audit: AuditStanding): string {
  if (audit.agreement === null) return "nothing to compare yet";
  const [lower, upper] = audit.agreement_interval;
  return `${percent(audit.agreement)} of ${count(audit.comparable)} (${percent(lower)} to ${percent(upper)})`;
}

function OppositeSigns({ audit, names }: { audit: AuditStanding; names: ArmNames }) {
  return (
    <div class="scroll differing" tabIndex={0} role="group" aria-label="Table of pairs">
      <table class="wide">
        <caption class="small quiet">Pairs in which people and the judge differ</caption>
        <thead>
          <tr>
            <th scope="col">People prefer</th>
            <th scope="col">The judge prefers</th>
            <th scope="col" class="number">
              Answers of people
            </th>
            <th scope="col" class="number">
              Of the judge
            </th>
          </tr>
        </thead>
        <tbody>
          {audit.differing.map((pair) => (
            <tr>
              <th scope="row">
                <ArmLabel id={pair.first} names={names} />
              </th>
              <td>
                <ArmLabel id={pair.second} names={names} />
              </td>
              <td class="number">{count(pair.answers)}</td>
              <td class="number">{count(pair.duels)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function AuditCard({ audit, names }: { audit: AuditStanding; names: ArmNames }) {
  return (
    <section class="card audit" aria-labelledby="h-audits">
      <h2 id="h-audits">People audit the judge</h2>
      <p>{audit.program_alone}</p>
      <dl class="numbers">
        <div>
          <dd>{count(audit.answers)}</dd>
          <dt>Answers of people</dt>
        </div>
        <div>
          <dd>{count(audit.duels)}</dd>
          <dt>Duels the judge answered</dt>
        </div>
        <div>
          <dd>{agreementWords(audit)}</dd>
          <dt>The judge agrees with people</dt>
        </div>
        <div>
          <dd>{count(Math.max(0, audit.worth - audit.answers))}</dd>
          <dt>Answers of people saved</dt>
        </div>
      </dl>
      {audit.differing.length > 0 && <OppositeSigns audit={audit} names={names} />}
      <details>
        <summary>In words</summary>
        <p class="small quiet">{audit.text}</p>
      </details>
    </section>
  );
}
