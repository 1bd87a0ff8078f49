// Bundles the pages and writes them as a C++ source:  node build.mjs OUT.cc [--plain DIR]
// `--plain DIR` also writes the files themselves, to look at.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { docsSite } from "./docs_site.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const source = (...path) => join(here, "src", ...path);

// One page: its script and its style, bundled and minified.
async function bundle(entry, name) {
  const built = await build({
    entryPoints: [{ in: source(entry), out: name }],
    bundle: true,
    minify: true,
    write: false,
    outdir: "out",
    format: "iife",
    target: ["es2020"],
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "warning",
  });
  const text = (ending) => built.outputFiles.find((file) => file.path.endsWith(ending))?.text ?? "";
  return { name, script: text(".js"), style: text(".css") };
}

const digest = (text) => createHash("sha256").update(text).digest();
// In the name of a file, so that a browser may keep it for ever.
const stamp = (text) => digest(text).toString("hex").slice(0, 10);
const filled = (template, values) =>
  template.replace(/\{\{(\w+)\}\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`the template asks for ${name}`);
    return values[name];
  });

const types = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
};

const files = [];
function add(name, text) {
  files.push({ name, text, type: types[name.split(".").pop()] });
  return name;
}

const icon = add(
  `icon-${stamp(readFileSync(source("look", "icon.svg"), "utf8"))}.svg`,
  readFileSync(source("look", "icon.svg"), "utf8"),
);
for (const [entry, name, template, page] of [
  ["dashboard/main.tsx", "dashboard", "dashboard/index.html", "index.html"],
  ["voting/main.tsx", "voting", "voting/vote.html", "vote.html"],
]) {
  const { script, style } = await bundle(entry, name);
  add(
    page,
    filled(readFileSync(source(template), "utf8"), {
      script: `/assets/${add(`${name}-${stamp(script)}.js`, script)}`,
      style: `/assets/${add(`${name}-${stamp(style)}.css`, style)}`,
      icon: `/assets/${icon}`,
    }),
  );
}

// The script tag of search pages. Its name stays, since others write it into their pages.
add("duel.js", (await bundle("script/duel.ts", "duel")).script);

// The verifier of logs and certificates for node, to be read by who wants to know what it checks.
const verifier = (
  await build({
    entryPoints: [source("verifier/node.ts")],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: ["node18"],
    charset: "utf8",
    logLevel: "warning",
  })
).outputFiles[0].text;
add("verify.mjs", verifier);

// A report and a certificate are one file each, so script and style are inside. Their hashes are the
// only ones that its policy lets run: data that looks like a script does not.
for (const [folder, file] of [
  ["report", "report.html"],
  ["certificate", "certificate.html"],
]) {
  const { script, style } = await bundle(`${folder}/main.tsx`, folder);
  // "</script" inside a string would end the element.
  const inside = script.replaceAll("</script", "<\\/script");
  const hash = (text) => `'sha256-${digest(text).toString("base64")}'`;
  add(
    file,
    filled(readFileSync(source(folder, file), "utf8"), {
      script: inside,
      style,
      script_hash: hash(inside),
      title: "@TITLE@",
      data: "@DATA@",
      verifier: JSON.stringify(verifier).replaceAll("<", "\\u003c"),
    }),
  );
}

// The documents, for /docs. A link that leads nowhere is for the test web/documents to refuse.
const { files: documents, faults } = await docsSite();
for (const fault of faults) console.warn(`documents: ${fault}`);
for (const { name, text, bytes } of documents) add(`docs/${name}`, bytes ?? text);

files.sort((a, b) => (a.name < b.name ? -1 : 1));
let total = 0;
let arrays = "";
let table = "";
files.forEach((file, k) => {
  const bytes = gzipSync(Buffer.from(file.text), { level: 9 });
  bytes[9] = 255; // the operating system, which would differ between machines
  total += bytes.length;
  // As texts, which a compiler reads in a tenth of the time that it takes for lists of numbers.
  arrays += `const char k${k}[] =`;
  for (let at = 0; at < bytes.length; at += 24)
    arrays += `\n    "${[...bytes.subarray(at, at + 24)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}"`;
  arrays += ";\n";
  table += `    {"${file.name}", "${file.type}", "\\"${stamp(file.text)}\\"", {k${k}, sizeof k${k} - 1}},\n`;
});

const [out, flag, directory] = process.argv.slice(2);
if (!out) throw new Error("usage: node build.mjs OUT.cc [--plain DIR]");
mkdirSync(dirname(out), { recursive: true });
writeFileSync(
  out,
  `// Written by web/build.mjs.
#include "duel/pages/web_asset.h"

namespace duel {
namespace {

${arrays}
}  // namespace

std::span<const WebAsset> web_assets() {
  static const WebAsset all[] = {
${table}  };
  return all;
}

}  // namespace duel
`,
);
if (flag === "--plain") {
  mkdirSync(directory, { recursive: true });
  for (const file of files) {
    mkdirSync(dirname(join(directory, file.name)), { recursive: true });
    writeFileSync(join(directory, file.name), file.text);
  }
}
console.log(`${files.length} files of the pages, ${(total / 1024).toFixed(1)} KiB compressed`);
