// node verify.mjs [CERTIFICATE] --log FILE: the checks and the exit codes of `duel verify`.
import { readFileSync } from "node:fs";
import { verify } from "./verify";

const USAGE = `usage: node verify.mjs [CERTIFICATE] --log FILE
Checks a certificate against the log it came from, or a log alone.
Exit codes: 0 everything matches, 4 everything matches but a health check failed, 5 something does
not match, 1 a file cannot be read, 2 wrong usage.`;

function ended(code: number, message: string): never {
  console.error(message);
  process.exit(code);
}
function read(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    return ended(1, `error: ${file}: ${(error as Error).message}`);
  }
}

let certificate: string | undefined, log: string | undefined;
const given = process.argv.slice(2);
if (given.includes("--help")) {
  console.log(USAGE);
  process.exit(0);
}
for (let k = 0; k < given.length; ++k) {
  if (given[k] === "--log" && given[k + 1] !== undefined && log === undefined) log = given[++k];
  else if (!given[k]!.startsWith("-") && certificate === undefined) certificate = given[k];
  else ended(2, USAGE);
}
if (log === undefined) ended(2, USAGE);

const found = verify(read(log), certificate === undefined ? undefined : read(certificate));
if (found.cutBytes > 0) {
  console.error(
    `warning: ${log}: the last line has no end and does not count (${found.cutBytes} bytes)`,
  );
}
if (found.mismatch !== undefined) {
  console.log(`MISMATCH ${found.mismatch}`);
  process.exit(5);
}
if (certificate !== undefined) console.log(`VERIFIED ${certificate}`);
console.log(`${log}  ${found.records} records, an unbroken chain\n  head ${found.head}`);
console.log(
  found.certificate
    ? `  certifies at record ${found.certificate.sequence}: ${found.certificate.statement}`
    : "  certifies nothing yet",
);
if (found.draws) {
  const { checked, unchecked } = found.draws;
  const rest = unchecked > 0 ? `, ${unchecked} by one that it does not tell (yet)` : "";
  console.log(
    `  ${checked + unchecked} draws for people: ${checked} by the key that the log tells${rest}`,
  );
}
const failed = found.health.filter((check) => check.verdict === "failed");
for (const check of failed) console.log(`HEALTH CHECK FAILED ${check.name}`);
process.exitCode = failed.length > 0 ? 4 : 0;
