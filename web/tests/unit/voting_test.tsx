import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, Unreachable } from "../../src/api/client";
import type { OutcomeRequest, Duel } from "../../src/api/types";
import { BallotBox, HOLD_MS, outcomeOf, type SavedBallots } from "../../src/voting/ballot_box";
import { partsOf, safeLink, safePicture } from "../../src/look/payload_parts";
import { blocks } from "../../src/voting/markdown";
import { layoutOf } from "../../src/voting/payload";
import { PictureWatch } from "../../src/voting/pictures";
import { blockedBy } from "../../src/voting/pair";
import { progressLine } from "../../src/voting/progress_line";

const settled = () => new Promise<void>((done) => setTimeout(done, 0));

function refusal(status: number, retryable = false): ApiError {
  return new ApiError({
    type: "about:blank",
    title: "",
    status,
    detail: `status ${status}`,
    retryable,
  });
}

// A server in memory and a clock that the test moves.
class Table {
  now = 0;
  saved: SavedBallots | null = null;
  served: string[] = [];
  reported: [string, OutcomeRequest, boolean][] = [];
  serveFails: unknown = null;
  reportFails: unknown = null;
  reportsArrive: Promise<void> = Promise.resolve();
  onePairAtATime = false;
  openAtMost = Infinity; // as for a share link: beyond it the oldest open pair comes again
  made = 0;
  private timers: { at: number; run: () => void }[] = [];

  box(): BallotBox {
    return new BallotBox(
      {
        serve: async (id) => {
          await settled();
          if (this.serveFails) throw this.serveFails;
          const open = this.served.filter((one) => !this.reported.some(([other]) => other === one));
          if (this.onePairAtATime && open.length > 0 && !open.includes(id)) throw refusal(409);
          if (open.length >= this.openAtMost && !open.includes(id))
            return this.duel(open[0] as string);
          if (!this.served.includes(id)) this.served.push(id);
          return this.duel(id);
        },
        report: async (id, body, leaving) => {
          await settled();
          await this.reportsArrive;
          if (this.reportFails) throw this.reportFails;
          this.reported.push([id, body, leaving]);
        },
      },
      {
        now: () => this.now,
        after: (ms, run) => {
          const timer = { at: this.now + ms, run };
          this.timers.push(timer);
          return () => (this.timers = this.timers.filter((one) => one !== timer));
        },
        newId: () => `v.${++this.made}`,
        load: () => (this.saved ? (JSON.parse(JSON.stringify(this.saved)) as SavedBallots) : null),
        save: (ballots) => (this.saved = JSON.parse(JSON.stringify(ballots)) as SavedBallots),
      },
      () => {},
    );
  }
  duel(id: string): Duel {
    return {
      duel_id: id,
      experiment_id: "e",
      serving: "explore",
      learn: true,
      propensity: 1,
      report_token: `t-${id}`,
      arms: [
        { arm_id: "a", position: 1, payload: null },
        { arm_id: "b", position: 2, payload: null },
      ],
    };
  }
  async pass(ms: number): Promise<void> {
    this.now += ms;
    const due = this.timers.filter((one) => one.at <= this.now);
    this.timers = this.timers.filter((one) => one.at > this.now);
    due.forEach((one) => one.run());
    for (let k = 0; k < 20; ++k) await settled();
  }
}

async function started(table = new Table()): Promise<[Table, BallotBox]> {
  const box = table.box();
  await box.start();
  await table.pass(0);
  return [table, box];
}

test("the next pair is fetched ahead", async () => {
  const [table, box] = await started();
  assert.equal(box.current?.duel_id, "v.1");
  assert.deepEqual(table.served, ["v.1", "v.2"]);
  box.vote({ result: "tie" });
  assert.equal(box.current?.duel_id, "v.2", "at once");
  await table.pass(0);
  assert.deepEqual(table.served, ["v.1", "v.2", "v.3"]);
});

