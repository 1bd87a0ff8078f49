// Builds the npm package duel-client:  node build.mjs OUT_DIRECTORY
// The directory is then what `npm pack` or `npm publish` takes.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [out] = process.argv.slice(2);
if (!out) throw new Error("usage: node build.mjs OUT_DIRECTORY");
mkdirSync(join(out, "dist"), { recursive: true });
for (const name of ["package.json", "README.md"]) cpSync(join(here, name), join(out, name));
cpSync(join(here, "..", "..", "LICENSE"), join(out, "LICENSE"));
const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
await build({
  entryPoints: [join(here, "src", "index.ts")],
  bundle: true,
  format: "esm",
  target: ["es2020"],
  charset: "utf8",
  outfile: join(out, "dist", "index.js"),
  banner: { js: `// duel-client ${version}, MIT license` },
  logLevel: "warning",
});
const types = join(out, "dist", "types");
const tsc = join(here, "..", "node_modules", "typescript", "bin", "tsc");
const ran = spawnSync(process.execPath, [tsc, "-p", here, "--outDir", types], {
  stdio: "inherit",
});
if (ran.status !== 0) process.exit(ran.status ?? 1);
// Who does not bundle needs the endings of files, which our sources leave to the bundler.
for (const name of readdirSync(types, { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".d.ts")) continue;
  const file = join(types, name);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/from "(\.{1,2}\/[^"]+)"/g, 'from "$1.js"'));
}
