"""What results, certificates and plans hold. Written from the structs that their JSON is written
from, by tests/wire/python_types_test.cc; do not edit."""

from typing import Any, Literal, TypedDict

from typing_extensions import NotRequired

class AuditStanding(TypedDict):
    duels: int
    answers: int
    waiting: int
    lost: int
    agreed: int
    comparable: int
    agreement: float | None
    agreement_interval: list[float]
    program_alone: str
    program_winner: str | None
    says_the_same: bool
    differing: list[AuditedPair]
    useless: list[str]
    worth: int
    text: str

class AuditedPair(TypedDict):
    first: str
    second: str
    people: float
    answers: int
    program: float
    duels: int

class BradleyTerry(TypedDict):
    ties: Literal["davidson", "halves"]
    error: NotRequired[str]
    added_wins: NotRequired[float]
    prior_shape: NotRequired[float | None]
    tie_parameter: NotRequired[float]
    position: NotRequired[PositionEffect]
    lack_of_fit: NotRequired[LackOfFit]

class Candidate(TypedDict):
    number: int
    generation: int
    point_id: str
    point: Any
    state: Literal["standing", "beaten", "better_guess", "certified"]
    wins: int
    losses: int
    level: float
    log_evidence: NotRequired[float]
    log_threshold: NotRequired[float]

class Certificate(TypedDict):
    format: int
    statement: str
    kind: Literal["winner", "no_winner", "copeland", "borda", "set", "order", "ranking", "epsilon", "point"]
    winner: NotRequired[str]
    named: NotRequired[list[str]]
    cycle: NotRequired[list[str]]
    alpha: NotRequired[float]
    by: NotRequired[Literal["counting", "evidence"]]
    panel: NotRequired[PanelStanding]
    rule: CertificateRule
    assumes: NotRequired[list[str]]
    space: NotRequired[CertifiedSpace]
    tasks: NotRequired[CertifiedTasks]
    judge: NotRequired[dict[str, Any]]
    audit: NotRequired[dict[str, Any]]
    arms: list[CertifiedArm]
    scores: NotRequired[list[Score]]
    pairs: NotRequired[list[CertifiedPair]]
    findings: NotRequired[list[Finding]]
    decisive: int
    conditioned_out: ConditionedOut
    excluded_share: NotRequired[float]
    comparisons_from_elsewhere: int
    health: CertifiedHealth
    log: CertifiedLog
    if_wrong: NotRequired[str]
    reversed_by: NotRequired[WrongAnswers]
    level_if_wrong: NotRequired[list[LevelIfWrong]]
    overturned_by: NotRequired[WrongAnswers]
    without_voter: NotRequired[list[WithoutVoter]]

class CertificateGiven(TypedDict):
    kind: Literal["winner", "no_winner", "copeland", "borda", "set", "order", "ranking", "epsilon", "point"]
    winner: str | None
    sequence: int
    named: NotRequired[list[str]]
    cycle: NotRequired[list[str]]

class CertificateRule(TypedDict):
    text: str
    goal: Literal["condorcet", "copeland", "borda", "set", "order", "ranking", "epsilon"]
    arms_fixed: bool
    min_decisive_per_pair: int
    arms_at_the_start: int
    top: NotRequired[int]
    epsilon: NotRequired[float]
    assume: NotRequired[Literal["none", "order"]]
    shared_causes: NotRequired[bool]

class CertifiedArm(TypedDict):
    arm_id: str
    active: bool
    payload: NotRequired[str]
    sha256: NotRequired[str]

class CertifiedAudits(TypedDict):
    duels: int
    answers: int
    lost: NotRequired[int]
    decisive: int
    comparable: int
    agreed: int

class CertifiedHealth(TypedDict):
    verdict: Literal["passed", "failed"]
    checks: dict[str, Literal["passed", "failed", "unknown"]]

class CertifiedLog(TypedDict):
    experiment_id: str
    sequence: int
    head: str

class CertifiedPair(TypedDict):
    first: str
    second: str
    first_wins: int
    second_wins: int

class CertifiedSpace(TypedDict):
    dimensions: Any
    point: Any
    in_use: Any
    generation: int
    candidate: int
    level: float

