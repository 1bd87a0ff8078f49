// What an owner can do: change the state, add and retire arms, export, and share the vote.
import { useState } from "preact/hooks";
import { call, download, pathOf } from "../api/client";
import { currentToken } from "../api/token";
import type { Experiment, ExperimentState, TokenAnswer } from "../api/types";
import { Copyable, Curl, Failure } from "./parts";

const VERBS: Record<ExperimentState, { verb: string; label: string; main?: boolean }[]> = {
  draft: [{ verb: "start", label: "Start", main: true }],
  running: [{ verb: "pause", label: "Pause" }, { verb: "complete", label: "Complete" }],
  paused: [{ verb: "resume", label: "Resume", main: true }, { verb: "complete", label: "Complete" }],
  completed: [{ verb: "archive", label: "Archive" }],
  archived: [],
};

export function StateActions({ experiment, done }: { experiment: Experiment; done: () => void }) {
  const [error, setError] = useState<unknown>(null);
  const [sure, setSure] = useState("");
  const act = async (verb: string) => {
    // Completing and archiving cannot be undone.
    if ((verb === "complete" || verb === "archive") && sure !== verb) return setSure(verb);
    setSure("");
    try {
      await call("POST", pathOf("experiments", experiment.experiment_id, verb));
      setError(null);
      done();
    } catch (caught) {
      setError(caught);
    }
  };
  const verbs = VERBS[experiment.state];
  return (
    <div class="actions">
      <div class="row">
        {verbs.map(({ verb, label, main }) => (
          <button class={main ? "main" : ""} onClick={() => act(verb)}>
            {sure === verb ? `${label}: are you sure?` : label}
          </button>
        ))}
        {sure && <button onClick={() => setSure("")}>Cancel</button>}
        {experiment.mode === "duel" && experiment.state === "running" && (
          <a class="button" href={`/vote/${encodeURIComponent(experiment.experiment_id)}`}>Vote</a>
        )}
      </div>
      <Failure error={error} />
      {verbs.map(({ verb, label }) => (
        <Curl what={label.toLowerCase()} method="POST" path={pathOf("experiments", experiment.experiment_id, verb)} />
      ))}
    </div>
  );
}

export function AddArm({ experiment, done }: { experiment: Experiment; done: () => void }) {
  const [id, setId] = useState("");
  const [text, setText] = useState("");
  const [error, setError] = useState<unknown>(null);
  const body = text ? { payload: { text } } : {};
  const add = async (event: Event) => {
    event.preventDefault();
    try {
      await call("PUT", pathOf("experiments", experiment.experiment_id, "arms", id.trim()), { body });
      setId("");
      setText("");
      setError(null);
      done();
    } catch (caught) {
      setError(caught);
    }
  };
  return (
    <details>
      <summary>Add an arm</summary>
      <form class="stack" onSubmit={add}>
        <label>Id <input required value={id} pattern="[A-Za-z0-9][A-Za-z0-9._:\-]{0,99}" onInput={(event) => setId(event.currentTarget.value)} /></label>
        <label>Text, shown to voters <input value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <button>Add</button>
      </form>
      <Failure error={error} />
      <Curl what="add an arm" method="PUT" path={pathOf("experiments", experiment.experiment_id, "arms", id || "new-arm")} body={body} />
    </details>
  );
}

export function RetireArm({ experiment, arm, done }: { experiment: Experiment; arm: string; done: () => void }) {
  const [sure, setSure] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const retire = async () => {
    if (!sure) return setSure(true);
    setSure(false);
    try {
      await call("DELETE", pathOf("experiments", experiment.experiment_id, "arms", arm));
      done();
    } catch (caught) {
      setError(caught);
    }
  };
  return (
    <>
      <button class="small" aria-label={sure ? `Retire ${arm}: are you sure?` : `Retire ${arm}`} onClick={retire}>
        {sure ? "Sure?" : "Retire"}
      </button>
      <Failure error={error} />
    </>
  );
}

const EXPORTS = [
  { label: "Comparisons, CSV", query: "what=duels&format=csv", ending: "csv" },
  { label: "Comparisons, arena CSV", query: "what=duels&format=arena", ending: "arena.csv" },
  { label: "Comparisons, JSON Lines", query: "what=duels&format=jsonl", ending: "jsonl" },
  { label: "Audit log, for duel verify", query: "what=audit", ending: "duel.jsonl" },
];

export function Exports({ id }: { id: string }) {
  const [error, setError] = useState<unknown>(null);
  const path = (query: string) => `${pathOf("experiments", id, "export")}?${query}`;
  return (
    <>
      <ul class="plain">
        {EXPORTS.map(({ label, query, ending }) => (
          <li>
            <button class="small" onClick={() => download(path(query), `${id}.${ending}`).catch(setError)}>Download</button> {label}
            <Curl what="export" method="GET" path={path(query)} />
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
  const [error, setError] = useState<unknown>(null);
  const open = currentToken() === null;
  const plain = `${location.origin}/vote/${encodeURIComponent(id)}`;
  const body = { scope: "vote", experiment_id: id, name: `vote link for ${id}`.slice(0, 100) };
  const make = async () => {
    try {
      const made = await call<TokenAnswer>("POST", "/v1/tokens", { body });
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
        <p class="small quiet">To invite others, make tokens (<code>duel token create</code>) and serve on another address.</p>
      </>
    );
  }
  return (
    <>
      <p class="small quiet">A link whose token may vote in this experiment and do nothing else. It is shown once.</p>
      {link ? <Copyable text={link} label="Voting link" /> : <button onClick={make}>Make a voting link</button>}
      <Failure error={error} />
      <Curl what="make a voting token" method="POST" path="/v1/tokens" body={body} />
    </>
  );
}
