import assert from "node:assert/strict";
import { test } from "node:test";
import { pixelsOf } from "../../src/charts/cell_pixels";
import { armNames, nameOf, shortNameOf } from "../../src/charts/arm_names";
import { agreementWords } from "../../src/charts/audit_card";
import { barsOf, marksOf } from "../../src/charts/evidence_bars";
import { colouringOf, weightOf } from "../../src/charts/evidence_words";
import { moved, squareOf } from "../../src/charts/heat_map";
import { describe, matrixOf } from "../../src/charts/matrix";
import { extended, momentOf, shownCounts } from "../../src/charts/moments";
import { count, evidence, percent, roughCount, shortNumber } from "../../src/charts/numbers";
import { pen } from "../../src/charts/palette";
import { divergenceFromHalf, gaps, lowerBoundFactor, regretPoints } from "../../src/charts/regret";
import { shortened, toldApart } from "../../src/charts/shortened";
import { strengthsOf, ticksBetween } from "../../src/charts/strength_chart";
import { agreementRow, judgeRow, judgingInWords } from "../../src/charts/judging";
import { logTicks, planeCells, proofInWords } from "../../src/charts/space";
import { decades, hasDuels, mostShown, servedAxis } from "../../src/charts/timeline_charts";
import { sentenceOfForecast, sentenceOfReason, shownReasons } from "../../src/charts/why_not_yet";
import type { PanelFacts } from "../../src/api/types";
import { candidateOf, resultOf, spaceOf } from "./results";

const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

test("numbers are grouped, and forecasts have two digits", () => {
  assert.equal(count(1234567), "1\u202f234\u202f567");
  assert.equal(count(12), "12");
  assert.equal(roughCount(2134), "2\u202f100");
  assert.equal(roughCount(7), "7");
  assert.equal(roughCount(0), "0");
  assert.equal(percent(0.256), "26\u202f%");
  assert.equal(evidence(Math.log(120)), "120");
  assert.equal(evidence(0.5), "1.6");
  assert.equal(evidence(50), "> 1\u202f000\u202f000");
  assert.deepEqual([0.1, 10, 2000, 1e6, 1e12].map(shortNumber), ["0.1", "10", "2k", "1M", "1e12"]);
});

test("how far a judge agrees with people comes with its interval, once there is something to tell", () => {
  const audit = {
    duels: 90,
    answers: 12,
    waiting: 0,
    lost: 0,
    agreed: 0,
    comparable: 0,
    agreement: null,
    agreement_interval: [0, 1] as [number, number],
    program_alone: "The judge alone would have certified nothing yet.",
    program_winner: null,
    says_the_same: false,
    differing: [],
    useless: [],
    worth: 14,
    text: "",
  };
  assert.equal(agreementWords(audit), "nothing to compare yet");
  assert.equal(
    agreementWords({
      ...audit,
      agreed: 9,
      comparable: 10,
      agreement: 0.9,
      agreement_interval: [0.5, 0.99],
    }),
    "90\u202f% of 10 (50\u202f% to 99\u202f%)",
  );
});

test("what is left for a panel is said in people, questions and minutes", () => {
  const left = { duels: null, questions_each: 3, minutes_each: 0.5 };
  assert.equal(
    sentenceOfForecast({ ...left, people: 2 }),
    "About 2 more people, 3 questions for each, which takes about 1 minute.",
  );
  assert.equal(
    sentenceOfForecast({ ...left, questions_each: 1, people: 1, minutes_each: 1.2 }),
    "About 1 more person, 1 question for each, which takes about 2 minutes.",
  );
  assert.equal(sentenceOfForecast(left), "3 questions for each, which takes about 1 minute.");
  assert.equal(sentenceOfForecast({ duels: null }), null);
});

