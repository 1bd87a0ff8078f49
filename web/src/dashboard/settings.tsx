// What of an experiment can be changed while it runs: its name and its guardrails.
import { useState } from "preact/hooks";
import { ApiError, ask } from "../api/client";
import type { Experiment, PatchRequest } from "../api/types";
import { Curl, Failure } from "./parts";

type Guardrails = Experiment["guardrails"];
type Guardrail = keyof Guardrails;

const GUARDRAILS: { name: Guardrail; label: string; about: string; share: boolean }[] = [
  {
    name: "explore_floor",
    label: "Share of duels of random pairs",
    about: "0 leaves every choice to the policy",
    share: true,
  },
  {
    name: "aa_rate",
    label: "Share of duels that show one arm twice",
    about: "a check of how people answer; 0 for none",
    share: true,
  },
  {
    name: "max_duels_per_subject_per_day",
    label: "Duels for one person in a day",
    about: "at most; beyond, a fallback is served",
    share: false,
  },
  { name: "max_pending", label: "Open duels", about: "at most, of all people", share: false },
];

export interface Form {
  name: string;
  guardrails: Record<Guardrail, string>;
}

export function formOf({ name, guardrails }: Pick<Experiment, "name" | "guardrails">): Form {
  const texts = GUARDRAILS.map((one) => [one.name, String(guardrails[one.name])]);
  return { name, guardrails: Object.fromEntries(texts) as Form["guardrails"] };
}

// What was changed and nothing else: what a PATCH does not name stays. Nothing where nothing was.
export function patchOf(before: Form, after: Form): PatchRequest | null {
  const guardrails: NonNullable<PatchRequest["guardrails"]> = {};
  for (const { name } of GUARDRAILS) {
    const text = after.guardrails[name].trim();
    if (text !== "" && text !== before.guardrails[name]) guardrails[name] = Number(text);
  }
  const patch: PatchRequest = {
    ...(after.name.trim() === before.name ? {} : { name: after.name.trim() }),
    ...(Object.keys(guardrails).length === 0 ? {} : { guardrails }),
  };
  return Object.keys(patch).length === 0 ? null : patch;
}

export function Settings({ experiment, done }: { experiment: Experiment; done: () => void }) {
  const [editing, setEditing] = useState(false);
  return editing ? (
    <SettingsForm
      experiment={experiment}
      done={(changed) => {
        setEditing(false);
        if (changed) done();
      }}
    />
  ) : (
    <>
      <dl class="settings">
        <dt>Name</dt>
        <dd>{experiment.name || <span class="quiet">none</span>}</dd>
        {GUARDRAILS.map(({ name, label }) => (
          <>
            <dt>{label}</dt>
            <dd>{experiment.guardrails[name]}</dd>
          </>
        ))}
      </dl>
      <button class="small" onClick={() => setEditing(true)}>
        Edit
      </button>
    </>
  );
}

// The experiment is kept as it was when the form was opened: if somebody else changes it meanwhile,
// its tag no longer fits and the server refuses.
function SettingsForm({
  experiment,
  done,
}: {
  experiment: Experiment;
  done: (changed: boolean) => void;
}) {
  const [opened] = useState(experiment);
  const before = formOf(opened);
  const [form, setForm] = useState(before);
  const [error, setError] = useState<unknown>(null);
  const patch = patchOf(before, form);
  const eid = opened.experiment_id;
  const headers = { "If-Match": opened.etag };
  const save = async (event: Event) => {
    event.preventDefault();
    if (!patch) return done(false);
    try {
      await ask("patch_experiment", { eid }, { body: patch, headers });
      done(true);
    } catch (caught) {
      setError(caught);
    }
  };
  const outdated = error instanceof ApiError && error.status === 412;
  return (
    <form class="stack" onSubmit={save}>
      <label>
        Name{" "}
        <input
          value={form.name}
          maxLength={200}
          onInput={(event) => setForm({ ...form, name: event.currentTarget.value })}
        />
      </label>
      {GUARDRAILS.map(({ name, label, about, share }) => (
        <label>
          {label} <span class="small quiet">{about}</span>
          <input
            type="number"
            required
            min="0"
            {...(share ? { max: "1" } : {})}
            step={share ? "any" : "1"}
            value={form.guardrails[name]}
            onInput={(event) =>
              setForm({
                ...form,
                guardrails: { ...form.guardrails, [name]: event.currentTarget.value },
              })
            }
          />
        </label>
      ))}
      <div class="row">
        <button class="main" disabled={!patch}>
          Save
        </button>
        <button type="button" onClick={() => done(outdated)}>
          Cancel
        </button>
      </div>
      {outdated ? (
        <p class="notice error" role="alert">
          Somebody has changed the experiment since you opened this form, so nothing was saved.
          Cancel shows it as it is now.
        </p>
      ) : (
        <Failure error={error} />
      )}
      {patch && (
        <Curl
          what="save"
          operation="patch_experiment"
          given={{ eid }}
          body={patch}
          headers={headers}
        />
      )}
    </form>
  );
}
