// What decides: the evidence of each pair, what it has to reach, and the certificates that follow
// (docs/certificates.md). Arms are numbers here.
import { exponential, naturalLog } from "./numbers";
import type { CertificateKind, RecordOf } from "./records";

export type Rule = Pick<
  RecordOf<"experiment">,
  "goal" | "top" | "epsilon" | "assume" | "stopping" | "one_look_after" | "format"
>;

// A row and a column for each arm.
export const table = <T>(size: number, make: () => T): T[][] =>
  Array.from({ length: size }, () => Array.from({ length: size }, make));

export interface Finding {
  winner: number;
  loser: number;
  wins: number;
  losses: number;
  evidence: number; // logarithms
  threshold: number;
  then: [wins: number, losses: number]; // when the evidence was largest
  units: Units | undefined; // where some answers are no whole wins or losses
}
// The answers of a pair that say how much, as its first arm sees them: each is a unit between -1
// and 1.
export interface Units {
  logs: number[]; // of the products over them
  then: number[]; // when the evidence was largest
  count: number;
  decisive: number;
  lead: number;
  scoreSum: number; // of the first arm
}
export interface Decision {
  kind: CertificateKind;
  winner?: number;
  named: number[];
  cycle: number[];
  findings?: Finding[];
}

// --- Evidence of a pair ---------------------------------------------------------------------------

export const GAPS = [0.4, 0.2, 0.08, 0.032, 0.0128, 0.005, 0.002, 0.0008];
export const WEIGHTS = [16, 14, 12, 12, 6, 2, 1, 1].map((w) => w / 64);

// ln E after so many wins and losses, E = sum_k w_k (p_k/q)^wins ((1 - p_k)/(1 - q))^losses against
// "wins at most a share q = 1/2 - epsilon", p_k = q + gap_k.
export function evidenceAgainst(
  epsilon: number,
): (wins: number, losses: number, logs?: number[]) => number {
  const q = 0.5 - epsilon;
  const components = GAPS.map((gap, k) => {
    const p = q + gap;
    return {
      weight: naturalLog(WEIGHTS[k]!),
      win: naturalLog(p / q),
      loss: naturalLog((1 - p) / (1 - q)),
    };
  });
  return (wins, losses, logs) => {
    const terms = components.map(
      (c, k) => c.weight + (wins * c.win + losses * c.loss) + (logs?.[k] ?? 0),
    );
    const largest = Math.max(...terms);
    let sum = 0;
    for (const term of terms) if (term - largest > -40) sum += exponential(term - largest);
    return largest + naturalLog(sum);
  };
}

// Adds what a unit does to the logarithm of each product.
export function addUnit(logs: number[], unit: number): void {
  GAPS.forEach((gap, k) => (logs[k] = logs[k]! + naturalLog(1 + 2 * gap * unit)));
}

// --- Thresholds -----------------------------------------------------------------------------------

const isOrder = (goal: string) => goal === "set" || goal === "order" || goal === "ranking";
const isScore = (goal: string) => goal === "copeland" || goal === "borda";
const byUnion = (alpha: number, arms: number, exists: boolean) =>
  (exists ? arms - 1 : arms) / alpha;

function ofSet(alpha: number, named: number, exists: boolean): number {
  return exists ? 1 / alpha + (named === 1 ? 1 : 2) : 3 / alpha + 1;
}

function ofSequence(alpha: number, named: number, exists: boolean): number {
  if (named === 1) return ofSet(alpha, 1, exists);
  if (named > 2 || exists) return 1 / (1 - exponential(-naturalLog(1 + alpha) / named));
  // The root of x^3 + alpha x^2 = 1 for x = 1 - 1/c.
  let low = 0,
    high = 1;
  for (let step = 0; step < 100; ++step) {
    const x = 0.5 * (low + high);
    if (x * x * (x + alpha) < 1) low = x;
    else high = x;
  }
  return 1 / (1 - high);
}

function orderThreshold(rule: Rule, arms: number, named: number): number {
  const { alpha, shared_causes } = rule.stopping;
  const exists = rule.assume === "order";
  const union = byUnion(alpha, arms, exists);
  if (shared_causes) return union;
  return Math.min(union, (rule.goal === "set" ? ofSet : ofSequence)(alpha, named, exists));
}

