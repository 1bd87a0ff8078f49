// What a log says, record after record: which records may follow, what is counted and what is
// certified.
import { Referee, table, unfitGoal, type Decision } from "./evidence";
import { checkContext, checkFeatures } from "./features";
import { refuse } from "./json";
import { checkSlices, checkSliceValues } from "./slices";
import { Panel, type Asked } from "./panel";
import { resultOfScore } from "./records";
import { ROLES, TunedSpace } from "./space";
import type { AnyRecord, Answer, ArmEntry, Judgement, RecordOf } from "./records";

export interface Arm extends ArmEntry {
  name: string; // for people
  isActive: boolean;
}

export interface Counts {
  served: number;
  firstWins: number;
  secondWins: number;
  ties: number;
  bothBad: number;
  skips: number;
  invalid: number;
  expired: number;
  moot: number; // of the expired ones: the certificate came before
  silentTies: number; // of the ties: nobody answered
  clickless: number; // of the expired ones and the silent ties: pages that nobody clicked on
  graded: number; // answers that say how much
  programAlone: number; // where people audit a program: what they did not
  failedTries: bigint;
}
const noCounts = (): Counts => ({
  served: 0,
  firstWins: 0,
  secondWins: 0,
  ties: 0,
  bothBad: 0,
  skips: 0,
  invalid: 0,
  expired: 0,
  moot: 0,
  silentTies: 0,
  clickless: 0,
  graded: 0,
  programAlone: 0,
  failedTries: 0n,
});
export const added = (all: Counts[]): Counts =>
  all.reduce((sum, one) => {
    for (const key of Object.keys(sum) as (keyof Counts)[])
      (sum[key] as number) = (sum[key] as number) + (one[key] as number);
    return sum;
  }, noCounts());
const COLUMN = {
  first: "firstWins",
  second: "secondWins",
  tie: "ties",
  both_bad: "bothBad",
  skip: "skips",
  invalid: "invalid",
  graded: "graded",
} as const;
type Outcome = keyof typeof COLUMN;

// How far a duel is that people may audit.
interface Audit {
  step: "asked" | "judged" | "undrawn" | "drawn" | "lost";
  share: number;
  program: number;
  isSilent: boolean;
  offers: bigint;
}

interface Duel {
  first: number;
  second: number;
  ids: [first: string, second: string];
  isAa: boolean;
  subject: string; // who was asked; "" where nobody says
  fate: "open" | "answered" | "expired";
  outcome?: Outcome;
  result?: string;
  y?: number; // of an answer that says how much, for the arm shown first
  audit?: Audit;
  place?: ReturnType<Referee["served"]>; // among what may be evidence
  asked?: Asked; // the same of a panel
}

const voterOf = ({ type, id }: { type: string; id: string }) => (id === "" ? "" : `${type}:${id}`);

// Letters, digits and . _ : - of the bytes of a text, anything else as -.
function idFrom(text: string): string {
  let id = "";
  for (const byte of new TextEncoder().encode(text)) {
    const c = String.fromCharCode(byte);
    const isInner = /[A-Za-z0-9._:-]/.test(c);
    if (id !== "" || /[A-Za-z0-9]/.test(c)) id += isInner ? c : "-";
    else if (!isInner) id = "x-";
  }
  return (id || "x").slice(0, 100);
}

// The payload, if the id was made from it.
function originalName(arm: ArmEntry): string {
  if (arm.payload === "" || arm.sha256 !== "") return arm.arm_id;
  const made = idFrom(arm.payload),
    base = `${made.slice(0, 90)}-`;
  const isNumbered = arm.arm_id.startsWith(base) && /^\d+$/.test(arm.arm_id.slice(base.length));
  const name = arm.arm_id === made || isNumbered ? arm.payload : arm.arm_id;
  return name.replace(/[\0-\x1f\x7f-\x9f\ufffd]/g, "?");
}

