// The rows of the form that describe a space, and the `space` of a request that is made of them. What
// a dimension may be is for the server to say.
import type { Json } from "../api/types";

export interface DimensionRow {
  name: string;
  low: string;
  high: string;
  inUse: string;
  step: string; // empty: every number in the range
  isLogarithmic: boolean;
}

export const EMPTY_ROW: DimensionRow = {
  name: "",
  low: "0",
  high: "1",
  inUse: "",
  step: "",
  isLogarithmic: false,
};

// Why a name cannot be sent, "" where it can. Of two of the same name a space would hold only one.
export function faultOfName(rows: DimensionRow[], at: number): string {
  const name = rows[at]?.name.trim();
  if (!name) return "A number needs a name.";
  return rows.some((row, k) => k < at && row.name.trim() === name)
    ? `There is a number called ${name} already.`
    : "";
}

export function spaceOf(rows: DimensionRow[]): { [name: string]: Json } {
  return Object.fromEntries(
    rows.map(({ name, low, high, inUse, step, isLogarithmic }) => [
      name.trim(),
      {
        low: Number(low),
        high: Number(high),
        default: Number(inUse),
        ...(isLogarithmic ? { scale: "log" } : {}),
        ...(step.trim() ? { step: Number(step) } : {}),
      },
    ]),
  );
}

// The rows of a space as the server describes it; none where there is no space.
export function dimensionRowsOf(space: Json | undefined): DimensionRow[] {
  const text = (value: Json | undefined) => (typeof value === "number" ? String(value) : "");
  return Object.entries((space ?? {}) as { [name: string]: { [member: string]: Json } }).map(
    ([name, dimension]) => ({
      name,
      low: text(dimension.low),
      high: text(dimension.high),
      inUse: text(dimension.default),
      step: text(dimension.step),
      isLogarithmic: dimension.scale === "log",
    }),
  );
}
