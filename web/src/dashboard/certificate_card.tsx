// The certificate of an experiment: to look at, to check here, and to take away.
import { useState } from "preact/hooks";
import { bytesOf, routeOf } from "../api/client";
import { filledPage, save } from "../certificate/certificate_data";
import { Verification } from "../certificate/verification";
import { Failure } from "./parts";

const textOf = async (bytes: Promise<Uint8Array>) => new TextDecoder().decode(await bytes);

async function template(): Promise<string> {
  // By the name that it has in every version, so that a kept one is asked about.
  const response = await fetch("/assets/certificate.html", { cache: "no-cache" });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return response.text();
}

export function CertificateCard({ id }: { id: string }) {
  const [shown, setShown] = useState<string | null>(null);
  const [checked, setChecked] = useState<{ certificate: string; log: Uint8Array } | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const certificate = () => textOf(bytesOf(routeOf("show_certificate", { eid: id })));
  const log = () => bytesOf(routeOf("export_log", { eid: id, what: "audit" }));
  const act = (work: () => Promise<void>) => () => {
    setBusy(true);
    setError(null);
    void work()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  const steps: [string, () => Promise<void>][] = [
    ["Verify here", async () => setChecked({ certificate: await certificate(), log: await log() })],
    [
      shown === null ? "View" : "Hide",
      async () => setShown(shown === null ? await certificate() : null),
    ],
    [
      "Download",
      async () => save(`${id}.certificate.json`, "application/json", await certificate()),
    ],
    [
      "Download as a page",
      async () => {
        const data = {
          made_by: "duel",
          name: id,
          certificate: await certificate(),
          log: await textOf(log()),
        };
        save(`${id}.certificate.html`, "text/html", filledPage(await template(), data));
      },
    ],
  ];
  return (
    <section class="card certificate" aria-labelledby="h-certificate">
      <h2 id="h-certificate">Certificate</h2>
      <p class="small quiet">
        Anyone can check it against the log, without this server: the page holds both, and a
        verifier that shares no code with it.
      </p>
      <p class="row">
        {steps.map(([label, work]) => (
          <button disabled={busy} onClick={act(work)}>
            {label}
          </button>
        ))}
      </p>
      {checked && <Verification certificate={checked.certificate} log={checked.log} />}
      {shown !== null && (
        <pre class="certificate-text" tabIndex={0}>
          {shown}
        </pre>
      )}
      <Failure error={error} />
    </section>
  );
}
