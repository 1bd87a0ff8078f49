// A certificate in one file: what it says, what must be true for that, the log that it rests on, and
// the verifier, which checks the one against the other where the page is opened.
import { useMemo, useState } from "preact/hooks";
import { count, percent } from "../charts/numbers";
import { PanelCount } from "../charts/panel_count";
import { TableHead } from "../charts/table_head";
import type { ArmNames } from "../charts/arm_names";
import {
  nameAndId,
  namesInLog,
  save,
  type CertificateData,
  type ShownCertificate,
} from "./certificate_data";
import { fits, Verification, type Found } from "./verification";

function shownOf(text: string): ShownCertificate {
  try {
    const found = JSON.parse(text) as unknown;
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {};
  }
}

const spaced = (name: string) => name.replace(/_/g, " ");

export function Evidence({
  certificate,
  names,
}: {
  certificate: ShownCertificate;
  names: ArmNames;
}) {
  const { findings, scores, panel } = certificate;
  const called = (arm: string) => nameAndId(names, arm);
  if (panel) return <PanelCount pairs={panel.pairs ?? []} names={names} />;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Evidence">
      <table class="wide">
        {findings && (
          <>
            <TableHead about="Beats" figures={["Won", "Lost", "Evidence", "Needed"]} />
            <tbody>
              {findings.map((one) => (
                <tr>
                  <th scope="row">
                    {called(one.winner)} beats {called(one.loser)}
                  </th>
                  <td class="number">{count(one.wins)}</td>
                  <td class="number">{count(one.losses)}</td>
                  <td class="number">{one.evidence}</td>
                  <td class="number">{one.threshold}</td>
                </tr>
              ))}
            </tbody>
          </>
        )}
        {scores && (
          <>
            <TableHead about="Arm" figures={["Score at least", "at most"]} />
            <tbody>
              {scores.map((one) => (
                <tr>
                  <th scope="row">{called(one.arm_id)}</th>
                  <td class="number">{+one.lower.toPrecision(4)}</td>
                  <td class="number">{+one.upper.toPrecision(4)}</td>
                </tr>
              ))}
            </tbody>
          </>
        )}
      </table>
    </div>
  );
}

