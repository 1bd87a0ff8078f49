// What was changed, and when. The log is read when somebody asks, since it can be long.
import { useState } from "preact/hooks";
import { bytesOf, routeOf } from "../api/client";
import type { ArmNames } from "../charts/arm_names";
import { changesOf, type Change } from "./changes";
import { Failure } from "./parts";

export function Changes({ id, names }: { id: string; names: ArmNames }) {
  const [changes, setChanges] = useState<Change[] | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const look = () => {
    setBusy(true);
    setError(null);
    bytesOf(routeOf("export_log", { eid: id, what: "audit" }))
      .then((bytes) => setChanges(changesOf(new TextDecoder().decode(bytes), names)))
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <>
      {changes ? (
        <ol class="plain changes">
          {changes.map(({ time, what }) => (
            <li>
              <time class="small quiet" dateTime={time}>
                {new Date(time).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}
              </time>
              <span>{what}</span>
            </li>
          ))}
        </ol>
      ) : (
        <p class="small quiet">Its log has every change of its state, its settings and its arms.</p>
      )}
      <button class="small" disabled={busy} onClick={look}>
        {busy ? "Reading the log…" : changes ? "Look again" : "Show"}
      </button>
      <Failure error={error} />
    </>
  );
}
