// Bundles every test below tests/unit and runs them with node's own test runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = join(dirname(fileURLToPath(import.meta.url)), "unit");
const out = mkdtempSync(join(tmpdir(), "duel-unit-"));
const tests = readdirSync(here).filter((name) => /_test\.(tsx?|mjs)$/.test(name));
await build({
  entryPoints: tests.map((name) => join(here, name)),
  bundle: true,
  outdir: out,
  outExtension: { ".js": ".mjs" },
  platform: "node",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
const files = readdirSync(out)
  .filter((name) => name.endsWith(".mjs"))
  .map((name) => join(out, name));
const run = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
rmSync(out, { recursive: true, force: true });
process.exit(run.status ?? 1);
