// What an arm is called on a page: its name, and what of its payload tells it from the others.
import type { Json, ResultArm } from "../api/types";
import { partsOf, safePicture } from "../look/payload_parts";
import { shortened, toldApart } from "./shortened";

export interface ArmName {
  name: string;
  short: string; // what tells it from the others, where there is little room
  text: string | null; // of its payload, where the name does not say it
  picture: string | null;
}

// By the id of the arm.
export type ArmNames = ReadonlyMap<string, ArmName>;

const LONGEST_NAME = 60;
const LONGEST_TEXT = 200;

const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

// "Save-20-today-2" was made of "Save 20 % today", and "arm-3" says nothing: then the text is a better
// name. An id that somebody chose stays the name.
function isMadeOf(id: string, text: string): boolean {
  if (/^arm-\d+$/.test(id)) return true;
  const made = letters(id);
  return (
    made !== "" && (letters(text).startsWith(made) || letters(text) === made.replace(/\d+$/, ""))
  );
}

function oneLine(text: string, most: number): string {
  const line = text.trim().replace(/\s+/g, " ");
  return [...line].length <= most ? line : [...line].slice(0, most - 1).join("") + "\u2026";
}

function armName(id: string, known: string, payload: Json): Omit<ArmName, "short"> {
  const { title, text, picture, link } = partsOf(payload);
  const shown = text ?? link ?? "";
  const made = title ?? (known !== id ? known : shown.trim() && isMadeOf(id, shown) ? shown : id);
  const name = oneLine(made, LONGEST_NAME);
  const rest = oneLine(shown, LONGEST_TEXT);
  return {
    name,
    text: rest && rest !== name && made !== shown ? rest : null,
    picture: picture ? safePicture(picture) : null,
  };
}

// Two arms are never called the same: those that would be have their ids as well.
export function armNames(
  arms: Pick<ResultArm, "arm_id" | "name">[],
  payloads: { arm_id: string; payload: Json }[] = [],
): ArmNames {
  const payloadOf = new Map(payloads.map((arm) => [arm.arm_id, arm.payload]));
  const named = arms.map(
    ({ arm_id, name }) => [arm_id, armName(arm_id, name, payloadOf.get(arm_id) ?? null)] as const,
  );
  const times = new Map<string, number>();
  for (const [, { name }] of named) times.set(name, (times.get(name) ?? 0) + 1);
  const apart = named.map(([id, one]) => {
    const alone = times.get(one.name) === 1 || one.name === id;
    return [id, alone ? one : { ...one, name: `${one.name} (${id})` }] as const;
  });
  const short = toldApart(apart.map(([, { name }]) => name));
  return new Map(apart.map(([id, one], at) => [id, { ...one, short: short[at] ?? one.name }]));
}

// The name of an arm in at most so many letters.
export function shortNameOf(names: ArmNames, id: string, most: number): string {
  const { name, short } = names.get(id) ?? { name: id, short: id };
  return [...name].length <= most ? name : shortened(short, most);
}

export const nameOf = (names: ArmNames, id: string): string => names.get(id)?.name ?? id;