export class Ledger {
  arms: Arm[] = [];
  sequence = 1;
  readonly shown: Counts[][]; // by the arm shown first and the one shown second
  readonly aa = noCounts();
  readonly flips = { judged: 0, toFirst: 0, toSecond: 0 };
  readonly sources = new Map<string, number>();
  readonly judges = new Map<string, Map<string, [low: number, high: number]>>();
  tasks: RecordOf<"experiment">["tasks"];
  namesTasks = false; // callers named tasks that the first record does not list
  servedDuels = 0;
  comparisons = 0;
  excluded = 0;
  duplicates = 0;
  conflicts = 0;
  late = 0;
  given?: Decision & { sequence: number; head: string };
  referee: Referee;
  panel?: Panel | undefined; // where it is about these people
  readonly isAudited: boolean; // people audit a program
  space?: TunedSpace; // where points are compared
  private state: RecordOf<"state">["state"];
  private onTimeout: "discard" | "tie";
  private readonly withdrawn = new Set<string>();
  private readonly duels = new Map<string, Duel>();
  private readonly met = new Set<string>(); // pairs with a task that was evidence about them
  private readonly isFixed: boolean;
  private readonly tasksEnd: boolean; // the first record lists them
  private readonly tasksOnce: boolean; // each is evidence about a pair once

  constructor(readonly experiment: RecordOf<"experiment">) {
    const { arms, tasks, stopping, service, format } = experiment;
    this.isFixed = stopping.arms_fixed;
    this.isAudited = experiment.audit.share > 0;
    if (this.isAudited) this.checkAudits();
    this.tasks = tasks;
    this.tasksEnd = tasks.count > 0n && tasks.about === "tasks_like_these";
    this.tasksOnce = this.tasksEnd || (tasks.count === 0n && format > 3n);
    const { space } = experiment;
    if (space) this.space = new TunedSpace(experiment);
    if (!space && arms.length < 2) refuse("fewer than two arms cannot be compared");
    if (new Set(arms.map((arm) => arm.arm_id)).size < arms.length) refuse("two arms have one id");
    if (!(experiment.aa_rate >= 0 && experiment.aa_rate <= 0.5)) refuse("aa_rate is out of range");
    if (!space) checkFeatures(arms);
    checkSlices(
      experiment.slices,
      experiment.about === "these_people" || this.isAudited || this.space !== undefined,
    );
    if (this.tasksEnd && !stopping.shared_causes) refuse("a task may reach several pairs");
    if (stopping.shared_causes && !this.isFixed)
      refuse("where pairs share causes the arms are fixed");
    if (experiment.one_look_after > 0n && !(experiment.comparisons_count && this.isFixed)) {
      refuse("one look is for comparisons that count, of a fixed set of arms");
    }
    if (service.starts !== "draft" && service.starts !== "running")
      refuse(`an experiment does not start ${service.starts}`);
    this.state = service.starts;
    this.onTimeout = service.feedback.on_timeout;
    const size = space ? ROLES : arms.length;
    this.referee = this.refereeOf(size);
    this.panel = this.panelOf(size);
    arms.forEach((arm) => this.join(arm));
    this.nameRoles();
    this.shown = table(size, noCounts);
  }