// How alpha is shared over the arms that ever join; `first` of them were there at the start.
class Budget {
  private readonly ofStart: number;
  constructor(
    private readonly rule: Rule,
    private readonly first: number,
  ) {
    const { alpha, arms_fixed } = rule.stopping;
    this.ofStart = arms_fixed ? alpha : 0.8 * alpha;
  }
  private shareOfAdded(arm: number): number {
    const m = arm - this.first + 1;
    return (0.2 * this.rule.stopping.alpha) / (m * (m + 1));
  }
  // What the evidence of an arm against each rival has to reach.
  threshold(arm: number, retired: number): number {
    const { alpha, arms_fixed, shared_causes } = this.rule.stopping;
    const share = arm < this.first ? this.ofStart / this.first : this.shareOfAdded(arm);
    if (!arms_fixed)
      return retired === 0 ? 1 / (0.9 * share) : (retired * (retired + 1)) / (0.1 * share);
    if (this.rule.epsilon > 0) return 1 / share;
    const exists = winnerExists(this.rule);
    const union = exists ? byUnion(alpha, this.first, true) : 1 / share;
    return shared_causes ? union : Math.min(union, ofSet(alpha, 1, exists));
  }
  // What declares "one beats the other" of a pair of which `later` joined last.
  edge(later: number): number {
    if (later < this.first) return (this.first * (this.first - 1)) / this.ofStart;
    return (2 * later) / this.shareOfAdded(later);
  }
}
const winnerExists = (rule: Rule) => rule.goal === "condorcet" && rule.assume === "order";

// Why a goal makes no sense for so many arms.
export function unfitGoal(rule: Rule, arms: number): string | undefined {
  const { goal, top, epsilon, assume, stopping } = rule;
  if (!(stopping.alpha > 0 && stopping.alpha < 1)) return "alpha is not between 0 and 1";
  if (goal === "set" || goal === "order" ? top === 0n || top >= arms : top !== 0n)
    return "top does not fit the goal";
  if (goal === "epsilon" ? !(epsilon > 0 && epsilon < 0.5) : epsilon !== 0)
    return "epsilon does not fit the goal";
  if (assume === "order" && (isScore(goal) || goal === "epsilon"))
    return "the goal takes no assumption";
  if (!stopping.arms_fixed && (isScore(goal) || isOrder(goal) || assume === "order"))
    return "the goal needs a fixed set of arms";
  return undefined;
}

// --- Winner, or none ------------------------------------------------------------------------------

interface Pair {
  wins: number;
  evidence: number; // the largest ln E so far
  then: [wins: number, losses: number];
  isSettled: boolean; // it is what a certificate of the row's arm needs
  isDeclared: boolean; // "the row's arm beats the column's", as "no winner" needs
  units?: Units;
}
const newPair = (): Pair => ({
  wins: 0,
  evidence: 0,
  then: [0, 0],
  isSettled: false,
  isDeclared: false,
});

class Contest {
  readonly pairs: Pair[][];
  readonly thresholds: number[] = [];
  winner?: Decision;
  noWinner?: Decision;
  decisive = 0;
  private hasLooked = false;
  private retired = 0; // after their first duel
  private readonly edges: number[] = [];
  private readonly arms: {
    isActive: boolean;
    wasServed: boolean;
    unsettled: number;
    beatenBy: number;
  }[] = [];
  private readonly budget: Budget;
  private readonly least: number;
  private readonly evidence: ReturnType<typeof evidenceAgainst>;

  constructor(
    private readonly rule: Rule,
    size: number,
  ) {
    this.pairs = table(size, newPair);
    this.budget = new Budget(rule, size);
    this.least = Number(rule.stopping.min_decisive_per_pair);
    this.evidence = evidenceAgainst(rule.epsilon);
    for (let i = 0; i < size; ++i) this.join();
    this.recount();
  }

