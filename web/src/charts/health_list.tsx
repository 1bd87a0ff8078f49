// Health checks, those that passed too.
import type { HealthCheck, HealthVerdict } from "../api/types";

const MARKS: Record<HealthVerdict, string> = { passed: "✓", failed: "✗", warning: "!", unknown: "–" };
const TONES: Record<HealthVerdict, string> = { passed: "good", failed: "bad", warning: "warn", unknown: "quiet" };

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
            <span class={TONES[check.verdict] ?? "quiet"} aria-hidden="true">{MARKS[check.verdict] ?? "–"}</span>
            <span>
              <strong>{check.name.replace(/_/g, " ")}</strong> <span class={`small ${TONES[check.verdict] ?? "quiet"}`}>{check.verdict}</span>
              <br />
              <span class="small quiet">{check.detail}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
