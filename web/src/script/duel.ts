// The script tag of a search page, served as /duel.js. It asks for pages, sends clicks and closes
// pages. It may never break the page that includes it: whatever fails, the page gets a ranking.
//
//   <script src="https://duel.example/duel.js" data-experiment="hybrid"></script>
//   const page = await duel.interleave({ bm25: ids, hybrid: others }, { query: "toner" });
//   // Show page.items in their order, each in an element with data-duel-item="OBJECT_ID".
//
// A page that a server has interleaved has the attributes data-duel-query="DUEL_ID" and
// data-duel-token="REPORT_TOKEN" on an element around its items.

interface Item {
  object_id: string;
  ordinal: number;
}
interface Page {
  query_id: string;
  items: Item[];
  fallback: boolean; // no duel: the first of the rankings, as it was given
}
interface Asked {
  experiment?: string;
  query?: string;
  subject?: string;
  limit?: number;
  timeout_ms?: number;
}
interface OpenPage {
  experiment: string;
  token: string;
  ordinals: Record<string, number>;
}

(() => {
  const own = document.currentScript as HTMLScriptElement;
  const server = new URL(own.src).origin;
  const defaults = own.dataset;
  const open = new Map<string, OpenPage>();
  let shown = ""; // the page that interleave() gave last

  const randomId = () =>
    [...crypto.getRandomValues(new Uint8Array(12))]
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");

  // The same for all pages of a tab. Where the browser keeps nothing, every page has its own.
  const subjectOfTab = () => {
    try {
      const kept = sessionStorage.getItem("duel.subject") ?? randomId();
      sessionStorage.setItem("duel.subject", kept);
      return kept;
    } catch {
      return randomId();
    }
  };

  const post = (path: string, body: object, signal: AbortSignal) =>
    fetch(server + path, {
      method: "POST",
      credentials: "omit",
      headers: {
        "Content-Type": "application/json",
        ...(defaults.token ? { Authorization: `Bearer ${defaults.token}` } : {}),
      },
      body: JSON.stringify(body),
      signal,
    });

  // What happens may be the last thing on this page, so it goes by a beacon. That has no headers: the
  // token of the duel is in the event.
  function send(query: string, page: OpenPage, action: string, attributes: object = {}): void {
    const event = JSON.stringify({
      action_name: action,
      query_id: query,
      timestamp: new Date().toISOString(),
      event_attributes: {
        ...attributes,
        duel: {
          report_token: page.token,
          ...(page.experiment ? { experiment_id: page.experiment } : {}),
        },
      },
    });
    const address = `${server}/v1/events`;
    if (navigator.sendBeacon?.(address, event)) return;
    void fetch(address, {
      method: "POST",
      body: event,
      keepalive: true,
      credentials: "omit",
      headers: { "Content-Type": "text/plain" },
    }).catch(() => {});
  }

  function track(object: string, action = "click", query = shown): void {
    const page = open.get(query);
    if (!page) return;
    const ordinal = page.ordinals[object];
    send(query, page, action, {
      object: { object_id: object },
      ...(ordinal ? { position: { ordinal } } : {}),
    });
  }

  // Ends a page: its clicks decide it now, and what is clicked on later is late.
  function close(query = shown): void {
    const page = open.get(query);
    if (!page) return;
    open.delete(query);
    send(query, page, "duel.close");
  }

  async function interleave(lists: Record<string, string[]>, asked: Asked = {}): Promise<Page> {
    if (shown) close(shown);
    const experiment = asked.experiment ?? defaults.experiment ?? "";
    const query = `q-${randomId()}`;
    shown = query;
    const body = {
      duel_id: query,
      subject_id: asked.subject ?? subjectOfTab(),
      lists,
      ...(asked.query ? { user_query: asked.query } : {}),
      ...(asked.limit ? { limit: asked.limit } : {}),
    };
    const until = Date.now() + (asked.timeout_ms ?? 1500);
    // The id stays the same, so a request that is sent again gets the same page.
    for (let pause = 50; Date.now() < until; pause *= 2) {
      try {
        const answer = await post(
          `/v1/experiments/${encodeURIComponent(experiment)}/interleavings`,
          body,
          AbortSignal.timeout(Math.max(1, until - Date.now())),
        );
        if (answer.ok) {
          const told = await answer.json();
          const items: Item[] = told.items;
          if (told.report_token) {
            open.set(query, {
              experiment,
              token: told.report_token,
              ordinals: Object.fromEntries(items.map((item) => [item.object_id, item.ordinal])),
            });
          }
          return { query_id: query, items, fallback: false };
        }
        if (answer.status < 500 && answer.status !== 429) {
          console.warn(`duel: ${(await answer.json()).detail}`);
          break;
        }
      } catch {
        // It is out of reach, or slow.
      }
      await new Promise((done) => setTimeout(done, Math.min(pause, until - Date.now())));
    }
    const first = Object.values(lists)[0] ?? [];
    const items = first
      .slice(0, asked.limit ?? first.length)
      .map((object_id, k) => ({ object_id, ordinal: k + 1 }));
    return { query_id: query, items, fallback: true };
  }

  // Pages that came with the document, or were put into it later.
  function adopt(container: HTMLElement): string {
    const { duelQuery, duelToken, duelExperiment } = container.dataset;
    if (!duelQuery || !duelToken) return "";
    if (!open.has(duelQuery)) {
      open.set(duelQuery, {
        experiment: duelExperiment ?? defaults.experiment ?? "",
        token: duelToken,
        ordinals: {},
      });
    }
    return duelQuery;
  }

  // What is clicked on in an item is a link or a button, where the item has any.
  function note(event: MouseEvent): void {
    if (event.button > 1 || !(event.target instanceof Element)) return; // 1: opens another tab
    const item = event.target.closest<HTMLElement>("[data-duel-item]");
    if (!item) return;
    const active = "a[href],button,[data-duel-action]";
    const hit = event.target.closest<HTMLElement>(active);
    const inside = hit && (item.contains(hit) || hit.contains(item));
    if (!inside && item.querySelector(active)) return;
    const container = item.closest<HTMLElement>("[data-duel-query]");
    const query = container ? adopt(container) : shown;
    track(item.dataset.duelItem ?? "", (inside && hit.dataset.duelAction) || "click", query);
  }

  addEventListener("click", note, true);
  addEventListener("auxclick", note, true);
  addEventListener("pagehide", () => {
    for (const container of document.querySelectorAll<HTMLElement>("[data-duel-query]"))
      adopt(container);
    for (const query of [...open.keys()]) close(query);
  });

  Object.assign(window, { duel: { interleave, track, close } });
})();
