import assert from "node:assert/strict";
import { test } from "node:test";
import { Paced } from "../../src/api/paced";
import { ServerEventReader } from "../../src/api/server_events";
import { tokenOfFragment } from "../../src/api/token";
import { mayClose } from "../../src/dashboard/actions";
import { idOf, parseArms, rowsOf } from "../../src/dashboard/arm_lines";
import { curlOf } from "../../src/dashboard/curl";
import {
  aheadLine,
  closedPagesLine,
  openPagesLine,
  shortTime,
} from "../../src/dashboard/open_pages";
import type { Experiment, ExperimentSummary } from "../../src/api/types";
import {
  armLines,
  auditOf,
  nextId,
  notCarried,
  parsePolicy,
  percentOf,
  rulesFit,
  rulesOf,
} from "../../src/dashboard/cloned";
import { goalFields } from "../../src/dashboard/goals";
import { selected, type Order } from "../../src/dashboard/selected";
import { formOf, patchOf } from "../../src/dashboard/settings";
import { parseSlices, sliceLines } from "../../src/dashboard/slice_lines";
import { dimensionRowsOf, EMPTY_ROW, faultOfName, spaceOf } from "../../src/dashboard/space_rows";
import { placeOf } from "../../src/dashboard/place";
import { allChecks } from "../../src/dashboard/live_experiment";
import { answerOf } from "../../src/dashboard/recent_duels";
import { policyString } from "../../src/dashboard/policy_string";
import { failedChecks, foldedChecks } from "../../src/charts/health_list";
import { armNames } from "../../src/charts/arm_names";
import { verdictOf } from "../../src/charts/verdict";
import { resultOf, spaceOf as standingOf } from "./results";

const even = [
  [0, 6],
  [4, 0],
];

const ids = armNames([]);

test("a certified winner", () => {
  const certificate = { kind: "winner" as const, winner: "h30", sequence: 9 };
  assert.deepEqual(verdictOf(resultOf(["h30", "b"], even, { certificate }), ids, 0.05), {
    tone: "certified",
    sentence: "h30 beats all others (certified, 5\u202f%)",
    detail: "said by the server.",
  });
  assert.equal(
    verdictOf(resultOf(["h30", "b"], even, { certificate }), ids).sentence,
    "h30 beats all others (certified)",
  );
  assert.match(
    verdictOf(resultOf(["h30", "b"], even, { certificate }), ids, 0.001).sentence,
    /certified, 0\.1\u202f%/,
  );
});

test("what is certified is said with the names that the charts have", () => {
  const arms = ["Save-20-today", "arm-2"];
  const names = armNames(
    arms.map((arm_id) => ({ arm_id, name: arm_id })),
    [
      { arm_id: "Save-20-today", payload: { text: "Save 20 % today" } },
      { arm_id: "arm-2", payload: { text: "Free delivery" } },
    ],
  );
  const winner = { kind: "winner" as const, winner: "Save-20-today", sequence: 9 };
  assert.equal(
    verdictOf(resultOf(arms, even, { certificate: winner }), names).sentence,
    "Save 20 % today beats all others (certified)",
  );
  const cycle = { kind: "no_winner" as const, winner: null, sequence: 9, cycle: arms };
  assert.equal(
    verdictOf(resultOf(arms, even, { certificate: cycle }), names).sentence,
    "No single best: Save 20 % today > Free delivery > Save 20 % today (certified)",
  );
  const pair = { first: "arm-2", second: "b", open: 7, first_ahead: 4, second_ahead: 2, even: 1 };
  assert.equal(aheadLine(pair, names), "Free delivery on 4, b on 2, even on 1");
});

test("what is open is said in the words of the server", () => {
  const verdict = "Undecided after 10 duels: h30 leads; about 2 100 more duels if the rates stay.";
  assert.deepEqual(verdictOf(resultOf(["h30", "b"], even, { verdict }), ids, 0.05), {
    tone: "open",
    sentence: verdict.slice(0, -1),
    detail: null,
  });
});

