#include "duel/study/round_robin.h"

#include <algorithm>
#include <vector>

#include "duel/core/rng.h"
#include "duel/study/certified_run.h"

namespace duel {
namespace {

constexpr std::uint64_t kTrials = 101;
// Duels over all trials: about a second.
constexpr std::uint64_t kMostWork = 10'000'000;

// How the duels of a pair end.
struct PairLaw {
  double wins = 0.5;      // of the first arm, among decisive duels
  double decisive = 1.0;  // share of the duels
};

// The laws of the pairs i < j, at i * K + j.
std::vector<PairLaw> laws_of(const Ledger& ledger) {
  const auto num_arms = static_cast<Arm>(ledger.num_arms());
  std::vector<PairLaw> laws(ledger.num_arms() * ledger.num_arms());
  const ShownCounts total = ledger.total();
  // A pair that never met is taken to be decisive as often as all pairs together.
  const double usual = (static_cast<double>(total.decisive()) + 1) /
                       (static_cast<double>(total.answered() + total.expired) + 1);
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) {
      const ShownCounts pair = ledger.pair(i, j);
      const double decisive = static_cast<double>(pair.decisive());
      const double final_ones = static_cast<double>(pair.answered() + pair.expired);
      laws[i * ledger.num_arms() + j] = {
          .wins = (static_cast<double>(pair.first_wins) + 1) / (decisive + 2),
          .decisive = (decisive + usual) / (final_ones + 1)};
    }
  }
  return laws;
}

}  // namespace

std::optional<RoundRobinCost> round_robin_cost(const Ledger& ledger) {
  const ExperimentRecord& experiment = ledger.experiment();
  if (experiment.goal.is_score()) return std::nullopt;
  // Arms that came and went had their own times, which a simulation of all of them would not.
  if (ledger.num_arms() != experiment.arms.size() || ledger.num_active() != ledger.num_arms()) {
    return std::nullopt;
  }
  const std::vector<PairLaw> laws = laws_of(ledger);
  RoundRobinCost cost;
  cost.trials = kTrials;
  cost.most = kMostWork / kTrials;
  CertifiedRunSetting setting{
      .num_arms = ledger.num_arms(), .goal = experiment.goal, .stopping = experiment.stopping};
  setting.stopping.max_duels = cost.most;
  std::vector<std::uint64_t> duels;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    const Stream stream(experiment.seed, trial, Purpose::generate, "round-robin");
    std::uint64_t asked = 0;
    const CertifiedRun run = run_to_certificate(setting, [&](const Duel& duel) {
      const PairLaw& law = laws[duel.first * ledger.num_arms() + duel.second];
      RoundRng rng = stream.at(++asked);
      if (!rng.bernoulli(law.decisive)) return Outcome::none;
      return rng.bernoulli(law.wins) ? Outcome::first_wins : Outcome::second_wins;
    });
    cost.undecided += run.decision ? 0 : 1;
    duels.push_back(run.duels);
  }
  std::sort(duels.begin(), duels.end());
  cost.median = duels[duels.size() / 2];
  cost.p10 = duels[duels.size() / 10];
  cost.p90 = duels[duels.size() - 1 - duels.size() / 10];
  return cost;
}

Json to_json(const RoundRobinCost& cost) {
  return {
      {"median", cost.median},       {"p10", cost.p10},  {"p90", cost.p90}, {"trials", cost.trials},
      {"undecided", cost.undecided}, {"most", cost.most}};
}

}  // namespace duel
