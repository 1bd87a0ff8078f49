// Points of a space: their ids, the candidates with their shares of alpha, and the proof that a
// point beats the one in use (docs/certificates.md). No learner is needed to read a log.
import { evidenceAgainst, type Decision, type Place } from "./evidence";
import { Members, NumberText, refuse, type Value, type Written } from "./json";
import { naturalLog, numberText } from "./numbers";
import type { RecordOf } from "./records";

// What points are in a duel, in the place of arms.
export const ROLE = {
  inUse: 0,
  candidate: 1,
  searched: 2,
  searchedToo: 3,
  certified: 4,
  beaten: 5,
};
export const ROLES = 6;
const MOST_KNOWN = 4096;

interface Dimension {
  name: string;
  low: number;
  high: number;
  inUse: number;
  isLog: boolean;
  step: number;
}
interface Point {
  ordinal: number; // 0: the point that was in use at first
  values: number[];
}
const idOf = (ordinal: number) => (ordinal === 0 ? "default" : `p${ordinal}`);
const keyOf = (values: number[]) => values.join(" ");

function numberIn(members: Members, name: string): number {
  const found = members.list.find(([one]) => one === name)?.[1];
  return found instanceof NumberText ? Number(found.text) : refuse(`'${name}' is not a number`);
}

function dimensionsOf(space: Value): Dimension[] {
  if (!(space instanceof Members) || space.list.length < 1 || space.list.length > 100)
    return refuse("the space has no dimensions");
  return space.list.map(([name, one]) => {
    if (!(one instanceof Members)) return refuse(`the dimension '${name}' is no object`);
    const has = (field: string) => one.list.some(([known]) => known === field);
    const dimension = {
      name,
      low: numberIn(one, "low"),
      high: numberIn(one, "high"),
      inUse: numberIn(one, "default"),
      isLog: one.list.some(([field, value]) => field === "scale" && value === "log"),
      step: has("step") ? numberIn(one, "step") : 0,
    };
    if (!(dimension.low < dimension.high)) refuse(`the dimension '${name}' is empty`);
    checkValue(dimension, dimension.inUse);
    return dimension;
  });
}

function checkValue({ name, low, high, step }: Dimension, value: number): void {
  if (!(value >= low && value <= high)) refuse(`'${name}' lies outside`);
  if (!(step > 0)) return;
  const steps = Math.min(Math.floor((high - low) / step + 1e-9), Math.round((value - low) / step));
  if (Math.abs(low + step * Math.max(0, steps) - value) > 1e-8 * step)
    refuse(`'${name}' lies between two steps`);
}

export class TunedSpace {
  readonly dimensions: Dimension[];
  inUse: Point;
  candidate: Point;
  certified: Point;
  beaten: Point;
  generation = 1;
  number = 0; // of the candidate, in its generation
  wins = 0;
  losses = 0;
  private stands = false;
  private isCertified = false;
  private decided = false;
  private places: Place[] = []; // of the candidate
  private released = 0;
  private nextOrdinal = 1;
  private readonly known = new Map<string, number>(); // in the order in which they came
  private readonly met = new Set<string>(); // tasks
  private readonly adopts: boolean;
  private readonly evidence = evidenceAgainst(0);

  constructor(private readonly experiment: RecordOf<"experiment">) {
    const { arms, goal, about, aa_rate, service, stopping, space } = experiment;
    this.dimensions = dimensionsOf(space!.dimensions);
    if (arms.length > 0) refuse("arms or the points of a space are compared");
    if (goal !== "condorcet" || about === "these_people" || aa_rate > 0)
      refuse("the first record does not go with a space");
    if (experiment.comparisons_count || experiment.one_look_after > 0n)
      refuse("comparisons made elsewhere prove nothing about a point");
    if (stopping.min_decisive_per_pair > 0n || service.guardrails.explore_floor > 0)
      refuse("the first record does not go with a space");
    if (!(stopping.alpha > 0 && stopping.alpha < 1)) refuse("alpha is not between 0 and 1");
    this.adopts = service.on_certified === "adopt";
    this.inUse = { ordinal: 0, values: this.dimensions.map((one) => one.inUse) };
    this.candidate = this.certified = this.beaten = this.inUse;
  }