test("judges have their figures with intervals, and none where nothing was asked in both orders", () => {
  const judge = {
    judge: "llm",
    answers: 120,
    first_share: 0.54,
    first_share_interval: [0.45, 0.63] as [number, number],
    both_orders: 0,
    flips: 0,
    flip_rate: null,
    flip_interval: [0, 1] as [number, number],
  };
  assert.deepEqual(judgeRow(judge), ["120", "54\u202f% [45\u202f%, 63\u202f%]", "\u2013"]);
  const flips = { both_orders: 40, flips: 10, flip_rate: 0.25 };
  assert.equal(
    judgeRow({ ...judge, ...flips, flip_interval: [0.1, 0.5] })[2],
    "25\u202f% [10\u202f%, 50\u202f%] of 40",
  );
  const two = { judge: "llm", other: "gpt", agree: 30, differ: 10, agreement: 0.75 };
  assert.deepEqual(agreementRow({ ...two, interval: [0.6, 0.9] }), [
    "40",
    "75\u202f% [60\u202f%, 90\u202f%]",
  ]);
});

test("a point that was adopted is not said to beat itself", () => {
  const adopted = spaceOf({
    in_use: "p41",
    in_use_point: { weight: 0.684 },
    tried: [candidateOf("p41", 0.684, "certified"), candidateOf("p50", 0.7, "beaten")],
  });
  assert.equal(
    proofInWords(adopted),
    "p41 (weight 0.684) is certified to beat the point that was in use before, and is in use since.",
  );
});

test("of several points that are certified against the point in use the newest is named", () => {
  const space = spaceOf({
    tried: [
      candidateOf("p10", 0.6, "certified"),
      candidateOf("p41", 0.684, "certified"),
      candidateOf("p50", 0.7, "better_guess"),
    ],
  });
  assert.equal(
    proofInWords(space),
    "p41 (weight 0.684) is certified to beat the point in use (weight 0.5).",
  );
  assert.equal(proofInWords(spaceOf({ tried: [candidateOf("p50", 0.7, "beaten")] })), null);
});

test("the matrix is the pairs and their mirror", () => {
  const matrix = matrixOf(
    resultOf(
      ["a", "b", "c"],
      [
        [0, 30, 0],
        [10, 0, 5],
        [0, 5, 0],
      ],
    ),
  );
  near(matrix.at(0, 1)?.rate ?? 0, 0.75);
  near(matrix.at(1, 0)?.rate ?? 0, 0.25);
  assert.equal(matrix.at(1, 0)?.wins, 10);
  const [low, high] = matrix.at(1, 0)?.interval ?? [0, 0];
  assert.ok(low < 0.25 && high > 0.25);
  assert.equal(matrix.at(0, 2), null);
  assert.equal(matrix.at(1, 1), null);
});

// What a jury answers by its mean: no duel is won, and each in part.
test("answers that say how much are answers", () => {
  const result = resultOf(
    ["a", "b"],
    [
      [0, 40],
      [20, 0],
    ],
  );
  const [pair] = result.pairs;
  assert.ok(pair);
  pair.counts = { ...pair.counts, first_wins: 0, second_wins: 0, graded: 60, score_sum: 45 };
  pair.rate = 0.75;
  pair.interval = [0.6, 0.9];
  const matrix = matrixOf(result);
  assert.equal(matrix.at(1, 0)?.decisive, 60);
  assert.equal(
    describe(matrix, 0, 1),
    "a won 75\u202f% of 60 against b, between 60\u202f% and 90\u202f%.",
  );
  const colours = { win: [0, 0, 255], lose: [255, 0, 0], self: [0, 0, 0] } as const;
  const pixels = pixelsOf(matrix, {
    win: [...colours.win],
    lose: [...colours.lose],
    self: [...colours.self],
  });
  assert.deepEqual([...pixels.slice(4, 7)], [0, 0, 255], "the row wins, and it is seen");
});

test("a retired arm is left out of the matrix", () => {
  const result = resultOf(
    ["a", "b", "c"],
    [
      [0, 3, 3],
      [1, 0, 3],
      [1, 1, 0],
    ],
  );
  result.arms.pop();
  const matrix = matrixOf(result);
  assert.equal(matrix.arms.length, 2);
  assert.equal(matrix.at(0, 1)?.wins, 3);
});

