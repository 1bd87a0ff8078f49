// What stands between the answers and a certificate.
import type { Result } from "../api/types";
import { roughCount } from "./numbers";

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

function spanOf(days: number): string {
  const of = (amount: number, unit: string) => {
    const whole = Math.max(1, Math.ceil(amount));
    return `${roughCount(whole)} ${unit}${whole === 1 ? "" : "s"}`;
  };
  if (days >= 2) return of(days, "day");
  return days * 24 >= 2 ? of(days * 24, "hour") : of(days * 24 * 60, "minute");
}

// How long what is left takes, where that can be told.
export function sentenceOfForecast(forecast: Result["forecast"]): string | null {
  if (forecast.questions_each !== undefined) {
    const minutes = Math.max(1, Math.ceil(forecast.minutes_each ?? 0));
    const { people, questions_each } = forecast;
    const each =
      `${roughCount(questions_each)} ${questions_each === 1 ? "question" : "questions"} for each, ` +
      `which takes about ${roughCount(minutes)} ${minutes === 1 ? "minute" : "minutes"}.`;
    if (people === undefined) return each.charAt(0).toUpperCase() + each.slice(1);
    return `About ${roughCount(people)} more ${people === 1 ? "person" : "people"}, ${each}`;
  }
  if (forecast.duels === null || forecast.days === undefined) return null;
  const left = forecast.visits ?? forecast.duels;
  const what = `${forecast.visits === undefined ? "duel" : "visit"}${left === 1 ? "" : "s"}`;
  const pace = forecast.visits_per_day ?? forecast.duels_per_day;
  return (
    `About ${roughCount(left)} more ${what}: ${spanOf(forecast.days)} at the present pace` +
    (pace === undefined ? "." : ` of ${roughCount(Math.max(1, Math.round(pace)))} a day.`)
  );
}

export function WhyNotYet({
  reasons,
  forecast,
}: {
  reasons: Reason[];
  forecast: Result["forecast"];
}) {
  const shown = shownReasons(reasons);
  if (shown.length === 0) return null;
  const left = sentenceOfForecast(forecast);
  return (
    <section class="why-not-yet" aria-labelledby="h-why">
      <h3 id="h-why">Why not yet</h3>
      <ul>
        {shown.map((one) => (
          <li key={one.reason}>{sentenceOfReason(one)}</li>
        ))}
      </ul>
      {left !== null && <p class="small">{left}</p>}
    </section>
  );
}
