// What a user does and sees, one story each.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chance, Client, judgeBy, startServer } from "./server.mjs";

const require = createRequire(import.meta.url);
const WAIT = 30_000; // for an event that comes at once on a quiet machine

// A page that fails its test on any error, any refused script, and any request to elsewhere.
async function openPage(browser, origin, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin }).catch(() => {});
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT);
  const trouble = [];
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A status of 4xx is logged by the browser itself; stories that provoke one look for it.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) trouble.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) trouble.push(`asked ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    trouble.push(`a script ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, context, trouble, close: () => context.close() };
}

async function withServer({ binary, browser }, story, options = {}) {
  const server = await startServer(binary, options);
  const opened = [];
  try {
    await story({
      binary,
      browser,
      server,
      origin: server.origin,
      client: new Client(server.origin),
      open: async (path, more) => {
        const one = await openPage(browser, server.origin, more);
        opened.push(one);
        await one.page.goto(server.origin + path);
        return one;
      },
    });
    for (const { trouble } of opened) assert.deepEqual(trouble, []);
  } finally {
    for (const { close } of opened) await close();
    await server.stop();
  }
}

const threeArms = (more = {}) => ({
  name: "Logos",
  arms: ["red", "green", "blue"].map((arm_id) => ({ arm_id, payload: { text: `The ${arm_id} one` } })),
  ...more,
});

