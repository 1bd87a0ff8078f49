// `duel mcp` as the official client of the Model Context Protocol sees it:
//   node run_mcp_tests.mjs DUEL_BINARY
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../browser/server.mjs";

let Client, StdioClientTransport;
try {
  ({ Client } = await import("@modelcontextprotocol/sdk/client/index.js"));
  ({ StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js"));
} catch {
  console.error("SKIPPED: there is no @modelcontextprotocol/sdk; `npm ci --prefix web` gets it");
  process.exit(77);
}

const [binary] = process.argv.slice(2);
if (!binary) throw new Error("usage: run_mcp_tests.mjs DUEL_BINARY");
const place = mkdtempSync(join(tmpdir(), "duel-mcp-"));

async function connected(args) {
  const client = new Client({ name: "tester", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: binary, args: ["mcp", ...args] }));
  return client;
}
// The answer of a tool, which must not be an error.
async function ask(client, name, args = {}) {
  const answer = await client.callTool({ name, arguments: args });
  assert.ok(!answer.isError, `${name}: ${answer.content?.[0]?.text}`);
  assert.deepEqual(JSON.parse(answer.content[0].text), answer.structuredContent);
  return answer.structuredContent;
}
async function complaint(client, name, args = {}) {
  const answer = await client.callTool({ name, arguments: args });
  assert.equal(answer.isError, true, `${name} was not refused`);
  return answer.content[0].text;
}

const arms = [
  { arm_id: "terse", payload: "Answer in one sentence." },
  { arm_id: "kind", payload: "Answer as a friend would." },
];

// An agent that likes one arm better finds a certificate, wherever the experiment is.
async function findsTheBest(client) {
  await client.ping();
  assert.equal(client.getServerVersion().name, "duel");
  assert.match(client.getInstructions(), /two at a time/);
  const made = await ask(client, "create_experiment", { experiment_id: "prompts", arms });
  assert.equal(made.state, "running");
  // Repeating it changes nothing.
  assert.equal(
    (await ask(client, "create_experiment", { experiment_id: "prompts", arms })).head,
    made.head,
  );
  assert.match(
    await complaint(client, "certificate", { experiment_id: "prompts" }),
    /no certificate/,
  );
  let pair = await ask(client, "next_pair", { experiment_id: "prompts" });
  assert.equal(pair.report_token, undefined);
  assert.deepEqual(
    pair.arms.map((arm) => arm.payload).sort(),
    arms.map((arm) => arm.payload).sort(),
  );
  const first = pair;
  for (let k = 0; pair.arms.length === 2; ++k) {
    assert.ok(k < 100, "no certificate after 100 duels");
    const told = await ask(client, "report", {
      experiment_id: "prompts",
      duel_id: pair.duel_id,
      winner: "kind",
      next: true,
    });
    assert.equal(told.status, "applied");
    pair = told.next;
  }
  const again = { experiment_id: "prompts", duel_id: first.duel_id };
  assert.equal((await ask(client, "report", { ...again, winner: "kind" })).status, "duplicate");
  assert.match(await complaint(client, "report", { ...again, result: "tie" }), /./);
  const result = await ask(client, "result", { experiment_id: "prompts" });
  assert.match(result.verdict, /kind/);
  const certificate = await ask(client, "certificate", { experiment_id: "prompts" });
  assert.match(JSON.stringify(certificate), /"kind"/);
  const { items } = await ask(client, "list_experiments");
  assert.deepEqual(
    items.map((item) => item.experiment_id),
    ["prompts"],
  );
}

const tests = {
  async finds_the_best_on_the_store_of_this_machine() {
    const client = await connected(["--store", join(place, "local.db")]);
    // Nothing is created by looking.
    assert.match(await complaint(client, "list_experiments"), /there is no store/);
    await findsTheBest(client);
    // The store is free between calls: another session works on the same experiment.
    const other = await connected(["--store", join(place, "local.db")]);
    assert.match((await ask(other, "result", { experiment_id: "prompts" })).verdict, /kind/);
    await other.close();
    await client.close();
  },

  async finds_the_best_on_a_server() {
    const server = await startServer(binary);
    const client = await connected(["--server", server.origin]);
    await findsTheBest(client);
    const shown = await fetch(`${server.origin}/v1/experiments/prompts/export?what=duels`);
    assert.match(await shown.text(), /"program".*"tester"/);
    await server.stop();
    assert.match(await complaint(client, "list_experiments"), /./);
    await client.close();
  },

  async takes_what_a_judge_says_beside_its_answer_and_slices_of_duels() {
    const client = await connected(["--store", join(place, "graded.db")]);
    await ask(client, "create_experiment", {
      experiment_id: "e",
      policy: "lin-ts",
      slices: { language: ["de", "en"] },
      arms: [
        { arm_id: "a", features: [1, 0] },
        { arm_id: "b", features: [0, 1] },
      ],
    });
    const pair = await ask(client, "next_pair", {
      experiment_id: "e",
      slices: { language: "de" },
      context: { a: [2, 1], b: [0, 1] },
    });
    const told = await ask(client, "report", {
      experiment_id: "e",
      duel_id: pair.duel_id,
      score: 0.75,
      reason: "shorter",
      cost: 0.002,
      tokens: 310,
    });
    assert.equal(told.status, "applied");
    const result = await ask(client, "result", { experiment_id: "e" });
    assert.equal(result.judging.tokens, 310);
    assert.equal(result.by_slice.language.de.duels.served, 1);
    await client.close();
  },

  async shows_tools_whose_schemas_stand_alone() {
    const client = await connected(["--store", join(place, "schemas.db")]);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name),
      // prettier-ignore
      ["create_experiment", "list_experiments", "next_pair", "report", "result", "certificate",
       "simulate", "plan"],
    );
    for (const tool of tools) {
      assert.equal(tool.inputSchema.type, "object");
      assert.ok(!JSON.stringify(tool.inputSchema).includes("$ref"), tool.name);
      assert.ok(tool.description.length > 40, tool.name);
    }
    assert.ok(tools.find((tool) => tool.name === "result").annotations.readOnlyHint);
    assert.ok(!tools.find((tool) => tool.name === "report").annotations.readOnlyHint);
    await client.close();
  },

  async names_what_is_wrong() {
    const client = await connected(["--store", join(place, "wrong.db")]);
    assert.match(await complaint(client, "next_pair", { experiment: "e" }), /experiment_id/);
    assert.match(await complaint(client, "next_pair"), /'experiment_id' is missing/);
    assert.match(
      await complaint(client, "create_experiment", { experiment_id: "e", arms: [{ arm_id: "a" }] }),
      /\/arms/,
    );
    await assert.rejects(client.callTool({ name: "nothing", arguments: {} }), /no tool 'nothing'/);
    await assert.rejects(client.listResources());
    await client.close();
  },

  async simulates_and_plans_without_a_store() {
    const client = await connected(["--store", join(place, "nothing.db")]);
    const simulated = await ask(client, "simulate", {
      policies: ["rucb", "rmed1"],
      matrices: ["arxiv"],
      rounds: 1000,
      trials: 5,
      seed: 1,
    });
    assert.equal(simulated.trials, 5);
    assert.deepEqual(
      simulated.policies.map((one) => one.policy),
      ["rucb(alpha=0.51)", "rmed1"],
    );
    const planned = await ask(client, "plan", { arms: 3, gap: 0.2, trials: 20 });
    assert.equal(planned.trials, 20);
    assert.ok(planned.policies[0].duels.p50 > 0);
    assert.match(
      await complaint(client, "simulate", { policies: ["rcub"], matrices: ["arxiv"] }),
      /rucb/,
    );
    assert.match(await complaint(client, "plan", { arms: 1000 }), /arms/);
    await client.close();
  },

  // A simulation of a day is given up at once, and the session goes on.
  async gives_up_what_the_client_no_longer_wants() {
    const client = await connected(["--store", join(place, "nothing.db")]);
    const enough = new AbortController();
    let told = 0;
    const long = client.callTool(
      {
        name: "simulate",
        arguments: {
          policies: ["uniform"],
          matrices: ["arxiv"],
          rounds: 10_000_000,
          trials: 100_000,
        },
      },
      undefined,
      {
        signal: enough.signal,
        onprogress: () => {
          if (++told === 2) enough.abort("enough");
        },
      },
    );
    await assert.rejects(long, /enough/);
    assert.ok((await ask(client, "plan", { arms: 2, gap: 0.3, trials: 10 })).trials === 10);
    await client.close();
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok ${name}`);
  } catch (error) {
    failed++;
    console.error(`FAILED ${name}\n`, error);
  }
}
rmSync(place, { recursive: true, force: true });
process.exit(failed === 0 ? 0 : 1);
