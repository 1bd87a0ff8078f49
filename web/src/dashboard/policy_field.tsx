// Which policy chooses the pairs of a new experiment, with its options.
import type { Policy } from "../api/types";

export function PolicyField({
  policy,
  options,
  known,
  onChange,
}: {
  policy: string;
  options: Record<string, string>;
  known: Policy[];
  onChange: (policy: string, options: Record<string, string>) => void;
}) {
  const chosen = known.find((one) => one.name === policy);
  // "auto", and what the experiment that this one begins from had, where the server does not list it.
  const others = [...new Set(["auto", policy])].filter(
    (name) => !known.some((one) => one.name === name),
  );
  return (
    <details>
      <summary>Policy: {policy}</summary>
      <div class="stack">
        <label>
          Which pair is shown next
          <select value={policy} onChange={(event) => onChange(event.currentTarget.value, {})}>
            {others.map((name) => (
              <option value={name}>{name}</option>
            ))}
            {known.map((one) => (
              <option value={one.name}>
                {one.name}: {one.title}
              </option>
            ))}
          </select>
        </label>
        {chosen && (
          <p class="small quiet">
            {chosen.setting}. {chosen.guarantee}. {chosen.paper}
          </p>
        )}
        {chosen?.options.map((option) => (
          <label>
            <code>{option.name}</code>{" "}
            <span class="small quiet">
              {option.doc} ({option.allowed || option.type}; default {option.default || "none"})
            </span>
            <input
              required={chosen.needs_horizon && option.name === "horizon"}
              value={options[option.name] ?? ""}
              placeholder={option.default}
              onInput={(event) =>
                onChange(policy, { ...options, [option.name]: event.currentTarget.value })
              }
            />
          </label>
        ))}
      </div>
    </details>
  );
}
