// Logs of experiments that never were, and damage to logs and certificates. All of it follows from a
// seed, so that what went wrong can be looked at again.
import { createHash, createHmac } from "node:crypto";

export class Dice {
  constructor(seed) {
    this.state = seed >>> 0;
  }
  // Mulberry32.
  share() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  below(n) {
    return Math.floor(this.share() * n);
  }
  is(chance) {
    return this.share() < chance;
  }
  of(list) {
    return list[this.below(list.length)];
  }
}

// --- The chain ------------------------------------------------------------------------------------

const HASH = /,"hash":"[0-9a-f]{64}"}$/;
export const bodiesOf = (log) =>
  log
    .toString("latin1")
    .split("\n")
    .slice(0, -1)
    .map((line) => line.replace(HASH, ""));

// The lines with hashes that fit them. Bodies hold a character for each byte.
export function chained(bodies) {
  let head = "0".repeat(64);
  const lines = bodies.map((body) => {
    head = createHash("sha256")
      .update(Buffer.from(head + body, "latin1"))
      .digest("hex");
    return `${body},"hash":"${head}"}\n`;
  });
  return Buffer.from(lines.join(""), "latin1");
}

const body = (sequence, record) => {
  const time = new Date(Date.UTC(2026, 10, 15) + sequence * 1000).toISOString();
  return Buffer.from(JSON.stringify({ seq: sequence, time, ...record }).slice(0, -1)).toString(
    "latin1",
  );
};
const renumbered = (bodies) =>
  bodies.map((text, k) => text.replace(/^\{"seq":\d+/, `{"seq":${k + 1}`));

// --- Experiments that never were ------------------------------------------------------------------

const SHA = "ab".repeat(32);
const PAYLOADS = ["Model A", "model-é", "x", "a\nb", "雪", "Model A", "<script>", ""];

const features = (dice, width) =>
  Array.from({ length: width }, () => dice.of([0, 1, -0.5, 1e6, 2.25e-3]) * dice.of([1, -1]) || 0);

function firstRecord(dice, arms) {
  const format = dice.of([1, 2, 3, 4, 4, 4]);
  const goal = dice.of([
    "condorcet",
    "condorcet",
    "copeland",
    "borda",
    "set",
    "order",
    "ranking",
    "epsilon",
  ]);
  const isOpen = dice.is(0.25) && (goal === "condorcet" || goal === "epsilon");
  const hasTasks = format > 1 && !isOpen && dice.is(0.3);
  const isLike = dice.is(0.6);
  const isOneLook = !isOpen && dice.is(0.12);
  const assumes = !isOpen && !["copeland", "borda", "epsilon"].includes(goal) && dice.is(0.3);
  const top = arms > 2 ? 1 + dice.below(arms - 1) : 1;
  const width = dice.is(0.2) ? 1 + dice.below(3) : 0;
  return {
    record: "experiment",
    format,
    experiment_id: "e",
    arms: Array.from({ length: arms }, (_, k) => ({
      arm_id: `a${k}`,
      ...(dice.is(0.3) && { payload: dice.of(PAYLOADS) }),
      ...(dice.is(0.1) && { sha256: SHA }),
      ...(width > 0 && { features: features(dice, width) }),
    })),
    policy: "certify",
    goal,
    ...((goal === "set" || goal === "order") && { top }),
    ...(goal === "epsilon" && { epsilon: dice.of([0.05, 0.1, 0.2, 0.013]) }),
    ...(assumes && { assume: "order" }),
    stopping: {
      alpha: dice.of([0.05, 0.1, 0.3, 0.45, 0.9, 0.0123]),
      min_decisive_per_pair: dice.of([0, 0, 0, 3, 7]),
      max_duels: 0,
      arms_fixed: !isOpen,
      ...(((hasTasks && isLike) || (!isOpen && dice.is(0.3))) && { shared_causes: true }),
    },
    order: dice.of(["random", "random", "fixed", "both"]),
    aa_rate: dice.of([0, 0.1]),
    comparisons_count: isOneLook || dice.is(0.3),
    ...(isOneLook && { one_look_after: 30 + dice.below(60) }),
    ...(hasTasks && {
      tasks: { count: 500, sha256: SHA, about: isLike ? "tasks_like_these" : "these_tasks" },
    }),
    ...(format > 1 && dice.is(0.3) && { judge: { command: "./judge", sha256: SHA } }),
    ...(dice.is(0.5) && {
      service: { name: "n", ...(dice.is(0.4) && { feedback: { on_timeout: "tie" } }) },
    }),
    seed: 1,
  };
}

// One experiment with answers until its end; `certificateOf` says what a log gives so far.
export function experiment(dice, certificateOf) {
  const arms = 2 + dice.of([0, 1, 1, 1, 2, 3]);
  const first = firstRecord(dice, arms);
  const bodies = [body(1, first)];
  const push = (record) => bodies.push(body(bodies.length + 1, record));
  const strength = Array.from({ length: arms }, () => dice.share() * 9);
  const isCycle = dice.is(0.2);
  const active = [...strength.keys()];
  const open = [];
  let ordinal = 0;
  const beats = (i, j) => {
    const p = isCycle
      ? (j - i + arms) % arms <= arms / 2
        ? 0.9
        : 0.1
      : 1 / (1 + Math.exp(strength[j] - strength[i]));
    return dice.is(p);
  };
  const id = (arm) => `a${arm}`;
  const answer = (i, j) => {
    const kind = dice.of([
      "win",
      "win",
      "win",
      "win",
      "win",
      "win",
      "win",
      "tie",
      "both_bad",
      "skip",
      "invalid",
    ]);
    if (kind !== "win") return { result: kind };
    if (i === j) return { result: "win", winner: id(i), place: 1 + dice.below(2) };
    return { result: "win", winner: beats(i, j) ? id(i) : id(j) };
  };
  const isOneLook = first.one_look_after !== undefined;
  const width = first.arms[0].features?.length ?? 0;
  const context = () =>
    Object.fromEntries(strength.map((_, arm) => [id(arm), features(dice, width)]));
  const serve = () => {
    const i = dice.of(active);
    const j = dice.is(0.06) ? i : dice.of(active.filter((arm) => arm !== i));
    const serving = i === j ? (dice.is(0.8) ? "aa" : "exploit") : dice.of(["explore", "contest"]);
    const duel_id = `d${ordinal}`;
    const needsTask = first.tasks && i !== j;
    push({
      record: "serve",
      duel_id,
      ordinal,
      round: ordinal + 1,
      first: id(i),
      second: id(j),
      serving,
      ...(needsTask && { task: `t${ordinal}` }),
      ...(!first.tasks && first.stopping.shared_causes && dice.is(0.2) && { task: `t${ordinal}` }),
      ...((isOneLook || dice.is(0.05)) && { evidence: false }),
      ...(dice.is(0.04) && { by: "exclude" }),
      ...(dice.is(0.2) && { expires_at: "2026-11-16T00:00:00.000Z" }),
      ...(width > 0 && dice.is(0.3) && { context: context() }),
    });
    ++ordinal;
    if (serving !== "exploit") open.push([duel_id, i, j]);
  };
  const settled = [];
  const reply = ([duel_id, i, j]) => {
    const source = dice.is(0.5) && {
      source: dice.of([
        { type: "judge", id: "j1" },
        { type: "judge", id: "j2" },
        { type: "human", id: `h${dice.below(3)}` },
      ]),
    };
    const tries = dice.is(0.05) && { failed_tries: 1 + dice.below(3) };
    if (first.order !== "both")
      return push({ record: "outcome", duel_id, ...answer(i, j), ...source, ...tries });
    const one = answer(i, j),
      other = dice.is(0.7) ? one : answer(i, j);
    const empty = ["invalid", "skip"].find((word) => one.result === word || other.result === word);
    const isSame = JSON.stringify(one) === JSON.stringify(other);
    const together = empty ? { result: empty } : isSame ? one : { result: "tie" };
    const judgements = [
      { first: id(i), ...one },
      { first: id(j), ...other },
    ];
    push({ record: "outcome", duel_id, ...together, ...source, judgements, ...tries });
  };
  const steps = 60 + dice.below(400);
  for (let step = 0; step < steps; ++step) {
    const roll = dice.share();
    if (roll < 0.45) serve();
    else if (roll < 0.9 && open.length > 0) {
      const [duel] = open.splice(dice.is(0.7) ? 0 : dice.below(open.length), 1);
      if (dice.is(0.06)) push({ record: "expired", duel_id: duel[0] });
      else reply(duel);
      settled.push(duel);
    } else if (roll < 0.91 && settled.length > 0) reply(dice.of(settled));
    else if (roll < (isOneLook ? 1 : 0.94)) {
      const [i, j] = active.length > 1 ? [active[0], dice.of(active.slice(1))] : [0, 0];
      if (i !== j) push({ record: "comparison", first: id(i), second: id(j), ...answer(i, j) });
    } else if (roll < 0.955 && !first.stopping.arms_fixed) {
      if (dice.is(0.5) && active.length > 2) {
        const [arm] = active.splice(dice.below(active.length), 1);
        push({ record: "arm_retired", arm_id: id(arm) });
      } else {
        active.push(strength.length);
        push({
          record: "arm_added",
          arm_id: id(strength.length),
          ...(width > 0 && { features: features(dice, width) }),
        });
        strength.push(dice.share() * 9);
      }
    } else if (roll < 0.96) push({ record: "policy_rebuilt", reason: "r" });
    else if (roll < 0.963 && first.service)
      push({ record: "recovered", after: Math.max(0, bodies.length - dice.below(9)) });
    else if (roll < 0.966)
      push({
        record: "configured",
        feedback: { on_timeout: dice.of(["tie", "discard"]) },
        guardrails: {},
      });
  }
  while (open.length > 0 && dice.is(0.9)) reply(open.shift());
  const certificate = certificateOf(chained(bodies));
  if (certificate && dice.is(0.5)) {
    const { kind, winner, named, log } = JSON.parse(certificate);
    push({
      record: "certified",
      kind,
      ...(winner && { winner }),
      ...(named && { arms: named.map((arm_id) => ({ arm_id })) }),
      at: log.sequence,
    });
    if (dice.is(0.5)) push({ record: "completed", reason: "certified" });
    if (dice.is(0.2)) push({ record: "state", state: "archived" });
  }
  return chained(bodies);
}

// People audit a judge: a drawn share of its duels, some of which nobody ever answers.
export function audited(dice, certificateOf) {
  const arms = 2 + dice.below(2);
  const share = dice.of([0.2, 0.5, 0.5, 1]);
  const giveUpAfter = dice.of([0, 0, 1, 2]);
  const isFromSeed = dice.is(0.3);
  const seed = 1 + dice.below(5);
  const hmac = (key, text) => createHmac("sha256", key).update(text).digest("hex");
  const keyOf = (name) => (isFromSeed ? hmac(`audit/${seed}`, "e") : hmac(name, "key"));
  const sha256 = (text) => createHash("sha256").update(text).digest("hex");
  let key = keyOf(`first ${dice.below(99)}`);
  const goal = dice.of(["condorcet", "condorcet", "condorcet", "set", "order", "ranking"]);
  const first = {
    record: "experiment",
    format: 4,
    experiment_id: "e",
    // Ids and places need not have one order.
    arms: Array.from({ length: arms }, (_, k) => ({ arm_id: `a${(k * 2 + 1) % 3}` })),
    policy: "certify",
    goal,
    ...((goal === "set" || goal === "order") && { top: 1 }),
    stopping: {
      alpha: dice.of([0.05, 0.3, 0.9]),
      min_decisive_per_pair: dice.of([0, 0, 5]),
      max_duels: 0,
      arms_fixed: true,
    },
    order: "random",
    aa_rate: 0,
    comparisons_count: false,
    audit: {
      share,
      ...(giveUpAfter > 0 && { give_up_after: giveUpAfter }),
      key_sha256: sha256(key),
      ...(isFromSeed && { from_seed: true }),
    },
    seed,
  };
  const bodies = [body(1, first)];
  const push = (record) => bodies.push(body(bodies.length + 1, record));
  const ids = first.arms.map((arm) => arm.arm_id);
  const knows = dice.of([0, 0.5, 0.9, 1]); // how often the judge says what people say
  const decided = dice.of([0.6, 0.8, 0.95]);
  const lie = dice.is(0.15) ? dice.below(100) : -1;
  const waiting = [];
  const steps = 60 + dice.below(240);
  for (let ordinal = 0; ordinal < steps; ++ordinal) {
    const i = dice.below(arms);
    const j = (i + 1 + dice.below(arms - 1)) % arms;
    const duel_id = `d${ordinal}`;
    push({
      record: "serve",
      duel_id,
      ordinal,
      round: ordinal + 1,
      first: ids[i],
      second: ids[j],
      serving: "explore",
      audit: share,
    });
    const better = ids[dice.is(decided) ? Math.min(i, j) : Math.max(i, j)];
    const worse = better === ids[i] ? ids[j] : ids[i];
    const said = dice.is(knows) ? better : worse;
    const judge = { source: { type: "judge", id: "j" } };
    if (dice.is(0.04)) push({ record: "expired", duel_id });
    else if (dice.is(0.1)) push({ record: "outcome", duel_id, result: "tie", ...judge });
    else if (dice.is(0.04)) push({ record: "outcome", duel_id, result: "invalid", ...judge });
    else push({ record: "outcome", duel_id, result: "win", winner: said, ...judge });
    const bits = BigInt(`0x${hmac(key, `${duel_id}/audit`).slice(0, 16)}`) >> 11n;
    const drawn = Number(bits) * 2 ** -53 < share !== (ordinal === lie);
    push({ record: "audit", duel_id, drawn });
    if (drawn) waiting.push({ duel_id, better, offers: 0 });
    while (waiting.length > 0 && dice.is(0.6)) {
      const [one] = waiting.splice(dice.is(0.8) ? 0 : dice.below(waiting.length), 1);
      if (dice.is(0.1) || (giveUpAfter > 0 && dice.is(0.1))) {
        push({ record: "offer", duel_id: one.duel_id, subject: `p${ordinal}` });
        if (++one.offers >= giveUpAfter && giveUpAfter > 0)
          push({ record: "audit_lost", duel_id: one.duel_id });
        else waiting.push(one);
        continue;
      }
      const word = dice.of(["win", "win", "win", "win", "win", "win", "win", "tie", "skip"]);
      const answer = { result: word, ...(word === "win" && { winner: one.better }) };
      const person = { source: { type: "human", id: `h${dice.below(9)}` } };
      push({ record: "outcome", duel_id: one.duel_id, ...answer, ...person });
    }
    if (!isFromSeed && dice.is(0.004)) {
      key = keyOf(`another ${ordinal}`);
      push({ record: "audit_key", sha256: sha256(key) });
    }
  }
  if (dice.is(0.6)) {
    const reason = certificateOf(chained(bodies)) ? "certified" : "stopped";
    const told = dice.is(0.9) ? key : hmac("no", "key");
    push({ record: "completed", reason, ...(dice.is(0.9) && { audit_key: told }) });
  }
  return chained(bodies);
}

// Arms with features, by their ids, and a duel of the first two in each context.
export function inContexts(features, contexts) {
  const arms = Object.entries(features).map(([arm_id, row]) => ({ arm_id, features: row }));
  const first = {
    record: "experiment",
    format: 4,
    experiment_id: "e",
    arms,
    policy: "lin-ts",
    goal: "condorcet",
    stopping: { alpha: 0.05, min_decisive_per_pair: 0, max_duels: 0, arms_fixed: true },
    order: "random",
    aa_rate: 0,
    comparisons_count: false,
    seed: 1,
  };
  const serves = contexts.map((context, k) => ({
    record: "serve",
    duel_id: `d${k}`,
    ordinal: k,
    round: k + 1,
    first: arms[0].arm_id,
    second: arms[1].arm_id,
    serving: "explore",
    context,
  }));
  return chained([first, ...serves].map((record, k) => body(k + 1, record)));
}

// A panel that is asked until nobody comes: with a size, a list, early verdicts, or closed at its end.
export function panel(dice, certificateOf) {
  const arms = 2 + dice.below(3);
  const kind = dice.of(["size", "list", "early", "open"]);
  const people = kind === "early" ? 25 + dice.below(20) : 1 + dice.below(7);
  const members = Array.from({ length: people }, (_, k) => `p${100 + k}`);
  const tasks = dice.is(0.2) ? 2 : 0;
  const first = {
    record: "experiment",
    format: 4,
    experiment_id: "e",
    arms: Array.from({ length: arms }, (_, k) => ({ arm_id: `a${k}` })),
    policy: "certify",
    goal: "condorcet",
    stopping: {
      alpha: dice.of([0.05, 0.2]),
      min_decisive_per_pair: 0,
      max_duels: 0,
      arms_fixed: true,
    },
    order: "random",
    aa_rate: 0,
    comparisons_count: false,
    ...(tasks > 0 && { tasks: { count: tasks, sha256: SHA, about: "these_tasks" } }),
    about: "these_people",
    ...(kind !== "open" && {
      panel:
        kind === "size" ? { size: people } : { members, ...(kind === "early" && { early: true }) },
    }),
    ...(dice.is(0.2) && { voting: { question: "Which?", shows_result: true } }),
    seed: 1,
  };
  const bodies = [body(1, first)];
  const push = (record) => bodies.push(body(bodies.length + 1, record));
  const agreement = dice.of([0.6, 0.8, 1]);
  const units = [];
  for (let i = 0; i < arms; ++i)
    for (let j = i + 1; j < arms; ++j)
      for (let t = 0; t < Math.max(1, tasks); ++t)
        units.push([i, j, tasks > 0 ? `t${t}` : undefined]);
  const coming = members.flatMap((member) =>
    units.filter(() => dice.is(kind === "early" ? 0.999 : 0.95)).map((unit) => [member, unit]),
  );
  const absent = new Set();
  const said = new Set();
  let ordinal = 0;
  // In the order of the list, or any other.
  if (dice.is(0.4)) coming.sort(() => dice.share() - 0.5);
  for (const [member, [i, j, task]] of coming) {
    if (absent.has(member)) continue;
    if (kind === "early" && dice.is(0.01)) {
      absent.add(member);
      push({ record: "absent", subject: member });
      continue;
    }
    const [one, other] = dice.is(0.5) ? [i, j] : [j, i];
    const duel_id = `d${ordinal}`;
    push({
      record: "serve",
      duel_id,
      ordinal,
      round: 1,
      first: `a${one}`,
      second: `a${other}`,
      serving: "explore",
      ...(task && { task }),
      ...(dice.is(kind === "early" ? 0.002 : 0.02) && { evidence: false }),
      subject: member,
    });
    ++ordinal;
    // Who is missing holds up the order of an early panel.
    if (dice.is(kind === "early" ? 0.003 : 0.03)) {
      push({ record: "expired", duel_id });
      continue;
    }
    const word = dice.of(["win", "win", "win", "win", "win", "win", "tie", "skip", "both_bad"]);
    const result = dice.is(0.02) ? "invalid" : word;
    const winner = dice.is(agreement) ? i : j;
    push({ record: "outcome", duel_id, result, ...(result === "win" && { winner: `a${winner}` }) });
    if (result !== "invalid" && !bodies.at(-2).includes('"evidence":false')) said.add(member);
  }
  if (kind === "open" && said.size > 0) push({ record: "panel_closed", members: said.size });
  const certificate = certificateOf(chained(bodies));
  if (certificate && dice.is(0.5)) {
    const { kind: found, winner, log } = JSON.parse(certificate);
    push({ record: "certified", kind: found, ...(winner && { winner }), at: log.sequence });
  }
  return chained(bodies);
}

// Points of a space: a search, candidates that are proved or given up, and perhaps another point in
// use after a certificate.
export function tuned(dice, certificateOf) {
  const dimensions = {};
  for (let k = 0; k < 1 + dice.below(3); ++k)
    dimensions[`x${k}`] = dice.of([
      { low: 0, high: 1, default: 0.5 },
      { low: 0.1, high: 10, default: 1.2, scale: "log" },
      { low: -1, high: 1, default: 0, step: 0.25 },
    ]);
  const adopts = dice.is(0.4);
  const tasks = dice.is(0.3) ? dice.of(["tasks_like_these", "these_tasks"]) : undefined;
  const alpha = dice.of([0.05, 0.2]);
  const first = {
    record: "experiment",
    format: 4,
    experiment_id: "e",
    arms: [],
    space: { dimensions, ...(dice.is(0.3) && { warmup: 5 }) },
    policy: "kernel-ts",
    goal: "condorcet",
    stopping: {
      alpha,
      min_decisive_per_pair: 0,
      max_duels: 0,
      arms_fixed: true,
      ...(tasks === "tasks_like_these" && { shared_causes: true }),
    },
    order: "random",
    aa_rate: 0,
    comparisons_count: false,
    ...(tasks && { tasks: { count: 500, sha256: SHA, about: tasks } }),
    ...(adopts && { service: { on_certified: "adopt" } }),
    seed: 1,
  };
  const bodies = [body(1, first)];
  const push = (record) => bodies.push(body(bodies.length + 1, record));
  const point = () =>
    Object.fromEntries(
      Object.entries(dimensions).map(([name, { low, high, step }]) => [
        name,
        step
          ? low + step * dice.below(1 + Math.round((high - low) / step))
          : low + (high - low) * dice.share(),
      ]),
    );
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  let inUse = Object.fromEntries(
    Object.entries(dimensions).map(([name, one]) => [name, one.default]),
  );
  const known = new Map([[JSON.stringify(inUse), "default"]]);
  let next = 1;
  const idOf = (one) => {
    const key = JSON.stringify(one);
    if (!known.has(key)) known.set(key, `p${next++}`);
    return known.get(key);
  };
  let candidate,
    generation = 1,
    number = 0,
    recorded = 0,
    ordinal = 0;
  const open = [];
  const strength = dice.of([0.5, 0.7, 0.9]);
  const steps = 80 + dice.below(300);
  for (let step = 0; step < steps; ++step) {
    const roll = dice.share();
    if (!candidate && roll < 0.3) {
      const one = point();
      if (same(one, inUse)) continue;
      candidate = one;
      ++number;
      let level = alpha;
      for (let g = 0; adopts && g < generation; ++g) level /= 2;
      push({
        record: "candidate",
        number,
        generation,
        point_id: idOf(one),
        point: one,
        level: level / (number * (number + 1)),
      });
    } else if (candidate && roll < 0.01) {
      push({ record: "given_up", number, reason: dice.of(["beaten", "better_guess"]) });
      candidate = undefined;
    } else if (roll < 0.05) {
      push({
        record: "recommended",
        point: point(),
        ...(dice.is(0.8) && { sureness: dice.share() }),
      });
    } else if (roll < 0.55) {
      const isProof = candidate && dice.is(0.7);
      let [one, other] = isProof ? [candidate, inUse] : [point(), point()];
      if (dice.is(0.5)) [one, other] = [other, one];
      if (same(one, other)) continue;
      const duel_id = `d${ordinal}`;
      const task = tasks === "these_tasks" ? `t${dice.below(9)}` : tasks && `t${ordinal}`;
      push({
        record: "serve",
        duel_id,
        ordinal: ordinal++,
        round: 1,
        first: idOf(one),
        second: idOf(other),
        serving: "explore",
        ...(task && { task }),
        ...((!isProof || dice.is(0.05)) && { evidence: false }),
        ...(dice.is(0.3) && { subject: `s${ordinal}` }),
        first_point: one,
        second_point: other,
      });
      open.push([duel_id, idOf(one), idOf(other), isProof && idOf(candidate)]);
    } else if (open.length > 0) {
      const [[duel_id, one, other, better]] = open.splice(
        dice.is(0.8) ? 0 : dice.below(open.length),
        1,
      );
      if (dice.is(0.04)) {
        push({ record: "expired", duel_id });
        continue;
      }
      const result = dice.is(0.9) ? "win" : dice.of(["tie", "both_bad", "skip", "invalid"]);
      const favoured = better ? (better === one ? 0 : 1) : dice.below(2);
      const winner = [one, other][dice.is(strength) ? favoured : 1 - favoured];
      push({
        record: "outcome",
        duel_id,
        result,
        ...(result === "win" && { winner }),
        ...(dice.is(0.3) && {
          source: dice.of([
            { type: "judge", id: "j1" },
            { type: "human", id: "h" },
          ]),
        }),
      });
    }
    // Whether that was a certificate.
    const given = candidate && step % 8 === 0 ? certificateOf(chained(bodies)) : undefined;
    if (!given) continue;
    const { kind, winner, log } = JSON.parse(given);
    if (log.sequence <= recorded) continue;
    recorded = log.sequence;
    push({ record: "certified", kind, winner, at: log.sequence });
    if (adopts) {
      inUse = candidate;
      ++generation;
      number = 0;
    }
    candidate = undefined;
    if (dice.is(0.3)) break;
  }
  return chained(bodies);
}

// --- Damage ---------------------------------------------------------------------------------------

const NUMBERS = [
  "0",
  "1",
  "2",
  "-1",
  "01",
  "1.0",
  "1e2",
  "9007199254740993",
  "18446744073709551615",
  "18446744073709551616",
  "0.5",
  "1e400",
  "-0",
  "null",
];

function withOther(text, pattern, dice, replace) {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) return text;
  const { index, 0: part } = dice.of(found);
  return text.slice(0, index) + replace(part) + text.slice(index + part.length);
}
const withNumber = (text, dice) =>
  withOther(text, /(?<=:)-?\d[\d.e+-]*/g, dice, (part) =>
    dice.is(0.5) ? String(Number(part) + (dice.is(0.5) ? 1 : -1)) : dice.of(NUMBERS),
  );