test("a vote is sent after five seconds, and not before", async () => {
  const [table, box] = await started();
  await table.pass(1500);
  box.vote({ result: "win", side: 1 });
  await table.pass(HOLD_MS - 1);
  assert.equal(table.reported.length, 0);
  await table.pass(1);
  assert.equal(table.reported.length, 1);
  const [id, body] = table.reported[0] ?? [];
  assert.equal(id, "v.1");
  assert.deepEqual(body, {
    result: "win",
    winner: "b",
    source: { type: "human" },
    response_ms: 1500,
    report_token: "t-v.1",
  });
});

test("a vote is sent when the next one is given", async () => {
  const [table, box] = await started();
  box.vote({ result: "tie" });
  box.vote({ result: "both_bad" });
  await table.pass(0);
  assert.deepEqual(
    table.reported.map(([id]) => id),
    ["v.1"],
  );
});

test("a vote is sent when the page is left, in time", async () => {
  const [table, box] = await started();
  box.vote({ result: "tie" });
  box.leave();
  await table.pass(0);
  assert.deepEqual(
    table.reported.map(([id, , leaving]) => [id, leaving]),
    [["v.1", true]],
  );
});

test("undo is local: nothing was sent, and the same pairs come again", async () => {
  const [table, box] = await started();
  box.vote({ result: "win", side: 0 });
  await table.pass(100);
  assert.ok(box.undo());
  assert.equal(box.current?.duel_id, "v.1");
  assert.equal(box.votes, 0);
  await table.pass(2 * HOLD_MS);
  assert.equal(table.reported.length, 0);
  box.vote({ result: "win", side: 1 });
  assert.equal(box.current?.duel_id, "v.2");
  await table.pass(HOLD_MS);
  assert.deepEqual(
    table.reported.map(([, body]) => body.winner),
    ["b"],
  );
});

test("what was sent is final", async () => {
  const [table, box] = await started();
  box.vote({ result: "tie" });
  await table.pass(HOLD_MS);
  assert.equal(box.canUndo(), false);
  assert.equal(box.undo(), false);
});

