// Points of a space in words, and what a picture of one is made of.
import type { Dimension, Json, PlanePoint, SpaceStanding } from "../api/types";

// Four digits that count.
export function shortValue(value: number): string {
  return `${+value.toPrecision(4)}`;
}

function valueOf(point: Json, name: string): number | null {
  if (point === null || typeof point !== "object" || Array.isArray(point)) return null;
  const value = point[name];
  return typeof value === "number" ? value : null;
}

export function spaceInWords({ dimensions }: SpaceStanding): string {
  return dimensions.length === 1
    ? "a space of one number"
    : `a space of ${dimensions.length} numbers`;
}

// "weight 0.62, k1 1.3"
export function pointInWords(point: Json): string {
  if (point === null || typeof point !== "object" || Array.isArray(point)) return "";
  return Object.keys(point)
    .map((name) => `${name} ${shortValue(valueOf(point, name) ?? NaN)}`)
    .join(", ");
}

// Where a logarithmic axis has its numbers: 1, 2 and 5 of each power of ten, powers of ten alone where
// that would be too many, and the ends where there would be none between them.
export function logTicks(low: number, high: number): number[] {
  const MOST = 7;
  const among = (digits: number[]) => {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power)
      for (const digit of digits) {
        const tick = Number(`${digit}e${power}`);
        if (tick >= low && tick <= high) ticks.push(tick);
      }
    return ticks;
  };
  const fine = among([1, 2, 5]);
  const ticks = fine.length <= MOST ? fine : among([1]);
  return ticks.length >= 2 ? ticks : [low, high];
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

// What the newest proof has shown, null where nothing is proved yet. A point that was adopted is the one
// in use since, and there is nothing left that it beats.
export function proofInWords({ tried, in_use, in_use_point }: SpaceStanding): string | null {
  const proved = tried.filter((one) => one.state === "certified").pop();
  if (!proved) return null;
  const point = `${proved.point_id} (${pointInWords(proved.point)})`;
  return proved.point_id === in_use
    ? `${point} is certified to beat the point that was in use before, and is in use since.`
    : `${point} is certified to beat the point in use (${pointInWords(in_use_point)}).`;
}

export interface PlaneCell {
  left: number;
  right: number;
  bottom: number;
  top: number;
  beatsInUse: number;
}

// Each number and where its cell ends, halfway to its neighbours on the scale of the dimension.
function cellEnds(
  values: number[],
  { low, high, scale }: Dimension,
): Map<number, [number, number]> {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  const between = (a: number, b: number) => (scale === "log" ? Math.sqrt(a * b) : (a + b) / 2);
  return new Map(
    sorted.map((value, k) => [
      value,
      [
        k === 0 ? low : between(sorted[k - 1] as number, value),
        k === sorted.length - 1 ? high : between(value, sorted[k + 1] as number),
      ],
    ]),
  );
}

// The plane of a space of two dimensions as cells that fill it.
export function planeCells(plane: PlanePoint[], [across, up]: [Dimension, Dimension]): PlaneCell[] {
  const columns = cellEnds(
    plane.map((point) => point.first),
    across,
  );
  const rows = cellEnds(
    plane.map((point) => point.second),
    up,
  );
  return plane.map(({ first, second, beats_in_use }) => {
    const [left, right] = columns.get(first) as [number, number];
    const [bottom, top] = rows.get(second) as [number, number];
    return { left, right, bottom, top, beatsInUse: beats_in_use };
  });
}
