// What the server says, as far as the pages use it. Written by hand in the shape of /openapi.json's
// components, one type for each schema, so that generated types can take this file's place.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export type ExperimentState = "draft" | "running" | "paused" | "completed" | "archived";
export type OutcomeResult = "win" | "tie" | "both_bad" | "skip" | "invalid";
export type HealthVerdict = "passed" | "failed" | "warning" | "unknown";

export interface Problem {
  title: string;
  status: number;
  detail: string;
  retryable: boolean;
  errors?: { pointer: string; message: string }[];
}

export interface Listed<T> {
  items: T[];
  next_cursor: string | null;
}

export interface ExperimentItem {
  experiment_id: string;
  name?: string;
  state?: ExperimentState;
  mode?: "duel" | "interleave";
  arms?: number;
  served?: number;
  certified?: boolean;
  error?: string;
}

export interface ArmConfiguration {
  arm_id: string;
  payload: Json;
  state: "active" | "retired";
  default?: boolean;
}

export interface Experiment {
  experiment_id: string;
  name: string;
  state: ExperimentState;
  mode: "duel" | "interleave";
  policy: string;
  goal: string;
  arms: ArmConfiguration[];
  stopping: {
    alpha: number;
    arms: "fixed" | "open";
    min_decisive_per_pair: number;
    max_duels: number;
    on_certified: string;
    pairs_independent: boolean;
  };
  feedback: { timeout_s: number; on_timeout: string };
  served: number;
  pending: number;
  sequence: number;
  etag: string;
}

export interface Counts {
  served: number;
  first_wins: number;
  second_wins: number;
  ties: number;
  both_bad: number;
  skips: number;
  invalid: number;
  expired: number;
  pending: number;
}

export interface ArmResult {
  arm_id: string;
  name: string;
  wins: number;
  losses: number;
  ties: number;
  both_bad: number;
  rate: number;
  probability_best: number;
  elo: number | null;
  elo_interval: [number, number] | null;
  log_evidence?: number;
  log_threshold?: number;
  duels_left?: number | null;
  score?: [number, number] | null;
}

export interface PairResult {
  first: string;
  second: string;
  counts: Counts;
  rate: number;
  interval: [number, number] | null;
}

export interface HealthCheck {
  name: string;
  verdict: HealthVerdict;
  detail: string;
}

export interface OrderResult {
  arms: string[];
  named: number;
  certain: number;
  pairs_needed: number;
  pairs_shown: number;
}

export interface ExperimentResult {
  experiment_id: string;
  verdict: string;
  state: "certified" | "undecided" | "not_enough_data";
  goal: string;
  leader: string | null;
  not_ruled_out: string[];
  order?: OrderResult;
  expected_duels_left: number | null;
  duels: Counts;
  arms: ArmResult[];
  pairs: PairResult[];
  certificate: { kind: string; winner: string | null; sequence: number; named?: string[] } | null;
  health: HealthCheck[];
  probability_no_winner?: number;
  sequence?: number;
  served?: number; // pages of one arm too
  regret?: { against: string; estimate: number; lower_bound: number | null } | null;
  excluded_share?: number;
}

export interface Moment {
  sequence: number;
  time: string;
  served: number;
  decisive: number;
  leader: string | null;
  log_evidence?: number | null;
  log_threshold?: number;
  shown: number[];
}

export interface Timeline {
  experiment_id: string;
  arms: string[];
  points: Moment[];
}

export interface ServedArm {
  arm_id: string;
  position: number;
  payload: Json;
}

export interface ServedDuel {
  duel_id: string;
  experiment_id: string;
  serving: "explore" | "contest" | "exploit" | "aa" | "fallback";
  learn: boolean;
  arms: ServedArm[];
  task?: { task_id: string; payload?: Json };
  served_at?: string;
  expires_at?: string;
  report_token?: string;
}

export interface RecentDuel {
  duel_id: string;
  first: string;
  second: string;
  serving?: string;
  served_at: string;
  state: "served" | "reported" | "expired";
  result?: OutcomeResult;
  winner?: string;
  place?: number;
  note?: string;
  response_ms?: number;
}

export interface OutcomeRequest {
  result: OutcomeResult;
  winner?: string;
  place?: number;
  source?: { type: string; id?: string };
  response_ms?: number;
  report_token?: string;
  note?: string;
}

export interface OutcomeAnswer {
  duel_id: string;
  status: "applied" | "duplicate" | "late" | "expired" | "ignored";
  applied: boolean;
}

export interface Progress {
  experiment_id: string;
  name: string;
  state: ExperimentState;
  mode: "duel" | "interleave";
  answers: number;
  certified: boolean;
  share_of_evidence: number | null;
  expected_duels_left: number | null;
}

export interface PolicyOption {
  name: string;
  type: string;
  default: string;
  allowed: string;
  doc: string;
}

export interface Policy {
  name: string;
  title: string;
  paper: string;
  setting: string;
  guarantee: string;
  status: string;
  needs_horizon: boolean;
  options: PolicyOption[];
}

export interface ExperimentRequest {
  name?: string;
  mode?: "duel" | "interleave";
  arms: { arm_id: string; payload?: Json; default?: boolean }[];
  policy?: string;
  goal?: string;
  top?: number;
  epsilon?: number;
  stopping?: { alpha?: number; max_duels?: number; on_certified?: string };
}

export interface PlanRequest {
  arms: number;
  gap: number;
  alpha: number;
  tie_rate?: number;
  trials?: number;
}

export interface PlanAnswer {
  trials: number;
  fixed_size_duels: number;
  policies: {
    policy: string;
    duels: { mean: number; se: number; p10: number; p50: number; p90: number };
    undecided: number;
  }[];
}

export interface TokenAnswer {
  token_id: string;
  token: string;
  scope: string;
}
