// What a voter does and sees, one story each.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  eventually,
  fitsItsWidth,
  openPage,
  reported,
  threeArms,
  until,
  withServer,
} from "./watched_page.mjs";
import { startLongWay } from "./server.mjs";

// The outcomes that a page has sent, as they go out.
function outcomesOf(page) {
  const sent = [];
  page.on("request", (request) => {
    if (request.method() === "PUT" && request.url().endsWith("/outcome"))
      sent.push(request.postDataJSON());
  });
  return sent;
}

// A voting page whose clock stands still once the first pair and the next one are there, so that what
// happens happens for another reason than the time.
async function openWithClock(open, path) {
  const opened = await open("about:blank");
  const { page } = opened;
  await page.clock.install();
  const ahead = page.waitForResponse(
    (answer) => answer.request().method() === "POST" && answer.url().endsWith("/duels"),
  );
  await page.goto(path);
  await page.locator(".pair").waitFor();
  await ahead;
  await page.waitForFunction(
    (key) => JSON.parse(sessionStorage.getItem(key) ?? "{}").upcoming?.length === 1,
    "duel.ballots.logo",
  );
  await page.clock.pauseAt(Date.now() + 60_000);
  return { ...opened, sent: outcomesOf(page) };
}

const votesSay = (page, count) =>
  page.getByText(`${count} ${count === 1 ? "vote" : "votes"} from you`).waitFor();

// Votes by a key on the pair that is there, and waits until the next one is: a key that comes while
// there is no pair is no vote.
async function voteByKey(page, key, votes) {
  await page.locator(".pair").waitFor();
  await page.keyboard.press(key);
  await votesSay(page, votes);
  await page.locator(".pair").waitFor();
}

