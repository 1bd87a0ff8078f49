// What an owner does and sees, one story each.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chance, hybridSpace, judgeBy, nearerTo, startServer } from "./server.mjs";
import {
  eventually,
  fitsItsWidth,
  noSeriousIssue,
  reported,
  threeArms,
  until,
  withServer,
} from "./watched_page.mjs";

// Prefers what comes first in `order`, until nothing is asked any more.
async function voteToTheEnd(page, order) {
  for (let votes = 1; ; ++votes) {
    await page.locator(".pair, .done").first().waitFor();
    if ((await page.locator(".done").count()) > 0) return;
    const [left, right] = (await page.locator(".item").allInnerTexts()).map((text) =>
      order.findIndex((name) => text.includes(name)),
    );
    await page.keyboard.press(left < right ? "ArrowLeft" : "ArrowRight");
    await page.getByText(`${votes} ${votes === 1 ? "vote" : "votes"} from you`).waitFor();
  }
}

export const tests = {
  async an_owner_creates_an_experiment_from_pasted_lines(given) {
    await withServer(given, async ({ open, client }) => {
      const { page } = await open("/");
      await page.getByText("No experiments yet").waitFor();
      await page.getByRole("link", { name: "Create the first one" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Subject lines, October");
      await page
        .getByLabel("What to compare")
        .fill("Save today\nYour digest\nYou forgot something\n");
      await page.getByText("3 arms:").waitFor();
      await page.getByLabel("Visitors").check();
      await page.getByRole("button", { name: "Estimate" }).click();
      await page.getByText(/About .* duels/).waitFor();
      await page.getByText("Policy: auto").click();
      const policies = await page
        .getByLabel("Which pair is shown next")
        .locator("option")
        .allTextContents();
      assert.ok(
        policies.length > 5 && policies.some((text) => text.startsWith("rucb:")),
        policies.join(),
      );
      await page.getByLabel("Which pair is shown next").selectOption("rucb");
      await page.getByLabel(/^alpha /).fill("0.6");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: "Subject lines, October" }).waitFor();
      const made = await client.get("/v1/experiments/subject-lines-october");
      assert.equal(made.state, "running");
      assert.match(made.policy, /^rucb\(alpha=0\.6/);
      assert.deepEqual(
        made.arms.map((arm) => arm.arm_id),
        ["Save-today", "Your-digest", "You-forgot-something"],
      );
      await page.getByRole("link", { name: "Experiments" }).click();
      await page.getByText("No duels yet").waitFor();
    });
  },

  async an_owner_of_a_server_without_tokens_shares_a_link_and_revokes_it(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const { page } = await open("/experiments/logo");
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await page.getByText("you get a key").waitFor();
      await page.getByLabel(/People I choose/).check();
      await page.getByLabel("How many people").fill("2");
      await page.getByRole("button", { name: "Make 2 links" }).click();
      const link = await page.getByLabel("Link: Voting link 1").innerText();
      assert.ok(link.startsWith(`${origin}/vote/logo#token=duel_vote_`), link);
      await page.getByRole("img", { name: "QR code of Voting link 2" }).waitFor();
      const key = await page.getByLabel("Your key").innerText();
      assert.match(key, /^duel_admin_/);
      // From now on nobody else may do anything.
      await assert.rejects(client.get("/v1/experiments"), /401/);
      client.token = key;
      await page.getByRole("button", { name: "Done" }).click();
      const of = (list) => list.items.filter((token) => token.scope === "vote");
      assert.equal(of(await client.get("/v1/tokens")).length, 2);
      const voter = await open(link.slice(origin.length));
      await voter.page.getByRole("button", { name: "Left is better" }).waitFor();
      await page.getByRole("button", { name: "Revoke" }).first().click();
      await page.getByRole("button", { name: "Revoke: sure?" }).click();
      await until(client, "/v1/tokens", (list) => of(list).length === 1);
    });
  },

  async a_panel_is_made_votes_and_is_closed_when_some_do_not_come(given) {
    await withServer(given, async ({ open, client, origin }) => {
      const { page } = await open("/new");
      await page.getByLabel("People I know").waitFor();
      await page.getByLabel("How many people?").fill("5");
      await page.getByLabel("Name", { exact: true }).fill("Mascot");
      await page.getByLabel("What to compare").fill("fox\nowl\nbear\n");
      await page.getByText("5 people, 2 to 3 questions each").waitFor();
      await page.getByText("What voters are told").click();
      await page.getByLabel("Question").fill("Which one would you wear?");
      await page.getByLabel("Who has answered everything sees how it stands").check();
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByText("a panel of 5, 0 answered").waitFor();
      assert.equal(await page.getByRole("button", { name: "Close the panel" }).count(), 0);
      // A link for each, since each link that is shared by two has two seats.
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await page.getByRole("button", { name: "Make 5 links" }).click();
      client.token = await page.getByLabel("Your key").innerText();
      await page.getByLabel("Link: Voting link 5").waitFor(); // the key is there before
      const links = await page.getByLabel(/^Link: /).allInnerTexts();
      assert.equal(links.length, 5);
      await page.getByRole("button", { name: "Done" }).click();
      for (const link of links.slice(0, 2)) {
        const voter = await open(link.slice(origin.length));
        await voter.page.getByText("Which one would you wear?").waitFor();
        await voteToTheEnd(voter.page, ["fox", "owl", "bear"]);
        await voter.page.getByText("You have answered everything that can matter").waitFor();
        await voter.page.getByText(/of these 5 people (has|have) answered/).waitFor();
      }
      await page.getByText("a panel of 5, 2 answered").waitFor();
      await page
        .getByText("3 of 5 people have not answered yet. If they will not come, the owner can")
        .waitFor();
      await page.getByText("2 answers for fox, 0 for owl, 3 to come.").first().waitFor({
        state: "attached",
      });
      await page.getByRole("button", { name: "Close the panel" }).click();
      await page.getByRole("button", { name: "Close the panel: are you sure?" }).click();
      await page.getByText(/More of the 2 who answered prefer 'fox'/).waitFor();
      await page.locator(".cell.win.w3").first().waitFor();
      await page.getByText("fox beats owl").first().waitFor({ state: "attached" });
      // Nothing on the page speaks of people like these.
      const text = await page.locator("main").innerText();
      for (const words of ["P(best)", "Elo", "Evidence over time", "What it has cost", "95\u202f%"])
        assert.ok(!text.includes(words), words);
      const certificate = await client.get("/v1/experiments/mascot/certificate");
      assert.equal(certificate.by, "counting");
      await noSeriousIssue(page, "the page of a panel");
    });
  },

  async a_panel_with_a_list_has_a_link_for_each_name_and_is_cloned(given) {
    await withServer(given, async ({ open, client, origin }) => {
      const { page } = await open("/new");
      await page.getByLabel("What to compare").fill("fox\nowl\n");
      await page.getByLabel("Name", { exact: true }).fill("Mascot");
      await page.getByLabel("I have a list of their names").check();
      assert.ok(await page.getByRole("button", { name: "Create" }).isDisabled());
      await page.getByLabel("Names", { exact: true }).fill("Ann, Bob\nAnn");
      await page.getByText("2 people.").waitFor();
      assert.ok(await page.getByLabel("A verdict may come before it is certain").isDisabled());
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByText("a panel of 2, 0 answered").waitFor();
      assert.equal(await page.getByRole("link", { name: /^Vote/ }).count(), 0, "no link of nobody");
      await page.getByRole("button", { name: "Share", exact: true }).click();
      assert.equal(await page.getByLabel("Members").inputValue(), "Ann\nBob", "as written in /new");
      await page.getByRole("button", { name: "Make 2 links" }).click();
      client.token = await page.getByLabel("Your key").innerText();
      const link = await page.getByLabel("Link: Bob").innerText();
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByText("Bob this member").waitFor();
      // The link is Bob's in any browser, and his seat is one.
      const voter = await open(link.slice(origin.length));
      await voteToTheEnd(voter.page, ["fox", "owl"]);
      const again = await open(link.slice(origin.length));
      await again.page.getByText("You have answered everything that can matter").waitFor();
      // The vote is held for a while, until it can no longer be undone.
      const { panel } = await until(
        client,
        "/v1/experiments/mascot",
        (one) => one.panel.answered === 1,
      );
      assert.deepEqual([panel.size, panel.listed], [2, true]);
      // Another one with the same people.
      await page.getByRole("link", { name: "Begin a new experiment from this one" }).click();
      await page.getByText("It begins as mascot is now").waitFor();
      assert.equal(await page.getByLabel("Names", { exact: true }).inputValue(), "Ann\nBob");
      assert.equal(await page.getByText("write them below").count(), 0);
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByText("a panel of 2, 0 answered").waitFor();
      const cloned = await client.get("/v1/experiments/mascot-2");
      assert.equal(cloned.about, "these-people");
      assert.equal(cloned.panel.listed, true);
    });
  },

  async an_owner_uploads_a_table_of_votes_and_a_log(given) {
    const file = (name, text) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
    let log = "";
    await withServer(given, async ({ open, client }) => {
      const { page } = await open("/new?upload");
      let csv = "model_a,model_b,winner\n";
      for (let k = 0; k < 60; ++k) csv += `red,dark blue,${k % 6 === 0 ? "model_b" : "model_a"}\n`;
      await page.locator('input[type="file"]').setInputFiles(file("Colours.csv", csv));
      await page.getByText("60 answers about 2 arms, 60 of them decisive").waitFor();
      await page.getByLabel("Name", { exact: true }).fill("Colours");
      await page.getByRole("button", { name: "Import 60 answers" }).click();
      await page.getByRole("heading", { name: "Colours" }).waitFor();
      const result = await client.get("/v1/experiments/colours/result");
      assert.equal(result.certificate.winner, "red");
      assert.equal(result.duels.first_wins + result.duels.second_wins, 60);
      log = await (await fetch(`${client.origin}/v1/experiments/colours/export?what=audit`)).text();
    });
    // The log of it goes on elsewhere.
    await withServer(given, async ({ open }) => {
      const { page } = await open("/new?upload");
      await page.locator('input[type="file"]').setInputFiles(file("colours.jsonl", log));
      await page.getByText("✓ sound").waitFor();
      await page.getByRole("button", { name: "Import it as colours" }).click();
      await page.getByRole("heading", { name: "Colours" }).waitFor();
      await page.getByRole("heading", { name: "What was changed" }).waitFor();
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.getByText("Created with 2 arms, goal condorcet").waitFor();
    });
  },

  async a_reader_finds_a_document_by_searching(given) {
    await withServer(given, async ({ open }) => {
      const { page } = await open("/docs/");
      await page.getByLabel("Search the documents").fill("share link");
      await page
        .getByRole("link", { name: /Share links/ })
        .first()
        .click();
      await page.getByRole("heading", { name: "Share links" }).waitFor();
      assert.match(page.url(), /server\.html#share-links$/);
      await page.getByRole("link", { name: "Experiments", exact: true }).click();
      await page.getByText("No experiments yet").waitFor();
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

  async a_judge_is_audited_or_has_parts_as_the_form_says(given) {
    await withServer(given, async ({ open, client }) => {
      const { page } = await open("/new");
      const begun = async (id) => {
        const log = await fetch(`${client.origin}/v1/experiments/${id}/export?what=audit`);
        return JSON.parse((await log.text()).split("\n")[0]);
      };
      const create = async (id) => {
        await page.getByLabel("Id, part of its address").fill(id);
        await page.getByLabel("What to compare").fill("one\ntwo");
        await page.getByRole("button", { name: "Create" }).click();
        await page.getByRole("heading", { name: id, exact: true }).waitFor();
        return begun(id);
      };
      await page.getByLabel("A judge program").check();
      await page.getByText("Parts of the duels with verdicts of their own").click();
      await page.getByLabel("A name and its values on each line").fill("language: de, en");
      await page.getByLabel("People audit a share of the answers").check();
      await page.getByLabel("Share that people audit, in percent").fill("20");
      assert.equal(await page.getByLabel("A name and its values on each line").count(), 0);
      assert.equal((await create("audited")).audit.share, 0.2);

      await page.goto(new URL("/new", page.url()).href);
      await page.getByLabel("A judge program").check();
      await page.getByText("Parts of the duels with verdicts of their own").click();
      await page.getByLabel("A name and its values on each line").fill("language: de, en");
      const first = await create("parts");
      assert.equal(first.audit, undefined);
      assert.deepEqual(first.slices, { language: ["de", "en"] });
      await page.getByRole("heading", { name: "Parts of the duels" }).waitFor();
    });
  },

  async a_space_is_made_in_the_form_and_its_points_are_compared(given) {
    await withServer(given, async ({ open, client }) => {
      const { page } = await open("/new");
      await page.getByLabel("Settings of a system").check();
      await page.getByLabel("Name", { exact: true }).first().fill("Hybrid");
      const weight = page.getByRole("group", { name: "Number 1" });
      await weight.getByLabel("Name").fill("weight");
      await page.getByRole("group", { name: "weight" }).getByLabel("In use today").fill("0.5");
      await page.getByRole("button", { name: "Another number" }).click();
      const second = page.getByRole("group", { name: "Number 2" });
      await second.getByLabel("Name").fill("k1");
      const k1 = page.getByRole("group", { name: "k1" });
      await k1.getByLabel("From").fill("2");
      await k1.getByLabel("To", { exact: true }).fill("1");
      await k1.getByLabel("In use today").fill("1");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("alert").waitFor(); // a range that ends before it begins
      await k1.getByLabel("To", { exact: true }).fill("8");
      await k1.getByLabel("In use today").fill("4");
      await k1.getByLabel("Logarithmic scale").check();
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: "Hybrid" }).waitFor();
      await client.duel("hybrid", 0, (first) => ({ result: "win", winner: first }), "subject-0");
      await page.goto(new URL("/new?from=hybrid", page.url()).href);
      await page.getByRole("group", { name: "k1" }).getByLabel("In use today").waitFor();
    });
  },

  async the_page_of_a_space_shows_belief_path_and_proof(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("hybrid", hybridSpace({ stopping: { on_certified: "adopt" } }));
      const judge = nearerTo({ weight: 0.7, k1: 1.2 }, chance(3));
      const look = async (page, where) => {
        await noSeriousIssue(page, where);
        await fitsItsWidth(page, where);
      };
      const ways = [
        { colorScheme: "light", viewport: { width: 1280, height: 900 } },
        { colorScheme: "dark", viewport: { width: 360, height: 740 } },
      ];
      const pages = [];
      for (const way of ways) {
        const { page } = await open("/experiments/hybrid", { ...way, reducedMotion: "reduce" });
        await page.getByText("The first is taken after 40 duels of the search.").waitFor();
        await page.getByText("The best guess is still the point in use.").waitFor();
        await look(page, `empty space, ${way.colorScheme}`);
        pages.push(page);
      }

      // Until a point is certified; it is the one in use from then on, and another is challenged.
      const proved = (space) => space.tried.findLast((one) => one.state === "certified");
      let space;
      for (let k = 0; k < 1200 && !(space && proved(space)); ++k) {
        await client.duel("hybrid", k, judge, `subject-${k}`);
        if (k % 10 === 9) ({ space } = await client.get("/v1/experiments/hybrid/result"));
      }
      const point = proved(space).point_id;
      assert.equal(space.in_use, point);
      for (const page of pages) {
        await page.getByRole("img", { name: /with this weight beats the point in use/ }).waitFor();
        await page.getByRole("img", { name: /with this k1 beats the point in use/ }).waitFor();
        await page.getByRole("img", { name: /by weight and k1$/ }).waitFor();
        await page.getByRole("img", { name: /^The recommended weight over/ }).waitFor();
        await page.getByText(/^Best guess so far: weight/).waitFor();
        const tried = page.getByRole("row", { name: new RegExp(`^${point} .* certified$`) });
        await tried.waitFor();
        await page
          .locator(".verdict .sentence")
          .filter({ hasText: `The point '${point}'` })
          .filter({ hasText: "(certified, 5\u202f%)" })
          .waitFor();
        const text = await page.locator("body").innerText();
        assert.ok(!text.includes(`${point} beats the point in use (`), "a point beats itself");
        assert.equal(await page.getByRole("heading", { name: "Who beats whom" }).count(), 0);
        await look(page, "certified space");
      }
    });
  },

  async the_dashboard_moves_while_two_people_vote_until_it_is_certified(given) {
    await withServer(given, async ({ open, client, binary, server }) => {
      // A pair that a voter has on the screen and has not met before may be evidence, and holds
      // the certificate up until it expires: before WAIT is over, and long after a vote is sent.
      const stopping = { on_certified: "notify" }; // its owner completes it by hand, below
      await client.create("logo", threeArms({ feedback: { timeout_s: 20 }, stopping }));
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
      const judge = (a, b) => ({
        result: "win",
        winner: order.indexOf(a) < order.indexOf(b) ? a : b,
      });
      for (let k = 0; k < 60; ++k) await client.duel("logo", k, judge, `subject-${k}`);
      await watcher.page.getByText("blue beats all others (certified, 5\u202f%)").waitFor();
      // A voter's last vote goes out five seconds after it was given.
      const result = await until(
        client,
        "/v1/experiments/logo/result",
        (one) => reported(one) === 76,
      );
      assert.equal(result.certificate.winner, "blue");
      assert.equal(result.health.find((check) => check.name === "conflicts").verdict, "passed");

      // Export: what the page saves is what `duel verify` and `duel result` read.
      const download = async (label) => {
        const row = watcher.page.locator("li").filter({ hasText: label });
        const [file] = await Promise.all([
          watcher.page.waitForEvent("download"),
          row.getByRole("button", { name: "Download" }).click(),
        ]);
        return readFileSync(await file.path(), "utf8");
      };
      const csv = await download("Comparisons, CSV");
      assert.equal(csv.trim().split("\n").length - 1, 76);
      const log = join(server.directory, "audit.jsonl");
      writeFileSync(log, await download("Audit log"));
      const verified = spawnSync(binary, ["verify", "--log", log], { encoding: "utf8" });
      assert.equal(verified.status, 0, verified.stdout + verified.stderr);

      // The certificate: checked here, and saved as a page that needs no server.
      const card = watcher.page.locator("section").filter({ hasText: "Anyone can check it" });
      await card.getByRole("button", { name: "Verify here" }).click();
      await card.getByText("✓ Verified").waitFor();
      await card.getByRole("button", { name: "View" }).click();
      await card.getByText('"statement": ').waitFor();
      const [page] = await Promise.all([
        watcher.page.waitForEvent("download"),
        card.getByRole("button", { name: "Download as a page" }).click(),
      ]);
      const text = readFileSync(await page.path(), "utf8");
      assert.match(text, /<title>Certificate of logo<\/title>/);
      assert.doesNotMatch(text, /@DATA@|@TITLE@/);

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

  async arms_come_and_go(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create(
        "open",
        threeArms({ stopping: { arms: "open", pairs_independent: true } }),
      );
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
      assert.deepEqual(
        arms.map((arm) => [arm.arm_id, arm.state]),
        [
          ["red", "retired"],
          ["green", "active"],
          ["blue", "active"],
          ["violet", "active"],
        ],
      );
    });
  },

  async every_action_has_a_command_that_can_be_copied(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const { page } = await open("/experiments/logo");
      await page.getByText("curl: pause").click();
      const command = await page.getByLabel("Command: pause").innerText();
      assert.equal(command, `curl -X POST ${origin}/v1/experiments/logo/pause`);
      const ran = spawnSync("sh", ["-c", `${command} -s -o /dev/null -w '%{http_code}'`], {
        encoding: "utf8",
      });
      if (ran.status === 127) return; // no curl here
      assert.equal(ran.stdout, "200");
      await page.locator(".badge.paused").waitFor();
    });
  },

  async the_page_says_that_the_server_is_gone_and_goes_on_when_it_is_back(given) {
    await withServer(given, async ({ binary, open, client, origin, server }) => {
      await client.create("logo", threeArms());
      const { page } = await open("/experiments/logo");
      await page.getByText("● live").waitFor();
      await server.stop(true);
      await page.getByText("○ not live").waitFor();
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByText("The server cannot be reached.").first().waitFor();
      const again = await startServer(binary, {
        directory: server.directory,
        port: new URL(origin).port,
      });
      try {
        await page.getByText("● live").waitFor();
        await client.duel("logo", 0, (first) => ({ result: "win", winner: first }));
        await page.getByText(/left won/).waitFor();
      } finally {
        await again.stop(true);
      }
    });
  },

  async the_list_follows_what_happens(given) {
    await withServer(given, async ({ open, client, origin }) => {
      await client.create("logo", threeArms());
      const { page } = await open("about:blank");
      await page.clock.install();
      await page.goto(origin);
      const looksAgain = () => page.clock.fastForward(10_000);
      await page.getByText("No duels yet").waitFor();
      const judge = (a, b) => ({
        result: "win",
        winner: a === "blue" || b === "blue" ? "blue" : a,
      });
      for (let k = 0; k < 60; ++k) await client.duel("logo", k, judge, `subject-${k}`);
      await looksAgain();
      await page.getByText("blue beats all others (certified)").waitFor();
      await client.create("second", threeArms({ name: "Another one" }));
      await looksAgain();
      await page.getByRole("link", { name: "Another one" }).waitFor();
      await client.call("POST", "/v1/experiments/logo/complete");
      await looksAgain();
      await page.locator(".badge.completed").waitFor();
    });
  },

  async every_health_check_is_shown_those_that_passed_too(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("logo", threeArms());
      const judge = judgeBy({ red: 0, green: 0.5, blue: 1 }, chance(3));
      for (let k = 0; k < 40; ++k) await client.duel("logo", k, judge, `s${k}`);
      const { checks } = await client.get("/v1/experiments/logo/health");
      const { health } = await client.get("/v1/experiments/logo/result");
      assert.ok(checks.length > health.length, "some are read from the log");
      const { page } = await open("/experiments/logo");
      await page.locator("details:has(.health) > summary").click(); // all but those that failed
      await page
        .locator(".health li")
        .nth(checks.length - 1)
        .waitFor();
      assert.equal(await page.locator(".health li").count(), checks.length);
      assert.ok((await page.locator(".health .good").count()) > 0);
    });
  },

  async the_first_tab_skips_to_the_content(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("logo", threeArms());
      const { page } = await open("/experiments/logo");
      await page.getByText("● live").waitFor();
      await page.keyboard.press("Tab");
      assert.equal(
        await page.evaluate(() => document.activeElement.textContent),
        "Skip to the content",
      );
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.textContent), "Pause");
      assert.equal(
        await page
          .locator("[tabindex]")
          .evaluateAll((all) => all.filter((one) => one.tabIndex > 0).length),
        0,
      );
    });
  },

  async a_matrix_of_many_arms_is_walked_with_arrow_keys(given) {
    await withServer(given, async ({ open, client }) => {
      const arms = Array.from({ length: 30 }, (_, k) => ({ arm_id: `arm-${k}` }));
      await client.create("many", { arms, policy: "uniform", seed: 2 });
      for (let k = 0; k < 120; ++k)
        await client.duel("many", k, (first) => ({ result: "win", winner: first }), `s${k}`);
      const { page } = await open("/experiments/many");
      const picture = page.getByRole("img", { name: /^Win rates of 30 arms/ });
      await picture.focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("End");
      await eventually(async () => {
        assert.match(await page.locator(".cell-words").innerText(), /^arm-\d+ (and|won|against)/);
        assert.equal(await page.locator(".picture-names.beside span").count(), 30, "a label each");
        // What is marked is the last cell of the second row.
        const [mark, whole] = [
          await page.locator(".squares .here").boundingBox(),
          await picture.boundingBox(),
        ];
        const cell = whole.width / 30;
        assert.ok(
          Math.abs(mark.x - (whole.x + 29 * cell)) < 1 && Math.abs(mark.y - (whole.y + cell)) < 1,
          JSON.stringify([mark, whole]),
        );
      });
      // Pairs that have met once or twice can be seen, and have no colour yet.
      const opacities = await picture.evaluate((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const all = new Set();
        for (let at = 3; at < data.length; at += 4) all.add(data[at]);
        return [...all].sort((a, b) => a - b);
      });
      assert.equal(opacities[0], 0, "some pairs never met");
      assert.ok(opacities.includes(20), "0.08 of 255");
      assert.ok(
        opacities.every((one) => one < 100),
        String(opacities),
      );
    });
  },

  async an_owner_edits_the_name_and_a_guardrail_and_clones_the_experiment(given) {
    await withServer(given, async ({ open, client }) => {
      await client.create("logo", threeArms({ policy: "rucb(alpha=0.6)" }));
      const before = await client.get("/v1/experiments/logo");
      const { page } = await open("/experiments/logo");
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Icons");
      await page.getByLabel(/^Share of duels of random pairs/).fill("0.25");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: "Icons" }).waitFor();
      const after = await client.get("/v1/experiments/logo");
      assert.equal(after.name, "Icons");
      assert.deepEqual(after.guardrails, { ...before.guardrails, explore_floor: 0.25 });
      await page.getByRole("link", { name: "Begin a new experiment from this one" }).click();
      await page.getByLabel("Looking for").selectOption("order");
      await page.getByLabel("How many of them").fill("2");
      await page.getByText("Policy: rucb").waitFor();
      await page.getByRole("button", { name: "Create" }).click();
      await page.locator(".badge.running").waitFor();
      const clone = await client.get("/v1/experiments/logo-2");
      assert.deepEqual([clone.goal, clone.top, clone.policy], ["order", 2, before.policy]);
      assert.deepEqual(clone.arms, before.arms);
      assert.equal(clone.guardrails.explore_floor, 0.25);
    });
  },

  async an_unknown_address_shows_a_page(given) {
    await withServer(given, async ({ open }) => {
      const { page } = await open("/nowhere/at-all");
      await page.getByRole("heading", { name: "There is no such page" }).waitFor();
      await page.getByRole("link", { name: "All experiments" }).click();
      await page.getByText("No experiments yet").waitFor();
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
      await eventually(async () => {
        const words = await page.locator(".cell-words").innerText();
        assert.match(words, / won \d+ of \d+ against /);
        const label = await page.evaluate(
          () => document.activeElement.querySelector(".hidden-text").textContent,
        );
        assert.equal(label, words);
      });
    });
  },
};
