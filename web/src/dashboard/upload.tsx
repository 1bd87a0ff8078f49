// A file becomes an experiment: a log as it is, or a table of votes, whose columns are guessed, shown
// and confirmed first.
import { useEffect, useMemo, useState } from "preact/hooks";
import { ask, sendText } from "../api/client";
import { verify } from "../verifier/verify";
import { count } from "../charts/numbers";
import { idOf } from "./arm_lines";
import { Failure, Link } from "./parts";
import { experimentPath, go } from "./place";
import {
  logHeadOf,
  logOf,
  meaningsOf,
  ROLES,
  rolesOf,
  tableOf,
  votesOf,
  type LogHead,
  type Meaning,
  type Role,
  type Table,
} from "./votes_table";
import { ErrorLevelField, IdField } from "./fields";

const MOST_BYTES = 64 << 20;
const MOST_SHOWN = 5;
const MOST_PROBLEMS = 5;
const MOST_MEANINGS = 12;

const MEANING_LABELS: [Meaning, string][] = [
  ["", "?"],
  ["first", "the first is better"],
  ["second", "the second is better"],
  ["tie", "a tie"],
  ["both_bad", "both are bad"],
  ["skip", "no answer"],
];

interface Chosen {
  file: string;
  text: string;
  log: LogHead | null;
  table: Table | null;
}

async function sent(id: string, text: string): Promise<void> {
  await sendText("import_log", { eid: id }, text, "application/x-ndjson");
  go(experimentPath(id));
}

function LogUpload({ chosen, log }: { chosen: Chosen; log: LogHead }) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  // The server checks it again.
  const found = useMemo(() => verify(new TextEncoder().encode(chosen.text)), [chosen.text]);
  const act = () => {
    setBusy(true);
    sent(log.id, chosen.text)
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <section class="card stack" aria-label="What the log says">
      <h2>
        A log: <code>{log.id}</code>
      </h2>
      <dl class="settings">
        {log.name && (
          <>
            <dt>Name</dt>
            <dd>{log.name}</dd>
          </>
        )}
        <dt>Arms</dt>
        <dd>{count(log.arms)}</dd>
        <dt>Looking for</dt>
        <dd>{log.goal}</dd>
        <dt>Records</dt>
        <dd>{count(log.records)}</dd>
        <dt>Chain</dt>
        <dd class={found.mismatch ? "bad" : "good"}>{found.mismatch ?? "✓ sound"}</dd>
        <dt>Certificate</dt>
        <dd>{found.certificate?.statement ?? "none yet"}</dd>
      </dl>
      <p class="row">
        <button class="main" disabled={busy || found.mismatch !== undefined} onClick={act}>
          Import it as {log.id}
        </button>
      </p>
      <Failure error={error} />
    </section>
  );
}