test("a cell is said in words", () => {
  const result = resultOf(
    ["a", "b", "c"],
    [
      [0, 30, 0],
      [10, 0, 0],
      [0, 0, 0],
    ],
  );
  const pair = result.pairs[0];
  if (pair) pair.counts.ties = 1;
  const matrix = matrixOf(result);
  assert.match(
    describe(matrix, 0, 1),
    /^a won 30 of 40 against b \(75\u202f%, between .*\); 1 tie\.$/,
  );
  assert.equal(describe(matrix, 0, 2), "a and c have not met.");
  assert.equal(describe(matrix, 2, 2), "c");
});

test("arrow keys stay inside the matrix", () => {
  assert.deepEqual(moved({ row: 0, column: 0 }, "ArrowUp", 3), { row: 0, column: 0 });
  assert.deepEqual(moved({ row: 0, column: 0 }, "ArrowRight", 3), { row: 0, column: 1 });
  assert.deepEqual(moved({ row: 2, column: 1 }, "End", 3), { row: 2, column: 2 });
  assert.equal(moved({ row: 2, column: 1 }, "x", 3), null);
});

test("bars stand in the order of what is left, and end at the threshold", () => {
  const result = resultOf(
    ["a", "b", "c"],
    [
      [0, 1, 1],
      [0, 0, 0],
      [0, 0, 0],
    ],
  );
  const [, second, third] = result.arms;
  if (second) Object.assign(second, { log_evidence: 9, duels_left: 0 });
  if (third) Object.assign(third, { log_evidence: -1, duels_left: null });
  const bars = barsOf(result);
  assert.deepEqual(
    bars.map((bar) => [bar.rival, bar.share, bar.reached]),
    [
      ["c", 0, false],
      ["b", 1, true],
    ],
  );
  assert.match(bars[0]?.words ?? "", /not behind so far/);
});

// kl(p, 1/2) = ln 2 - H(p); at p = 3/4 that is 0.130812..
test("the divergence from one half is that of the formula", () => {
  near(divergenceFromHalf(0.5), 0);
  near(divergenceFromHalf(1), Math.LN2);
  near(divergenceFromHalf(0.75), 0.75 * Math.log(1.5) + 0.25 * Math.log(0.5));
});

// Two arms, P(a beats b) = 3/4: d_b = 1/4. Only a beats b, so C = (1/4 + 0)/(2 kl(1/4, 1/2)).
test("the lower bound of two arms by hand", () => {
  const result = resultOf(
    ["a", "b"],
    [
      [0, 30],
      [10, 0],
    ],
  );
  assert.deepEqual(gaps(result, ["b", "a"]), [0.25, 0]);
  near(lowerBoundFactor(result) ?? 0, 0.125 / divergenceFromHalf(0.25));
});

// c loses to a with 3/4 and to b always: b is the better one to show it by, as long as d_b is small.
test("the lower bound takes the cheapest arm that beats another", () => {
  const result = resultOf(
    ["a", "b", "c"],
    [
      [0, 60, 75],
      [40, 0, 100],
      [25, 0, 0],
    ],
  );
  const b = 0.1 / 2 / divergenceFromHalf(0.4);
  const c = Math.min(0.25 / 2 / divergenceFromHalf(0.25), (0.25 + 0.1) / 2 / divergenceFromHalf(0));
  near(lowerBoundFactor(result) ?? 0, b + c);
});

test("an arm that nobody beats has no bound", () => {
  assert.equal(
    lowerBoundFactor(
      resultOf(
        ["a", "b", "c"],
        [
          [0, 6, 0],
          [4, 0, 0],
          [0, 0, 0],
        ],
      ),
    ),
    null,
  );
  assert.equal(
    lowerBoundFactor(
      resultOf(
        ["a", "b"],
        [
          [0, 6],
          [4, 0],
        ],
        { leader: null },
      ),
    ),
    null,
  );
});

// b was shown 40 times with d_b = 1/4: regret 40/4/2 = 5.
test("regret is half the sum of gaps over what was shown", () => {
  const result = resultOf(
    ["a", "b"],
    [
      [0, 30],
      [10, 0],
    ],
  );
  const timeline = {
    experiment_id: "e",
    arms: ["a", "b"],
    points: [{ sequence: 1, time: "", served: 40, decisive: 40, leader: "a", shown: [40, 40] }],
  };
  near(regretPoints(result, timeline)[0]?.regret ?? 0, 5);
});