test("of a long sentence the first part is the heading", () => {
  const names = "one-with-a-long-name, another-with-a-long-name, a-third";
  const verdict = `Undecided after 10 duels: the order may be ${names}; about 20 more duels if they stay.`;
  assert.deepEqual(verdictOf(resultOf(["h30", "b"], even, { verdict }), ids, 0.05), {
    tone: "open",
    sentence: `Undecided after 10 duels: the order may be ${names}`,
    detail: "About 20 more duels if they stay.",
  });
});

// The forecast is there all the same: what would be needed.
test("at its limit an experiment is not said to go on", () => {
  const verdict =
    "Undecided after 10 duels: h30 leads; max_duels = 10 is reached, and no more are asked: " +
    "about 2 100 more duels would be needed if the rates stay as they are.";
  const shown = verdictOf(
    resultOf(["h30", "b"], even, { verdict, expected_duels_left: 2134 }),
    ids,
  );
  assert.equal(shown.sentence, "Undecided after 10 duels: h30 leads");
  assert.match(shown.detail ?? "", /^max_duels = 10 is reached, and no more are asked: about/);
});

test("nothing yet, and not enough", () => {
  assert.equal(
    verdictOf(resultOf(["a", "b"], [], { leader: null }), ids, 0.05).sentence,
    "No duels yet",
  );
  const verdict = "Not enough data after 10 duels: b has fewer than 3 decisive ones.";
  assert.equal(
    verdictOf(resultOf(["a", "b"], even, { state: "not_enough_data", verdict }), ids, 0.05)
      .sentence,
    verdict.slice(0, -1),
  );
});

// a > b > c > a, each 90 of 100: the page believes a cycle when the certificate does, and not before.
test("a cycle is the heading once it is certified", () => {
  const wins = [
    [0, 90, 10],
    [10, 0, 90],
    [90, 10, 0],
  ];
  const verdict = "Undecided after 300 duels: every arm is behind another.";
  const open = resultOf(["a", "b", "c"], wins, { leader: null, verdict });
  assert.equal(verdictOf(open, ids, 0.05).sentence, verdict.slice(0, -1));
  const certificate = {
    kind: "no_winner" as const,
    winner: null,
    sequence: 9,
    cycle: ["a", "b", "c"],
  };
  assert.deepEqual(verdictOf({ ...open, certificate }, ids, 0.05), {
    tone: "cycle",
    sentence: "No single best: a > b > c > a (certified, 5\u202f%)",
    detail: verdict,
  });
});

// The sentence has no "; " at which it could be cut, and four lines of it are no heading.
test("of a certified point the heading is what it beats", () => {
  const brief = "The point 'p41' (weight 0.684) beats the point in use, 'p0' (weight 0.5)";
  const verdict =
    `${brief}: it wins more than half of the duels with a decisive answer. Whenever you look, such ` +
    "a statement is false with probability at most 0.05.";
  const certificate = { kind: "point" as const, winner: "certified", sequence: 9 };
  const duels = resultOf(["a", "b"], even).duels;
  const space = standingOf();
  assert.deepEqual(verdictOf(resultOf([], [], { space, duels, verdict, certificate }), ids, 0.05), {
    tone: "certified",
    sentence: `${brief} (certified, 5\u202f%)`,
    detail: verdict,
  });
  assert.equal(verdictOf(resultOf([], [], { space, verdict }), ids).sentence, "No duels yet");
});

test("failed checks have a line beside the verdict, the others are folded", () => {
  const check = (name: string, verdict: "passed" | "failed" | "unknown") => ({
    name,
    verdict,
    detail: "",
  });
  assert.equal(failedChecks([check("ties", "passed"), check("voters", "unknown")]), null);
  assert.equal(
    failedChecks([check("ties", "failed"), check("aa", "failed"), check("voters", "passed")]),
    "Health checks failed: ties, A/A duels",
  );
  assert.equal(
    failedChecks([check("position_bias", "failed")]),
    "Health check failed: position bias",
  );
  assert.equal(foldedChecks(6, 3), "6 passed, 3 cannot tell");
  assert.equal(foldedChecks(0, 1), "1 cannot tell");
});

