// All experiments, one a row, each with its verdict and what failed.
import { useEffect, useMemo, useState } from "preact/hooks";
import { ask } from "../api/client";
import type { ExperimentList as Listed, ExperimentSummary } from "../api/types";
import { failedChecks, failedNames } from "../charts/health_list";
import { count } from "../charts/numbers";
import { Failure, Link, StateBadge, useAnswer } from "./parts";
import { experimentPath } from "./place";
import { ORDERS, selected, STATES, type Order } from "./selected";
import { armNames } from "../charts/arm_names";
import { inServersWords, verdictOf, type Verdict } from "../charts/verdict";

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

interface Line {
  tone: Verdict["tone"];
  sentence: string;
  failed: string | null; // health checks
}

// What the list itself knows: the verdict and the checks as they were when somebody last asked, or
// when the state was last saved.
function atOnce(item: ExperimentSummary): Line {
  const tone = item.certified ? "certified" : "open";
  if (!item.glance) {
    const said = item.certified ? "Certified" : `Undecided after ${duels(item)}`;
    return { tone, sentence: item.served === 0 ? "No duels yet" : said, failed: null };
  }
  const { sentence } = inServersWords(item.glance.verdict);
  return {
    tone,
    // What a certificate means in full is said on the experiment's own page.
    sentence: item.certified ? sentence.replace(/: .*$/s, "") : sentence,
    failed: failedNames(item.glance.failed_checks),
  };
}

// The lines of what changes while somebody looks, and of what the list has no verdict of. They come
// one after the other, so that a long list does not ask for everything at once.
function useNewerLines(items: ExperimentSummary[], look: number): Map<string, Line> {
  const [lines, setLines] = useState(new Map<string, Line>());
  const wanting = items
    .filter((item) => !item.error && (item.state === "running" || !item.glance))
    .map((item) => item.experiment_id);
  useEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    const waiting = [...wanting];
    const work = async () => {
      for (let eid = waiting.shift(); eid && !signal.aborted; eid = waiting.shift()) {
        const of = eid;
        try {
          const [result, health] = await Promise.all([
            ask("show_result", { eid }, { signal }),
            ask("show_health", { eid }, { signal }), // with the checks of traffic
          ]);
          const failed = failedChecks(health.checks);
          const verdict = verdictOf(result, armNames(result.arms));
          setLines((now) => new Map(now).set(of, { ...verdict, failed }));
        } catch {
          // The line stands as the list has it.
        }
      }
    };
    for (let k = 0; k < ASKED_AT_ONCE; ++k) void work();
    return () => end.abort();
  }, [wanting.join("\n"), look]);
  return lines;
}

const duels = (item: ExperimentSummary): string =>
  `${count(item.served ?? 0)} ${item.served === 1 ? "duel" : "duels"}`;

// "12 Nov 2026", or the time of a day that is today.
function When({ at }: { at: string }) {
  const when = new Date(at);
  const isToday = when.toDateString() === new Date().toDateString();
  const short = isToday
    ? when.toLocaleTimeString([], { timeStyle: "short" })
    : when.toLocaleDateString([], { dateStyle: "medium" });
  return (
    <time dateTime={at} title={when.toLocaleString()}>
      {short}
    </time>
  );
}

function Row({ item, line }: { item: ExperimentSummary; line: Line }) {
  return (
    <li>
      <div class="what">
        <Link to={experimentPath(item.experiment_id)} class="name">
          {item.name || item.experiment_id}
        </Link>
        {item.name && <code class="small quiet">{item.experiment_id}</code>}
      </div>
      <p class={`verdict-line ${item.error ? "bad" : line.tone}`}>{item.error ?? line.sentence}</p>
      {line.failed && <p class="bad small failed-checks">✗ {line.failed}</p>}
      <div class="facts small quiet">
        <StateBadge state={item.state} />
        {!item.error && (
          <>
            <span>{count(item.arms ?? 0)} arms</span>
            <span>{duels(item)}</span>
            {item.mode === "interleave" && <span class="of-mode">search results</span>}
          </>
        )}
        {item.active_at && <When at={item.active_at} />}
      </div>
    </li>
  );
}

export function ExperimentList() {
  const { value, error, look } = useExperiments();
  const [page, setPage] = useState(0);
  const [wanted, setWanted] = useState("");
  const [state, setState] = useState("");
  const [order, setOrder] = useState<Order>("active");
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
  const newer = useNewerLines(shown, look);
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
        {shown.map((item) => (
          <Row
            key={item.experiment_id}
            item={item}
            line={newer.get(item.experiment_id) ?? atOnce(item)}
          />
        ))}
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
