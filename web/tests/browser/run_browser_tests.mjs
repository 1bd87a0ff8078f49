// The pages in a real browser, on a server of their own:
//   node run_browser_tests.mjs DUEL_BINARY [NAME ...]
// Ends with 77 where there is no Chromium, so that ctest says "skipped".
import { existsSync } from "node:fs";
import { launchBrowser, NoBrowser } from "./browser.mjs";
import { tests as dashboard } from "./dashboard_stories.mjs";
import { tests as everyPage } from "./every_page_stories.mjs";
import { tests as report } from "./report_stories.mjs";
import { tests as script } from "./script_stories.mjs";
import { tests as voting } from "./voting_stories.mjs";

const [binary, ...wanted] = process.argv.slice(2);
if (!binary || !existsSync(binary)) {
  console.error(`usage: run_browser_tests.mjs DUEL_BINARY [NAME ...]; there is no '${binary}'`);
  process.exit(2);
}

const browser = await launchBrowser().catch((error) => {
  if (!(error instanceof NoBrowser)) throw error;
  console.error(`SKIPPED: ${error.message}`);
  process.exit(77);
});
let failed = 0;
const stories = { ...dashboard, ...voting, ...report, ...script, ...everyPage };
for (const [name, run] of Object.entries(stories)) {
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
