// Small pieces that several views of the dashboard use.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, routeOf, type Operation } from "../api/client";
import { currentToken } from "../api/token";
import type { Experiment, Operations } from "../api/types";
import { TokenForm } from "../look/token_form";
import { curlOf } from "./curl";
import { go } from "./place";

export function Link({
  to,
  children,
  ...rest
}: {
  to: string;
  children: ComponentChildren;
  class?: string;
}) {
  return (
    <a
      href={to}
      {...rest}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

export function StateBadge({ state }: { state: Experiment["state"] | undefined }) {
  return <span class={`badge ${state ?? ""}`}>{state ?? "unreadable"}</span>;
}

export function Copyable({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      setCopied(false); // the text is there to be selected
    }
  };
  return (
    <div class="copyable">
      <code tabIndex={0} aria-label={label}>
        {text}
      </code>
      <button class="small" onClick={copy}>
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}

// The same as a command, for readers who want to script it.
export function Curl<O extends Operation>({
  what,
  operation,
  given,
  body,
  headers,
}: {
  what: string;
  operation: O;
  given: Operations[O]["given"];
  body?: Operations[O]["takes"];
  headers?: Record<string, string>;
}) {
  const { method, path } = routeOf(operation, given);
  return (
    <details class="curl">
      <summary>curl: {what}</summary>
      <Copyable
        text={curlOf(location.origin, method, path, body, currentToken() !== null, headers)}
        label={`Command: ${what}`}
      />
    </details>
  );
}

export function Failure({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  if (error instanceof ApiError && (error.status === 401 || error.status === 403))
    return <Refused error={error} />;
  return (
    <div class="notice error" role="alert">
      {error instanceof Error ? error.message : String(error)}
    </div>
  );
}

function Refused({ error }: { error: ApiError }) {
  return (
    <TokenForm label="Use it">
      <h2>
        {error.status === 401 ? "This server asks for a token" : "This token may not do that"}
      </h2>
      <p class="quiet">
        {error.message} Make one with <code>duel token create --scope read</code>, or{" "}
        <code>--scope admin</code> to change things. It is kept for this tab only.
      </p>
    </TokenForm>
  );
}

// The value of a request, asked for again when `key` changes.
export function useAnswer<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
): { value: T | null; error: unknown } {
  const [state, setState] = useState<{ value: T | null; error: unknown }>({
    value: null,
    error: null,
  });
  useEffect(() => {
    const end = new AbortController();
    ask(end.signal).then(
      (value) => setState({ value, error: null }),
      (error: unknown) => {
        if (!end.signal.aborted) setState((now) => ({ ...now, error }));
      },
    );
    return () => end.abort();
  }, [key]);
  return state;
}