test("one pair gets one vote, however fast the keys", async () => {
  const table = new Table();
  const box = table.box();
  await box.start();
  table.serveFails = new Unreachable("");
  assert.ok(box.vote({ result: "tie" }));
  while (box.current) box.vote({ result: "tie" });
  assert.equal(box.vote({ result: "tie" }), false, "nothing to vote on");
  table.serveFails = null;
  await table.pass(60_000);
  await table.pass(60_000);
  const ids = table.reported.map(([id]) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test("a lost connection loses no vote and doubles none", async () => {
  const [table, box] = await started();
  table.reportFails = table.serveFails = new Unreachable("");
  box.vote({ result: "tie" });
  await table.pass(HOLD_MS);
  assert.equal(box.offline, true);
  assert.equal(box.outbox.length, 1);
  await table.pass(1000);
  table.reportFails = table.serveFails = null;
  await table.pass(60_000);
  assert.equal(box.offline, false);
  assert.deepEqual(
    table.reported.map(([id]) => id),
    ["v.1"],
  );
  assert.equal(box.outbox.length, 0);
});

test("an answer that was lost on the way is sent again under the same id", async () => {
  const [table, box] = await started();
  box.vote({ result: "tie" });
  table.reportFails = refusal(503, true);
  await table.pass(HOLD_MS);
  table.reportFails = null;
  box.wake();
  await table.pass(0);
  assert.deepEqual(
    table.reported.map(([id]) => id),
    ["v.1"],
  );
});

test("a reload keeps the pair, and sends what was given before", async () => {
  const [table, box] = await started();
  box.vote({ result: "tie" });
  const [again, second] = await started(
    Object.assign(new Table(), { saved: table.saved, made: 100 }),
  );
  assert.equal(second.current?.duel_id, "v.2");
  await again.pass(0);
  assert.deepEqual(
    again.reported.map(([id]) => id),
    ["v.1"],
  );
  assert.equal(second.votes, 1);
});

test("a duel that was asked for before a reload is asked for under the same id", async () => {
  const table = new Table();
  table.serveFails = new Unreachable("");
  const box = table.box();
  await box.start();
  await table.pass(0);
  const second = Object.assign(new Table(), { saved: table.saved, made: 50 });
  await started(second);
  assert.equal(second.served[0], "v.1");
});

test("an answer that the server refuses is named and not sent for ever", async () => {
  const [table, box] = await started();
  table.reportFails = refusal(409);
  box.vote({ result: "tie" });
  await table.pass(HOLD_MS);
  assert.equal(box.outbox.length, 0);
  assert.match(box.notice, /first answer counts/);
});

test("where the server gives one pair at a time, votes go out at once", async () => {
  const table = new Table();
  table.onePairAtATime = true;
  const [, box] = await started(table);
  assert.equal(box.current?.duel_id, "v.1");
  for (let k = 0; k < 3; ++k) {
    assert.ok(box.vote({ result: "tie" }));
    await table.pass(0);
    assert.equal(box.situation.kind, "voting");
  }
  assert.equal(table.reported.length, 3);
});

async function byShareLink(saved: SavedBallots | null = null): Promise<[Table, BallotBox]> {
  return started(Object.assign(new Table(), { openAtMost: 2, saved }));
}

test("by share link the next pair is ahead and undo is local", async () => {
  const [table, box] = await byShareLink();
  assert.deepEqual(table.served, ["v.1", "v.2"]);
  box.vote({ result: "win", side: 0 });
  assert.equal(box.current?.duel_id, "v.2", "at once");
  await table.pass(HOLD_MS - 1);
  assert.equal(table.reported.length, 0, "held back");
  assert.ok(box.undo());
  assert.equal(box.current?.duel_id, "v.1");
  await table.pass(2 * HOLD_MS);
  assert.equal(table.reported.length, 0);
  box.vote({ result: "win", side: 1 });
  assert.equal(box.current?.duel_id, "v.2");
  await table.pass(HOLD_MS);
  assert.deepEqual(
    table.reported.map(([id, body]) => [id, body.winner]),
    [["v.1", "b"]],
  );
  assert.equal(table.served.length, 3, "the vote that was sent made room for the next pair");
  assert.equal(box.current?.duel_id, "v.2");
});

test("by share link a fast voter is given pair after pair, each once", async () => {
  const [table, box] = await byShareLink();
  for (let k = 1; k <= 6; ++k) {
    assert.equal(box.situation.kind, "voting");
    assert.ok(box.vote({ result: "tie" }));
    await table.pass(0);
    assert.equal(table.reported.length, k - 1, "one is held back");
  }
  await table.pass(HOLD_MS);
  const ids = table.reported.map(([id]) => id);
  assert.equal(ids.length, 6);
  assert.equal(new Set(ids).size, 6);
});

test("by share link a vote that is on its way makes room, and not the one after it", async () => {
  const [table, box] = await byShareLink();
  let arrive = () => {};
  table.reportsArrive = new Promise((done) => (arrive = done));
  box.vote({ result: "win", side: 0 });
  await table.pass(0);
  box.vote({ result: "tie" });
  // The server is asked for a pair before the first vote is there.
  await table.pass(0);
  assert.equal(box.situation.kind, "loading");
  assert.ok(box.canUndo(), "the tie is held back");
  arrive();
  await table.pass(0);
  assert.equal(box.situation.kind, "voting");
  assert.deepEqual(
    table.reported.map(([id]) => id),
    ["v.1"],
  );
  assert.ok(box.canUndo());
});

test("by share link a new page is given the pairs that an earlier one left open", async () => {
  const [table] = await byShareLink();
  const second = table.box(); // of the same voter, who closed the first tab
  table.saved = null;
  await second.start();
  await table.pass(0);
  assert.equal(second.current?.duel_id, "v.1");
  second.vote({ result: "tie" });
  await table.pass(0);
  assert.equal(second.situation.kind, "voting");
  assert.notEqual(second.current?.duel_id, "v.1");
  for (let k = 0; k < 4; ++k) {
    second.vote({ result: "tie" });
    await table.pass(HOLD_MS);
  }
  const ids = table.reported.map(([id]) => id);
  assert.ok(ids.includes("v.2"), "what was left open is answered too");
  assert.equal(new Set(ids).size, ids.length);
});

test("a pair whose vote waits to be sent is not shown again after a reload", async () => {
  const [before, box] = await byShareLink();
  box.vote({ result: "tie" });
  const { saved, served, made } = before;
  const reportFails = new Unreachable("");
  const [table, second] = await started(
    Object.assign(new Table(), { openAtMost: 2, saved, served, made, reportFails }),
  );
  assert.equal(second.current?.duel_id, "v.2");
  second.vote({ result: "tie" });
  await table.pass(0);
  assert.equal(second.current, null, "both open pairs have their vote");
  table.reportFails = null;
  await table.pass(60_000);
  await table.pass(60_000);
  assert.equal(second.situation.kind, "voting");
  assert.deepEqual(
    table.reported.map(([id]) => id),
    ["v.1", "v.2"],
  );
});

test("a fallback is nothing to vote on", async () => {
  const table = new Table();
  table.duel = (id) => ({
    duel_id: id,
    experiment_id: "e",
    serving: "fallback",
    learn: false,
    propensity: 1,
    arms: [{ arm_id: "a", position: 1, payload: null }],
  });
  const [, box] = await started(table);
  assert.equal(box.situation.kind, "closed");
  assert.equal(box.vote({ result: "tie" }), false);
});

// Of a panel: what is told when nothing is left that could matter, and what is given still goes out.
test("who is done is told so, and the last vote can still be taken back", async () => {
  const table = new Table();
  const pair = table.duel.bind(table);
  table.duel = (id) =>
    id === "v.1"
      ? pair(id)
      : { duel_id: id, experiment_id: "e", serving: "done", learn: false, arms: [], verdict: "a." };
  const [, box] = await started(table);
  assert.equal(box.situation.kind, "voting");
  box.vote({ result: "win", side: 0 });
  await table.pass(0);
  assert.deepEqual(box.situation, { kind: "done", verdict: "a." });
  assert.equal(box.undo(), true);
  assert.equal(box.situation.kind, "voting");
  box.vote({ result: "tie" });
  await table.pass(HOLD_MS);
  assert.deepEqual(
    table.reported.map(([id, body]) => [id, body.result]),
    [["v.1", "tie"]],
  );
  assert.equal(box.situation.kind, "done");
});

test("a refusal says its status", async () => {
  const table = new Table();
  table.serveFails = refusal(401);
  const [, box] = await started(table);
  assert.deepEqual(box.situation, { kind: "refused", message: "Status 401.", status: 401 });
});

test("a pair that has expired is not voted on", async () => {
  const [table] = await started();
  const saved = table.saved as SavedBallots;
  if (saved.current) saved.current.expires_at = "2000-01-01T00:00:00Z";
  const later = Object.assign(new Table(), {
    saved,
    made: 10,
    now: Date.parse("2026-01-01T00:00:00Z"),
  });
  const [, box] = await started(later);
  assert.notEqual(box.current?.duel_id, "v.1");
});

test("an arm shown twice is answered by its place", () => {
  const duel = new Table().duel("x");
  duel.arms[1] = { arm_id: "a", position: 2, payload: null };
  assert.equal(outcomeOf({ duel, choice: { result: "win", side: 1 }, responseMs: 1 }).place, 2);
  assert.equal(
    outcomeOf({ duel, choice: { result: "skip", reason: "why" }, responseMs: 1 }).note,
    "why",
  );
});

// --- What a payload may become ---

interface Element {
  type: string;
  props: Record<string, unknown> & { children?: unknown };
}

function elements(node: unknown): Element[] {
  if (Array.isArray(node)) return node.flatMap(elements);
  if (typeof node !== "object" || node === null || !("type" in node)) return [];
  const one = node as Element;
  // A picture is a component, whose <img> has the source that it is given.
  if (typeof one.type === "function") return [{ type: "img", props: { src: one.props.source } }];
  return [one, ...elements(one.props.children)];
}

// What can be read of it.
function textOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(textOf).join("");
  if (typeof node === "string") return node;
  if (typeof node !== "object" || node === null || !("type" in node)) return "";
  const one = node as Element;
  return one.type === "br" ? "\n" : textOf(one.props.children);
}

const names = (text: string) => elements(blocks(text)).map((one) => one.type);

test("Markdown becomes elements", () => {
  assert.deepEqual(names("# One\n\ntext **bold** *thin* `code`\n\n- a\n- b"), [
    "h3",
    "p",
    "strong",
    "em",
    "code",
    "ul",
    "li",
    "li",
  ]);
  assert.deepEqual(names("1. a\n2. b\n\n> quote\n\n```\n<b>\n```\n\n---"), [
    "ol",
    "li",
    "li",
    "blockquote",
    "p",
    "pre",
    "code",
    "hr",
  ]);
  assert.deepEqual(names("[x](https://a.example/b(c)) <https://b.example>"), ["p", "a", "a"]);
  assert.deepEqual(names("| a | b |\n|---|:-:|\n| 1 | 2 |"), [
    "table",
    "thead",
    "tr",
    "th",
    "th",
    "tbody",
    "tr",
    "td",
    "td",
  ]);
  assert.equal(textOf(blocks("one\ntwo")), "one\ntwo");
  assert.equal(textOf(blocks("```\n  if a:\n    b\n```")), "  if a:\n    b");
  assert.equal(elements(blocks("3. c\n4. d"))[0]?.props.start, 3);
});

test("what may not be followed is shown as it was written", () => {
  assert.equal(textOf(blocks("[x](javascript:alert(1))")), "[x](javascript:alert(1))");
  assert.equal(textOf(blocks("![x](http://a.example/x.png)")), "![x](http://a.example/x.png)");
  assert.equal(textOf(blocks("<b>bold</b>")), "<b>bold</b>");
});

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:msgbox)",
  "![x](javascript:alert(1))",
  "![x](data:image/svg+xml;base64,PHN2Zz4=)",
  '![x" onerror="alert(1)](https://a.example/x.png)',
  "<javascript:alert(1)>",
  "<iframe src=https://a.example></iframe>",
  "[a](<javascript:alert(1)>)",
  "**[x](java\nscript:alert(1))**",
];

