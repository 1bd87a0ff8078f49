import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { filledPage, nameAndId, namesInLog } from "../../src/certificate/certificate_data";
import { Evidence } from "../../src/certificate/certificate_page";
import { Draws, hmacSha256, isDrawn } from "../../src/verifier/draws";
import { evidenceAgainst } from "../../src/verifier/evidence";
import { parseJson, written } from "../../src/verifier/json";
import {
  erfc,
  evidenceText,
  exponential,
  naturalLog,
  numberText,
} from "../../src/verifier/numbers";
import { sha256 } from "../../src/verifier/sha256";
import { textOf } from "./rendered";

test("no text of the data ends the element that it stands in, or takes another's place", () => {
  const hostile = "</script><script>alert(1)</script>$&@DATA@@TITLE@";
  const template = '<title>@TITLE@</title><script type="application/json">@DATA@</script>';
  const data = { made_by: "d", name: hostile, certificate: hostile, log: hostile };
  const page = filledPage(template, data);
  assert.equal(page.match(/<script/g)?.length, 1);
  assert.equal(page.match(/<\/script>/g)?.length, 1);
  const json = page.slice(page.indexOf('json">') + 6, page.lastIndexOf("</script>"));
  assert.deepEqual(JSON.parse(json), data);
});

test("arms are called by what the log says of them, and by their ids beside it", () => {
  const line = (record: object) => `${JSON.stringify({ seq: 1, ...record })}\n`;
  const arms = [{ arm_id: "Save-20-today", content: { text: "Save 20 % today" } }, { arm_id: "b" }];
  const log =
    line({ record: "experiment", arms }) +
    line({ record: "serve", duel_id: "d1" }) +
    line({ record: "arm_added", arm_id: "arm-3", content: "Free delivery" });
  const names = namesInLog(log);
  assert.equal(nameAndId(names, "Save-20-today"), "Save 20 % today (Save-20-today)");
  assert.equal(nameAndId(names, "arm-3"), "Free delivery (arm-3)");
  assert.equal(nameAndId(names, "b"), "b");
  assert.equal(nameAndId(namesInLog("no log"), "b"), "b");
});

test("hashes are SHA-256, at every length around the block's", () => {
  for (let length = 0; length < 200; ++length) {
    const bytes = Uint8Array.from({ length }, (_, k) => (k * 37 + length) % 256);
    assert.equal(sha256(bytes), createHash("sha256").update(bytes).digest("hex"));
  }
});

test("the coins of audits are HMAC-SHA-256, for keys shorter and longer than its block", () => {
  for (const key of ["", "k", "x".repeat(64), "x".repeat(100)])
    for (const text of ["", "d1/audit", "é"])
      assert.equal(hmacSha256(key, text), createHmac("sha256", key).update(text).digest("hex"));
});

test("draws are checked by the key that the log tells, and by no other", () => {
  const key = "ab".repeat(32);
  const key_sha256 = sha256(new TextEncoder().encode(key));
  const played = (drawn: (id: string) => boolean, end?: string) => {
    const first = { audit: { key_sha256, from_seed: false }, seed: 1n, experiment_id: "e" };
    const draws = new Draws(first as never);
    for (let k = 0; k < 40; ++k) {
      const duel_id = `d${k}`;
      draws.note({ record: "serve", duel_id, audit: 0.5 } as never);
      draws.note({ record: "audit", duel_id, drawn: drawn(duel_id) } as never);
    }
    if (end) draws.note({ record: "completed", audit_key: end } as never);
    draws.toss();
    return [draws.checked, draws.unchecked];
  };
  const honest = (id: string) => isDrawn(key, id, 0.5);
  assert.deepEqual(played(honest, key), [40, 0]);
  assert.deepEqual(played(honest), [0, 40]);
  assert.throws(() => played((id) => honest(id) !== (id === "d7"), key), /d7/);
  assert.throws(() => played(honest, "cd".repeat(32)), /audit_key/);
});

