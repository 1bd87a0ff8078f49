// The answers that other rooms write (experiment_result.h, certificate_file.h, timeline.h, plan.h),
// as /openapi.json describes them. Nothing is made of these structs; a test holds every answer
// against their schemas, so that a field that is added there is missed here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/log/record_fields.h"
#include "duel/wire/answers.h"

namespace duel {

using IntervalShape = std::array<double, 2>;

struct CountsShape {
  std::uint64_t served, first_wins, second_wins, ties, both_bad, skips, invalid, expired, pending,
      failed_tries;
};
template <>
struct Described<CountsShape> {
  static constexpr std::string_view schema = "Counts";
  static constexpr FieldList fields{
      required("served", &CountsShape::served),
      required("first_wins", &CountsShape::first_wins, "of the arm named or shown first"),
      required("second_wins", &CountsShape::second_wins),
      required("ties", &CountsShape::ties),
      required("both_bad", &CountsShape::both_bad),
      required("skips", &CountsShape::skips),
      required("invalid", &CountsShape::invalid),
      required("expired", &CountsShape::expired),
      required("pending", &CountsShape::pending),
      required("failed_tries", &CountsShape::failed_tries)};
};

// A field that is there or not, and null where it is there without a value.
template <class Value>
struct NullOr {
  using null_or = Value;
};

struct ResultArmShape {
  std::string arm_id, name;
  std::uint64_t rank;
  std::optional<IntervalShape> rank_range;
  std::uint64_t wins, losses, ties, both_bad;
  double rate, probability_best;
  std::optional<double> elo;
  std::optional<IntervalShape> elo_interval;
  std::optional<double> log_evidence, log_threshold;
  NullOr<std::uint64_t> duels_left;
  std::optional<IntervalShape> score;
};
template <>
struct Described<ResultArmShape> {
  static constexpr std::string_view schema = "ResultArm";
  static constexpr FieldList fields{
      required("arm_id", &ResultArmShape::arm_id),
      required("name", &ResultArmShape::name),
      required("rank", &ResultArmShape::rank, "by strength, or by rate where there is none"),
      required("rank_range", &ResultArmShape::rank_range,
               "the places that the strengths leave open; null where there are none"),
      required("wins", &ResultArmShape::wins, "against all others"),
      required("losses", &ResultArmShape::losses),
      required("ties", &ResultArmShape::ties),
      required("both_bad", &ResultArmShape::both_bad),
      required("rate", &ResultArmShape::rate, "of its decisive duels"),
      required("probability_best", &ResultArmShape::probability_best),
      required("elo", &ResultArmShape::elo, "Bradley-Terry, 0 for the average arm"),
      required("elo_interval", &ResultArmShape::elo_interval,
               "95 %, as if the number of duels had been fixed"),
      optional("log_evidence", &ResultArmShape::log_evidence, "that the leader beats it"),
      optional("log_threshold", &ResultArmShape::log_threshold, "what that has to reach"),
      optional("duels_left", &ResultArmShape::duels_left, "until then, if the rates are the truth"),
      optional("score", &ResultArmShape::score, "of the goals `copeland` and `borda`")};
};

struct ResultPairShape {
  std::string first, second;
  CountsShape counts;
  double rate;
  IntervalShape interval;
};
template <>
struct Described<ResultPairShape> {
  static constexpr std::string_view schema = "ResultPair";
  static constexpr FieldList fields{
      required("first", &ResultPairShape::first), required("second", &ResultPairShape::second),
      required("counts", &ResultPairShape::counts, "from the side of `first`"),
      required("rate", &ResultPairShape::rate, "at which `first` wins decisive duels"),
      required("interval", &ResultPairShape::interval, "of the rate, whenever you look")};
};

struct OpenPairShape {
  std::string first, second;
  double log_evidence, log_threshold;
  std::optional<std::uint64_t> duels_left;
};
template <>
struct Described<OpenPairShape> {
  static constexpr std::string_view schema = "OpenPair";
  static constexpr FieldList fields{required("first", &OpenPairShape::first),
                                    required("second", &OpenPairShape::second),
                                    required("log_evidence", &OpenPairShape::log_evidence),
                                    required("log_threshold", &OpenPairShape::log_threshold),
                                    required("duels_left", &OpenPairShape::duels_left)};
};

struct OrderShape {
  std::vector<std::string> arms;
  std::uint64_t named, certain, pairs_needed, pairs_shown;
  std::vector<OpenPairShape> open;
};
template <>
struct Described<OrderShape> {
  static constexpr std::string_view schema = "ResultOrder";
  static constexpr FieldList fields{
      required("arms", &OrderShape::arms, "as they stand, the best first"),
      required("named", &OrderShape::named, "how many of them are to be certified"),
      required("certain", &OrderShape::certain),
      required("pairs_needed", &OrderShape::pairs_needed),
      required("pairs_shown", &OrderShape::pairs_shown),
      required("open", &OrderShape::open)};
};

struct LackOfFitShape {
  double statistic, degrees, p_value;
};
template <>
struct Described<LackOfFitShape> {
  static constexpr std::string_view schema = "LackOfFit";
  static constexpr FieldList fields{required("statistic", &LackOfFitShape::statistic),
                                    required("degrees", &LackOfFitShape::degrees),
                                    required("p_value", &LackOfFitShape::p_value)};
};

struct StrengthsShape {
  std::string ties, error;
  std::optional<double> added_wins;
  std::optional<double> tie_parameter;
  Json prior_shape;
  std::optional<LackOfFitShape> lack_of_fit;
};
template <>
struct Described<StrengthsShape> {
  static constexpr std::string_view schema = "BradleyTerry";
  static constexpr FieldList fields{
      required("ties", &StrengthsShape::ties, "how ties enter", OneOf("davidson", "halves")),
      optional("error", &StrengthsShape::error, "why there are no strengths"),
      optional("added_wins", &StrengthsShape::added_wins),
      optional("prior_shape", &StrengthsShape::prior_shape),
      optional("tie_parameter", &StrengthsShape::tie_parameter),
      optional("lack_of_fit", &StrengthsShape::lack_of_fit)};
};

struct GivenShape {
  CertificateKind kind;
  std::optional<std::string> winner;
  std::uint64_t sequence;
  std::optional<std::vector<std::string>> named;
};
template <>
struct Described<GivenShape> {
  static constexpr std::string_view schema = "CertificateGiven";
  static constexpr FieldList fields{
      required("kind", &GivenShape::kind), required("winner", &GivenShape::winner),
      required("sequence", &GivenShape::sequence, "of the record that gave it"),
      optional("named", &GivenShape::named, "arms of a set, an order or a ranking")};
};

struct RegretShape {
  std::string against;
  double estimate;
  std::optional<double> lower_bound;
};
template <>
struct Described<RegretShape> {
  static constexpr std::string_view schema = "Regret";
  static constexpr FieldList fields{
      required("against", &RegretShape::against, "the leader, taken for the best arm"),
      required("estimate", &RegretShape::estimate, "of all duels so far, by the rates so far"),
      required("lower_bound", &RegretShape::lower_bound,
               "what any consistent policy pays in the long run at the same rates; null where an "
               "arm is beaten by none")};
};

struct HealthCheckShape {
  std::string name, verdict, detail;
};
template <>
struct Described<HealthCheckShape> {
  static constexpr std::string_view schema = "HealthCheck";
  static constexpr FieldList fields{
      required("name", &HealthCheckShape::name),
      required("verdict", &HealthCheckShape::verdict, "`unknown`: too little to tell",
               OneOf("passed", "failed", "unknown")),
      required("detail", &HealthCheckShape::detail, "the figure, and where it is worst")};
};

struct HealthShape {
  std::string verdict;
  std::vector<HealthCheckShape> checks;
};
template <>
struct Described<HealthShape> {
  static constexpr std::string_view schema = "Health";
  static constexpr FieldList fields{
      required("verdict", &HealthShape::verdict, "`failed` if any check failed",
               OneOf("passed", "failed")),
      required("checks", &HealthShape::checks)};
};

struct ResultShape {
  std::string experiment_id, verdict, state, goal;
  std::optional<std::string> leader;
  std::vector<std::string> not_ruled_out;
  std::optional<OrderShape> order;
  std::optional<std::uint64_t> expected_duels_left;
  CountsShape duels;
  std::vector<ResultArmShape> arms;
  std::vector<ResultPairShape> pairs;
  StrengthsShape bradley_terry;
  double probability_no_winner;
  std::optional<GivenShape> certificate;
  std::vector<HealthCheckShape> health;
  double excluded_share;
  std::optional<RegretShape> regret;
  bool one_look;
  std::uint64_t served, sequence;
};
template <>
struct Described<ResultShape> {
  static constexpr std::string_view schema = "Result";
  static constexpr FieldList fields{
      required("experiment_id", &ResultShape::experiment_id),
      required("verdict", &ResultShape::verdict, "a sentence"),
      required("state", &ResultShape::state, "",
               OneOf("certified", "undecided", "not_enough_data")),
      required("goal", &ResultShape::goal),
      required("leader", &ResultShape::leader, "null while there is not enough data"),
      required("not_ruled_out", &ResultShape::not_ruled_out,
               "rivals that the leader has not been shown to beat"),
      optional("order", &ResultShape::order, "of the goals `set`, `order` and `ranking`"),
      required("expected_duels_left", &ResultShape::expected_duels_left,
               "null where nobody can tell"),
      required("duels", &ResultShape::duels, "all of them, by place"),
      required("arms", &ResultShape::arms, "the active ones, the best rate first"),
      required("pairs", &ResultShape::pairs, "that met, each once"),
      required("bradley_terry", &ResultShape::bradley_terry, "a view; the verdict needs no model"),
      required("probability_no_winner", &ResultShape::probability_no_winner),
      required("certificate", &ResultShape::certificate, "null until there is one"),
      required("health", &ResultShape::health, "the checks that the certificate prints"),
      required("one_look", &ResultShape::one_look,
               "the order of the answers is unknown, so that only one look at all of them counts"),
      required("excluded_share", &ResultShape::excluded_share,
               "of duels that `exclude` changed: pairs then see different populations"),
      required("regret", &ResultShape::regret,
               "null before there is enough data, and for goals other than a single best arm"),
      required("served", &ResultShape::served, "pages of one arm and A/A duels too"),
      required("sequence", &ResultShape::sequence)};
};

// --- The certificate ----------------------------------------------------------------------------

struct FindingShape {
  std::string winner, loser;
  std::uint64_t wins, losses;
  std::string evidence, threshold;
  double log_evidence, log_threshold;
  Json reached_at;
};
template <>
struct Described<FindingShape> {
  static constexpr std::string_view schema = "Finding";
  static constexpr FieldList fields{
      required("winner", &FindingShape::winner),
      required("loser", &FindingShape::loser),
      required("wins", &FindingShape::wins),
      required("losses", &FindingShape::losses),
      required("evidence", &FindingShape::evidence),
      required("threshold", &FindingShape::threshold),
      required("log_evidence", &FindingShape::log_evidence),
      required("log_threshold", &FindingShape::log_threshold),
      optional("reached_at", &FindingShape::reached_at, "wins and losses then")};
};

struct CertifiedArmShape {
  std::string arm_id;
  bool active;
  std::string payload, sha256;
};
template <>
struct Described<CertifiedArmShape> {
  static constexpr std::string_view schema = "CertifiedArm";
  static constexpr FieldList fields{required("arm_id", &CertifiedArmShape::arm_id),
                                    required("active", &CertifiedArmShape::active),
                                    optional("payload", &CertifiedArmShape::payload),
                                    optional("sha256", &CertifiedArmShape::sha256)};
};

struct RuleShape {
  std::string text;
  Goal goal = Goal::condorcet;
  bool arms_fixed;
  std::uint64_t min_decisive_per_pair, arms_at_the_start;
  std::optional<bool> shared_causes;
};
template <>
struct Described<RuleShape> {
  static constexpr std::string_view schema = "CertificateRule";
  static constexpr auto fields =
      joined(FieldList{required("text", &RuleShape::text)},
             inlined(&RuleShape::goal, Described<Goal>::fields),
             FieldList{required("arms_fixed", &RuleShape::arms_fixed),
                       required("min_decisive_per_pair", &RuleShape::min_decisive_per_pair),
                       required("arms_at_the_start", &RuleShape::arms_at_the_start),
                       optional("shared_causes", &RuleShape::shared_causes)});
};

struct CertifiedTasksShape {
  std::uint64_t count;
  std::string sha256;
  TaskScope about;
};
template <>
struct Described<CertifiedTasksShape> {
  static constexpr std::string_view schema = "CertifiedTasks";
  static constexpr FieldList fields{required("count", &CertifiedTasksShape::count),
                                    required("sha256", &CertifiedTasksShape::sha256),
                                    required("about", &CertifiedTasksShape::about)};
};

struct ScoreShape {
  std::string arm_id;
  double lower, upper;
};
template <>
struct Described<ScoreShape> {
  static constexpr std::string_view schema = "Score";
  static constexpr FieldList fields{required("arm_id", &ScoreShape::arm_id),
                                    required("lower", &ScoreShape::lower),
                                    required("upper", &ScoreShape::upper)};
};

struct CertifiedPairShape {
  std::string first, second;
  std::uint64_t first_wins, second_wins;
};
template <>
struct Described<CertifiedPairShape> {
  static constexpr std::string_view schema = "CertifiedPair";
  static constexpr FieldList fields{required("first", &CertifiedPairShape::first),
                                    required("second", &CertifiedPairShape::second),
                                    required("first_wins", &CertifiedPairShape::first_wins),
                                    required("second_wins", &CertifiedPairShape::second_wins)};
};

struct ConditionedOutShape {
  std::uint64_t ties, both_bad, skips, invalid, expired, late, pending;
  std::optional<std::uint64_t> failed_tries;
};
template <>
struct Described<ConditionedOutShape> {
  static constexpr std::string_view schema = "ConditionedOut";
  static constexpr FieldList fields{required("ties", &ConditionedOutShape::ties),
                                    required("both_bad", &ConditionedOutShape::both_bad),
                                    required("skips", &ConditionedOutShape::skips),
                                    required("invalid", &ConditionedOutShape::invalid),
                                    required("expired", &ConditionedOutShape::expired),
                                    required("late", &ConditionedOutShape::late),
                                    required("pending", &ConditionedOutShape::pending),
                                    optional("failed_tries", &ConditionedOutShape::failed_tries)};
};

struct CertifiedHealthShape {
  std::string verdict;
  std::vector<std::pair<std::string, std::string>> checks;
};
template <>
struct Described<CertifiedHealthShape> {
  static constexpr std::string_view schema = "CertifiedHealth";
  static constexpr FieldList fields{
      required("verdict", &CertifiedHealthShape::verdict, "", OneOf("passed", "failed")),
      required("checks", &CertifiedHealthShape::checks, "a verdict by the name of each check")};
};

struct CertifiedLogShape {
  std::string experiment_id;
  std::uint64_t sequence;
  std::string head;
};
template <>
struct Described<CertifiedLogShape> {
  static constexpr std::string_view schema = "CertifiedLog";
  static constexpr FieldList fields{required("experiment_id", &CertifiedLogShape::experiment_id),
                                    required("sequence", &CertifiedLogShape::sequence),
                                    required("head", &CertifiedLogShape::head)};
};

struct CertificateShape {
  std::uint64_t format;
  std::string statement;
  CertificateKind kind;
  std::optional<std::string> winner;
  std::optional<std::vector<std::string>> named, cycle, assumes;
  double alpha;
  RuleShape rule;
  std::optional<CertifiedTasksShape> tasks;
  std::optional<JudgeEntry> judge;
  std::vector<CertifiedArmShape> arms;
  std::optional<std::vector<ScoreShape>> scores;
  std::optional<std::vector<CertifiedPairShape>> pairs;
  std::optional<std::vector<FindingShape>> findings;
  std::uint64_t decisive;
  ConditionedOutShape conditioned_out;
  double excluded_share;
  std::uint64_t comparisons_from_elsewhere;
  CertifiedHealthShape health;
  CertifiedLogShape log;
};
template <>
struct Described<CertificateShape> {
  static constexpr std::string_view schema = "Certificate";
  static constexpr FieldList fields{
      required("format", &CertificateShape::format),
      required("statement", &CertificateShape::statement, "what is certified, in a sentence"),
      required("kind", &CertificateShape::kind),
      optional("winner", &CertificateShape::winner),
      optional("named", &CertificateShape::named),
      optional("cycle", &CertificateShape::cycle),
      required("alpha", &CertificateShape::alpha),
      required("rule", &CertificateShape::rule),
      optional("assumes", &CertificateShape::assumes, "what has to be true of the answers"),
      optional("tasks", &CertificateShape::tasks),
      optional("judge", &CertificateShape::judge),
      required("arms", &CertificateShape::arms),
      optional("scores", &CertificateShape::scores),
      optional("pairs", &CertificateShape::pairs),
      optional("findings", &CertificateShape::findings),
      required("decisive", &CertificateShape::decisive, "duels with a decisive answer"),
      required("conditioned_out", &CertificateShape::conditioned_out,
               "what the certificate does not speak of"),
      optional("excluded_share", &CertificateShape::excluded_share,
               "of duels that `exclude` changed, where there are any"),
      required("comparisons_from_elsewhere", &CertificateShape::comparisons_from_elsewhere),
      required("health", &CertificateShape::health),
      required("log", &CertificateShape::log, "the records that it rests on")};
};

// --- Series and plans ---------------------------------------------------------------------------

struct MomentShape {
  std::uint64_t sequence;
  Timestamp time;
  std::uint64_t served, decisive;
  std::optional<std::string> leader;
  std::optional<double> log_threshold;
  NullOr<double> log_evidence;
  std::vector<std::uint64_t> shown;
};
template <>
struct Described<MomentShape> {
  static constexpr std::string_view schema = "TimelinePoint";
  static constexpr FieldList fields{
      required("sequence", &MomentShape::sequence),
      required("time", &MomentShape::time),
      required("served", &MomentShape::served),
      required("decisive", &MomentShape::decisive),
      required("leader", &MomentShape::leader),
      optional("log_evidence", &MomentShape::log_evidence,
               "the leader's smallest against a rival; null where it has none"),
      optional("log_threshold", &MomentShape::log_threshold, "what that has to reach"),
      required("shown", &MomentShape::shown, "how often each arm was shown")};
};

struct TimelineShape {
  std::string experiment_id;
  std::vector<std::string> arms;
  std::vector<MomentShape> points;
};
template <>
struct Described<TimelineShape> {
  static constexpr std::string_view schema = "Timeline";
  static constexpr FieldList fields{required("experiment_id", &TimelineShape::experiment_id),
                                    required("arms", &TimelineShape::arms),
                                    required("points", &TimelineShape::points)};
};

// --- What the pages ask for ---------------------------------------------------------------------

struct ProgressShape {
  std::string experiment_id, name;
  ExperimentState state;
  Mode mode;
  std::uint64_t answers;
  bool certified;
  std::optional<double> share_of_evidence;
  std::optional<std::uint64_t> expected_duels_left;
};
template <>
struct Described<ProgressShape> {
  static constexpr std::string_view schema = "VotingProgress";
  static constexpr FieldList fields{
      required("experiment_id", &ProgressShape::experiment_id),
      required("name", &ProgressShape::name),
      required("state", &ProgressShape::state),
      required("mode", &ProgressShape::mode),
      required("answers", &ProgressShape::answers, "decisive ones"),
      required("certified", &ProgressShape::certified),
      required("share_of_evidence", &ProgressShape::share_of_evidence,
               "of what a certificate needs, 0 to 1; null where the goal goes by scores"),
      required("expected_duels_left", &ProgressShape::expected_duels_left,
               "null where nobody can tell")};
};

struct RecentDuelShape {
  std::string duel_id, first, second, serving, task_id, served_at, state, result, winner, note,
      reported_at;
  std::optional<std::uint64_t> place, response_ms;
};
template <>
struct Described<RecentDuelShape> {
  static constexpr std::string_view schema = "RecentDuel";
  static constexpr FieldList fields{
      required("duel_id", &RecentDuelShape::duel_id),
      required("first", &RecentDuelShape::first),
      required("second", &RecentDuelShape::second),
      optional("serving", &RecentDuelShape::serving),
      optional("task_id", &RecentDuelShape::task_id),
      required("served_at", &RecentDuelShape::served_at),
      required("state", &RecentDuelShape::state, kToldStatesDoc,
               OneOf("served", "reported", "closed", "expired")),
      optional("result", &RecentDuelShape::result, kToldResultsDoc, kToldResults),
      optional("winner", &RecentDuelShape::winner),
      optional("place", &RecentDuelShape::place, "1 or 2, for the win of an arm shown twice"),
      optional("note", &RecentDuelShape::note),
      optional("response_ms", &RecentDuelShape::response_ms),
      optional("reported_at", &RecentDuelShape::reported_at)};
};

struct RecentDuelsShape {
  std::vector<RecentDuelShape> items;
  std::optional<std::string> next_cursor;
};
template <>
struct Described<RecentDuelsShape> {
  static constexpr std::string_view schema = "RecentDuels";
  static constexpr FieldList fields{required("items", &RecentDuelsShape::items),
                                    required("next_cursor", &RecentDuelsShape::next_cursor)};
};

struct PolicyOptionShape {
  std::string name, type, default_value, allowed, doc;
};
template <>
struct Described<PolicyOptionShape> {
  static constexpr std::string_view schema = "PolicyOption";
  static constexpr FieldList fields{
      required("name", &PolicyOptionShape::name), required("type", &PolicyOptionShape::type),
      required("default", &PolicyOptionShape::default_value),
      required("allowed", &PolicyOptionShape::allowed), required("doc", &PolicyOptionShape::doc)};
};

struct PolicyShape {
  std::string name, title, paper, setting, guarantee, status;
  bool needs_horizon;
  std::vector<PolicyOptionShape> options;
};
template <>
struct Described<PolicyShape> {
  static constexpr std::string_view schema = "Policy";
  static constexpr FieldList fields{required("name", &PolicyShape::name),
                                    required("title", &PolicyShape::title),
                                    required("paper", &PolicyShape::paper),
                                    required("setting", &PolicyShape::setting),
                                    required("guarantee", &PolicyShape::guarantee),
                                    required("status", &PolicyShape::status),
                                    required("needs_horizon", &PolicyShape::needs_horizon),
                                    required("options", &PolicyShape::options)};
};

struct PolicyListShape {
  std::vector<PolicyShape> items;
  std::optional<std::string> next_cursor;
};
template <>
struct Described<PolicyListShape> {
  static constexpr std::string_view schema = "PolicyList";
  static constexpr FieldList fields{required("items", &PolicyListShape::items),
                                    required("next_cursor", &PolicyListShape::next_cursor)};
};

// --- The plan -----------------------------------------------------------------------------------

struct PlanDuelsShape {
  double mean, se, p10, p50, p90, p99;
};
template <>
struct Described<PlanDuelsShape> {
  static constexpr std::string_view schema = "PlanDuels";
  static constexpr FieldList fields{
      required("mean", &PlanDuelsShape::mean), required("se", &PlanDuelsShape::se),
      required("p10", &PlanDuelsShape::p10),   required("p50", &PlanDuelsShape::p50),
      required("p90", &PlanDuelsShape::p90),   required("p99", &PlanDuelsShape::p99)};
};

struct PlanPolicyShape {
  std::string policy;
  PlanDuelsShape duels;
  std::uint64_t winner_certified, no_winner_certified, undecided, wrong;
  double wrong_rate_limit, regret;
};
template <>
struct Described<PlanPolicyShape> {
  static constexpr std::string_view schema = "PlanPolicy";
  static constexpr FieldList fields{
      required("policy", &PlanPolicyShape::policy),
      required("duels", &PlanPolicyShape::duels, "until the certificate; the cap where undecided"),
      required("winner_certified", &PlanPolicyShape::winner_certified, "trials"),
      required("no_winner_certified", &PlanPolicyShape::no_winner_certified),
      required("undecided", &PlanPolicyShape::undecided),
      required("wrong", &PlanPolicyShape::wrong),
      required("wrong_rate_limit", &PlanPolicyShape::wrong_rate_limit, "95 % upper limit"),
      required("regret", &PlanPolicyShape::regret)};
};

struct PlanShape {
  std::string truth;
  std::uint64_t num_arms;
  Goal goal = Goal::condorcet;
  double alpha;
  std::uint64_t max_duels, trials, seed, truths_without_winner;
  std::optional<double> reference_duels, fixed_size_duels;
  std::vector<PlanPolicyShape> policies;
};
template <>
struct Described<PlanShape> {
  static constexpr std::string_view schema = "Plan";
  static constexpr auto fields = joined(
      FieldList{required("truth", &PlanShape::truth), required("num_arms", &PlanShape::num_arms)},
      inlined(&PlanShape::goal, Described<Goal>::fields),
      FieldList{required("alpha", &PlanShape::alpha), required("max_duels", &PlanShape::max_duels),
                required("trials", &PlanShape::trials), required("seed", &PlanShape::seed),
                required("truths_without_winner", &PlanShape::truths_without_winner),
                optional("reference_duels", &PlanShape::reference_duels,
                         "for somebody who knows the answer and has only to show it"),
                optional("fixed_size_duels", &PlanShape::fixed_size_duels,
                         "of tests of a fixed size with one look"),
                required("policies", &PlanShape::policies)});
};

}  // namespace duel
