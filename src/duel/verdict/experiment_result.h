// The result of an experiment, from its log or from comparisons made elsewhere: what `duel result`,
// the server and Python show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/result.h"
#include "duel/experiment/comparison_table.h"
#include "duel/experiment/ledger.h"
#include "duel/verdict/audit_standing.h"
#include "duel/verdict/board.h"
#include "duel/verdict/forecast.h"
#include "duel/verdict/if_wrong.h"
#include "duel/verdict/interval_fields.h"
#include "duel/verdict/why_not_yet.h"

namespace duel {

// --- What other rooms count and work out ---------------------------------------------------------

template <>
struct Described<RankRange> {
  static constexpr bool as_array = true;
  static constexpr FieldList fields{required("best", &RankRange::best),
                                    required("worst", &RankRange::worst)};
};

template <>
struct Described<ShownCounts> {
  static constexpr std::string_view schema = "Counts";
  static constexpr FieldList of_no_winner{
      required("ties", &ShownCounts::ties), required("both_bad", &ShownCounts::both_bad),
      required("skips", &ShownCounts::skips), required("invalid", &ShownCounts::invalid),
      required("expired", &ShownCounts::expired)};
  static constexpr auto fields = joined(
      FieldList{required("served", &ShownCounts::served),
                required("first_wins", &ShownCounts::first_wins, "of the arm named or shown first"),
                required("second_wins", &ShownCounts::second_wins)},
      of_no_winner,
      FieldList{required("pending", &ShownCounts::pending),
                required("failed_tries", &ShownCounts::failed_tries),
                optional("graded", &ShownCounts::graded, "answers that say how much"),
                optional("score_sum", &ShownCounts::score_sum,
                         "of the arm named or shown first, over the graded ones"),
                optional("program_alone", &ShownCounts::program_alone,
                         "answers of a program that nobody audited; all others are people's")});
};

template <>
struct Described<LackOfFit> {
  static constexpr std::string_view schema = "LackOfFit";
  static constexpr FieldList fields{required("statistic", &LackOfFit::statistic),
                                    required("degrees", &LackOfFit::degrees),
                                    required("p_value", &LackOfFit::p_value)};
};

// --- Parts of a result ---------------------------------------------------------------------------

struct ResultArm : BoardArm {
  std::string arm_id, name;
  // The evidence that the leader beats it, and the threshold for it; for rivals only.
  std::optional<double> log_evidence{}, log_threshold{};
  std::optional<std::optional<std::uint64_t>> duels_left{};
  std::optional<Interval> score{};

  static constexpr std::string_view schema = "ResultArm";
  static constexpr auto fields = joined(
      FieldList{required("arm_id", &ResultArm::arm_id), required("name", &ResultArm::name),
                required("rank", &ResultArm::rank,
                         "its row: the leader, those that are tied with it (1 as well), the others "
                         "by strength"),
                required("rank_range", &ResultArm::rank_range,
                         "the places that the evidence leaves open, whenever you look")},
      inlined(&ResultArm::counts,
              FieldList{required("wins", &ShownCounts::first_wins, "against all others"),
                        required("losses", &ShownCounts::second_wins),
                        required("ties", &ShownCounts::ties),
                        required("both_bad", &ShownCounts::both_bad)}),
      FieldList{
          required("rate", &ResultArm::rate, "of its decisive duels"),
          required("probability_best", &ResultArm::probability_best,
                   "that it beats every other, by the answers of its pairs"),
          required("elo", &ResultArm::elo, "Bradley-Terry, 0 for the average arm"),
          required("elo_interval", &ResultArm::elo_interval,
                   "95 %, as if the number of duels had been fixed"),
          optional("log_evidence", &ResultArm::log_evidence, "that the leader beats it"),
          optional("log_threshold", &ResultArm::log_threshold, "what that has to reach"),
          optional("duels_left", &ResultArm::duels_left, "until then, if the rates are the truth"),
          optional("score", &ResultArm::score, "of the goals `copeland` and `borda`")});
};

struct ResultPair {
  std::string first, second;
  ShownCounts counts;
  double rate = 0.5;
  Interval interval;
  std::optional<PanelFacts> panel{};

