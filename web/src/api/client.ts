// The HTTP API from a page: every request by `fetch`, with the token in a header.
import { ServerEventReader, type ServerEvent } from "./server_events";
import { currentToken } from "./token";
import type { Problem } from "./types";

// The server answered, and the answer was no.
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
  }
  get status(): number {
    return this.problem.status;
  }
}

// No answer came.
export class Unreachable extends Error {}

export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
  keepalive?: boolean;
  signal?: AbortSignal;
}

export function pathOf(...segments: string[]): string {
  return "/v1/" + segments.map(encodeURIComponent).join("/");
}

async function send(method: string, path: string, options: CallOptions): Promise<Response> {
  const headers: Record<string, string> = { ...options.headers };
  const token = currentToken();
  if (token) headers["Authorization"] = `Bearer ${token}`;
  const request: RequestInit = { method, headers, credentials: "omit", cache: "no-store" };
  if (options.body !== undefined) {
    headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(options.body);
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

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  return (await response.json()) as T;
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> =>
  call<T>("GET", path, signal ? { signal } : {});

// Saves what the path answers as a file. A plain link could not send the token.
export async function download(path: string, name: string): Promise<void> {
  const response = await send("GET", path, {});
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// Follows the events of a path until `signal` ends it; connects again after a pause, which doubles
// up to half a minute. `alive` tells whether the stream is there.
export async function follow(
  path: string,
  signal: AbortSignal,
  take: (event: ServerEvent) => void,
  alive: (is: boolean) => void,
): Promise<void> {
  let pause = 1000;
  while (!signal.aborted) {
    try {
      const response = await send("GET", path, { signal, headers: { Accept: "text/event-stream" } });
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
