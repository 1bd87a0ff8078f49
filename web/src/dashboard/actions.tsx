// What an owner can do: change the state, export, and share the vote.
import { useState } from "preact/hooks";
import { ask, download, routeOf } from "../api/client";
import { currentToken } from "../api/token";
import type { Experiment, TokenRequest } from "../api/types";
import { Copyable, Curl, Failure } from "./parts";

interface Step {
  operation:
    | "start_experiment"
    | "pause_experiment"
    | "resume_experiment"
    | "complete_experiment"
    | "archive_experiment";
  label: string;
  main?: boolean;
  final?: boolean; // cannot be undone
}

const COMPLETE: Step = { operation: "complete_experiment", label: "Complete", final: true };
const STEPS: Record<Experiment["state"], Step[]> = {
  draft: [{ operation: "start_experiment", label: "Start", main: true }],
  running: [{ operation: "pause_experiment", label: "Pause" }, COMPLETE],
  paused: [{ operation: "resume_experiment", label: "Resume", main: true }, COMPLETE],
  completed: [{ operation: "archive_experiment", label: "Archive", final: true }],
  archived: [],
};

export function StateActions({ experiment, done }: { experiment: Experiment; done: () => void }) {
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
  const steps = STEPS[experiment.state];
  return (
    <div class="actions">
      <div class="row">
        {steps.map((step) => (
          <button class={step.main ? "main" : ""} onClick={() => act(step)}>
            {sure === step.operation ? `${step.label}: are you sure?` : step.label}
          </button>
        ))}
        {sure && <button onClick={() => setSure("")}>Cancel</button>}
        {experiment.mode === "duel" && experiment.state === "running" && (
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

// A link that lets its holder vote here and do nothing else. Where no token was ever made everybody on
// this machine may vote already, and making the first token would lock this page out.
export function ShareLink({ id }: { id: string }) {
  const [link, setLink] = useState("");
  const [oneBrowser, setOneBrowser] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const open = currentToken() === null;
  const plain = `${location.origin}/vote/${encodeURIComponent(id)}`;
  const body: TokenRequest = {
    scope: "vote",
    experiment_id: id,
    name: `vote link for ${id}`.slice(0, 100),
    ...(oneBrowser ? { one_browser: true } : {}),
  };
  const make = async () => {
    try {
      const made = await ask("create_token", {}, { body });
      setLink(`${plain}#token=${made.token}`);
    } catch (caught) {
      setError(caught);
    }
  };
  if (open) {
    return (
      <>
        <p class="small quiet">People on this machine can vote here:</p>
        <Copyable text={plain} label="Voting link" />
        <p class="small quiet">
          To invite others, make tokens (<code>duel token create</code>) and serve on another
          address.
        </p>
      </>
    );
  }
  return (
    <>
      <p class="small quiet">
        A link whose token may vote in this experiment and do nothing else. It is shown once. At
        most 1&#8239;000 browsers can vote by it in a day, and 30 from one address.
      </p>
      {link ? (
        <Copyable text={link} label="Voting link" />
      ) : (
        <>
          <label class="small">
            <input
              type="checkbox"
              checked={oneBrowser}
              onChange={(event) => setOneBrowser(event.currentTarget.checked)}
            />{" "}
            For one person: only the first browser that opens it can vote.
          </label>
          <p>
            <button onClick={make}>Make a voting link</button>
          </p>
        </>
      )}
      <Failure error={error} />
      <Curl what="make a voting token" operation="create_token" given={{}} body={body} />
    </>
  );
}
