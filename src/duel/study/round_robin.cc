#include "duel/study/round_robin.h"

#include <algorithm>
#include <vector>

#include "duel/core/rng.h"
#include "duel/inference/certificate.h"

namespace duel {
namespace {

constexpr std::uint64_t kTrials = 101;
// Duels over all trials: about a second.
constexpr std::uint64_t kMostWork = 10'000'000;

struct PairLaw {
  Arm i = 0;
  Arm j = 0;
  double wins = 0.5;      // of i, among decisive duels
  double decisive = 1.0;  // share of the duels
};

std::vector<PairLaw> laws_of(const Ledger& ledger) {
  std::vector<PairLaw> laws;
  const auto num_arms = static_cast<Arm>(ledger.num_arms());
  const ShownCounts total = ledger.total();
  // Where a pair never met, it is decisive as often as all are.
  const double usual = (static_cast<double>(total.decisive()) + 1) /
                       (static_cast<double>(total.answered() + total.expired) + 1);
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) {
      const ShownCounts pair = ledger.pair(i, j);
      const double decisive = static_cast<double>(pair.decisive());
      const double final_ones = static_cast<double>(pair.answered() + pair.expired);
      laws.push_back({.i = i,
                      .j = j,
                      .wins = (static_cast<double>(pair.first_wins) + 1) / (decisive + 2),
                      .decisive = (decisive + usual) / (final_ones + 1)});
    }
  }
  return laws;
}

}  // namespace

std::optional<RoundRobinCost> round_robin_cost(const Ledger& ledger) {
  const ExperimentRecord& experiment = ledger.experiment();
  if (experiment.goal != Goal::condorcet) return std::nullopt;
  const std::vector<PairLaw> laws = laws_of(ledger);
  RoundRobinCost cost;
  cost.trials = kTrials;
  cost.most = kMostWork / kTrials;
  std::vector<std::uint64_t> duels;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    auto certifier = Certifier::make(
        ledger.num_arms(), {.alpha = experiment.stopping.alpha,
                            .arms_fixed = experiment.stopping.arms_fixed,
                            .min_decisive_per_pair = experiment.stopping.min_decisive_per_pair});
    if (!certifier.ok()) return std::nullopt;
    const Stream stream(experiment.seed, trial, Purpose::generate, "round-robin");
    std::uint64_t played = 0;
    while (played < cost.most && !certifier->winner() && !certifier->no_winner()) {
      const PairLaw& law = laws[played % laws.size()];
      RoundRng rng = stream.at(++played);
      const Duel duel{.first = law.i, .second = law.j};
      certifier->served(duel);
      if (!rng.bernoulli(law.decisive)) continue;
      certifier->observe(duel,
                         rng.bernoulli(law.wins) ? Outcome::first_wins : Outcome::second_wins);
    }
    if (!certifier->winner() && !certifier->no_winner()) ++cost.undecided;
    duels.push_back(played);
  }
  std::sort(duels.begin(), duels.end());
  cost.median = duels[duels.size() / 2];
  cost.p10 = duels[duels.size() / 10];
  cost.p90 = duels[duels.size() - 1 - duels.size() / 10];
  return cost;
}

}  // namespace duel
