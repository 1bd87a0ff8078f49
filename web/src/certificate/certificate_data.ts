// What is inside a page of a certificate, as `duel certificate` and the dashboard write it, and what
// is shown of the certificate.
import type { Json, PanelPair } from "../api/types";
import { armNames, nameOf, type ArmNames } from "../charts/arm_names";

export interface CertificateData {
  made_by: string;
  name: string; // of the experiment
  certificate: string; // the bytes of its file
  log: string | null; // the bytes of the log; null where it is too large to be inside
}

interface Finding {
  winner: string;
  loser: string;
  wins: number;
  losses: number;
  evidence: string;
  threshold: string;
}

interface WithoutVoter {
  voter: string;
  answers: number;
  undoes_certificate: boolean;
  undoes_lead: boolean;
}

// Of an unknown file: everything may be missing.
export interface ShownCertificate {
  statement?: string;
  kind?: string;
  alpha?: number;
  rule?: { text?: string };
  assumes?: string[];
  findings?: Finding[];
  scores?: { arm_id: string; lower: number; upper: number }[];
  // Of a panel: what its members have said of the pairs that decide it.
  panel?: { size?: number | null; pairs?: PanelPair[] };
  decisive?: number;
  conditioned_out?: { [what: string]: number };
  health?: { checks?: { [name: string]: string } };
  log?: { experiment_id?: string; sequence?: number; head?: string };
  // What would overturn it; certificates of format 1 do not say.
  if_wrong?: string;
  without_voter?: WithoutVoter[];
}

interface LoggedArm {
  arm_id: string;
  content?: Json;
}

// The names of the arms, as far as the log says what they are: of those of the first record, and of
// those that joined. The other lines are passed over without being read, since a log can be long.
export function namesInLog(log: string): ArmNames {
  const arms: LoggedArm[] = [];
  const read = (at: number) => {
    const end = log.indexOf("\n", at);
    try {
      const record = JSON.parse(log.slice(at, end < 0 ? log.length : end)) as {
        record?: string;
        arms?: LoggedArm[];
      } & LoggedArm;
      if (record.record === "experiment") arms.push(...(record.arms ?? []));
      if (record.record === "arm_added") arms.push(record);
    } catch {
      // Whether the log is whole is for the verifier to say.
    }
  };
  read(0);
  const JOINED = '"record":"arm_added"';
  for (let at = log.indexOf(JOINED); at >= 0; at = log.indexOf(JOINED, at + 1))
    read(log.lastIndexOf("\n", at) + 1);
  const known = arms.filter(({ arm_id }) => typeof arm_id === "string");
  return armNames(
    known.map(({ arm_id }) => ({ arm_id, name: arm_id })),
    known.map(({ arm_id, content }) => ({ arm_id, payload: content ?? null })),
  );
}

// "Save 20 % today (Save-20-today)": the statement is about ids.
export function nameAndId(names: ArmNames, id: string): string {
  const name = nameOf(names, id);
  return name === id || name.endsWith(`(${id})`) ? name : `${name} (${id})`;
}

const PLACE_OF_TITLE = "@TITLE@";
const PLACE_OF_DATA = "@DATA@";

// The page with the data in its place, written so that no text of it can end the element that it
// stands in. Titles are filled first: data may hold anything, also the mark of a place.
export function filledPage(template: string, data: CertificateData): string {
  const title = `Certificate of ${data.name}`.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const json = JSON.stringify(data).replace(/</g, "\\u003c");
  const [before, ...after] = template.split(PLACE_OF_DATA);
  return before!.replace(PLACE_OF_TITLE, () => title) + json + after.join(PLACE_OF_DATA);
}

// Saves text as a file.
export function save(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
