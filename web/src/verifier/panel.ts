// A statement about these people: who the members are, what each has said, and what is certain by
// counting; of an early panel the evidence in its drawn order as well (docs/certificates.md).
import { GAPS, WEIGHTS, table, type Decision } from "./evidence";
import { refuse } from "./json";
import { exponential, naturalLog } from "./numbers";
import type { RecordOf } from "./records";

export const MOST_MEMBERS = 100_000;
const FEWEST_FOR_EARLY = 25;

interface Said {
  tasks: Set<string>;
  sum: number; // for the lower arm
}
interface Member {
  isAbsent: boolean;
  said: Map<string, Said>; // by pair
  asked: Set<string>; // by pair and task, of open duels
}
export interface Asked {
  subject: string;
  first: number;
  second: number;
  task: string;
  isOpen: boolean;
}

// "i beats j", from the answers in the drawn order: before the next one n are left and S is the sum
// so far, so that the unit (Y n + S)/(n - S) is expected not to be above 0 where i does not.
class DrawnOrder {
  largest = 0; // ln E, at most so far
  private sum = 0;
  private wins = 0;
  private losses = 0;
  private readonly graded = GAPS.map(() => 0);
  constructor(
    private left: number,
    private readonly tasks: number,
  ) {}
  observe(answer: number): void {
    const room = this.left * this.tasks - this.sum;
    const unit = room > 0 ? (answer * this.left + this.sum) / room : 0;
    this.sum += answer;
    this.left -= 1;
    if (unit === 0) return;
    if (unit === 1) this.wins += 1;
    else if (unit === -1) this.losses += 1;
    else GAPS.forEach((gap, k) => (this.graded[k]! += naturalLog(1 + 2 * gap * unit)));
    const terms = GAPS.map(
      (gap, k) =>
        naturalLog(WEIGHTS[k]!) +
        (this.wins * naturalLog(1 + 2 * gap) +
          this.losses * naturalLog(1 - 2 * gap) +
          this.graded[k]!),
    );
    const top = Math.max(...terms);
    let sum = 0;
    for (const term of terms) if (term - top > -40) sum += exponential(term - top);
    this.largest = Math.max(this.largest, top + naturalLog(sum));
  }
}

export class Panel {
  size?: number;
  isClosed = false;
  answered = 0; // members with an answer
  readonly isEarly: boolean;
  readonly threshold: number; // of the evidence: a logarithm
  private readonly list: string[];
  private readonly tasks: number;
  private readonly members = new Map<string, Member>();
  private readonly wins: number[][];
  private readonly answers: number[][];
  private readonly evidence: DrawnOrder[][] = [];
  private readonly next: number[][] = [];

  constructor(
    experiment: RecordOf<"experiment">,
    private readonly arms: number,
  ) {
    const { panel, goal, assume, top, epsilon, stopping, service, tasks } = experiment;
    this.list = panel.members;
    this.isEarly = panel.early;
    this.tasks = Math.max(1, Number(tasks.count));
    this.threshold = naturalLog(arms / stopping.alpha);
    if (service.mode !== "duel") refuse("visitors who click are no panel");
    if (goal !== "condorcet" || assume !== "none" || top > 0n || epsilon !== 0)
      refuse("a panel decides which arm beats every other");
    if (!stopping.arms_fixed) refuse("the arms of a panel are fixed");
    if (stopping.min_decisive_per_pair > 0n) refuse("a panel has no minimum per pair");
    if (experiment.aa_rate > 0) refuse("a panel is never asked about one arm twice");
    if (service.guardrails.explore_floor > 0) refuse("a panel is only asked what can matter");
    if (experiment.comparisons_count || experiment.one_look_after > 0n)
      refuse("comparisons made elsewhere are not answers of a panel");
    if (tasks.count > 0n && tasks.about !== "these_tasks")
      refuse("a panel speaks of exactly the tasks that it is asked about");
    if (panel.size > BigInt(MOST_MEMBERS) || this.list.length > MOST_MEMBERS)
      refuse("a panel has too many members");
    if (panel.size > 0n && this.list.length > 0) refuse("a panel has a size or a list, not both");
    if (new Set(this.list).size < this.list.length || this.list.includes(""))
      refuse("a member has no name, or is there twice");
    if (this.isEarly) {
      if (this.list.length < FEWEST_FOR_EARLY) refuse("early verdicts need a larger list");
      if (this.list.some((name, k) => k > 0 && name < this.list[k - 1]!))
        refuse("the members of an early panel are not in their drawn order");
      this.evidence = table(arms, () => new DrawnOrder(this.list.length, this.tasks));
      this.next = table(arms, () => 0);
    }
    if (panel.size > 0n || this.list.length > 0) this.size = Number(panel.size) || this.list.length;
    this.wins = table(arms, () => 0);
    this.answers = table(arms, () => 0);
  }