test("a panel can be closed once somebody has answered, also one with a size or a list", () => {
  const panel = { size: 8, listed: false, early: false, closed: false, answered: 6 };
  assert.ok(mayClose(panel, false));
  assert.ok(mayClose({ ...panel, listed: true }, false));
  assert.ok(mayClose({ ...panel, size: null }, false));
  assert.ok(!mayClose({ ...panel, answered: 0 }, false));
  assert.ok(!mayClose({ ...panel, closed: true }, false));
  assert.ok(!mayClose({ ...panel, listed: true, early: true }, false));
  assert.ok(!mayClose(undefined, false));
  assert.ok(!mayClose(panel, true), "it is decided, whoever comes");
});

test("each line is an arm, with an id made of it", () => {
  const { arms, problems } = parseArms("Save 20 % today\r\n\n  Save 20 % today \nПривет\nÉté\n");
  assert.deepEqual(
    arms.map((arm) => arm.arm_id),
    ["Save-20-today", "Save-20-today-2", "arm-3", "Ete"],
  );
  assert.deepEqual(arms[2]?.payload, { text: "Привет" });
  assert.deepEqual(problems, []);
});

test("an address of a picture is a picture", () => {
  assert.deepEqual(parseArms("https://x.example/a/red%20logo.png?v=2\nblue").arms[0], {
    arm_id: "red-20logo",
    payload: { image: "https://x.example/a/red%20logo.png?v=2" },
  });
});

