// Pictures for the README:  node screenshots.mjs DUEL_BINARY DIRECTORY
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launchBrowser } from "./browser.mjs";
import { chance, Client, judgeBy, startServer } from "./server.mjs";

const [binary, directory] = process.argv.slice(2);

const server = await startServer(binary);
const client = new Client(server.origin);
const strengths = { friendly: 1, short: 0.2, formal: 0.1, question: 0.3, discount: -0.4 };
const texts = {
  friendly:
    "**Your order is on its way**\n\nHi Sam, good news: your parcel left the warehouse this morning.",
  short: "Your parcel left the warehouse.",
  formal: "Dear customer, your order was dispatched today.",
  question: "Ready for your parcel? It arrives tomorrow.",
  discount: "Your parcel is on its way. Save 10 % on the next one.",
};
await client.create("mails", {
  name: "Dispatch mails, October",
  arms: Object.keys(strengths).map((arm_id) => ({ arm_id, payload: { markdown: texts[arm_id] } })),
  stopping: { on_certified: "notify" }, // the voting page has a pair to show
  seed: 7,
});
const judge = judgeBy(strengths, chance(4));
for (let k = 0; k < 420; ++k) await client.duel("mails", k, judge, `person-${k}`);

const study = join(server.directory, "study");
for (const args of [
  [
    "simulate",
    "--policy",
    "rucb,rmed1,dts",
    "--matrix",
    "arxiv",
    "--rounds",
    "1e6",
    "--trials",
    "20",
    "-o",
    study,
  ],
  ["plot", study, "-o", join(server.directory, "study.html"), "--title", "Six rankers on arXiv"],
]) {
  const ran = spawnSync(binary, args, { encoding: "utf8" });
  if (ran.status !== 0) throw new Error(ran.stderr);
}

const browser = await launchBrowser();
const take = async (address, sign, name, height, path = undefined) => {
  const page = await browser.newPage({ viewport: { width: 1200, height } });
  await page.goto(address);
  await page.locator(sign).first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  await (path ? page.locator(path).first() : page).screenshot({ path: join(directory, name) });
  await page.close();
};
await take(`${server.origin}/experiments/mails`, ".thirds .plot", "dashboard.png", 1150);
await take(`${server.origin}/vote/mails`, ".pair", "voting.png", 620);
await take(
  pathToFileURL(join(server.directory, "study.html")).href,
  ".plot",
  "regret.png",
  800,
  ".regret-chart",
);
await browser.close();
await server.stop();