// Until what the server says of an experiment passes `check`.
async function until(client, path, check) {
  const begun = Date.now();
  for (;;) {
    const answer = await client.get(path);
    if (check(answer)) return answer;
    if (Date.now() - begun > WAIT) throw new Error(`${path} stayed ${JSON.stringify(answer).slice(0, 400)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const reported = (result) => result.duels.first_wins + result.duels.second_wins + result.duels.ties + result.duels.both_bad + result.duels.skips;

async function noSeriousIssue(page, where) {
  // The page's policy lets no script in, so it comes through the debugger's door.
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(() =>
    globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }),
  );
  const serious = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
  assert.deepEqual(
    serious.map((one) => `${where}: ${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`),
    [],
  );
}

async function fitsItsWidth(page, where) {
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= window, `${where} is ${wide} wide in a window of ${window}`);
}

// Names, ids and payloads that would run a script if anything became HTML.
const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "\"><svg onload=alert(1)>",
  "'\"--></title></style></textarea></script><script>alert(1)</script>",
  "[click](javascript:alert(1))",
  "![x](x\" onerror=\"alert(1))",
  "<a href=\"javascript:alert(1)\" id=bad>x</a>",
  "{{constructor.constructor('alert(1)')()}}",
  "<iframe srcdoc=\"<script>parent.alert(1)</script>\"></iframe>",
  "javascript:alert(1)",
  "<style>@import 'https://evil.example/x.css'</style>",
  "\u202e<b>reversed</b>",
];

export const tests = {
  async an_owner_creates_an_experiment_from_pasted_lines(given) {
    await withServer(given, async ({ open, client }) => {
      const { page } = await open("/");
      await page.getByText("No experiments yet").waitFor();
      await page.getByRole("link", { name: "Create the first one" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Subject lines, October");
      await page.getByLabel("What to compare").fill("Save today\nYour digest\nYou forgot something\n");
      await page.getByText("3 arms:").waitFor();
      await page.getByRole("button", { name: "Estimate" }).click();
      await page.getByText(/About .* duels/).waitFor();
      await page.getByText("Policy: auto").click();
      const policies = await page.getByLabel("Which pair is shown next").locator("option").allTextContents();
      assert.ok(policies.length > 5 && policies.some((text) => text.startsWith("rucb:")), policies.join());
      await page.getByLabel("Which pair is shown next").selectOption("rucb");
      await page.getByLabel(/^alpha /).fill("0.6");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: "Subject lines, October" }).waitFor();
      const made = await client.get("/v1/experiments/subject-lines-october");
      assert.equal(made.state, "running");
      assert.match(made.policy, /^rucb\(alpha=0\.6/);
      assert.deepEqual(made.arms.map((arm) => arm.arm_id), ["Save-today", "Your-digest", "You-forgot-something"]);
      await page.getByRole("link", { name: "Experiments" }).click();
      await page.getByText("No duels yet").waitFor();
    });
  },

  async what_the_server_refuses_is_said_in_the_form(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("taken", threeArms());
      const { page } = await open("/new");
      await page.getByLabel("Id, part of its address").fill("taken");
      await page.getByLabel("What to compare").fill("one\ntwo");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("alert").waitFor();
    });
  },

  async a_voter_uses_the_keyboard_and_takes_one_back(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("logo", threeArms());
      const { page } = await open("/vote/logo");
      await page.getByRole("button", { name: "Left is better" }).waitFor();
      const shown = () => page.locator(".pair").innerText();
      const first = await shown();
      await page.keyboard.press("ArrowLeft");
      await page.getByText("1 vote from you").waitFor();
      await page.keyboard.press("u");
      await page.getByRole("button", { name: "Undo" }).and(page.locator(":disabled")).waitFor();
      assert.equal(await shown(), first, "the same pair again, the same way round");
      const left = (await page.locator(".item").first().innerText()).match(/The (\w+) one/)[1];
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("b");
      await page.keyboard.press("s");
      await page.getByRole("button", { name: "It does not load" }).click();
      await page.getByText("4 votes from you").waitFor();
      await page.goto("about:blank"); // the last one goes out when the page is left
      const result = await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 4);
      assert.deepEqual([result.duels.ties, result.duels.both_bad, result.duels.skips], [1, 1, 1]);
      const { items } = await client.get("/v1/experiments/logo/duels");
      const answered = items.filter((duel) => duel.state === "reported").reverse();
      assert.equal(answered[0].winner, left);
      assert.equal(answered[3].note, "It does not load");
    });
  },

  async a_voter_uses_a_phone(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("logo", threeArms());
      const { page } = await open("/vote/logo", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
      for (let k = 1; k <= 3; ++k) {
        await page.getByRole("button", { name: k % 2 ? "Left is better" : "Right is better" }).tap();
        await page.getByText(`${k} ${k === 1 ? "vote" : "votes"} from you`).waitFor();
      }
      await fitsItsWidth(page, "/vote/logo");
      const sizes = await page.locator("main button").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      assert.ok(sizes.every((height) => height >= 40), `too small to touch: ${sizes}`);
      // The vote that is held back goes out by itself.
      await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 3);
    });
  },

  async a_share_link_lets_its_holder_vote_and_nothing_else(given) {
    await withServer(given, async ({ open, binary, server, origin, client, browser }) => {
      await client.create("logo", threeArms());
      const made = spawnSync(binary, ["token", "create", "--scope", "admin", "--name", "me", "--store", server.store], { encoding: "utf8" });
      const admin = /duel_admin_\S+/.exec(made.stdout)?.[0];
      if (!admin) {
        // The store belongs to the server while it runs: the first token comes over HTTP.
        const first = await client.call("POST", "/v1/tokens", { scope: "admin", name: "me" });
        client.token = first.token;
      } else {
        client.token = admin;
      }
      const owner = await open(`/experiments/logo#token=${client.token}`);
      await owner.page.getByRole("button", { name: "Make a voting link" }).click();
      const link = await owner.page.getByLabel("Voting link").innerText();
      assert.match(link, /\/vote\/logo#token=duel_vote_/);
      assert.equal(new URL(owner.page.url()).hash, "", "the token has left the address");
      assert.equal(await owner.page.evaluate(() => document.cookie), "");

      const voter = await open(link.slice(origin.length));
      await voter.page.getByRole("button", { name: "Left is better" }).click();
      await voter.page.getByText("1 vote from you").waitFor();
      assert.equal(new URL(voter.page.url()).hash, "");
      await voter.page.reload();
      await voter.page.getByText("1 vote from you").waitFor();
      await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 1);
      const token = link.split("#token=")[1];
      for (const path of ["/v1/experiments", "/v1/experiments/logo/result", "/v1/tokens", "/v1/experiments/logo/export"]) {
        const answer = await fetch(origin + path, { headers: { Authorization: `Bearer ${token}` } });
        assert.equal(answer.status, 403, path);
      }
      const stranger = await open("/vote/logo");
      await stranger.page.getByText("Voting here needs a token").waitFor();
      const reader = await open("/");
      await reader.page.getByText("This server asks for a token").waitFor();
      void browser;
    });
  },

  async the_dashboard_moves_while_two_people_vote_until_it_is_certified(given) {
    await withServer(given, async ({ open, client, binary, server }) => {
      await client.create("logo", threeArms());
      const watcher = await open("/experiments/logo");
      await watcher.page.getByText("● live").waitFor();
      await watcher.page.getByText("No duels yet").first().waitFor();
      const voters = [await open("/vote/logo"), await open("/vote/logo")];
      const order = ["blue", "green", "red"]; // blue is the best
      const voteOnce = async ({ page }, number) => {
        await page.locator(".pair").waitFor();
        const names = await page.locator(".item").allInnerTexts();
        const [left, right] = names.map((text) => order.indexOf(/The (\w+) one/.exec(text)[1]));
        await page.keyboard.press(left < right ? "ArrowLeft" : "ArrowRight");
        await page.getByText(`${number} ${number === 1 ? "vote" : "votes"} from you`).waitFor();
      };
      for (let k = 1; k <= 8; ++k) await Promise.all(voters.map((voter) => voteOnce(voter, k)));
      // The cells of the matrix have changed without a reload.
      await watcher.page.locator(".cell.win b").first().waitFor();
      // One person's answers to a pair are evidence once; so many others follow over HTTP.
      const judge = (a, b) => ({ result: "win", winner: order.indexOf(a) < order.indexOf(b) ? a : b });
      for (let k = 0; k < 60; ++k) await client.duel("logo", k, judge, `subject-${k}`);
      await watcher.page.getByText("blue beats all others (certified, 5\u202f%)").waitFor();
      for (const voter of voters) await voter.page.goto("about:blank");
      const result = await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 76);
      assert.equal(result.certificate.winner, "blue");
      assert.equal(result.health.find((check) => check.name === "conflicts").verdict, "passed");

      // Export: what the page saves is what `duel verify` and `duel result` read.
      const download = async (label) => {
        const row = watcher.page.locator("li").filter({ hasText: label });
        const [file] = await Promise.all([watcher.page.waitForEvent("download"), row.getByRole("button", { name: "Download" }).click()]);
        return readFileSync(await file.path(), "utf8");
      };
      const csv = await download("Comparisons, CSV");
      assert.equal(csv.trim().split("\n").length - 1, 76);
      const log = join(server.directory, "audit.jsonl");
      writeFileSync(log, await download("Audit log"));
      const verified = spawnSync(binary, ["verify", "--log", log], { encoding: "utf8" });
      assert.equal(verified.status, 0, verified.stdout + verified.stderr);

      // Pause, resume, complete.
      await watcher.page.getByRole("button", { name: "Pause" }).click();
      await watcher.page.getByRole("button", { name: "Resume" }).click();
      await watcher.page.getByRole("button", { name: "Complete", exact: true }).click();
      await watcher.page.getByRole("button", { name: "Complete: are you sure?" }).click();
      await watcher.page.locator(".badge.completed").waitFor();
      const late = await open("/vote/logo");
      await late.page.getByText("The voting is over").waitFor();
    });
  },

  async a_lost_connection_neither_loses_nor_doubles_a_vote(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const { page, context } = await open("/vote/logo");
      await page.locator(".pair").waitFor();
      await page.keyboard.press("ArrowLeft");
      await page.getByText("1 vote from you").waitFor();
      await page.locator(".pair").waitFor();
      await context.setOffline(true);
      await page.keyboard.press("ArrowRight");
      await page.getByText("No connection.").waitFor();
      await page.reload({ timeout: 1000 }).catch(() => {}); // the page itself cannot come either
      await context.setOffline(false);
      await page.goto(`${origin}/vote/logo`);
      await page.getByText("2 votes from you").waitFor();
      await page.getByText("No connection.").waitFor({ state: "detached" });
      await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 2);
      const { items } = await client.get("/v1/experiments/logo/duels");
      assert.equal(items.filter((duel) => duel.state === "reported").length, 2);
      const health = await client.get("/v1/experiments/logo/health");
      assert.equal(health.checks.find((check) => check.name === "conflicts").verdict, "passed");
    });
  },

  async arms_come_and_go(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("open", threeArms({ stopping: { arms: "open", pairs_independent: true } }));
      const { page } = await open("/experiments/open");
      await page.getByText("Add an arm", { exact: true }).click();
      await page.getByLabel("Id", { exact: true }).fill("violet");
      await page.getByLabel("Text, shown to voters").fill("The violet one");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("button", { name: "Retire violet" }).waitFor();
      await page.getByRole("button", { name: "Retire red" }).click();
      await page.getByRole("button", { name: "Retire red: are you sure?" }).click();
      await page.getByText("Retired: red").waitFor();
      const { arms } = await client.get("/v1/experiments/open");
      assert.deepEqual(arms.map((arm) => [arm.arm_id, arm.state]), [["red", "retired"], ["green", "active"], ["blue", "active"], ["violet", "active"]]);
    });
  },

  async every_action_has_a_command_that_can_be_copied(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const { page } = await open("/experiments/logo");
      await page.getByText("curl: pause").click();
      const command = await page.getByLabel("Command: pause").innerText();
      assert.equal(command, `curl -X POST ${origin}/v1/experiments/logo/pause`);
      const ran = spawnSync("sh", ["-c", `${command} -s -o /dev/null -w '%{http_code}'`], { encoding: "utf8" });
      if (ran.status === 127) return; // no curl here
      assert.equal(ran.stdout, "200");
      await page.locator(".badge.paused").waitFor();
    });
  },

  async the_matrix_is_walked_with_arrow_keys(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("logo", threeArms());
      const judge = judgeBy({ red: 0, green: 0.5, blue: 1 }, chance(3));
      for (let k = 0; k < 60; ++k) await client.duel("logo", k, judge);
      const { page } = await open("/experiments/logo");
      await page.locator(".cell").first().focus();
      await page.keyboard.press("ArrowRight");
      assert.match(await page.locator(".cell-words").innerText(), / won \d+ of \d+ against /);
      const label = await page.evaluate(() => document.activeElement.querySelector(".hidden-text").textContent);
      assert.equal(label, await page.locator(".cell-words").innerText());
    });
  },

  async nothing_that_an_arm_a_name_or_a_task_says_becomes_a_script(given) {
    await withServer(given, async ({ open, client }) => {
      const arms = HOSTILE.map((text, k) => ({ arm_id: `arm-${k}`, payload: { text, title: text, url: text, image: text, more: text } }));
      const tasks = HOSTILE.map((text, k) => ({ task_id: `task-${k}`, payload: { text, title: text } }));
      await client.create("hostile", { name: HOSTILE.join(" "), arms, tasks });
      for (let k = 0; k < HOSTILE.length; ++k) {
        await client.create(`named-${k}`, { name: HOSTILE[k], arms: [{ arm_id: "a", payload: HOSTILE[k] }, { arm_id: "b", payload: { [HOSTILE[k]]: HOSTILE[k] } }] });
      }
      for (let k = 0; k < 5; ++k) {
        await client.duel("hostile", k, () => ({ result: "skip", note: HOSTILE[k].slice(0, 150) }), `<b>${k}`);
      }
      const list = await open("/");
      await list.page.locator(".experiments li").nth(5).waitFor();
      const page = await open("/experiments/hostile");
      await page.page.getByRole("heading", { name: "Recent duels" }).waitFor();
      const vote = await open("/vote/hostile");
      for (let k = 1; k <= 15; ++k) {
        await vote.page.locator(".pair").waitFor();
        await vote.page.keyboard.press("ArrowDown");
        await vote.page.getByText(`${k} ${k === 1 ? "vote" : "votes"} from you`).waitFor();
      }
      for (let k = 0; k < HOSTILE.length; ++k) {
        await vote.page.goto(vote.page.url().replace(/\/vote\/.*/, `/vote/named-${k}`));
        await vote.page.locator(".pair").waitFor();
      }
      for (const { page: one } of [list, page, vote]) {
        const made = await one.evaluate(() => [
          document.querySelectorAll("#page script, #page iframe, #page style, #page svg[onload], [onerror], #bad").length,
          [...document.querySelectorAll("a[href]")].filter((link) => !/^(https?:|mailto:)/.test(link.href)).length,
        ]);
        assert.deepEqual(made, [0, 0]);
      }
      // An id in the address that is none, and a fragment that is no token.
      const odd = await open(`/experiments/${encodeURIComponent(HOSTILE[0])}#<script>alert(1)</script>`);
      await odd.page.getByRole("alert").waitFor();
      await odd.page.goto(odd.page.url().replace(/\/experiments\/.*/, `/vote/${encodeURIComponent(HOSTILE[1])}`));
      await odd.page.getByText("There is no such experiment.").waitFor();
    });
  },

  async axe_finds_no_serious_issue_wide_and_light_or_narrow_and_dark(given) {
    await withServer(given, async ({ open, client }) => {
      const strengths = { red: 0, green: 0.4, blue: 1, violet: 0.7 };
      await client.create("full", { name: "Full", arms: Object.keys(strengths).map((arm_id) => ({ arm_id, payload: { text: `*${arm_id}*` } })) });
      const judge = judgeBy(strengths, chance(5));
      for (let k = 0; k < 120; ++k) await client.duel("full", k, judge, `s${k}`);
      await client.call("PUT", "/v1/experiments/empty", threeArms());
      // Colours come with the scheme and layout with the width, so two of the four ways show all.
      for (const [colorScheme, width, height] of [["light", 1280, 900], ["dark", 360, 740]]) {
        const { page, close } = await open("/", { colorScheme, viewport: { width, height }, reducedMotion: "reduce" });
        const look = async (path, sign) => {
          await page.goto(new URL(path, page.url()).href);
          await page.locator(sign).first().waitFor();
          const where = `${path} ${colorScheme} ${width}`;
          await noSeriousIssue(page, where);
          await fitsItsWidth(page, where);
        };
        await look("/", ".experiments li");
        await look("/experiments/full", ".plot");
        await look("/experiments/empty", ".verdict");
        await look("/new", "textarea");
        await look("/vote/full", ".pair");
        await look("/vote/empty", "main .card");
        await close();
      }
    });
  },
};
