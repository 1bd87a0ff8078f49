// Writes src/api/types.ts from the document that a server gives:
//   node write_types.mjs DUEL_BINARY [--check]
// `--check` writes nothing and fails where the file is not what the document says; the variable
// DUEL_WRITE_DOCS lets it write all the same, as for the documents that tests hold against the code.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, startServer } from "./tests/browser/server.mjs";
import { typesOf } from "./types_of_openapi.mjs";

const [binary = process.env.DUEL_BINARY ?? "../build/release/bin/duel", flag] =
  process.argv.slice(2);
if (!existsSync(binary) || (flag !== undefined && flag !== "--check")) {
  console.error(`usage: write_types.mjs DUEL_BINARY [--check]; there is no '${binary}'`);
  process.exit(2);
}
const file = join(dirname(fileURLToPath(import.meta.url)), "src", "api", "types.ts");
const server = await startServer(binary);
let types = "";
try {
  types = typesOf(await new Client(server.origin).get("/openapi.json"));
} finally {
  await server.stop();
}
if (flag !== "--check" || process.env.DUEL_WRITE_DOCS !== undefined) {
  writeFileSync(file, types);
} else if (types !== readFileSync(file, "utf8")) {
  const [now, then] = [types, readFileSync(file, "utf8")].map((text) => text.split("\n"));
  const line = now.findIndex((text, index) => text !== then[index]);
  console.error(`web/src/api/types.ts is not what the server says; \`npm run types --prefix web\`, or this test with
DUEL_WRITE_DOCS=1, writes it anew.
line ${line + 1}
  is        ${then[line] ?? "(the end)"}
  should be ${now[line] ?? "(the end)"}`);
  process.exit(1);
} else {
  console.log("the types are those of /openapi.json");
}
