// Which parts of the duels an experiment may declare, and which a duel may name
// (docs/logs-and-certificates.md). The certificate of the whole does not depend on them.
import { refuse } from "./json";
import { ID } from "./records";

const MOST_SLICES = 8;
const MOST_VALUES = 64; // of all slices together
const OTHER = "other";

const isId = (text: string): boolean => ID.test(text);

function checkDistinct(all: string[], what: string): void {
  if (new Set(all).size < all.length) refuse(`${what} is there twice`);
  for (const one of all) if (!isId(one)) refuse(`'${one}' is no id of ${what}`);
}

export function checkSlices(slices: [string, string[]][], hasOtherStatement: boolean): void {
  if (slices.length === 0) return;
  if (hasOtherStatement) refuse("a panel, an audited experiment and a space have no slices");
  const values = slices.flatMap(([, some]) => some);
  if (slices.length > MOST_SLICES || values.length > MOST_VALUES)
    refuse("there are too many slices");
  checkDistinct(
    slices.map(([name]) => name),
    "a slice",
  );
  for (const [name, some] of slices) {
    if (some.length === 0) refuse(`the slice '${name}' has no values`);
    if (some.includes(OTHER)) refuse(`the value '${OTHER}' is taken`);
    checkDistinct(some, "a value of a slice");
  }
}

export function checkSliceValues(slices: [string, string[]][], values: [string, string][]): void {
  const names = values.map(([name]) => name);
  for (const name of names) {
    if (!slices.some(([one]) => one === name)) refuse(`the experiment has no slice '${name}'`);
  }
  if (new Set(names).size < names.length) refuse("a slice is named twice");
  for (const [, value] of values) if (!isId(value)) refuse(`'${value}' is no value of a slice`);
}
