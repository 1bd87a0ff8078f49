// The HTTP API of Duel for Node and browsers. Every request can be sent again, since the ids of duels
// are made here: what was lost on the way is repeated, and the server answers it once.
import { routeOf, type Given, type Operation } from "../../src/api/route";
import { ServerEventReader, type ServerEvent } from "../../src/api/server_events";
import type {
  Certificate,
  Duel,
  DuelRequest,
  DuelWithOutcome,
  DuelWithPage,
  EventsTaken,
  Experiment,
  ExperimentRequest,
  InterleavingRequest,
  OneShotRequest,
  Operations,
  OutcomeRequest,
  Problem,
  Reported,
  Result,
  UbiEvent,
} from "../../src/api/types";

export type * from "../../src/api/types";
export type { ServerEvent } from "../../src/api/server_events";

export interface DuelClientOptions {
  url: string; // "http://127.0.0.1:7557"
  token?: string;
  patience_ms?: number; // how long a server that is away is asked again; 30 seconds
  fetch?: typeof fetch;
}

// The server answered, and the answer was no; or nothing came, which has status 0.
export class DuelError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly problem?: Problem,
  ) {
    super(message);
    this.name = "DuelError";
  }
}

interface Sent {
  body?: unknown;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

const KINDS_OF_MORE = [429, 502, 503, 504]; // the same request may be taken later

export class DuelClient {
  private readonly url: string;
  private readonly token: string | undefined;
  private readonly patience: number;
  private readonly fetch: typeof fetch;

  constructor(options: DuelClientOptions) {
    this.url = options.url.replace(/\/+$/, "");
    this.token = options.token;
    this.patience = options.patience_ms ?? 30_000;
    this.fetch = options.fetch ?? ((...given) => fetch(...given));
  }

  // Any operation of the API, by its name in /openapi.json.
  async ask<O extends Operation>(
    operation: O,
    given: Given<O>,
    body?: Operations[O]["takes"],
    signal?: AbortSignal,
  ): Promise<Operations[O]["gives"]> {
    const { method, path } = routeOf(operation, given);
    const response = await this.send(method, path, {
      body,
      ...(signal ? { signal } : {}),
    });
    return (await response.json()) as Operations[O]["gives"];
  }

  // Creates an experiment, or finds that it is there and the same, and starts it.
  async create(experiment: string, body: ExperimentRequest): Promise<Experiment> {
    await this.ask("create_experiment", { eid: experiment }, body);
    return this.ask("start_experiment", { eid: experiment });
  }

  // The next pair. `arms` has two entries, or one where there is nothing to compare, or none for a
  // member of a panel who has nothing left to say.
  async duel(
    experiment: string,
    wish: Omit<DuelRequest, "count" | "batch_id"> = {},
  ): Promise<Duel> {
    const body = { duel_id: newId(), ...wish };
    return (await this.ask("serve_duels", { eid: experiment }, body)) as Duel;
  }

  // What came of a duel: who won ("red"), or { result: "tie" }, { score: 0.8, reason: ".." } and the
  // like.
  report(duel: Duel, outcome: string | OutcomeRequest): Promise<Reported> {
    const said =
      typeof outcome === "string" ? { result: "win" as const, winner: outcome } : outcome;
    return this.ask(
      "report_outcome",
      { eid: duel.experiment_id, did: duel.duel_id },
      { ...(duel.report_token ? { report_token: duel.report_token } : {}), ...said },
    );
  }

  // One page of two rankings of the lists.
  async interleave(
    experiment: string,
    lists: Record<string, string[]>,
    wish: Omit<OneShotRequest, "lists" | "count" | "batch_id"> = {},
  ): Promise<DuelWithPage> {
    const body = { duel_id: newId(), ...wish, lists };
    return (await this.ask("interleave_in_one", { eid: experiment }, body)) as DuelWithPage;
  }

  // The same in two steps: one page of the rankings of a duel that was served, which may be computed
  // only now that its arms are known. `offset` asks for the pages after it.
  async page(
    duel: Duel,
    lists: Record<string, string[]>,
    wish: Omit<InterleavingRequest, "lists"> = {},
  ): Promise<DuelWithPage> {
    const given = { eid: duel.experiment_id, did: duel.duel_id };
    return { ...duel, ...(await this.ask("interleave_duel", given, { ...wish, lists })) };
  }

