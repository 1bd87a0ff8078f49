// What if answers were wrong: how few of them would take the lead, or the certificate, at what level
// it would hold if a share of them were wrong, and whether it hangs on one voter
// (docs/certificates.md).
import { addUnit, evidenceAgainst, GAPS, type Finding, type Place } from "./evidence";
import type { Written } from "./json";
import type { Ledger } from "./ledger";
import { exponential, naturalLog, numberText } from "./numbers";

type How = "missing" | "flipped";
type Evidence = ReturnType<typeof evidenceAgainst>;

// 1 a win of the arm in question, -1 a loss, 0 neither, or how much; in the order of serving.
const unitsOf = (places: Place[], winner: number) =>
  places.map(({ first, result, y }) => {
    if (y !== undefined) return first === winner ? y : -y;
    return result === "neither" ? 0 : (result === "first") === (first === winner) ? 1 : -1;
  });
const isWhole = (unit: number) => unit === 1 || unit === -1 || unit === 0;
const NO_LEAD = 1e-9; // by which sums of decimals may miss 0

// ln of the largest E so far, or of the last one, with the first `wrong` wins gone or lost.
function evidenceIfWrong(
  evidence: Evidence,
  units: number[],
  wrong: number,
  how: How,
  atTheEnd: boolean,
): number {
  if (!units.every(isWhole)) return evidenceOfParts(evidence, units, wrong, how, atTheEnd);
  let wins = 0,
    losses = 0,
    taken = 0,
    largest = 0;
  for (const unit of units) {
    if (unit === 0) continue;
    if (unit > 0 && taken < wrong) {
      ++taken;
      if (how === "flipped") ++losses;
    } else if (unit > 0) ++wins;
    else ++losses;
    if (!atTheEnd) largest = Math.max(largest, evidence(wins, losses));
  }
  return atTheEnd ? Math.max(0, evidence(wins, losses)) : largest;
}

// The same of answers that say how much: of those so far the largest are wrong.
function evidenceOfParts(
  evidence: Evidence,
  units: number[],
  wrong: number,
  how: How,
  atTheEnd: boolean,
  isFallible: (t: number) => boolean = () => true,
): number {
  const sums = { wins: 0, losses: 0, logs: GAPS.map(() => 0) };
  const add = (to: typeof sums, unit: number) => {
    if (unit === 1) ++to.wins;
    else if (unit === -1) ++to.losses;
    else if (unit !== 0) addUnit(to.logs, unit);
  };
  const hit: number[] = []; // the smallest first
  const insert = (unit: number) => {
    const at = hit.findIndex((one) => one > unit);
    hit.splice(at < 0 ? hit.length : at, 0, unit);
  };
  let largest = 0;
  units.forEach((unit, t) => {
    const helps = unit > 0 && isFallible(t);
    if (helps && hit.length < wrong) insert(unit);
    else if (helps && wrong > 0 && unit > hit[0]!) {
      add(sums, hit.shift()!);
      insert(unit);
    } else add(sums, unit);
    if (atTheEnd && t + 1 < units.length) return;
    const now = { ...sums, logs: [...sums.logs] };
    if (how === "flipped") for (const one of hit) add(now, -one);
    largest = Math.max(largest, evidence(now.wins, now.losses, now.logs));
  });
  return largest;
}

// The fewest wrong answers with which the sum is no lead any more; none if no number of them is.
function fewestToReverse(lead: number, hits: number[]): number | undefined {
  const sorted = [...hits].sort((a, b) => b - a);
  let wrong = 0;
  for (; lead > NO_LEAD; ++wrong) {
    if (wrong === sorted.length) return undefined;
    lead -= sorted[wrong]!;
  }
  return wrong;
}

const isByPerson = ({ audited }: Place) => audited!.isDrawn && !audited!.isLost;
const noLevels = () => [1, 5].map((percent) => ({ percent, answers: 0, level: 0 }));

// The worst of all pairs, for each share of a pair's answers; `reached` is ln of the largest E with
// so many of them wrong.
function noteLevels(
  { levels }: IfWrong,
  answers: number,
  alpha: number,
  threshold: number,
  reached: (wrong: number) => number,
): void {
  for (const worst of levels) {
    const wrong = Math.ceil((answers * worst.percent) / 100);
    const level = Math.min(1, exponential(naturalLog(alpha) + threshold - reached(wrong)));
    if (level > worst.level) Object.assign(worst, { answers: wrong, level });
  }
}

