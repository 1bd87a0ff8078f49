// The certificate that a log gives, as the bytes of its file.
import type { Finding } from "./evidence";
import { answered, checkHealth } from "./health";
import { written, type Written } from "./json";
import type { Ledger } from "./ledger";
import type { Panel } from "./panel";
import { evidenceText, numberText } from "./numbers";
import type { CertificateKind } from "./records";
import { ROLE, type TunedSpace } from "./space";
import { ifWrong } from "./wrong";

const COUNTED =
  "; each counts, within its pair and in serving order, the duels with a decisive answer";
const ofSequence =
  "the e-process of each named arm against each arm that comes later or is not named has reached the threshold" +
  COUNTED;
const ofScores =
  "confidence sequences of all pairs hold at once; the winner's lower score reaches every other arm's upper score";
const RULE_TEXTS: { [kind in CertificateKind]: string } = {
  winner: "the e-process of the winner against each rival has reached its threshold" + COUNTED,
  no_winner:
    "every arm is beaten by another one: the e-process of each such pair has reached its threshold",
  set:
    "the e-process of each arm of the set against each arm outside has reached the threshold" +
    COUNTED,
  order: ofSequence,
  ranking: ofSequence,
  epsilon:
    "the e-process of the arm against each rival, for the null that it wins at most 1/2 - epsilon of their duels, has reached its threshold" +
    COUNTED,
  point:
    "the e-process of the candidate against the point in use, begun when the candidate was frozen, has reached the threshold of its share of alpha, alpha / (m (m + 1)) for the m-th candidate" +
    COUNTED,
  copeland: ofScores,
  borda: ofScores,
};
const BY_COUNTING =
  "counting: each member of the panel has one answer to each pair, for one arm or for neither, and the answers that have not come cannot change what is stated";
const BY_EVIDENCE =
  "the winner beats each rival by counting, or its e-process against the rival has reached the threshold; that takes the members in an order that was drawn before the first answer, and absent ones as if they had answered against it";
const TAKEN =
  " This assumes that the arms have an order, in which every earlier arm beats every later one.";

const others = (count: number) =>
  count === 1 ? "the other arm" : `each of the ${count} other arms`;

// What "beats" means.
function winning(ledger: Ledger, itWins: "it wins" | "winning"): string {
  if (ledger.isAudited)
    return `${itWins} more than half of the duels in which people prefer one arm`;
  if (ledger.given!.findings?.some((one) => one.units))
    return `${itWins === "it wins" ? "it is graded" : "graded"} above it on average`;
  return `${itWins} more than half of the duels with a decisive answer`;
}
const foundPoint = (space: TunedSpace) =>
  `The point '${space.nameOf(ROLE.certified)}' (${space.words(space.certified)}) beats the point in use, '${space.nameOf(ROLE.beaten)}' (${space.words(space.beaten)}): it wins more than half of the duels with a decisive answer`;

// What is found, in words; without what it is about and how sure it is.
function found(ledger: Ledger): string {
  const { kind, winner, named, cycle, findings } = ledger.given!;
  const name = (arm: number) => `'${ledger.arms[arm]!.name}'`;
  const wins = winning(ledger, "winning");
  const rest = others(ledger.arms.length - named.length);
  const { epsilon } = ledger.experiment;
  const sequence = named.map(name).join(", ");
  switch (kind) {
    case "winner":
      return `Arm ${name(winner!)} beats ${others(findings!.length)}: ${winning(ledger, "it wins")}`;
    case "no_winner":
      return `: ${cycle.map((arm) => `${name(arm)} beats `).join("")}${name(cycle[0]!)}`;
    case "set": {
      if (named.length === 1) return `The top 1 is ${sequence}: it beats ${rest}, ${wins}`;
      const list = `${named.slice(0, -1).map(name).join(", ")} and ${name(named[named.length - 1]!)}`;
      return `The top ${named.length} are ${list}: each of them beats ${rest}, ${wins}`;
    }
    case "ranking":
      return `The arms in order, the best first, are ${sequence}: each beats every arm after it, ${wins}`;
    case "order":
      if (named.length === 1) return `The top 1 is ${sequence}: it beats ${rest}, ${wins}`;
      return `The top ${named.length} in order, the best first, are ${sequence}: each beats every arm after it and ${rest}, ${wins}`;
    case "epsilon":
      return `Arm ${name(winner!)} loses to no other arm by more than ${numberText(epsilon)}: it wins more than ${numberText(Math.round((0.5 - epsilon) * 1e8) / 1e6)} % of the duels with a decisive answer against ${others(findings!.length)}`;
    case "point":
      return foundPoint(ledger.space!);
    case "copeland":
      return `No arm beats more other arms than ${name(winner!)} does (Copeland winner)`;
    case "borda":
      return `No arm wins more against an arm drawn at random than ${name(winner!)} does (Borda winner)`;
  }
}

