import assert from "node:assert/strict";
import { test } from "node:test";
import { qrCode } from "../../src/dashboard/qr_code";
import { namesOf } from "../../src/dashboard/members";
import { reachOf, tokensOf, votingLink, type Wanted } from "../../src/dashboard/share";

const drawn = (text: string) =>
  qrCode(text)!
    .map((row) => row.map((dark) => (dark ? "#" : ".")).join(""))
    .join("\n");

// As two other encoders draw it (version 1, level M, mask by the penalty).
test("a QR code has its three corners, its timing and the size of its version", () => {
  const rows = drawn("duel").split("\n");
  assert.equal(rows.length, 21);
  assert.equal(rows[0]!.slice(0, 8), "#######.");
  assert.equal(rows[0]!.slice(-8), ".#######");
  assert.equal(rows[20]!.slice(0, 8), "#######.");
  assert.equal(rows[3]!.slice(0, 7), "#.###.#");
  assert.equal(rows[6]!.slice(6, 15), "#.#.#.#.#");
  // Byte mode at level M: 14, 26, 42, .. 666 bytes.
  const sizes: [number, number][] = [
    [14, 21],
    [15, 25],
    [26, 25],
    [27, 29],
    [84, 37],
    [213, 57],
    [214, 61],
    [666, 97],
  ];
  for (const [bytes, size] of sizes)
    assert.equal(qrCode("x".repeat(bytes))!.length, size, `${bytes}`);
  assert.equal(qrCode("x".repeat(667)), null);
  assert.equal(qrCode("ü".repeat(7))!.length, 21, "two bytes each in UTF-8");
});

// The bits of the format are a codeword of BCH(15, 5): the remainder by its generator is 0.
test("what a QR code says of its own format is sound, at both places", () => {
  for (const text of [
    "",
    "duel",
    "http://127.0.0.1:7557/vote/logo#token=duel_vote_abc",
    "x".repeat(300),
  ]) {
    const rows = qrCode(text)!;
    const size = rows.length;
    const one: boolean[] = [];
    for (let k = 0; k <= 5; ++k) one.push(rows[k]![8]!);
    one.push(rows[7]![8]!, rows[8]![8]!, rows[8]![7]!);
    for (let k = 9; k < 15; ++k) one.push(rows[8]![14 - k]!);
    const other: boolean[] = [];
    for (let k = 0; k < 8; ++k) other.push(rows[8]![size - 1 - k]!);
    for (let k = 8; k < 15; ++k) other.push(rows[size - 15 + k]![8]!);
    assert.deepEqual(one, other);
    let bits = one.reduce((sum, bit, k) => sum | (Number(bit) << k), 0) ^ 0x5412;
    assert.equal(bits >> 13, 0, "level M");
    for (let k = 14; k >= 10; --k) if ((bits >> k) & 1) bits ^= 0x537 << (k - 10);
    assert.equal(bits, 0);
  }
});

const wanted: Wanted = {
  name: "Team",
  each: false,
  people: "3",
  members: null,
  perDay: "50",
  perAddress: "5",
  days: 0,
};

test("a link for everybody has its limits, and links for people are for one browser each", () => {
  assert.deepEqual(tokensOf("logo", wanted, 0), [
    {
      scope: "vote",
      experiment_id: "logo",
      name: "Team",
      max_subjects_per_day: 50,
      max_subjects_per_address_per_day: 5,
    },
  ]);
  const each = tokensOf("logo", { ...wanted, each: true, days: 1 }, 0);
  assert.deepEqual(
    each.map((one) => [one.name, one.one_browser, one.max_subjects_per_day]),
    [
      ["Team 1", true, undefined],
      ["Team 2", true, undefined],
      ["Team 3", true, undefined],
    ],
  );
  assert.equal(each[0]!.expires_at, "1970-01-02T00:00:00.000Z");
  assert.equal(tokensOf("logo", { ...wanted, each: true, people: "100000" }, 0).length, 100);
});

test("of a panel with a list each link is for one member, in any browser", () => {
  const members = namesOf("Ann, Bob\nCem\n\n Ann \n");
  assert.deepEqual(members, ["Ann", "Bob", "Cem"]);
  const tokens = tokensOf("mascot", { ...wanted, each: true, members, days: 1 }, 0);
  assert.deepEqual(tokens[0], {
    scope: "vote",
    experiment_id: "mascot",
    expires_at: "1970-01-02T00:00:00.000Z",
    name: "Ann",
    member: "Ann",
  });
  assert.deepEqual(
    tokens.map((one) => one.member),
    ["Ann", "Bob", "Cem"],
  );
  assert.deepEqual(tokensOf("mascot", { ...wanted, members: [] }, 0), [], "no link for everybody");
});

test("a link says where it leads, and an address who reaches it", () => {
  assert.equal(
    votingLink("https://duel.example.org/", "a b", "duel_vote_x"),
    "https://duel.example.org/vote/a%20b#token=duel_vote_x",
  );
  assert.equal(reachOf("http://127.0.0.1:7557"), "this machine only");
  assert.equal(reachOf("http://localhost:7557"), "this machine only");
  assert.equal(reachOf("http://192.168.1.20:7557"), "your network");
  assert.equal(reachOf("https://duel.example.org"), "everybody who can open it");
});
