// Votes of a CSV as an experiment: which column says what is guessed and can be changed, and what was
// read becomes a log of comparisons, as `duel import` makes it.
import { sha256 } from "../verifier/sha256";
import { idOf, rowsOf } from "./arm_lines";

export type Role = "first" | "second" | "winner" | "voter" | "time";
export type Roles = Record<Role, number>; // the column; -1: none
export type Meaning = "first" | "second" | "tie" | "both_bad" | "skip" | "";

export interface Table {
  columns: string[];
  rows: string[][];
}

const NAMES: Record<Role, string[]> = {
  first: ["model_a", "first", "arm_a", "left", "option_a", "item_a", "a", "arm_1", "model_1"],
  second: ["model_b", "second", "arm_b", "right", "option_b", "item_b", "b", "arm_2", "model_2"],
  winner: ["winner", "result", "outcome", "vote", "preference", "preferred", "choice", "label"],
  voter: ["judge", "voter", "rater", "annotator", "user", "user_id", "subject", "worker"],
  time: ["tstamp", "timestamp", "time", "date", "created_at", "made_at", "voted_at"],
};
export const ROLES: { role: Role; label: string; needed: boolean }[] = [
  { role: "first", label: "First of the two", needed: true },
  { role: "second", label: "Second of the two", needed: true },
  { role: "winner", label: "Which was better", needed: true },
  { role: "voter", label: "Who said so", needed: false },
  { role: "time", label: "When", needed: false },
];

const MEANINGS: [Exclude<Meaning, "">, string[]][] = [
  ["first", ["model_a", "first", "a", "left", "1", "arm_a", "option_a", "model_1"]],
  ["second", ["model_b", "second", "b", "right", "2", "arm_b", "option_b", "model_2"]],
  ["tie", ["tie", "draw", "equal", "same", "both", "0", "0.5", "both_good"]],
  ["both_bad", ["tie (bothbad)", "bothbad", "both_bad", "both bad", "neither", "none"]],
  ["skip", ["", "skip", "skipped", "na", "n/a", "unknown", "null"]],
];

// Null where the text is no table of two columns and a row at least.
export function tableOf(text: string): Table | null {
  const line = text.split("\n", 1)[0] ?? "";
  const counted = ["\t", ",", ";"].map((separator) => rowsOf(line, separator)[0]?.length ?? 0);
  const most = Math.max(...counted);
  if (most < 2) return null;
  const [columns, ...rows] = rowsOf(
    text.replace(/^\ufeff/, ""),
    ["\t", ",", ";"][counted.indexOf(most)] as string,
  );
  if (!columns || rows.length === 0) return null;
  return { columns: columns.map((name) => name.trim()), rows };
}

export function rolesOf(table: Table): Roles {
  const columns = table.columns.map((name) => name.toLowerCase());
  const taken = new Set<number>();
  const roles: Roles = { first: -1, second: -1, winner: -1, voter: -1, time: -1 };
  for (const { role } of ROLES) {
    for (const name of NAMES[role]) {
      const at = columns.indexOf(name);
      if (at < 0 || taken.has(at)) continue;
      roles[role] = at;
      taken.add(at);
      break;
    }
  }
  return roles;
}

const cell = (row: string[], column: number) => (column < 0 ? "" : (row[column] ?? "").trim());

// What each value of the winner's column means; the name of an arm means that arm, and is not listed.
export function meaningsOf(table: Table, roles: Roles): Map<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  for (const row of table.rows) {
    const said = cell(row, roles.winner);
    if (said !== "" && (said === cell(row, roles.first) || said === cell(row, roles.second)))
      continue;
    if (meanings.has(said)) continue;
    meanings.set(said, MEANINGS.find(([, words]) => words.includes(said.toLowerCase()))?.[0] ?? "");
  }
  return meanings;
}

export interface Vote {
  first: string;
  second: string;
  result: "win" | "tie" | "both_bad" | "skip";
  winner?: string;
  voter: string;
  time: string;
}

export interface ReadVotes {
  votes: Vote[];
  arms: { name: string; id: string }[];
  problems: { line: number; what: string }[]; // of the file; rows that are left out make the import impossible
  inOrder: boolean; // every row has a time, and no two of a pair have the same
}