test("a result becomes the next moment of the series", () => {
  const result = resultOf(
    ["a", "b", "c"],
    [
      [0, 3, 2],
      [1, 0, 0],
      [1, 0, 0],
    ],
  );
  const moment = momentOf(result, ["c", "a", "b"], "now");
  assert.deepEqual(moment.shown, [3, 7, 4]);
  assert.deepEqual(shownCounts(result, ["a"]), [7]);
  assert.equal(moment.log_evidence, 1);
  const timeline = { experiment_id: "e", arms: ["c", "a", "b"], points: [] };
  const once = extended(timeline, moment);
  assert.equal(once.points.length, 1);
  assert.equal(extended(once, moment), once, "the same result again adds nothing");
});

test("a moment counts the pages of one arm as the series does", () => {
  const result = resultOf(
    ["a", "b"],
    [
      [0, 3],
      [1, 0],
    ],
  );
  assert.equal(momentOf(result, ["a", "b"], "").served, result.duels.served);
  assert.equal(momentOf({ ...result, served: 900 }, ["a", "b"], "").served, 900);
});

test("long names lose their middle", () => {
  assert.equal(shortened("hybrid-50", 9), "hybrid-50");
  assert.equal(shortened("hybrid-weight-50", 9), "hybr\u2026t-50");
  assert.notEqual(shortened("a very long name 1", 9), shortened("a very long name 2", 9));
});

test("a series stays short and keeps its ends", () => {
  let timeline = { experiment_id: "e", arms: ["a"], points: [] as ReturnType<typeof momentOf>[] };
  const result = resultOf(
    ["a", "b"],
    [
      [0, 3],
      [1, 0],
    ],
  );
  for (let sequence = 1; sequence <= 1000; ++sequence) {
    timeline = extended(timeline, momentOf({ ...result, sequence }, ["a"], ""), 50);
    assert.ok(timeline.points.length <= 51);
  }
  assert.equal(timeline.points[0]?.sequence, 1);
  assert.equal(timeline.points[timeline.points.length - 1]?.sequence, 1000);
});

test("the curves that are drawn are those of the arms shown most", () => {
  const points = [
    { sequence: 1, time: "", served: 9, decisive: 9, leader: null, shown: [1, 9, 3, 9] },
  ];
  assert.deepEqual(
    mostShown({ experiment_id: "e", arms: ["a", "b", "c", "d"], points }, 3),
    [1, 3, 2],
  );
});

test("32 pens differ", () => {
  const seen = new Set(Array.from({ length: 32 }, (_, index) => JSON.stringify(pen(index))));
  assert.equal(seen.size, 32);
});

test("colour follows the evidence, and one duel is none", () => {
  // Intervals as the server gives them after 1 : 0, 5 : 1, 15 : 5 and 60 : 20, about.
  assert.equal(weightOf(null), 0);
  assert.equal(weightOf({ interval: null }), 0);
  assert.equal(weightOf({ interval: [0.02, 1] }), 0);
  assert.equal(weightOf({ interval: [0.3, 0.98] }), 0);
  assert.equal(weightOf({ interval: [0.45, 0.92] }), 1);
  assert.equal(weightOf({ interval: [0.08, 0.55] }), 1, "the same for the one that loses");
  assert.equal(weightOf({ interval: [0.55, 0.85] }), 2);
  assert.equal(weightOf({ interval: [0.6, 0.75] }), 3);
});

// Of 8 people: 5 : 1 with 2 to come, 4 : 2 with 2 to come, 3 : 3 with 2 neither.
const panelOf = () => {
  const none = resultOf(
    ["a", "b", "c"],
    [
      [0, 5, 4],
      [1, 0, 3],
      [2, 3, 0],
    ],
  );
  const facts: PanelFacts[] = [
    {
      for_first: 5,
      for_second: 1,
      for_neither: 0,
      unknown: 2,
      of_first: "beats",
      of_second: "cannot_beat",
    },
    { for_first: 4, for_second: 2, for_neither: 0, unknown: 2, of_second: "cannot_beat" },
    {
      for_first: 3,
      for_second: 3,
      for_neither: 2,
      unknown: 0,
      of_first: "cannot_beat",
      of_second: "cannot_beat",
    },
  ];
  return {
    ...none,
    panel: { size: 8, answered: 6, closed: false, pairs: [] },
    // As a server has them for a panel: nothing that speaks of people like these.
    pairs: none.pairs.map((pair, k) => ({
      ...pair,
      interval: [0, 1] as [number, number],
      panel: facts[k]!,
    })),
  };
};

