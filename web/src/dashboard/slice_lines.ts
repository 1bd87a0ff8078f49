// Parts of the duels that get verdicts of their own, as lines of text: "language: de, en". What a name may
// be is for the server to say.

export interface ParsedSlices {
  slices: Record<string, string[]>;
  problem: string; // "" where there is none
}

export function parseSlices(text: string): ParsedSlices {
  const slices = new Map<string, string[]>();
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "") continue;
    const at = line.indexOf(":");
    const name = line.slice(0, Math.max(0, at)).trim();
    const values = line
      .slice(at + 1)
      .split(",")
      .map((value) => value.trim())
      .filter((value) => value !== "");
    if (name === "" || values.length === 0)
      return {
        slices: {},
        problem: `"${line.trim()}" is not a name and its values: "name: a, b".`,
      };
    if (slices.has(name)) return { slices: {}, problem: `${name} is there twice.` };
    slices.set(name, values);
  }
  return { slices: Object.fromEntries(slices), problem: "" };
}

export const sliceLines = (slices: Record<string, string[]>): string =>
  Object.entries(slices)
    .map(([name, values]) => `${name}: ${values.join(", ")}`)
    .join("\n");
