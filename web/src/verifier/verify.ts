// Checks a log and a certificate that is said to come from it, as `duel verify` does, and shares no
// code with it: it was written from the documents. It needs nothing but the two texts, so that it
// runs in a browser and in node.
import { certificateOf } from "./certificate";
import { Draws } from "./draws";
import { checkHealth, type Check } from "./health";
import { Members, NumberText, parseJson, realText, refuse, Refused, type Value } from "./json";
import { Ledger } from "./ledger";
import { readRecord, type AnyRecord } from "./records";
import { sha256 } from "./sha256";

export interface Verdict {
  mismatch?: string; // what does not fit, and where
  records: number;
  head: string; // the hash of the last record
  cutBytes: number; // of a last line without an end, which does not count
  certificate?: { text: string; textOfFormat1: string; statement: string; sequence: number };
  health: Check[]; // when the certificate was given, or at the end
  draws?: { checked: number; unchecked: number }; // of the duels that people audit, where they do
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// Latin-1: a character for each byte, whatever the bytes are.
const bytesOf = (bytes: Uint8Array) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
};
const ascii = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

function textOf(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return refuse(`${what} is not UTF-8`);
  }
}

// The lines that have an end, and the bytes after the last of them.
function linesOf(log: Uint8Array): [lines: Uint8Array[], rest: number] {
  const lines: Uint8Array[] = [];
  let begin = 0;
  for (let end; (end = log.indexOf(10, begin)) >= 0; begin = end + 1)
    lines.push(log.subarray(begin, end));
  return [lines, log.length - begin];
}

// --- The chain ------------------------------------------------------------------------------------

const CLOSING = 75; // of `,"hash":"<64 digits>"}`

// The hash of a line, which must be the one that it ends with.
function followed(line: Uint8Array, head: string): string {
  const closing = /^,"hash":"([^]{64})"}$/.exec(bytesOf(line.subarray(-CLOSING)));
  if (line.length <= CLOSING || !closing) refuse("the line does not end with its hash");
  const body = line.subarray(0, line.length - CLOSING);
  const chained = new Uint8Array(64 + body.length);
  chained.set(ascii(head));
  chained.set(body, 64);
  const hash = sha256(chained);
  return hash === closing[1]
    ? hash
    : refuse("the hash does not fit the line: it was changed, or a line before it is missing");
}

const recordOf = (line: Uint8Array) =>
  readRecord(parseJson(textOf(line, "the line").replace(/^\ufeff/, "")));

// After a loss of power no duel between the two records is evidence.
function gapsOf(lines: Uint8Array[]): [after: bigint, recovered: number][] {
  const gaps: [bigint, number][] = [];
  if (!lines[0] || !bytesOf(lines[0]).includes('"service":')) return gaps;
  lines.forEach((line, k) => {
    if (k === 0 || !bytesOf(line.subarray(0, 100)).includes('"record":"recovered"')) return;
    try {
      const [, record] = recordOf(line);
      if (record.record === "recovered") gaps.push([record.after, k + 1]);
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // the line is refused when its turn comes
    }
  });
  return gaps;
}

// --- The log --------------------------------------------------------------------------------------

function check(log: Uint8Array, verdict: Verdict): void {
  const [lines, rest] = linesOf(log);
  verdict.cutBytes = rest;
  const gaps = gapsOf(lines);
  let ledger: Ledger | undefined;
  let draws: Draws | undefined;
  lines.forEach((line, k) => {
    try {
      verdict.head = followed(line, verdict.head);
      const [sequence, record] = recordOf(line);
      if (sequence !== BigInt(k + 1)) refuse(`this is record ${sequence}`);
      if ((record.record === "experiment") !== (k === 0))
        refuse("a log begins with the record 'experiment', and only that is one");
      if (
        record.record === "serve" &&
        gaps.some(([after, recovered]) => after < k + 1 && k + 1 < recovered)
      ) {
        Object.assign(record, { evidence: false, isAroundLoss: true });
      }
      ledger = applied(ledger, record, verdict);
      if (record.record === "experiment" && ledger.isAudited) draws = new Draws(record);
      draws?.note(record);
    } catch (error) {
      if (error instanceof Refused) error.message = `line ${k + 1} of the log: ${error.message}`;
      throw error;
    }
    verdict.records = k + 1;
  });
  if (!ledger) refuse("the log holds no experiment");
  draws?.toss();
  if (draws) verdict.draws = { checked: draws.checked, unchecked: draws.unchecked };
  if (!verdict.certificate) verdict.health = checkHealth(ledger);
}

