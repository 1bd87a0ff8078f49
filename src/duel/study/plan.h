// How many duels until a certificate: experiments are simulated with the policy that chooses and
// the rule that stops, many times over, on a truth that is known, guessed, or drawn from what a
// pilot saw.
//
// Designs are compared on common random numbers: in a trial they meet the same truth and the same
// answers from the same pair. Every number depends on the seed alone, not on the threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/described.h"
#include "duel/core/duel.h"
#include "duel/core/goal.h"
#include "duel/core/result.h"
#include "duel/experiment/comparison_table.h"
#include "duel/experiment/referee.h"
#include "duel/jobs/jobs.h"
#include "duel/log/record_fields.h"
#include "duel/policies/registry.h"
#include "duel/policies/stopping.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// The name of asking all pairs in turn; no policy has it.
inline constexpr const char* kRoundRobin = "round-robin";

// What a pilot saw: who beat whom how often.
struct Pilot {
  std::string name;
  std::vector<std::string> arms;    // in order of appearance
  std::vector<std::uint64_t> wins;  // row major, K x K
  std::uint64_t ties = 0;           // ties, both bad, skips, invalid answers: no evidence
  std::uint64_t decisive = 0;

  std::uint64_t won(Arm i, Arm j) const { return wins[i * arms.size() + j]; }
};

// An error where fewer than two arms were compared, or more than a K x K table is for.
Result<Pilot> pilot_of(const ComparisonTable& table, const std::string& name);
// The log of an experiment, or comparisons in a file (experiment/comparison_table.h).
Result<Pilot> read_pilot(const std::filesystem::path& file);

// What the arms are truly like, in each trial.
struct PlanTruth {
  std::string name;
  std::size_t num_arms = 0;
  std::function<std::shared_ptr<const PreferenceMatrix>(std::uint64_t seed, std::uint32_t trial)>
      draw;
};

PlanTruth known_truth(PreferenceMatrix matrix);
PlanTruth known_truth(std::shared_ptr<const PreferenceMatrix> matrix);
// Arm 1 beats arm 2 by `gap`, p = 1/2 + gap. With spread 0 it beats all others so, and they are
// even: the hardest such truth. Otherwise strengths are those of Bradley-Terry, and those of the
// others lie below arm 2's by `spread` times the size of a standard normal draw, a new one in each
// trial. An error names what is out of range.
Result<PlanTruth> guessed_truth(std::uint64_t num_arms, double gap, double spread);
// Each pair's win probability is drawn from Beta(wins + 1, losses + 1), pairs independent.
PlanTruth posterior_truth(const Pilot& pilot);

// What a question says as a plan takes it.
struct PlanTerms {
  double alpha = 0.05;
  std::uint64_t max_duels = 100'000;
  double tie_rate = 0;         // share of duels that end without a winner
  std::uint64_t parallel = 1;  // duels outstanding at a time
  bool together = false;       // they are a batch: the next are asked when all are answered
  bool shared_causes = false;  // the rule allows for tasks that pairs share: K/alpha
  double cost_per_duel = 0;    // 0: a duel has no price
  std::uint64_t seed = 0;
  double judge_agreement =
      0;                // of a program with people, who audit it; 0: people answer everything
  double audits = 0.1;  // the share of duels that they answer then
};

// All that a plan needs to know.
struct PlanSpec : PlanTerms {
  PlanTruth truth;
  std::vector<CallSpec> policies;
  bool round_robin = true;  // also: all pairs in turn
  // Policies that stop by themselves (policies/stopping.h) do, and what they name is what counts;
  // the others end with a certificate.
  bool own_stop = false;
  Goal goal = Goal::condorcet;
  std::uint32_t trials = 1000;
  unsigned threads = 0;  // 0: one per core
};

// A plan as a user asks for it, in words and numbers. The arms are described in one of three ways:
// a matrix, a pilot, or a guess.
struct PlanQuestion : PlanTerms {
  std::string matrix;  // a file or a name
  std::string pilot;   // a file that read_pilot reads
  std::optional<std::uint64_t> arms;
  std::optional<double> gap;
  double spread = 0;
  std::vector<std::string> policy;  // lists such as "auto,rmed1"; none is auto
  std::string goal = "condorcet";
  std::uint64_t top = 0;  // of the goals set and order
  double epsilon = 0;     // of the goal epsilon
  std::string assume = "none";
  std::uint64_t trials = PlanSpec{}.trials;
  std::uint64_t threads = 0;
};

// An error names the field.
Result<PlanSpec> plan_spec(const PlanQuestion& question);

// A named arm that loses to another by more than this is not nearly the best either.
inline constexpr double kFar = 0.05;

// How one simulated experiment ended.
struct PlanTrial {
  enum class Ending : std::uint8_t { undecided, winner, no_winner };  // winner: what was asked for
  Ending ending = Ending::undecided;
  bool right = false;        // what was certified, or found, is true
  bool far = false;          // the arm that was named loses to another by more than kFar
  std::uint64_t duels = 0;   // that went out
  std::uint64_t people = 0;  // of them, those that people answered
  double regret = 0;
};

// A trial that was undecided at the cap counts as the cap.
struct PlanDuels {
  double mean = 0, mean_se = 0;
  double p10 = 0, p50 = 0, p90 = 0, p99 = 0;

  static constexpr std::string_view schema = "PlanDuels";
  static constexpr FieldList fields{
      required("mean", &PlanDuels::mean), required("se", &PlanDuels::mean_se),
      required("p10", &PlanDuels::p10),   required("p50", &PlanDuels::p50),
      required("p90", &PlanDuels::p90),   required("p99", &PlanDuels::p99)};
};