test("the colours of a panel's matrix are what is certain of these people", () => {
  const matrix = matrixOf(panelOf());
  const colour = (row: number, column: number) => {
    const { side, weight } = colouringOf(matrix.at(row, column)!);
    return `${side} ${weight}`;
  };
  assert.ok(matrix.panel);
  assert.equal(colour(0, 1), "win 3", "it beats the other");
  assert.equal(colour(1, 0), "lose 3");
  assert.equal(colour(0, 2), "win 1", "the other cannot beat it");
  assert.equal(colour(2, 0), "lose 1");
  assert.equal(colour(1, 2), "win 0", "a tie");
  const open = { ...matrix.at(0, 1)!, panel: { ...matrix.at(0, 1)!.panel!, row: null } };
  assert.equal(colouringOf({ ...open, panel: { ...open.panel, column: null } }).weight, 0);
  const early = { ...open, panel: { ...open.panel, row: "shown" as const, column: null } };
  assert.deepEqual(colouringOf(early), { side: "win", weight: 2 });
});

test("a cell of a panel says its answers, and what is certain", () => {
  const matrix = matrixOf(panelOf());
  assert.equal(
    describe(matrix, 0, 1),
    "5 answers for a, 1 for b, 2 to come: a beats b.",
    "no interval, and no share of anything",
  );
  assert.equal(describe(matrix, 1, 0), "1 answer for b, 5 for a, 2 to come: a beats b.");
  assert.equal(describe(matrix, 0, 2), "4 answers for a, 2 for c, 2 to come: c cannot beat a.");
  assert.equal(describe(matrix, 1, 2), "3 answers for b, 3 for c, 2 for neither: they tie.");
});

test("an axis has a length whatever was served", () => {
  const of = (...served: number[]) => ({
    experiment_id: "e",
    arms: ["a"],
    points: served.map((one) => ({
      sequence: 1,
      time: "",
      served: one,
      decisive: 0,
      leader: null,
      shown: [0],
    })),
  });
  assert.deepEqual(servedAxis(of(0, 0)).domain, [0, 1]);
  assert.deepEqual(servedAxis(of(7, 7)).domain, [0, 7]);
  assert.deepEqual(servedAxis(of()).domain, [0, 1]);
  assert.equal(hasDuels(of(0, 0, 0)), false, "started, paused and resumed");
  assert.equal(hasDuels(of(1)), false);
  assert.equal(hasDuels(of(0, 1)), true);
});

test("ticks of evidence are few", () => {
  assert.deepEqual(decades(150), [0.1, 1, 10, 100]);
  assert.ok(decades(1e26).length <= 8);
});

test("a matrix as pixels: the hue says who wins, the opacity how much evidence there is", () => {
  const result = resultOf(
    ["a", "b", "c"],
    [
      [0, 30, 0],
      [10, 0, 1],
      [0, 0, 0],
    ],
  );
  // As the server gives them.
  const [often, once] = result.pairs;
  if (often) often.interval = [0.55, 0.89];
  if (once) once.interval = [0.02, 1];
  const matrix = matrixOf(result);
  const pixels = pixelsOf(matrix, { win: [1, 2, 3], lose: [4, 5, 6], self: [7, 8, 9] });
  const at = (row: number, column: number) => [
    ...pixels.slice(4 * (3 * row + column), 4 * (3 * row + column) + 4),
  ];
  assert.equal(pixels.length, 36);
  assert.deepEqual(at(0, 0), [7, 8, 9, 31]); // 0.12 of 255
  assert.deepEqual(at(0, 1), [1, 2, 3, 128]); // half of it
  assert.deepEqual(at(1, 0), [4, 5, 6, 128]);
  assert.deepEqual(at(1, 2), [7, 8, 9, 20], "one duel that was won is no colour");
  assert.deepEqual(at(0, 2), [0, 0, 0, 0], "they never met");
});