  // Takes the next record. Throws, with nothing decided, where a log cannot go on with it.
  apply(record: AnyRecord, head: string): void {
    this.fold(record);
    ++this.sequence;
    const decision = this.space
      ? this.space.decision()
      : this.given
        ? undefined
        : (this.panel ?? this.referee).decision();
    if (decision) this.given = { ...decision, sequence: this.sequence, head };
    this.nameRoles();
  }
  private fold(record: AnyRecord): void {
    switch (record.record) {
      case "experiment":
        return refuse("a second record 'experiment'");
      case "serve":
        return this.serve(record);
      case "outcome":
        return this.answer(record);
      case "expired":
        return this.expire(record);
      case "comparison":
        return this.compare(record);
      case "arm_added":
        return this.addArm(record);
      case "arm_retired":
        return this.retireArm(record);
      case "certified":
        return this.checkCertified(record);
      case "tasks_added":
        return this.addTasks(record);
      case "audit":
        return this.draw(record);
      case "offer":
        return this.offer(record);
      case "audit_lost":
        return this.giveUp(record);
      case "audit_key":
        return this.isAudited ? undefined : refuse("nobody audits");
      case "panel_closed":
        return (this.panel ?? refuse("there is no panel")).close(record.members);
      case "candidate":
        if (this.isOver()) refuse("a candidate is taken after the end");
        return this.spaceOf().take(record);
      case "given_up":
        return this.spaceOf().giveUp(record);
      case "recommended":
        return this.spaceOf().recommend(record);
      case "absent":
        return (this.panel ?? refuse("there is no panel")).miss(record.subject);
      case "completed":
        return this.complete(record);
      case "state":
        return this.changeState(record);
      case "configured":
        return this.configure(record);
      case "recovered":
        return this.checkRecovered(record);
      case "interleaved":
        return this.checkInterleaved(record);
      case "paged":
        return this.checkPaged(record);
      case "event":
        return this.checkEvent(record);
      case "policy_rebuilt":
        return;
    }
  }
  pair(i: number, j: number): Counts {
    const other = { ...this.shown[j]![i]! };
    [other.firstWins, other.secondWins] = [other.secondWins, other.firstWins];
    return added([this.shown[i]![j]!, other]);
  }
  total(): Counts {
    return added(this.shown.flat());
  }
  // How many arms the thresholds of a fixed set count, or how many an open one began with.
  armsAtTheStart(): number {
    if (this.space) return 0;
    return this.isFixed ? this.arms.length : this.experiment.arms.length;
  }

  private spaceOf(): TunedSpace {
    return this.space ?? refuse("arms are compared, and not the points of a space");
  }
  // What points are in duels has the ids that it has now.
  private nameRoles(): void {
    const { space } = this;
    if (!space) return;
    this.arms = Array.from({ length: ROLES }, (_, role) => {
      const name = space.nameOf(role);
      return {
        arm_id: name,
        name,
        payload: "",
        sha256: "",
        content: undefined,
        features: [],
        isActive: true,
      };
    });
  }
  private refereeOf(size: number): Referee {
    const why = unfitGoal(this.experiment, size);
    return why ? refuse(why) : new Referee(this.experiment, size);
  }
  private panelOf(size: number): Panel | undefined {
    const { about, panel } = this.experiment;
    if (about === "these_people") return new Panel(this.experiment, size);
    if (panel.size > 0n || panel.members.length > 0 || panel.early)
      refuse("a panel is for an experiment about these people");
    return undefined;
  }
  private join(entry: ArmEntry): void {
    let name = originalName(entry);
    for (const other of this.arms) {
      const isSame = entry.payload !== "" && other.payload === entry.payload;
      if (other.name !== name && !isSame) continue;
      other.name = other.arm_id;
      name = entry.arm_id;
    }
    this.arms.push({ ...entry, name, isActive: true });
  }
  private armOf(id: string): number {
    const arm = this.arms.findIndex((one) => one.arm_id === id);
    return arm >= 0 ? arm : refuse(`there is no arm '${id}'`);
  }
  private isOver(): boolean {
    return this.state === "completed" || this.state === "archived";
  }
  private openDuel(id: string): Duel {
    const duel = this.duels.get(id);
    return duel?.fate === "open" ? duel : refuse(`the duel '${id}' is not open`);
  }
  private taskKey(i: number, j: number, task: string): string {
    return `${Math.min(i, j)},${Math.max(i, j)},${task}`;
  }

  // --- Records ------------------------------------------------------------------------------------

