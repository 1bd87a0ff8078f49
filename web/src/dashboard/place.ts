// Which view the address asks for.
export type Place = { view: "list" } | { view: "new" } | { view: "experiment"; id: string };

export function placeOf(path: string): Place {
  if (path === "/new") return { view: "new" };
  const found = /^\/experiments\/([^/]+)$/.exec(path);
  if (!found) return { view: "list" };
  try {
    return { view: "experiment", id: decodeURIComponent(found[1] as string) };
  } catch {
    return { view: "list" };
  }
}

export function go(path: string): void {
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
  scrollTo(0, 0);
}

export const experimentPath = (id: string): string => `/experiments/${encodeURIComponent(id)}`;
