// Written by web/write_types.mjs from the server's /openapi.json, which says what each field means.
// Do not edit: `npm run types --prefix web`.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface AbsentRequest {
  subjects: string[];
}

export interface Accepted {
  accepted: number;
  duplicates: number;
}

export interface Arm {
  arm_id: string;
  payload: Json;
  state: "active" | "retired";
  default: boolean;
  features?: number[];
}

export interface AuditStanding {
  duels: number;
  answers: number;
  waiting: number;
  lost: number;
  agreed: number;
  comparable: number;
  agreement: number | null;
  agreement_interval: [number, number];
  program_alone: string;
  program_winner: string | null;
  says_the_same: boolean;
  differing: AuditedPair[];
  useless: string[];
  worth: number;
  text: string;
}

export interface AuditedPair {
  first: string;
  second: string;
  people: number;
  answers: number;
  program: number;
  duels: number;
}

export interface BradleyTerry {
  ties: "davidson" | "halves";
  error?: string;
  added_wins?: number;
  prior_shape?: number | null;
  tie_parameter?: number;
  position?: PositionEffect;
  lack_of_fit?: LackOfFit;
}

export interface Candidate {
  number: number;
  generation: number;
  point_id: string;
  point: Json;
  state: "standing" | "beaten" | "better_guess" | "certified";
  wins: number;
  losses: number;
  level: number;
  log_evidence?: number;
  log_threshold?: number;
}

export interface Certificate {
  format: number;
  statement: string;
  kind: "winner" | "no_winner" | "copeland" | "borda" | "set" | "order" | "ranking" | "epsilon" | "point";
  winner?: string;
  named?: string[];
  cycle?: string[];
  alpha?: number;
  by?: "counting" | "evidence";
  panel?: PanelStanding;
  rule: CertificateRule;
  assumes?: string[];
  space?: CertifiedSpace;
  tasks?: CertifiedTasks;
  judge?: {
    command: string;
    sha256: string;
  };
  audit?: {
    share: number;
    least?: number;
    price?: {
      judge?: number;
      person?: number;
    };
    give_up_after?: number;
    key_sha256: string;
    from_seed?: boolean;
    auditor?: {
      command: string;
      sha256: string;
    };
  };
  arms: CertifiedArm[];
  scores?: Score[];
  pairs?: CertifiedPair[];
  findings?: Finding[];
  decisive: number;
  conditioned_out: ConditionedOut;
  excluded_share?: number;
  comparisons_from_elsewhere: number;
  health: CertifiedHealth;
  log: CertifiedLog;
  if_wrong?: string;
  reversed_by?: WrongAnswers;
  level_if_wrong?: LevelIfWrong[];
  overturned_by?: WrongAnswers;
  without_voter?: WithoutVoter[];
}

export interface CertificateGiven {
  kind: "winner" | "no_winner" | "copeland" | "borda" | "set" | "order" | "ranking" | "epsilon" | "point";
  winner: string | null;
  sequence: number;
  named?: string[];
  cycle?: string[];
}

export interface CertificateRule {
  text: string;
  goal: "condorcet" | "copeland" | "borda" | "set" | "order" | "ranking" | "epsilon";
  arms_fixed: boolean;
  min_decisive_per_pair: number;
  arms_at_the_start: number;
  top?: number;
  epsilon?: number;
  assume?: "none" | "order";
  shared_causes?: boolean;
}

export interface CertifiedArm {
  arm_id: string;
  active: boolean;
  payload?: string;
  sha256?: string;
}

export interface CertifiedAudits {
  duels: number;
  answers: number;
  lost?: number;
  decisive: number;
  comparable: number;
  agreed: number;
}

export interface CertifiedHealth {
  verdict: "passed" | "failed";
  checks: {
    [name: string]: "passed" | "failed" | "unknown";
  };
}

export interface CertifiedLog {
  experiment_id: string;
  sequence: number;
  head: string;
}

export interface CertifiedPair {
  first: string;
  second: string;
  first_wins: number;
  second_wins: number;
}

export interface CertifiedSpace {
  dimensions: Json;
  point: Json;
  in_use: Json;
  generation: number;
  candidate: number;
  level: number;
}

export interface CertifiedTasks {
  count: number;
  sha256: string;
  about: "tasks_like_these" | "these_tasks";
}

