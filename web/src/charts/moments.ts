// A series of moments that grows with each result, and stays short.
import type { Result, TimelinePoint, Timeline } from "../api/types";
import { decisiveOf } from "./matrix";

export const MOST_MOMENTS = 400;

// How often each arm was shown, by the pairs of a result.
export function shownCounts(result: Pick<Result, "pairs">, arms: string[]): number[] {
  const shown = new Map(arms.map((arm) => [arm, 0]));
  for (const pair of result.pairs) {
    for (const arm of [pair.first, pair.second])
      shown.set(arm, (shown.get(arm) ?? 0) + pair.counts.served);
  }
  return arms.map((arm) => shown.get(arm) ?? 0);
}

export function momentOf(result: Result, arms: string[], time: string): TimelinePoint {
  const rivals = result.arms.filter((arm) => typeof arm.log_evidence === "number");
  const moment: TimelinePoint = {
    sequence: result.sequence,
    time,
    served: result.served,
    decisive: decisiveOf(result.duels),
    leader: result.leader,
    shown: shownCounts(result, arms),
  };
  if (rivals.length > 0) {
    moment.log_evidence = Math.min(...rivals.map((arm) => arm.log_evidence as number));
    const threshold = rivals[0]?.log_threshold;
    if (threshold !== undefined) moment.log_threshold = threshold;
  }
  return moment;
}

// With the newest moment at the end; every second one goes when there are too many.
export function extended(timeline: Timeline, moment: TimelinePoint, most = MOST_MOMENTS): Timeline {
  const last = timeline.points[timeline.points.length - 1];
  if (last && moment.sequence <= last.sequence) return timeline;
  let points = [...timeline.points, moment];
  if (points.length > most) {
    points = points.filter((_, index) => index % 2 === 0 || index === points.length - 1);
  }
  return { ...timeline, points };
}
