// Inputs that several forms have, each with the rule for what it takes.

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