  private join(): void {
    this.arms.push({ isActive: true, wasServed: false, unsettled: 0, beatenBy: 0 });
  }
  add(): void {
    for (const row of this.pairs) row.push(newPair());
    this.join();
    this.pairs.push(this.arms.map(newPair));
    this.recount();
  }
  retire(arm: number): void {
    this.arms[arm]!.isActive = false;
    if (this.arms[arm]!.wasServed) ++this.retired;
    this.recount();
  }
  served(i: number, j: number): void {
    this.arms[i]!.wasServed = this.arms[j]!.wasServed = true;
  }
  observe(winner: number, loser: number): void {
    if (this.hasLooked) return;
    ++this.decisive;
    ++this.pairs[winner]![loser]!.wins;
    if (this.rule.one_look_after > 0n) return;
    this.lookAt(winner, loser, this.raise(winner, loser));
  }
  // An answer that is a unit; `reverse`: for the second arm; `lead`: what it adds to the first's.
  observeUnit(
    first: number,
    second: number,
    unit: number,
    reverse: number,
    lead: number,
    isDecisive: boolean,
  ): void {
    if (this.hasLooked) return;
    const add = (i: number, j: number, by: number, ahead: number) => {
      const units = (this.pairs[i]![j]!.units ??= {
        logs: GAPS.map(() => 0),
        then: GAPS.map(() => 0),
        count: 0,
        decisive: 0,
        lead: 0,
        scoreSum: 0,
      });
      if (by !== 0) addUnit(units.logs, by);
      ++units.count;
      if (isDecisive) ++units.decisive;
      units.lead += ahead;
      units.scoreSum += (1 + ahead) / 2;
    };
    add(first, second, unit, lead);
    add(second, first, reverse, -lead);
    if (isDecisive) ++this.decisive;
    if (this.rule.one_look_after > 0n) return;
    const forth = unit > 0 && this.raise(first, second);
    const back = reverse > 0 && this.raise(second, first);
    this.lookAt(first, second, forth || back);
  }
  decisiveOf(i: number, j: number): number {
    const { wins, units } = this.pairs[i]![j]!;
    return wins + this.pairs[j]![i]!.wins + (units?.decisive ?? 0);
  }
  leadOf(i: number, j: number): number {
    const { wins, units } = this.pairs[i]![j]!;
    return wins - this.pairs[j]![i]!.wins + (units?.lead ?? 0);
  }
  private lookAt(i: number, j: number, isHigher: boolean): void {
    if (!isHigher && this.decisiveOf(i, j) !== this.least) return;
    this.settle(i, j);
    this.settle(j, i);
    this.lookForWinner(i);
    this.lookForWinner(j);
    this.lookForNoWinner();
  }
  look(): void {
    this.pairs.forEach((row, i) => row.forEach((_, j) => i !== j && this.raise(i, j)));
    this.hasLooked = true;
    this.recount();
  }
  finding(i: number, j: number, threshold: number): Finding {
    const { wins, evidence, then, units } = this.pairs[i]![j]!;
    return {
      winner: i,
      loser: j,
      wins,
      losses: this.pairs[j]![i]!.wins,
      evidence,
      threshold,
      then,
      units: units && { ...units, logs: [...units.logs], then: [...units.then] },
    };
  }

