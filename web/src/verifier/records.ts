// The records of a log (docs/logs-and-certificates.md, "The log"), each with its fields. Everything
// that is written otherwise is refused.
import { Members, NumberText, refuse, type Value } from "./json";

type Reader<T> = (value: Value, name: string) => T;
interface Field<T> {
  read: Reader<T>;
  without: T | undefined; // undefined: the field must be there
}
type Fields = { [name: string]: Field<any> };
type Read<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

const must = <T>(read: Reader<T>): Field<T> => ({ read, without: undefined });
const may = <T>(read: Reader<T>, without: T): Field<T> => ({ read, without });

const has = (owner: object, name: string) => Object.prototype.hasOwnProperty.call(owner, name);

// --- Values ---------------------------------------------------------------------------------------

const string: Reader<string> = (value, name) =>
  typeof value === "string" ? value : refuse(`the field '${name}' is not a string`);
const flag: Reader<boolean> = (value, name) =>
  typeof value === "boolean" ? value : refuse(`the field '${name}' is not true or false`);
const count: Reader<bigint> = (value, name) =>
  value instanceof NumberText && /^\d+$/.test(value.text) && BigInt(value.text) < 2n ** 64n
    ? BigInt(value.text)
    : refuse(`the field '${name}' is not a whole number`);
const real: Reader<number> = (value, name) =>
  value instanceof NumberText && Number.isFinite(Number(value.text))
    ? Number(value.text)
    : refuse(`the field '${name}' is not a number`);
const matching =
  (pattern: RegExp, what: string): Reader<string> =>
  (value, name) => {
    const text = string(value, name);
    return pattern.test(text) ? text : refuse(`the field '${name}' is not ${what}: '${text}'`);
  };
export const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;
const id = matching(ID, "an id");
const sha256 = matching(/^[0-9a-f]{64}$/, "64 hexadecimal digits");
const word = <W extends string>(...words: W[]): Reader<W> =>
  matching(new RegExp(`^(?:${words.join("|")})$`), "a known word") as Reader<W>;

const time: Reader<string> = (value, name) => {
  const text = string(value, name);
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):([0-5]\d):[0-5]\d\.\d{3}Z$/.exec(text);
  const [year, month, day, hour] = (parts ?? []).slice(1).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  if (parts && day >= 1 && day <= days && hour < 24) return text;
  return refuse(`the field '${name}' is not a time as 2026-11-15T09:00:00.123Z`);
};

// Any JSON, of which only that it is some matters here.
const DEEPEST = 500;
function check(value: Value, name: string, depth = 0): void {
  if (value instanceof NumberText) real(value, name);
  if (value === null || typeof value !== "object" || value instanceof NumberText) return;
  if (depth === DEEPEST) refuse(`the field '${name}' is nested too deep`);
  const inner = value instanceof Members ? value.list.map((member) => member[1]) : value;
  for (const one of inner) check(one, name, depth + 1);
}
const json: Reader<void> = (value, name) => check(value, name);
// The same where it is looked at.
const raw: Reader<Value> = (value, name) => {
  check(value, name);
  return value;
};
const columns: Reader<void> = (value, name) => {
  if (!(value instanceof Members)) refuse(`the field '${name}' is not an object`);
  for (const [column, one] of value.list) check(one, column);
};

// A member for each name.
const byName =
  <T>(read: Reader<T>): Reader<[string, T][]> =>
  (value, name) =>
    value instanceof Members
      ? value.list.map(([one, inner]) => [one, read(inner, one)] as [string, T])
      : refuse(`the field '${name}' is not an object`);

const list =
  <T>(read: Reader<T>): Reader<T[]> =>
  (value, name) =>
    Array.isArray(value)
      ? value.map((one) => read(one, name))
      : refuse(`the field '${name}' is not an array`);

function readFields<F extends Fields>(fields: F, members: Members["list"]): Read<F> {
  const found: { [name: string]: unknown } = {};
  for (const [name, value] of members) {
    if (!has(fields, name)) refuse(`the field '${name}' is unknown`);
    if (has(found, name)) refuse(`the field '${name}' is given twice`);
    found[name] = fields[name]!.read(value, name);
  }
  for (const [name, field] of Object.entries(fields)) {
    if (has(found, name)) continue;
    found[name] =
      field.without === undefined ? refuse(`the field '${name}' is missing`) : field.without;
  }
  return found as Read<F>;
}
const object =
  <F extends Fields>(fields: F): Reader<Read<F>> =>
  (value, name) =>
    value instanceof Members
      ? readFields(fields, value.list)
      : refuse(`the field '${name}' is not an object`);

// --- Parts of records -----------------------------------------------------------------------------

const nothing = may(json, null as unknown as void);
const text = may(string, "");
const noCount = may(count, 0n);

const arm = {
  arm_id: must(id),
  payload: text,
  sha256: may(sha256, ""),
  content: nothing,
  features: may(list(real), []),
};
export type ArmEntry = Read<typeof arm>;