test("no text becomes a script, a handler or a wild address", () => {
  for (const text of HOSTILE) {
    for (const { type, props } of elements(blocks(text))) {
      assert.ok(
        /^(p|a|img|strong|em|s|br|code|pre|h[3-6]|ul|ol|li|blockquote|hr|table|thead|tbody|tr|t[hd])$/.test(
          type,
        ),
        `${type} from ${text}`,
      );
      for (const [name, value] of Object.entries(props)) {
        assert.ok(!/^on/i.test(name) && name !== "dangerouslySetInnerHTML", `${name} from ${text}`);
        if (name === "href") assert.match(String(value), /^(https?:|mailto:)/);
        if (name === "src")
          assert.match(String(value), /^(https:|data:image\/(png|jpeg|gif|webp|avif|svg\+xml);)/);
      }
    }
  }
});

test("only addresses of the web are links and pictures", () => {
  assert.equal(safeLink(" https://a.example/ "), "https://a.example/");
  assert.equal(safeLink("//a.example"), null);
  assert.equal(safeLink("javascript:alert(1)//https://"), null);
  assert.equal(safePicture("http://a.example/x.png"), null);
  assert.equal(safePicture("data:image/png;base64,AAAA"), "data:image/png;base64,AAAA");
  assert.equal(safePicture("data:image/svg+xml;base64,AAAA"), "data:image/svg+xml;base64,AAAA");
  const drawn = "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg'/>";
  assert.equal(safePicture(drawn), drawn);
  assert.equal(safePicture("data:text/html,<svg/>"), null);
  assert.equal(safePicture("data:image/svg+xml"), null);
});