// About these people.
function statementOfPanel(ledger: Ledger, panel: Panel): string {
  const { winner } = ledger.given!;
  const name = (arm: number) => `'${ledger.arms[arm]!.name}'`;
  const size = panel.size!;
  const whom = panel.isClosed
    ? `the ${size} who answered`
    : `these ${size} ${size === 1 ? "person" : "people"}`;
  const { count } = ledger.tasks;
  const scope = count > 1n ? `, over all ${count} tasks` : "";
  const rest = size - panel.answered;
  const asked = panel.isClosed
    ? ""
    : rest === 0
      ? `; all ${size} of ${size} asked`
      : `; ${panel.answered} of ${size} asked, and the other ${rest === 1 ? "one" : rest} cannot change it`;
  if (winner === undefined) {
    const cycle = panel.cycle();
    const steps = cycle.map((i, k) => {
      const j = cycle[(k + 1) % cycle.length]!;
      if (panel.beats(i, j)) return `${name(i)} > ${name(j)}`;
      return panel.cannotBeat(i, j)
        ? `${name(Math.min(i, j))} and ${name(Math.max(i, j))} tie`
        : `${name(i)} does not lose to ${name(j)}`;
    });
    const isStrict = cycle.every((arm, k) => panel.beats(arm, cycle[(k + 1) % cycle.length]!));
    const how = isStrict
      ? [...cycle, cycle[0]!].map(name).join(" > ")
      : steps.slice(0, cycle.length === 2 ? 1 : undefined).join(", ");
    return `No arm is preferred to every other by ${whom}${scope}: ${how}${asked}.`;
  }
  const rivals = ledger.arms.length - 1;
  const beats = `More of ${whom} prefer ${name(winner)} to ${others(rivals)} than the other way round${scope}`;
  if (panel.isByCounting(winner)) return `${beats}${asked}.`;
  return `${beats}. With ${panel.answered} of ${size} asked, such a statement is false with probability at most ${numberText(ledger.experiment.stopping.alpha)}.`;
}

function statement(ledger: Ledger): string {
  if (ledger.panel) return statementOfPanel(ledger, ledger.panel);
  const { one_look_after, stopping, assume } = ledger.experiment;
  const { count, about } = ledger.tasks;
  const scope =
    count === 0n
      ? ""
      : about === "these_tasks"
        ? `, over exactly these ${count} tasks`
        : `, on tasks like the ${count} given`;
  const alpha = numberText(stopping.alpha);
  const taken = assume === "order" ? TAKEN : "";
  const odds =
    one_look_after > 0n
      ? `The order of the answers is unknown, so that this rests on one look at all ${one_look_after} of them: if nobody chose how many to collect by looking at them, such a statement is false with probability at most ${alpha}.${taken}`
      : `Whenever you look, such a statement is false with probability at most ${alpha}.${taken}`;
  const judged = ledger.isAudited
    ? " A program has answered every duel, and people a drawn share."
    : "";
  if (ledger.given!.kind === "no_winner")
    return `No arm beats every other${scope}${found(ledger)}.${judged} ${odds}`;
  return `${found(ledger)}${scope}.${judged} ${odds}`;
}