  // --- Counting -----------------------------------------------------------------------------------

  lead(i: number, j: number): number {
    return this.wins[i]![j]! - this.wins[j]![i]!;
  }
  unknown(i: number, j: number): number {
    return this.size! * this.tasks - this.answers[i]![j]!;
  }
  beats(i: number, j: number): boolean {
    return this.size !== undefined && this.lead(i, j) > this.unknown(i, j);
  }
  cannotBeat(i: number, j: number): boolean {
    return this.size !== undefined && this.lead(i, j) + this.unknown(i, j) <= 0;
  }
  // Whether i is shown to beat j: by counting, or by the evidence.
  private isShown(i: number, j: number): boolean {
    if (this.beats(i, j)) return true;
    return this.isEarly && this.evidence[i]![j]!.largest >= this.threshold;
  }
  private others(i: number): number[] {
    return [...this.wins.keys()].filter((j) => j !== i);
  }
  decision(): Decision | undefined {
    if (this.size === undefined || this.arms < 2) return undefined;
    const all = [...this.wins.keys()];
    const winner = all.find((i) => this.others(i).every((j) => this.isShown(i, j)));
    if (winner !== undefined) return { kind: "winner", winner, named: [], cycle: [] };
    const isNone = all.every((i) => this.others(i).some((j) => this.cannotBeat(i, j)));
    return isNone ? { kind: "no_winner", named: [], cycle: this.strictCycle() } : undefined;
  }
  isByCounting(winner: number | undefined): boolean {
    return winner === undefined || this.others(winner).every((j) => this.beats(winner, j));
  }
  // The arm that i cannot beat: one that beats it, if there is one, by the most.
  stopperOf(i: number): number {
    let found: number | undefined;
    const rank = (j: number): [boolean, number] => [this.beats(j, i), this.lead(j, i)];
    for (const j of this.others(i)) {
      if (!this.cannotBeat(i, j)) continue;
      const [beats, lead] = rank(j);
      const [best, most] = found === undefined ? [false, -Infinity] : rank(found);
      if (found === undefined || (beats === best ? lead > most : beats)) found = j;
    }
    return found!;
  }
  // Arms that stop each other, turned round: none loses to the next.
  cycle(): number[] {
    const visited: number[] = [];
    let at = 0;
    for (; !visited.includes(at); at = this.stopperOf(at)) visited.push(at);
    return visited.slice(visited.indexOf(at)).reverse();
  }
  private strictCycle(): number[] {
    const cycle = this.cycle();
    const isStrict = cycle.every((arm, k) => this.beats(arm, cycle[(k + 1) % cycle.length]!));
    return isStrict ? cycle : [];
  }
  absent(): number {
    return [...this.members.values()].filter((member) => member.isAbsent).length;
  }
  // What the certificate says of a pair.
  pair(i: number, j: number) {
    const forFirst = this.wins[i]![j]!,
      forSecond = this.wins[j]![i]!;
    const certain = this.cannotBeat(i, j) ? "cannot_beat" : this.beats(i, j) ? "beats" : "";
    return {
      forFirst,
      forSecond,
      forNeither: this.answers[i]![j]! - forFirst - forSecond,
      unknown: this.unknown(i, j),
      certain,
      evidence: this.isEarly && certain === "" ? this.evidence[i]![j]!.largest : undefined,
    };
  }
  // Of a winner all its pairs; of none, each arm with the one that it cannot beat.
  pairsOf(winner: number | undefined): [number, number][] {
    if (winner !== undefined) return this.others(winner).map((j) => [winner, j]);
    return [...this.wins.keys()].map((i) => [i, this.stopperOf(i)]);
  }

