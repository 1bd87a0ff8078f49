// How long an experiment's page takes with many arms and many duels, in a real browser:
//   node dashboard_at_size.mjs DUEL_BINARY [DUELS] [ARMS]
// Makes an experiment of ARMS arms (100) with DUELS answered duels (1e6), restarts the server, opens
// the page, and answers more duels while it is open. Prints one table. The times are wall times, so
// run it on a quiet machine.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { chance, Client, startServer } from "../tests/browser/server.mjs";

const [binary, duels = "1e6", arms = "100"] = process.argv.slice(2);
const places = [process.env.DUEL_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"];
const executablePath = places.find((path) => path && existsSync(path));
if (!binary || !existsSync(binary) || !executablePath) {
  console.error("usage: dashboard_at_size.mjs DUEL_BINARY [DUELS] [ARMS]; it needs Chromium, too");
  process.exit(2);
}
const PATH = "/v1/experiments/big";
const AT_ONCE = 1000;
const random = chance(1);
const rank = (arm) => Number(arm.slice(4));

async function play(client, count) {
  const { items } = await client.call("POST", `${PATH}/duels`, { count });
  const outcomes = items.map(({ duel_id, arms: [first, second] }) => {
    const p = 1 / (1 + Math.exp((rank(first.arm_id) - rank(second.arm_id)) / 30));
    return { duel_id, result: "win", winner: random() < p ? first.arm_id : second.arm_id };
  });
  await client.call("POST", `${PATH}/outcomes`, outcomes);
}

async function timeOf(run) {
  const begun = performance.now();
  const answer = await run();
  return [performance.now() - begun, answer];
}

const rows = [];
const row = (what, ms) => rows.push(`| ${what} | ${ms.toFixed(0)} |`);

let server = await startServer(binary);
let client = new Client(server.origin);
await client.create("big", {
  name: "At size",
  policy: "uniform",
  arms: Array.from({ length: Number(arms) }, (_, k) => ({ arm_id: `arm-${k}` })),
  stopping: { alpha: 1e-9 },
  seed: 7,
});
for (let done = 0; done < Number(duels); done += AT_ONCE) {
  await play(client, AT_ONCE);
  if (done % 50_000 === 0) process.stderr.write(`\r${done} duels`);
}
process.stderr.write("\n");
await server.stop(true);
const [cold, again] = await timeOf(async () => {
  const next = await startServer(binary, { directory: server.directory });
  await new Client(next.origin).get(`${PATH}/progress`);
  return next;
});
server = again;
client = new Client(server.origin);
row("server started again, experiment in memory", cold);
for (const what of ["result", "timeline", "duels", "health"]) row(`GET ${what}`, (await timeOf(() => client.get(`${PATH}/${what}`)))[0]);

const args = ["--disable-dev-shm-usage"];
if (process.getuid?.() === 0) args.push("--no-sandbox"); // root has no sandbox
const browser = await chromium.launch({ executablePath, args });
const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
await page.addInitScript(() => {
  window.longest = 0;
  // Only tasks of more than 50 ms are told.
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
  }).observe({ type: "longtask", buffered: true });
});
const [opened] = await timeOf(async () => {
  await page.goto(`${server.origin}/experiments/big`);
  await page.locator("h1", { hasText: "At size" }).waitFor({ timeout: 120_000 });
});
const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN);
row("first contentful paint", paint);
row("verdict and matrix there", opened);
row("longest task while it loads (0: none over 50 ms)", await page.evaluate(() => window.longest));
await page.evaluate(() => (window.longest = 0));
const served = () => page.evaluate(() => document.body.innerText);
for (let k = 0; k < 5; ++k) {
  const before = await served();
  await play(client, 10);
  await page.waitForFunction((text) => document.body.innerText !== text, before, { timeout: 120_000 });
}
row("longest task in 5 updates (0: none over 50 ms)", await page.evaluate(() => window.longest));
await browser.close();
await server.stop();
console.log(`\n## The page of an experiment of ${arms} arms and ${Number(duels)} answered duels; one run, wall time\n`);
console.log("| what | ms |\n|---|--:|");
console.log(rows.join("\n"));
