// A policy that is not part of Duel, compared with two that are.
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>

#include "duel/core/pair_counts.h"
#include "duel/core/ties.h"
#include "duel/policies/policy.h"
#include "duel/policies/registry.h"
#include "duel/study/study.h"

namespace {

struct LeastMetOptions : duel::PolicyOptions {
  std::uint64_t meetings = 100;
};

// The leader duels the arm that it has met least often. Once it has met every other arm `meetings`
// times, it duels itself.
class LeastMet : public duel::SelectingPolicy<LeastMet> {
 public:
  using Options = LeastMetOptions;

  LeastMet(const Options& options, std::size_t num_arms, duel::RoundRng /*rng*/)
      : options_(options), counts_(num_arms) {}

  duel::Duel select(duel::Round round, duel::RoundRng rng) const {
    const duel::Arm leader = recommend(rng);
    duel::Arm opponent = leader;
    std::uint64_t fewest = 2 * options_.meetings;  // PairCounts counts half duels
    std::uint64_t tied = 0;
    for (duel::Arm arm = 0; arm < counts_.num_arms(); ++arm) {
      const std::uint64_t met = counts_.total(leader, arm);
      if (arm == leader || met > fewest || met >= 2 * options_.meetings) continue;
      if (met < fewest) tied = 0;
      fewest = met;
      ++tied;
      // Each of the tied arms is kept with the same probability.
      const bool take = options_.deterministic_ties ? tied == 1 : rng.below(tied) == 0;
      if (take) opponent = arm;
    }
    return {leader, opponent, round};
  }

  void observe(const duel::Duel& duel, duel::Outcome outcome, duel::RoundRng rng) {
    if (duel.is_self()) return;
    const auto points = duel::points_of(outcome, options_.ties, rng);
    if (points) counts_.add(duel.first, duel.second, *points);
  }

  duel::Arm recommend(duel::RoundRng /*rng*/) const {
    return duel::empirical_copeland_leader(counts_);
  }

  // What is saved, and whether what was restored makes sense.
  template <class Archive>
  void fields(Archive& archive) {
    archive(counts_);
  }
  bool restored() { return counts_.consistent(); }

 private:
  Options options_;
  duel::PairCounts counts_;
};

duel::OptionTable<LeastMetOptions> least_met_options() {
  duel::OptionTable<LeastMetOptions> table;
  table.count("meetings", &LeastMetOptions::meetings, 1, 1'000'000,
              "duels of the leader with each other arm before it duels itself",
              duel::Shown::always);
  return table;
}

const bool registered = duel::register_policy<LeastMet>({.name = "least-met",
                                                         .title = "Least met first",
                                                         .paper = "none",
                                                         .setting = "Condorcet winner",
                                                         .guarantee = "none",
                                                         .departs = "nowhere",
                                                         .status = "experimental"},
                                                        least_met_options());

}  // namespace

int main() {
  duel::StudySpec spec;
  spec.policies = {"least-met(meetings=400)", "least-met", "rucb", "uniform"};
  spec.matrices = {"arxiv"};
  spec.rounds = 20'000;
  spec.trials = 50;
  spec.seed = 1;

  const auto outcome = duel::run_study(spec);
  if (!outcome.ok()) {
    std::cerr << outcome.error().to_string() << '\n';
    return 1;
  }
  std::cout << std::fixed << std::setprecision(1);
  for (const duel::PolicyResult& policy : outcome->results.runs[0].policies) {
    const duel::CheckpointResult& end = policy.checkpoints.back();
    std::cout << std::left << std::setw(25) << policy.policy << " regret " << std::right
              << std::setw(6) << end.regrets[0].mean << " +- " << std::setw(4) << end.regrets[0].se
              << "   right " << std::setw(5) << 100 * end.accuracy << " %\n";
  }
}
