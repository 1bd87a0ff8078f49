// The numbers of a system that are tuned: a row of inputs for each.
import { EMPTY_ROW, faultOfName, type DimensionRow } from "./space_rows";

function NumberField(props: {
  label: string;
  value: string;
  placeholder?: string;
  required?: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <label>
      {props.label}
      <input
        type="number"
        step="any"
        required={props.required}
        placeholder={props.placeholder}
        value={props.value}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
    </label>
  );
}

export function SpaceFields({
  rows,
  onChange,
}: {
  rows: DimensionRow[];
  onChange: (rows: DimensionRow[]) => void;
}) {
  const change = (at: number, part: Partial<DimensionRow>) =>
    onChange(rows.map((row, k) => (k === at ? { ...row, ...part } : row)));
  return (
    <>
      {rows.map((row, at) => (
        <fieldset>
          <legend>{row.name.trim() || `Number ${at + 1}`}</legend>
          <div class="dimension">
            <label>
              Name
              <input
                required
                maxLength={100}
                value={row.name}
                placeholder={at === 0 ? "weight" : undefined}
                ref={(input) => input?.setCustomValidity(faultOfName(rows, at))}
                onInput={(event) => change(at, { name: event.currentTarget.value })}
              />
            </label>
            <NumberField
              label="From"
              required
              value={row.low}
              onChange={(low) => change(at, { low })}
            />
            <NumberField
              label="To"
              required
              value={row.high}
              onChange={(high) => change(at, { high })}
            />
            <NumberField
              label="In use today"
              required
              value={row.inUse}
              onChange={(inUse) => change(at, { inUse })}
            />
            <NumberField
              label="In steps of"
              placeholder="any"
              value={row.step}
              onChange={(step) => change(at, { step })}
            />
          </div>
          <div class="row dimension-foot">
            <label class="choice">
              <input
                type="checkbox"
                checked={row.isLogarithmic}
                onChange={(event) => change(at, { isLogarithmic: event.currentTarget.checked })}
              />{" "}
              Logarithmic scale: 1 and 2 are as far apart as 10 and 20
            </label>
            {rows.length > 1 && (
              <button type="button" onClick={() => onChange(rows.filter((_, k) => k !== at))}>
                Remove
              </button>
            )}
          </div>
        </fieldset>
      ))}
      <div class="row">
        <button type="button" onClick={() => onChange([...rows, EMPTY_ROW])}>
          Another number
        </button>
      </div>
    </>
  );
}

// What takes the place of a forecast, which nobody can make for a space.
export function SearchAndProof({ dimensions }: { dimensions: number }) {
  const DUELS_FOR_A_DIMENSION = 20;
  return (
    <section class="card" aria-labelledby="h-search">
      <h2 id="h-search">How a point is found</h2>
      <p>
        The first {DUELS_FOR_A_DIMENSION * dimensions} duels search. Then the best guess is held
        fixed, and some of the duels are between it and what is in use today: only these can prove
        that it is better. If it loses, or a better guess turns up, the next one gets its turn.
      </p>
      <p class="small quiet">
        How many duels that takes depends on how much there is to gain, which nobody knows before.
        Where nothing beats what is in use, nothing will be certified.
      </p>
    </section>
  );
}
