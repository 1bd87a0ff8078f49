// What stands between the answers and a certificate.
import type { Result } from "../api/types";

type Reason = Result["why_not_yet"][number];

// The health checks have a list of their own on every page that shows this.
export const shownReasons = (reasons: Reason[]): Reason[] =>
  reasons.filter((one) => one.reason !== "health");

// A moment as the reader's clock shows it, in place of the server's in the sentence.
export function sentenceOfReason(reason: Reason, zone?: string): string {
  if (!reason.until) return reason.detail;
  const there = new Date(reason.until).toLocaleString(undefined, {
    dateStyle: "medium",
    timeStyle: "short",
    ...(zone ? { timeZone: zone } : {}),
  });
  return reason.detail.replace(reason.until, there);
}

export function WhyNotYet({ reasons }: { reasons: Reason[] }) {
  const shown = shownReasons(reasons);
  if (shown.length === 0) return null;
  return (
    <section class="why-not-yet" aria-labelledby="h-why">
      <h3 id="h-why">Why not yet</h3>
      <ul>
        {shown.map((one) => (
          <li key={one.reason}>{sentenceOfReason(one)}</li>
        ))}
      </ul>
    </section>
  );
}
