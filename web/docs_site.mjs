// The documents as a site: pages of docs/, of bench/ and of examples/, with navigation and search. Used
// by build.mjs, which embeds them for /docs, and as a program:  node docs_site.mjs OUT_DIR
//
// Pages are plain HTML without inline script or style, and every address in them is relative, so that
// the same bytes work from the server, from any web server and from a folder.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import MarkdownIt from "markdown-it";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..");

const stamp = (text) => createHash("sha256").update(text).digest("hex").slice(0, 10);
const escaped = (text) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

// As on GitHub: lower case, spaces to hyphens, and nothing but letters, digits, hyphens and underlines.
export const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{Pc}\- ]/gu, "")
    .replace(/ /g, "-");

// --- What there is --------------------------------------------------------------------------------

// Sources of pages, by their paths in the tree: { path, page, text }.
function sources() {
  const found = [];
  const add = (path, page) =>
    found.push({ path, page, text: readFileSync(join(root, path), "utf8") });
  for (const name of readdirSync(join(root, "docs")).sort()) {
    if (name.endsWith(".md"))
      add(`docs/${name}`, name === "README.md" ? "index.html" : name.replace(/\.md$/, ".html"));
  }
  for (const name of readdirSync(join(root, "bench")).sort()) {
    if (name.endsWith(".md") && name !== "README.md")
      add(`bench/${name}`, `bench-${name.replace(/\.md$/, ".html")}`);
  }
  add("web/client/README.md", "npm-client.html");
  add("packaging/image/README.md", "image.html");
  const examples = readdirSync(join(root, "examples"))
    .filter((name) => name.endsWith(".py"))
    .sort();
  const code = (name) => readFileSync(join(root, "examples", name), "utf8").trimEnd();
  found.push({
    path: "examples",
    page: "examples.html",
    text: `# Examples\n\n${examples.map((name) => `## ${name}\n\n\`\`\`python\n${code(name)}\n\`\`\`\n`).join("\n")}`,
    examples,
  });
  return found;
}

const PICTURES = /\.(png|svg|jpg)$/;
function pictures() {
  const found = [];
  const look = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) look(path);
      else if (PICTURES.test(entry.name)) found.push(path);
    }
  };
  look("docs");
  return found;
}

// --- Pages ----------------------------------------------------------------------------------------

