// Which view the address asks for.
export type Place =
  | { view: "list" }
  | { view: "new"; from: string | null } // an experiment to begin from
  | { view: "upload" }
  | { view: "experiment"; id: string }
  | { view: "none"; path: string };

// `search` is the address's query with its question mark.
export function placeOf(path: string, search = ""): Place {
  if (path === "/") return { view: "list" };
  if (path === "/new") {
    const asked = new URLSearchParams(search);
    return asked.has("upload") ? { view: "upload" } : { view: "new", from: asked.get("from") };
  }
  const found = /^\/experiments\/([^/]+)$/.exec(path);
  try {
    if (found) return { view: "experiment", id: decodeURIComponent(found[1] as string) };
  } catch {
    // No id is written like that.
  }
  return { view: "none", path };
}

export function go(path: string): void {
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
  scrollTo(0, 0);
}

export const experimentPath = (id: string): string => `/experiments/${encodeURIComponent(id)}`;
export const UPLOAD_PATH = "/new?upload";
export const clonePath = (id: string): string => `/new?from=${encodeURIComponent(id)}`;