function assumptions(ledger: Ledger): string[] {
  const { goal, assume, stopping, one_look_after, tasks } = ledger.experiment;
  const texts: string[] = [];
  if (ledger.panel) {
    texts.push("each member of the panel has answered once, for themselves");
    if (!ledger.panel.isByCounting(ledger.given!.winner))
      texts.push("the order of the members was drawn without regard to their answers");
    return texts;
  }
  const lost = "whether an answer was lost does not depend on what it would have been";
  if (tasks.count === 0n && !ledger.namesTasks) {
    texts.push("each answer of a pair is as likely as the one before, whatever was answered");
  } else if (tasks.about === "these_tasks") {
    texts.push("a task is drawn anew for each duel; the certificate covers only these tasks");
  } else {
    texts.push(
      "the tasks are a fair sample of those that the certificate covers; each counts once for a pair",
    );
  }
  if (ledger.space) {
    return [
      ...texts,
      "no answer that helped to find the point is evidence for it: of a person who was asked before, and about a task that was met before, no answer counts",
      lost,
    ];
  }
  const isSharper =
    ["condorcet", "set", "order", "ranking"].includes(goal) ||
    (goal === "epsilon" && !stopping.arms_fixed);
  if (isSharper && !stopping.shared_causes)
    texts.push("answers of different pairs are independent of each other");
  if (assume === "order")
    texts.push("the arms have an order, in which every earlier arm beats every later one");
  if (one_look_after > 0n)
    texts.push("how many answers there are was not chosen by looking at them");
  if (ledger.isAudited) {
    texts.push("the program could not know which duels people would answer");
    if (ledger.experiment.audit.from_seed)
      texts.push("nobody made the key that draws them from the seed, which is no secret");
  }
  texts.push(lost);
  return texts;
}

const orNothing = <T extends Written>(value: T, isThere: boolean): T | undefined =>
  isThere ? value : undefined;