  private raise(i: number, j: number): boolean {
    const pair = this.pairs[i]![j]!,
      losses = this.pairs[j]![i]!.wins;
    const evidence = this.evidence(pair.wins, losses, pair.units?.logs);
    if (!(evidence > pair.evidence)) return false;
    pair.evidence = evidence;
    if (pair.units) pair.units.then = [...pair.units.logs];
    pair.then = [pair.wins, losses];
    return true;
  }
  private active(): number[] {
    return [...this.arms.keys()].filter((i) => this.arms[i]!.isActive);
  }
  // After the set of arms or what all pairs have changed.
  private recount(): void {
    const active = this.active();
    this.arms.forEach((arm, i) => {
      this.thresholds[i] = naturalLog(this.budget.threshold(i, this.retired));
      this.edges[i] = i > 0 ? naturalLog(this.budget.edge(i)) : 0;
      arm.unsettled = active.length - 1;
      arm.beatenBy = 0;
    });
    for (const row of this.pairs) for (const pair of row) pair.isSettled = pair.isDeclared = false;
    for (const i of active) for (const j of active) if (i !== j) this.settle(i, j);
    for (const i of active) this.lookForWinner(i);
    this.lookForNoWinner();
  }
  private settle(i: number, j: number): void {
    const pair = this.pairs[i]![j]!;
    const [one, other] = [this.arms[i]!, this.arms[j]!];
    if (!one.isActive || !other.isActive || this.decisiveOf(i, j) < this.least) return;
    if (!pair.isSettled && pair.evidence >= this.thresholds[i]!) {
      pair.isSettled = true;
      --one.unsettled;
    }
    if (!pair.isDeclared && pair.evidence >= this.edges[Math.max(i, j)]!) {
      pair.isDeclared = true;
      ++other.beatenBy;
    }
  }
  private lookForWinner(i: number): void {
    const arm = this.arms[i]!;
    const active = this.winner || !arm.isActive || arm.unsettled > 0 ? [] : this.active();
    if (active.length < 2) return;
    const findings = active
      .filter((j) => j !== i)
      .map((j) => this.finding(i, j, this.thresholds[i]!));
    const kind = this.rule.goal === "epsilon" ? "epsilon" : "winner";
    this.winner = { kind, winner: i, named: [], cycle: [], findings };
  }
  private lookForNoWinner(): void {
    if (this.noWinner || winnerExists(this.rule) || this.rule.epsilon > 0) return;
    if (this.arms.some((arm) => arm.isActive && arm.beatenBy === 0)) return;
    const active = this.active();
    if (active.length < 2) return;
    // The arm with the most evidence of beating each; who follows it runs into a cycle.
    const beater: number[] = [];
    for (const j of active) {
      for (const i of active) {
        if (i === j || !this.pairs[i]![j]!.isDeclared) continue;
        const best = beater[j];
        if (best === undefined || this.pairs[i]![j]!.evidence > this.pairs[best]![j]!.evidence)
          beater[j] = i;
      }
    }
    const findings = active.map((j) =>
      this.finding(beater[j]!, j, this.edges[Math.max(beater[j]!, j)]!),
    );
    const visited: number[] = [];
    let at = active[active.length - 1]!;
    for (; !visited.includes(at); at = beater[at]!) visited.push(at);
    const cycle = visited.slice(visited.indexOf(at)).reverse();
    this.noWinner = { kind: "no_winner", named: [], cycle, findings };
  }
}

// --- Sets and orders ------------------------------------------------------------------------------

class Order {
  decision?: Decision;
  readonly reached: boolean[][];
  private readonly taken: boolean[][]; // the same with at most one direction of a pair
  private readonly beats: number[];
  private readonly named: number;
  private readonly threshold: number;

  constructor(
    private readonly rule: Rule,
    private readonly size: number,
  ) {
    this.reached = table(size, () => false);
    this.taken = table(size, () => false);
    this.beats = Array.from({ length: size }, () => 0);
    this.named = rule.goal === "ranking" ? size - 1 : Number(rule.top);
    this.threshold = naturalLog(orderThreshold(rule, size, this.named));
  }
  observe(contest: Contest, i: number, j: number): void {
    if (this.update(contest, i, j)) this.decide(contest);
  }
  look(contest: Contest): void {
    for (let i = 0; i < this.size; ++i)
      for (let j = i + 1; j < this.size; ++j) this.update(contest, i, j);
    this.decide(contest);
  }
  // Whether something changed that a certificate may follow from.
  private update(contest: Contest, i: number, j: number): boolean {
    const lead = contest.leadOf(i, j);
    if (contest.decisiveOf(i, j) < Number(this.rule.stopping.min_decisive_per_pair)) return false;
    const raise = (a: number, b: number) =>
      (this.reached[a]![b] ||= contest.pairs[a]![b]!.evidence >= this.threshold);
    const forth = raise(i, j),
      back = raise(j, i);
    if (!forth && !back) return false;
    // Where both have reached it, one is an error, and the side that is ahead is taken.
    const isFirst = forth !== back ? forth : lead > 0;
    if (forth === back && lead === 0) return false;
    return [this.take(i, j, isFirst), this.take(j, i, !isFirst)].includes(true);
  }
  private take(i: number, j: number, now: boolean): boolean {
    if (this.taken[i]![j] === now) return false;
    this.taken[i]![j] = now;
    this.beats[i]! += now ? 1 : -1;
    return true;
  }
  private decide(contest: Contest): void {
    const all = [...this.beats.keys()];
    const named = this.rule.goal === "set" ? this.findSet(all) : this.findSequence(all);
    if (this.decision || !named) return;
    const findings: Finding[] = [];
    const before = new Set(this.rule.goal === "set" ? named : []);
    for (const i of named) {
      before.add(i);
      for (const j of all) if (!before.has(j)) findings.push(contest.finding(i, j, this.threshold));
    }
    this.decision = { kind: this.rule.goal as CertificateKind, named, cycle: [], findings };
  }
  private findSet(all: number[]): number[] | undefined {
    const members = all.filter((i) => this.beats[i]! + this.named >= this.size);
    if (members.length !== this.named) return undefined;
    const isSet = members.every((i) => all.every((j) => members.includes(j) || this.taken[i]![j]));
    return isSet ? members : undefined;
  }
  private findSequence(all: number[]): number[] | undefined {
    const sequence: number[] = [];
    for (let a = 1; a <= this.named; ++a) sequence.push(this.beats.indexOf(this.size - a));
    if (sequence.includes(-1)) return undefined;
    return this.rule.goal === "ranking"
      ? [...sequence, ...all.filter((i) => !sequence.includes(i)).slice(0, 1)]
      : sequence;
  }
}

