// Whether a certificate fits its log, found out here and now.
import { useEffect, useState } from "preact/hooks";
import { count } from "../charts/numbers";
import { verify, type Verdict } from "../verifier/verify";

export type Found = Verdict | { error: string };

function Answer({ found }: { found: Found }) {
  if ("error" in found) return <p class="bad">The check broke off: {found.error}</p>;
  if (found.mismatch !== undefined) {
    return (
      <>
        <p class="sentence bad">✗ Does not fit</p>
        <p>{found.mismatch}.</p>
      </>
    );
  }
  const failed = found.health.filter((check) => check.verdict === "failed");
  return (
    <>
      <p class="sentence good">✓ Verified</p>
      <p>
        The chain of {count(found.records)} records is unbroken, and the certificate that follows
        from them is this one, to the last byte.
      </p>
      {found.draws && (
        <p class="small">
          Of the draws for people {count(found.draws.checked)} are those of the key that the log
          tells
          {found.draws.unchecked > 0 &&
            `, and ${count(found.draws.unchecked)} are by a key that it does not tell, or not yet`}
          .
        </p>
      )}
      {failed.length > 0 && (
        <p class="notice">
          A health check failed: {failed.map((check) => check.name.replace(/_/g, " ")).join(", ")}.
          The statement holds only if the answers can be trusted.
        </p>
      )}
    </>
  );
}

export const fits = (found: Found | null): boolean =>
  found !== null && !("error" in found) && found.mismatch === undefined;

// `log`: the bytes; null while there are none. `tell` hears what was found.
export function Verification({
  certificate,
  log,
  tell,
}: {
  certificate: string;
  log: Uint8Array | null;
  tell?: (found: Found | null) => void;
}) {
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    setFound(null);
    if (log === null) return;
    // After the page was painted: a long log takes seconds.
    const timer = setTimeout(() => {
      try {
        setFound(verify(log, new TextEncoder().encode(certificate)));
      } catch (error) {
        setFound({ error: String(error) });
      }
    }, 50);
    return () => clearTimeout(timer);
  }, [certificate, log]);
  useEffect(() => tell?.(found), [found]);
  if (log === null) return null;
  return (
    <div class="verification" role="status" aria-busy={found === null}>
      {found === null ? <p class="quiet">Reading the log…</p> : <Answer found={found} />}
    </div>
  );
}