struct PlanCost {
  double p10 = 0, p50 = 0, p90 = 0;

  static constexpr std::string_view schema = "PlanCost";
  static constexpr FieldList fields{required("p10", &PlanCost::p10),
                                    required("p50", &PlanCost::p50),
                                    required("p90", &PlanCost::p90)};
};

struct PlanEntry : PlanDuels {
  std::string policy;             // canonical, or "round-robin"
  std::vector<PlanTrial> trials;  // in their order
  std::uint64_t winners = 0;      // trials that certified what was asked for
  std::uint64_t no_winners = 0, undecided = 0, wrong = 0;
  std::uint64_t far = 0;  // of the wrong ones, by more than kFar
  double wrong_limit = 0;
  double regret = 0;  // mean
  std::optional<PlanCost> cost;
  std::optional<PlanDuels> people{};

  const PlanDuels& duels() const { return *this; }

  static constexpr std::string_view schema = "PlanPolicy";
  static constexpr FieldList fields{
      required("policy", &PlanEntry::policy),
      required("duels", &PlanEntry::duels, "until the certificate; the cap where undecided"),
      required("winner_certified", &PlanEntry::winners, "trials"),
      required("no_winner_certified", &PlanEntry::no_winners),
      required("undecided", &PlanEntry::undecided),
      required("wrong", &PlanEntry::wrong),
      required("wrong_rate_limit", &PlanEntry::wrong_limit, "95 % upper limit"),
      required("regret", &PlanEntry::regret),
      optional("cost", &PlanEntry::cost, "where a duel has a price"),
      optional("people", &PlanEntry::people, "answers of people, where they audit a judge")};
};

struct PlanResults {
  std::string truth;
  std::size_t num_arms = 0;
  Goal goal = Goal::condorcet;
  double alpha = 0;
  std::uint64_t max_duels = 0;
  std::uint32_t trials = 0;
  std::uint64_t seed = 0;
  std::vector<PlanEntry> entries;  // policies as given, then round-robin
  // Trials whose truth has no Condorcet winner, or not the set or order that is asked for.
  std::uint64_t without_winner = 0;
  // For somebody who knows the answer and has only to show it, the median over the trials whose
  // truth has one: the sum of ln(1/alpha)/d(p_ij, 1/2) over the n pairs that have to be shown,
  // below which no rule of this level that takes nothing for granted can come on average, and the
  // duels of n tests of a fixed size with one look at the end, at level alpha/n each, with power
  // 0.8. Not for scores, for the goal epsilon, or where an order is taken for granted.
  std::optional<double> reference;
  std::optional<double> fixed_size;
  bool interrupted = false;

  static constexpr std::string_view schema = "Plan";
  static constexpr auto fields = joined(
      FieldList{required("truth", &PlanResults::truth),
                required("num_arms", &PlanResults::num_arms)},
      inlined(&PlanResults::goal, Described<Goal>::fields),
      FieldList{required("alpha", &PlanResults::alpha),
                required("max_duels", &PlanResults::max_duels),
                required("trials", &PlanResults::trials), required("seed", &PlanResults::seed),
                required("truths_without_winner", &PlanResults::without_winner),
                optional("reference_duels", &PlanResults::reference,
                         "for somebody who knows the answer and has only to show it"),
                optional("fixed_size_duels", &PlanResults::fixed_size,
                         "of tests of a fixed size with one look"),
                required("policies", &PlanResults::entries)});
};

struct PlanHooks {
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

// A way to choose the duels.
struct PlanDesign {
  std::string name;                                // canonical, or "round-robin"
  std::shared_ptr<const ConfiguredPolicy> policy;  // null: all pairs in turn
  // Where the policy stops by itself and the plan wants it to.
  std::optional<Finds> finds{};
  std::function<OwnStop(const StoppingRun&)> play{};
};

// `call` is a policy or "round-robin". An error where the policy refuses the number of arms.
Result<PlanDesign> plan_design(const PlanSpec& spec, const CallSpec& call);

// All trials of one design; the policies of `spec` are not looked at. Nothing where it was
// interrupted.
Result<std::optional<PlanEntry>> play_design(const PlanSpec& spec, const PlanDesign& design,
                                             const JobHooks& hooks = {});

// All designs of a plan. An error: no policy, one that refuses the number of arms, a value out of
// range. What was interrupted has no entries.
Result<PlanResults> run_plan(const PlanSpec& spec, const PlanHooks& hooks = {});

// The arms that the goal calls winners, any of which would be right; of a set, an order or a
// ranking the arms that must be named, in their order. None where there is nothing of the kind.
std::vector<Arm> winners_of(const PreferenceMatrix& matrix, const Goal& goal);

// Whether the matrix makes a certificate true.
bool is_right(const PreferenceMatrix& matrix, const Goal& goal, const Decision& decision);

// The same of what a policy found that stops by itself. Of the highest Borda scores only the first
// arm is looked at.
bool is_right(const PreferenceMatrix& matrix, Finds finds, const std::vector<Arm>& found);

// The sum of ln(1/alpha)/d(p_ij, 1/2) over the pairs that a certificate has to show; none where
// there is nothing to certify, or the goal has no such pairs.
std::optional<double> least_duels(const PreferenceMatrix& matrix, const Goal& goal, double alpha);

// A design that leaves many experiments undecided which another one decides: it spends duels on
// pairs that the certificate does not need.
struct WastefulDesign {
  const PlanEntry* entry;    // of the results
  const PlanEntry* decider;  // the one that leaves the fewest undecided
};
// Round-robin is never among them. REQUIRES: the results outlive what is returned.
std::vector<WastefulDesign> wasteful_designs(const PlanResults& results);

}  // namespace duel
