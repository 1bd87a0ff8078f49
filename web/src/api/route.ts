// Where an operation of the API is, by its name in the document.
import { ROUTES, type Operations } from "./types";

export type Operation = keyof Operations;
export type Given<O extends Operation> = Operations[O]["given"];

export interface Route {
  method: string;
  path: string;
}

// The route of an operation: what its pattern names stands in the path, the rest in the query.
export function routeOf<O extends Operation>(operation: O, given: Given<O>): Route {
  const [method, pattern] = ROUTES[operation];
  const rest = new Map(Object.entries(given as Record<string, string | number | undefined>));
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const query = [...rest].flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(String(value))}`],
  );
  return { method, path: query.length === 0 ? path : `${path}?${query.join("&")}` };
}
