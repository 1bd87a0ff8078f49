// The pages in a real browser, on a server of their own:
//   node run_browser_tests.mjs DUEL_BINARY [NAME ...]
// Ends with 77 where there is no Chromium, so that ctest says "skipped".
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { tests } from "./stories.mjs";

const [binary, ...wanted] = process.argv.slice(2);
if (!binary || !existsSync(binary)) {
  console.error(`usage: run_browser_tests.mjs DUEL_BINARY [NAME ...]; there is no '${binary}'`);
  process.exit(2);
}
const places = [process.env.DUEL_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = places.find((path) => path && existsSync(path));
if (!executablePath) {
  console.error("SKIPPED: there is no Chromium; scripts/setup --test installs it, or set DUEL_CHROMIUM");
  process.exit(77);
}

const args = ["--disable-dev-shm-usage"];
if (process.getuid?.() === 0) args.push("--no-sandbox"); // root has no sandbox
const browser = await chromium.launch({ executablePath, args });
let failed = 0;
for (const [name, run] of Object.entries(tests)) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
  const begun = Date.now();
  try {
    await run({ binary, browser });
    console.log(`ok    ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n${error.stack ?? error}`);
  }
}
await browser.close();
console.log(failed === 0 ? "all passed" : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
