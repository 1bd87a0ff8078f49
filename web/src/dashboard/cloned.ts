// A new experiment that begins from another one: its arms and its rules, none of its answers.
import type { Experiment, ExperimentRequest, Policy } from "../api/types";
import { count } from "../charts/numbers";
import type { Arm } from "./arm_lines";

// "rucb(alpha=0.6,horizon=1e6)" -> its name and what stands in the brackets.
export function parsePolicy(text: string): { name: string; options: Record<string, string> } {
  const found = /^([\w-]+)\((.*)\)$/.exec(text.trim());
  if (!found) return { name: text.trim(), options: {} };
  const options: Record<string, string> = {};
  let depth = 0;
  let part = "";
  const take = () => {
    const at = part.indexOf("=");
    if (at > 0) options[part.slice(0, at).trim()] = part.slice(at + 1).trim();
    part = "";
  };
  for (const letter of found[2] as string) {
    if (letter === "," && depth === 0) {
      take();
      continue;
    }
    depth += letter === "(" ? 1 : letter === ")" ? -1 : 0;
    part += letter;
  }
  take();
  return { name: found[1] as string, options };
}

// One arm per line, as JSON: a payload may be anything.
export function armLines(arms: Experiment["arms"]): string {
  return arms
    .filter((arm) => arm.state === "active")
    .map(({ arm_id, payload, ...arm }) => {
      const line: Arm = { arm_id };
      if (payload !== null) line.payload = payload;
      if (arm.default) line.default = true;
      if (arm.features) line.features = arm.features;
      return JSON.stringify(line);
    })
    .join("\n");
}

// An id that is not taken yet, as far as can be told from the old one: "logo" -> "logo-2" -> "logo-3".
export function nextId(id: string): string {
  const found = /^(.*)-(\d{1,6})$/.exec(id);
  const made = found ? `${found[1]}-${Number(found[2]) + 1}` : `${id}-2`;
  return made.length <= 100 ? made : "";
}

// What the form has no field for goes over as it is.
export function rulesOf(
  experiment: Experiment,
): Pick<ExperimentRequest, "feedback" | "presentation" | "guardrails" | "interleave" | "stopping"> {
  const { feedback, presentation, guardrails, interleave, stopping } = experiment;
  return {
    feedback,
    presentation,
    guardrails,
    ...(interleave ? { interleave } : {}),
    stopping,
  };
}

// The share of audits as the form shows it, in percent; null where nobody audits.
export const percentOf = (experiment: Experiment | null): string | null =>
  experiment?.audit ? String(Number((100 * experiment.audit.share).toPrecision(12))) : null;

// What the form says of audits, with what it has no field for.
export const auditOf = (
  experiment: Experiment | null,
  percent: string | null,
): ExperimentRequest["audit"] =>
  percent === null
    ? undefined
    : { ...(experiment?.audit ?? { by: "people" as const }), share: Number(percent) / 100 };

// The rules of a panel are not those of a sample: a minimum per pair or an audit is refused of the one,
// and the other needs them.
export const rulesFit = (experiment: Experiment, isPanel: boolean): boolean =>
  (experiment.about === "these-people") === isPanel;

// What does not come along, a sentence each: what the server does not give out. `names` are the panel's
// members as far as this browser knows them.
export function notCarried(experiment: Experiment, names: string[]): string[] {
  const { num_tasks: tasks, panel } = experiment;
  const lost: string[] = [];
  if (tasks > 0)
    lost.push(
      `Its ${count(tasks)} ${tasks === 1 ? "task does" : "tasks do"} not come along; create it by the API to have them.`,
    );
  if (panel?.listed && names.length === 0)
    lost.push(
      "The names of its panel do not come along, because the server does not keep them: write them below.",
    );
  return lost;
}

// The policy of the old experiment as the form shows it; options at their default are left empty.
export function policyOf(
  experiment: Experiment,
  known: Policy[],
): { name: string; options: Record<string, string> } {
  const { name, options } = parsePolicy(experiment.policy);
  const policy = known.find((one) => one.name === name);
  if (!policy) return { name: experiment.policy, options: {} };
  const changed = Object.entries(options).filter(
    ([option, value]) => policy.options.find((one) => one.name === option)?.default !== value,
  );
  return { name, options: Object.fromEntries(changed) };
}