  // --- Points -------------------------------------------------------------------------------------

  private valuesOf(point: Value): number[] {
    if (!(point instanceof Members)) return refuse("a point is no object");
    const values = this.dimensions.map((dimension) => {
      const value = numberIn(point, dimension.name);
      checkValue(dimension, value);
      return value;
    });
    if (point.list.length !== values.length) refuse("a point has other dimensions");
    return values;
  }
  private ordinalOf(values: number[]): number {
    const key = keyOf(values);
    if (key === keyOf(this.inUse.values)) return this.inUse.ordinal;
    if (this.candidate.ordinal !== 0 && key === keyOf(this.candidate.values))
      return this.candidate.ordinal;
    return this.known.get(key) ?? this.nextOrdinal;
  }
  private know(ordinal: number, values: number[]): void {
    const key = keyOf(values);
    if (ordinal === this.inUse.ordinal || this.known.has(key)) return;
    this.known.set(key, ordinal);
    this.nextOrdinal = Math.max(this.nextOrdinal, ordinal + 1);
    if (this.known.size > MOST_KNOWN) this.known.delete(this.known.keys().next().value!);
  }
  nameOf(role: number): string {
    if (role === ROLE.inUse) return idOf(this.inUse.ordinal);
    if (role === ROLE.candidate)
      return this.candidate.ordinal === 0 ? "candidate" : idOf(this.candidate.ordinal);
    if (role === ROLE.certified) return idOf(this.certified.ordinal);
    if (role === ROLE.beaten) return idOf(this.beaten.ordinal);
    return role === ROLE.searched ? "searched" : "searched-too";
  }

  // --- Records ------------------------------------------------------------------------------------

  // What the two points of a duel are; refuses what cannot be served.
  served(record: RecordOf<"serve">): { roles: [number, number]; count: () => void } {
    const first = this.valuesOf(record.first_point);
    const second = this.valuesOf(record.second_point);
    if (record.serving !== "explore") refuse("points are served as 'explore'");
    if (keyOf(first) === keyOf(second)) refuse("a point is served against itself");
    const one = this.ordinalOf(first);
    const next = this.ordinalOf(second);
    const two = one === this.nextOrdinal && next === one ? next + 1 : next;
    if (record.first !== idOf(one) || record.second !== idOf(two))
      refuse(`the points are '${idOf(one)}' and '${idOf(two)}' here`);
    const roles = this.rolesOf(one, two);
    if (record.evidence) {
      if (roles[0] === ROLE.searched || !this.stands)
        refuse("a duel is to count, but no candidate meets the point in use");
      if (record.task !== "" && this.isOfTasks() && this.met.has(record.task))
        refuse(`a duel was about the task '${record.task}' before, and it is to count`);
    }
    const count = () => {
      this.know(one, first);
      this.know(two, second);
      if (record.task !== "" && this.isOfTasks()) this.met.add(record.task);
    };
    return { roles, count };
  }
  private isOfTasks(): boolean {
    return this.experiment.tasks.about === "tasks_like_these";
  }
  private rolesOf(one: number, two: number): [number, number] {
    const [candidate, inUse] = [this.candidate.ordinal, this.inUse.ordinal];
    if (candidate !== 0 && one === candidate && two === inUse) return [ROLE.candidate, ROLE.inUse];
    if (candidate !== 0 && one === inUse && two === candidate) return [ROLE.inUse, ROLE.candidate];
    return [ROLE.searched, ROLE.searchedToo];
  }
  level(m: number): number {
    let { alpha } = this.experiment.stopping;
    for (let g = 0; this.adopts && g < this.generation; ++g) alpha /= 2;
    return alpha / (m * (m + 1));
  }
  take(record: RecordOf<"candidate">): void {
    const values = this.valuesOf(record.point);
    if (this.stands) refuse("a candidate is taken while another one stands");
    if (record.generation !== BigInt(this.generation) || record.number !== BigInt(this.number + 1))
      refuse(`candidate ${record.number} is out of turn`);
    if (keyOf(values) === keyOf(this.inUse.values)) refuse("the point in use is its own candidate");
    if (record.level !== this.level(this.number + 1))
      refuse(`the level of the candidate is not ${record.level}`);
    const ordinal = this.ordinalOf(values);
    if (record.point_id !== idOf(ordinal)) refuse(`the point is '${idOf(ordinal)}' here`);
    this.know(ordinal, values);
    this.candidate = { ordinal, values };
    ++this.number;
    this.stands = true;
    this.isCertified = this.decided = false;
    this.wins = this.losses = this.released = 0;
    this.places = [];
  }
  giveUp(record: RecordOf<"given_up">): void {
    if (record.reason !== "beaten" && record.reason !== "better_guess")
      refuse(`'${record.reason}' is no reason to give a candidate up`);
    if (!this.stands || record.number !== BigInt(this.number))
      refuse(`candidate ${record.number} does not stand`);
    this.stands = false;
    this.places = [];
  }
  recommend(record: RecordOf<"recommended">): void {
    this.valuesOf(record.point);
  }
  recorded(): void {
    if (!this.adopts) return;
    ++this.generation;
    this.number = 0;
    this.isCertified = false;
    this.inUse = this.certified;
    this.candidate = { ordinal: 0, values: [] };
    this.places = [];
  }

