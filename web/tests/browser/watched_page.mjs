// A page that a story watches, and what is asked of every page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Client, startServer } from "./server.mjs";

const require = createRequire(import.meta.url);
export const WAIT = 30_000; // for an event that comes at once on a quiet machine

// A page that fails its test on any error, any refused script, and any request to elsewhere.
export async function openPage(browser, origin, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin }).catch(() => {});
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT);
  const trouble = [];
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A status of 4xx is logged by the browser itself; stories that provoke one look for it.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
      trouble.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url()))
      trouble.push(`asked ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    trouble.push(`a script ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, context, trouble, close: () => context.close() };
}

export async function withServer({ binary, browser }, story, options = {}) {
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
        await one.page.goto(path.startsWith("/") ? server.origin + path : path);
        return one;
      },
    });
    for (const { trouble } of opened) assert.deepEqual(trouble, []);
  } finally {
    for (const { close } of opened) await close();
    await server.stop();
  }
}

export const threeArms = (more = {}) => ({
  name: "Logos",
  arms: ["red", "green", "blue"].map((arm_id) => ({
    arm_id,
    payload: { text: `The ${arm_id} one` },
  })),
  ...more,
});

// Until what the server says of an experiment passes `check`.
export async function until(client, path, check) {
  const begun = Date.now();
  for (;;) {
    const answer = await client.get(path);
    if (check(answer)) return answer;
    if (Date.now() - begun > WAIT)
      throw new Error(`${path} stayed ${JSON.stringify(answer).slice(0, 400)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

// Until `check` throws nothing: what a key or a click does is on the page a moment later.
export async function eventually(check) {
  const begun = Date.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() - begun > WAIT) throw error;
    }
    await new Promise((done) => setTimeout(done, 50));
  }
}

export const reported = (result) =>
  result.duels.first_wins +
  result.duels.second_wins +
  result.duels.ties +
  result.duels.both_bad +
  result.duels.skips;

export async function noSeriousIssue(page, where) {
  // The page's policy lets no script in, so it comes through the debugger's door.
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(() =>
    globalThis.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
    }),
  );
  const serious = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
  assert.deepEqual(
    serious.map(
      (one) =>
        `${where}: ${one.id}: ${one.nodes
          .map((node) => node.target.join(" "))
          .slice(0, 3)
          .join(", ")}`,
    ),
    [],
  );
}

export async function fitsItsWidth(page, where) {
  const [wide, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    innerWidth,
  ]);
  assert.ok(wide <= window, `${where} is ${wide} wide in a window of ${window}`);
}

// Names, ids and payloads that would run a script if anything became HTML.
export const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '"><svg onload=alert(1)>',
  "'\"--></title></style></textarea></script><script>alert(1)</script>",
  "[click](javascript:alert(1))",
  '![x](x" onerror="alert(1))',
  '<a href="javascript:alert(1)" id=bad>x</a>',
  "{{constructor.constructor('alert(1)')()}}",
  '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>',
  "javascript:alert(1)",
  "<style>@import 'https://evil.example/x.css'</style>",
  "\u202e<b>reversed</b>",
];
