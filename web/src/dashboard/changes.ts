// What was changed in an experiment, and when: of its log the records that no duel or answer made.
import { nameOf, type ArmNames } from "../charts/arm_names";

export interface Change {
  time: string;
  what: string;
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const REASONS: Record<string, string> = {
  certified: "Completed, since it is certified",
  max_duels: "Completed, since its duels are used up",
  stopped: "Completed",
};
const STATES: Record<string, string> = {
  running: "Started",
  paused: "Paused",
  archived: "Archived",
};
// What a field that is not recorded stands for.
const shown = (value: unknown) =>
  value === undefined || value === "" ? "the default" : String(value);

// "max pending 100 (was the default)" for each field that differs.
function differences(before: Fields, after: Fields): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    if (isFields(was) || isFields(is))
      return differences(isFields(was) ? was : {}, isFields(is) ? is : {});
    return [`${name.replace(/_/g, " ")} ${shown(is)} (was ${shown(was)})`];
  });
}

// Only what can be changed later.
const changeable = ({ name, feedback, guardrails }: Fields): Fields => ({
  name,
  feedback,
  guardrails,
});

// The lines of duels and answers are most of a log, and are passed over without being read.
const OF_DUELS = /"record":"(serve|outcome|expired|comparison|interleaved|paged|event)"/;

export function changesOf(log: string, names: ArmNames): Change[] {
  const changes: Change[] = [];
  let settings: Fields = {};
  let wasPaused = false;
  let started = false;
  for (let at = 0; at < log.length; ) {
    const end = log.indexOf("\n", at);
    const line = log.slice(at, end < 0 ? log.length : end);
    at = end < 0 ? log.length : end + 1;
    if (OF_DUELS.test(line.slice(0, 120))) continue;
    let record: Fields;
    try {
      record = JSON.parse(line) as Fields;
    } catch {
      continue; // the beginning of a line that was cut
    }
    const arm = (field: string) => nameOf(names, String(record[field]));
    const tell = (what: string) => changes.push({ time: String(record["time"]), what });
    switch (record["record"]) {
      case "experiment": {
        const service = isFields(record["service"]) ? record["service"] : {};
        settings = changeable(service);
        const arms = Array.isArray(record["arms"]) ? record["arms"].length : 0;
        tell(
          isFields(record["space"])
            ? "Created with a space"
            : `Created with ${arms} arms, goal ${String(record["goal"])}`,
        );
        started = service["starts"] !== "draft";
        break;
      }
      case "state": {
        const state = String(record["state"]);
        const resumed = state === "running" && (wasPaused || started);
        tell(resumed ? "Resumed" : (STATES[state] ?? state));
        wasPaused = state === "paused";
        started ||= state === "running";
        break;
      }
      case "configured": {
        const now = changeable(record);
        const what = differences(settings, now);
        tell(what.length > 0 ? `Changed: ${what.join("; ")}` : "Saved without a change");
        settings = now;
        break;
      }
      case "arm_added":
        tell(`Arm ${arm("arm_id")} joined`);
        break;
      case "arm_retired":
        tell(`Arm ${arm("arm_id")} retired`);
        break;
      case "tasks_added":
        tell(`Tasks added: ${String(record["count"])} now`);
        break;
      case "certified":
        tell(`Certified${record["winner"] ? `: ${arm("winner")}` : ""}`);
        break;
      case "completed":
        tell(REASONS[String(record["reason"])] ?? "Completed");
        break;
      case "recovered":
        tell("The machine lost power; duels served around it are no evidence");
        break;
      case "policy_rebuilt":
        tell("The policy began anew with the answers so far, under another version of Duel");
        break;
    }
  }
  return changes;
}