export interface ComparisonRequest {
  first: string;
  second: string;
  result?: "win" | "tie" | "both_bad" | "skip" | "invalid";
  winner?: string;
  score?: number | null;
  source?: {
    type?: string;
    id?: string;
  };
  made_at?: string;
  comparison_id?: string;
}

export interface ConditionedOut {
  ties: number;
  both_bad: number;
  skips: number;
  invalid: number;
  expired: number;
  late: number;
  pending: number;
  failed_tries?: number;
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
  failed_tries: number;
  graded?: number;
  score_sum?: number;
  program_alone?: number;
}

export interface Dimension {
  name: string;
  low: number;
  high: number;
  scale: "linear" | "log";
  step?: number;
  in_use: number;
  recommended: number;
  spread_low?: number;
  spread_high?: number;
}

export interface Duel {
  duel_id: string;
  experiment_id: string;
  serving: "explore" | "contest" | "aa" | "exploit" | "fallback" | "done";
  learn: boolean;
  reason?: "not_running" | "limit" | "cap" | "pending" | "tasks_used_up" | "few_arms" | "certified" | "done" | "no_audits" | "not_before" | "store";
  propensity?: number;
  arms: DuelArm[];
  task?: Task;
  served_at?: string;
  expires_at?: string;
  report_token?: string;
  subject_id?: string;
  voting?: {
    question?: string;
    instructions?: string;
    shows_result?: boolean;
  };
  verdict?: string;
}

export interface DuelArm {
  arm_id: string;
  position: number;
  payload: Json;
}

export interface DuelBatch {
  batch_id: string;
  items: Duel[];
}

export interface DuelRequest {
  duel_id?: string;
  batch_id?: string;
  count?: number;
  subject_id?: string;
  voter?: boolean;
  exclude?: string[];
  task_id?: string;
  slices?: {
    [name: string]: string;
  };
  context?: {
    [name: string]: number[];
  };
}

export interface DuelWithOutcome {
  duel_id: string;
  experiment_id: string;
  serving: "explore" | "contest" | "aa" | "exploit" | "fallback" | "done";
  learn: boolean;
  reason?: "not_running" | "limit" | "cap" | "pending" | "tasks_used_up" | "few_arms" | "certified" | "done" | "no_audits" | "not_before" | "store";
  propensity?: number;
  arms: DuelArm[];
  task?: Task;
  served_at?: string;
  expires_at?: string;
  report_token?: string;
  subject_id?: string;
  voting?: {
    question?: string;
    instructions?: string;
    shows_result?: boolean;
  };
  verdict?: string;
  state: "served" | "reported" | "closed" | "expired";
  outcome?: Outcome;
}

export interface DuelWithPage {
  duel_id: string;
  experiment_id: string;
  serving: "explore" | "contest" | "aa" | "exploit" | "fallback" | "done";
  learn: boolean;
  reason?: "not_running" | "limit" | "cap" | "pending" | "tasks_used_up" | "few_arms" | "certified" | "done" | "no_audits" | "not_before" | "store";
  propensity?: number;
  arms: DuelArm[];
  task?: Task;
  served_at?: string;
  expires_at?: string;
  report_token?: string;
  subject_id?: string;
  voting?: {
    question?: string;
    instructions?: string;
    shows_result?: boolean;
  };
  verdict?: string;
  query_id: string;
  items: PageItem[];
  next_offset?: number;
}

export interface EventsTaken {
  accepted: number;
  rejected: RejectedEvent[];
}

