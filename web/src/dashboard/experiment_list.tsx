// All experiments, each with its verdict.
import { useEffect, useMemo, useState } from "preact/hooks";
import { ask } from "../api/client";
import type { ExperimentList as Listed, ExperimentSummary } from "../api/types";
import { failedChecks } from "../charts/health_list";
import { count } from "../charts/numbers";
import { Failure, Link, StateBadge, useAnswer } from "./parts";
import { experimentPath } from "./place";
import { ORDERS, selected, STATES, type Order } from "./selected";
import { verdictOf, type Verdict } from "../charts/verdict";

const PER_PAGE = 25;
const ASKED_AT_ONCE = 4;
const LOOK_AGAIN_MS = 10_000;
const MOST_WATCHED = 100; // a longer list is read once

// The server gives a long list in parts.
async function allExperiments(signal: AbortSignal): Promise<ExperimentSummary[]> {
  const all: ExperimentSummary[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const part: Listed = await ask("list_experiments", cursor ? { cursor } : {}, { signal });
    all.push(...part.items);
    cursor = part.next_cursor;
  }
  return all;
}

// The list as it is now, and as it is every few seconds while somebody looks.
function useExperiments(): { value: ExperimentSummary[] | null; error: unknown; look: number } {
  const [look, setLook] = useState(0);
  const { value, error } = useAnswer(`list ${look}`, allExperiments);
  const watched = (value?.length ?? 0) <= MOST_WATCHED;
  useEffect(() => {
    if (!watched) return;
    const timer = setInterval(() => {
      if (!document.hidden) setLook((now) => now + 1);
    }, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [watched]);
  return { value, error, look };
}

// What the list itself knows, before the result has come.
function atOnce(item: ExperimentSummary): string {
  if (item.served === 0) return "No duels yet";
  if (item.certified) return "Certified";
  return `Undecided after ${count(item.served ?? 0)} duels`;
}

interface KnownVerdict extends Verdict {
  failed: string | null; // health checks
  state: ExperimentSummary["state"]; // when it was given
  lastServed: string | null; // when its last duel was served
}

// Verdicts come one after the other, so that a long list does not ask for everything at once. One that
// can change is asked for at every look.
function useVerdicts(items: ExperimentSummary[], look: number): Map<string, KnownVerdict> {
  const [verdicts, setVerdicts] = useState(new Map<string, KnownVerdict>());
  const key = items.map((item) => `${item.experiment_id} ${item.state ?? ""}`).join("\n");
  const changing = items.some((item) => item.state === "running");
  useEffect(() => {
    const end = new AbortController();
    const waiting = items
      .filter((item) => !item.error)
      .filter(
        (item) =>
          item.state === "running" || verdicts.get(item.experiment_id)?.state !== item.state,
      );
    const work = async () => {
      for (let item = waiting.shift(); item && !end.signal.aborted; item = waiting.shift()) {
        const { experiment_id: eid, state } = item;
        try {
          const { signal } = end;
          const [result, health, duels] = await Promise.all([
            ask("show_result", { eid }, { signal }),
            ask("show_health", { eid }, { signal }), // with the checks of traffic
            ask("list_duels", { eid, limit: 1 }, { signal }),
          ]);
          const failed = failedChecks(health.checks);
          const lastServed = duels.items[0]?.served_at ?? null;
          setVerdicts((now) =>
            new Map(now).set(eid, { ...verdictOf(result), state, failed, lastServed }),
          );
        } catch {
          // The card stands without a verdict.
        }
      }
    };
    for (let k = 0; k < ASKED_AT_ONCE; ++k) void work();
    return () => end.abort();
  }, [key, changing ? look : 0]);
  return verdicts;
}

export function ExperimentList() {
  const { value, error, look } = useExperiments();
  const [page, setPage] = useState(0);
  const [wanted, setWanted] = useState("");
  const [state, setState] = useState("");
  const [order, setOrder] = useState<Order>("id");
  useEffect(() => {
    document.title = "Experiments · Duel";
  }, []);
  const all = useMemo(
    () => selected(value ?? [], { wanted, state, order }),
    [value, wanted, state, order],
  );
  const narrowed = (change: () => void) => {
    change();
    setPage(0);
  };
  const pages = Math.max(1, Math.ceil(all.length / PER_PAGE));
  const shown = all.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  const verdicts = useVerdicts(shown, look);
  return (
    <>
      <div class="heading">
        <h1>Experiments</h1>
        {error === null && (
          <Link to="/new" class="button main">
            New experiment
          </Link>
        )}
      </div>
      <Failure error={error} />
      {value && value.length > 1 && (
        <div class="toolbar" role="search">
          <input
            type="search"
            aria-label="Find an experiment"
            placeholder="Find an experiment"
            value={wanted}
            onInput={(event) => narrowed(() => setWanted(event.currentTarget.value))}
          />
          <label>
            State
            <select
              value={state}
              onChange={(event) => narrowed(() => setState(event.currentTarget.value))}
            >
              {STATES.map(([which, label]) => (
                <option value={which}>{label}</option>
              ))}
            </select>
          </label>
          <label>
            Sort by
            <select
              value={order}
              onChange={(event) => narrowed(() => setOrder(event.currentTarget.value as Order))}
            >
              {ORDERS.map(([which, label]) => (
                <option value={which}>{label}</option>
              ))}
            </select>
          </label>
          <span class="small quiet" aria-live="polite">
            {all.length < value.length && `${count(all.length)} of ${count(value.length)}`}
          </span>
        </div>
      )}
      {value && value.length > 0 && all.length === 0 && (
        <p class="quiet">No experiment is like that.</p>
      )}
      {value && value.length === 0 && (
        <div class="card nothing-yet">
          <h2>No experiments yet</h2>
          <p class="quiet">
            An experiment finds the best of several things (prompts, models, rankers, designs) by
            showing two at a time and asking which is better.
          </p>
          <Link to="/new" class="button main">
            Create the first one
          </Link>
        </div>
      )}
      <ul class="experiments">
        {shown.map((item) => {
          const verdict = verdicts.get(item.experiment_id);
          return (
            <li class="card">
              <div class="heading">
                <h2>
                  <Link to={experimentPath(item.experiment_id)}>
                    {item.name || item.experiment_id}
                  </Link>
                </h2>
                <StateBadge state={item.state} />
              </div>
              <p class={`verdict-line ${verdict?.tone ?? ""}`}>
                {item.error ?? verdict?.sentence ?? atOnce(item)}
              </p>
              {verdict?.failed && <p class="bad small">✗ {verdict.failed}</p>}
              <p class="small quiet">
                {item.name && (
                  <>
                    <code>{item.experiment_id}</code> ·{" "}
                  </>
                )}
                {count(item.arms ?? 0)} arms · {count(item.served ?? 0)} duels
                {item.mode === "interleave" && " · interleaved search results"}
                {verdict?.lastServed && (
                  <>
                    {" "}
                    · last{" "}
                    <time dateTime={verdict.lastServed}>
                      {new Date(verdict.lastServed).toLocaleString([], {
                        dateStyle: "medium",
                        timeStyle: "short",
                      })}
                    </time>
                  </>
                )}
              </p>
            </li>
          );
        })}
      </ul>
      {pages > 1 && (
        <nav class="row" aria-label="Pages of experiments">
          <button disabled={page === 0} onClick={() => setPage(page - 1)}>
            Previous
          </button>
          <span>
            Page {page + 1} of {pages}
          </span>
          <button disabled={page + 1 >= pages} onClick={() => setPage(page + 1)}>
            Next
          </button>
        </nav>
      )}
    </>
  );
}