// --- Scores ---------------------------------------------------------------------------------------

// ln Gamma(x) for x >= 1/2: the recurrence up to 16, then Stirling's series.
function logGamma(x: number): number {
  let product = 1;
  for (; x < 16; x += 1) product *= x;
  const y = 1 / (x * x);
  const series =
    (1 / 12 +
      y * (-1 / 360 + y * (1 / 1260 + y * (-1 / 1680 + y * (1 / 1188 + y * (-691 / 360360)))))) /
    x;
  return (x - 0.5) * naturalLog(x) - x + 0.9189385332046728 + series - naturalLog(product);
}
const logBeta = (a: number, b: number) => logGamma(a) + logGamma(b) - logGamma(a + b);
const logCost = (count: number, p: number) =>
  count === 0 ? 0 : p > 0 ? -count * naturalLog(p) : Infinity;

// ln of B(1/2 + s, 1/2 + f)/B(1/2, 1/2) p^-s (1 - p)^-f, for the p that it is asked about.
function betaBinomial(s: number, f: number): (p: number) => number {
  const mixture = logBeta(0.5 + s, 0.5 + f) - logBeta(0.5, 0.5);
  return (p) => mixture + logCost(s, p) + logCost(f, 1 - p);
}

// The p at which that is below 1/delta, rounded outwards.
export function confidenceSequence(
  s: number,
  f: number,
  delta: number,
): [lower: number, upper: number] {
  if (s + f === 0) return [0, 1];
  const evidence = betaBinomial(s, f);
  const level = naturalLog(1 / delta);
  const end = (outside: number) => {
    if (!(evidence(outside) >= level)) return outside;
    for (let inside = s / (s + f); ; ) {
      const middle = 0.5 * (inside + outside);
      if (middle === inside || middle === outside || middle < 1e-300) return outside;
      if (evidence(middle) >= level) outside = middle;
      else inside = middle;
    }
  };
  return [end(0), end(1)];
}

class Scores {
  decision?: Decision;
  readonly scores: [lower: number, upper: number][];
  private hasLooked = false;
  private readonly wins: number[][];
  private readonly parts: [lower: number, upper: number][][];
  private readonly delta: number;
  private short: number; // pairs with too few answers

