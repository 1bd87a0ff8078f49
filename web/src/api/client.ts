// The HTTP API from a page: every request by `fetch`, with the token in a header.
import { ServerEventReader, type ServerEvent } from "./server_events";
import { routeOf, type Given, type Operation, type Route } from "./route";
import { currentToken } from "./token";
import type { Operations, Problem } from "./types";

export { routeOf, type Operation, type Route } from "./route";

// "there is no arm 'x'" -> "There is no arm 'x'."
export function sentenceOf(text: string): string {
  const whole = /[.!?]$/.test(text) ? text : `${text}.`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}

// The server answered, and the answer was no.
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(sentenceOf(problem.detail || problem.title));
  }
  get status(): number {
    return this.problem.status;
  }
  // Whether the field of the request at this pointer was at fault.
  names(pointer: string): boolean {
    return (this.problem.errors ?? []).some((error) => error.pointer === pointer);
  }
}

// No answer came.
export class Unreachable extends Error {}

export interface Manner {
  keepalive?: boolean; // goes on when the page is left
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

interface Sent extends Manner {
  body?: unknown;
  text?: { content: string; type: string }; // in place of a body of JSON
}

async function send({ method, path }: Route, options: Sent): Promise<Response> {
  const headers: Record<string, string> = { ...options.headers };
  const token = currentToken();
  if (token) headers["Authorization"] = `Bearer ${token}`;
  const request: RequestInit = { method, headers, credentials: "omit", cache: "no-store" };
  if (options.body !== undefined) {
    headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(options.body);
  }
  if (options.text) {
    headers["Content-Type"] = options.text.type;
    request.body = options.text.content;
  }
  if (options.keepalive) request.keepalive = true;
  if (options.signal) request.signal = options.signal;
  let response: Response;
  try {
    response = await fetch(path, request);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Unreachable("The server cannot be reached.");
  }
  if (response.ok) return response;
  let problem: Problem = {
    type: "about:blank",
    title: response.statusText,
    status: response.status,
    detail: `The server answered ${response.status}.`,
    retryable: response.status >= 500 || response.status === 429,
  };
  try {
    problem = { ...problem, ...((await response.json()) as Partial<Problem>) };
  } catch {
    // A proxy's page, say; the status has to do.
  }
  throw new ApiError(problem);
}

// The answer of an operation, of the type that the server's document gives it.
export async function ask<O extends Operation>(
  operation: O,
  given: Given<O>,
  ...[manner]: undefined extends Operations[O]["takes"]
    ? [Manner?]
    : [Manner & { body: Operations[O]["takes"] }]
): Promise<Operations[O]["gives"]> {
  const response = await send(routeOf(operation, given), manner ?? {});
  return (await response.json()) as Operations[O]["gives"];
}

// The same for a route that takes text.
export async function sendText<O extends Operation>(
  operation: O,
  given: Given<O>,
  content: string,
  type: string,
): Promise<Operations[O]["gives"]> {
  const response = await send(routeOf(operation, given), { text: { content, type } });
  return (await response.json()) as Operations[O]["gives"];
}

// What the route answers, byte for byte.
export async function bytesOf(route: Route): Promise<Uint8Array> {
  return new Uint8Array(await (await send(route, {})).arrayBuffer());
}

// Saves what the route answers as a file. A plain link could not send the token.
export async function download(route: Route, name: string): Promise<void> {
  const response = await send(route, {});
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// Follows the events of a route until `signal` ends it; connects again after a pause, which doubles
// up to half a minute. `alive` tells whether the stream is there.
export async function follow(
  route: Route,
  signal: AbortSignal,
  take: (event: ServerEvent) => void,
  alive: (is: boolean) => void,
): Promise<void> {
  let pause = 1000;
  while (!signal.aborted) {
    try {
      const response = await send(route, { signal, headers: { Accept: "text/event-stream" } });
      const reader = response.body?.getReader();
      if (!reader) return;
      alive(true);
      pause = 1000;
      const events = new ServerEventReader();
      const decoder = new TextDecoder();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        events.take(decoder.decode(value, { stream: true })).forEach(take);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && !error.problem.retryable) {
        alive(false);
        return;
      }
    }
    alive(false);
    await new Promise((done) => setTimeout(done, pause));
    pause = Math.min(2 * pause, 30_000);
  }
}
