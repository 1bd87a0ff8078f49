// Health checks, those that passed too.
import type { HealthCheck } from "../api/types";

const MARKS: Record<HealthCheck["verdict"], string> = { passed: "✓", failed: "✗", unknown: "–" };
const TONES: Record<HealthCheck["verdict"], string> = {
  passed: "good",
  failed: "bad",
  unknown: "quiet",
};

const nameOf = (check: HealthCheck): string =>
  check.name === "aa" ? "A/A duels" : check.name.replace(/_/g, " ");

export function HealthList({ checks }: { checks: HealthCheck[] }) {
  const failed = checks.filter((check) => check.verdict === "failed").length;
  return (
    <>
      <p class={failed > 0 ? "bad" : "small quiet"}>
        {failed > 0 ? `${failed} of ${checks.length} checks failed.` : "No check failed."}
      </p>
      <ul class="health">
        {checks.map((check) => (
          <li>
            <span class={TONES[check.verdict]} aria-hidden="true">
              {MARKS[check.verdict]}
            </span>
            <span>
              <strong>{nameOf(check)}</strong>{" "}
              <span class={`small ${TONES[check.verdict]}`}>{check.verdict}</span>
              <br />
              <span class="small quiet">{check.detail}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