  constructor(
    private readonly rule: Rule,
    private readonly size: number,
  ) {
    this.wins = table(size, () => 0);
    this.parts = table(size, () => this.part(0, 1));
    this.delta = (2 * rule.stopping.alpha) / (size * (size - 1));
    this.short = rule.stopping.min_decisive_per_pair === 0n ? 0 : (size * (size - 1)) / 2;
    this.scores = this.wins.map((_, i) => this.sum(i));
  }
  observe(winner: number, loser: number): void {
    if (this.hasLooked) return;
    const wins = ++this.wins[winner]![loser]!;
    if (wins + this.wins[loser]![winner]! === Number(this.rule.stopping.min_decisive_per_pair))
      --this.short;
    if (this.rule.one_look_after > 0n) return;
    this.lookAt(Math.min(winner, loser), Math.max(winner, loser));
    this.decide();
  }
  look(): void {
    for (let i = 0; i < this.size; ++i)
      for (let j = i + 1; j < this.size; ++j)
        if (this.wins[i]![j]! + this.wins[j]![i]! > 0) this.lookAt(i, j);
    this.decide();
    this.hasLooked = true;
  }
  // What a pair that is won with a probability in the interval adds to the score.
  private part(lower: number, upper: number): [number, number] {
    if (this.rule.goal === "copeland") return [lower > 0.5 ? 1 : 0, upper > 0.5 ? 1 : 0];
    return [lower / (this.size - 1), upper / (this.size - 1)];
  }
  private sum(i: number): [number, number] {
    const sum: [number, number] = [0, 0];
    this.parts[i]!.forEach(([lower, upper], j) => {
      if (j === i) return;
      sum[0] += lower;
      sum[1] += upper;
    });
    return sum;
  }
  private lookAt(i: number, j: number): void {
    const s = this.wins[i]![j]!,
      f = this.wins[j]![i]!;
    let p: [number, number] = [0, 1];
    if (this.rule.goal === "borda") {
      p = confidenceSequence(s, f, this.delta);
    } else if (betaBinomial(s, f)(0.5) >= naturalLog(1 / this.delta)) {
      p = s > f ? [1, 1] : [0, 0];
    }
    this.parts[i]![j] = this.part(...p);
    this.parts[j]![i] = this.part(1 - p[1], 1 - p[0]);
    this.scores[i] = this.sum(i);
    this.scores[j] = this.sum(j);
  }
  private decide(): void {
    if (this.decision || this.short > 0) return;
    const winner = this.scores.findIndex(([lower], i) =>
      this.scores.every(
        (other, j) =>
          // Logs of format 1 settle only the first arm of those with the largest lower bound.
          i === j ||
          (lower >= other[1] && !(this.rule.format === 1n && j < i && lower <= other[0])),
      ),
    );
    if (winner >= 0)
      this.decision = { kind: this.rule.goal as CertificateKind, winner, named: [], cycle: [] };
  }
}

// --- All together ---------------------------------------------------------------------------------

export interface Place {
  first: number;
  second: number;
  result: "first" | "second" | "neither" | undefined; // undefined: it is not final yet
  readonly asked: number; // the record that served it
  voter: string; // who answered; "" where nobody says
  isAnswer: boolean; // it did not expire, and is not invalid
  isCounted: boolean;
  y?: number; // of an answer that says how much, from the side of `first`
  audited?: Audited; // the same where people audit a program
  unit?: AuditedUnit; // what that makes, once it counts; from the side of the lower arm
}

// A program's answer and, where the duel was drawn, a person's, from the side of the arm shown first.
export interface Audited {
  share: number;
  program: number;
  isDrawn: boolean;
  person: number;
  isLost: boolean;
}
export interface AuditedUnit {
  value: number;
  unit: number;
  reverse: number;
}

// What people and a program have said of a pair (docs/certificates.md), always from the side of the
// lower arm.
export class AuditedUnits {
  duels = 0;
  audited = 0;
  lost = 0;
  decisive = 0;
  comparable = 0;
  agreed = 0;
  private peopleProgram = 0;
  private programProgram = 0;

  get weight(): number {
    return Math.min(1, Math.max(0, (2 + this.peopleProgram) / (4 + this.programProgram)));
  }
  // Whether people have answered enough to tell what the program's answers are worth.
  isTold(): boolean {
    return this.audited >= 20;
  }
  isUseless(): boolean {
    return this.isTold() && this.weight === 0;
  }
  release({ share, program, isDrawn, person, isLost }: Audited): AuditedUnit {
    const weight = this.weight;
    const scale = (1 + weight * (1 - share)) / share;
    const predicted = weight * program;
    const valueOf = (y: number) => predicted + (y - predicted) / share;
    ++this.duels;
    if (isDrawn && isLost) {
      ++this.lost;
      return { value: 0, unit: valueOf(-1) / scale, reverse: -valueOf(1) / scale };
    }
    let value = predicted;
    if (isDrawn) {
      value = share === 1 ? person : valueOf(person);
      ++this.audited;
      if (person !== 0) ++this.decisive;
      if (person !== 0 && program !== 0) {
        ++this.comparable;
        if (person > 0 === program > 0) ++this.agreed;
      }
      this.peopleProgram += person * program;
      this.programProgram += program * program;
    }
    const unit = value / scale;
    return { value, unit, reverse: -unit };
  }
}