const ofTwoArms = {
  result: must(word("win", "tie", "both_bad", "skip", "invalid", "graded")),
  winner: text,
  score: may(real, null!),
};
const answer = { ...ofTwoArms, place: noCount };
export type Answer = {
  result: Read<typeof answer>["result"];
  winner: string;
  place: bigint;
  score: number | null; // of the arm shown first
};
const judgement = object({ first: must(string), ...answer, judge: may(string, "") });
export type Judgement = ReturnType<typeof judgement>;
const source = may(object({ type: text, id: text }), { type: "", id: "" });

const state = word("draft", "running", "paused", "completed", "archived");
const feedback = object({ timeout_s: noCount, on_timeout: may(word("discard", "tie"), "discard") });
const guardrails = object({
  explore_floor: may(real, 0),
  max_duels_per_subject_per_day: noCount,
  max_pending: noCount,
});
const noFeedback = { timeout_s: 1800n, on_timeout: "discard" as const };
const service = object({
  name: text,
  mode: may(word("duel", "interleave"), "duel"),
  starts: may(state, "running"),
  default_arm: text,
  on_certified: may(word("notify", "exploit", "complete", "adopt"), "notify"),
  feedback: may(feedback, noFeedback),
  guardrails: may(guardrails, guardrails(new Members(), "guardrails")),
  interleave: may(
    object({
      method: may(
        word("team_draft", "probabilistic", "team_draft_multileave", "probabilistic_multileave"),
        "team_draft",
      ),
      length: noCount,
      actions: may(columns, null!),
      per_item_cap: noCount,
    }),
    null!,
  ),
  request: text,
});
const tasks = object({
  count: must(count),
  sha256: must(sha256),
  about: must(word("tasks_like_these", "these_tasks")),
  items: nothing,
});
const panel = object({
  size: noCount,
  members: may(list(string), []),
  early: may(flag, false),
});
const space = object({
  dimensions: must(raw),
  warmup: noCount,
  prove_tasks: may(real, 0.5),
});
const voting = object({ question: text, instructions: text, shows_result: may(flag, false) });
const judgeEntry = { command: must(string), sha256: must(sha256) };
const audit = object({
  share: must(real),
  least: may(real, 0),
  price: may(object({ judge: may(real, 0), person: may(real, 0) }), { judge: 0, person: 0 }),
  give_up_after: noCount,
  key_sha256: must(sha256),
  from_seed: may(flag, false),
  auditor: may(object(judgeEntry), { command: "", sha256: "" }),
});
const noAudit: ReturnType<typeof audit> = {
  share: 0,
  least: 0,
  price: { judge: 0, person: 0 },
  give_up_after: 0n,
  key_sha256: "",
  from_seed: false,
  auditor: { command: "", sha256: "" },
};
const shown = { from: must(count), to: must(count) };

// --- Records --------------------------------------------------------------------------------------