test("long and nested text ends", () => {
  const begun = Date.now();
  blocks("> ".repeat(5000) + "x");
  blocks("*".repeat(20_000));
  blocks("[".repeat(20_000));
  blocks(`${"a*b_".repeat(3000)}`);
  assert.ok(Date.now() - begun < 20_000);
});

test("a payload is shown by what it is", () => {
  assert.deepEqual(partsOf(null), {});
  assert.deepEqual(partsOf("hello"), { text: "hello" });
  assert.deepEqual(partsOf("https://a.example/x.png"), { picture: "https://a.example/x.png" });
  assert.deepEqual(partsOf("https://a.example/"), { link: "https://a.example/" });
  assert.deepEqual(
    partsOf({ text: "a", image: "https://a.example/i", url: "https://b.example", alpha: 0.3 }),
    {
      text: "a",
      picture: "https://a.example/i",
      link: "https://b.example",
      rest: { alpha: 0.3 },
    },
  );
  assert.deepEqual(partsOf({ url: "javascript:alert(1)" }), {
    rest: { url: "javascript:alert(1)" },
  });
  assert.deepEqual(partsOf([1, 2]), { rest: [1, 2] });
});

test("a text is Markdown or code only where the payload says so", () => {
  assert.deepEqual(partsOf({ text: "*a*" }), { text: "*a*" });
  assert.deepEqual(partsOf({ text: "*a*", format: "text" }), { text: "*a*" });
  assert.deepEqual(partsOf({ text: "*a*", format: "markdown" }), {
    text: "*a*",
    format: "markdown",
  });
  assert.deepEqual(partsOf({ format: "code", text: "a" }), { text: "a", format: "code" });
  assert.deepEqual(partsOf({ markdown: "*a*" }), { text: "*a*", format: "markdown" });
  assert.deepEqual(partsOf({ text: "a", format: "A4" }), { text: "a", rest: { format: "A4" } });
});