// In format 2, which says what would overturn it, and in format 1, which does not. REQUIRES: the
// record that was applied last gave the certificate.
export function certificateOf(ledger: Ledger): {
  text: string;
  textOfFormat1: string;
  statement: string;
} {
  const { experiment, tasks, arms, referee } = ledger;
  const { format, goal, top, epsilon, assume, stopping, judge, audit } = experiment;
  const given = ledger.given!;
  const total = ledger.total();
  const id = (arm: number) => arms[arm]!.arm_id;
  const size = BigInt;
  const isLater = format > 1n;
  const scores = referee.scores;
  const healthOf = (certificateFormat: bigint): Written => {
    const checks = checkHealth(ledger, certificateFormat);
    return {
      verdict: checks.some((check) => check.verdict === "failed") ? "failed" : "passed",
      checks: Object.fromEntries(checks.map((check) => [check.name, check.verdict])),
    };
  };
  const says = statement(ledger);
  const wins = (i: number, j: number) => size(referee.contest.pairs[i]![j]!.wins);
  const finding = (one: Finding): Written => ({
    winner: id(one.winner),
    loser: id(one.loser),
    wins: size(one.wins),
    losses: size(one.losses),
    evidence: evidenceText(one.evidence),
    threshold: evidenceText(one.threshold),
    log_evidence: one.evidence,
    log_threshold: one.threshold,
    reached_at: orNothing(
      { wins: size(one.then[0]), losses: size(one.then[1]) },
      referee.orders !== undefined || one.units !== undefined,
    ),
    ...unitsOf(one),
  });
  // Answers that are no whole wins or losses.
  const unitsOf = ({ winner, loser, units }: Finding): { [name: string]: Written | undefined } => {
    if (!units) return {};
    const audits = referee.audited(winner, loser);
    return {
      graded: audits ? undefined : size(units.count),
      score_sum: audits ? undefined : units.scoreSum,
      audits: audits && {
        duels: size(audits.duels),
        answers: size(audits.audited),
        lost: orNothing(size(audits.lost), audits.lost > 0),
        decisive: size(audits.decisive),
        comparable: size(audits.comparable),
        agreed: size(audits.agreed),
      },
      logs: units.then,
    };
  };
  const { panel } = ledger;
  const isCounted = panel?.isByCounting(given.winner) === true;
  const isOrder = ["set", "order", "ranking"].includes(goal);
  const content: Written = {
    format: 2n,
    statement: says,
    kind: given.kind,
    winner: given.winner === undefined ? undefined : id(given.winner),
    named: orNothing(given.named.map(id), given.named.length > 0),
    cycle: orNothing(given.cycle.map(id), given.cycle.length > 0),
    alpha: isCounted ? undefined : stopping.alpha,
    by: panel && (isCounted ? "counting" : "evidence"),
    panel: panel && {
      size: size(panel.size!),
      answered: size(panel.answered),
      absent: orNothing(size(panel.absent()), panel.absent() > 0),
      closed: panel.isClosed,
      early: orNothing(true, panel.isEarly),
      tasks: orNothing(tasks.count, tasks.count > 0n),
      pairs: panel.pairsOf(given.winner).map(([i, j]) => {
        const pair = panel.pair(i, j);
        return {
          first: id(i),
          second: id(j),
          for_first: size(pair.forFirst),
          for_second: size(pair.forSecond),
          for_neither: size(pair.forNeither),
          unknown: size(pair.unknown),
          certain: orNothing(pair.certain, pair.certain !== ""),
          evidence: pair.evidence === undefined ? undefined : evidenceText(pair.evidence),
          threshold: pair.evidence === undefined ? undefined : evidenceText(panel.threshold),
        };
      }),
    },
    rule: {
      text: panel ? (isCounted ? BY_COUNTING : BY_EVIDENCE) : RULE_TEXTS[given.kind],
      goal,
      arms_fixed: stopping.arms_fixed,
      min_decisive_per_pair: stopping.min_decisive_per_pair,
      arms_at_the_start: size(ledger.armsAtTheStart()),
      top: orNothing(top, top > 0n),
      epsilon: orNothing(epsilon, epsilon !== 0),
      assume: orNothing(assume, isOrder || assume === "order"),
      shared_causes: orNothing(stopping.shared_causes, isLater),
    },
    assumes: orNothing(assumptions(ledger), isLater),
    space: ledger.space?.written(),
    tasks: orNothing(
      { count: tasks.count, sha256: tasks.sha256, about: tasks.about },
      isLater && tasks.count > 0n,
    ),
    judge: orNothing(
      { command: judge.command, sha256: judge.sha256 },
      isLater && judge.command !== "",
    ),
    audit: ledger.isAudited
      ? {
          share: audit.share,
          least: orNothing(audit.least, audit.least !== 0),
          price: orNothing(
            {
              judge: orNothing(audit.price.judge, audit.price.judge !== 0),
              person: orNothing(audit.price.person, audit.price.person !== 0),
            },
            audit.price.judge !== 0 || audit.price.person !== 0,
          ),
          give_up_after: orNothing(audit.give_up_after, audit.give_up_after > 0n),
          key_sha256: audit.key_sha256,
          from_seed: orNothing(true, audit.from_seed),
          auditor: orNothing(
            { command: audit.auditor.command, sha256: audit.auditor.sha256 },
            audit.auditor.command !== "",
          ),
        }
      : undefined,
    arms: (ledger.space ? [] : arms).map((arm) => ({
      arm_id: arm.arm_id,
      active: arm.isActive,
      payload: orNothing(arm.payload, arm.payload !== ""),
      sha256: orNothing(arm.sha256, arm.sha256 !== ""),
    })),
    scores: scores?.scores.map(([lower, upper], arm) => ({ arm_id: id(arm), lower, upper })),
    pairs:
      scores &&
      arms.flatMap((_, i) =>
        arms.slice(i + 1).map((_, k) => {
          const j = i + 1 + k;
          return { first: id(i), second: id(j), first_wins: wins(i, j), second_wins: wins(j, i) };
        }),
      ),
    findings: scores || panel ? undefined : given.findings!.map(finding),
    decisive: size(
      panel
        ? total.firstWins + total.secondWins
        : ledger.space
          ? ledger.space.wins + ledger.space.losses
          : referee.contest.decisive,
    ),
    conditioned_out: {
      ties: size(total.ties),
      both_bad: size(total.bothBad),
      skips: size(total.skips),
      invalid: size(total.invalid),
      expired: size(total.expired),
      late: size(ledger.late),
      pending: size(total.served - answered(total) - total.expired),
      failed_tries: orNothing(BigInt.asUintN(64, total.failedTries), isLater),
    },
    excluded_share: orNothing(ledger.excluded / ledger.servedDuels, ledger.excluded > 0),
    comparisons_from_elsewhere: size(experiment.comparisons_count ? ledger.comparisons : 0),
    health: healthOf(2n),
    log: {
      experiment_id: experiment.experiment_id,
      sequence: size(given.sequence),
      head: given.head,
    },
  };
  return {
    text: `${written({ ...content, ...ifWrong(ledger) })}\n`,
    textOfFormat1: `${written({ ...content, format: 1n, health: healthOf(1n) })}\n`,
    statement: says,
  };
}