  static constexpr std::string_view schema = "ResultPair";
  static constexpr FieldList fields{
      required("first", &ResultPair::first),
      required("second", &ResultPair::second),
      required("counts", &ResultPair::counts, "from the side of `first`"),
      required("rate", &ResultPair::rate, "at which `first` wins decisive duels"),
      required("interval", &ResultPair::interval, "of the rate, whenever you look"),
      optional("panel", &ResultPair::panel,
               "of a panel, of which the rate and its interval say nothing: its own count")};
};

struct OpenPair {
  std::string first, second;
  double log_evidence = 0, log_threshold = 0;
  std::optional<std::uint64_t> duels_left;

  static constexpr std::string_view schema = "OpenPair";
  static constexpr FieldList fields{required("first", &OpenPair::first),
                                    required("second", &OpenPair::second),
                                    required("log_evidence", &OpenPair::log_evidence),
                                    required("log_threshold", &OpenPair::log_threshold),
                                    required("duels_left", &OpenPair::duels_left)};
};

struct ResultOrder {
  std::vector<std::string> arms;
  std::uint64_t named = 0, certain = 0, pairs_needed = 0, pairs_shown = 0;
  std::vector<OpenPair> open{};

  static constexpr std::string_view schema = "ResultOrder";
  static constexpr FieldList fields{
      required("arms", &ResultOrder::arms, "as they stand, the best first"),
      required("named", &ResultOrder::named, "how many of them are to be certified"),
      required("certain", &ResultOrder::certain),
      required("pairs_needed", &ResultOrder::pairs_needed),
      required("pairs_shown", &ResultOrder::pairs_shown),
      required("open", &ResultOrder::open)};
};

// What being shown first is worth, or why that is not known.
struct ResultPosition {
  std::optional<double> log_odds, elo, first_wins_against_equal;
  std::optional<Interval> interval, elo_interval;
  std::string error{};

  static constexpr std::string_view schema = "PositionEffect";
  static constexpr FieldList fields{
      optional("log_odds", &ResultPosition::log_odds),
      optional("interval", &ResultPosition::interval),
      optional("elo", &ResultPosition::elo),
      optional("elo_interval", &ResultPosition::elo_interval),
      optional("first_wins_against_equal", &ResultPosition::first_wins_against_equal,
               "among decisive duels of two equal arms"),
      optional("error", &ResultPosition::error, "why it was not fitted; nothing else is there")};
};

struct ResultStrengths {
  std::string ties, error;
  std::optional<double> added_wins, tie_parameter;
  std::optional<std::optional<double>> prior_shape;
  std::optional<ResultPosition> position;
  std::optional<LackOfFit> lack_of_fit;

  static constexpr std::string_view schema = "BradleyTerry";
  static constexpr FieldList fields{
      required("ties", &ResultStrengths::ties, "how ties enter", OneOf("davidson", "halves")),
      optional("error", &ResultStrengths::error, "why there are no strengths"),
      optional("added_wins", &ResultStrengths::added_wins),
      optional("prior_shape", &ResultStrengths::prior_shape),
      optional("tie_parameter", &ResultStrengths::tie_parameter),
      optional("position", &ResultStrengths::position,
               "of being shown first, where it was asked for"),
      optional("lack_of_fit", &ResultStrengths::lack_of_fit)};
};

// One of several judges.
struct ResultJudge {
  std::string judge;
  std::uint64_t answers = 0;
  std::optional<double> first_share{}, flip_rate{};
  Interval first_share_interval, flip_interval;
  std::uint64_t both_orders = 0, flips = 0;

  static constexpr std::string_view schema = "ResultJudge";
  static constexpr FieldList fields{
      required("judge", &ResultJudge::judge),
      required("answers", &ResultJudge::answers, "of each order its own"),
      required("first_share", &ResultJudge::first_share,
               "of the answers that lean to one side: for what was shown first"),
      required("first_share_interval", &ResultJudge::first_share_interval,
               "95 %, whenever you look; 1/2 outside of it is a bias of places if places were "
               "drawn"),
      required("both_orders", &ResultJudge::both_orders, "duels that it answered in both orders"),
      required("flips", &ResultJudge::flips, "of these, those with two different answers"),
      required("flip_rate", &ResultJudge::flip_rate),
      required("flip_interval", &ResultJudge::flip_interval, "95 %, whenever you look")};
};

struct ResultAgreement {
  std::string judge, other;
  std::uint64_t agree = 0, differ = 0;
  double agreement = 0;
  Interval interval;