const kinds = {
  experiment: {
    format: must(count),
    experiment_id: must(id),
    arms: must(list(object(arm))),
    space: may(space, null!),
    policy: must(string),
    goal: must(word("condorcet", "copeland", "borda", "set", "order", "ranking", "epsilon")),
    top: noCount,
    epsilon: may(real, 0),
    assume: may(word("none", "order"), "none"),
    stopping: must(
      object({
        alpha: must(real),
        min_decisive_per_pair: must(count),
        max_duels: must(count),
        arms_fixed: must(flag),
        shared_causes: may(flag, false),
      }),
    ),
    order: must(word("random", "both", "fixed")),
    aa_rate: must(real),
    comparisons_count: must(flag),
    one_look_after: noCount,
    tasks: may(tasks, { count: 0n, sha256: "", about: "tasks_like_these", items: undefined }),
    about: may(word("people_like_these", "these_people"), "people_like_these"),
    panel: may(panel, { size: 0n, members: [], early: false }),
    voting: may(voting, { question: "", instructions: "", shows_result: false }),
    slices: may(byName(list(string)), []),
    judge: may(object(judgeEntry), { command: "", sha256: "" }),
    audit: may(audit, noAudit),
    service: may(service, service(new Members(), "service")),
    seed: must(count),
  },
  serve: {
    duel_id: must(id),
    ordinal: must(count),
    round: must(count),
    first: must(string),
    second: must(string),
    // `fallback` is what formats 1 and 2 call a contest.
    serving: must(word("explore", "contest", "aa", "exploit", "fallback")),
    task: text,
    evidence: may(flag, true),
    by: may(word("policy", "floor", "exclude", "recovered"), "policy"),
    propensity: may(real, 1),
    expires_at: may(time, ""),
    subject: text,
    request: text,
    slices: may(byName(string), []),
    audit: may(real, 0),
    first_point: may(raw, null),
    second_point: may(raw, null),
    context: may(byName(list(real)), []),
  },
  outcome: {
    duel_id: must(id),
    ...answer,
    source,
    response_ms: may(count, null!),
    judgements: may(list(judgement), []),
    note: text,
    failed_tries: noCount,
    reason: text,
    cost: may(real, 0),
    tokens: noCount,
    cached: may(flag, false),
    features: nothing,
  },
  audit: { duel_id: must(id), drawn: must(flag) },
  offer: { duel_id: must(id), subject: text, expires_at: may(time, "") },
  audit_lost: { duel_id: must(id) },
  audit_key: { sha256: must(sha256) },
  expired: { duel_id: must(id), failed_tries: noCount, note: text },
  arm_added: arm,
  arm_retired: { arm_id: must(string) },
  comparison: {
    first: must(string),
    second: must(string),
    ...ofTwoArms,
    source,
    made_at: text,
    extra: may(columns, null!),
    evidence: may(flag, true),
    comparison_id: text,
  },
  certified: {
    kind: must(
      word(
        "winner",
        "no_winner",
        "copeland",
        "borda",
        "set",
        "order",
        "ranking",
        "epsilon",
        "point",
      ),
    ),
    winner: text,
    arms: may(list(object({ arm_id: must(string) })), []),
    at: must(count),
  },
  completed: { reason: must(string), audit_key: may(sha256, "") },
  tasks_added: { count: must(count), sha256: must(sha256) },
  panel_closed: { members: must(count) },
  absent: { subject: must(string) },
  candidate: {
    number: must(count),
    generation: must(count),
    point_id: must(id),
    point: must(raw),
    level: must(real),
  },
  given_up: { number: must(count), reason: must(string) },
  recommended: { point: must(raw), sureness: may(real, 0) },
  state: { state: must(state) },
  configured: { name: text, feedback: must(feedback), guardrails: must(guardrails) },
  policy_rebuilt: { reason: must(string) },
  recovered: { after: must(count) },
  interleaved: {
    duel_id: must(id),
    first: must(list(string)),
    second: must(list(string)),
    others: may(list(object({ arm_id: must(id), list: must(list(string)) })), []),
    shown: may(object(shown), null!),
  },
  paged: { duel_id: must(id), ...shown },
  event: {
    duel_id: must(id),
    event: must(string),
    action: must(string),
    object: must(string),
    place: noCount,
    credit: may(real, 0),
    late: may(flag, false),
  },
} satisfies { [kind: string]: Fields };

export type Kind = keyof typeof kinds;
export type RecordOf<K extends Kind> = Read<(typeof kinds)[K]>;
export type AnyRecord = { [K in Kind]: { record: K } & RecordOf<K> }[Kind];
export type CertificateKind = RecordOf<"certified">["kind"];

// What an answer is that was given as a score.
export const resultOfScore = (score: number) =>
  score === 0 || score === 1 ? "win" : score === 0.5 ? "tie" : "graded";

function checkAnswer({
  result,
  winner,
  place,
  score,
}: {
  result: string;
  winner: string;
  place?: bigint;
  score: number | null;
}): void {
  if (score === null ? result === "graded" : !(score >= 0 && score <= 1))
    refuse("a score that makes no sense");
  if (score !== null && resultOfScore(score) !== result)
    refuse(`a result '${result}' has the score ${score}`);
  if (place !== undefined && (place > 2n || (place !== 0n && result !== "win")))
    refuse("a place that makes no sense");
  if ((result === "win") !== (winner !== ""))
    refuse("a win has a winner, and nothing else has one");
}

// The record of a line, and the number that the line gives itself.
export function readRecord(line: Value): [sequence: bigint, record: AnyRecord] {
  if (!(line instanceof Members)) refuse("the line is not a JSON object");
  const [seq, at, record, ...rest] = line.list;
  if (seq?.[0] !== "seq" || at?.[0] !== "time" || record?.[0] !== "record") {
    refuse("a line begins with its number, its time and the kind of its record");
  }
  const sequence = count(seq[1], "seq");
  time(at[1], "time");
  const kind = string(record[1], "record");
  if (!has(kinds, kind)) refuse(`'${kind}' is not a kind of record`);
  // The hash was checked with the chain; that it is there once is all that is left to see.
  const hashed = rest.filter(([name]) => name === "hash").length;
  if (hashed !== 1) refuse(hashed === 0 ? "the line has no hash" : "the line has two hashes");
  const fields = readFields(
    kinds[kind as Kind] as Fields,
    rest.filter(([name]) => name !== "hash"),
  );
  const found = { record: kind, ...fields } as AnyRecord;
  if (found.record === "experiment" && !(found.format >= 1n && found.format <= 4n)) {
    refuse(`the log has format ${found.format}; this verifier knows 1 to 4`);
  }
  if (found.record === "outcome" || found.record === "comparison") checkAnswer(found);
  if (found.record === "outcome") found.judgements.forEach(checkAnswer);
  return [sequence, found];
}