function applied(ledger: Ledger | undefined, record: AnyRecord, verdict: Verdict): Ledger {
  if (!ledger) return new Ledger(record as AnyRecord & { record: "experiment" });
  ledger.apply(record, verdict.head);
  if (ledger.given?.sequence === ledger.sequence) {
    verdict.certificate = { ...certificateOf(ledger), sequence: ledger.sequence };
    verdict.health = checkHealth(ledger);
  }
  return ledger;
}

// --- The certificate ------------------------------------------------------------------------------

// A number in the fewest digits that say the same: early versions wrote one too many now and then.
function fewestDigits(text: string): string {
  let number: Value;
  try {
    number = parseJson(text);
  } catch {
    return text;
  }
  if (!(number instanceof NumberText)) return text;
  const isWhole = /^-?\d+$/.test(text) && BigInt(text) >= -(2n ** 63n) && BigInt(text) < 2n ** 64n;
  if (!isWhole && !Number.isFinite(Number(text))) return text;
  const fewest = isWhole ? String(BigInt(text)) : realText(Number(text));
  return fewest.length < text.length ? fewest : text;
}

// Where two documents differ first, by the path of the field.
function difference(
  given: Value | undefined,
  expected: Value | undefined,
  path: string,
): string | undefined {
  const shown = (value: Value | undefined): string => {
    if (value === undefined) return "nothing";
    if (value instanceof NumberText) return value.text;
    return value instanceof Members ? "an object" : JSON.stringify(value);
  };
  const names = (value: Value | undefined): Map<string, Value> | undefined =>
    value instanceof Members
      ? new Map(value.list)
      : Array.isArray(value)
        ? new Map(value.map((one, k) => [String(k), one]))
        : undefined;
  const one = names(given),
    other = names(expected);
  if (one && other && Array.isArray(given) === Array.isArray(expected)) {
    for (const name of new Set([...other.keys(), ...one.keys()])) {
      const inner = difference(
        one.get(name),
        other.get(name),
        path === "" ? name : `${path}/${name}`,
      );
      if (inner) return inner;
    }
    return undefined;
  }
  if (!one && !other && shown(given) === shown(expected)) return undefined;
  return `${path || "the document"}: the certificate says ${shown(given)}, the log says ${shown(expected)}`;
}

function compare(given: Uint8Array, expected: string): void {
  const text = textOf(given, "the certificate");
  if (text === expected) return;
  const shorter = text.replace(/"[^"\\]*(?:\\[^][^"\\]*)*"|[-+.0-9Ee]+/g, (part) =>
    part[0] === '"' ? part : fewestDigits(part),
  );
  if (shorter === expected) return;
  let document: Value;
  try {
    document = parseJson(text);
  } catch {
    return refuse("the certificate is not a JSON document");
  }
  refuse(
    difference(document, parseJson(expected), "") ??
      "the certificate has the same fields, written differently",
  );
}

// A certificate is held against the one of its own format: early ones say less.
function isOfFormat1(given: Uint8Array): boolean {
  try {
    const document = parseJson(textOf(given, "the certificate"));
    if (!(document instanceof Members)) return false;
    const format = new Map(document.list).get("format");
    return format instanceof NumberText && Number(format.text) === 1;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

// `certificate`: its bytes, or nothing to check the log alone.
export function verify(log: Uint8Array, certificate?: Uint8Array): Verdict {
  const verdict: Verdict = { records: 0, head: "0".repeat(64), cutBytes: 0, health: [] };
  try {
    check(log, verdict);
    if (certificate && !verdict.certificate) refuse("the log certifies nothing");
    if (certificate) {
      const { text, textOfFormat1 } = verdict.certificate!;
      compare(certificate, isOfFormat1(certificate) ? textOfFormat1 : text);
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    verdict.mismatch = error.message;
  }
  return verdict;
}