  private serve(record: RecordOf<"serve">): void {
    const { duel_id, task, serving } = record;
    const points = this.space?.served(record);
    const [first, second] = points?.roles ?? [this.armOf(record.first), this.armOf(record.second)];
    const isAlone = serving === "aa" || serving === "exploit";
    const { one_look_after, stopping, tasks } = this.experiment;
    if (this.isOver()) refuse("a duel is served after the end");
    if (this.duels.has(duel_id)) refuse(`the duel '${duel_id}' is served a second time`);
    if (record.ordinal !== BigInt(this.servedDuels))
      refuse(`the ordinal is ${record.ordinal}, not ${this.servedDuels}`);
    if ((first === second) !== isAlone)
      refuse(`'${record.first}' against '${record.second}' is served as '${serving}'`);
    if (!this.arms[first]!.isActive || !this.arms[second]!.isActive)
      refuse("a retired arm is served");
    if (record.evidence) {
      if (one_look_after > 0n) refuse("a duel is to count where there is one look");
      if (!this.panel && !points && this.tasksOnce && task !== "") {
        if (!stopping.shared_causes) refuse("a task may reach several pairs");
        if (this.met.has(this.taskKey(first, second, task)))
          refuse(`the pair meets about the task '${task}' again, and it is to count`);
      }
    }
    checkSliceValues(this.experiment.slices, record.slices);
    checkContext(this.arms, record.context);
    if (record.audit !== 0) this.checkShare(record, isAlone);
    if (record.evidence && first !== second && this.isAudited !== record.audit > 0)
      refuse("a duel is to count that nobody could audit");
    if (tasks.count > 0n && task === "" && first !== second) refuse("a duel has no task");
    if (stopping.max_duels > 0n && this.servedDuels >= stopping.max_duels)
      refuse("more than max_duels are served");

    const asked =
      this.panel && record.evidence && first !== second
        ? this.panel.served(record.subject, first, second, task)
        : undefined;
    ++this.servedDuels;
    if (record.by === "exclude") ++this.excluded;
    if (serving === "exploit") return;
    const { subject } = record;
    const duel: Duel = {
      first,
      second,
      ids: [record.first, record.second],
      isAa: serving === "aa",
      subject,
      fate: "open",
    };
    if (record.audit > 0)
      duel.audit = { step: "asked", share: record.audit, program: 0, isSilent: false, offers: 0n };
    ++this.countsOf(duel).served;
    if (points) {
      if (record.evidence) duel.place = this.space!.place(points.roles, this.sequence + 1);
      points.count();
    } else if (asked) {
      duel.asked = asked;
    } else if (record.evidence && first !== second) {
      if (task !== "" && this.tasks.about === "tasks_like_these") {
        this.met.add(this.taskKey(first, second, task));
        if (this.tasksOnce && !this.tasksEnd) this.namesTasks = true;
      }
      duel.place = this.referee.served(first, second, this.sequence + 1);
    }
    this.duels.set(duel_id, duel);
  }

  private answer(record: RecordOf<"outcome">): void {
    const duel = this.duels.get(record.duel_id) ?? refuse(`no duel '${record.duel_id}' was served`);
    const outcome = this.outcomeOf(record, duel.first, duel.second, duel.ids);
    const isProgram = record.source.type === "judge" || record.source.type === "program";
    const y = this.numberOf(record, outcome);
    const { audit } = duel;
    if (outcome === "graded" && duel.place) this.checkGraded();
    if (audit?.step === "asked" && !isProgram) refuse("a person answers before the program");
    if (audit?.step === "judged") refuse("whether a person is asked is yet to be drawn");
    // People are asked once, in the order in which it is shown.
    if (audit?.step !== "drawn" || duel.fate !== "open" || isProgram)
      this.checkJudgements(record, duel);
    if (audit?.step === "asked") {
      Object.assign(duel, { result: record.result, outcome, y });
      Object.assign(audit, { step: "judged", program: y });
      this.countSource(record.source);
      if (!duel.isAa) this.countJudgements(record, duel, outcome);
      return;
    }
    if (audit && isProgram && audit.step !== "undrawn") {
      if (y === audit.program) ++this.duplicates;
      else ++this.conflicts;
      return;
    }
    if (audit && !isProgram && audit.step !== "drawn") {
      ++this.late;
      return;
    }
    if (duel.fate !== "open") {
      const isSame =
        duel.result === record.result &&
        duel.outcome === outcome &&
        (outcome !== "graded" || duel.y === y);
      if (duel.fate === "expired") ++this.late;
      else if (isSame) ++this.duplicates;
      else ++this.conflicts;
      return;
    }
    if (audit?.step === "drawn" && outcome === "invalid") return; // somebody else is asked
    Object.assign(duel, { fate: "answered", result: record.result, outcome, y });
    const counts = this.countsOf(duel);
    const isAlone = this.isAudited && isProgram && duel.first !== duel.second;
    if (isAlone) ++counts.programAlone;
    else {
      ++counts[COLUMN[outcome]];
      this.countTries(counts, record.failed_tries, outcome === "invalid");
    }
    this.countSource(record.source);
    if (!duel.isAa) this.countJudgements(record, duel, outcome);
    if (duel.asked) {
      if (outcome === "graded") this.checkGraded();
      else this.panel!.answer(duel.asked, outcome);
    }
    if (!duel.place) return;
    const voter = outcome === "invalid" ? undefined : duel.subject || voterOf(record.source);
    if (audit) {
      this.release(duel, y, voterOf(record.source));
      return;
    }
    if (outcome === "graded") duel.place.y = y;
    (this.space ?? this.referee).answered(
      duel.place,
      outcome === "first" || outcome === "second" ? outcome : "neither",
      voter,
    );
  }