class CertifiedTasks(TypedDict):
    count: int
    sha256: str
    about: Literal["tasks_like_these", "these_tasks"]

class ConditionedOut(TypedDict):
    ties: int
    both_bad: int
    skips: int
    invalid: int
    expired: int
    late: int
    pending: int
    failed_tries: NotRequired[int]

class Counts(TypedDict):
    served: int
    first_wins: int
    second_wins: int
    ties: int
    both_bad: int
    skips: int
    invalid: int
    expired: int
    pending: int
    failed_tries: int
    graded: NotRequired[int]
    score_sum: NotRequired[float]
    program_alone: NotRequired[int]

class Dimension(TypedDict):
    name: str
    low: float
    high: float
    scale: Literal["linear", "log"]
    step: NotRequired[float]
    in_use: float
    recommended: float
    spread_low: NotRequired[float]
    spread_high: NotRequired[float]

class ExperimentResult(TypedDict):
    experiment_id: str
    verdict: str
    state: Literal["certified", "undecided", "not_enough_data"]
    goal: str
    leader: str | None
    tied: list[str]
    not_ruled_out: list[str]
    order: NotRequired[ResultOrder]
    panel: NotRequired[PanelStanding]
    space: NotRequired[SpaceStanding]
    audit: NotRequired[AuditStanding]
    expected_duels_left: int | None
    forecast: Forecast
    regret: Regret | None
    excluded_share: float
    one_look: bool
    duels: Counts
    arms: list[ResultArm]
    pairs: list[ResultPair]
    bradley_terry: BradleyTerry
    probability_no_winner: float
    judging: NotRequired[Judging]
    certificate: CertificateGiven | None
    if_wrong: NotRequired[str]
    reversed_by: NotRequired[WrongAnswers]
    level_if_wrong: NotRequired[list[LevelIfWrong]]
    overturned_by: NotRequired[WrongAnswers]
    without_voter: NotRequired[list[WithoutVoter]]
    why_not_yet: list[WhyNotYet]
    health: list[HealthCheck]

class Finding(TypedDict):
    winner: str
    loser: str
    wins: int
    losses: int
    evidence: str
    threshold: str
    log_evidence: float
    log_threshold: float
    reached_at: NotRequired[WinsAndLosses]
    graded: NotRequired[int]
    score_sum: NotRequired[float]
    audits: NotRequired[CertifiedAudits]
    logs: NotRequired[list[float]]

class Forecast(TypedDict):
    duels: int | None
    visits: NotRequired[int]
    visits_per_day: NotRequired[float]
    duels_per_day: NotRequired[float]
    days: NotRequired[float]
    people: NotRequired[int]
    questions_each: NotRequired[int]
    minutes_each: NotRequired[float]

class Health(TypedDict):
    verdict: Literal["passed", "failed"]
    checks: list[HealthCheck]

class HealthCheck(TypedDict):
    name: str
    verdict: Literal["passed", "failed", "unknown"]
    detail: str

class JudgesAgreement(TypedDict):
    judge: str
    other: str
    agree: int
    differ: int
    agreement: float
    interval: list[float]

class Judging(TypedDict):
    answers: int
    cost: float
    tokens: int
    cached: int
    cost_per_decision: float | None
    judges: NotRequired[list[ResultJudge]]
    agreements: NotRequired[list[JudgesAgreement]]

class LackOfFit(TypedDict):
    statistic: float
    degrees: int
    p_value: float

class LevelIfWrong(TypedDict):
    share: float
    answers: int
    level: float

class OpenPair(TypedDict):
    first: str
    second: str
    log_evidence: float
    log_threshold: float
    duels_left: int | None

class PanelFacts(TypedDict):
    for_first: int
    for_second: int
    for_neither: int
    unknown: NotRequired[int]
    of_first: NotRequired[Literal["beats", "shown", "cannot_beat"]]
    of_second: NotRequired[Literal["beats", "shown", "cannot_beat"]]

class PanelPair(TypedDict):
    first: str
    second: str
    for_first: int
    for_second: int
    for_neither: int
    unknown: NotRequired[int]
    certain: NotRequired[Literal["beats", "cannot_beat"]]
    evidence: NotRequired[str]
    threshold: NotRequired[str]

