// Inputs that several forms have, each with the rule for what it takes.
import { useState } from "preact/hooks";

/** The id of an experiment or an arm, as the API takes it. */
export function IdField(props: {
  label: string;
  value: string;
  placeholder?: string;
  required?: boolean;
  onChange: (id: string) => void;
}) {
  return (
    <label>
      {props.label}
      <input
        value={props.value}
        placeholder={props.placeholder}
        required={props.required}
        pattern="[A-Za-z0-9][A-Za-z0-9._:\-]{0,99}"
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
    </label>
  );
}

/** How often a certificate may be false. */
export function ErrorLevelField(props: { value: string; onChange: (alpha: string) => void }) {
  return (
    <label>
      Error level, at most
      <input
        type="number"
        min="0.0001"
        max="0.5"
        step="any"
        required
        value={props.value}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
    </label>
  );
}

/** Which part of a judge's answers people audit, in percent; null where they audit none. */
export function AuditField(props: {
  percent: string | null;
  onChange: (percent: string | null) => void;
}) {
  return (
    <>
      <label class="choice">
        <input
          type="checkbox"
          checked={props.percent !== null}
          onChange={(event) => props.onChange(event.currentTarget.checked ? "10" : null)}
        />{" "}
        <span>
          People audit a share of the answers
          {props.percent !== null && (
            <span class="small quiet says">
              The statement is then about people: those with a link of "Share" are asked about duels
              that are drawn once the judge has answered. The judge has a token of the scope judge.
            </span>
          )}
        </span>
      </label>
      {props.percent !== null && (
        <label>
          Share that people audit, in percent
          <input
            type="number"
            min="0.1"
            max="100"
            step="any"
            required
            value={props.percent}
            onInput={(event) => props.onChange(event.currentTarget.value)}
          />
        </label>
      )}
    </>
  );
}

/** Parts of the duels with verdicts of their own, a line for each way of telling them apart. */
export function SlicesField(props: {
  text: string;
  problem: string;
  onChange: (text: string) => void;
}) {
  const [open] = useState(props.text !== ""); // closing it while somebody types would be no help
  return (
    <details open={open}>
      <summary>Parts of the duels with verdicts of their own</summary>
      <div class="stack">
        {" "}
        <label>
          A name and its values on each line
          <textarea
            class="short"
            value={props.text}
            placeholder="language: de, en"
            ref={(input) => input?.setCustomValidity(props.problem)}
            onInput={(event) => props.onChange(event.currentTarget.value)}
          />
        </label>
        <p class="small quiet">
          A duel says its part when it is asked for. Each part has a part of the error level, so
          that all statements hold together.
        </p>
      </div>{" "}
    </details>
  );
}
