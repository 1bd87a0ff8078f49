// How long an experiment's page takes with many arms and many duels, in a real browser:
//   node dashboard_at_size.mjs DUEL_BINARY [DUELS] [ARMS] [DIRECTORY]
// Makes an experiment of ARMS arms (100) with DUELS answered duels (1e6), restarts the server, opens
// the page several times, and answers more duels while it is open. Prints one table: the median and the
// worst of the repeats. With a DIRECTORY the store is kept there, and used again by the next run.
import { existsSync, mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "../tests/browser/browser.mjs";
import { chance, Client, startServer } from "../tests/browser/server.mjs";
import { longestTask } from "./main_thread.mjs";

const [binary, duels = "1e6", arms = "100", directory] = process.argv.slice(2);
if (!binary || !existsSync(binary)) {
  console.error("usage: dashboard_at_size.mjs DUEL_BINARY [DUELS] [ARMS] [DIRECTORY]");
  process.exit(2);
}
const PATH = "/v1/experiments/big";
const AT_ONCE = 1000;
const OPENED = 5;
const UPDATES = 20;
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
function row(what, times) {
  const sorted = [...times].sort((a, b) => a - b);
  rows.push(
    `| ${what} | ${sorted[Math.floor(sorted.length / 2)].toFixed(0)} | ${sorted[sorted.length - 1].toFixed(0)} | ${sorted.length} |`,
  );
}

const load = loadavg()[0];
if (directory) mkdirSync(directory, { recursive: true });
const keep = directory !== undefined;
const known = keep && existsSync(join(directory, "duel.db"));
let server = await startServer(binary, keep ? { directory } : {});
let client = new Client(server.origin);
if (!known) {
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
}
await server.stop(true);
const [cold, again] = await timeOf(async () => {
  const next = await startServer(binary, { directory: server.directory });
  await new Client(next.origin).get(`${PATH}/progress`);
  return next;
});
server = again;
client = new Client(server.origin);
row("server started again, experiment in memory", [cold]);
for (const what of ["result", "timeline", "duels", "health"]) {
  const times = [];
  for (let k = 0; k < OPENED; ++k) {
    await play(client, 2); // so that nothing is answered from before
    times.push((await timeOf(() => client.get(`${PATH}/${what}`)))[0]);
  }
  row(`GET ${what}`, times);
}

const browser = await launchBrowser();
const [paints, there, loading] = [[], [], []];
let page = null;
for (let k = 0; k < OPENED; ++k) {
  await page?.close();
  page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  await play(client, 2);
  const task = await longestTask(browser, page, async () => {
    const [opened] = await timeOf(async () => {
      await page.goto(`${server.origin}/experiments/big`);
      await page.locator("h1", { hasText: "At size" }).waitFor({ timeout: 120_000 });
    });
    there.push(opened);
    await page.locator(".thirds .plot").nth(2).waitFor({ timeout: 120_000 });
  });
  loading.push(task.cpu);
  paints.push(
    await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
    ),
  );
}
row("first contentful paint", paints);
row("verdict and matrix there", there);
row("longest task of the main thread while it loads, CPU time", loading);

const [wall, cpu] = [[], []];
const duelsShown = () => page.locator(".numbers dd").first().innerText();
for (let k = 0; k < UPDATES; ++k) {
  const before = await duelsShown();
  const task = await longestTask(browser, page, async () => {
    await play(client, 10);
    await page.waitForFunction(
      (text) => document.querySelector(".numbers dd").textContent !== text,
      before,
      { timeout: 120_000 },
    );
    await page.waitForTimeout(300); // what is drawn afterwards
  });
  wall.push(task.wall);
  cpu.push(task.cpu);
}
row("longest task of the main thread in an update, wall time", wall);
row("longest task of the main thread in an update, CPU time", cpu);
await browser.close();
await server.stop(keep);
console.log(
  `\n## The page of an experiment of ${arms} arms and ${Number(duels)} answered duels (load average ${load.toFixed(1)})\n`,
);
console.log("| what | median, ms | worst, ms | times |\n|---|--:|--:|--:|");
console.log(rows.join("\n"));