// Where people audit a program only they may be wrong, and an answer that is wrong is missing.
function ofPeople(ledger: Ledger, findings: Finding[]): IfWrong {
  const { epsilon, stopping } = ledger.experiment;
  const evidence = evidenceAgainst(epsilon);
  const found: IfWrong = { levels: noLevels(), voters: [] };
  for (const { winner, loser, threshold } of findings) {
    const sign = winner < loser ? 1 : -1;
    const places = ledger.referee.answers(winner, loser);
    const people = places.filter(isByPerson);
    const units = places.map(({ unit }) => (sign === 1 ? unit!.unit : unit!.reverse));
    noteLevels(found, people.length, stopping.alpha, threshold, (wrong) =>
      evidenceOfParts(evidence, units, wrong, "missing", false, (t) => isByPerson(places[t]!)),
    );
    let lead = 0;
    for (const { unit } of places) lead += sign * unit!.value;
    const missing = fewestToReverse(
      lead,
      people.map(({ unit }) => sign * unit!.value).filter((one) => one > 0),
    );
    const flipped = fewestToReverse(
      lead,
      people
        .map(({ audited, first }) => {
          const person = first === winner ? audited!.person : -audited!.person;
          return person > 0 ? (2 * person) / audited!.share : 0;
        })
        .filter((one) => one > 0),
    );
    if (missing === undefined || flipped === undefined) continue;
    const of = people.length;
    const pair: [number, number] = [winner, loser];
    found.lead = smaller(found.lead, { flipped, of, pair, missing, missingOf: of });
  }
  return found;
}