  static constexpr std::string_view schema = "JudgesAgreement";
  static constexpr FieldList fields{
      required("judge", &ResultAgreement::judge),
      required("other", &ResultAgreement::other),
      required("agree", &ResultAgreement::agree, "duels in which both lean to the same arm"),
      required("differ", &ResultAgreement::differ),
      required("agreement", &ResultAgreement::agreement),
      required("interval", &ResultAgreement::interval, "95 %, whenever you look")};
};

struct ResultJudging {
  std::uint64_t answers = 0, tokens = 0, cached = 0;
  double cost = 0;
  std::optional<double> cost_per_decision{};
  std::vector<ResultJudge> judges{};
  std::vector<ResultAgreement> agreements{};

  static constexpr std::string_view schema = "Judging";
  static constexpr FieldList fields{
      required("answers", &ResultJudging::answers, "that came with what they cost"),
      required("cost", &ResultJudging::cost, "of all answers so far, as judges say"),
      required("tokens", &ResultJudging::tokens, "the same"),
      required("cached", &ResultJudging::cached, "answers that were known, and cost nothing"),
      required("cost_per_decision", &ResultJudging::cost_per_decision,
               "over the pairs of which one arm is shown to beat the other; null without any"),
      optional("judges", &ResultJudging::judges, "where there are several"),
      optional("agreements", &ResultJudging::agreements, "of two judges about the same duels")};
};

struct ResultCertificate {
  CertificateKind kind = CertificateKind::winner;
  std::optional<std::string> winner;
  std::uint64_t sequence = 0;
  std::vector<std::string> named, cycle;

  static constexpr std::string_view schema = "CertificateGiven";
  static constexpr FieldList fields{
      required("kind", &ResultCertificate::kind), required("winner", &ResultCertificate::winner),
      required("sequence", &ResultCertificate::sequence, "of the record that gave it"),
      optional("named", &ResultCertificate::named, "arms of a set, an order or a ranking"),
      optional("cycle", &ResultCertificate::cycle,
               "of `no_winner`: each beats the next, the last beats the first")};
};

struct ResultRegret {
  std::string against;
  double estimate = 0;
  std::optional<double> lower_bound;

  static constexpr std::string_view schema = "Regret";
  static constexpr FieldList fields{
      required("against", &ResultRegret::against, "the leader, taken for the best arm"),
      required("estimate", &ResultRegret::estimate, "of all duels so far, by the rates so far"),
      required("lower_bound", &ResultRegret::lower_bound,
               "what any consistent policy pays in the long run at the same rates; null where an "
               "arm is beaten by none")};
};

// --- The result ----------------------------------------------------------------------------------

struct ExperimentResult {
  std::string experiment_id, verdict, state, goal;
  std::optional<std::string> leader;
  std::vector<std::string> tied, not_ruled_out;
  std::optional<ResultOrder> order;
  std::optional<PanelStanding> panel;
  std::optional<SpaceStanding> space;
  std::optional<AuditStanding> audit;
  std::optional<std::uint64_t> expected_duels_left;
  Forecast forecast;
  std::optional<ResultRegret> regret;
  double excluded_share = 0;
  bool one_look = false;
  ShownCounts duels;
  std::vector<ResultArm> arms;
  std::vector<ResultPair> pairs;
  ResultStrengths bradley_terry;
  double probability_no_winner = 0;
  std::optional<ResultJudging> judging;
  std::optional<ResultCertificate> certificate;
  IfWrong if_wrong;
  std::vector<WhyNotYet> why_not_yet;
  std::vector<HealthCheck> health;

