// All experiments, each with its verdict.
import { useEffect, useState } from "preact/hooks";
import { get, pathOf } from "../api/client";
import type { ExperimentItem, ExperimentResult, Listed } from "../api/types";
import { count } from "../charts/numbers";
import { Failure, Link, StateBadge, useAnswer } from "./parts";
import { experimentPath } from "./place";
import { verdictOf, type Verdict } from "../charts/verdict";

const PAGE = 25;
const ASKED_AT_ONCE = 4;

// Verdicts come one after the other, so that a long list does not ask for everything at once.
function useVerdicts(items: ExperimentItem[]): Map<string, Verdict> {
  const [verdicts, setVerdicts] = useState(new Map<string, Verdict>());
  const key = items.map((item) => item.experiment_id).join("\n");
  useEffect(() => {
    const end = new AbortController();
    const waiting = items.filter((item) => !item.error).map((item) => item.experiment_id);
    const work = async () => {
      for (let id = waiting.shift(); id !== undefined && !end.signal.aborted; id = waiting.shift()) {
        const known = id;
        try {
          const result = await get<ExperimentResult>(pathOf("experiments", known, "result"), end.signal);
          const verdict = verdictOf(result, 0.05);
          // The level is the experiment's own and shown on its page.
          verdict.sentence = verdict.sentence.replace(/ \(certified, [^)]*\)$/, " (certified)");
          setVerdicts((now) => new Map(now).set(known, verdict));
        } catch {
          // The card stands without a verdict.
        }
      }
    };
    for (let k = 0; k < ASKED_AT_ONCE; ++k) void work();
    return () => end.abort();
  }, [key]);
  return verdicts;
}

export function ExperimentList() {
  const { value, error } = useAnswer("list", (signal) => get<Listed<ExperimentItem>>("/v1/experiments", signal));
  const [page, setPage] = useState(0);
  const [wanted, setWanted] = useState("");
  useEffect(() => {
    document.title = "Experiments · Duel";
  }, []);
  const all = (value?.items ?? []).filter((item) =>
    `${item.name ?? ""} ${item.experiment_id}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  const pages = Math.max(1, Math.ceil(all.length / PAGE));
  const shown = all.slice(page * PAGE, (page + 1) * PAGE);
  const verdicts = useVerdicts(shown);
  return (
    <>
      <div class="heading">
        <h1>Experiments</h1>
        <Link to="/new" class="button main">New experiment</Link>
      </div>
      <Failure error={error} />
      {value && value.items.length > 6 && (
        <p>
          <label for="wanted" class="hidden-text">Find an experiment</label>
          <input id="wanted" type="search" placeholder="Find an experiment" value={wanted}
            onInput={(event) => { setWanted(event.currentTarget.value); setPage(0); }} />
        </p>
      )}
      {value && value.items.length === 0 && (
        <div class="card nothing-yet">
          <h2>No experiments yet</h2>
          <p class="quiet">
            An experiment finds the best of several things (prompts, models, rankers, designs) by showing two at a time and
            asking which is better.
          </p>
          <Link to="/new" class="button main">Create the first one</Link>
        </div>
      )}
      <ul class="experiments">
        {shown.map((item) => {
          const verdict = verdicts.get(item.experiment_id);
          return (
            <li class="card">
              <div class="heading">
                <h2><Link to={experimentPath(item.experiment_id)}>{item.name || item.experiment_id}</Link></h2>
                <StateBadge state={item.state} />
              </div>
              <p class={`verdict-line ${verdict?.tone ?? ""}`}>
                {item.error ?? verdict?.sentence ?? (item.served === 0 ? "No duels yet" : "…")}
              </p>
              <p class="small quiet">
                {item.name && <><code>{item.experiment_id}</code> · </>}
                {count(item.arms ?? 0)} arms · {count(item.served ?? 0)} duels
                {item.mode === "interleave" && " · interleaved search results"}
              </p>
            </li>
          );
        })}
      </ul>
      {pages > 1 && (
        <nav class="row" aria-label="Pages of experiments">
          <button disabled={page === 0} onClick={() => setPage(page - 1)}>Previous</button>
          <span>Page {page + 1} of {pages}</span>
          <button disabled={page + 1 >= pages} onClick={() => setPage(page + 1)}>Next</button>
        </nav>
      )}
    </>
  );
}