test("two items are laid out alike", () => {
  const table = "a   b\n1   2";
  assert.deepEqual(layoutOf(["Yes", "No"]), { centred: true, even: false });
  assert.deepEqual(layoutOf(["Yes", "x".repeat(500)]), { centred: false, even: false });
  assert.deepEqual(layoutOf([{ text: table }, { text: "prose" }]), { centred: true, even: true });
  assert.deepEqual(layoutOf([{ text: "if a:\n    b\n    c\n    d" }, { text: "x" }]), {
    centred: false,
    even: true,
  });
  assert.equal(layoutOf([{ text: table, format: "markdown" }, { text: "x" }]).even, false);
  assert.equal(layoutOf([{ alpha: 1 }, { alpha: 2 }]).centred, false);
});

test("a pair is blocked until all its pictures are there, and by one that is broken", () => {
  let redrawn = 0;
  const watch = new PictureWatch(() => (redrawn += 1));
  assert.equal(blockedBy(watch), null);
  const [left, right] = [{}, {}];
  watch.tell(left, "loading");
  watch.tell(right, "loading");
  assert.equal(blockedBy(watch), "loading");
  watch.tell(left, "shown");
  assert.equal(blockedBy(watch), "loading");
  watch.tell(right, "broken");
  assert.equal(blockedBy(watch), "broken");
  watch.tell(right, "broken");
  assert.equal(redrawn, 4, "what is known already draws nothing");
  watch.forget(right);
  assert.equal(blockedBy(watch), null);
});

test("progress is a line without names", () => {
  const base = {
    experiment_id: "e",
    name: "",
    state: "running" as const,
    mode: "duel" as const,
    certified: false,
  };
  assert.equal(
    progressLine({ ...base, answers: 1, share_of_evidence: null, expected_duels_left: null }),
    "1 answer so far.",
  );
  assert.equal(
    progressLine({ ...base, answers: 40, share_of_evidence: 0.256, expected_duels_left: 2134 }),
    "40 answers so far; 26 % of the evidence that is needed, about 2\u202f100 more to go.",
  );
  assert.match(
    progressLine({
      ...base,
      certified: true,
      answers: 90,
      share_of_evidence: 1,
      expected_duels_left: 0,
    }),
    /certain enough to stop/,
  );
});
