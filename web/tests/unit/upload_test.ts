import assert from "node:assert/strict";
import { test } from "node:test";
import { armNames } from "../../src/charts/arm_names";
import { changesOf } from "../../src/dashboard/changes";
import {
  logHeadOf,
  logOf,
  meaningsOf,
  rolesOf,
  tableOf,
  votesOf,
} from "../../src/dashboard/votes_table";
import { verify } from "../../src/verifier/verify";

const read = (text: string) => {
  const table = tableOf(text)!;
  const roles = rolesOf(table);
  return { table, roles, ...votesOf(table, roles, meaningsOf(table, roles)) };
};

test("columns of an arena CSV are known by their names, and values by what they say", () => {
  const { roles, votes, arms, problems, inOrder } = read(
    "model_a,model_b,winner,judge,tstamp\nx y,z,model_a,ann,3\nx y,z,tie (bothbad),bob,1\nz,x y,model_b,ann,2\n",
  );
  assert.deepEqual(roles, { first: 0, second: 1, winner: 2, voter: 3, time: 4 });
  assert.deepEqual(
    votes.map((vote) => [vote.result, vote.winner, vote.voter]),
    [
      ["both_bad", undefined, "bob"],
      ["win", "x-y", "ann"],
      ["win", "x-y", "ann"],
    ],
    "in the order of their times",
  );
  assert.deepEqual(arms, [
    { name: "x y", id: "x-y" },
    { name: "z", id: "z" },
  ]);
  assert.equal(problems.length, 0);
  assert.equal(inOrder, true);
});

test("a winner can be named, and semicolons and other names of columns are known", () => {
  const { votes, inOrder } = read("Left;Right;Preferred\na;b;b\na;b;draw\n");
  assert.deepEqual(
    votes.map((vote) => [vote.result, vote.winner]),
    [
      ["win", "b"],
      ["tie", undefined],
    ],
  );
  assert.equal(inOrder, false, "no times");
});

test("rows that say nothing are named by their lines", () => {
  const { problems, votes } = read("first,second,winner\na,b,a\na,a,a\na,,a\na,b,perhaps\n");
  assert.deepEqual(problems, [
    { line: 3, what: "'a' is compared with itself" },
    { line: 4, what: "an arm is missing" },
    { line: 5, what: "'perhaps' says nothing" },
  ]);
  assert.equal(votes.length, 1);
});

test("two answers of one pair at the same time have no order", () => {
  assert.equal(read("first,second,winner,time\na,b,a,5\nb,a,b,5\n").inOrder, false);
  assert.equal(read("first,second,winner,time\na,b,a,5\nc,a,c,5\n").inOrder, true);
  assert.equal(read("first,second,winner,time\na,b,a,5\na,b,a,noon\n").inOrder, false);
});

test("what is uploaded is a sound log, which certifies what its votes certify", () => {
  let csv = "first,second,winner,time\n";
  for (let k = 0; k < 40; ++k) csv += `one,"t,wo",one,${k}\n`;
  const log = logOf(read(csv), { id: "votes", name: "Votes", alpha: 0.05 }, new Date(0));
  const found = verify(new TextEncoder().encode(log));
  assert.equal(found.mismatch, undefined);
  assert.match(found.certificate!.statement, /^Arm 'one' beats the other arm/);
  assert.deepEqual(logHeadOf(log), {
    id: "votes",
    name: "Votes",
    arms: 2,
    goal: "condorcet",
    records: 41,
  });
  const unordered = logOf(
    read(csv.replace("time", "note")),
    { id: "votes", name: "", alpha: 0.05 },
    new Date(0),
  );
  assert.match(verify(new TextEncoder().encode(unordered)).certificate!.statement, /one look/);
});

test("what is no table and no log is told apart", () => {
  assert.equal(tableOf("one column\nmore\n"), null);
  assert.equal(tableOf("a,b,winner\n"), null, "no rows");
  assert.equal(logHeadOf('{"record":"serve"}\n'), null);
  assert.equal(logHeadOf("a,b\n1,2\n"), null);
});

test("what was changed is told from the log, without its duels", () => {
  const line = (record: object) => `${JSON.stringify({ seq: 1, time: "T", ...record })}\n`;
  const log = [
    {
      record: "experiment",
      arms: [{}, {}],
      goal: "condorcet",
      service: { name: "Old", starts: "draft" },
    },
    { record: "state", state: "running" },
    { record: "serve", duel_id: "d1" },
    { record: "state", state: "paused" },
    { record: "configured", name: "New", feedback: {}, guardrails: { max_pending: 9 } },
    { record: "state", state: "running" },
    { record: "arm_added", arm_id: "c" },
    { record: "certified", kind: "winner", winner: "b" },
    { record: "completed", reason: "certified" },
  ]
    .map(line)
    .join("");
  const names = armNames([{ arm_id: "b", name: "Free delivery" }]);
  assert.deepEqual(
    changesOf(`${log}{"seq":9,"ti`, names).map((one) => one.what),
    [
      "Created with 2 arms, goal condorcet",
      "Started",
      "Paused",
      "Changed: max pending 9 (was the default); name New (was Old)",
      "Resumed",
      "Arm c joined",
      "Certified: Free delivery",
      "Completed, since it is certified",
    ],
  );
  const tuned = line({ record: "experiment", arms: [], space: {}, goal: "condorcet" });
  assert.deepEqual(
    changesOf(tuned, names).map((one) => one.what),
    ["Created with a space"],
  );
});
