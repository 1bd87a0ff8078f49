// Points of a space in words, and what a picture of one is made of.
import type { Json, SpaceStanding } from "../api/types";

// Four digits that count.
export function shortValue(value: number): string {
  return `${+value.toPrecision(4)}`;
}

function valueOf(point: Json, name: string): number | null {
  if (point === null || typeof point !== "object" || Array.isArray(point)) return null;
  const value = point[name];
  return typeof value === "number" ? value : null;
}

// "weight 0.62, k1 1.3"
export function pointInWords(point: Json): string {
  if (point === null || typeof point !== "object" || Array.isArray(point)) return "";
  return Object.keys(point)
    .map((name) => `${name} ${shortValue(valueOf(point, name) ?? NaN)}`)
    .join(", ");
}

export interface Step {
  served: number;
  value: number;
}

// The recommended number of a dimension over the duels: it stays until the next recommendation.
export function pathOf(space: SpaceStanding, name: string, served: number): Step[] {
  const steps: Step[] = [];
  for (const step of space.path) {
    const value = valueOf(step.point, name);
    if (value !== null) steps.push({ served: step.served, value });
  }
  const last = steps[steps.length - 1];
  if (last && last.served < served) steps.push({ served, value: last.value });
  return steps;
}

// How far the candidate that stands is on its way to the threshold, 0 to 1; null where none stands.
export function shareOf(space: SpaceStanding): number | null {
  const candidate = space.candidate;
  if (!candidate?.log_threshold) return null;
  return Math.max(0, Math.min(1, (candidate.log_evidence ?? 0) / candidate.log_threshold));
}
