// What an owner can do: change the state, and export.
import { useState } from "preact/hooks";
import { ask, download, routeOf } from "../api/client";
import type { Experiment } from "../api/types";
import { Curl, Failure } from "./parts";

interface Step {
  operation:
    | "start_experiment"
    | "pause_experiment"
    | "resume_experiment"
    | "complete_experiment"
    | "archive_experiment"
    | "close_panel";
  label: string;
  main?: boolean;
  final?: boolean; // cannot be undone
}

// The panel is then those who came.
const CLOSE: Step = { operation: "close_panel", label: "Close the panel", final: true };
const COMPLETE: Step = { operation: "complete_experiment", label: "Complete", final: true };
const STEPS: Record<Experiment["state"], Step[]> = {
  draft: [{ operation: "start_experiment", label: "Start", main: true }],
  running: [{ operation: "pause_experiment", label: "Pause" }, COMPLETE],
  paused: [{ operation: "resume_experiment", label: "Resume", main: true }, COMPLETE],
  completed: [{ operation: "archive_experiment", label: "Archive", final: true }],
  archived: [],
};

// Also with a size or a list: some may never come. The order of an early panel is drawn over its whole
// list, so that it has absent members instead. What is certified needs no closing.
export function mayClose(panel: Experiment["panel"], isCertified: boolean): boolean {
  if (!panel || isCertified) return false;
  return !panel.closed && !panel.early && panel.answered > 0;
}

export function StateActions({
  experiment,
  isCertified,
  done,
}: {
  experiment: Experiment;
  isCertified: boolean;
  done: () => void;
}) {
  const [error, setError] = useState<unknown>(null);
  const [sure, setSure] = useState("");
  const eid = experiment.experiment_id;
  const act = async ({ operation, final }: Step) => {
    if (final && sure !== operation) return setSure(operation);
    setSure("");
    try {
      await ask(operation, { eid });
      setError(null);
      done();
    } catch (caught) {
      setError(caught);
    }
  };
  const running = experiment.state === "running";
  const steps = [
    ...(mayClose(experiment.panel, isCertified) ? [CLOSE] : []),
    ...STEPS[experiment.state],
  ];
  return (
    <div class="actions">
      <div class="row">
        {steps.map((step) => (
          <button class={step.main ? "main" : ""} onClick={() => act(step)}>
            {sure === step.operation ? `${step.label}: are you sure?` : step.label}
          </button>
        ))}
        {sure && <button onClick={() => setSure("")}>Cancel</button>}
        {experiment.mode === "duel" && running && !experiment.panel?.listed && (
          <a class="button" href={`/vote/${encodeURIComponent(experiment.experiment_id)}`}>
            Vote
          </a>
        )}
      </div>
      <Failure error={error} />
      {steps.map(({ operation, label }) => (
        <Curl what={label.toLowerCase()} operation={operation} given={{ eid }} />
      ))}
    </div>
  );
}

const EXPORTS = [
  { label: "Comparisons, CSV", part: { what: "duels", format: "csv" }, ending: "csv" },
  {
    label: "Comparisons, arena CSV",
    part: { what: "duels", format: "arena" },
    ending: "arena.csv",
  },
  { label: "Comparisons, JSON Lines", part: { what: "duels", format: "jsonl" }, ending: "jsonl" },
  { label: "Audit log, for duel verify", part: { what: "audit" }, ending: "duel.jsonl" },
] as const;

export function Exports({ id }: { id: string }) {
  const [error, setError] = useState<unknown>(null);
  return (
    <>
      <ul class="plain">
        {EXPORTS.map(({ label, part, ending }) => (
          <li>
            <button
              class="small"
              onClick={() =>
                download(routeOf("export_log", { eid: id, ...part }), `${id}.${ending}`).catch(
                  setError,
                )
              }
            >
              Download
            </button>{" "}
            {label}
            <Curl
              what={`export as ${ending}`}
              operation="export_log"
              given={{ eid: id, ...part }}
            />
          </li>
        ))}
      </ul>
      <Failure error={error} />
    </>
  );
}
