// What is inside a report, as `duel plot` and `duel result` write it.
import type { Json, Timeline } from "../api/types";
import type { ShownResult } from "../charts/shown_result";

export interface Summary {
  mean: number | null;
  se: number | null;
}

export interface Checkpoint {
  round: number;
  regret: { [notion: string]: Summary };
  accuracy: number | null;
}

export interface Run {
  matrix: string;
  rounds: number;
  trials: number;
  seed: number;
  lower_bound: number | null;
  policies: { policy: string; checkpoints: Checkpoint[] }[];
}

export interface LeagueStanding {
  policy: string;
  rank: number | null;
  problems: number;
  log_ratio: number | null;
  log_ratio_se: number | null;
}

export interface LeagueProblem {
  problem: string;
  num_arms: number;
  policies: { policy: string; mean: number | null; ratio: number | null; told_apart: boolean }[];
}

export type ReportData = { made_by: string } & (
  | {
      kind: "result";
      source: string;
      alpha: number;
      policy: string;
      result: ShownResult;
      arms?: { arm_id: string; payload: Json }[]; // what was compared, where the log says it
      timeline?: Timeline;
    }
  | { kind: "study"; title: string; runs: Run[] }
  | {
      kind: "league";
      title: string;
      league: {
        rounds: number;
        trials: number;
        seed: number;
        ranking: LeagueStanding[];
        problems: LeagueProblem[];
      };
    }
);