  // --- Where people audit a program -----------------------------------------------------------------

  private checkAudits(): void {
    const { audit, about, service, comparisons_count, goal } = this.experiment;
    if (!(audit.share > 0 && audit.share <= 1)) refuse("the share of audits is out of range");
    if (!(audit.least >= 0 && audit.least <= audit.share))
      refuse("the least share of audits is out of range");
    if (about === "these_people" || service.mode === "interleave" || comparisons_count)
      refuse("this cannot be audited");
    if (["copeland", "borda", "epsilon"].includes(goal)) refuse("the goal cannot be audited");
  }
  private checkShare(
    record: RecordOf<"serve"> & { isAroundLoss?: boolean },
    isAlone: boolean,
  ): void {
    const { share, least, price } = this.experiment.audit;
    if (!(record.audit > 0 && record.audit <= 1)) refuse("a share that makes no sense");
    // A loss of power takes the evidence from a duel that could be drawn when it was served.
    const isEvidence = record.evidence || record.isAroundLoss;
    if (!this.isAudited || !isEvidence || isAlone) refuse("only evidence is audited");
    const isByPrice = price.judge > 0 && price.person > 0;
    if (isByPrice ? record.audit < least : record.audit !== share)
      refuse(`the duel is drawn with the probability ${record.audit}`);
  }
  private checkGraded(): void {
    if (this.panel || ["copeland", "borda", "epsilon"].includes(this.experiment.goal))
      refuse("a graded answer cannot count here");
  }
  private auditOf(id: string, step: Audit["step"]): [duel: Duel, audit: Audit] {
    const duel = this.openDuel(id);
    if (duel.audit?.step !== step) refuse(`the duel '${id}' is not ${step}`);
    return [duel, duel.audit!];
  }
  private draw(record: RecordOf<"audit">): void {
    const [duel, audit] = this.auditOf(record.duel_id, "judged");
    if (record.drawn) {
      audit.step = "drawn";
      return;
    }
    audit.step = "undrawn";
    duel.fate = audit.isSilent ? "expired" : "answered";
    ++this.countsOf(duel).programAlone;
    this.release(duel, 0, "");
  }
  private offer(record: RecordOf<"offer">): void {
    ++this.auditOf(record.duel_id, "drawn")[1].offers;
  }
  private giveUp(record: RecordOf<"audit_lost">): void {
    const [duel, audit] = this.auditOf(record.duel_id, "drawn");
    const most = this.experiment.audit.give_up_after;
    if (most === 0n || audit.offers < most) refuse("a duel is given up before its time");
    audit.step = "lost";
    duel.fate = "expired";
    ++this.countsOf(duel).expired;
    this.release(duel, 0, "");
  }
  // All that will be known of the duel is.
  private release(duel: Duel, person: number, voter: string): void {
    const { step, share, program } = duel.audit!;
    if (!duel.place) return;
    duel.place.audited = {
      share,
      program,
      isDrawn: step !== "undrawn",
      person: step === "drawn" ? person : 0,
      isLost: step === "lost",
    };
    this.referee.answered(duel.place, "neither", voter);
  }
  // An answer as a number, for the arm shown first.
  private numberOf({ score }: Answer, outcome: Outcome): number {
    if (outcome === "graded") return 2 * score! - 1;
    return outcome === "first" ? 1 : outcome === "second" ? -1 : 0;
  }