// The fewest for which it does not hold any more.
function fewest(most: number, holds: (wrong: number) => boolean): number {
  let low = 0,
    high = most;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const sumOf = (units: number[]) => units.reduce((sum, unit) => sum + unit, 0);

interface Fewest {
  flipped: number;
  of: number;
  pair: [winner: number, loser: number];
  missing: number;
  missingOf: number;
}
// The smaller of both; where they are equal the first stays.
function smaller(least: Fewest | undefined, other: Fewest): Fewest {
  if (!least) return other;
  const { flipped, of, pair } = other.flipped < least.flipped ? other : least;
  const { missing, missingOf } = other.missing < least.missing ? other : least;
  return { flipped, of, pair, missing, missingOf };
}

interface IfWrong {
  lead?: Fewest | undefined;
  evidence?: Fewest | undefined;
  levels: { percent: number; answers: number; level: number }[];
  voters: { voter: string; answers: number; undoesCertificate: boolean; undoesLead: boolean }[];
}

function ofEvidence(ledger: Ledger, findings: Finding[]): IfWrong {
  const { epsilon, stopping, one_look_after } = ledger.experiment;
  const evidence = evidenceAgainst(epsilon);
  const atTheEnd = one_look_after > 0n;
  const isByLeads = ledger.given!.kind !== "epsilon"; // there the arm may be behind
  const pairs = findings.map(({ winner, loser, threshold }) => {
    const places = ledger.space?.answers() ?? ledger.referee.answers(winner, loser);
    return { pair: [winner, loser] as [number, number], threshold, places };
  });
  const found: IfWrong = {
    levels: noLevels(),
    voters: [],
  };
  for (const { pair, threshold, places } of pairs) {
    const units = unitsOf(places, pair[0]);
    const of = units.length;
    if (isByLeads) {
      const sum = sumOf(units);
      const flipped = fewestToReverse(
        sum,
        units.map((unit) => 2 * unit),
      )!;
      const missing = fewestToReverse(sum, units)!;
      found.lead = smaller(found.lead, { flipped, of, pair, missing, missingOf: of });
    }
    const wins = units.filter((unit) => unit > 0).length;
    const [flipped, missing] = (["flipped", "missing"] as const).map((how) =>
      fewest(wins, (wrong) => evidenceIfWrong(evidence, units, wrong, how, atTheEnd) >= threshold),
    ) as [number, number];
    found.evidence = smaller(found.evidence, { flipped, of, pair, missing, missingOf: of });
    noteLevels(found, of, stopping.alpha, threshold, (wrong) =>
      evidenceIfWrong(evidence, units, wrong, "flipped", atTheEnd),
    );
  }
  // The voters with the most answers, of equal ones who was asked first.
  const given = new Map<string, { answers: number; first: number }>();
  const places = new Set(pairs.flatMap((one) => one.places));
  for (const { voter, asked } of places) {
    if (voter === "") continue;
    const known = given.get(voter) ?? { answers: 0, first: asked };
    given.set(voter, { answers: known.answers + 1, first: Math.min(known.first, asked) });
  }
  if (given.size < 2) return found;
  const most = [...given].sort(([, a], [, b]) => b.answers - a.answers || a.first - b.first);
  found.voters = most.slice(0, 10).map(([voter, { answers }]) => {
    const without = pairs.map(({ pair, threshold, places }) => {
      const left = places.filter((place) => place.voter !== voter);
      return { units: unitsOf(left, pair[0]), threshold };
    });
    return {
      voter,
      answers,
      undoesCertificate: without.some(
        ({ units, threshold }) =>
          evidenceIfWrong(evidence, units, 0, "missing", atTheEnd) < threshold,
      ),
      undoesLead: isByLeads && without.some(({ units }) => !(sumOf(units) > NO_LEAD)),
    };
  });
  return found;
}

function ofPanel(ledger: Ledger): IfWrong {
  const found: IfWrong = { levels: [], voters: [] };
  const { winner } = ledger.given!;
  const panel = ledger.panel!;
  if (winner === undefined) return found;
  for (const [, j] of panel.pairsOf(winner)) {
    const { forFirst, forSecond, forNeither, unknown } = panel.pair(winner, j);
    const lead = Math.max(0, forFirst - forSecond);
    const of = forFirst + forSecond + forNeither;
    const pair: [number, number] = [winner, j];
    const all = { of, pair, missingOf: of };
    found.lead = smaller(found.lead, { ...all, flipped: Math.ceil(lead / 2), missing: lead });
    if (!panel.isByCounting(winner)) continue;
    const open = Math.ceil(Math.max(0, lead - unknown) / 2);
    found.evidence = smaller(found.evidence, { ...all, flipped: open, missing: open });
  }
  return found;
}

const wrongAnswers = (count: number) => `${count} wrong answer${count === 1 ? "" : "s"}`;

function textOf(ledger: Ledger, { lead, evidence, levels, voters }: IfWrong): string {
  const { arms_fixed, alpha } = ledger.experiment.stopping;
  const name = (arm: number) => {
    const { name, arm_id } = ledger.arms[arm]!;
    return `'${arms_fixed && !ledger.space ? name : arm_id}'`;
  };
  const texts: string[] = [];
  if (lead) {
    const pair = lead.pair.map(name).join(" over ");
    texts.push(
      lead.flipped === 0
        ? `The lead of ${pair} is gone since.`
        : `As few as ${wrongAnswers(lead.flipped)} of ${lead.of} would take the lead of ${pair}.`,
    );
  }
  if (ledger.panel && lead && evidence && evidence.flipped < lead.flipped)
    texts.push(`${wrongAnswers(evidence.flipped)} would leave it open.`);
  for (const { percent, level } of levels) {
    const wrong = ledger.isAudited
      ? `Without the ${percent} % of people's answers that matter most`
      : `With ${percent} % of the answers wrong in the worst way`;
    const rounded = numberText(Math.ceil(level * 1000) / 1000);
    texts.push(
      level < 1
        ? `${wrong} it would hold at level ${rounded} instead of ${numberText(alpha)}.`
        : `${wrong} it would not hold at any level.`,
    );
  }
  const needed = voters.find((one) => one.undoesLead);
  if (needed) {
    const answers = `${needed.answers} answer${needed.answers === 1 ? "" : "s"}`;
    texts.push(`Without the ${answers} of '${needed.voter}' alone a lead is gone.`);
  }
  return texts.join(" ");
}

// The members that it adds to a certificate. REQUIRES: the last record gave the certificate.
export function ifWrong(ledger: Ledger): { [name: string]: Written | undefined } {
  const { findings } = ledger.given!;
  if (!ledger.panel && !findings) return {};
  const found = ledger.panel
    ? ofPanel(ledger)
    : ledger.isAudited
      ? ofPeople(ledger, findings!)
      : ofEvidence(ledger, findings!);
  const id = (arm: number) => ledger.arms[arm]!.arm_id;
  const written = (one: Fewest | undefined): Written | undefined =>
    one && {
      flipped: BigInt(one.flipped),
      of: BigInt(one.of),
      winner: id(one.pair[0]),
      loser: id(one.pair[1]),
      missing: BigInt(one.missing),
      missing_of: BigInt(one.missingOf),
    };
  const text = textOf(ledger, found);
  const orNothing = (list: Written[]) => (list.length > 0 ? list : undefined);
  return {
    if_wrong: text === "" ? undefined : text,
    reversed_by: written(found.lead),
    level_if_wrong: orNothing(
      found.levels.map(({ percent, answers, level }) => ({
        share: percent / 100,
        answers: BigInt(answers),
        level,
      })),
    ),
    overturned_by: written(found.evidence),
    without_voter: orNothing(
      found.voters.map((one) => ({
        voter: one.voter,
        answers: BigInt(one.answers),
        undoes_certificate: one.undoesCertificate,
        undoes_lead: one.undoesLead,
      })),
    ),
  };
}
