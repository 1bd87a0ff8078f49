// A picture of every page, to look at after a change of the look:  node gallery.mjs DUEL_BINARY DIRECTORY [NAME ...]
// Light and dark, wide and as narrow as a phone; empty, full, finished, and where something is wrong.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launchBrowser } from "./browser.mjs";
import { chance, Client, hybridSpace, judgeBy, nearerTo, startServer } from "./server.mjs";

const [program, directory, ...wanted] = process.argv.slice(2);
if (!program || !directory) {
  console.error("usage: gallery.mjs DUEL_BINARY DIRECTORY [NAME ...]");
  process.exit(2);
}
const binary = resolve(program); // commands are run elsewhere
mkdirSync(directory, { recursive: true });

// A picture of its own for each arm, drawn by the browser.
const pictureOf = (page, hue) =>
  page.evaluate((hue) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 480, height: 320 });
    const pen = canvas.getContext("2d");
    pen.fillStyle = `hsl(${hue} 60% 55%)`;
    pen.fillRect(0, 0, 480, 320);
    pen.fillStyle = `hsl(${hue + 60} 70% 75%)`;
    pen.arc(240, 160, 90, 0, 7);
    pen.fill();
    return canvas.toDataURL("image/png");
  }, hue);
const words =
  "# A heading\n\nSome *text* with **weight**, `code` and a [link](https://example.org/a).\n\n- one\n- two\n\n> quoted\n\n```\nfor (;;) {}\n```\n";

async function fill(client, browser) {
  const strengths = { friendly: 1.1, short: 0.2, formal: 0.1, question: 0.3, discount: -0.4 };
  const arms = Object.keys(strengths).map((arm_id) => ({
    arm_id,
    payload: { markdown: `The ${arm_id} one. ${words}` },
  }));
  await client.create("full", { name: "Dispatch mails, October", arms, seed: 7 });
  const judge = judgeBy(strengths, chance(4));
  for (let k = 0; k < 300; ++k) await client.duel("full", k, judge, `person-${k}`);
  await client.call("PUT", "/v1/experiments/draft", { name: "Not begun", arms });
  await client.create("done", { name: "Finished", arms: arms.slice(0, 2), seed: 2 });
  for (let k = 0; k < 60; ++k)
    await client.duel(
      "done",
      k,
      (a, b) => ({ result: "win", winner: [a, b].includes("friendly") ? "friendly" : a }),
      `p${k}`,
    );
  await client.call("POST", "/v1/experiments/done/complete");
  const page = await browser.newPage();
  const pictures = [];
  for (const hue of [0, 120, 240])
    pictures.push({
      arm_id: `hue-${hue}`,
      payload: { image: await pictureOf(page, hue), title: `Hue ${hue}` },
    });
  await page.close();
  await client.create("pictures", { name: "Logos", arms: pictures });
  await client.create("links", {
    name: "Landing pages",
    arms: ["a", "b"].map((one) => ({
      arm_id: one,
      payload: {
        url: `https://example.org/landing/${one}?campaign=autumn&variant=${one}`,
        note: { shown: 3 },
      },
    })),
    tasks: [{ task_id: "t", payload: { text: "Which page would you rather **land** on?" } }],
  });
  const many = Array.from({ length: 40 }, (_, k) => `model-${k}-with-a-rather-long-name`);
  await client.create("many", {
    name: "Forty arms",
    arms: many.map((arm_id) => ({ arm_id })),
    policy: "uniform",
    seed: 3,
  });
  const weaker = judgeBy(Object.fromEntries(many.map((arm, k) => [arm, -k / 12])), chance(8));
  for (let k = 0; k < 600; ++k) await client.duel("many", k, weaker, `p${k}`);
  await client.create("space", hybridSpace({ stopping: { on_certified: "adopt" } }));
  const nearer = nearerTo({ weight: 0.7, k1: 1.2 }, chance(3));
  for (let k = 0; k < 150; ++k) await client.duel("space", k, nearer, `p${k}`);
  await client.call("PUT", "/v1/experiments/space-empty", hybridSpace());
  await client.create("slices", {
    name: "Mails by language",
    arms: arms.slice(0, 3),
    slices: { language: ["de", "en"] },
    seed: 4,
  });
  for (let k = 0; k < 160; ++k) {
    const duel = await client.call("POST", "/v1/experiments/slices/duels", {
      subject_id: `p${k}`,
      slices: { language: k % 3 === 0 ? "de" : "en" },
    });
    const [first, second] = duel.arms.map((arm) => arm.arm_id);
    if (second === undefined) continue;
    const path = `/v1/experiments/slices/duels/${duel.duel_id}/outcome`;
    await client.call("PUT", path, judge(first, second));
  }
}