const keyOf = (i: number, j: number) => `${Math.min(i, j)},${Math.max(i, j)}`;

// Takes answers within each pair in the order in which they were asked for, so that an answer counts
// once all that were asked for before it are final.
export class Referee {
  readonly contest: Contest;
  readonly orders: Order | undefined;
  readonly scores: Scores | undefined;
  private readonly waiting = new Map<string, Place[]>();
  private readonly all = new Map<string, Place[]>();
  private readonly audits = new Map<string, AuditedUnits>();

  constructor(rule: Rule, size: number) {
    this.contest = new Contest(rule, size);
    this.orders = isOrder(rule.goal) ? new Order(rule, size) : undefined;
    this.scores = isScore(rule.goal) ? new Scores(rule, size) : undefined;
  }
  served(first: number, second: number, asked: number): Place {
    const place: Place = {
      first,
      second,
      result: undefined,
      asked,
      voter: "",
      isAnswer: false,
      isCounted: false,
    };
    const key = keyOf(first, second);
    for (const places of [this.waiting, this.all]) {
      const queue = places.get(key);
      if (queue) queue.push(place);
      else places.set(key, [place]);
    }
    this.contest.served(first, second);
    return place;
  }
  // Without a voter there is no answer: the duel expired, or the answer was invalid.
  answered(place: Place, result: Place["result"], voter?: string): void {
    place.result = result;
    place.isAnswer = voter !== undefined;
    place.voter = voter ?? "";
    const { first, second } = place;
    const queue = this.waiting.get(keyOf(first, second))!;
    let released = 0;
    for (; queue[released]?.result !== undefined; ++released) this.count(queue[released]!);
    queue.splice(0, released);
  }
  // The answers of a pair that are evidence, in the order of serving.
  answers(i: number, j: number): Place[] {
    return (this.all.get(keyOf(i, j)) ?? []).filter((place) => place.isCounted && place.isAnswer);
  }
  audited(i: number, j: number): AuditedUnits | undefined {
    return this.audits.get(keyOf(i, j));
  }
  private count(place: Place): void {
    const { first, second, result } = place;
    place.isCounted = true;
    if (place.audited) return this.countAudited(place, place.audited);
    if (place.y !== undefined) {
      this.contest.observeUnit(first, second, place.y, -place.y, place.y, place.y !== 0);
      this.orders?.observe(this.contest, first, second);
      return;
    }
    if (result === "neither") return;
    const [winner, loser] = result === "first" ? [first, second] : [second, first];
    this.contest.observe(winner, loser);
    this.orders?.observe(this.contest, first, second);
    this.scores?.observe(winner, loser);
  }
  private countAudited({ first, second }: Place, seen: Audited): void {
    const [low, high] = [Math.min(first, second), Math.max(first, second)];
    const sign = first === low ? 1 : -1;
    const key = keyOf(first, second);
    const units = this.audits.get(key) ?? new AuditedUnits();
    this.audits.set(key, units);
    const person = sign * seen.person;
    const made = units.release({ ...seen, program: sign * seen.program, person });
    const place = this.all.get(key)!.find((one) => one.audited === seen)!;
    place.unit = made;
    const isAnswered = seen.isDrawn && !seen.isLost;
    if (isAnswered && seen.share === 1 && Math.abs(person) % 1 === 0) {
      if (person !== 0) this.contest.observe(person > 0 ? low : high, person > 0 ? high : low);
    } else {
      const isDecisive = isAnswered && person !== 0;
      this.contest.observeUnit(low, high, made.unit, made.reverse, made.value, isDecisive);
    }
    this.orders?.observe(this.contest, low, high);
  }
  // The one look at answers whose order is unknown.
  look(): void {
    this.contest.look();
    this.scores?.look();
    this.orders?.look(this.contest);
  }
  decision(): Decision | undefined {
    if (this.scores) return this.scores.decision;
    if (this.orders) return this.orders.decision;
    return this.contest.winner ?? this.contest.noWinner;
  }
  // Whether the evidence that i beats j is what a certificate of i needs.
  isSettled(i: number, j: number): boolean {
    if (this.orders) return this.orders.reached[i]![j]!;
    return this.contest.pairs[i]![j]!.evidence >= this.contest.thresholds[i]!;
  }
}
