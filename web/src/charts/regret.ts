// What the duels so far have cost, by the rates so far: an estimate, since the truth is unknown.
//
// The regret of a duel of i and j is (d_i + d_j)/2, with d_i = P(w beats i) - 1/2 and w the leader.
// Summed over duels it is half the sum over arms of d_i times how often i was shown.
import type { Timeline } from "../api/types";
import type { ShownResult } from "./shown_result";
import { matrixOf } from "./matrix";

// Divergence of Bernoulli variables with means p and 1/2, in nats.
export function divergenceFromHalf(p: number): number {
  const term = (x: number) => (x <= 0 ? 0 : x * Math.log(2 * x));
  return term(p) + term(1 - p);
}

export interface RegretPoint {
  served: number;
  regret: number;
  bound: number | null;
}

// d_i for each arm, against the leader; 0 for the leader and for pairs that never met.
export function gaps(result: ShownResult, arms: string[]): number[] {
  const matrix = matrixOf(result);
  const leader = matrix.arms.indexOf(result.leader ?? "");
  return arms.map((arm) => {
    const at = matrix.arms.indexOf(arm);
    const cell = leader >= 0 && at >= 0 ? matrix.at(leader, at) : null;
    return cell && cell.decisive > 0 ? Math.max(0, cell.rate - 0.5) : 0;
  });
}

// The factor of ln T in the lower bound of Komiyama et al. (COLT 2015, Theorem 1), with the rates so
// far in place of the truth: the sum over i != w of the least (d_i + d_j) / (2 kl(mu_ij, 1/2)) over
// the arms j that beat i. Nothing where an arm is beaten by none.
export function lowerBoundFactor(result: ShownResult): number | null {
  const matrix = matrixOf(result);
  const leader = matrix.arms.indexOf(result.leader ?? "");
  if (leader < 0) return null;
  const gap = gaps(result, matrix.arms);
  let factor = 0;
  for (let i = 0; i < matrix.arms.length; ++i) {
    if (i === leader) continue;
    let least = Infinity;
    for (let j = 0; j < matrix.arms.length; ++j) {
      const cell = i === j ? null : matrix.at(i, j);
      if (!cell || cell.decisive === 0 || cell.rate >= 0.5) continue;
      const cost = ((gap[i] ?? 0) + (gap[j] ?? 0)) / 2;
      const divergence = divergenceFromHalf(cell.rate);
      if (divergence > 0) least = Math.min(least, cost / divergence);
    }
    if (!Number.isFinite(least)) return null;
    factor += least;
  }
  return factor;
}

export function regretPoints(result: ShownResult, timeline: Timeline): RegretPoint[] {
  const gap = gaps(result, timeline.arms);
  const factor = lowerBoundFactor(result);
  return timeline.points.map(({ served, shown }) => ({
    served,
    regret: shown.reduce((sum, times, arm) => sum + (times * (gap[arm] ?? 0)) / 2, 0),
    bound: factor === null || served < 1 ? null : factor * Math.log(served),
  }));
}