  private expire(record: RecordOf<"expired">): void {
    const duel = this.openDuel(record.duel_id);
    if (duel.audit?.step === "asked") {
      // It is drawn or not all the same.
      Object.assign(duel.audit, { step: "judged", isSilent: true });
      return;
    }
    duel.fate = "expired";
    const counts = this.countsOf(duel);
    const isMoot = this.given && this.experiment.format > 1n;
    if (this.onTimeout === "tie" && this.experiment.format > 3n) {
      ++counts.ties;
      ++counts.silentTies;
    } else {
      ++counts.expired;
      if (isMoot) ++counts.moot;
    }
    const isClickless = record.note === "no_feedback" || record.note === "no_contest";
    if (this.experiment.service.mode === "interleave" && isClickless && !isMoot) ++counts.clickless;
    this.countTries(counts, record.failed_tries, true);
    if (duel.asked) this.panel!.answer(duel.asked, "none");
    // Where a person was waited for, nothing that comes later is evidence.
    if (duel.place && !duel.audit) (this.space ?? this.referee).answered(duel.place, "neither");
  }

  private compare(record: RecordOf<"comparison">): void {
    if (this.space) refuse("points of a space are compared, and not arms");
    const first = this.armOf(record.first),
      second = this.armOf(record.second);
    if (first === second) refuse(`the arm '${record.first}' is compared with itself`);
    const outcome = this.outcomeOf({ ...record, place: 0n }, first, second);
    ++this.comparisons;
    this.countSource(record.source);
    if (this.experiment.comparisons_count) {
      const counts = this.shown[first]![second]!;
      ++counts.served;
      ++counts[COLUMN[outcome]];
      if (record.evidence) {
        const place = this.referee.served(first, second, this.sequence + 1);
        if (outcome === "graded") {
          this.checkGraded();
          place.y = this.numberOf({ ...record, place: 0n }, outcome);
        }
        this.referee.answered(
          place,
          outcome === "first" || outcome === "second" ? outcome : "neither",
          outcome === "invalid" ? undefined : voterOf(record.source),
        );
      }
    }
    if (BigInt(this.comparisons) === this.experiment.one_look_after) this.referee.look();
  }

  private addArm(record: RecordOf<"arm_added">): void {
    if (this.space) refuse("points of a space are compared, and not arms");
    if (
      this.withdrawn.has(record.arm_id) ||
      this.arms.some((arm) => arm.arm_id === record.arm_id)
    ) {
      refuse(`there is an arm '${record.arm_id}' already`);
    }
    checkFeatures([this.arms[0]!, record]);
    if (this.isFixed) this.referee = this.changedSet(this.arms.length + 1);
    else this.referee.contest.add();
    this.join(record);
    for (const row of this.shown) row.push(noCounts());
    this.shown.push(this.arms.map(noCounts));
  }

  private retireArm(record: RecordOf<"arm_retired">): void {
    if (this.space) refuse("points of a space are compared, and not arms");
    const arm = this.armOf(record.arm_id);
    if (!this.arms[arm]!.isActive) refuse(`the arm '${record.arm_id}' is retired a second time`);
    if (!this.isFixed) {
      this.arms[arm]!.isActive = false;
      this.referee.contest.retire(arm);
      return;
    }
    this.referee = this.changedSet(this.arms.length - 1);
    this.withdrawn.add(record.arm_id);
    const left = this.arms.filter((_, k) => k !== arm);
    this.arms = [];
    left.forEach((entry) => this.join(entry)); // its name may be free for another now
    this.shown.splice(0, 1);
    for (const row of this.shown) row.splice(0, 1);
  }

  // A fixed set may change while it is a draft and nothing was counted.
  private changedSet(size: number): Referee {
    if (this.state !== "draft" || this.servedDuels > 0 || this.comparisons > 0 || size < 2)
      refuse("a fixed set of arms changes");
    this.panel = this.panelOf(size);
    return this.refereeOf(size);
  }