  // --- Records ------------------------------------------------------------------------------------

  private hasSeat(subject: string): boolean {
    if (subject === "") return false;
    const member = this.members.get(subject);
    if (member?.isAbsent) return false;
    if (member && member.said.size + member.asked.size > 0) return true;
    if (this.isClosed) return false;
    if (this.list.length > 0) return this.list.includes(subject);
    return this.members.size < (this.size ?? MOST_MEMBERS);
  }
  // The place of a duel that may count. Throws where it may not.
  served(subject: string, first: number, second: number, task: string): Asked {
    if (!this.hasSeat(subject)) refuse("a duel is to count whose subject has no seat");
    const pair = pairKey(first, second);
    const member = this.members.get(subject) ?? {
      isAbsent: false,
      said: new Map<string, Said>(),
      asked: new Set<string>(),
    };
    if (member.said.get(pair)?.tasks.has(task) || member.asked.has(`${pair},${task}`))
      refuse("a member is asked about a pair again, and it is to count");
    member.asked.add(`${pair},${task}`);
    this.members.set(subject, member);
    return { subject, first, second, task, isOpen: true };
  }
  answer(asked: Asked, outcome: string): void {
    const { subject, first, second, task } = asked;
    const member = this.members.get(subject);
    const pair = pairKey(first, second);
    // Of somebody who was absent, or no member, by the time of the answer.
    if (!asked.isOpen || !member?.asked.delete(`${pair},${task}`)) return;
    asked.isOpen = false;
    if (outcome === "none" || outcome === "invalid") {
      if (member.said.size + member.asked.size === 0 && !member.isAbsent)
        this.members.delete(subject);
      return;
    }
    const answer = outcome === "first" ? 1 : outcome === "second" ? -1 : 0;
    if (member.said.size === 0) ++this.answered;
    const said = member.said.get(pair) ?? { tasks: new Set<string>(), sum: 0 };
    said.tasks.add(task);
    said.sum += first < second ? answer : -answer;
    member.said.set(pair, said);
    ++this.answers[first]![second]!;
    ++this.answers[second]![first]!;
    if (answer > 0) ++this.wins[first]![second]!;
    if (answer < 0) ++this.wins[second]![first]!;
    if (this.isEarly) this.advance(Math.min(first, second), Math.max(first, second));
  }
  private advance(low: number, high: number): void {
    for (; this.next[low]![high]! < this.list.length; ++this.next[low]![high]!) {
      const member = this.members.get(this.list[this.next[low]![high]!]!);
      const said = member?.said.get(pairKey(low, high));
      if (said?.tasks.size === this.tasks) {
        this.evidence[low]![high]!.observe(said.sum);
        this.evidence[high]![low]!.observe(-said.sum);
      } else if (member?.isAbsent) {
        this.evidence[low]![high]!.observe(-this.tasks);
        this.evidence[high]![low]!.observe(-this.tasks);
      } else {
        return;
      }
    }
  }
  close(members: bigint): void {
    if (this.isEarly) refuse("an early panel is closed");
    if (this.isClosed) refuse("the panel is closed a second time");
    if (this.answered === 0) refuse("the panel is closed before anybody has answered");
    if (members !== BigInt(this.answered))
      refuse(`the panel is closed with ${members} members, but ${this.answered} have answered`);
    this.isClosed = true;
    this.size = this.answered;
    for (const [subject, member] of [...this.members])
      if (member.said.size === 0) this.members.delete(subject);
  }
  miss(subject: string): void {
    if (!this.isEarly || !this.list.includes(subject))
      refuse("who is declared absent is not on the list of an early panel");
    const member = this.members.get(subject) ?? {
      isAbsent: false,
      said: new Map<string, Said>(),
      asked: new Set<string>(),
    };
    if (member.isAbsent) refuse("a member is declared absent a second time");
    member.isAbsent = true;
    member.asked.clear();
    this.members.set(subject, member);
    for (let i = 0; i < this.arms; ++i) for (let j = i + 1; j < this.arms; ++j) this.advance(i, j);
  }
}

const pairKey = (i: number, j: number) => `${Math.min(i, j)},${Math.max(i, j)}`;