  // --- Evidence -----------------------------------------------------------------------------------

  place(roles: [number, number], asked: number): Place {
    const place: Place = {
      first: roles[0] === ROLE.candidate ? ROLE.certified : ROLE.beaten,
      second: roles[0] === ROLE.candidate ? ROLE.beaten : ROLE.certified,
      result: undefined,
      asked,
      voter: "",
      isAnswer: false,
      isCounted: false,
    };
    this.places.push(place);
    return place;
  }
  answered(place: Place, result: Place["result"], voter?: string): void {
    place.result = result;
    place.isAnswer = voter !== undefined;
    place.voter = voter ?? "";
    for (; this.places[this.released]?.result !== undefined; ++this.released) {
      const one = this.places[this.released]!;
      one.isCounted = true;
      if (this.isCertified || one.result === "neither") continue;
      const isWin = (one.result === "first") === (one.first === ROLE.certified);
      if (isWin) ++this.wins;
      else ++this.losses;
      if (!isWin || this.evidence(this.wins, this.losses) < this.threshold()) continue;
      this.isCertified = true;
      this.stands = false;
    }
  }
  private threshold(): number {
    return -naturalLog(this.level(this.number));
  }
  // The answers of the candidate that are evidence, in the order of serving.
  answers(): Place[] {
    return this.places.filter((place) => place.isCounted && place.isAnswer);
  }
  // A certificate that was not given before.
  decision(): Decision | undefined {
    if (!this.isCertified || this.decided) return undefined;
    this.decided = true;
    this.certified = this.candidate;
    this.beaten = this.inUse;
    const { wins, losses } = this;
    return {
      kind: "point",
      winner: ROLE.certified,
      named: [],
      cycle: [],
      findings: [
        {
          winner: ROLE.certified,
          loser: ROLE.beaten,
          wins,
          losses,
          evidence: this.evidence(wins, losses),
          threshold: this.threshold(),
          then: [wins, losses],
          units: undefined,
        },
      ],
    };
  }

  // --- For the certificate ------------------------------------------------------------------------

  words(point: Point): string {
    return this.dimensions
      .map(({ name }, k) => `${name} ${numberText(Number(point.values[k]!.toPrecision(4)))}`)
      .join(", ");
  }
  private payload(point: Point): Written {
    return Object.fromEntries(this.dimensions.map(({ name }, k) => [name, point.values[k]!]));
  }
  written(): Written {
    return {
      dimensions: Object.fromEntries(
        this.dimensions.map(({ name, low, high, inUse, isLog, step }) => [
          name,
          {
            low,
            high,
            default: inUse,
            scale: isLog ? "log" : undefined,
            step: step > 0 ? step : undefined,
          },
        ]),
      ),
      point: this.payload(this.certified),
      in_use: this.payload(this.beaten),
      generation: BigInt(this.generation),
      candidate: BigInt(this.number),
      level: this.level(this.number),
    };
  }
}