  static constexpr std::string_view schema = "ExperimentResult";
  static constexpr auto fields = joined(
      FieldList{
          required("experiment_id", &ExperimentResult::experiment_id),
          required("verdict", &ExperimentResult::verdict, "a sentence"),
          required("state", &ExperimentResult::state, "",
                   OneOf("certified", "undecided", "not_enough_data")),
          required("goal", &ExperimentResult::goal),
          required(
              "leader", &ExperimentResult::leader,
              "of the arms that may be first the most probable one; null while there is not enough "
              "data, and where every arm is ruled out"),
          required(
              "tied", &ExperimentResult::tied,
              "arms that may be first and are level with the leader in their own duels, or ahead"),
          required("not_ruled_out", &ExperimentResult::not_ruled_out,
                   "the other arms that may be first; empty once there is a certificate"),
          optional("order", &ExperimentResult::order, "of the goals `set`, `order` and `ranking`"),
          optional("panel", &ExperimentResult::panel, "where it is about these people"),
          optional("space", &ExperimentResult::space,
                   "where points of a space are compared: there is then no leader, and no arm"),
          optional("audit", &ExperimentResult::audit,
                   "where people audit a judge: the verdict is about people, and this about it"),
          required("expected_duels_left", &ExperimentResult::expected_duels_left,
                   "null where nobody can tell"),
          required("forecast", &ExperimentResult::forecast, "what a certificate still takes"),
          required("regret", &ExperimentResult::regret,
                   "null before there is enough data, and for goals other than a single best arm"),
          required("excluded_share", &ExperimentResult::excluded_share,
                   "of duels that `exclude` changed: pairs then see different populations"),
          required(
              "one_look", &ExperimentResult::one_look,
              "the order of the answers is unknown, so that only one look at all of them counts"),
          required("duels", &ExperimentResult::duels, "all of them, by place"),
          required("arms", &ExperimentResult::arms, "the active ones, by rank"),
          required("pairs", &ExperimentResult::pairs, "that met, each once"),
          required("bradley_terry", &ExperimentResult::bradley_terry,
                   "a view; the verdict needs no model"),
          required("probability_no_winner", &ExperimentResult::probability_no_winner,
                   "that no arm beats every other; what the arms' `probability_best` lack to 1"),
          optional("judging", &ExperimentResult::judging,
                   "what judges cost, and how they get on; where they say what they cost, some "
                   "answers were known, or there are several"),
          required("certificate", &ExperimentResult::certificate, "null until there is one")},
      inlined(&ExperimentResult::if_wrong, IfWrong::fields),
      FieldList{
          required("why_not_yet", &ExperimentResult::why_not_yet,
                   "what stands between the answers and a certificate; empty once there is one"),
          required("health", &ExperimentResult::health, "the checks that the certificate prints")});
};

// REQUIRES: `board` is the board of `ledger`, and `if_wrong` what would overturn its certificate
// now.
ExperimentResult result_of(const Ledger& ledger, const Board& board, const IfWrong& if_wrong);

// For a goal that is a set or an order: the arms as they stand, and the pairs that are open.
ResultOrder order_of(const Ledger& ledger, const OrderStanding& order);

// What judging has cost, and how several judges get on; nothing where the log knows nothing of it.
std::optional<ResultJudging> judging_of(const Ledger& ledger);

// Reads a log, or a file of comparisons (`read_comparisons`); the content decides which it is.
// Comparisons are taken as an experiment at level `alpha` for `goal` that was never logged: in the
// order of their times, or by one look at all of them if that is unknown. `columns` are those of
// the comparisons, which are guessed without them. `notes` gets what a person should know of how
// the comparisons were read.
struct ReadAnswers {
  Ledger ledger;
  IfWrong if_wrong{};
};
Result<ReadAnswers> read_answers(const std::string& file, double alpha, const Goal& goal = {},
                                 const VoteColumns* columns = nullptr,
                                 std::vector<std::string>* notes = nullptr);

// The same for comparisons in memory. `in_order`: they are in the order in which they were made.
Result<ReadAnswers> answers_of(const ComparisonTable& table, const std::string& experiment_id,
                               double alpha, bool in_order, const Goal& goal = {});

}  // namespace duel