export function votesOf(table: Table, roles: Roles, meanings: Map<string, Meaning>): ReadVotes {
  const arms = new Map<string, string>();
  const ids = new Set<string>();
  const armOf = (name: string): string => {
    const known = arms.get(name);
    if (known !== undefined) return known;
    const base = idOf(name) || "arm";
    let id = base;
    for (let k = 2; ids.has(id); ++k) id = `${base}-${k}`;
    ids.add(id);
    arms.set(name, id);
    return id;
  };
  const votes: Vote[] = [];
  const problems: ReadVotes["problems"] = [];
  table.rows.forEach((row, k) => {
    const [one, other, said] = [
      cell(row, roles.first),
      cell(row, roles.second),
      cell(row, roles.winner),
    ];
    const line = k + 2;
    if (one === "" || other === "") return problems.push({ line, what: "an arm is missing" });
    if (one === other) return problems.push({ line, what: `'${one}' is compared with itself` });
    const first = armOf(one),
      second = armOf(other);
    const meaning = said === one ? "first" : said === other ? "second" : meanings.get(said);
    if (!meaning) return problems.push({ line, what: `'${said}' says nothing` });
    const vote: Vote = {
      first,
      second,
      result: meaning === "first" || meaning === "second" ? "win" : meaning,
      voter: cell(row, roles.voter),
      time: cell(row, roles.time),
    };
    if (vote.result === "win") vote.winner = meaning === "first" ? first : second;
    votes.push(vote);
  });
  const ordered = inOrderOfTime(votes);
  return {
    votes: ordered ?? votes,
    arms: [...arms].map(([name, id]) => ({ name, id })),
    problems,
    inOrder: ordered !== null,
  };
}

// Seconds since 1970, or of a clock of its own; null for what is no time.
function secondsOf(text: string): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text))
    return null;
  const time = Date.parse(text.replace(" ", "T"));
  return Number.isNaN(time) ? null : time / 1000;
}

function inOrderOfTime(votes: Vote[]): Vote[] | null {
  const dated = votes.map((vote) => ({ vote, at: secondsOf(vote.time) }));
  const isNumber = /^\d+(\.\d+)?$/.test(votes[0]?.time ?? "");
  if (dated.some(({ at, vote }) => at === null || /^\d+(\.\d+)?$/.test(vote.time) !== isNumber))
    return null;
  const sorted = dated.sort((a, b) => (a.at as number) - (b.at as number));
  const last = new Map<string, number>();
  for (const { vote, at } of sorted) {
    const pair =
      vote.first < vote.second ? `${vote.first} ${vote.second}` : `${vote.second} ${vote.first}`;
    if (last.get(pair) === at) return null;
    last.set(pair, at as number);
  }
  return sorted.map(({ vote }) => vote);
}

// The log of an experiment that holds these votes. The order of votes without times is unknown, so
// that a certificate rests on one look at all of them.
export function logOf(
  { votes, arms, inOrder }: ReadVotes,
  about: { id: string; name: string; alpha: number },
  now: Date,
): string {
  let head = "0".repeat(64);
  const time = now.toISOString();
  const lines: string[] = [];
  const encoder = new TextEncoder();
  const add = (record: object) => {
    const body = JSON.stringify({ seq: lines.length + 1, time, ...record }).slice(0, -1);
    head = sha256(encoder.encode(head + body));
    lines.push(`${body},"hash":"${head}"}\n`);
  };
  add({
    record: "experiment",
    format: 4,
    experiment_id: about.id,
    arms: arms.map(({ name, id }) => ({ arm_id: id, ...(name === id ? {} : { payload: name }) })),
    policy: "auto",
    goal: "condorcet",
    stopping: {
      alpha: about.alpha,
      min_decisive_per_pair: 0,
      max_duels: 0,
      arms_fixed: true,
      shared_causes: true,
    },
    order: "random",
    aa_rate: 0,
    comparisons_count: true,
    ...(inOrder ? {} : { one_look_after: votes.length }),
    ...(about.name ? { service: { name: about.name } } : {}),
    seed: 0,
  });
  for (const { first, second, result, winner, voter, time: made } of votes) {
    add({
      record: "comparison",
      first,
      second,
      result,
      ...(winner === undefined ? {} : { winner }),
      ...(voter ? { source: { id: voter } } : {}),
      ...(made ? { made_at: made } : {}),
    });
  }
  return lines.join("");
}

// What a log says of itself in its first line; null where the text is no log.
export interface LogHead {
  id: string;
  name: string;
  arms: number;
  goal: string;
  records: number;
}

export function logHeadOf(text: string): LogHead | null {
  const end = text.indexOf("\n");
  if (end < 0) return null;
  try {
    const first = JSON.parse(text.slice(0, end)) as Record<string, unknown>;
    if (first["record"] !== "experiment" || typeof first["experiment_id"] !== "string") return null;
    let records = 0;
    for (let at = 0; (at = text.indexOf("\n", at)) >= 0; ++at) ++records;
    const service = first["service"] as { name?: string } | undefined;
    return {
      id: first["experiment_id"],
      name: service?.name ?? "",
      arms: Array.isArray(first["arms"]) ? first["arms"].length : 0,
      goal: String(first["goal"] ?? ""),
      records,
    };
  } catch {
    return null;
  }
}
