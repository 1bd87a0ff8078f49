// Health checks. What failed stands out, here and beside the verdict; the others are folded away.
import type { HealthCheck } from "../api/types";
import { count } from "./numbers";

const MARKS: Record<HealthCheck["verdict"], string> = { passed: "✓", failed: "✗", unknown: "–" };
const TONES: Record<HealthCheck["verdict"], string> = {
  passed: "good",
  failed: "bad",
  unknown: "quiet",
};

const shownName = (name: string): string => (name === "aa" ? "A/A duels" : name.replace(/_/g, " "));

const withVerdict = (checks: HealthCheck[], verdict: HealthCheck["verdict"]): HealthCheck[] =>
  checks.filter((check) => check.verdict === verdict);

// "Health check failed: ties, A/A duels"; nothing where none failed.
export function failedNames(names: string[]): string | null {
  if (names.length === 0) return null;
  return `Health check${names.length === 1 ? "" : "s"} failed: ${names.map(shownName).join(", ")}`;
}

export const failedChecks = (checks: HealthCheck[]): string | null =>
  failedNames(withVerdict(checks, "failed").map((check) => check.name));

// The same as a line of a verdict; with `where`, a link to the list of checks.
export function FailedChecks({ checks, where }: { checks: HealthCheck[]; where?: string }) {
  const failed = failedChecks(checks);
  if (failed === null) return null;
  return <p class="bad failed-checks">✗ {where ? <a href={where}>{failed}</a> : failed}</p>;
}

export const foldedChecks = (passed: number, unknown: number): string =>
  [passed > 0 && `${count(passed)} passed`, unknown > 0 && `${count(unknown)} cannot tell`]
    .filter(Boolean)
    .join(", ");

function Checks({ checks }: { checks: HealthCheck[] }) {
  return (
    <ul class="health">
      {checks.map((check) => (
        <li>
          <span class={TONES[check.verdict]} aria-hidden="true">
            {MARKS[check.verdict]}
          </span>
          <span>
            <strong>{shownName(check.name)}</strong>{" "}
            <span class={`small ${TONES[check.verdict]}`}>
              {check.verdict === "unknown" ? "cannot tell" : check.verdict}
            </span>
            <br />
            <span class="small quiet">{check.detail}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

export function HealthList({ checks }: { checks: HealthCheck[] }) {
  const failed = withVerdict(checks, "failed");
  const passed = withVerdict(checks, "passed");
  const unknown = withVerdict(checks, "unknown");
  return (
    <>
      {failed.length > 0 ? (
        <>
          <p class="bad">
            {failed.length} of {checks.length} checks failed.
          </p>
          <Checks checks={failed} />
        </>
      ) : (
        <p class="small quiet">No check failed.</p>
      )}
      {passed.length + unknown.length > 0 && (
        <details>
          <summary>{foldedChecks(passed.length, unknown.length)}</summary>
          <Checks checks={[...passed, ...unknown]} />
        </details>
      )}
    </>
  );
}