// Wins and losses one after the other, and E after answers 11 to 22.
test("the evidence is that of the documents", () => {
  const evidence = evidenceAgainst(0);
  const found: string[] = [];
  let wins = 0,
    losses = 0;
  for (const answer of "WWWLWWWWLWWWWWWWWLWWWW") {
    answer === "W" ? ++wins : ++losses;
    found.push(evidenceText(evidence(wins, losses)));
  }
  assert.deepEqual(found.slice(10), [
    "4.5779941",
    "6.91785197",
    "10.8016715",
    "17.3513219",
    "28.5431394",
    "47.8746248",
    "81.5578017",
    "22.4577132",
    "36.3859673",
    "60.1540603",
    "101.145312",
    "172.458747",
  ]);
});

test("logarithm, exponential and error function are within a few ulp of the browser's", () => {
  for (let x = 1e-6; x < 1e6; x *= 1.37) {
    assert.ok(Math.abs(naturalLog(x) - Math.log(x)) <= 4e-16 * Math.max(1, Math.abs(Math.log(x))));
  }
  for (let x = -700; x < 700; x += 13.7) {
    assert.ok(Math.abs(exponential(x) / Math.exp(x) - 1) < 1e-15);
  }
  // 3 standard errors, two-sided, and 1 and 5 (Abramowitz and Stegun, table 26.1).
  for (const [z, tail] of [
    [1, 0.31731050786291415],
    [3, 0.0026997960632601866],
    [5, 5.733031437583892e-7],
  ] as const) {
    assert.ok(Math.abs(erfc(z / Math.SQRT2) / tail - 1) < 1e-12, `${z}`);
  }
});

test("numbers are written as a certificate has them", () => {
  for (const [x, text] of [
    [0.05, "0.05"],
    [1e-5, "1e-05"],
    [1.25e-7, "1.25e-07"],
    [61, "61"],
    [123456789012345680, "1.2345678901234568e+17"],
    [1e15, "1000000000000000"],
    [1e16, "1e+16"],
    [0.0001, "0.0001"],
  ] as const) {
    assert.equal(numberText(x), text);
  }
  assert.equal(evidenceText(naturalLog(30)), "30");
  assert.equal(evidenceText(2000), "3.88118019e+868");
  assert.equal(evidenceText(-2000), "2.57653587e-869");
  assert.equal(written([1, 2n, 0.5, "\u007f\n"]).replace(/\s/g, ""), '[1.0,2,0.5,"\\u007f\\n"]');
});

test("what is no JSON is refused, and whole numbers keep their digits", () => {
  for (const text of [
    "",
    "01",
    "1.",
    "{,}",
    '{"a":1,}',
    "[1 2]",
    '"\\ud800"',
    '"\t"',
    "nul",
    "1 1",
  ]) {
    assert.throws(() => parseJson(text));
  }
  const [number] = parseJson("[9007199254740993]") as { text: string }[];
  assert.equal(number?.text, "9007199254740993");
});

test("what a panel's certificate rests on are the answers of its members", () => {
  const pair = { first: "fox", second: "owl", for_first: 5, for_second: 1, for_neither: 0 };
  const counted = { ...pair, unknown: 2, certain: "beats" as const };
  assert.equal(
    textOf(Evidence({ certificate: { panel: { size: 8, pairs: [counted] } }, names: new Map() })),
    "Pair|For : against|Neither|To come||fox beats owl|5 : 1|0|2||",
  );
  const shown = { ...pair, unknown: 20, evidence: "91.2345678", threshold: "40" };
  assert.match(
    textOf(Evidence({ certificate: { panel: { pairs: [counted, shown] } }, names: new Map() })),
    /\|fox beats owl\|5 : 1\|0\|2\|certain\|\|\|fox beats owl\|5 : 1\|0\|20\|91\.2\|40\|\|$/,
  );
  const tied = { ...pair, for_second: 5, unknown: 0, certain: "cannot_beat" as const };
  assert.match(
    textOf(Evidence({ certificate: { panel: { pairs: [tied] } }, names: new Map() })),
    /\|fox cannot beat owl\|5 : 5\|/,
  );
});
