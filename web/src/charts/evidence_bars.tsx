// How far the leader is from having beaten each rival: evidence against its threshold.
import type { ResultArm } from "../api/types";
import type { ShownResult } from "./shown_result";
import { count, evidence, roughCount } from "./numbers";

const MOST_SHOWN = 12;

export interface Bar {
  rival: string;
  share: number; // of the way to the threshold, 0 to 1
  reached: boolean;
  words: string;
}

export function barsOf(result: ShownResult): Bar[] {
  return result.arms
    .filter(
      (arm): arm is ResultArm & { log_evidence: number; log_threshold: number } =>
        typeof arm.log_evidence === "number" && typeof arm.log_threshold === "number",
    )
    .sort((a, b) => a.log_evidence - b.log_evidence)
    .map((arm) => {
      const reached = arm.log_evidence >= arm.log_threshold;
      const left = arm.duels_left;
      const rest = reached
        ? "beaten"
        : left === null || left === undefined
          ? "not behind so far"
          : `about ${roughCount(left)} more duels`;
      return {
        rival: arm.arm_id,
        share: Math.max(0, Math.min(1, arm.log_evidence / arm.log_threshold)),
        reached,
        words: `${evidence(arm.log_evidence)} of ${evidence(arm.log_threshold)}, ${rest}`,
      };
    });
}

export function EvidenceBars({ result }: { result: ShownResult }) {
  const bars = barsOf(result);
  if (result.order) {
    const { arms, certain, pairs_shown: shown, pairs_needed: needed } = result.order;
    const places = arms.slice(0, certain).map((arm, place) => `${place + 1}. ${arm}`);
    return (
      <>
        {certain > 0 && (
          <p>
            Certified: <strong>{places.join(", ")}</strong>
          </p>
        )}
        <p>
          {count(shown)} of the {count(needed)} pairs that the goal needs are certain.
        </p>
        <progress max={needed} value={shown} aria-label="Pairs that are certain" />
      </>
    );
  }
  if (bars.length === 0) {
    const decisive = result.duels.first_wins + result.duels.second_wins;
    return (
      <p class="quiet">
        {decisive > 0
          ? "No arm leads, so that there is no rival to beat."
          : "No evidence yet: it begins with the first decisive answer."}
      </p>
    );
  }
  return (
    <>
      <p class="small quiet">
        Evidence that <strong>{result.leader ?? "the leader"}</strong> beats each rival. A full bar
        has reached the threshold.
      </p>
      <ul class="bars">
        {bars.slice(0, MOST_SHOWN).map((bar) => (
          <li>
            <span class="rival" title={bar.rival}>
              {bar.rival}
            </span>
            <span class="track" aria-hidden="true">
              <span
                class={bar.reached ? "fill reached" : "fill"}
                style={{ width: `${(100 * bar.share).toFixed(1)}%` }}
              />
            </span>
            <span class="words small">
              {bar.reached ? "✓ " : ""}
              {bar.words}
            </span>
          </li>
        ))}
      </ul>
      {bars.length > MOST_SHOWN && (
        <p class="small quiet">
          and {count(bars.length - MOST_SHOWN)} more rivals with more evidence against them
        </p>
      )}
    </>
  );
}