const flipped = (bytes, dice) => {
  const damaged = Buffer.from(bytes);
  if (damaged.length > 0) damaged[dice.below(damaged.length)] ^= 1 << dice.below(8);
  return damaged;
};

// Damage to the records under hashes that fit: only what the records say can tell.
const FORGERIES = [
  (bodies, dice) => bodies.toSpliced(dice.below(bodies.length), 1),
  (bodies, dice) => bodies.toSpliced(dice.below(bodies.length), 0, dice.of(bodies)),
  (bodies, dice) => {
    const k = dice.below(Math.max(1, bodies.length - 1));
    return bodies.toSpliced(k, 2, ...bodies.slice(k, k + 2).reverse());
  },
  ...Array(6).fill((bodies, dice) => changed(bodies, dice, (text) => withNumber(text, dice))),
  // A text of the log where another one stood.
  ...Array(3).fill((bodies, dice) => {
    const texts = [...bodies.join("\n").matchAll(/"[^"\\]{1,20}"/g)].map((one) => one[0]);
    return changed(bodies, dice, (text) =>
      withOther(text, /"[^"\\]{1,20}"/g, dice, () => dice.of(texts)),
    );
  }),
  (bodies, dice) =>
    changed(bodies, dice, (text) => withOther(text, /,"\w+":("[^"]*"|[\w.]+)/g, dice, () => "")),
  (bodies, dice) =>
    changed(bodies, dice, (text) =>
      withOther(text, /,"\w+":("[^"]*"|[\w.]+)/g, dice, (part) => part + part),
    ),
  (bodies, dice) =>
    changed(bodies, dice, (text) => flipped(Buffer.from(text, "latin1"), dice).toString("latin1")),
  // Other ways to write the same, and some that are no JSON.
  (bodies, dice) =>
    changed(bodies, dice, (text) =>
      withOther(
        text,
        /[:,]/g,
        dice,
        (part) => part + dice.of([" ", "\t", "\r", "  ", "\v", ",", "\0"]),
      ),
    ),
  (bodies, dice) =>
    changed(bodies, dice, (text) =>
      withOther(text, /[a-z](?=\w*")/g, dice, (c) =>
        dice.of([
          `\\u00${c.charCodeAt(0).toString(16)}`,
          "\\ud800",
          "\\udc00",
          "\\ud83d\\ude00",
          "\\x",
          "\xff",
          "\x7f",
          "\\u0000",
        ]),
      ),
    ),
  (bodies, dice) =>
    changed(bodies, dice, (text) =>
      withOther(text, /true|false/g, dice, (part) =>
        dice.of(["true", "false", "True", `${part} `]),
      ),
    ),
];
function changed(bodies, dice, change) {
  // The first line decides most, so that it is damaged more often than one of many.
  const k = dice.is(0.25) ? 0 : dice.below(bodies.length);
  return bodies.with(k, change(bodies[k]));
}
export function forged(log, dice) {
  const bodies = dice.of(FORGERIES)(bodiesOf(log), dice);
  return chained(dice.is(0.9) ? renumbered(bodies) : bodies);
}

// Damage to the bytes, whose hashes no longer fit.
export function damaged(bytes, dice) {
  const text = bytes.toString("latin1");
  const lines = text.split("\n");
  const k = dice.below(Math.max(1, lines.length - 1));
  const back = (changed) => Buffer.from(changed.join("\n"), "latin1");
  return dice.of([
    () => flipped(bytes, dice),
    () => back(lines.toSpliced(k, 1)),
    () => back(lines.toSpliced(k, 0, lines[k])),
    () => back(lines.toSpliced(k, 2, ...lines.slice(k, k + 2).reverse())),
    () => Buffer.from(withNumber(text, dice), "latin1"),
    () => bytes.subarray(0, dice.below(bytes.length + 1)),
    () => bytes.subarray(0, bytes.length - 1),
    // A number of the certificate in more digits, which is allowed, or with other spaces, which is not.
    () =>
      Buffer.from(
        withOther(text, /\d\.\d+/g, dice, (part) => part + dice.of(["0", "00001", "e0", "1"])),
        "latin1",
      ),
    () =>
      Buffer.from(
        withOther(text, /[:,]/g, dice, (part) => `${part} `),
        "latin1",
      ),
  ])();
}