class PanelStanding(TypedDict):
    size: int | None
    answered: int
    absent: NotRequired[int]
    closed: bool
    early: NotRequired[bool]
    tasks: NotRequired[int]
    pairs: list[PanelPair]

class Plan(TypedDict):
    truth: str
    num_arms: int
    goal: Literal["condorcet", "copeland", "borda", "set", "order", "ranking", "epsilon"]
    top: NotRequired[int]
    epsilon: NotRequired[float]
    assume: NotRequired[Literal["none", "order"]]
    alpha: float
    max_duels: int
    trials: int
    seed: int
    truths_without_winner: int
    reference_duels: NotRequired[float]
    fixed_size_duels: NotRequired[float]
    policies: list[PlanPolicy]

class PlanCost(TypedDict):
    p10: float
    p50: float
    p90: float

class PlanDuels(TypedDict):
    mean: float
    se: float
    p10: float
    p50: float
    p90: float
    p99: float

class PlanPolicy(TypedDict):
    policy: str
    duels: PlanDuels
    winner_certified: int
    no_winner_certified: int
    undecided: int
    wrong: int
    wrong_rate_limit: float
    regret: float
    cost: NotRequired[PlanCost]
    people: NotRequired[PlanDuels]

class PositionEffect(TypedDict):
    log_odds: NotRequired[float]
    interval: NotRequired[list[float]]
    elo: NotRequired[float]
    elo_interval: NotRequired[list[float]]
    first_wins_against_equal: NotRequired[float]
    error: NotRequired[str]

class Recommendation(TypedDict):
    served: int
    point: Any
    beats_in_use: NotRequired[float]

class Regret(TypedDict):
    against: str
    estimate: float
    lower_bound: float | None

class ResultArm(TypedDict):
    arm_id: str
    name: str
    rank: int
    rank_range: list[int]
    wins: int
    losses: int
    ties: int
    both_bad: int
    rate: float
    probability_best: float
    elo: float | None
    elo_interval: list[float] | None
    log_evidence: NotRequired[float]
    log_threshold: NotRequired[float]
    duels_left: NotRequired[int | None]
    score: NotRequired[list[float]]

class ResultJudge(TypedDict):
    judge: str
    answers: int
    first_share: float | None
    first_share_interval: list[float]
    both_orders: int
    flips: int
    flip_rate: float | None
    flip_interval: list[float]

class ResultOrder(TypedDict):
    arms: list[str]
    named: int
    certain: int
    pairs_needed: int
    pairs_shown: int
    open: list[OpenPair]

class ResultPair(TypedDict):
    first: str
    second: str
    counts: Counts
    rate: float
    interval: list[float]
    panel: NotRequired[PanelFacts]

class Score(TypedDict):
    arm_id: str
    lower: float
    upper: float

class SpaceStanding(TypedDict):
    dimensions: list[Dimension]
    in_use: str
    in_use_point: Any
    recommended: Recommendation
    candidate: Candidate | None
    tried: list[Candidate]
    path: list[Recommendation]
    warmup: int

class Timeline(TypedDict):
    experiment_id: str
    arms: list[str]
    points: list[TimelinePoint]

class TimelinePoint(TypedDict):
    sequence: int
    time: str
    served: int
    decisive: int
    leader: str | None
    log_evidence: NotRequired[float | None]
    log_threshold: NotRequired[float]
    shown: list[int]

class WhyNotYet(TypedDict):
    reason: Literal["not_running", "max_duels", "tasks_used_up", "no_decisive_answer", "answers_wait", "subject_again", "task_again", "lost_serves", "recovered", "not_admitted", "late", "minimum_per_pair", "none_first", "rivals", "panel_open", "people", "point_open", "health"]
    count: int
    until: NotRequired[str]
    detail: str

class WinsAndLosses(TypedDict):
    wins: int
    losses: int

class WithoutVoter(TypedDict):
    voter: str
    answers: int
    undoes_certificate: bool
    undoes_lead: bool

class WrongAnswers(TypedDict):
    flipped: int
    of: int
    winner: str
    loser: str
    missing: int
    missing_of: int