test("a CSV has a header, quotes and payloads", () => {
  const { arms, problems } = parseArms(
    'arm_id,text,model\nshort,"Say ""hi"", please\nnow",gpt\nlong,Hello,\n',
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(arms, [
    { arm_id: "short", payload: { text: 'Say "hi", please\nnow', model: "gpt" } },
    { arm_id: "long", payload: { text: "Hello" } },
  ]);
  assert.deepEqual(parseArms("id\ttext\na\tone, two\nb\tthree").arms[0]?.payload, {
    text: "one, two",
  });
});

test("a line with commas is no CSV", () => {
  assert.equal(parseArms("Hello, world\nGoodbye, world").arms.length, 2);
});

test("bad ids and repetitions in a CSV are named by their row", () => {
  const { problems } = parseArms("arm_id,text\na b,x\na,y\na,z\nb,w");
  assert.equal(problems.length, 2);
  assert.match(problems[0] ?? "", /Row 2: "a b"/);
  assert.match(problems[1] ?? "", /Row 4: the id "a" stands here twice/);
});

test("one arm is not enough, none says nothing", () => {
  assert.equal(parseArms("only").problems.length, 1);
  assert.deepEqual(parseArms("  \n"), { arms: [], problems: [] });
});

test("ids made of any text are legal", () => {
  for (const text of ["<script>", "  ..x", "a".repeat(500), "-a-", "a/b c", "🙂", "'; drop"]) {
    const id = idOf(text);
    assert.ok(id === "" || /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/.test(id), `${text} -> ${id}`);
  }
});

test("rows end with the text", () => {
  assert.deepEqual(rowsOf('a,"b,c"\n\nd,e', ","), [
    ["a", "b,c"],
    ["d", "e"],
  ]);
});

test("a command survives a shell", () => {
  assert.equal(curlOf("http://h:1", "POST", "/v1/x/start"), "curl -X POST http://h:1/v1/x/start");
  assert.equal(
    curlOf("http://h:1", "PUT", "/v1/x", { name: "it's" }, true),
    `curl -X PUT http://h:1/v1/x -H "Authorization: Bearer $DUEL_TOKEN" -H 'Content-Type: application/json' -d '{"name":"it'\\''s"}'`,
  );
  assert.equal(
    curlOf("http://h:1", "PATCH", "/v1/x", undefined, false, { "If-Match": '"7"' }),
    `curl -X PATCH http://h:1/v1/x -H 'If-Match: "7"'`,
  );
  assert.match(curlOf("http://h:1", "GET", "/v1/x?a=1&b=2"), /'http:\/\/h:1\/v1\/x\?a=1&b=2'/);
});

test("a policy is written with what was changed", () => {
  const options = [
    { name: "alpha", type: "number", default: "0.51", allowed: "> 0", doc: "" },
    { name: "n", type: "count", default: "1", allowed: "", doc: "" },
  ];
  assert.equal(policyString("rucb", options, {}), "rucb");
  assert.equal(
    policyString("rucb", options, { alpha: " 0.6 ", n: "1", other: "x" }),
    "rucb(alpha=0.6)",
  );
});

test("addresses lead to views, and unknown ones to a page that says so", () => {
  assert.deepEqual(placeOf("/"), { view: "list" });
  assert.deepEqual(placeOf("/new"), { view: "new", from: null });
  assert.deepEqual(placeOf("/new", "?from=a%20b"), { view: "new", from: "a b" });
  assert.deepEqual(placeOf("/experiments/a%2Fb"), { view: "experiment", id: "a/b" });
  for (const path of ["/experiments/%", "/experiments", "/experiments/a/b", "/nowhere", "/new/x"]) {
    assert.deepEqual(placeOf(path), { view: "none", path });
  }
});

const listed = (experiment_id: string, more: Partial<ExperimentSummary>) => ({
  experiment_id,
  state: "running" as const,
  certified: false,
  ...more,
});

test("the list is found, filtered and sorted", () => {
  const items = [
    listed("c", { name: "Alpha", served: 5, arms: 2, state: "completed", certified: true }),
    listed("a", { name: "Zulu", served: 9, arms: 3 }),
    listed("b", { served: 9, arms: 12, state: "draft" }),
    { experiment_id: "d", error: "its log is damaged" },
  ];
  const ids = (wanted: string, state: string, order: Order) =>
    selected(items, { wanted, state, order })
      .map((one) => one.experiment_id)
      .join("");
  assert.equal(ids("", "", "id"), "abcd");
  assert.equal(ids("", "", "name"), "cbda");
  assert.equal(ids("", "", "duels"), "abcd");
  assert.equal(ids("", "", "arms"), "bacd");
  assert.equal(ids("", "", "state"), "abcd");
  assert.equal(ids(" zu", "", "id"), "a");
  assert.equal(ids("", "certified", "id"), "c");
  assert.equal(ids("", "open", "id"), "ab");
  assert.equal(ids("", "draft", "id"), "b");
  assert.equal(ids("", "error", "id"), "d");
  assert.equal(items[0]?.experiment_id, "c", "the list itself stays");
});

const guardrails = {
  explore_floor: 0.02,
  aa_rate: 0,
  max_duels_per_subject_per_day: 200,
  max_pending: 1000,
};

test("a change names what was changed and nothing else", () => {
  const before = formOf({ name: "Logos", guardrails });
  assert.equal(patchOf(before, before), null);
  assert.deepEqual(patchOf(before, { ...before, name: " Icons " }), { name: "Icons" });
  const after = { ...before, guardrails: { ...before.guardrails, aa_rate: "0.1" } };
  assert.deepEqual(patchOf(before, after), { guardrails: { aa_rate: 0.1 } });
  const emptied = { ...before, guardrails: { ...before.guardrails, max_pending: " " } };
  assert.equal(patchOf(before, emptied), null, "an empty field is no number");
});

test("a goal is asked for with what it needs and without what is the default", () => {
  assert.deepEqual(goalFields("condorcet", "3", "0.05", false), {});
  assert.deepEqual(goalFields("order", "2", "0.05", true), {
    goal: "order",
    top: 2,
    assume: "order",
  });
  assert.deepEqual(goalFields("epsilon", "2", "0.05", true), { goal: "epsilon", epsilon: 0.05 });
  assert.deepEqual(goalFields("borda", "2", "0.05", true), { goal: "borda" });
});

test("a clone has the arms and the policy of the old one, and another id", () => {
  const arms = [
    { arm_id: "a", payload: { text: "one\ntwo" }, state: "active" as const, default: true },
    { arm_id: "b", payload: null, state: "active" as const, default: false },
    { arm_id: "c", payload: "gone", state: "retired" as const, default: false },
  ];
  assert.deepEqual(parseArms(armLines(arms)), {
    arms: [{ arm_id: "a", payload: { text: "one\ntwo" }, default: true }, { arm_id: "b" }],
    problems: [],
  });
  assert.deepEqual(["logo", "logo-2", "v-9", "x".repeat(99)].map(nextId), [
    "logo-2",
    "logo-3",
    "v-10",
    "",
  ]);
  assert.deepEqual(parsePolicy("rucb(alpha=0.6)"), { name: "rucb", options: { alpha: "0.6" } });
  assert.deepEqual(parsePolicy("btm"), { name: "btm", options: {} });
  assert.deepEqual(parsePolicy("mix(of=rucb(alpha=1,b=2),share=0.5)"), {
    name: "mix",
    options: { of: "rucb(alpha=1,b=2)", share: "0.5" },
  });
});

test("a clone carries the rules it has no fields for, and says what does not come along", () => {
  const experiment = {
    experiment_id: "logo",
    feedback: { timeout_s: 60, on_timeout: "discard" },
    presentation: { order: "random" },
    guardrails: { explore_floor: 0.1 },
    stopping: { alpha: 0.05 },
    slices: { language: ["de", "en"] },
    audit: { by: "people", share: 0.1, give_up_after: 3 },
    num_tasks: 0,
    arms: [],
  } as unknown as Experiment;
  const { feedback } = rulesOf(experiment);
  assert.equal(percentOf(experiment), "10");
  assert.deepEqual(auditOf(experiment, "25"), { by: "people", share: 0.25, give_up_after: 3 });
  assert.equal(auditOf(experiment, null), undefined);
  assert.deepEqual(auditOf(null, "5"), { by: "people", share: 0.05 });
  assert.deepEqual(feedback, { timeout_s: 60, on_timeout: "discard" });
  assert.equal(percentOf({ ...experiment, audit: undefined } as unknown as Experiment), null);
  const arms = [
    { arm_id: "a", payload: null, state: "active" as const, default: false, features: [0.5, -2] },
    { arm_id: "b", payload: null, state: "active" as const, default: false, features: [1, 0] },
  ];
  assert.deepEqual(
    parseArms(armLines(arms)).arms.map((arm) => arm.features),
    [
      [0.5, -2],
      [1, 0],
    ],
  );
  assert.deepEqual(notCarried(experiment, []), []);
  assert.match(notCarried({ ...experiment, num_tasks: 12 }, [])[0] ?? "", /^Its 12 tasks do not/);
  const panel = { size: 2, listed: true, early: false, closed: false, answered: 2 };
  const ofPanel: Experiment = { ...experiment, about: "these-people", panel };
  assert.match(notCarried(ofPanel, [])[0] ?? "", /names of its panel do not come along/);
  assert.deepEqual(notCarried(ofPanel, ["Ann", "Bob"]), [], "this browser knows them");
  // A minimum per pair is no rule of a panel, and a sample needs one.
  assert.ok(rulesFit(ofPanel, true) && rulesFit(experiment, false));
  assert.ok(!rulesFit(ofPanel, false) && !rulesFit(experiment, true));
});

test("arms may be pasted as JSON, an array or one per line", () => {
  assert.deepEqual(parseArms('[{"arm_id":"a"},{"arm_id":"b","payload":{"text":"x"}}]').arms, [
    { arm_id: "a" },
    { arm_id: "b", payload: { text: "x" } },
  ]);
  assert.match(parseArms('{"arm_id":"a b"}\n{"arm_id":"c"}').problems[0] ?? "", /Arm 1/);
  assert.match(parseArms('{"arm_id":"a"}\n{"arm_id":"a"}').problems[0] ?? "", /stands here twice/);
  // What only looks like it is compared as it stands.
  assert.equal(parseArms("{curly} one\n{curly} two").arms.length, 2);
  assert.equal(parseArms("[draft] one\n[draft] two").arms.length, 2);
});

test("only a token is taken from the fragment", () => {
  assert.equal(tokenOfFragment("#token=duel_vote_aB-9_"), "duel_vote_aB-9_");
  for (const other of [
    "",
    "#main",
    "#token=",
    "#token=a b",
    "#x&token=a",
    `#token=${"a".repeat(300)}`,
  ]) {
    assert.equal(tokenOfFragment(other), null);
  }
});

test("events are read however the text is cut", () => {
  const text =
    ': hello\n\nid: 7\nevent: result\ndata: {"sequence":7}\n\nevent: state\r\ndata: a\r\ndata: b\r\n\r\n';
  for (let cut = 0; cut <= text.length; ++cut) {
    const reader = new ServerEventReader();
    const events = [...reader.take(text.slice(0, cut)), ...reader.take(text.slice(cut))];
    assert.deepEqual(
      events,
      [
        { id: "7", kind: "result", data: '{"sequence":7}' },
        { id: "", kind: "state", data: "a\nb" },
      ],
      `cut at ${cut}`,
    );
  }
});

test("checks of the log stand after those of the result, which are newer", () => {
  const check = (name: string, verdict: "passed" | "failed") => ({ name, verdict, detail: "" });
  assert.deepEqual(
    allChecks([check("ties", "failed")], [check("ties", "passed"), check("drift", "passed")]),
    [check("ties", "failed"), check("drift", "passed")],
  );
  assert.deepEqual(allChecks([], []), []);
});

test("the answer of a duel names the side that won", () => {
  const duel = {
    duel_id: "d",
    first: "a",
    second: "b",
    serving: "explore" as const,
    served_at: "2026-01-01T00:00:00Z",
    state: "reported" as const,
  };
  assert.equal(answerOf({ ...duel, result: "win", winner: "a" }), "left won");
  assert.equal(answerOf({ ...duel, result: "win", winner: "b" }), "right won");
  assert.equal(
    answerOf({ ...duel, second: "a", result: "win", winner: "a", place: 2 }),
    "right won",
  );
  assert.equal(
    answerOf({ ...duel, result: "skip", note: "It is unclear" }),
    "skipped: It is unclear",
  );
  assert.equal(answerOf({ ...duel, state: "served" }), "open");
  assert.equal(answerOf({ ...duel, state: "served", serving: "exploit" }), "shown alone");
  assert.equal(answerOf({ ...duel, state: "expired" }), "expired");
  assert.equal(answerOf({ ...duel, state: "closed", result: "no_feedback" }), "no click");
  assert.equal(answerOf({ ...duel, state: "closed", result: "no_contest" }), "no difference");
});

const noPages = {
  open: 0,
  clicked: 0,
  clicks: 0,
  pairs: [],
  closed_without_click: 0,
  closed_without_contest: 0,
};

test("open pages are told with their clicks, and clickless ones as no answer", () => {
  assert.equal(openPagesLine(noPages), "No page is open.");
  assert.equal(openPagesLine({ ...noPages, open: 1 }), "1 page is open: none has a click yet.");
  assert.equal(
    openPagesLine({ ...noPages, open: 5, clicked: 1, clicks: 7 }),
    "5 pages are open: 1 page with 7 clicks.",
  );
  assert.equal(closedPagesLine(noPages), "");
  assert.equal(
    closedPagesLine({ ...noPages, closed_without_click: 2, closed_without_contest: 1 }),
    "2 pages closed without a click; 1 page could not have told the rankings apart: " +
      "no answer, and no tie.",
  );
  assert.deepEqual([300, 90, 7200].map(shortTime), ["5 min", "90 s", "2 h"]);
});

test("the rows of a space become the space of a request, and come back from it", () => {
  const rows = [
    { ...EMPTY_ROW, name: " weight ", inUse: "0.5", step: "0.01" },
    { ...EMPTY_ROW, name: "k1", low: "0.1", high: "10", inUse: "1.2", isLogarithmic: true },
  ];
  const space = {
    weight: { low: 0, high: 1, default: 0.5, step: 0.01 },
    k1: { low: 0.1, high: 10, default: 1.2, scale: "log" },
  };
  assert.deepEqual(spaceOf(rows), space);
  assert.deepEqual(dimensionRowsOf(space), [{ ...rows[0], name: "weight" }, rows[1]]);
  assert.deepEqual(dimensionRowsOf(undefined), []);
});

test("lines of names and values become slices, and come back from them", () => {
  const text = "language: de, en\ndevice: phone";
  const slices = { language: ["de", "en"], device: ["phone"] };
  assert.deepEqual(parseSlices(text), { slices, problem: "" });
  assert.deepEqual(parseSlices("\r\n language :de,, en \r\ndevice:phone\n"), {
    slices,
    problem: "",
  });
  assert.equal(sliceLines(slices), text);
  assert.deepEqual(parseSlices(""), { slices: {}, problem: "" });
  for (const wrong of ["language", "language:", ": de", "language: de\nlanguage: en"])
    assert.notEqual(parseSlices(wrong).problem, "", wrong);
});

test("of two numbers of a space with one name the second is refused", () => {
  const rows = ["weight", "k1", " weight "].map((name) => ({ ...EMPTY_ROW, name }));
  assert.equal(faultOfName(rows, 0), "");
  assert.equal(faultOfName(rows, 1), "");
  assert.equal(faultOfName(rows, 2), "There is a number called weight already.");
  assert.equal(faultOfName([{ ...EMPTY_ROW, name: " " }], 0), "A number needs a name.");
});

// A clock that is put forward by hand.
function handClock() {
  let now = 0;
  let waiting: { at: number; then: () => void }[] = [];
  return {
    now: () => now,
    after: (ms: number, then: () => void) => void waiting.push({ at: now + ms, then }),
    async forward(ms: number) {
      now += ms;
      const due = waiting.filter((one) => one.at <= now);
      waiting = waiting.filter((one) => one.at > now);
      for (const one of due) one.then();
      await new Promise((settled) => setImmediate(settled));
    },
  };
}

test("what costs the server much is asked for once in a while, whatever happens meanwhile", async () => {
  const clock = handClock();
  let asked = 0;
  const work = async () => void ++asked;
  const paced = new Paced(work, 5000, () => true, clock);
  for (let duel = 0; duel < 40; ++duel) {
    paced.want();
    await clock.forward(100);
  }
  assert.equal(asked, 1, "four seconds of ten duels each");
  await clock.forward(1200);
  assert.equal(asked, 2, "what came in the pause is asked for after it");
  await clock.forward(60_000);
  assert.equal(asked, 2, "nothing new, nothing asked");
  paced.want();
  await clock.forward(0);
  paced.want();
  paced.end();
  await clock.forward(5000);
  assert.equal(asked, 3, "nobody is there any more");
});

test("a slow server is given four times as long as it took", async () => {
  const clock = handClock();
  let asked = 0;
  let answer = () => {};
  const work = () => {
    ++asked;
    return new Promise<void>((resolve) => (answer = resolve));
  };
  const paced = new Paced(work, 500, () => true, clock);
  paced.want();
  paced.want();
  await clock.forward(3000);
  assert.equal(asked, 1, "one question at a time");
  answer();
  await clock.forward(0);
  await clock.forward(11_999);
  assert.equal(asked, 1);
  await clock.forward(1);
  assert.equal(asked, 2);
});

test("a page that nobody sees asks when it is looked at again", async () => {
  const clock = handClock();
  let asked = 0;
  let hidden = true;
  const paced = new Paced(
    async () => void ++asked,
    500,
    () => !hidden,
    clock,
  );
  paced.want();
  await clock.forward(60_000);
  assert.equal(asked, 0);
  hidden = false;
  paced.look();
  await clock.forward(0);
  assert.equal(asked, 1);
});
