// Reports in one file, opened from the disk by somebody without a server or a network.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chance, judgeBy } from "./server.mjs";
import {
  eventually,
  fitsItsWidth,
  HOSTILE,
  noSeriousIssue,
  openPage,
  withServer,
} from "./watched_page.mjs";

// A directory for one story, and the program run in it.
async function withDirectory({ binary, browser }, story) {
  const directory = mkdtempSync(join(tmpdir(), "duel-report-"));
  try {
    await story({
      browser,
      directory,
      duel(...args) {
        const ran = spawnSync(binary, args, { cwd: directory, encoding: "utf8" });
        assert.equal(ran.status, 0, `duel ${args.join(" ")}\n${ran.stderr}`);
        return ran.stdout;
      },
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

// Opens the file as a mail program does: from the disk, and with no network to ask. `look` gets the
// page light and wide, then dark and narrow; on both axe finds nothing serious.
async function openReport(browser, file, look) {
  const address = pathToFileURL(file).href;
  for (const [colorScheme, width, height] of [
    ["light", 1200, 900],
    ["dark", 360, 740],
  ]) {
    const opened = await openPage(browser, address, {
      colorScheme,
      viewport: { width, height },
      offline: true,
      reducedMotion: "reduce",
    });
    try {
      await opened.page.goto(address);
      await opened.page.getByText(/^Made by duel/).waitFor();
      await look(opened.page);
      const where = `${file.replace(/.*\//, "")} ${colorScheme} ${width}`;
      await noSeriousIssue(opened.page, where);
      await fitsItsWidth(opened.page, where);
      assert.deepEqual(opened.trouble, [], where);
    } finally {
      await opened.close();
    }
  }
}

// How many curves a picture has: paths that are neither ticks of an axis nor bands.
async function curves(page, label) {
  const picture = page.getByRole("img", { name: label });
  await picture.waitFor();
  return picture
    .locator("path")
    .evaluateAll(
      (all) =>
        all.filter((one) => one.getTotalLength() > 20 && !one.closest("[fill-opacity]")).length,
    );
}

// Votes as CSV, with times, from people who prefer earlier arms.
function votesOf(arms, count) {
  const random = chance(11);
  const cell = (text) => `"${text.replaceAll('"', '""')}"`;
  const rows = ["first,second,winner,tstamp"];
  for (let k = 0; k < count; ++k) {
    const i = Math.floor(random() * arms.length);
    const j = (i + 1 + Math.floor(random() * (arms.length - 1))) % arms.length;
    const better = random() < 0.75 ? Math.min(i, j) : Math.max(i, j);
    rows.push(
      [arms[i], arms[j], better === i ? "first" : "second", String(1_700_000_000 + k)]
        .map(cell)
        .join(","),
    );
  }
  return rows.join("\n") + "\n";
}

export const tests = {
  async a_log_becomes_a_report_with_the_charts_of_the_dashboard(given) {
    await withServer(given, async ({ client, server }) => {
      const strengths = { red: 0, green: 0.4, blue: 1.2, violet: 0.7 };
      await client.create("logo", {
        name: "Logos",
        arms: Object.keys(strengths).map((arm_id) => ({ arm_id })),
        seed: 3,
      });
      const judge = judgeBy(strengths, chance(6));
      for (let k = 0; k < 150; ++k) await client.duel("logo", k, judge, `s${k}`);
      const log = await fetch(`${server.origin}/v1/experiments/logo/export?what=audit`);
      await withDirectory(given, async ({ browser, directory, duel }) => {
        writeFileSync(join(directory, "logo.duel.jsonl"), await log.text());
        duel("result", "--log", "logo.duel.jsonl", "-o", "report.html");
        await openReport(browser, join(directory, "report.html"), async (page) => {
          assert.equal(
            (await page.locator(".cell.win b").count()) > 0,
            true,
            "the matrix has rates",
          );
          assert.equal(await page.locator(".bars li:not(.axis)").count(), 3, "one bar per rival");
          assert.equal((await curves(page, /^Evidence for the leader/)) >= 1, true);
          assert.equal(await curves(page, /^Share of the places/), 4, "one curve per arm");
          assert.equal((await curves(page, /^Estimated regret/)) >= 1, true);
          assert.equal((await page.locator(".health li").count()) > 3, true);
          await page.locator(".cell").first().focus();
          await page.keyboard.press("ArrowRight");
          await eventually(async () =>
            assert.match(await page.locator(".cell-words").innerText(), / won \d+ of \d+ against /),
          );
        });
      });
    });
  },

  async a_log_of_a_space_becomes_a_report_of_its_proof_and_path(given) {
    await withDirectory(given, async ({ browser, directory, duel }) => {
      writeFileSync(
        join(directory, "space.toml"),
        "[weight]\nlow = 0.0\nhigh = 1.0\ndefault = 0.2\nstep = 0.01\n",
      );
      // Prefers the weight that is closer to 0.7.
      writeFileSync(
        join(directory, "compare"),
        `#!/bin/sh
off() { awk -v w="$1" 'BEGIN { print (w - 0.7) * (w - 0.7) }'; }
a=$(off "$(printf '%s' "$1" | tr -dc 0-9.)")
b=$(off "$(printf '%s' "$2" | tr -dc 0-9.)")
awk -v a="$a" -v b="$b" 'BEGIN { print (a < b ? "first" : "second") }'
`,
        { mode: 0o755 },
      );
      duel("tune", "--space", "space.toml", "--judge", "./compare", "--max-duels", "400");
      duel("result", "space.duel.jsonl", "-o", "space.html");
      await openReport(browser, join(directory, "space.html"), async (page) => {
        await page.getByRole("img", { name: /^The recommended weight over/ }).waitFor();
        await page.getByRole("row", { name: / certified$/ }).waitFor();
        await page.getByText(/^Best guess so far: weight/).waitFor();
        for (const name of ["Who beats whom", "How strong each is", "Arms"])
          assert.equal(await page.getByRole("heading", { name, exact: true }).count(), 0, name);
      });
    });
  },

  async a_certificate_checks_itself_and_says_what_does_not_fit(given) {
    await withDirectory(given, async ({ browser, directory, duel }) => {
      const file = (name) => join(directory, name);
      writeFileSync(file("votes.csv"), votesOf([HOSTILE[0], HOSTILE[3]], 120));
      duel("import", "votes.csv", "-o", "votes.duel.jsonl");
      duel("certificate", "votes.duel.jsonl", "-o", "certificate.html");
      const made = readFileSync(file("certificate.html"), "utf8");
      const status = (page) => page.locator(".verification");
      await openReport(browser, file("certificate.html"), async (page) => {
        await status(page).getByText("✓ Verified").waitFor();
        const text = await page.locator("body").innerText();
        assert.ok(text.includes(HOSTILE[0]), "the statement names the arm as it is called");
        assert.equal(await page.locator("#page script, #page img, [onerror]").count(), 0);
        const saved = async (label) => {
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: label }).click(),
          ]);
          return readFileSync(await download.path(), "utf8");
        };
        writeFileSync(file("certificate.json"), await saved("Save the certificate"));
        writeFileSync(file("log.jsonl"), await saved("Save the log"));
        writeFileSync(file("verify.mjs"), await saved("Save the verifier"));
        duel("verify", "certificate.json", "--log", "log.jsonl");
        const ran = spawnSync(
          process.execPath,
          ["verify.mjs", "certificate.json", "--log", "log.jsonl"],
          { cwd: directory, encoding: "utf8" },
        );
        assert.equal(ran.status, 0, ran.stdout + ran.stderr);
      });

      // One answer changed: the line is named, and nothing is green.
      const other = made.replace(String.raw`\"result\":\"win\"`, String.raw`\"result\":\"tie\"`);
      assert.notEqual(other, made);
      writeFileSync(file("changed.html"), other);
      await openReport(browser, file("changed.html"), async (page) => {
        await status(page).getByText("✗ Does not fit").waitFor();
        await status(page)
          .getByText(/^line \d+ of the log: the hash does not fit/)
          .waitFor();
        assert.equal(await page.locator(".verdict.certified").count(), 0);
      });

      // Without the log the page asks for its file.
      const without = made.replace(/"log":".*"}(?=<\/script>)/, '"log":null}');
      assert.notEqual(without, made);
      writeFileSync(file("without.html"), without);
      await openReport(browser, file("without.html"), async (page) => {
        assert.equal(await status(page).count(), 0);
        await page.locator("input[type=file]").setInputFiles(file("votes.duel.jsonl"));
        await status(page).getByText("✓ Verified").waitFor();
      });
    });
  },

  async votes_in_a_csv_become_a_report_and_their_names_no_script(given) {
    await withDirectory(given, async ({ browser, directory, duel }) => {
      writeFileSync(join(directory, "votes.csv"), votesOf(HOSTILE, 400));
      duel("result", "--log", "votes.csv", "-o", "report.html");
      await openReport(browser, join(directory, "report.html"), async (page) => {
        const text = await page.locator("body").innerText();
        for (const name of HOSTILE)
          assert.ok(text.includes(name), `the name stands there as it is: ${name}`);
        const made = await page.evaluate(() => [
          document.querySelectorAll(
            "#page script, #page iframe, #page style, #page img, [onerror], [onload], #bad",
          ).length,
          document.querySelectorAll("a[href]").length,
        ]);
        assert.deepEqual(made, [0, 0]);
      });
      // Had a script come in all the same, the policy of the file would not let it run.
      const address = pathToFileURL(join(directory, "report.html")).href;
      const { page, trouble, close } = await openPage(browser, address);
      await page.goto(address);
      const ran = await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.intruder = true";
        document.body.append(script);
        return window.intruder === true;
      });
      assert.equal(ran, false);
      assert.equal(trouble.length, 1);
      assert.match(trouble[0], /Content Security Policy/);
      await close();
    });
  },

  async a_study_becomes_a_report_with_regret_accuracy_and_the_lower_bound(given) {
    await withDirectory(given, async ({ browser, directory, duel }) => {
      duel(
        "simulate",
        "--policy",
        "rucb,rmed1,dts",
        "--matrix",
        "arxiv",
        "--rounds",
        "5000",
        "--trials",
        "4",
        "--threads",
        "1",
        "-o",
        "out",
      );
      duel("plot", "out", "-o", "report.html", "--title", HOSTILE[3]);
      await openReport(browser, join(directory, "report.html"), async (page) => {
        assert.equal(await page.title(), HOSTILE[3]);
        assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), HOSTILE[3]);
        assert.equal(
          await curves(page, /^Cumulative average regret/),
          4,
          "three policies and the lower bound",
        );
        assert.equal(await curves(page, /^Share of trials/), 3);
        assert.equal(
          await page.locator("[fill-opacity] path, path[fill-opacity]").count(),
          3,
          "a band each",
        );
        await page.getByText(/asymptotic lower bound, [\d.]+ ln T/).waitFor();
        assert.match(await page.getByRole("row", { name: /rmed1/ }).innerText(), /± /);
      });
    });
  },

  async a_league_becomes_a_heat_map(given) {
    await withDirectory(given, async ({ browser, directory, duel }) => {
      duel(
        "league",
        "--policy",
        "rucb,rmed1",
        "--matrix",
        "arxiv,cyclic",
        "--rounds",
        "2000",
        "--trials",
        "3",
        "--threads",
        "1",
        "-o",
        "league",
      );
      duel("plot", "league", "-o", "report.html");
      await openReport(browser, join(directory, "report.html"), async (page) => {
        assert.equal(await page.locator(".league tbody tr").count(), 2);
        const shades = await page
          .locator(".ratio")
          .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
        assert.ok(new Set(shades).size > 1, `the colours differ: ${shades}`);
      });
    });
  },
};