export interface Experiment {
  experiment_id: string;
  name: string;
  state: "draft" | "running" | "paused" | "completed" | "archived";
  mode: "duel" | "interleave";
  policy: string;
  goal: "condorcet" | "copeland" | "borda" | "set" | "order" | "ranking" | "epsilon";
  top?: number;
  epsilon?: number;
  assume?: "none" | "order";
  arms: Arm[];
  space?: Json;
  stopping: {
    alpha: number;
    arms: "fixed" | "open";
    min_decisive_per_pair: number;
    max_duels: number;
    on_certified: "notify" | "exploit" | "complete" | "adopt";
    pairs_independent: boolean;
  };
  feedback: {
    timeout_s: number;
    on_timeout: "discard" | "tie";
    late: "record";
  };
  presentation: {
    order: "random" | "both" | "fixed";
  };
  guardrails: {
    explore_floor: number;
    aa_rate: number;
    max_duels_per_subject_per_day: number;
    max_pending: number;
  };
  interleave?: {
    method: "team_draft" | "probabilistic" | "team_draft_multileave" | "probabilistic_multileave";
    length: number;
    actions: {
      [name: string]: Json;
    };
    per_item_cap: number;
  };
  num_tasks: number;
  about?: "people-like-these" | "tasks-like-these" | "these-tasks" | "these-people";
  panel?: PanelState;
  audit?: {
    by: "people";
    share: number;
    least?: number;
    price?: {
      judge?: number;
      person?: number;
    };
    give_up_after?: number;
  };
  voting?: {
    question: string;
    instructions: string;
    shows_result: boolean;
  };
  slices?: {
    [name: string]: string[];
  };
  seed: number;
  served: number;
  pending: number;
  sequence: number;
  head: string;
  etag: string;
}

export interface ExperimentList {
  items: ExperimentSummary[];
  next_cursor: string | null;
}

export interface ExperimentRequest {
  name?: string;
  mode?: "duel" | "interleave";
  arms?: Array<{
    arm_id: string;
    payload?: Json;
    default?: boolean;
    features?: number[];
  }>;
  space?: Json;
  default_point?: Json;
  warmup?: number;
  policy?: string;
  goal?: "condorcet" | "copeland" | "borda" | "set" | "order" | "ranking" | "epsilon";
  top?: number;
  epsilon?: number;
  assume?: "none" | "order";
  stopping?: {
    alpha?: number;
    arms?: "fixed" | "open";
    min_decisive_per_pair?: number;
    max_duels?: number;
    on_certified?: "notify" | "exploit" | "complete" | "adopt" | null;
    pairs_independent?: boolean;
  };
  feedback?: {
    timeout_s?: number | null;
    on_timeout?: "discard" | "tie";
    late?: "record";
  };
  presentation?: {
    order?: "random" | "both" | "fixed";
  };
  guardrails?: {
    explore_floor?: number;
    aa_rate?: number;
    max_duels_per_subject_per_day?: number;
    max_pending?: number;
  };
  interleave?: {
    method?: "team_draft" | "probabilistic" | "team_draft_multileave" | "probabilistic_multileave";
    length?: number;
    actions?: {
      [name: string]: Json;
    };
    per_item_cap?: number;
  };
  tasks?: Array<{
    task_id: string;
    payload?: Json;
    slices?: {
      [name: string]: string;
    };
  }>;
  about?: "people-like-these" | "tasks-like-these" | "these-tasks" | "these-people";
  panel?: {
    size?: number | null;
    members?: string[];
    early?: boolean;
  };
  audit?: {
    by?: "people";
    share?: number;
    least?: number;
    price?: {
      judge?: number;
      person?: number;
    };
    give_up_after?: number;
  } | null;
  voting?: {
    question?: string;
    instructions?: string;
    shows_result?: boolean;
  };
  slices?: {
    [name: string]: string[];
  };
  seed?: number | null;
}

export interface ExperimentSummary {
  experiment_id: string;
  name?: string;
  state?: "draft" | "running" | "paused" | "completed" | "archived";
  mode?: "duel" | "interleave";
  arms?: number;
  served?: number;
  certified?: boolean;
  created_at?: string;
  active_at?: string;
  glance?: Glance;
  error?: string;
}

export interface Finding {
  winner: string;
  loser: string;
  wins: number;
  losses: number;
  evidence: string;
  threshold: string;
  log_evidence: number;
  log_threshold: number;
  reached_at?: WinsAndLosses;
  graded?: number;
  score_sum?: number;
  audits?: CertifiedAudits;
  logs?: number[];
}

export interface Forecast {
  duels: number | null;
  visits?: number;
  visits_per_day?: number;
  duels_per_day?: number;
  days?: number;
  people?: number;
  questions_each?: number;
  minutes_each?: number;
}

export interface Glance {
  verdict: string;
  failed_checks: string[];
  verdict_at: number;
}

export interface Health {
  verdict: "passed" | "failed";
  checks: HealthCheck[];
}

