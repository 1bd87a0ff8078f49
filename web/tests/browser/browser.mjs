// The browser of the tests, pictures and measurements: a Chromium that is installed already.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PLACES = [
  process.env.DUEL_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export class NoBrowser extends Error {}

export async function launchBrowser() {
  const executablePath = PLACES.find((path) => path && existsSync(path));
  if (!executablePath)
    throw new NoBrowser(
      "there is no Chromium; scripts/setup --test installs it, or set DUEL_CHROMIUM",
    );
  const args = ["--disable-dev-shm-usage"];
  if (process.getuid?.() === 0) args.push("--no-sandbox"); // root has no sandbox
  return chromium.launch({ executablePath, args });
}
