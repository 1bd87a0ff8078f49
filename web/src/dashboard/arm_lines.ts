// Arms from what somebody pasted: one per line, a CSV or TSV with a header, or JSON: an array of arms
// or one arm per line.
import type { Json } from "../api/types";

export interface Arm {
  arm_id: string;
  payload?: Json;
  default?: boolean;
  features?: number[];
}

export interface ParsedArms {
  arms: Arm[];
  problems: string[];
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;
const ID_COLUMNS = ["arm_id", "arm", "id"];
const PICTURE = /^https:\/\/\S+\.(png|jpe?g|gif|webp|avif|svg)(\?\S*)?$/i;
const LONGEST_ID = 40;

// "Red & blue!" -> "Red-blue"; nothing where no letter is left.
export function idOf(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^A-Za-z0-9._:-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, LONGEST_ID)
    .replace(/-+$/, "");
}

// The cells of CSV or TSV; a quoted cell may hold separators, quotes and line ends.
export function rowsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let at = 0; at < text.length; ++at) {
    const letter = text[at] as string;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') cell += text[++at] as string;
      else quoted = false;
    } else if (letter === '"' && cell === "") {
      quoted = true;
    } else if (letter === separator) {
      row.push(cell);
      cell = "";
    } else if (letter === "\n") {
      rows.push([...row, cell]);
      row = [];
      cell = "";
    } else if (letter !== "\r") {
      cell += letter;
    }
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  return rows.filter((one) => one.some((value) => value.trim() !== ""));
}

function headerOf(text: string): { separator: string; columns: string[] } | null {
  const line = text.split("\n", 1)[0] ?? "";
  for (const separator of ["\t", ",", ";"]) {
    const columns = (rowsOf(line, separator)[0] ?? []).map((name) => name.trim().toLowerCase());
    if (
      columns.some((name) => ID_COLUMNS.includes(name)) &&
      (columns.length > 1 || separator === ",")
    )
      return { separator, columns };
  }
  return null;
}

// The arms of a JSON array or of JSON Lines; null where the text is no JSON, but lines to compare.
function jsonArms(text: string): Json[] | null {
  const parsed = (one: string): Json | undefined => {
    try {
      return JSON.parse(one) as Json;
    } catch {
      return undefined;
    }
  };
  if (text.startsWith("[")) {
    const all = parsed(text);
    if (Array.isArray(all)) return all;
  }
  if (!text.startsWith("{")) return null;
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  const all = lines.map(parsed);
  return all.every((one): one is Json => one !== undefined) && all.some(isArm) ? all : null;
}

function isArm(one: Json): one is { arm_id: string; payload?: Json; default?: boolean } {
  return typeof one === "object" && one !== null && "arm_id" in one;
}

function armsOfJson(all: Json[]): ParsedArms {
  const arms: Arm[] = [];
  const problems: string[] = [];
  all.forEach((one, index) => {
    const id = isArm(one) ? one.arm_id : null;
    if (typeof id !== "string" || !ID.test(id))
      problems.push(`Arm ${index + 1}: it needs an "arm_id" of letters, digits and . _ : - only.`);
    else if (arms.some((arm) => arm.arm_id === id))
      problems.push(`Arm ${index + 1}: the id "${id}" stands here twice.`);
    else {
      const { payload, default: is, features } = one as Partial<Arm>;
      const arm: Arm = { arm_id: id };
      if (payload !== undefined && payload !== null) arm.payload = payload;
      if (is === true) arm.default = true;
      if (Array.isArray(features) && features.every((one) => typeof one === "number"))
        arm.features = features;
      arms.push(arm);
    }
  });
  return { arms, problems };
}

export function parseArms(pasted: string): ParsedArms {
  const json = jsonArms(pasted.replace(/^\ufeff/, "").trim());
  const parsed = json ? armsOfJson(json) : parseLines(pasted);
  if (parsed.arms.length === 1) parsed.problems.push("One arm has nothing to be compared with.");
  return parsed;
}

function parseLines(pasted: string): ParsedArms {
  const text = pasted.replace(/^\ufeff/, "").trim();
  const arms: Arm[] = [];
  const problems: string[] = [];
  const taken = new Set<string>();
  const add = (wanted: string, payload: Json | undefined) => {
    let id = wanted || `arm-${arms.length + 1}`;
    for (let copy = 2; taken.has(id); ++copy) id = `${wanted || `arm-${arms.length + 1}`}-${copy}`;
    taken.add(id);
    arms.push(payload === undefined ? { arm_id: id } : { arm_id: id, payload });
  };
  const header = text ? headerOf(text) : null;
  if (header) {
    const at = header.columns.findIndex((name) => ID_COLUMNS.includes(name));
    rowsOf(text, header.separator)
      .slice(1)
      .forEach((row, index) => {
        const id = (row[at] ?? "").trim();
        if (!ID.test(id))
          problems.push(
            `Row ${index + 2}: "${id}" is not an id (letters, digits and . _ : - only).`,
          );
        else if (taken.has(id))
          problems.push(`Row ${index + 2}: the id "${id}" stands here twice.`);
        else {
          const payload: { [name: string]: Json } = {};
          header.columns.forEach((name, column) => {
            const value = row[column];
            if (column !== at && name && value) payload[name] = value;
          });
          add(id, Object.keys(payload).length > 0 ? payload : undefined);
        }
      });
  } else {
    for (const line of text
      .split(/\r?\n/)
      .map((one) => one.trim())
      .filter(Boolean)) {
      if (PICTURE.test(line)) {
        const file = line
          .replace(/\?.*$/, "")
          .replace(/^.*\//, "")
          .replace(/\.[^.]*$/, "");
        add(idOf(file), { image: line });
      } else {
        add(idOf(line), { text: line });
      }
    }
  }
  return { arms, problems };
}