export interface HealthCheck {
  name: string;
  verdict: "passed" | "failed" | "unknown";
  detail: string;
}

export interface InterleavingRequest {
  lists: {
    [name: string]: string[];
  };
  user_query?: string;
  offset?: number;
  limit?: number | null;
}

export interface JudgesAgreement {
  judge: string;
  other: string;
  agree: number;
  differ: number;
  agreement: number;
  interval: [number, number];
}

export interface Judging {
  answers: number;
  cost: number;
  tokens: number;
  cached: number;
  cost_per_decision: number | null;
  judges?: ResultJudge[];
  agreements?: JudgesAgreement[];
}

export interface LackOfFit {
  statistic: number;
  degrees: number;
  p_value: number;
}

export interface LevelIfWrong {
  share: number;
  answers: number;
  level: number;
}

export interface NewArmRequest {
  payload?: Json;
  features?: number[];
}

export interface NewToken {
  token_id: string;
  scope: "admin" | "read" | "duel" | "vote" | "judge";
  name?: string;
  experiment_id?: string;
  expires_at?: string;
  max_subjects_per_day?: number;
  max_subjects_per_address_per_day?: number;
  one_browser?: boolean;
  member?: string;
  used?: boolean;
  token: string;
}

export interface OneShotRequest {
  duel_id?: string;
  batch_id?: string;
  count?: number;
  subject_id?: string;
  voter?: boolean;
  exclude?: string[];
  task_id?: string;
  slices?: {
    [name: string]: string;
  };
  context?: {
    [name: string]: number[];
  };
  lists: {
    [name: string]: string[];
  };
  user_query?: string;
  offset?: number;
  limit?: number | null;
}

export interface OpenPagesOfPair {
  first: string;
  second: string;
  open: number;
  first_ahead: number;
  second_ahead: number;
  even: number;
}

export interface OpenPair {
  first: string;
  second: string;
  log_evidence: number;
  log_threshold: number;
  duels_left: number | null;
}

export interface OutOfService {
  experiment_id: string;
  why: string;
}

export interface Outcome {
  result: "win" | "tie" | "both_bad" | "skip" | "invalid" | "no_feedback" | "no_contest";
  winner?: string;
  reported_at: string;
}

export interface OutcomeRequest {
  duel_id?: string;
  result?: "win" | "tie" | "both_bad" | "skip" | "invalid" | "close";
  winner?: string;
  place?: number;
  source?: {
    type?: string;
    id?: string;
  };
  response_ms?: number | null;
  judgements?: Array<{
    first: string;
    result?: "win" | "tie" | "both_bad" | "skip" | "invalid";
    winner?: string;
    score?: number | null;
  }>;
  report_token?: string;
  note?: string;
  score?: number | null;
  reason?: string;
  cost?: number;
  tokens?: number;
  cached?: boolean;
  features?: Json;
}

export interface Page {
  query_id: string;
  items: PageItem[];
  next_offset?: number;
}

export interface PageItem {
  object_id: string;
  ordinal: number;
  team: string | null;
  competitive: boolean;
}

export interface PagesSoFar {
  open: number;
  clicked: number;
  clicks: number;
  next_closes_at?: string;
  pairs: OpenPagesOfPair[];
  closed_without_click: number;
  closed_without_contest: number;
}

export interface PanelFacts {
  for_first: number;
  for_second: number;
  for_neither: number;
  unknown?: number;
  of_first?: "beats" | "shown" | "cannot_beat";
  of_second?: "beats" | "shown" | "cannot_beat";
}

export interface PanelPair {
  first: string;
  second: string;
  for_first: number;
  for_second: number;
  for_neither: number;
  unknown?: number;
  certain?: "beats" | "cannot_beat";
  evidence?: string;
  threshold?: string;
}

export interface PanelStanding {
  size: number | null;
  answered: number;
  absent?: number;
  closed: boolean;
  early?: boolean;
  tasks?: number;
  pairs: PanelPair[];
}

export interface PanelState {
  size: number | null;
  listed: boolean;
  early: boolean;
  closed: boolean;
  answered: number;
}

export interface PatchRequest {
  name?: string | null;
  feedback?: {
    timeout_s?: number | null;
    on_timeout?: "discard" | "tie" | null;
    late?: "record" | null;
  } | null;
  guardrails?: {
    explore_floor?: number | null;
    aa_rate?: number | null;
    max_duels_per_subject_per_day?: number | null;
    max_pending?: number | null;
  } | null;
}