function TableUpload({ chosen, table }: { chosen: Chosen; table: Table }) {
  const base = chosen.file.replace(/\.[^.]*$/, "");
  const [roles, setRoles] = useState(() => rolesOf(table));
  const [changed, setChanged] = useState(new Map<string, Meaning>());
  const [name, setName] = useState("");
  const [id, setId] = useState(idOf(base).toLowerCase() || "votes");
  const [alpha, setAlpha] = useState("0.05");
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const isComplete = ROLES.every(({ role, needed }) => !needed || roles[role] >= 0);
  const meanings = useMemo(() => {
    const all = isComplete ? meaningsOf(table, roles) : new Map<string, Meaning>();
    for (const [said, meaning] of changed) if (all.has(said)) all.set(said, meaning);
    return all;
  }, [table, roles, changed]);
  const read = useMemo(
    () => (isComplete ? votesOf(table, roles, meanings) : null),
    [table, roles, meanings],
  );
  const create = async (event: Event) => {
    event.preventDefault();
    if (!read) return;
    setBusy(true);
    setError(null);
    try {
      await sent(id, logOf(read, { id, name: name.trim(), alpha: Number(alpha) }, new Date()));
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  };
  const decisive = read?.votes.filter((vote) => vote.result === "win").length ?? 0;
  const column = (at: number) => ROLES.find(({ role }) => roles[role] === at)?.label ?? "";
  return (
    <form class="card stack" onSubmit={create}>
      <h2>
        A table of {count(table.rows.length)} rows: <code>{chosen.file}</code>
      </h2>
      <fieldset>
        <legend>Which column says what?</legend>
        <div class="pairs">
          {ROLES.map(({ role, label, needed }) => (
            <label>
              {label}
              <select
                value={String(roles[role])}
                onChange={(event) =>
                  setRoles({ ...roles, [role as Role]: Number(event.currentTarget.value) })
                }
              >
                <option value="-1">{needed ? "choose one" : "none"}</option>
                {table.columns.map((one, at) => (
                  <option value={String(at)}>{one}</option>
                ))}
              </select>
            </label>
          ))}
        </div>
      </fieldset>
      <div class="scroll" tabIndex={0} role="group" aria-label="The first rows">
        <table class="wide">
          <thead>
            <tr>
              {table.columns.map((one, at) => (
                <th scope="col">
                  {one} <span class="small quiet">{column(at)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, MOST_SHOWN).map((row) => (
              <tr>
                {table.columns.map((_, at) => (
                  <td class="cut">{row[at]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {meanings.size > 0 && (
        <fieldset>
          <legend>What do its answers mean?</legend>
          <div class="pairs">
            {[...meanings].slice(0, MOST_MEANINGS).map(([said, meaning]) => (
              <label>
                <code>{said || "(empty)"}</code>
                <select
                  value={meaning}
                  onChange={(event) =>
                    setChanged(new Map(changed).set(said, event.currentTarget.value as Meaning))
                  }
                >
                  {MEANING_LABELS.map(([value, label]) => (
                    <option value={value}>{label}</option>
                  ))}
                </select>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {read && (
        <div aria-live="polite">
          <p>
            {count(read.votes.length)} answers about {count(read.arms.length)} arms,{" "}
            {count(decisive)} of them decisive.{" "}
            {read.inOrder
              ? "They have times, so that they count in that order."
              : "Their order is not known, so that a certificate rests on one look at all of them."}
          </p>
          {read.problems.slice(0, MOST_PROBLEMS).map(({ line, what }) => (
            <p class="bad small">
              Line {count(line)}: {what}.
            </p>
          ))}
          {read.problems.length > MOST_PROBLEMS && (
            <p class="bad small">And {count(read.problems.length - MOST_PROBLEMS)} more.</p>
          )}
        </div>
      )}
      <div class="pairs">
        <label>
          Name
          <input
            value={name}
            maxLength={200}
            placeholder={base}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <IdField label="Id, part of its address" required value={id} onChange={setId} />
        <ErrorLevelField value={alpha} onChange={setAlpha} />
      </div>
      <div class="row">
        <button
          class="main"
          disabled={busy || !read || read.arms.length < 2 || read.problems.length > 0}
        >
          Import {count(read?.votes.length ?? 0)} answers
        </button>
      </div>
      <Failure error={error} />
    </form>
  );
}

export function Upload() {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    document.title = "Upload · Duel";
    // A server that asks for a token says so before somebody prepares a file.
    ask("list_experiments", { limit: 1 }).catch(setError);
  }, []);
  const choose = async (file: File | undefined) => {
    setError(null);
    setChosen(null);
    if (!file) return;
    if (file.size > MOST_BYTES) {
      setError(
        new Error("The file is larger than 64 MiB; `duel import FILE --server URL` takes it."),
      );
      return;
    }
    const text = await file.text();
    const log = logHeadOf(text);
    const table = log ? null : tableOf(text);
    if (!log && !table) {
      setError(
        new Error(
          "That is neither a log of Duel nor a table: the first line has to name two columns or more.",
        ),
      );
      return;
    }
    setChosen({ file: file.name, text, log, table });
  };
  return (
    <>
      <div class="heading">
        <h1>Upload</h1>
        <Link to="/new">New experiment instead</Link>
      </div>
      <section
        class="card drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void choose(event.dataTransfer?.files[0]);
        }}
      >
        <p>
          A log of Duel (<code>.jsonl</code>), which goes on here as the same experiment, or a table
          of answers (CSV), such as <code>model_a,model_b,winner</code>.
        </p>
        <label>
          Choose a file, or drop it here:{" "}
          <input
            type="file"
            accept=".csv,.tsv,.jsonl,.ndjson,.log,.txt"
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
        </label>
      </section>
      <Failure error={error} />
      {chosen?.log && <LogUpload chosen={chosen} log={chosen.log} key={chosen.text} />}
      {chosen?.table && <TableUpload chosen={chosen} table={chosen.table} key={chosen.text} />}
    </>
  );
}