function WithoutVoters({ certificate }: { certificate: ShownCertificate }) {
  const voters = certificate.without_voter;
  if (!voters) return null;
  const undone = (one: (typeof voters)[number]) =>
    one.undoes_lead
      ? "the lead is gone"
      : one.undoes_certificate
        ? "the evidence falls short"
        : "it stands";
  return (
    <>
      <p class="small quiet">
        Without the answers of one voter. A run stops as soon as its evidence is enough, so that it
        falls short without almost anybody; the lead should not.
      </p>
      <div class="scroll" tabIndex={0} role="group" aria-label="Without one voter">
        <table class="wide">
          <TableHead about="Voter" figures={["Answers", "Without them"]} />
          <tbody>
            {voters.map((one) => (
              <tr>
                <th scope="row">{one.voter}</th>
                <td class="number">{count(one.answers)}</td>
                <td class={`number ${one.undoes_lead ? "bad" : ""}`}>{undone(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function OwnLog({ choose }: { choose: (log: Uint8Array) => void }) {
  return (
    <label class="small">
      Check it against a log of your own:{" "}
      <input
        type="file"
        onChange={(event) => {
          void event.currentTarget.files?.[0]
            ?.arrayBuffer()
            .then((bytes) => choose(new Uint8Array(bytes)));
        }}
      />
    </label>
  );
}

export function CertificatePage({ data, verifier }: { data: CertificateData; verifier: string }) {
  const shown = useMemo(() => shownOf(data.certificate), [data]);
  const inside = useMemo(
    () => (data.log === null ? null : new TextEncoder().encode(data.log)),
    [data],
  );
  const names = useMemo(() => namesInLog(data.log ?? ""), [data]);
  const [log, setLog] = useState<Uint8Array | null>(inside);
  const [found, setFound] = useState<Found | null>(null);
  const others = Object.entries(shown.conditioned_out ?? {}).filter(([, number]) => number > 0);
  return (
    <>
      <h1>Certificate of {data.name}</h1>
      {/* Green only what was verified. */}
      <section class={`card verdict ${fits(found) ? "certified" : "open"}`} aria-label="Statement">
        <p class="sentence">{shown.statement ?? "This is no certificate."}</p>
        {shown.alpha !== undefined && (
          <p class="small quiet">
            Error level {percent(shown.alpha, 1)}. {count(shown.decisive ?? 0)} decisive answers are
            evidence.
          </p>
        )}
        {shown.panel && shown.alpha === undefined && (
          <p class="small quiet">Counted: certain, whatever those say who have not answered.</p>
        )}
      </section>
      {shown.if_wrong && (
        <section class="card" aria-labelledby="h-wrong">
          <h2 id="h-wrong">What if answers are wrong?</h2>
          <p>{shown.if_wrong}</p>
          <WithoutVoters certificate={shown} />
        </section>
      )}
      <section class="card" aria-labelledby="h-verified">
        <h2 id="h-verified">Does the log say so?</h2>
        {log === null && (
          <p>
            The log is too large to be inside this file. Choose it below; it stays on your machine.
          </p>
        )}
        <Verification certificate={data.certificate} log={log} tell={setFound} />
        <OwnLog choose={setLog} />
      </section>
      {shown.assumes && (
        <section class="card" aria-labelledby="h-assumes">
          <h2 id="h-assumes">What has to be true of the answers</h2>
          <p class="small quiet">
            No log can show this; whoever ran the experiment vouches for it.
          </p>
          <ul>
            {shown.assumes.map((text) => (
              <li>{text}</li>
            ))}
          </ul>
        </section>
      )}
      <section class="card" aria-labelledby="h-evidence">
        <h2 id="h-evidence">What it rests on</h2>
        {shown.rule?.text && <p class="small quiet">The rule: {shown.rule.text}.</p>}
        <Evidence certificate={shown} names={names} />
        {others.length > 0 && (
          <p class="small">
            Not counted:{" "}
            {others.map(([what, number]) => `${spaced(what)} ${count(number)}`).join(", ")}.
          </p>
        )}
      </section>
      <section class="card" aria-labelledby="h-health">
        <h2 id="h-health">Can the answers be trusted?</h2>
        <ul class="checks">
          {Object.entries(shown.health?.checks ?? {}).map(([name, verdict]) => (
            <li class={verdict === "failed" ? "bad" : verdict === "passed" ? "good" : "quiet"}>
              {name === "aa" ? "A/A duels" : spaced(name)}: {verdict}
            </li>
          ))}
        </ul>
      </section>
      <section class="card" aria-labelledby="h-files">
        <h2 id="h-files">Check it elsewhere</h2>
        <p class="row">
          <button onClick={() => save("certificate.json", "application/json", data.certificate)}>
            Save the certificate
          </button>
          {data.log !== null && (
            <button onClick={() => save("log.jsonl", "application/x-ndjson", data.log!)}>
              Save the log
            </button>
          )}
          <button onClick={() => save("verify.mjs", "text/javascript", verifier)}>
            Save the verifier
          </button>
        </p>
        <pre tabIndex={0} role="group" aria-label="Commands that check it">
          node verify.mjs certificate.json --log log.jsonl{"\n"}duel verify certificate.json --log
          log.jsonl
        </pre>
        <p class="small quiet">
          The two share no code. Record {shown.log?.sequence} of the log, which gave the
          certificate, has the hash <code class="hash">{shown.log?.head}</code>. Keep it elsewhere:
          a log that was rewritten from its beginning has another. And the sender of a page can
          change what it says about itself: if you do not trust the sender, take the verifier from
          your own Duel.
        </p>
      </section>
    </>
  );
}
