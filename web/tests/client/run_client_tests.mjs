// The npm package as it is published, on a server of its own:
//   node run_client_tests.mjs DUEL_BINARY
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startServer } from "../browser/server.mjs";

const [binary] = process.argv.slice(2);
if (!binary) throw new Error("usage: run_client_tests.mjs DUEL_BINARY");
const web = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const place = mkdtempSync(join(tmpdir(), "duel-client-"));

// What npm would put into node_modules.
function installed() {
  const made = join(place, "made");
  execFileSync(process.execPath, [join(web, "client", "build.mjs"), made], { stdio: "inherit" });
  execFileSync("npm", ["pack", "--silent", "--offline", "--pack-destination", place], {
    cwd: made,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const tarball = readdirSync(place).find((name) => name.endsWith(".tgz"));
  const home = join(place, "user", "node_modules", "duel-client");
  mkdirSync(home, { recursive: true });
  execFileSync("tar", ["-xzf", join(place, tarball), "-C", home, "--strip-components", "1"]);
  return home;
}

const tests = {
  async plays_an_experiment_and_follows_it({ DuelClient, origin }) {
    const client = new DuelClient({ url: origin });
    const arms = [{ arm_id: "red" }, { arm_id: "blue" }];
    await client.create("logo", { arms, policy: "uniform" });
    await client.create("logo", { arms, policy: "uniform" });
    const heard = new AbortController();
    const followed = (async () => {
      for await (const event of client.stream("logo", heard.signal)) return event.kind;
    })();
    const duel = await client.duel("logo", { subject_id: "v" });
    assert.deepEqual(duel.arms.map((arm) => arm.arm_id).sort(), ["blue", "red"]);
    assert.equal((await client.report(duel, "red")).status, "applied");
    assert.equal((await client.report(duel, "red")).status, "duplicate");
    assert.equal((await client.find("logo", duel.duel_id)).outcome.winner, "red");
    const tied = await client.duel("logo");
    assert.equal((await client.report(tied, { result: "tie" })).status, "applied");
    const result = await client.result("logo");
    assert.equal(result.duels.ties, 1);
    assert.equal(await client.certificate("logo"), undefined);
    assert.ok(["result", "state", "reset"].includes(await followed));
    heard.abort();
    assert.ok((await client.ask("show_health", { eid: "logo" })).checks.length > 0);
  },

  async interleaves_and_credits_clicks({ DuelClient, origin }) {
    const client = new DuelClient({ url: origin });
    await client.create("shop", {
      mode: "interleave",
      policy: "uniform",
      arms: [{ arm_id: "old" }, { arm_id: "new" }],
    });
    const page = await client.interleave("shop", { old: ["a1", "a2"], new: ["b1"] });
    assert.equal(page.items.length, 3);
    assert.equal((await client.click(page, "b1")).accepted, 1);
    const [rejected] = (await client.click(page, "z")).rejected;
    assert.equal(rejected.reason, "the item was not shown");
    assert.equal((await client.close(page)).status, "applied");
    assert.equal((await client.find("shop", page.duel_id)).outcome.winner, "new");
  },

  async interleaves_a_duel_that_was_served({ DuelClient, origin }) {
    const client = new DuelClient({ url: origin });
    await client.create("steps", {
      mode: "interleave",
      policy: "uniform",
      arms: [{ arm_id: "old" }, { arm_id: "new" }],
    });
    const duel = await client.duel("steps");
    const lists = { old: ["a1", "a2"], new: ["b1", "b2"] };
    const page = await client.page(duel, lists, { limit: 3 });
    assert.equal(page.items.length, 3);
    assert.equal(page.duel_id, duel.duel_id);
    const next = await client.page(duel, lists, { offset: page.next_offset });
    assert.equal(next.items.length, 1);
    const contested = page.items.find((item) => item.team === "new");
    assert.equal((await client.click(page, contested.object_id)).accepted, 1);
    assert.equal((await client.close(page)).status, "applied");
    assert.equal((await client.find("steps", duel.duel_id)).outcome.winner, "new");
  },

  async says_how_much_and_why_and_of_which_slice({ DuelClient, origin }) {
    const client = new DuelClient({ url: origin });
    await client.create("graded", {
      policy: "lin-ts",
      slices: { language: ["de", "en"] },
      arms: [
        { arm_id: "a", features: [1, 0] },
        { arm_id: "b", features: [0, 1] },
      ],
    });
    const context = { a: [2, 1], b: [0, 1] };
    const duel = await client.duel("graded", { slices: { language: "de" }, context });
    const outcome = { score: 0.75, reason: "shorter", cost: 0.002, tokens: 310 };
    assert.equal((await client.report(duel, outcome)).status, "applied");
    const log = await (await fetch(`${origin}/v1/experiments/graded/export?what=audit`)).text();
    const records = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const serve = records.find((record) => record.record === "serve");
    assert.deepEqual([serve.slices, serve.context], [{ language: "de" }, context]);
    const said = records.find((record) => record.record === "outcome");
    for (const [name, value] of Object.entries(outcome)) assert.equal(said[name], value);
  },

  async tells_a_member_of_a_panel_that_nothing_is_left({ DuelClient, origin }) {
    const client = new DuelClient({ url: origin });
    await client.create("panel", {
      about: "these-people",
      panel: { size: 3 },
      arms: [{ arm_id: "a" }, { arm_id: "b" }],
    });
    await client.report(await client.duel("panel", { subject_id: "ann" }), "a");
    const done = await client.duel("panel", { subject_id: "ann" });
    assert.deepEqual([done.serving, done.arms], ["done", []]);
    await client.report(await client.duel("panel", { subject_id: "bob" }), "a");
    assert.equal((await client.result("panel")).panel.answered, 2);
  },

  async says_what_the_server_refuses({ DuelClient, DuelError, origin }) {
    const client = new DuelClient({ url: `${origin}/` });
    const error = await client.duel("nothing").catch((problem) => problem);
    assert.ok(error instanceof DuelError);
    assert.equal(error.status, 404);
    assert.match(error.message, /nothing/);
    assert.equal(error.problem.status, 404);
  },

  // The answer to the first request is lost on the way, after the server has served the duel.
  async sends_again_under_the_same_id({ DuelClient, DuelError, origin }) {
    const ids = [];
    let lost = 0;
    const lossy = async (url, request) => {
      if (request.body) ids.push(JSON.parse(request.body).duel_id);
      const answer = await fetch(url, request);
      if (lost++ === 0) throw new TypeError("the connection was reset");
      return answer;
    };
    const client = new DuelClient({ url: origin, fetch: lossy });
    const duel = await client.duel("logo");
    assert.equal(ids.length, 2);
    assert.equal(ids[0], ids[1]);
    assert.equal(duel.duel_id, ids[0]);
    const away = new DuelClient({ url: "http://127.0.0.1:9", patience_ms: 300 });
    const error = await away.result("logo").catch((problem) => problem);
    assert.ok(error instanceof DuelError);
    assert.equal(error.status, 0);
  },

  async waits_for_a_server_that_is_overloaded({ DuelClient }) {
    let asked = 0;
    const busy = createServer((_, answer) => {
      const code = asked++ < 2 ? 503 : 200;
      answer.writeHead(code, { "content-type": "application/json" });
      answer.end(code === 200 ? '{"verdict":"v"}' : '{"detail":"later","retryable":true}');
    });
    await new Promise((done) => busy.listen(0, "127.0.0.1", done));
    const client = new DuelClient({ url: `http://127.0.0.1:${busy.address().port}` });
    assert.equal((await client.result("logo")).verdict, "v");
    assert.equal(asked, 3);
    busy.close();
    busy.closeAllConnections();
  },
};

let failed = 0;
const server = await startServer(binary);
try {
  const home = installed();
  // By its name, from a project that has installed it; its types are those of the API.
  const user = join(place, "user", "main.mjs");
  writeFileSync(user, 'export * from "duel-client";\n');
  writeFileSync(
    join(place, "user", "main.ts"),
    'import { DuelClient } from "duel-client";\n' +
      'const client = new DuelClient({ url: "http://127.0.0.1:1" });\n' +
      'export const verdict: Promise<string> = client.result("x").then((told) => told.verdict);\n' +
      '// @ts-expect-error: a result has no such field\nclient.result("x").then((told) => told.nothing);\n',
  );
  const tsc = join(web, "node_modules", "typescript", "bin", "tsc");
  const strict = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022"];
  execFileSync(
    process.execPath,
    [tsc, ...strict, "--lib", "es2022,dom", join(place, "user", "main.ts")],
    {
      stdio: "inherit",
    },
  );
  assert.deepEqual(readdirSync(home).sort(), ["LICENSE", "README.md", "dist", "package.json"]);
  const package_ = await import(pathToFileURL(user).href);
  for (const [name, run] of Object.entries(tests)) {
    try {
      await run({ ...package_, origin: server.origin });
      console.log(`ok    ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL  ${name}\n${error.stack ?? error}`);
    }
  }
} finally {
  await server.stop();
  rmSync(place, { recursive: true, force: true });
}
console.log(failed === 0 ? "all passed" : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
