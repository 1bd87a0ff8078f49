// The arms of a new experiment, pasted in one of several forms, and what was understood.
import { count } from "../charts/numbers";
import type { ParsedArms } from "./arm_lines";

const MOST_PREVIEWED = 8;

export function ArmsField({
  pasted,
  parsed,
  onChange,
}: {
  pasted: string;
  parsed: ParsedArms;
  onChange: (pasted: string) => void;
}) {
  return (
    <>
      <label for="arms">What to compare</label>
      <p class="small quiet under-label" id="arms-help">
        One per line, or a CSV whose first row names its columns, such as <code>arm_id,text</code>{" "}
        or <code>arm_id,image</code>, or one arm per line as JSON.
      </p>
      <textarea
        id="arms"
        aria-describedby="arms-help"
        required
        value={pasted}
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
        placeholder={"Save 20 % today\nYour weekly digest\nYou forgot something"}
      />
      <div aria-live="polite">
        {parsed.problems.map((problem) => (
          <p class="bad small">{problem}</p>
        ))}
        {parsed.arms.length > 0 && (
          <p class="small quiet">
            {count(parsed.arms.length)} {parsed.arms.length === 1 ? "arm" : "arms"}:{" "}
            {parsed.arms.slice(0, MOST_PREVIEWED).map((arm) => (
              <code class="chip">{arm.arm_id}</code>
            ))}
            {parsed.arms.length > MOST_PREVIEWED && " …"}
          </p>
        )}
      </div>
    </>
  );
}
