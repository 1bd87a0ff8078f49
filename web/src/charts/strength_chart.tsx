// How strong each arm is, with its interval: one row per arm, readable for three and for a hundred.
import { useMemo, useState } from "preact/hooks";
import { ArmLabel } from "./arm_label";
import type { ArmNames } from "./arm_names";
import { count } from "./numbers";
import type { ShownResult } from "./shown_result";

const FIRST_SHOWN = 25;

export interface StrengthRow {
  arm: string;
  elo: number;
  interval: [number, number] | null;
  words: string[]; // the strength, its interval and its ranks, as far as they are known
}

export interface Strengths {
  rows: StrengthRow[];
  low: number; // the ends of the axis
  high: number;
  ticks: number[];
}

const signed = (value: number): string => {
  const whole = Math.round(value);
  return whole > 0 ? `+${whole}` : whole < 0 ? `\u2212${-whole}` : "0";
};

// Steps of 1, 2 or 5 times a power of ten; never more than six ticks, and never none.
export function ticksBetween(low: number, high: number): number[] {
  const rough = (high - low) / 5;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? 10 * power;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high; ++k) ticks.push(k * step);
  return ticks;
}

// In the order of the result. Nothing where no arm has a strength.
export function strengthsOf(result: Pick<ShownResult, "arms">): Strengths | null {
  const rows = result.arms.flatMap(({ arm_id, elo, elo_interval, rank_range }) => {
    if (elo === null || !Number.isFinite(elo)) return [];
    const interval = elo_interval && elo_interval.every(Number.isFinite) ? elo_interval : null;
    const [best, worst] = rank_range ?? [0, 0];
    const words = [
      signed(elo),
      interval ? `${signed(interval[0])} to ${signed(interval[1])}` : "",
      rank_range ? (best === worst ? `rank ${best}` : `rank ${best} to ${worst}`) : "",
    ];
    return [{ arm: arm_id, elo, interval, words }];
  });
  if (rows.length === 0) return null;
  const ends = rows.flatMap(({ elo, interval }) => [elo, ...(interval ?? [])]);
  // At least 20 points, so that equal arms have an axis as well.
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const room = Math.max(10 - (most - least) / 2, 0.03 * (most - least));
  const [low, high] = [least - room, most + room];
  return { rows, low, high, ticks: ticksBetween(low, high) };
}

export function StrengthChart({ result, names }: { result: ShownResult; names: ArmNames }) {
  const [all, setAll] = useState(false);
  const strengths = useMemo(() => strengthsOf(result), [result]);
  if (!strengths) {
    const why = result.bradley_terry.error;
    return <p class="quiet">No strengths yet{why ? `: ${why.replace(/\.$/, "")}` : ""}.</p>;
  }
  const { rows, low, high, ticks } = strengths;
  const at = (value: number) => `${((100 * (value - low)) / (high - low)).toFixed(2)}%`;
  const shown = all ? rows : rows.slice(0, FIRST_SHOWN);
  return (
    <div class="strengths">
      <p class="small quiet">
        Elo points by the answers so far (0 is the average arm; 100 more wins 64&#8239;% of duels),
        with 95&#8239;% intervals. It is a view of all duels at once: only the certificate decides.
      </p>
      <ol class="strength-rows">
        <li class="axis" aria-hidden="true">
          <span class="track">
            {ticks.map((tick) => (
              <span class="tick small quiet" style={{ left: at(tick) }}>
                {signed(tick)}
              </span>
            ))}
          </span>
        </li>
        {shown.map(({ arm, elo, interval, words }) => (
          <li key={arm}>
            <ArmLabel id={arm} names={names} most={26} />
            <span class="track" aria-hidden="true">
              {ticks.map((tick) => (
                <span class={tick === 0 ? "line zero" : "line"} style={{ left: at(tick) }} />
              ))}
              {interval && (
                <span
                  class="range"
                  style={{
                    left: at(interval[0]),
                    width: `${((100 * (interval[1] - interval[0])) / (high - low)).toFixed(2)}%`,
                  }}
                />
              )}
              <span class="dot" style={{ left: at(elo) }} />
            </span>
            <span class="words small quiet">
              {words.map((word) => (
                <span>{word} </span>
              ))}
            </span>
          </li>
        ))}
      </ol>
      {rows.length > FIRST_SHOWN && (
        <p>
          <button class="small" onClick={() => setAll(!all)}>
            {all ? `Show the first ${FIRST_SHOWN}` : `Show all ${count(rows.length)} arms`}
          </button>
        </p>
      )}
    </div>
  );
}
