// How far the leader is from having beaten each rival: evidence against its threshold.
import { useState } from "preact/hooks";
import type { ResultArm } from "../api/types";
import { ArmLabel } from "./arm_label";
import { nameOf, type ArmNames } from "./arm_names";
import { EVIDENCE } from "./evidence_words";
import { decisiveOf } from "./matrix";
import type { ShownResult } from "./shown_result";
import { count, evidence, roughCount, shortNumber } from "./numbers";

const FIRST_SHOWN = 12;

export interface Bar {
  rival: string;
  share: number; // of the way to the threshold, 0 to 1, on a logarithmic scale
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

// The marks of a bar: 1 at its beginning, the threshold at its end, powers of ten between them where
// they do not touch these.
export function marksOf(logThreshold: number): { at: number; words: string }[] {
  const marks = [{ at: 0, words: "1" }];
  const end = logThreshold / Math.LN10;
  const step = Math.ceil(end / 4);
  for (let power = step; power < end - 0.6 * step; power += step) {
    marks.push({ at: power / end, words: shortNumber(Math.pow(10, power)) });
  }
  return [...marks, { at: 1, words: shortNumber(Math.round(Math.exp(logThreshold))) }];
}

export function EvidenceBars({ result, names }: { result: ShownResult; names: ArmNames }) {
  const [all, setAll] = useState(false);
  const bars = barsOf(result);
  if (result.order) {
    const { arms, certain, pairs_shown: shown, pairs_needed: needed } = result.order;
    const places = arms
      .slice(0, certain)
      .map((arm, place) => `${place + 1}. ${nameOf(names, arm)}`);
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
    const decisive = decisiveOf(result.duels);
    return (
      <p class="quiet">
        {decisive > 0
          ? "No arm leads, so that there is no rival to beat."
          : "No evidence yet: it begins with the first decisive answer."}
      </p>
    );
  }
  const thresholds = new Set(result.arms.map((arm) => arm.log_threshold).filter(Boolean));
  const [threshold] = thresholds;
  return (
    <>
      <p class="small">
        Evidence that <strong>{result.leader ? nameOf(names, result.leader) : "the leader"}</strong>{" "}
        beats ..
      </p>
      <ul class="bars">
        {threshold !== undefined && thresholds.size === 1 && (
          <li class="axis" aria-hidden="true">
            <span class="marks">
              {marksOf(threshold).map(({ at, words }) => (
                <span class="tick small quiet" style={{ left: `${(100 * at).toFixed(1)}%` }}>
                  {words}
                </span>
              ))}
            </span>
          </li>
        )}
        {(all ? bars : bars.slice(0, FIRST_SHOWN)).map((bar) => (
          <li key={bar.rival}>
            <ArmLabel id={bar.rival} names={names} most={18} />
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
      {bars.length > FIRST_SHOWN && (
        <p class="after-bars">
          <button class="small" onClick={() => setAll(!all)}>
            {all
              ? `Show the ${FIRST_SHOWN} closest`
              : `Show ${count(bars.length - FIRST_SHOWN)} more rivals`}
          </button>
          {!all && (
            <span class="small quiet"> They have more evidence against them than those above.</span>
          )}
        </p>
      )}
      <p class="small quiet after-bars">
        A full bar has reached the threshold. The scale is logarithmic: half a bar is the square
        root of the threshold. {EVIDENCE}
      </p>
    </>
  );
}