  private checkCertified(record: RecordOf<"certified">): void {
    const given =
      this.given ?? refuse("the log says 'certified', but the records before certify nothing");
    const found = [
      given.kind,
      given.winner === undefined ? "" : this.arms[given.winner]!.arm_id,
      given.sequence,
      ...given.named.map((arm) => this.arms[arm]!.arm_id),
    ];
    const said = [record.kind, record.winner, record.at, ...record.arms.map((arm) => arm.arm_id)];
    const isSame =
      said.length === found.length && said.every((one, k) => String(one) === String(found[k]));
    if (!isSame)
      refuse(
        `the log says it certifies '${said.join(" ")}', but the records before certify '${found.join(" ")}'`,
      );
    this.space?.recorded();
  }

  private addTasks(record: RecordOf<"tasks_added">): void {
    if (!this.tasksEnd)
      refuse("tasks are added where the certificate is not about tasks like these");
    if (this.given || this.isOver()) refuse("tasks are added at the end");
    if (record.count <= this.tasks.count)
      refuse(`${record.count} tasks of ${this.tasks.count} before are no more`);
    this.tasks = { ...this.tasks, ...record };
  }

  private complete(record: RecordOf<"completed">): void {
    if (this.isOver()) refuse("the experiment is completed a second time");
    if (!["certified", "max_duels", "stopped"].includes(record.reason))
      refuse(`'${record.reason}' is no reason to complete`);
    this.state = "completed";
  }

  private static readonly BEFORE: { [state: string]: string[] } = {
    running: ["draft", "paused"],
    paused: ["running"],
    archived: ["completed"],
  };
  private changeState(record: RecordOf<"state">): void {
    if (!Ledger.BEFORE[record.state]?.includes(this.state))
      refuse(`what is ${this.state} cannot become ${record.state}`);
    this.state = record.state;
  }

  private configure(record: RecordOf<"configured">): void {
    if (this.isOver()) refuse("a completed experiment is configured");
    this.onTimeout = record.feedback.on_timeout;
  }

  private checkRecovered(record: RecordOf<"recovered">): void {
    if (record.after > this.sequence) refuse(`record ${record.after} is yet to come`);
  }

  private checkInterleaved(record: RecordOf<"interleaved">): void {
    for (const other of record.others) this.armOf(other.arm_id);
    this.openDuel(record.duel_id);
  }

  private checkPaged(record: RecordOf<"paged">): void {
    if (record.from > record.to) refuse("a page ends before it begins");
    this.openDuel(record.duel_id);
  }

  private checkEvent(record: RecordOf<"event">): void {
    if (!(record.credit >= 0) || record.place > 2 + this.arms.length)
      refuse("the credit makes no sense");
    if (!record.late) this.openDuel(record.duel_id);
  }

  // --- Answers ------------------------------------------------------------------------------------

  private outcomeOf(
    answer: Answer,
    first: number,
    second: number,
    ids = [this.arms[first]!.arm_id, this.arms[second]!.arm_id],
  ): Outcome {
    const { result, winner, place, score } = answer;
    if (result !== "win") return result;
    const isFirst = score === 1 && (first === second ? place === 1n : winner === ids[0]);
    const isSecond = score === 0 && (first === second ? place === 2n : winner === ids[1]);
    if (score !== null && !isFirst && !isSecond) refuse("the score makes another winner");
    if (first === second) {
      if (winner === ids[0] && place > 0n) return place === 1n ? "first" : "second";
    } else if (place === 0n) {
      if (winner === ids[0]) return "first";
      if (winner === ids[1]) return "second";
    }
    return refuse(`'${winner}' cannot have won`);
  }