  // A click, or another action, on an item of a page. Sent again it counts once.
  click(page: DuelWithPage, object_id: string, action = "click"): Promise<EventsTaken> {
    return this.events([
      {
        action_name: action,
        query_id: page.duel_id,
        timestamp: new Date().toISOString(),
        event_attributes: {
          object: { object_id },
          duel: {
            experiment_id: page.experiment_id,
            ...(page.report_token ? { report_token: page.report_token } : {}),
          },
        },
      },
    ]);
  }
  events(events: UbiEvent[]): Promise<EventsTaken> {
    return this.ask("take_events", {}, events);
  }

  // Ends a page: its clicks decide it now.
  close(page: DuelWithPage): Promise<Reported> {
    return this.report(page, { result: "close" });
  }

  find(experiment: string, duel: string): Promise<DuelWithOutcome> {
    return this.ask("show_duel", { eid: experiment, did: duel });
  }
  result(experiment: string): Promise<Result> {
    return this.ask("show_result", { eid: experiment });
  }
  // Nothing where the experiment has none yet.
  async certificate(experiment: string): Promise<Certificate | undefined> {
    try {
      return await this.ask("show_certificate", { eid: experiment });
    } catch (error) {
      if (error instanceof DuelError && error.status === 404) return undefined;
      throw error;
    }
  }

  // The events of an experiment, until the loop is left or `signal` ends it. A connection that breaks
  // is made again and goes on after the last event.
  async *stream(experiment: string, signal?: AbortSignal): AsyncGenerator<ServerEvent> {
    const { path } = routeOf("open_stream", { eid: experiment });
    const ours = new AbortController();
    const end = () => ours.abort();
    signal?.addEventListener("abort", end);
    let last = "";
    try {
      while (!signal?.aborted) {
        const response = await this.send("GET", path, {
          signal: ours.signal,
          headers: {
            Accept: "text/event-stream",
            ...(last ? { "Last-Event-ID": last } : {}),
          },
        });
        const reader = response.body?.getReader();
        const events = new ServerEventReader();
        const decoder = new TextDecoder();
        for (;;) {
          const piece = await reader?.read().catch(() => undefined);
          if (!piece || piece.done) break;
          for (const event of events.take(decoder.decode(piece.value, { stream: true }))) {
            if (event.id) last = event.id;
            yield event;
          }
        }
        if (!signal?.aborted) await pause(500, signal);
      }
    } finally {
      signal?.removeEventListener("abort", end);
      ours.abort();
    }
  }

  private async send(method: string, path: string, sent: Sent): Promise<Response> {
    const headers: Record<string, string> = { ...sent.headers };
    if (this.token) headers["Authorization"] = `Bearer ${this.token}`;
    const request: RequestInit = { method, headers };
    if (sent.body !== undefined) {
      headers["Content-Type"] = "application/json";
      request.body = JSON.stringify(sent.body);
    }
    if (sent.signal) request.signal = sent.signal;
    const until = Date.now() + this.patience;
    for (let wait = 100; ; wait = Math.min(2 * wait, 5000)) {
      let failed: DuelError;
      let asked = wait;
      try {
        const response = await this.fetch(this.url + path, request);
        if (response.ok) return response;
        failed = await errorOf(response);
        if (!KINDS_OF_MORE.includes(response.status)) throw failed;
        const after = Number(response.headers.get("retry-after"));
        if (after > 0) asked = 1000 * after;
      } catch (error) {
        if (error instanceof DuelError || sent.signal?.aborted) throw error;
        failed = new DuelError(0, `${this.url} cannot be reached: ${String(error)}`);
      }
      // Half of the pause is drawn, so that clients of a server that was away do not come at once.
      const rest = asked * (0.5 + Math.random() / 2);
      if (Date.now() + rest > until) throw failed;
      await pause(rest, sent.signal);
    }
  }
}

async function errorOf(response: Response): Promise<DuelError> {
  try {
    const problem = (await response.json()) as Problem;
    return new DuelError(response.status, problem.detail || problem.title, problem);
  } catch {
    return new DuelError(response.status, `the server answered ${response.status}`);
  }
}

function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `c-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });
}