// The contents are the lists of docs/README.md under the lines that introduce them.
function contentsOf(text) {
  const groups = [];
  for (const line of text.split("\n")) {
    const introduced = /^(\S.*):$/.exec(line);
    if (introduced) groups.push({ title: introduced[1], pages: [] });
    if (!line.startsWith("- ")) continue;
    for (const [, path] of line.matchAll(/\]\(([^)#]+\.md)\)/g)) {
      const group = groups[groups.length - 1];
      if (group && !group.pages.includes(path)) group.pages.push(path);
    }
  }
  return groups.filter((group) => group.pages.length > 0);
}

const titleOf = (text) => (/^# (.+)$/m.exec(text)?.[1] ?? "").replace(/`/g, "");

function parser() {
  const markdown = new MarkdownIt({ html: true, linkify: false, typographer: false });
  const { rules } = markdown.renderer;
  rules.table_open = () =>
    '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n';
  rules.table_close = () => "</table></div>\n";
  const code = (tokens, k) =>
    `<pre tabindex="0"><code>${escaped(tokens[k].content.replace(/\n$/, ""))}</code></pre>\n`;
  rules.fence = code;
  rules.code_block = code;
  return markdown;
}

const plain = (inline) =>
  (inline.children ?? [])
    .filter((token) => token.type === "text" || token.type === "code_inline")
    .map((token) => token.content)
    .join("");

// The page as HTML, its headings, and what search knows of each of its sections.
function rendered(markdown, source, addressOf, titleFor) {
  const tokens = markdown.parse(source.text, {});
  const taken = new Map();
  const sections = [{ id: "", title: titleOf(source.text), words: [] }];
  tokens.forEach((token, k) => {
    if (token.type === "heading_open") {
      const title = plain(tokens[k + 1]);
      const slug = slugOf(title);
      const times = taken.get(slug) ?? 0;
      taken.set(slug, times + 1);
      const id = times === 0 ? slug : `${slug}-${times}`;
      token.attrSet("id", id);
      if (token.tag !== "h1")
        sections.push({ id, title, level: Number(token.tag.slice(1)), words: [] });
      return;
    }
    if (token.type === "inline" && tokens[k - 1]?.type !== "heading_open")
      sections[sections.length - 1].words.push(plain(token));
    if (token.type === "fence" || token.type === "code_block")
      sections[sections.length - 1].words.push(token.content);
    for (const [at, child] of (token.children ?? []).entries()) {
      if (child.type === "link_open") {
        const named = token.children[at + 1];
        // A file that is called by its name has a title here.
        if (named?.content.endsWith(".md"))
          named.content = titleFor(named.content) ?? named.content;
        child.attrSet("href", addressOf(child.attrGet("href"), source));
      } else if (child.type === "image") {
        child.attrSet("src", addressOf(child.attrGet("src"), source));
      }
    }
  });
  return { html: markdown.renderer.render(tokens, markdown.options, {}), sections };
}

const icon = readFileSync(join(here, "src", "look", "icon.svg"), "utf8");

function page({ title, nav, main, aside, assets }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Duel</title>
<link rel="icon" href="${assets.icon}">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}" defer></script>
</head>
<body>
<a class="skip-link" href="#main">Skip to the content</a>
<header class="top">
<a class="home" href="index.html">Duel <span class="quiet">documents</span></a>
<div class="find" role="search" data-index="${assets.index}">
<input type="search" id="find" placeholder="Search" aria-label="Search the documents" autocomplete="off">
<ol id="found" hidden></ol>
</div>
<a class="app" id="app" href="/" hidden>Experiments</a>
</header>
<div class="frame">
<details class="contents" open><summary>Contents</summary><nav aria-label="Contents">
${nav}</nav></details>
<main id="main" tabindex="-1">
${main}</main>
<aside>${aside}</aside>
</div>
</body>
</html>
`;
}

// Files of the site, { name, text } or { name, bytes }, and what is wrong with the documents: links that
// lead nowhere, and documents that nothing leads to.
export async function docsSite() {
  const all = sources();
  const byPath = new Map(all.map((one) => [one.path, one]));
  const images = pictures();
  const missing = [];
  // The address on the site of what a document names by its path in the tree.
  const addressOf = (href, source) => {
    if (/^(https?:|mailto:)/.test(href)) return href;
    if (href.startsWith("/")) return href;
    const [path, fragment] = href.split("#");
    const folder = source.path === "examples" ? "" : posix.dirname(source.path);
    const target = path === "" ? source.path : posix.normalize(posix.join(folder, path));
    const tail = fragment ? `#${fragment}` : "";
    const there = byPath.get(target);
    if (there) {
      source.links = [...(source.links ?? []), { page: there.page, fragment, href }];
      return there.page + tail;
    }
    if (target === "README.md") return "index.html"; // what the tree begins with; here it is this
    const example = /^examples\/(.+\.py)$/.exec(target);
    if (example && byPath.get("examples").examples.includes(example[1]))
      return `examples.html#${slugOf(example[1])}`;
    if (images.includes(target)) return relative("docs", target).split("\\").join("/");
    missing.push(`${source.path}: ${href}`);
    return href;
  };
  const markdown = parser();
  const titleFor = (path) => {
    const there = byPath.get(posix.normalize(posix.join("docs", path)));
    return there && titleOf(there.text);
  };
  const pages = all.map((source) => ({
    ...rendered(markdown, source, addressOf, titleFor),
    source,
  }));
  const ids = new Map(
    pages.map(({ source, sections, html }) => [
      source.page,
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id).concat(sections[0].id)),
    ]),
  );
  for (const { source } of pages)
    for (const { page: there, fragment, href } of source.links ?? [])
      if (fragment && !ids.get(there).has(fragment)) missing.push(`${source.path}: ${href}`);

  // --- Script, style and the index of the search ---
  const built = await build({
    entryPoints: [join(here, "src", "documents", "main.ts")],
    bundle: true,
    minify: true,
    write: false,
    outdir: "out",
    format: "iife",
    target: ["es2020"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  const output = (ending) => built.outputFiles.find((file) => file.path.endsWith(ending)).text;
  const files = [];
  const add = (base, ending, text) => {
    const name = `${base}-${stamp(text)}.${ending}`;
    files.push({ name, text });
    return name;
  };
  const index = pages.flatMap(({ source, sections }) =>
    sections.map(({ id, title, words }) => [
      source.page + (id ? `#${id}` : ""),
      titleOf(source.text),
      title,
      words.join(" ").replace(/\s+/g, " ").slice(0, 4000),
    ]),
  );
  const assets = {
    script: add("documents", "js", output(".js")),
    style: add("documents", "css", output(".css")),
    // A script and not JSON: a page in a folder may not fetch.
    index: add("search", "js", `duelDocuments(${JSON.stringify(index)});\n`),
    icon: add("icon", "svg", icon),
  };

  // --- The pages ---
  const groups = contentsOf(byPath.get("docs/README.md").text);
  const named = new Set(groups.flatMap((group) => group.pages));
  const others = all
    .filter(({ path }) => path !== "docs/README.md" && path !== "examples")
    .map(({ path }) => posix.relative("docs", path))
    .filter((path) => !named.has(path));
  const unnamed = others.filter((path) => !path.startsWith("../"));
  const navOf = (current) =>
    [...groups, { title: "Measurements, examples, packages", pages: [...others, "../examples"] }]
      .map(({ title, pages: paths }) => {
        const items = paths.map((path) => {
          const source = byPath.get(posix.normalize(posix.join("docs", path)));
          const mark = source.page === current ? ' aria-current="page"' : "";
          // They stand below a line that says so.
          const name = titleOf(source.text).replace(/^Tutorial: /, "");
          return `<li><a href="${source.page}"${mark}>${escaped(name[0].toUpperCase() + name.slice(1))}</a></li>`;
        });
        return `<h2>${escaped(title)}</h2>\n<ul>\n${items.join("\n")}\n</ul>\n`;
      })
      .join("");
  for (const { source, html, sections } of pages) {
    const inside = sections.filter((one) => one.level === 2);
    const aside =
      inside.length < 2
        ? ""
        : `<h2>On this page</h2><ul>${inside
            .map((one) => `<li><a href="#${one.id}">${escaped(one.title)}</a></li>`)
            .join("")}</ul>`;
    files.push({
      name: source.page,
      text: page({
        title: titleOf(source.text),
        nav: navOf(source.page),
        main: html,
        aside,
        assets,
      }),
    });
  }
  files.push({
    name: "404.html",
    text: page({
      title: "No such document",
      nav: navOf(""),
      main: "<h1>There is no such document</h1>\n<p>Look for it in the contents, or search for it.</p>\n",
      aside: "",
      assets,
    }),
  });
  for (const path of images)
    files.push({ name: posix.relative("docs", path), bytes: readFileSync(join(root, path)) });
  const faults = [
    ...missing.map((link) => `${link} leads nowhere`),
    ...unnamed.map((path) => `docs/README.md does not name ${path}`),
  ];
  return { files, faults };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [directory] = process.argv.slice(2);
  if (!directory) throw new Error("usage: node docs_site.mjs OUT_DIR");
  const { files, faults } = await docsSite();
  if (faults.length > 0) throw new Error(`in the documents:\n  ${faults.join("\n  ")}`);
  for (const { name, text, bytes } of files) {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes ?? text);
  }
  console.log(`${files.length} files; open ${join(directory, "index.html")}`);
}