export interface Plan {
  truth: string;
  num_arms: number;
  goal: "condorcet" | "copeland" | "borda" | "set" | "order" | "ranking" | "epsilon";
  top?: number;
  epsilon?: number;
  assume?: "none" | "order";
  alpha: number;
  max_duels: number;
  trials: number;
  seed: number;
  truths_without_winner: number;
  reference_duels?: number;
  fixed_size_duels?: number;
  policies: PlanPolicy[];
}

export interface PlanCost {
  p10: number;
  p50: number;
  p90: number;
}

export interface PlanDuels {
  mean: number;
  se: number;
  p10: number;
  p50: number;
  p90: number;
  p99: number;
}

export interface PlanPolicy {
  policy: string;
  duels: PlanDuels;
  winner_certified: number;
  no_winner_certified: number;
  undecided: number;
  wrong: number;
  wrong_rate_limit: number;
  regret: number;
  cost?: PlanCost;
  people?: PlanDuels;
}

export interface PlanRequest {
  arms?: number;
  gap?: number;
  spread?: number;
  alpha?: number;
  tie_rate?: number;
  parallel?: number;
  max_duels?: number;
  trials?: number;
  goal?: "condorcet" | "copeland" | "borda" | "set" | "order" | "ranking" | "epsilon";
  top?: number;
  epsilon?: number;
  assume?: "none" | "order";
  policy?: string;
  shared_causes?: boolean;
}