  private checkJudgements(record: RecordOf<"outcome">, duel: Duel): void {
    const { judgements, result } = record;
    const isBoth = this.experiment.order === "both";
    if (judgements.length === 0 && (!isBoth || result === "skip" || result === "invalid")) return;
    const isJury = judgements.some((judgement) => judgement.judge !== "");
    const ids = [...duel.ids];
    const shown = judgements.map((judgement) => judgement.first);
    if (isJury) {
      if (judgements.some((judgement) => judgement.judge === ""))
        refuse("a judgement of several does not say whose");
      const orders = isBoth ? ids : ids.slice(0, 1);
      if (!shown.every((id) => orders.includes(id)) || !orders.every((id) => shown.includes(id)))
        refuse("several judges were shown other orders");
    } else {
      if (!isBoth || judgements.length !== 2)
        refuse("two judgements belong to a duel that is judged in both orders");
      if (shown.join(" ") !== ids.join(" ") && shown.join(" ") !== ids.reverse().join(" "))
        refuse("the judgements show other arms");
    }
    const [first, second] = [duel.first, duel.second];
    const isTurned = (judgement: Judgement) => judgement.first !== duel.ids[0];
    for (const judgement of judgements)
      if (isTurned(judgement)) this.outcomeOf(judgement, second, first, [...duel.ids].reverse());
      else this.outcomeOf(judgement, first, second, duel.ids);
    if (isJury || judgements.some((judgement) => judgement.score !== null)) {
      this.checkMeanScore(record, judgements, first, second, isTurned);
      return;
    }
    const [one, other] = judgements as [Judgement, Judgement];
    const key = (a: Answer) => `${a.result} ${a.winner} ${a.place}`;
    // What both say counts; a flip is a tie; nothing is said where one says nothing.
    const empty = ["invalid", "skip"].find((word) => one.result === word || other.result === word);
    const together = empty ? `${empty}  0` : key(one) === key(other) ? key(one) : "tie  0";
    if (together !== key(record)) refuse(`the judgements make '${together}', not '${key(record)}'`);
  }

  // Where a judgement has a score, and of several judges, their mean score counts.
  private checkMeanScore(
    record: RecordOf<"outcome">,
    judgements: Judgement[],
    first: number,
    second: number,
    isTurned: (judgement: Judgement) => boolean,
  ): void {
    let sum = 0,
      count = 0;
    for (const judgement of judgements) {
      if (judgement.result === "invalid") continue;
      const shown = isTurned(judgement) ? [second, first] : [first, second];
      const outcome = this.outcomeOf(judgement, shown[0]!, shown[1]!);
      const score =
        outcome === "graded"
          ? judgement.score!
          : outcome === "first"
            ? 1
            : outcome === "second"
              ? 0
              : 0.5;
      sum += isTurned(judgement) ? 1 - score : score;
      ++count;
    }
    const isFit =
      count === 0
        ? record.result === "invalid"
        : record.score === sum / count && record.result === resultOfScore(sum / count);
    if (!isFit) refuse("the judgements make another answer");
  }

  private countsOf(duel: Duel): Counts {
    return duel.isAa ? this.aa : this.shown[duel.first]![duel.second]!;
  }
  // Where no answer came in the end, the last try that failed is the loss itself.
  private countTries(counts: Counts, tries: bigint, isLost: boolean): void {
    counts.failedTries += tries - (isLost && tries > 0n ? 1n : 0n);
  }
  private countSource({ type, id }: { type: string; id: string }): void {
    if (type === "" && id === "") return;
    this.sources.set(`${type}:${id}`, (this.sources.get(`${type}:${id}`) ?? 0) + 1);
  }
  private countJudgements(record: RecordOf<"outcome">, duel: Duel, outcome: Outcome): void {
    if (record.source.type === "judge") {
      const said = this.judges.get(record.source.id) ?? new Map<string, [number, number]>();
      const key = this.taskKey(duel.first, duel.second, "");
      const wins = said.get(key) ?? [0, 0];
      const isLow = (outcome === "first") === duel.first < duel.second;
      if (outcome === "first" || outcome === "second") ++wins[isLow ? 0 : 1];
      this.judges.set(record.source.id, said.set(key, wins));
    }
    if (record.judgements.length !== 2 || record.judgements[0]!.judge !== "") return;
    ++this.flips.judged;
    const places = record.judgements.map((j) => {
      if (j.score !== null && j.score !== 0.5) return j.score > 0.5 ? 1 : 2;
      return j.result !== "win" ? 0 : j.winner === j.first ? 1 : 2;
    });
    if (places[0] === 1 && places[1] === 1) ++this.flips.toFirst;
    if (places[0] === 2 && places[1] === 2) ++this.flips.toSecond;
  }
}
