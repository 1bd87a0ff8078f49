// Parts of the duels, each with a verdict of its own, and the choice of which part the charts show.
import type { Result, SliceResult } from "../api/types";
import { count, percent } from "../charts/numbers";

export interface Part {
  slice: string;
  value: string;
}

export const sameParts = (a: Part | null, b: Part | null): boolean =>
  a?.slice === b?.slice && a?.value === b?.value;

export function partsOf(result: Result): (Part & { result: SliceResult })[] {
  return Object.entries(result.by_slice ?? {}).flatMap(([slice, values]) =>
    Object.entries(values).map(([value, of]) => ({ slice, value, result: of })),
  );
}

// What the charts are drawn from: the part that is chosen, or all duels.
export const resultOfPart = (result: Result, part: Part | null): Result | SliceResult =>
  partsOf(result).find((one) => sameParts(one, part))?.result ?? result;

export function PartChoice({
  result,
  part,
  choose,
}: {
  result: Result;
  part: Part | null;
  choose: (part: Part | null) => void;
}) {
  const parts = partsOf(result);
  const at = parts.findIndex((one) => sameParts(one, part));
  return (
    <p class="toolbar">
      <label>
        Charts of
        <select
          value={at}
          onChange={(event) => choose(parts[Number(event.currentTarget.value)] ?? null)}
        >
          <option value={-1}>all duels</option>
          {parts.map((one, k) => (
            <option value={k}>
              {one.slice}: {one.value} ({count(one.result.duels.served)})
            </option>
          ))}
        </select>
      </label>
    </p>
  );
}

export function SliceVerdicts({ result }: { result: Result }) {
  const slices = Object.entries(result.by_slice ?? {});
  return (
    <>
      {result.slices_differ?.map((sentence) => (
        <p>
          <strong>{sentence}</strong>
        </p>
      ))}
      {slices.map(([slice, values]) => (
        <table class="slices">
          <caption class="small quiet">
            By {slice}; each statement at error level{" "}
            {percent(Math.max(...Object.values(values).map((of) => of.alpha)), 2)}
          </caption>
          <tbody>
            {Object.entries(values).map(([value, of]) => (
              <tr>
                <th scope="row">{value}</th>
                <td class="number">{count(of.duels.served)}</td>
                <td class={of.certificate ? "good" : ""}>
                  {of.alpha > 0 ? of.verdict : "No statement is made about these."}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </>
  );
}