test("the squares of a matrix are large enough for the names beside them", () => {
  assert.deepEqual([15, 25, 40, 100, 500].map(squareOf), [26, 26, 25, 13, 13]);
});

const named = (arm_id: string, name = arm_id) => ({ arm_id, name });

test("an arm is called by its title, its name, or the text that its id was made of", () => {
  const names = armNames(
    [named("Save-20-today"), named("arm-2"), named("gpt"), named("x"), named("p1", "Djokovic")],
    [
      { arm_id: "Save-20-today", payload: { text: "Save 20 % today" } },
      { arm_id: "arm-2", payload: { text: "Привет" } },
      { arm_id: "gpt", payload: { text: "You are an assistant.\nBe brief." } },
      { arm_id: "x", payload: { title: "The first", image: "https://a.example/x.png" } },
      { arm_id: "p1", payload: null },
    ],
  );
  assert.deepEqual(
    ["Save-20-today", "arm-2", "gpt", "x", "p1", "gone"].map((id) => nameOf(names, id)),
    ["Save 20 % today", "Привет", "gpt", "The first", "Djokovic", "gone"],
  );
  assert.equal(names.get("gpt")?.text, "You are an assistant. Be brief.");
  assert.equal(names.get("arm-2")?.text, null, "the name says it already");
  assert.equal(names.get("x")?.picture, "https://a.example/x.png");
});

test("two arms are never called the same", () => {
  const payload = { title: "Logo" };
  const names = armNames(
    [named("a"), named("b")],
    [
      { arm_id: "a", payload },
      { arm_id: "b", payload },
    ],
  );
  assert.deepEqual([nameOf(names, "a"), nameOf(names, "b")], ["Logo (a)", "Logo (b)"]);
});

test("where there is little room, names lose what all of them share", () => {
  assert.deepEqual(
    toldApart(["Slogan number 14: buy more of it", "Slogan number 15: buy more of it"]),
    ["\u202614\u2026", "\u202615\u2026"],
  );
  assert.deepEqual(toldApart(["model-1", "model-12"]), ["model-1", "model-12"]);
  assert.deepEqual(toldApart(["left", "right"]), ["left", "right"]);
  assert.deepEqual(
    toldApart(["a long beginning", "a long beginning of two"])[0],
    "a long beginning",
  );
  assert.deepEqual(toldApart(["alone"]), ["alone"]);
  const long = ["1", "2"].map((one) => named(`a-name-that-goes-on-and-on-and-on-${one}`));
  const names = armNames(long);
  assert.notEqual(...(long.map(({ arm_id }) => shortNameOf(names, arm_id, 9)) as [string, string]));
});

test("the marks of a bar are 1, powers of ten and the threshold", () => {
  const marks = marksOf(Math.log(240));
  assert.deepEqual(
    marks.map(({ words }) => words),
    ["1", "10", "240"],
  );
  near(marks[1]?.at ?? 0, 1 / Math.log10(240));
  assert.deepEqual(
    marksOf(Math.log(3)).map(({ words }) => words),
    ["1", "3"],
  );
  assert.deepEqual(
    marksOf(Math.log(320)).map(({ words }) => words),
    ["1", "10", "320"],
    "on a phone 100 would stand in 320",
  );
  assert.ok(marksOf(100).length <= 6);
});

test("strengths have an axis that holds all intervals", () => {
  const result = resultOf(["a", "b", "c"], []);
  assert.equal(strengthsOf(result), null, "nothing to draw");
  const [a, b, c] = result.arms;
  if (a) Object.assign(a, { elo: 100, elo_interval: [50, 150], rank_range: [1, 2] });
  if (b) Object.assign(b, { elo: -30.4, elo_interval: [-300, 200], rank_range: [2, 2] });
  if (c) c.elo = null; // nobody knows
  const strengths = strengthsOf(result);
  assert.deepEqual(
    strengths?.rows.map((row) => row.arm),
    ["a", "b"],
  );
  assert.deepEqual(strengths?.rows[1]?.words, ["\u221230", "\u2212300 to +200", "rank 2"]);
  assert.deepEqual(strengths?.rows[0]?.words[2], "rank 1 to 2");
  assert.ok((strengths?.low ?? 0) < -300 && (strengths?.high ?? 0) > 200);
  assert.deepEqual(strengths?.ticks, [-200, 0, 200]);
});