export interface PlanePoint {
  first: number;
  second: number;
  beats_in_use: number;
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

export interface PolicyList {
  items: Policy[];
  next_cursor: string | null;
}

export interface PolicyOption {
  name: string;
  type: string;
  default: string;
  allowed: string;
  doc: string;
}

export interface PositionEffect {
  log_odds?: number;
  interval?: [number, number];
  elo?: number;
  elo_interval?: [number, number];
  first_wins_against_equal?: number;
  error?: string;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  retryable: boolean;
  errors?: ProblemError[];
  reason?: string;
}

export interface ProblemError {
  pointer: string;
  message: string;
}

export interface Progress {
  verdict?: string;
  certified: boolean;
  expected_duels_left: number | null;
}

export interface Ready {
  status: "ready";
  out_of_service?: OutOfService[];
}

export interface RecentDuel {
  duel_id: string;
  first: string;
  second: string;
  serving: "explore" | "contest" | "aa" | "exploit";
  task_id?: string;
  served_at: string;
  state: "served" | "reported" | "closed" | "expired";
  result?: "win" | "tie" | "both_bad" | "skip" | "invalid" | "no_feedback" | "no_contest";
  winner?: string;
  place?: number;
  note?: string;
  response_ms?: number;
  reported_at?: string;
  reason?: string;
}

export interface RecentDuels {
  items: RecentDuel[];
  next_cursor: string | null;
}

export interface Recommendation {
  served: number;
  point: Json;
  beats_in_use?: number;
}

export interface Regret {
  against: string;
  estimate: number;
  lower_bound: number | null;
}

export interface RejectedEvent {
  index: number;
  reason: string;
}

export interface Reported {
  duel_id: string;
  status: "applied" | "duplicate" | "late" | "expired" | "ignored";
  applied: boolean;
  next?: Duel;
  progress?: Progress;
}

export interface ReportedItem {
  index: number;
  duel_id?: string;
  status: "applied" | "duplicate" | "late" | "expired" | "ignored" | "unknown" | "conflict" | "invalid";
  detail?: string;
}

export interface ReportedItems {
  items: ReportedItem[];
}

export interface Result {
  experiment_id: string;
  verdict: string;
  state: "certified" | "undecided" | "not_enough_data";
  goal: string;
  leader: string | null;
  tied: string[];
  not_ruled_out: string[];
  order?: ResultOrder;
  panel?: PanelStanding;
  space?: SpaceStanding;
  audit?: AuditStanding;
  expected_duels_left: number | null;
  forecast: Forecast;
  regret: Regret | null;
  excluded_share: number;
  one_look: boolean;
  duels: Counts;
  arms: ResultArm[];
  pairs: ResultPair[];
  bradley_terry: BradleyTerry;
  probability_no_winner: number;
  judging?: Judging;
  certificate: CertificateGiven | null;
  if_wrong?: string;
  reversed_by?: WrongAnswers;
  level_if_wrong?: LevelIfWrong[];
  overturned_by?: WrongAnswers;
  without_voter?: WithoutVoter[];
  why_not_yet: WhyNotYet[];
  health: HealthCheck[];
  by_slice?: {
    [name: string]: {
      [name: string]: SliceResult;
    };
  };
  slices_differ?: string[];
  served: number;
  sequence: number;
  pages?: PagesSoFar;
}

export interface ResultArm {
  arm_id: string;
  name: string;
  rank: number;
  rank_range: [number, number];
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
  score?: [number, number];
}

export interface ResultJudge {
  judge: string;
  answers: number;
  first_share: number | null;
  first_share_interval: [number, number];
  both_orders: number;
  flips: number;
  flip_rate: number | null;
  flip_interval: [number, number];
}

export interface ResultOrder {
  arms: string[];
  named: number;
  certain: number;
  pairs_needed: number;
  pairs_shown: number;
  open: OpenPair[];
}

export interface ResultPair {
  first: string;
  second: string;
  counts: Counts;
  rate: number;
  interval: [number, number];
  panel?: PanelFacts;
}

export interface Revoked {
  revoked: boolean;
}

export interface Score {
  arm_id: string;
  lower: number;
  upper: number;
}

export interface Slice {
  name: string;
  points: SlicePoint[];
}

export interface SlicePoint {
  value: number;
  beats_in_use: number;
}

export interface SliceResult {
  experiment_id: string;
  verdict: string;
  state: "certified" | "undecided" | "not_enough_data";
  goal: string;
  leader: string | null;
  tied: string[];
  not_ruled_out: string[];
  order?: ResultOrder;
  panel?: PanelStanding;
  space?: SpaceStanding;
  audit?: AuditStanding;
  expected_duels_left: number | null;
  forecast: Forecast;
  regret: Regret | null;
  excluded_share: number;
  one_look: boolean;
  duels: Counts;
  arms: ResultArm[];
  pairs: ResultPair[];
  bradley_terry: BradleyTerry;
  probability_no_winner: number;
  judging?: Judging;
  certificate: CertificateGiven | null;
  if_wrong?: string;
  reversed_by?: WrongAnswers;
  level_if_wrong?: LevelIfWrong[];
  overturned_by?: WrongAnswers;
  without_voter?: WithoutVoter[];
  why_not_yet: WhyNotYet[];
  health: HealthCheck[];
  alpha: number;
}

export interface Slices {
  through: Json;
  slices: Slice[];
  plane?: PlanePoint[];
}

export interface SpaceStanding {
  dimensions: Dimension[];
  in_use: string;
  in_use_point: Json;
  recommended: Recommendation;
  candidate: Candidate | null;
  tried: Candidate[];
  path: Recommendation[];
  warmup: number;
}

export interface Status {
  status: "ok";
}

export interface Task {
  task_id: string;
  payload: Json;
}

export interface Timeline {
  experiment_id: string;
  arms: string[];
  points: TimelinePoint[];
}

export interface TimelinePoint {
  sequence: number;
  time: string;
  served: number;
  decisive: number;
  leader: string | null;
  log_evidence?: number | null;
  log_threshold?: number;
  shown: number[];
}

export interface Token {
  token_id: string;
  scope: "admin" | "read" | "duel" | "vote" | "judge";
  name?: string;
  experiment_id?: string;
  expires_at?: string;
  max_subjects_per_day?: number;
  max_subjects_per_address_per_day?: number;
  one_browser?: boolean;
  member?: string;
  used?: boolean;
}

export interface TokenList {
  items: Token[];
  next_cursor: string | null;
}

export interface TokenRequest {
  scope: "admin" | "read" | "duel" | "vote" | "judge";
  name?: string;
  experiment_id?: string;
  expires_at?: string | null;
  max_subjects_per_day?: number;
  max_subjects_per_address_per_day?: number;
  one_browser?: boolean;
  member?: string;
}

export interface UbiEvent {
  action_name: string;
  timestamp: string;
  query_id: string;
  session_id?: string | null;
  event_attributes?: {
    object?: {
      object_id?: string | null;
      [name: string]: unknown;
    } | null;
    position?: {
      ordinal?: number | null;
      [name: string]: unknown;
    } | null;
    duel?: {
      experiment_id?: string | null;
      report_token?: string | null;
      [name: string]: unknown;
    } | null;
    [name: string]: unknown;
  } | null;
  [name: string]: unknown;
}

export interface Version {
  version: string;
  log_format: number;
}

export interface VotingProgress {
  experiment_id: string;
  name: string;
  state: "draft" | "running" | "paused" | "completed" | "archived";
  mode: "duel" | "interleave";
  answers: number;
  certified: boolean;
  share_of_evidence: number | null;
  expected_duels_left: number | null;
}

export interface WhyNotYet {
  reason: "not_running" | "max_duels" | "tasks_used_up" | "no_decisive_answer" | "answers_wait" | "subject_again" | "task_again" | "lost_serves" | "recovered" | "not_admitted" | "late" | "minimum_per_pair" | "none_first" | "rivals" | "panel_open" | "people" | "point_open" | "health";
  count: number;
  until?: string;
  detail: string;
}

export interface WinsAndLosses {
  wins: number;
  losses: number;
}

export interface WithoutVoter {
  voter: string;
  answers: number;
  undoes_certificate: boolean;
  undoes_lead: boolean;
}

export interface WrongAnswers {
  flipped: number;
  of: number;
  winner: string;
  loser: string;
  missing: number;
  missing_of: number;
}

// What each operation is given in its address, takes in its body and answers as JSON.
export interface Operations {
  create_experiment: { given: { eid: string }; takes: ExperimentRequest; gives: Experiment };
  show_experiment: { given: { eid: string }; takes: undefined; gives: Experiment };
  patch_experiment: { given: { eid: string }; takes: PatchRequest; gives: Experiment };
  list_experiments: { given: { limit?: number; cursor?: string }; takes: undefined; gives: ExperimentList };
  start_experiment: { given: { eid: string }; takes: undefined; gives: Experiment };
  pause_experiment: { given: { eid: string }; takes: undefined; gives: Experiment };
  resume_experiment: { given: { eid: string }; takes: undefined; gives: Experiment };
  complete_experiment: { given: { eid: string }; takes: undefined; gives: Experiment };
  archive_experiment: { given: { eid: string }; takes: undefined; gives: Experiment };
  close_panel: { given: { eid: string }; takes: undefined; gives: Experiment };
  miss_members: { given: { eid: string }; takes: AbsentRequest; gives: Experiment };
  put_arm: { given: { eid: string; aid: string }; takes: NewArmRequest; gives: Arm };
  delete_arm: { given: { eid: string; aid: string }; takes: undefined; gives: Arm };
  take_comparisons: { given: { eid: string }; takes: ComparisonRequest[]; gives: Accepted };
  import_log: { given: { eid: string }; takes: undefined; gives: Experiment };
  serve_duels: { given: { eid: string }; takes: DuelRequest; gives: Duel | DuelBatch };
  list_duels: { given: { eid: string; limit?: number }; takes: undefined; gives: RecentDuels };
  show_duel: { given: { eid: string; did: string }; takes: undefined; gives: DuelWithOutcome };
  interleave_duel: { given: { eid: string; did: string }; takes: InterleavingRequest; gives: Page };
  report_outcome: { given: { eid: string; did: string; next?: "1"; next_duel_id?: string }; takes: OutcomeRequest; gives: Reported };
  interleave_in_one: { given: { eid: string }; takes: OneShotRequest; gives: DuelWithPage };
  report_outcomes: { given: { eid: string }; takes: OutcomeRequest | OutcomeRequest[]; gives: ReportedItems };
  take_events: { given: Record<string, never>; takes: UbiEvent | UbiEvent[]; gives: EventsTaken };
  show_result: { given: { eid: string }; takes: undefined; gives: Result };
  show_certificate: { given: { eid: string }; takes: undefined; gives: Certificate };
  show_health: { given: { eid: string }; takes: undefined; gives: Health };
  show_slices: { given: { eid: string }; takes: undefined; gives: Slices };
  show_timeline: { given: { eid: string; points?: number }; takes: undefined; gives: Timeline };
  show_progress: { given: { eid: string }; takes: undefined; gives: VotingProgress };
  open_stream: { given: { eid: string }; takes: undefined; gives: undefined };
  export_log: { given: { eid: string; what?: "duels" | "nonvotes" | "events" | "audit"; format?: "jsonl" | "csv" | "arena" }; takes: undefined; gives: undefined };
  plan: { given: Record<string, never>; takes: PlanRequest; gives: Plan };
  list_policies: { given: Record<string, never>; takes: undefined; gives: PolicyList };
  list_tokens: { given: Record<string, never>; takes: undefined; gives: TokenList };
  create_token: { given: Record<string, never>; takes: TokenRequest; gives: NewToken };
  delete_token: { given: { tid: string }; takes: undefined; gives: Revoked };
  healthz: { given: Record<string, never>; takes: undefined; gives: Status };
  readyz: { given: Record<string, never>; takes: undefined; gives: Ready };
  metrics: { given: Record<string, never>; takes: undefined; gives: undefined };
  openapi: { given: Record<string, never>; takes: undefined; gives: Json };
  version: { given: Record<string, never>; takes: undefined; gives: Version };
}

export const ROUTES: { readonly [Id in keyof Operations]: readonly [method: string, path: string] } = {
  create_experiment: ["PUT", "/v1/experiments/{eid}"],
  show_experiment: ["GET", "/v1/experiments/{eid}"],
  patch_experiment: ["PATCH", "/v1/experiments/{eid}"],
  list_experiments: ["GET", "/v1/experiments"],
  start_experiment: ["POST", "/v1/experiments/{eid}/start"],
  pause_experiment: ["POST", "/v1/experiments/{eid}/pause"],
  resume_experiment: ["POST", "/v1/experiments/{eid}/resume"],
  complete_experiment: ["POST", "/v1/experiments/{eid}/complete"],
  archive_experiment: ["POST", "/v1/experiments/{eid}/archive"],
  close_panel: ["POST", "/v1/experiments/{eid}/panel/close"],
  miss_members: ["POST", "/v1/experiments/{eid}/panel/absent"],
  put_arm: ["PUT", "/v1/experiments/{eid}/arms/{aid}"],
  delete_arm: ["DELETE", "/v1/experiments/{eid}/arms/{aid}"],
  take_comparisons: ["POST", "/v1/experiments/{eid}/comparisons"],
  import_log: ["POST", "/v1/experiments/{eid}/import"],
  serve_duels: ["POST", "/v1/experiments/{eid}/duels"],
  list_duels: ["GET", "/v1/experiments/{eid}/duels"],
  show_duel: ["GET", "/v1/experiments/{eid}/duels/{did}"],
  interleave_duel: ["PUT", "/v1/experiments/{eid}/duels/{did}/interleaving"],
  report_outcome: ["PUT", "/v1/experiments/{eid}/duels/{did}/outcome"],
  interleave_in_one: ["POST", "/v1/experiments/{eid}/interleavings"],
  report_outcomes: ["POST", "/v1/experiments/{eid}/outcomes"],
  take_events: ["POST", "/v1/events"],
  show_result: ["GET", "/v1/experiments/{eid}/result"],
  show_certificate: ["GET", "/v1/experiments/{eid}/certificate"],
  show_health: ["GET", "/v1/experiments/{eid}/health"],
  show_slices: ["GET", "/v1/experiments/{eid}/slices"],
  show_timeline: ["GET", "/v1/experiments/{eid}/timeline"],
  show_progress: ["GET", "/v1/experiments/{eid}/progress"],
  open_stream: ["GET", "/v1/experiments/{eid}/stream"],
  export_log: ["GET", "/v1/experiments/{eid}/export"],
  plan: ["POST", "/v1/plan"],
  list_policies: ["GET", "/v1/policies"],
  list_tokens: ["GET", "/v1/tokens"],
  create_token: ["POST", "/v1/tokens"],
  delete_token: ["DELETE", "/v1/tokens/{tid}"],
  healthz: ["GET", "/healthz"],
  readyz: ["GET", "/readyz"],
  metrics: ["GET", "/metrics"],
  openapi: ["GET", "/openapi.json"],
  version: ["GET", "/v1/version"],
};