// Runs of judges here, whose logs the server then has: one that people audit, and a jury in both orders.
async function judgedHere(client, directory) {
  const judge = (name, better) =>
    writeFileSync(
      join(directory, name),
      `#!/bin/sh
rank() { case $1 in a) echo ${better[0]} ;; b) echo ${better[1]} ;; *) echo ${better[2]} ;; esac; }
lot=$(printf '%s' "$0$3" | cksum | cut -d' ' -f1)
better=first worse=second
[ "$(rank "$1")" -gt "$(rank "$2")" ] || { better=second; worse=first; }
if [ $((lot % 5)) -eq 0 ]; then echo $worse; else echo $better; fi
`,
      { mode: 0o755 },
    );
  judge("llm", [1, 2, 3]);
  judge("gpt", [3, 2, 1]);
  judge("person", [3, 1, 2]);
  const asked = (name) => `./${name} {first.id} {second.id} {duel_id}`;
  const run = (name, ...args) => {
    const given = ["run", "--arms", "a,b,c", "--name", name, "--seed", "3", ...args];
    const ran = spawnSync(binary, given, { cwd: directory, encoding: "utf8" });
    if (ran.status !== 0 && ran.status !== 3) throw new Error(ran.stderr);
  };
  run(
    "audited",
    ...["--judge", asked("llm"), "--audit", asked("person"), "--audits", "0.5"],
    ...["--max-duels", "80"],
  );
  run(
    "jury",
    ...["--judge", asked("llm"), "--judge", asked("gpt"), "--order", "both"],
    ...["--max-duels", "60"],
  );
  for (const name of ["audited", "jury"]) {
    const answer = await fetch(`${client.origin}/v1/experiments/${name}/import`, {
      method: "POST",
      headers: { "Content-Type": "application/x-ndjson" },
      body: readFileSync(join(directory, `${name}.duel.jsonl`)),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
}

// A panel of eight of whom six have come, with one rival open; one that is decided before its last two
// come; one with a list, whom nobody has asked yet; and three people who prefer in a circle.
async function fillPanels(client) {
  const arms = ["red fox", "snowy owl", "brown bear", "a badger with a rather long name"].map(
    (text, k) => ({ arm_id: ["fox", "owl", "bear", "badger"][k], payload: { text } }),
  );
  const create = (id, name, panel) =>
    client.create(id, {
      name,
      arms,
      about: "these-people",
      panel,
      voting: { question: "Which one would you wear?", shows_result: true },
      seed: 5,
    });
  const answer = async (id, member, order) => {
    for (let k = 0; ; ++k) {
      const duel = await client.call("POST", `/v1/experiments/${id}/duels`, {
        subject_id: member,
        duel_id: `${member}-${k}`,
      });
      if (duel.serving === "done") return;
      const shown = duel.arms.map((arm) => arm.arm_id);
      await client.call("PUT", `/v1/experiments/${id}/duels/${duel.duel_id}/outcome`, {
        result: "win",
        winner: order.find((arm) => shown.includes(arm)),
      });
    }
  };
  const orders = [
    ["fox", "owl", "bear", "badger"],
    ["fox", "bear", "owl", "badger"],
    ["owl", "fox", "badger", "bear"],
    ["owl", "fox", "bear", "badger"],
    ["fox", "owl", "badger", "bear"],
    ["owl", "fox", "bear", "badger"],
  ];
  await create("panel", "Mascot", { size: 8 });
  for (const [k, order] of orders.entries()) await answer("panel", `person-${k}`, order);
  await create("panel-done", "Mascot, decided", { size: 6 });
  for (let k = 0; k < 6; ++k) await answer("panel-done", `person-${k}`, orders[k < 4 ? 0 : k]);
  await create("panel-list", "Mascot, by names", { members: ["ann", "bob", "cem", "dia"] });
  await create("panel-cycle", "Mascot, three minds", { size: 3 });
  for (const [k, first] of ["fox", "owl", "bear"].entries()) {
    const rest = ["fox", "owl", "bear"];
    await answer("panel-cycle", `person-${k}`, [
      first,
      rest[(k + 1) % 3],
      rest[(k + 2) % 3],
      "badger",
    ]);
  }
}

const open = await startServer(binary);
const client = new Client(open.origin);
const empty = await startServer(binary);
const guarded = await startServer(binary);
const browser = await launchBrowser();
await fill(client, browser);
await fillPanels(client);
await judgedHere(client, open.directory);
const guard = new Client(guarded.origin);
await guard.create("logo", { arms: [{ arm_id: "a" }, { arm_id: "b" }] });
await guard.call("POST", "/v1/tokens", { scope: "admin", name: "me" });

for (const [id, name] of [
  ["full", "log.jsonl"],
  ["panel-done", "panel.jsonl"],
  ["space", "space.jsonl"],
]) {
  const log = await fetch(`${open.origin}/v1/experiments/${id}/export?what=audit`);
  writeFileSync(join(open.directory, name), await log.text());
}
writeFileSync(
  join(open.directory, "votes.csv"),
  "model_a,model_b,winner\n" + "red,dark blue,model_a\n".repeat(50) + "red,dark blue,model_b\n",
);
for (const args of [
  ["result", "--log", "panel.jsonl", "-o", "panel.html"],
  ["certificate", "panel-done", "-o", "panel-certificate.html", "--server", open.origin],
  ["result", "--log", "log.jsonl", "-o", "result.html"],
  ["result", "--log", "space.jsonl", "-o", "space.html"],
  ["result", "--log", "jury.duel.jsonl", "-o", "jury.html"],
  ["certificate", "space.jsonl", "-o", "certificate.html"],
  [
    "simulate",
    "--policy",
    "rucb,rmed1,dts,btm",
    "--matrix",
    "arxiv",
    "--rounds",
    "20000",
    "--trials",
    "6",
    "--threads",
    "1",
    "-o",
    "study",
  ],
  ["plot", "study", "-o", "study.html"],
  [
    "league",
    "--policy",
    "rucb,rmed1,dts,btm",
    "--rounds",
    "1000",
    "--trials",
    "3",
    "--threads",
    "1",
    "-o",
    "league",
  ],
  ["plot", "league", "-o", "league.html"],
]) {
  const ran = spawnSync(binary, args, { cwd: open.directory, encoding: "utf8" });
  if (ran.status !== 0) throw new Error(ran.stderr);
}

const file = (name) => pathToFileURL(join(open.directory, name)).href;
const openShare = (page) => page.getByRole("button", { name: "Share", exact: true }).click();
// Name, address, what to wait for, and what to do before the picture.
const views = [
  ["list", `${open.origin}/`, ".verdict-line.certified"],
  ["list-empty", `${empty.origin}/`, ".nothing-yet"],
  ["list-no-token", `${guarded.origin}/`, ".token-form"],
  ["experiment", `${open.origin}/experiments/full`, ".thirds .plot"],
  ["experiment-many", `${open.origin}/experiments/many`, ".thirds .plot"],
  ["experiment-draft", `${open.origin}/experiments/draft`, ".verdict"],
  ["experiment-done", `${open.origin}/experiments/done`, ".thirds .plot"],
  ["experiment-space", `${open.origin}/experiments/space`, ".slices-of-space .plot"],
  ["experiment-space-empty", `${open.origin}/experiments/space-empty`, ".verdict"],
  ["experiment-slices", `${open.origin}/experiments/slices`, ".parts"],
  ["experiment-audited", `${open.origin}/experiments/audited`, ".audit"],
  ["experiment-jury", `${open.origin}/experiments/jury`, ".judges"],
  ["experiment-none", `${open.origin}/experiments/nowhere`, "[role=alert]"],
  ["new", `${open.origin}/new`, "textarea"],
  [
    "new-filled",
    `${open.origin}/new`,
    "textarea",
    async (page) => {
      await page.getByLabel("Name", { exact: true }).fill("Subject lines");
      await page
        .getByLabel("What to compare")
        .fill("Save today\nYour digest\nYou forgot something\nLast call\n");
      await page.getByLabel("Visitors").check();
      await page.getByText("Policy: auto").click();
      await page.getByLabel("Which pair is shown next").selectOption("rucb");
      await page.getByRole("button", { name: "Estimate" }).click();
      await page.getByText(/About .* duels/).waitFor();
    },
  ],
  [
    "new-wrong",
    `${open.origin}/new`,
    "textarea",
    async (page) => {
      await page.getByLabel("Id, part of its address").fill("full");
      await page.getByLabel("What to compare").fill("one\ntwo");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("alert").waitFor();
    },
  ],
  [
    "new-space",
    `${open.origin}/new`,
    "textarea",
    async (page) => {
      await page.getByLabel("Settings of a system").check();
      await page.getByRole("button", { name: "Another number" }).click();
    },
  ],
  [
    "new-panel",
    `${open.origin}/new`,
    "textarea",
    async (page) => {
      await page.getByLabel("What to compare").fill("fox\nowl\nbear\n");
      await page.getByLabel("I have a list of their names").check();
      const names = Array.from({ length: 26 }, (_, k) => `Person ${k + 1}`);
      await page.getByLabel("Names", { exact: true }).fill(names.join("\n"));
      await page.getByLabel("A verdict may come before it is certain").check();
      await page.getByText("What voters are told").click();
    },
  ],
  ["panel", `${open.origin}/experiments/panel`, ".panel-count"],
  ["panel-done", `${open.origin}/experiments/panel-done`, ".panel-count"],
  ["panel-cycle", `${open.origin}/experiments/panel-cycle`, ".panel-count"],
  ["share-panel", `${open.origin}/experiments/panel`, ".panel-count", openShare],
  ["share-list", `${open.origin}/experiments/panel-list`, ".verdict", openShare],
  ["clone-list", `${open.origin}/new?from=panel-list`, ".notice"],
  ["vote-panel-done", `${open.origin}/vote/panel-done`, ".done"],
  ["report-panel", file("panel.html"), ".panel-count"],
  ["certificate-panel", file("panel-certificate.html"), ".panel-count"],
  [
    "upload",
    `${open.origin}/new?upload`,
    "input[type=file]",
    async (page) => {
      await page.locator("input[type=file]").setInputFiles(join(open.directory, "votes.csv"));
      await page.getByText("51 answers about 2 arms").waitFor();
    },
  ],
  ["vote", `${open.origin}/vote/full`, ".pair"],
  [
    "vote-skip",
    `${open.origin}/vote/full`,
    ".pair",
    async (page) => {
      await page.keyboard.press("ArrowLeft");
      await page.getByText("1 vote from you").waitFor();
      await page.locator(".pair").waitFor();
      await page.keyboard.press("s");
      await page.getByText("It is unclear").waitFor();
    },
  ],
  ["vote-pictures", `${open.origin}/vote/pictures`, ".pair img"],
  ["vote-links", `${open.origin}/vote/links`, ".pair a"],
  ["vote-done", `${open.origin}/vote/done`, "main .card"],
  ["vote-none", `${open.origin}/vote/nowhere`, "main .card"],
  ["vote-no-token", `${guarded.origin}/vote/logo`, "#token"],
  [
    "vote-offline",
    `${open.origin}/vote/full`,
    ".pair",
    async (page) => {
      await page.context().setOffline(true);
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowLeft");
      await page.getByText("No connection.").waitFor();
    },
  ],
  ["report-result", file("result.html"), ".plot"],
  ["report-space", file("space.html"), ".plot"],
  ["report-jury", file("jury.html"), ".judges"],
  ["certificate", file("certificate.html"), ".verification .good"],
  ["report-study", file("study.html"), ".plot"],
  ["report-league", file("league.html"), ".league"],
];

for (const [name, address, sign, prepare] of views) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const colorScheme of ["light", "dark"]) {
    for (const [size, width, height] of [
      ["wide", 1200, 800],
      ["narrow", 360, 740],
    ]) {
      const page = await browser.newPage({
        colorScheme,
        viewport: { width, height },
        hasTouch: size === "narrow",
        reducedMotion: "reduce",
      });
      await page.goto(address);
      await page.locator(sign).first().waitFor();
      await prepare?.(page);
      await page.screenshot({
        path: join(directory, `${name}-${colorScheme}-${size}.png`),
        fullPage: true,
      });
      await page.close();
    }
  }
}
await browser.close();
for (const server of [open, empty, guarded]) await server.stop();