export const tests = {
  async a_vote_waits_five_seconds_and_is_then_sent(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const { page, sent } = await openWithClock(open, `${origin}/vote/logo`);
      await page.keyboard.press("ArrowLeft");
      await votesSay(page, 1);
      await page.clock.runFor(4900);
      assert.deepEqual(sent, [], "nothing before five seconds");
      assert.equal(await page.getByRole("button", { name: "Undo" }).isEnabled(), true);
      await page.clock.runFor(200);
      await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 1);
      assert.equal(sent.length, 1);
      assert.equal(
        await page.getByRole("button", { name: "Undo" }).isEnabled(),
        false,
        "what was sent is final",
      );
    });
  },

  async a_vote_is_sent_when_the_next_one_is_given_and_undo_sends_nothing(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const { page, sent } = await openWithClock(open, `${origin}/vote/logo`);
      const first = await page.locator(".pair").innerText();
      await page.keyboard.press("ArrowLeft");
      await votesSay(page, 1);
      await page.keyboard.press("u");
      await page.getByRole("button", { name: "Undo" }).and(page.locator(":disabled")).waitFor();
      assert.equal(await page.locator(".pair").innerText(), first);
      assert.deepEqual(sent, [], "undo is local");
      await page.keyboard.press("ArrowRight");
      await votesSay(page, 1);
      assert.deepEqual(sent, [], "the second choice waits as well");
      await page.keyboard.press("ArrowDown");
      await votesSay(page, 2);
      await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 1);
      assert.deepEqual(
        sent.map((one) => one.result),
        ["win"],
        "the first vote, and not the tie after it",
      );
      const [left, right] = [...first.matchAll(/The (\w+) one/g)].map((found) => found[1]);
      assert.notEqual(left, sent[0].winner);
      assert.equal(right, sent[0].winner, "the choice after the undo");
    });
  },

  async a_vote_is_sent_when_the_page_is_left_or_hidden(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const leaves = await openWithClock(open, `${origin}/vote/logo`);
      await leaves.page.keyboard.press("ArrowLeft");
      await votesSay(leaves.page, 1);
      assert.deepEqual(leaves.sent, []);
      await leaves.page.goto("about:blank");
      await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 1);
      const hides = await openWithClock(open, `${origin}/vote/logo`);
      await hides.page.keyboard.press("ArrowLeft");
      await votesSay(hides.page, 1);
      assert.deepEqual(hides.sent, []);
      // As when a phone shows another app: the page may never run again.
      await hides.page.evaluate(() => {
        Object.defineProperty(document, "visibilityState", { value: "hidden" });
        document.dispatchEvent(new Event("visibilitychange"));
      });
      await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 2);
    });
  },

  // A phone may end a page without a word, and a vote that went out by its time is on its way then.
  async a_vote_that_is_on_its_way_arrives_when_the_page_is_left(given) {
    await withServer(given, async ({ browser, client, origin }) => {
      await client.create("logo", threeArms());
      const way = await startLongWay(
        origin,
        (asked) => asked.method === "PUT" && asked.url.endsWith("/outcome"),
      );
      const { page, close } = await openPage(browser, way.origin);
      await page.addInitScript(() => {
        for (const farewell of ["visibilitychange", "pagehide"])
          addEventListener(farewell, (event) => event.stopImmediatePropagation(), true);
      });
      try {
        const { sent } = await openWithClock(async (path) => {
          await page.goto(path);
          return { page };
        }, `${way.origin}/vote/logo`);
        await page.keyboard.press("ArrowLeft");
        await votesSay(page, 1);
        await page.clock.runFor(5100);
        await way.begun;
        assert.equal(sent.length, 1);
        // Once another page is there, the browser has dropped what the first one asked for in vain.
        await page.goto(`${way.origin}/`);
        await page.evaluate(async () => (await fetch("/v1/experiments")).text());
        assert.equal(reported(await client.get("/v1/experiments/logo/result")), 0);
        way.letGo();
        await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 1);
        assert.equal(sent.length, 1, "it was sent once");
      } finally {
        await close();
        way.stop();
      }
    });
  },

  async one_pair_takes_one_vote(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const { page } = await open("about:blank");
      // Every pair but the first is kept back.
      let release = () => {};
      const released = new Promise((done) => (release = done));
      let asked = 0;
      await page.route("**/v1/experiments/logo/duels", async (route) => {
        asked += 1;
        if (asked > 1) await released;
        await route.continue();
      });
      await page.goto(`${origin}/vote/logo`);
      await page.locator(".pair").waitFor();
      for (let k = 0; k < 5; ++k) await page.keyboard.press("ArrowLeft");
      await votesSay(page, 1);
      await page.getByText("Fetching the next pair").waitFor();
      for (let k = 0; k < 5; ++k) await page.keyboard.press("ArrowRight");
      await votesSay(page, 1);
      release();
      await page.locator(".pair").waitFor();
      await page.goto("about:blank");
      await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 1);
      const { items } = await client.get("/v1/experiments/logo/duels");
      assert.equal(items.filter((duel) => duel.state === "reported").length, 1);
    });
  },

  async a_double_click_is_one_vote_and_the_focus_stays(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const { page } = await openWithClock(open, `${origin}/vote/logo`);
      const ballots = () =>
        page.evaluate(() => JSON.parse(sessionStorage.getItem("duel.ballots.logo")));
      const before = await ballots();
      await page.getByRole("button", { name: "Left is better" }).dblclick();
      await votesSay(page, 1);
      const after = await ballots();
      assert.equal(after.votes, 1);
      assert.equal(after.current.duel_id, before.upcoming[0].duel_id, "the next pair is there");
      // Whoever votes with Enter does not have to look for the button again.
      assert.equal(
        await page.evaluate(() => document.activeElement.textContent),
        "← Left is better 1",
      );
      await page.keyboard.press("Enter");
      await votesSay(page, 2);
    });
  },

  async a_click_on_an_item_and_the_keys_1_and_2_vote(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const { page, sent } = await openWithClock(open, `${origin}/vote/logo`);
      const right = (await page.locator(".item").nth(1).innerText()).match(/The (\w+) one/)[1];
      await page.locator(".item .content").nth(1).click();
      await votesSay(page, 1);
      await voteByKey(page, "1", 2);
      await until(client, "/v1/experiments/logo/result", (one) => reported(one) >= 1);
      assert.equal(sent[0].winner, right);
    });
  },

  async a_text_is_shown_as_it_was_written_and_markdown_where_it_says_so(given) {
    await withServer(given, async ({ open, client }) => {
      const text = "# no heading\n\n  indented\n<b>x</b>";
      await client.create("plain", {
        arms: ["a", "b"].map((arm_id) => ({ arm_id, payload: { text } })),
      });
      await client.create("marked", {
        arms: ["a", "b"].map((arm_id) => ({
          arm_id,
          payload: { text: "# heading\n\n| a | b |\n|---|---|\n| 1 | 2 |", format: "markdown" },
        })),
      });
      const plain = await open("/vote/plain");
      const shown = plain.page.locator(".item .as-written").first();
      assert.equal(await shown.evaluate((one) => one.textContent), text);
      assert.match(await shown.evaluate((one) => getComputedStyle(one).whiteSpace), /^pre/);
      const marked = await open("/vote/marked");
      await marked.page.locator(".item table td").first().waitFor();
      assert.equal(await marked.page.locator(".item h3").first().innerText(), "heading");
    });
  },

  async a_broken_picture_blocks_the_vote_and_says_so(given) {
    await withServer(given, async ({ open, client }) => {
      const drawn =
        "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>";
      await client.create("broken", {
        arms: [
          { arm_id: "a", payload: { image: "data:image/png;base64,AAAA" } },
          { arm_id: "b", payload: { image: drawn } },
        ],
      });
      const { page } = await open("/vote/broken");
      await page.getByRole("alert").getByText("does not load").waitFor();
      await page.keyboard.press("1");
      await page.locator(".item .shown").first().click();
      await page.keyboard.press("ArrowDown");
      await page.getByRole("button", { name: "Skip this pair" }).click();
      await votesSay(page, 1);
      const result = await until(
        client,
        "/v1/experiments/broken/result",
        (one) => reported(one) >= 1,
      );
      assert.equal(result.duels.skips, 1, "nothing but the skip was sent");
    });
  },

  async the_focus_goes_through_the_voting_page_as_it_is_read(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("logo", threeArms());
      const { page } = await open("/vote/logo");
      await page.locator(".pair").waitFor();
      const focused = [];
      for (let k = 0; k < 7; ++k) {
        await page.keyboard.press("Tab");
        focused.push(
          await page.evaluate(
            () =>
              document.activeElement.getAttribute("aria-label") ??
              document.activeElement.textContent,
          ),
        );
      }
      assert.deepEqual(focused, [
        "Left item's content",
        "← Left is better 1",
        "Right item's content",
        "Right is better → 2",
        "Tie ↓",
        "Both bad B",
        "Skip S",
      ]);
    });
  },

  async a_pair_that_was_answered_elsewhere_is_not_answered_again(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const { page } = await openWithClock(open, `${origin}/vote/logo`);
      const { duel_id, arms } = await page.evaluate(
        () => JSON.parse(sessionStorage.getItem("duel.ballots.logo")).current,
      );
      // The same pair in a second window, say; there the left one won.
      await client.call("PUT", `/v1/experiments/logo/duels/${duel_id}/outcome`, {
        result: "win",
        winner: arms[0].arm_id,
      });
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowDown");
      await page
        .getByText("That pair had been answered before; the first answer counts.")
        .waitFor();
      const duel = await client.get(`/v1/experiments/logo/duels/${duel_id}`);
      assert.equal(duel.outcome.winner, arms[0].arm_id);
      const health = await client.get("/v1/experiments/logo/health");
      assert.match(health.checks.find((check) => check.name === "conflicts").detail, /^1 duel/);
    });
  },

  async a_voter_does_not_learn_which_arm_is_which(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("logo", {
        arms: ["secret-one", "secret-two"].map((arm_id, k) => ({
          arm_id,
          payload: { text: ["Apple", "Pear"][k] },
        })),
      });
      const { page } = await open("/vote/logo");
      const lefts = [];
      for (let k = 1; k <= 40; ++k) {
        await page.locator(".pair").waitFor();
        lefts.push((await page.locator(".item").first().innerText()).match(/Apple|Pear/)[0]);
        if (k === 1) assert.doesNotMatch(await page.content(), /secret-/);
        await page.keyboard.press("ArrowDown");
        await votesSay(page, k);
      }
      // 40 fair coins all fall on one side once in 5e11 runs.
      assert.deepEqual([...new Set(lefts)].sort(), ["Apple", "Pear"]);
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
      await voteByKey(page, "ArrowLeft", 1);
      await voteByKey(page, "ArrowDown", 2);
      await voteByKey(page, "b", 3);
      await page.keyboard.press("s");
      await page.getByRole("button", { name: "It does not load" }).click();
      await votesSay(page, 4);
      // The last one goes out after five seconds.
      const result = await until(
        client,
        "/v1/experiments/logo/result",
        (one) => reported(one) === 4,
      );
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
      const { page } = await open("/vote/logo", {
        viewport: { width: 360, height: 740 },
        hasTouch: true,
        isMobile: true,
      });
      for (let k = 1; k <= 3; ++k) {
        await page
          .getByRole("button", { name: k % 2 ? "Left is better" : "Right is better" })
          .tap();
        await page.getByText(`${k} ${k === 1 ? "vote" : "votes"} from you`).waitFor();
      }
      await fitsItsWidth(page, "/vote/logo");
      const sizes = await page
        .locator("main button")
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      assert.ok(
        sizes.every((height) => height >= 40),
        `too small to touch: ${sizes}`,
      );
      // The vote that is held back goes out by itself.
      await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 3);
    });
  },

  async a_share_link_lets_its_holder_vote_and_nothing_else(given) {
    await withServer(given, async ({ open, binary, server, origin, client, browser }) => {
      await client.create("logo", threeArms());
      const made = spawnSync(
        binary,
        ["token", "create", "--scope", "admin", "--name", "me", "--store", server.store],
        { encoding: "utf8" },
      );
      const admin = /duel_admin_\S+/.exec(made.stdout)?.[0];
      if (!admin) {
        // The store belongs to the server while it runs: the first token comes over HTTP.
        const first = await client.call("POST", "/v1/tokens", { scope: "admin", name: "me" });
        client.token = first.token;
      } else {
        client.token = admin;
      }
      const owner = await open(`/experiments/logo#token=${client.token}`);
      await owner.page.getByRole("button", { name: "Share", exact: true }).click();
      await owner.page.getByRole("button", { name: "Make the link" }).click();
      const link = await owner.page.getByLabel("Link: Voting link").innerText();
      assert.match(link, /\/vote\/logo#token=duel_vote_/);
      assert.equal(new URL(owner.page.url()).hash, "", "the token has left the address");
      assert.equal(await owner.page.evaluate(() => document.cookie), "");
      assert.equal(
        await owner.page.evaluate(() => sessionStorage.getItem("duel.token")),
        client.token,
      );
      assert.doesNotMatch(
        await owner.page.evaluate(() => JSON.stringify({ ...localStorage })),
        /duel_admin_/,
      );

      const voter = await open(link.slice(origin.length));
      const shown = () => voter.page.locator(".pair").innerText();
      await voter.page.getByRole("button", { name: "Left is better" }).waitFor();
      const first = await shown();
      await voter.page.getByRole("button", { name: "Right is better" }).click();
      await voter.page.getByText("1 vote from you").waitFor();
      await voter.page.getByRole("button", { name: "Undo" }).click();
      await voter.page
        .getByRole("button", { name: "Undo" })
        .and(voter.page.locator(":disabled"))
        .waitFor();
      assert.equal(await shown(), first, "the same pair again, the same way round");
      assert.equal(
        reported(await client.get("/v1/experiments/logo/result")),
        0,
        "nothing was sent",
      );
      await voter.page.getByRole("button", { name: "Left is better" }).click();
      await voter.page.getByText("1 vote from you").waitFor();
      assert.equal(new URL(voter.page.url()).hash, "");
      await voter.page.reload();
      await voter.page.getByText("1 vote from you").waitFor();
      await until(client, "/v1/experiments/logo/result", (one) => reported(one) === 1);
      const { items } = await client.get("/v1/experiments/logo/duels");
      const left = first.match(/The (\w+) one/)[1];
      assert.equal(
        items.find((duel) => duel.state === "reported").winner,
        left,
        "the second choice counts",
      );
      const token = link.split("#token=")[1];
      for (const path of [
        "/v1/experiments",
        "/v1/experiments/logo/result",
        "/v1/tokens",
        "/v1/experiments/logo/export",
      ]) {
        const answer = await fetch(origin + path, {
          headers: { Authorization: `Bearer ${token}` },
        });
        assert.equal(answer.status, 403, path);
      }
      const stranger = await open("/vote/logo");
      await stranger.page.getByText("Voting here needs a token").waitFor();
      const reader = await open("/");
      await reader.page.getByText("This server asks for a token").waitFor();
      void browser;
    });
  },

  async a_browser_is_one_voter_whom_the_server_has_made(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("logo", threeArms());
      client.token = (
        await client.call("POST", "/v1/tokens", { scope: "admin", name: "me" })
      ).token;
      const link = async (more) =>
        (
          await client.call("POST", "/v1/tokens", {
            scope: "vote",
            experiment_id: "logo",
            name: "link",
            ...more,
          })
        ).token;
      const token = await link({});
      const { page } = await open(`/vote/logo#token=${token}`);
      await voteByKey(page, "ArrowLeft", 1);
      const subject = () => page.evaluate(() => localStorage.getItem("duel.subject.logo"));
      const made = await subject();
      assert.match(made, /^b\.[\w-]+\.[\w-]+$/);
      await page.reload();
      await voteByKey(page, "ArrowLeft", 2);
      assert.equal(await subject(), made, "the same voter after a reload");
      // A name that somebody made up is refused, and the page asks for one of the server's.
      await page.evaluate(() => localStorage.setItem("duel.subject.logo", "ann"));
      await page.evaluate(() => sessionStorage.removeItem("duel.ballots.logo"));
      await page.reload();
      await page.locator(".pair").waitFor();
      await eventually(async () => assert.match((await subject()) ?? "", /^b\.[\w-]+\.[\w-]+$/));

      const panel = await link({ one_browser: true });
      const first = await open(`/vote/logo#token=${panel}`);
      await voteByKey(first.page, "ArrowLeft", 1);
      const second = await open(`/vote/logo#token=${panel}`);
      await second.page.getByText("This link is for one browser").waitFor();
      await first.page.reload();
      await voteByKey(first.page, "ArrowLeft", 2);
    });
  },

  async a_token_that_does_not_work_can_be_replaced(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("logo", threeArms());
      client.token = (
        await client.call("POST", "/v1/tokens", { scope: "admin", name: "me" })
      ).token;
      const { token } = await client.call("POST", "/v1/tokens", {
        scope: "vote",
        experiment_id: "logo",
        name: "link",
      });
      const { page } = await open("/vote/logo#token=duel_vote_wrong");
      await page.getByText("The token does not work here.").waitFor();
      await page.getByLabel("Token").fill(token);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.locator(".pair").waitFor();
      const owner = await open("/experiments/logo#token=duel_admin_wrong");
      await owner.page.getByRole("heading", { name: "This server asks for a token" }).waitFor();
      await owner.page.getByLabel("Token").fill(client.token);
      await owner.page.getByRole("button", { name: "Use it" }).click();
      await owner.page.getByText("● live").waitFor();
      // A voter's token opens no dashboard.
      const voter = await open(`/experiments/logo#token=${token}`);
      await voter.page.getByRole("heading", { name: "This token may not do that" }).waitFor();
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
};
