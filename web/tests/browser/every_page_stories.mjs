// What holds on every page that a server shows.
import assert from "node:assert/strict";
import { chance, judgeBy } from "./server.mjs";
import { fitsItsWidth, HOSTILE, noSeriousIssue, threeArms, withServer } from "./watched_page.mjs";

export const tests = {
  async nothing_that_an_arm_a_name_or_a_task_says_becomes_a_script(given) {
    await withServer(given, async ({ open, client }) => {
      const arms = HOSTILE.map((text, k) => ({
        arm_id: `arm-${k}`,
        payload: { text, title: text, url: text, image: text, more: text },
      }));
      const tasks = HOSTILE.map((text, k) => ({
        task_id: `task-${k}`,
        payload: { text, title: text },
      }));
      // A name has at most 200 bytes.
      const named = (text) => text.slice(0, 66);
      await client.create("hostile", { name: named(HOSTILE.join(" ")), arms, tasks });
      for (let k = 0; k < HOSTILE.length; ++k) {
        await client.create(`named-${k}`, {
          name: named(HOSTILE[k]),
          arms: [
            { arm_id: "a", payload: HOSTILE[k] },
            { arm_id: "b", payload: { [HOSTILE[k]]: HOSTILE[k] } },
          ],
        });
      }
      for (let k = 0; k < 5; ++k) {
        await client.duel(
          "hostile",
          k,
          () => ({ result: "skip", note: HOSTILE[k].slice(0, 150) }),
          `<b>${k}`,
        );
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
          document.querySelectorAll(
            "#page script, #page iframe, #page style, #page svg[onload], [onerror], #bad",
          ).length,
          [...document.querySelectorAll("a[href]")].filter(
            (link) => !/^(https?:|mailto:)/.test(link.href),
          ).length,
        ]);
        assert.deepEqual(made, [0, 0]);
      }
      // An id in the address that is none, and a fragment that is no token.
      const odd = await open(
        `/experiments/${encodeURIComponent(HOSTILE[0])}#<script>alert(1)</script>`,
      );
      await odd.page.getByRole("alert").waitFor();
      await odd.page.goto(
        odd.page.url().replace(/\/experiments\/.*/, `/vote/${encodeURIComponent(HOSTILE[1])}`),
      );
      await odd.page.getByText("There is no such experiment.").waitFor();
    });
  },

  async axe_finds_no_serious_issue_wide_and_light_or_narrow_and_dark(given) {
    await withServer(given, async ({ open, client }) => {
      const strengths = { red: 0, green: 0.4, blue: 1, violet: 0.7 };
      await client.create("full", {
        name: "Full",
        arms: Object.keys(strengths).map((arm_id) => ({
          arm_id,
          payload: { text: `*${arm_id}*` },
        })),
      });
      const judge = judgeBy(strengths, chance(5));
      for (let k = 0; k < 120; ++k) await client.duel("full", k, judge, `s${k}`);
      await client.call("PUT", "/v1/experiments/empty", threeArms());
      const long = ["left", "right", "middle"].map(
        (word) => `${"a-name-that-goes-on-and-on-".repeat(2)}${word}`,
      );
      await client.create("long", {
        name: long.join(""),
        arms: long.map((arm_id) => ({ arm_id })),
      });
      for (let k = 0; k < 20; ++k)
        await client.duel("long", k, (first) => ({ result: "win", winner: first }), `s${k}`);
      // Colours come with the scheme and layout with the width, so two of the four ways show all.
      for (const [colorScheme, width, height] of [
        ["light", 1280, 900],
        ["dark", 360, 740],
      ]) {
        const { page, close } = await open("/", {
          colorScheme,
          viewport: { width, height },
          reducedMotion: "reduce",
        });
        const look = async (path, sign, prepare) => {
          await page.goto(new URL(path, page.url()).href);
          await page.locator(sign).first().waitFor();
          await prepare?.();
          const where = `${path} ${colorScheme} ${width}`;
          await noSeriousIssue(page, where);
          await fitsItsWidth(page, where);
        };
        await look("/", ".experiments li");
        await look("/experiments/full", ".plot");
        await look("/experiments/empty", ".verdict");
        await look("/experiments/long", ".plot");
        await look("/experiments/none", "[role=alert]");
        await look("/new", "textarea", async () => {
          await page.getByLabel("What to compare").fill("one\ntwo");
          await page.getByLabel("Visitors").check();
          await page.getByText("Policy: auto").click();
          await page.getByLabel("Which pair is shown next").selectOption("rucb");
          await page.getByLabel(/^alpha /).waitFor();
        });
        await look("/vote/full", ".pair");
        await look("/vote/empty", "main .card");
        await close();
      }
    });
  },
};
