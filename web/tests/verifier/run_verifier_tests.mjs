// Holds both verifiers against each other:  node run_verifier_tests.mjs DUEL [CASES] [SEED]
// The logs of tests/golden and logs that were made up, whole and damaged in every way of damage.mjs,
// with their certificates, whole and damaged: `duel verify` and our verify.mjs end with the same exit
// code. The certificate is always the one that our verifier makes, so that `duel verify` also holds
// its bytes against its own.
import { build } from "esbuild";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { audited, damaged, Dice, experiment, forged, inContexts, panel, tuned } from "./damage.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [duel, cases = "250", firstSeed = "1"] = process.argv.slice(2);
if (!duel) throw new Error("usage: node run_verifier_tests.mjs DUEL [CASES] [SEED]");
const directory = mkdtempSync(join(tmpdir(), "duel-verifiers-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

await build({
  entryPoints: {
    verifier: join(here, "../../src/verifier/verify.ts"),
    verify: join(here, "../../src/verifier/node.ts"),
  },
  bundle: true,
  platform: "node",
  format: "esm",
  outdir: directory,
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
});
const { verify } = await import(join(directory, "verifier.mjs"));

const codeOf = (verdict) =>
  verdict.mismatch !== undefined
    ? 5
    : verdict.health.some((check) => check.verdict === "failed")
      ? 4
      : 0;
const run = (program, given) =>
  new Promise((resolve) =>
    execFile(program, given, (error, out, err) =>
      resolve({ code: error ? (error.code ?? -1) : 0, out, err }),
    ),
  );

let failures = 0;
const seen = new Map();
async function compare(name, log, certificate) {
  const ours = verify(log, certificate);
  const files = [join(directory, `${name}.log`), join(directory, `${name}.certificate`)];
  writeFileSync(files[0], log);
  if (certificate) writeFileSync(files[1], certificate);
  const theirs = await run(duel, ["verify", ...(certificate ? [files[1]] : []), "--log", files[0]]);
  const what = `${codeOf(ours)}${ours.certificate ? " certified" : ""}${certificate ? " with its certificate" : ""}`;
  seen.set(what, (seen.get(what) ?? 0) + 1);
  if (theirs.code === codeOf(ours)) return files.forEach((file) => rmSync(file, { force: true }));
  ++failures;
  const kept = process.env.KEEP_FAILURES;
  if (kept) {
    writeFileSync(join(kept, `${name}.log`), log);
    if (certificate) writeFileSync(join(kept, `${name}.certificate`), certificate);
  }
  console.error(
    `${name}: verify.mjs ends with ${codeOf(ours)} (${ours.mismatch ?? "verified"}), duel verify with ${theirs.code}: ${theirs.out}${theirs.err}`,
  );
}

// --- Goldens --------------------------------------------------------------------------------------

const data = join(here, "../../../tests/golden/data");
const logs = readdirSync(data, { recursive: true })
  .filter((name) => name.endsWith(".log"))
  .sort();
const goldens = logs.map((name) => readFileSync(join(data, name)));

// Each case is a log with its certificate, and something that is damaged.
async function oneCase(seed) {
  const dice = new Dice(seed);
  // Of either format.
  const text = dice.is(0.8) ? "text" : "textOfFormat1";
  const certificateOf = (bytes) => verify(bytes).certificate?.[text];
  const log = dice.is(0.3)
    ? dice.of(goldens)
    : (dice.is(0.2) ? panel : dice.is(0.2) ? audited : dice.is(0.3) ? tuned : experiment)(
        dice,
        certificateOf,
      );
  const found = certificateOf(log);
  const certificate = found === undefined ? undefined : Buffer.from(found);
  const name = `case-${seed}`;
  const choice = dice.share();
  if (choice < 0.3) await compare(name, log, certificate);
  else if (choice < 0.45) await compare(name, damaged(log, dice), certificate);
  else if (choice < 0.6 && certificate) await compare(name, log, damaged(certificate, dice));
  else {
    const other = forged(log, dice);
    const its = certificateOf(other);
    await compare(name, other, its === undefined ? undefined : Buffer.from(its));
  }
}

const wrong = (message) => {
  ++failures;
  console.error(message);
};
for (const [k, name] of logs.entries()) {
  const recorded = join(data, name.replace(/log$/, "certificate"));
  const expected = readdirSync(dirname(recorded)).includes(recorded.split("/").pop())
    ? readFileSync(recorded, "utf8").trimEnd()
    : undefined;
  const found = verify(goldens[k]);
  if (found.mismatch !== undefined) wrong(`${name}: ${found.mismatch}`);
  // Those of data/formats are of the first format that certificates had.
  const { text, textOfFormat1 } = found.certificate ?? {};
  const ours = name.startsWith("formats/") ? textOfFormat1 : text;
  if (expected !== undefined && ours?.trimEnd() !== expected) wrong(`${name}: another certificate`);
}

// The program: its exit codes and what it says.
{
  const certified = logs.indexOf("formats/format_1_certified.log");
  const log = join(data, logs[certified]);
  const certificate = log.replace(/log$/, "certificate");
  const script = join(directory, "verify.mjs");
  const broken = join(directory, "broken");
  writeFileSync(broken, readFileSync(certificate, "utf8").replace('"decisive": ', '"decisive": 1'));
  for (const [given, code, says] of [
    [[certificate, "--log", log], codeOf(verify(goldens[certified])), /VERIFIED/],
    [[broken, "--log", log], 5, /MISMATCH decisive: the certificate says 1\d+, the log says \d+/],
    [["--log", join(directory, "nothing")], 1, /nothing/],
    [["--lug", log], 2, /usage/],
    [[], 2, /usage/],
  ]) {
    const { code: ended, out, err } = await run(process.execPath, [script, ...given]);
    if (ended !== code || !says.test(out + err))
      wrong(`verify.mjs ${given.join(" ")} ended with ${ended}: ${out}${err}`);
  }
}

// What arms are like in numbers, and in the context of a duel.
{
  const rows = { a: [1, 0], b: [0.5, -2], c: [0, 1e6] };
  for (const [what, isFine, features, context] of [
    ["whole", true, rows, { c: [0, 0], a: [1, 2], b: [3, 4] }],
    ["empty", true, rows, {}],
    ["of-too-few-arms", false, rows, { a: [1, 2], b: [3, 4] }],
    ["of-an-unknown-arm", false, rows, { ...rows, d: [1, 2] }],
    ["of-another-length", false, rows, { ...rows, b: [1, 2, 3] }],
    ["without-numbers", false, rows, { ...rows, b: [] }],
    ["too-large", false, rows, { ...rows, b: [1, 1.5e6] }],
    ["of-texts", false, rows, { ...rows, b: ["1", "2"] }],
    ["no-object", false, rows, [[1, 2]]],
    ["where-arms-have-none", false, { a: [], b: [] }, { a: [1], b: [2] }],
    ["features-of-some", false, { a: [1], b: [] }, {}],
    ["features-too-large", false, { a: [1], b: [2e6] }, {}],
  ]) {
    const log = inContexts(features, [rows === features ? rows : {}, context]);
    if ((verify(log).mismatch === undefined) !== isFine)
      wrong(`a context ${what}: ${verify(log).mismatch ?? "verified"}`);
    await compare(`context-${what}`, log);
  }
}

let next = Number(firstSeed);
const end = next + Number(cases);
await Promise.all(
  Array.from({ length: Math.min(4, availableParallelism()) }, async () => {
    while (next < end) await oneCase(next++);
  }),
);
console.log(
  `${cases} cases: ${[...seen]
    .sort()
    .map(([what, count]) => `${count} ended with ${what}`)
    .join("; ")}`,
);
console.log(failures === 0 ? "both verifiers agree" : `${failures} FAILED`);
process.exitCode = failures === 0 ? 0 : 1;
