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
    <table>
      <caption class="small quiet">Pairs in which people and the judge differ</caption>
      <thead>
        <tr>
          <th scope="col">People prefer</th>
          <th scope="col">The judge prefers</th>
          <th scope="col">Answers of people</th>
          <th scope="col">Of the judge</th>
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
            <td>{count(pair.answers)}</td>
            <td>{count(pair.duels)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function AuditCard({ audit, names }: { audit: AuditStanding; names: ArmNames }) {
  return (
    <section class="card" aria-labelledby="h-audits">
      <h2 id="h-audits">People audit the judge</h2>
      <p>{audit.program_alone}</p>
      <dl class="numbers">
        <div>
          <dt>Answers of people</dt>
          <dd>{count(audit.answers)}</dd>
        </div>
        <div>
          <dt>Duels that the judge answered</dt>
          <dd>{count(audit.duels)}</dd>
        </div>
        <div>
          <dt>The judge agrees in</dt>
          <dd>{agreementWords(audit)}</dd>
        </div>
        <div>
          <dt>Answers of people saved</dt>
          <dd>{count(Math.max(0, audit.worth - audit.answers))}</dd>
        </div>
      </dl>
      {audit.differing.length > 0 && <OppositeSigns audit={audit} names={names} />}
      <p class="small quiet">{audit.text}</p>
    </section>
  );
}
