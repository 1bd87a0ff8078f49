// Two items side by side and the answers to them. While a picture is not there nothing can be judged,
// so only "skip" is open then.
import type { Duel } from "../api/types";
import type { Choice } from "./ballot_box";
import { layoutOf, Payload } from "./payload";
import type { PictureWatch } from "./pictures";

const SKIP_REASONS = ["I cannot tell", "It does not load", "It is unclear", "It is not for me"];

// Why the pair on the screen cannot be judged now, if so.
export type Blocked = "loading" | "broken" | null;

export function blockedBy(pictures: PictureWatch): Blocked {
  if (pictures.count("broken") > 0) return "broken";
  return pictures.count("loading") > 0 ? "loading" : null;
}

interface Given {
  duel: Duel;
  blocked: Blocked;
  attempt: number; // of loading its pictures
  skipping: boolean;
  setSkipping: (is: boolean) => void;
  vote: (choice: Choice) => void;
  loadAgain: () => void;
}

// A click into an item chooses it; one on a link, or one that ends the marking of a text, does not.
function chooses(event: MouseEvent): boolean {
  const target = event.target as Element;
  if (target.closest("a, button")) return false;
  const marked = getSelection();
  return !marked || marked.isCollapsed;
}

export function Pair({ duel, blocked, attempt, skipping, setSkipping, vote, loadAgain }: Given) {
  const { centred, even } = layoutOf(duel.arms.map((arm) => arm.payload));
  // The second click of a double click would be a vote on a pair that nobody has seen.
  const once = (event: MouseEvent, choice: Choice) => {
    if (event.detail <= 1) vote(choice);
  };
  // Not `disabled`: a button that is disabled while the next pair loads would lose the focus.
  const closed = blocked !== null;
  return (
    <>
      {blocked === "broken" && (
        <p class="notice error" role="alert">
          A picture of this pair does not load, so it cannot be judged.{" "}
          <button class="small" onClick={loadAgain}>
            Load it again
          </button>{" "}
          <button
            class="small"
            onClick={() => vote({ result: "skip", reason: "It does not load" })}
          >
            Skip this pair
          </button>
        </p>
      )}
      <div
        class={`pair${centred ? " centred" : ""}${even ? " even" : ""}`}
        aria-busy={blocked === "loading"}
      >
        {([0, 1] as const).map((side) => (
          <section
            class={`item card${closed ? "" : " open"}`}
            aria-label={side === 0 ? "Left item" : "Right item"}
            onClick={(event) => {
              if (!closed && chooses(event)) once(event, { result: "win", side });
            }}
          >
            <div
              class="shown"
              key={`${duel.duel_id} ${attempt}`}
              tabIndex={0}
              role="group"
              aria-label={side === 0 ? "Left item's content" : "Right item's content"}
            >
              <div class="content">
                <Payload
                  payload={duel.arms[side]?.payload ?? null}
                  otherwise={duel.arms[side]?.arm_id ?? ""}
                />
              </div>
            </div>
            <button
              class="main choose"
              aria-disabled={closed}
              onClick={(event) => once(event, { result: "win", side })}
            >
              {side === 0 ? (
                <>
                  ← Left<span class="better"> is better</span> <kbd>1</kbd>
                </>
              ) : (
                <>
                  Right<span class="better"> is better</span> → <kbd>2</kbd>
                </>
              )}
            </button>
          </section>
        ))}
      </div>
      <div class="row others" role="group" aria-label="Other answers">
        <button aria-disabled={closed} onClick={(event) => once(event, { result: "tie" })}>
          Tie <kbd>↓</kbd>
        </button>
        <button aria-disabled={closed} onClick={(event) => once(event, { result: "both_bad" })}>
          Both bad <kbd>B</kbd>
        </button>
        <button aria-expanded={skipping} onClick={() => setSkipping(!skipping)}>
          Skip <kbd>S</kbd>
        </button>
      </div>
      {skipping && (
        <div class="row others" role="group" aria-label="Why do you skip?">
          {SKIP_REASONS.map((reason) => (
            <button class="small" onClick={() => vote({ result: "skip", reason })}>
              {reason}
            </button>
          ))}
        </div>
      )}
    </>
  );
}
