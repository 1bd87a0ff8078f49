// Who a panel is: so many people, or these.
import { count } from "../charts/numbers";
import { FEWEST_FOR_EARLY, MOST_MEMBERS } from "./members";

export function PanelFields({
  size,
  setSize,
  listed,
  setListed,
  pasted,
  setPasted,
  names,
  early,
  setEarly,
}: {
  size: string;
  setSize: (size: string) => void;
  listed: boolean;
  setListed: (listed: boolean) => void;
  pasted: string;
  setPasted: (pasted: string) => void;
  names: string[];
  early: boolean;
  setEarly: (early: boolean) => void;
}) {
  const mayBeEarly = names.length >= FEWEST_FOR_EARLY;
  return (
    <div class="stack panel-fields">
      {!listed && (
        <label>
          How many people?
          <input
            type="number"
            min="1"
            max={MOST_MEMBERS}
            step="1"
            value={size}
            placeholder="Leave it empty to close the panel later"
            onInput={(event) => setSize(event.currentTarget.value)}
          />
        </label>
      )}
      <label class="choice">
        <input
          type="checkbox"
          checked={listed}
          onChange={(event) => setListed(event.currentTarget.checked)}
        />{" "}
        <span>
          I have a list of their names
          {listed && (
            <span class="small quiet says">
              Nobody else can answer: each comes by a link of their own, which "Share" makes. The
              server keeps no names, only keyed hashes of them.
            </span>
          )}
        </span>
      </label>
      {listed && (
        <>
          <label>
            Names
            <textarea
              class="short"
              required
              value={pasted}
              placeholder={"Ann\nBob\nCem"}
              spellcheck={false}
              onInput={(event) => setPasted(event.currentTarget.value)}
            />
          </label>
          <p class="small quiet under-label" aria-live="polite">
            One per line, or separated by commas
            {names.length > 0 &&
              `: ${count(names.length)} ${names.length === 1 ? "person" : "people"}`}
            .
          </p>
          <label class="choice">
            <input
              type="checkbox"
              checked={early && mayBeEarly}
              disabled={!mayBeEarly}
              onChange={(event) => setEarly(event.currentTarget.checked)}
            />{" "}
            <span>
              A verdict may come before it is certain, at an error level{" "}
              <span class="small quiet">
                {mayBeEarly
                  ? "It takes fewer answers where most agree. The order of the people is drawn."
                  : `From ${FEWEST_FOR_EARLY} names on; a smaller panel is decided as soon by counting.`}
              </span>
            </span>
          </label>
        </>
      )}
    </div>
  );
}
