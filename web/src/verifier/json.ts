// JSON as RFC 8259 has it, with what JSON.parse forgets: how a number was written (whole ones may go
// beyond 2^53) and a member that is given twice.
import { numberText } from "./numbers";

export class NumberText {
  constructor(readonly text: string) {}
}
export class Members {
  readonly list: [name: string, value: Value][] = [];
}
export type Value = null | boolean | string | NumberText | Members | Value[];

// Why something was not taken. What is thrown as anything else is a mistake of this program.
export class Refused extends Error {}
export function refuse(why: string): never {
  throw new Refused(why);
}

const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\0-\x1f]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;
const DEEPEST = 1000;

class Parser {
  private at = 0;
  private token = "";
  constructor(private readonly text: string) {}

  whole(): Value {
    const value = this.value(this.next(), 0);
    if (/[^ \t\n\r]/.test(this.text.slice(this.at))) refuse("something follows the JSON");
    return value;
  }
  private next(): string {
    TOKEN.lastIndex = this.at;
    const found = TOKEN.exec(this.text);
    if (!found) refuse(`not JSON: column ${this.at + 1}`);
    this.at = TOKEN.lastIndex;
    return (this.token = found[1] ?? found[2] ?? found[3] ?? found[4]!);
  }
  private value(token: string, depth: number): Value {
    if (depth > DEEPEST) refuse("the JSON is nested too deep");
    if (token === "{") return this.members(depth);
    if (token === "[") return this.items(depth);
    if (token[0] === '"') return string(token);
    if (token === "null") return null;
    if (token === "true" || token === "false") return token === "true";
    if ("-0123456789".includes(token[0]!)) return new NumberText(token);
    return refuse(`not JSON: '${token}' is no value`);
  }
  private members(depth: number): Members {
    const members = new Members();
    if (this.next() === "}") return members;
    for (;;) {
      if (this.token[0] !== '"') refuse("not JSON: a member has no name");
      const name = string(this.token);
      if (this.next() !== ":") refuse("not JSON: a member has no value");
      members.list.push([name, this.value(this.next(), depth + 1)]);
      if (this.next() === "}") return members;
      if (this.token !== ",") refuse("not JSON: a comma is missing");
      this.next();
    }
  }
  private items(depth: number): Value[] {
    const items: Value[] = [];
    if (this.next() === "]") return items;
    for (;;) {
      items.push(this.value(this.token, depth + 1));
      if (this.next() === "]") return items;
      if (this.token !== ",") refuse("not JSON: a comma is missing");
      this.next();
    }
  }
}

function string(token: string): string {
  const text = JSON.parse(token) as string;
  if (token.includes("\\u") && /\p{Surrogate}/u.test(text)) refuse("half of a character in a text");
  return text;
}

export const parseJson = (text: string): Value => new Parser(text).whole();

// --- Writing --------------------------------------------------------------------------------------

// What a certificate is made of: bigint for counts, number for what has a fraction. Members that are
// undefined are left out.
export type Written =
  | boolean
  | string
  | bigint
  | number
  | Written[]
  | { [name: string]: Written | undefined };

const SHORT: { [c: string]: string } = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
const quoted = (text: string) =>
  `"${text.replace(/["\\\0-\x1f\x7f]/g, (c) => SHORT[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;

// A number with a fraction shows that it is one.
export function realText(x: number): string {
  const text = numberText(x);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

export function written(value: Written, indent = "\n"): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return realText(value);
  if (typeof value !== "object") return String(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => written(item, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${quoted(name)}: ${written(member!, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return parts.length === 0
    ? `${open}${close}`
    : open + inner + parts.join(`,${inner}`) + indent + close;
}