test("one arm, or equal ones, have an axis too", () => {
  const result = resultOf(["a", "b"], []);
  for (const arm of result.arms) Object.assign(arm, { elo: 0, elo_interval: [0, 0] });
  const strengths = strengthsOf(result);
  assert.deepEqual([strengths?.low, strengths?.high], [-10, 10]);
  assert.ok(strengths?.ticks.every(Number.isFinite));
  assert.deepEqual(ticksBetween(-10, 10), [-10, -5, 0, 5, 10]);
  assert.ok(ticksBetween(-900, 1300).length <= 7);
});

test("the matrix of one result is worked out once", () => {
  const result = resultOf(
    ["a", "b"],
    [
      [0, 6],
      [4, 0],
    ],
  );
  assert.equal(matrixOf(result), matrixOf(result));
  assert.notEqual(matrixOf(result), matrixOf({ ...result }));
});

test("why not yet leaves failed checks to their own list and shows moments by the reader's clock", () => {
  const waits = {
    reason: "answers_wait" as const,
    count: 4,
    until: "2026-11-15T09:01:30.000Z",
    detail: "4 answers wait for 1 open duel, until 2026-11-15T09:01:30.000Z at the latest.",
  };
  const failed = { reason: "health" as const, count: 1, detail: "1 health check failed." };
  assert.deepEqual(shownReasons([waits, failed]), [waits]);
  assert.match(sentenceOfReason(waits, "UTC"), /until .*15.* 9:01|until .*15.*09:01/);
  assert.doesNotMatch(sentenceOfReason(waits, "UTC"), /T09/);
  assert.equal(sentenceOfReason(failed), failed.detail);
});

test("the cells of a plane fill it, on each dimension's own scale", () => {
  const dimension = (scale: "linear" | "log", low: number, high: number) => ({
    name: scale,
    low,
    high,
    scale,
    in_use: low,
    recommended: low,
  });
  const plane = [0, 1].flatMap((first) =>
    [1, 4, 16].map((second) => ({ first, second, beats_in_use: 0.5 })),
  );
  const cells = planeCells(plane, [dimension("linear", 0, 1), dimension("log", 1, 16)]);
  assert.deepEqual(cells.slice(0, 3), [
    { left: 0, right: 0.5, bottom: 1, top: 2, beatsInUse: 0.5 },
    { left: 0, right: 0.5, bottom: 2, top: 8, beatsInUse: 0.5 },
    { left: 0, right: 0.5, bottom: 8, top: 16, beatsInUse: 0.5 },
  ]);
  assert.deepEqual(
    [cells[5]?.left, cells[5]?.right, cells[5]?.bottom, cells[5]?.top],
    [0.5, 1, 8, 16],
  );
});

test("a logarithmic axis has round numbers, not too many, and never none", () => {
  assert.deepEqual(logTicks(0.5, 8), [0.5, 1, 2, 5]);
  assert.deepEqual(logTicks(0.001, 100), [0.001, 0.01, 0.1, 1, 10, 100]);
  assert.deepEqual(logTicks(2.1, 4.9), [2.1, 4.9]);
});

test("what judging has cost is said as in duel result", () => {
  const judging = { answers: 120, cost: 0.372, tokens: 412, cached: 0, cost_per_decision: 0.186 };
  assert.equal(
    judgingInWords(judging),
    "Judging cost 0.372 (412 tokens) for 120 answers, 0.186 for each pair that is decided.",
  );
  assert.equal(
    judgingInWords({ answers: 0, cost: 0, tokens: 0, cached: 1, cost_per_decision: null }),
    "1 answer from the cache, which is no evidence.",
  );
  assert.equal(judgingInWords({ ...judging, answers: 0 }), null);
});
