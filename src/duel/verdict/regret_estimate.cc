#include "duel/verdict/regret_estimate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "duel/core/divergence.h"

namespace duel {
namespace {

// Against the leader; 0 for pairs that never met.
std::vector<double> gaps_to(std::size_t num_arms, Arm best,
                            const std::function<std::optional<double>(Arm, Arm)>& rate) {
  std::vector<double> gaps(num_arms, 0);
  for (Arm i = 0; i < num_arms; ++i) {
    if (i != best) gaps[i] = std::max(0.0, rate(best, i).value_or(0.5) - 0.5);
  }
  return gaps;
}

}  // namespace

std::optional<double> lower_bound_factor(
    std::size_t num_arms, Arm best, const std::function<std::optional<double>(Arm, Arm)>& rate) {
  const std::vector<double> gaps = gaps_to(num_arms, best, rate);
  double factor = 0;
  for (Arm i = 0; i < num_arms; ++i) {
    if (i == best) continue;
    std::optional<double> least;
    for (Arm j = 0; j < num_arms; ++j) {
      const auto mu = i == j ? std::nullopt : rate(i, j);
      if (!mu || *mu >= 0.5) continue;
      const double cost = (gaps[i] + gaps[j]) / 2 / kl_bernoulli(*mu, 0.5);
      least = std::min(least.value_or(cost), cost);
    }
    if (!least) return std::nullopt;
    factor += *least;
  }
  return factor;
}

std::optional<RegretEstimate> estimated_regret(const Ledger& ledger, const Standing& standing) {
  const Goal& goal = ledger.experiment().goal;
  const bool one_best = goal.kind == Goal::condorcet || goal.kind == Goal::epsilon;
  if (!one_best || !standing.leader || (standing.too_little && !ledger.certificate())) {
    return std::nullopt;
  }
  // Only active arms count for the bound; the cost of duels with retired ones is counted, too.
  std::vector<Arm> active;
  for (Arm arm = 0; arm < ledger.num_arms(); ++arm) {
    if (ledger.arms()[arm].active) active.push_back(arm);
  }
  const auto rate = [&](Arm i, Arm j) -> std::optional<double> {
    const ShownCounts counts = ledger.pair(i, j);
    return counts.decisive() == 0 ? std::nullopt : std::optional(counts.rate());
  };
  const Arm leader = *standing.leader;
  RegretEstimate estimate{.against = leader, .regret = 0, .lower_bound = {}};
  const std::vector<double> gaps = gaps_to(ledger.num_arms(), leader, rate);
  double served = 0;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      const auto times = static_cast<double>(ledger.pair(i, j).served);
      served += times;
      estimate.regret += times * (gaps[i] + gaps[j]) / 2;
    }
  }
  const auto at = std::find(active.begin(), active.end(), leader);
  if (served < 1 || at == active.end()) return estimate;
  const auto factor = lower_bound_factor(active.size(), static_cast<Arm>(at - active.begin()),
                                         [&](Arm i, Arm j) { return rate(active[i], active[j]); });
  if (factor) estimate.lower_bound = *factor * std::log(served);
  return estimate;
}

}  // namespace duel
