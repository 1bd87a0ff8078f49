import assert from "node:assert/strict";
import { test } from "node:test";
import { found, type Section } from "../../src/documents/search";

const sections: Section[] = [
  ["run.html", "Running", "Running", "asks a judge program which of two is better"],
  ["run.html#the-judge", "Running", "The judge", "a program that answers"],
  ["server.html#tokens", "The server", "Tokens", "create a token first; judges need none"],
];
const addresses = (words: string) => found(sections, words).map((hit) => hit.address);

test("every word has to occur, at the beginning of a word, and titles count most", () => {
  assert.deepEqual(addresses("judge"), ["run.html#the-judge", "run.html", "server.html#tokens"]);
  assert.deepEqual(addresses("Judge program"), ["run.html#the-judge", "run.html"]);
  assert.deepEqual(addresses("tok"), ["server.html#tokens"]);
  assert.deepEqual(addresses("udge"), []);
  assert.deepEqual(addresses("  "), []);
});
