#include "duel/policies/sparring_exp3s.h"

#include <algorithm>
#include <cmath>

#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

constexpr double kE = 0x1.5bf0a8b145769p+1;

}  // namespace

SparringExp3s::SparringExp3s(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options), num_arms_(num_arms) {
  const auto k = static_cast<double>(num_arms);
  const auto t = static_cast<double>(std::max<Round>(options.horizon, 1));
  const auto s = static_cast<double>(options.switches);
  gamma_ =
      std::min(1.0, std::sqrt(k * (s * (natural_log(k) + natural_log(t)) + kE) / ((kE - 1.0) * t)));
  share_ = kE / (t * k);
  for (auto& weights : weights_) weights.assign(num_arms, 1.0 / k);
}

Arm SparringExp3s::draw(std::size_t player, RoundRng& rng) const {
  double left = rng.uniform();
  for (Arm arm = 0; arm + 1 < num_arms_; ++arm) {
    left -= probability(player, arm);
    if (left < 0) return arm;
  }
  return static_cast<Arm>(num_arms_ - 1);
}

SparringExp3s::Choice SparringExp3s::choose(Round round, RoundRng rng) const {
  const Arm first = draw(0, rng);
  const Arm second = draw(1, rng);
  return {{first, second, round}, {probability(0, first), probability(1, second)}};
}

void SparringExp3s::reward(std::size_t player, Arm arm, double probability, double reward) {
  std::vector<double>& weights = weights_[player];
  weights[arm] *= exponential(gamma_ * reward / (static_cast<double>(num_arms_) * probability));
  double sum = 0;
  for (const double weight : weights) sum += weight;
  // sum + K (e/(T K)) sum.
  const double total = sum * (1.0 + share_ * static_cast<double>(num_arms_));
  for (double& weight : weights) weight = (weight + share_ * sum) / total;
}

void SparringExp3s::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.foreign) return;
  const std::optional<Draw> draw = tickets_.settled(duel);
  if (!draw) return;
  const auto points = points_of(outcome, options_.ties, rng);
  if (!points) return;
  reward(0, duel.first, draw->first, 0.5 * points->first);
  reward(1, duel.second, draw->second, 0.5 * points->second);
}

Arm SparringExp3s::recommend(RoundRng rng) const {
  return largest_of(all_arms(num_arms_), options_.deterministic_ties, rng,
                    [&](Arm arm) { return weights_[0][arm] + weights_[1][arm]; });
}

bool SparringExp3s::restored() const {
  for (const auto& weights : weights_) {
    double sum = 0;
    for (const double weight : weights) {
      if (!(weight >= 0)) return false;
      sum += weight;
    }
    if (weights.size() != num_arms_ || !(std::abs(sum - 1.0) < 1e-6)) return false;
  }
  return tickets_.restored(num_arms_,
                           [](const Draw& draw) { return draw.first > 0 && draw.second > 0; });
}

namespace {

const bool sparring_exp3s_is_registered = register_policy<SparringExp3s>(
    {.name = "sparring-exp3s",
     .title = "Sparring with Exp3.S, for a best arm that switches",
     .paper = "Auer, Cesa-Bianchi, Freund, Schapire. SIAM J. Comput. 2002, Algorithm Exp3.S, in "
              "Sparring; after Saha, Gupta: Optimal and Efficient Dynamic Regret Algorithms for "
              "Non-Stationary Dueling Bandits. ICML 2022",
     .setting = "adversarial; a best arm that switches S times",
     .guarantee = "dynamic regret O(sqrt(K S T ln(K T)))",
     .departs = "the players of Saha and Gupta have other constants",
     .status = "tested",
     .keeps_pairs = false},
    OptionTable<SparringExp3sOptions>()
        .horizon(&SparringExp3sOptions::horizon)
        .count("switches", &SparringExp3sOptions::switches, 1, 1'000'000'000,
               "S, how often the best arm is expected to change", Shown::always));

}  // namespace
}  // namespace duel
