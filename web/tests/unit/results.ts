// Results for tests, from a table of wins.
import type { Candidate, Result, SpaceStanding } from "../../src/api/types";

const none = {
  failed_tries: 0,
  ties: 0,
  both_bad: 0,
  skips: 0,
  invalid: 0,
  expired: 0,
  pending: 0,
};

// `wins[i][j]`: how often arm i won against arm j. The first arm leads.
export function resultOf(arms: string[], wins: number[][], more: Partial<Result> = {}): Result {
  const pairs = [];
  let first_wins = 0;
  let second_wins = 0;
  for (let i = 0; i < arms.length; ++i) {
    for (let j = i + 1; j < arms.length; ++j) {
      const [won, lost] = [wins[i]?.[j] ?? 0, wins[j]?.[i] ?? 0];
      if (won + lost === 0) continue;
      first_wins += won;
      second_wins += lost;
      const rate = won / (won + lost);
      const half = 1 / Math.sqrt(won + lost);
      pairs.push({
        first: arms[i] as string,
        second: arms[j] as string,
        counts: { ...none, served: won + lost, first_wins: won, second_wins: lost },
        rate,
        interval: [rate - half, rate + half] as [number, number],
      });
    }
  }
  return {
    experiment_id: "e",
    verdict: "said by the server.",
    state: "undecided",
    goal: "condorcet",
    leader: arms[0] ?? null,
    tied: [],
    not_ruled_out: arms.slice(1),
    expected_duels_left: 2134,
    forecast: { duels: 2134 },
    duels: { ...none, served: first_wins + second_wins, first_wins, second_wins },
    arms: arms.map((arm_id, i) => ({
      arm_id,
      name: arm_id,
      rank: i + 1,
      rank_range: [1, arms.length],
      wins: 0,
      losses: 0,
      ties: 0,
      both_bad: 0,
      rate: 0.5,
      probability_best: 0,
      elo: null,
      elo_interval: null,
      ...(i > 0 ? { log_evidence: i, log_threshold: 4, duels_left: 10 } : {}),
    })),
    pairs,
    certificate: null,
    bradley_terry: { ties: "halves" },
    probability_no_winner: 0,
    why_not_yet: [],
    health: [],
    one_look: false,
    excluded_share: 0,
    regret: null,
    served: first_wins + second_wins,
    sequence: 7,
    ...more,
  };
}

// A space of one number, `weight`, of which 0.5 is in use.
export function spaceOf(more: Partial<SpaceStanding> = {}): SpaceStanding {
  return {
    dimensions: [
      { name: "weight", low: 0, high: 1, scale: "linear", in_use: 0.5, recommended: 0.7 },
    ],
    in_use: "p0",
    in_use_point: { weight: 0.5 },
    recommended: { served: 80, point: { weight: 0.7 }, beats_in_use: 0.9 },
    candidate: null,
    tried: [],
    path: [
      { served: 0, point: { weight: 0.5 } },
      { served: 40, point: { weight: 0.7 } },
    ],
    warmup: 20,
    ...more,
  };
}

export function candidateOf(
  point_id: string,
  weight: number,
  state: Candidate["state"],
): Candidate {
  const known = { number: 1, generation: 1, wins: 30, losses: 10, level: 0.025 };
  return { ...known, point_id, point: { weight }, state };
}
