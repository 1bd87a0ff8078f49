#include "duel/policies/d_exp3.h"

#include <algorithm>
#include <cmath>

#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

template <class Given>
BordaExponentialWeights<Given>::BordaExponentialWeights(const Options& options,
                                                        std::size_t num_arms, RoundRng /*rng*/)
    : options_(options), num_arms_(num_arms), scores_(num_arms), probabilities_(num_arms) {
  const auto k = static_cast<double>(num_arms);
  const auto t = static_cast<double>(std::max<Round>(options.horizon, 1));
  // x^(2/3) of 0, where there is one arm, is 0.
  const double base = natural_log(k) / (t * std::sqrt(k));
  eta_ = base > 0 ? exponential(2.0 / 3.0 * natural_log(base)) : 0.0;
  gamma_ = std::min(1.0, std::sqrt(eta_ * k));
  if constexpr (requires { options.delta; }) {
    beta_ = std::sqrt((natural_log(k) - natural_log(options.delta)) / (k * t));
  }
  refresh();
}

template <class Given>
void BordaExponentialWeights<Given>::refresh() {
  const double largest = *std::ranges::max_element(scores_);
  double sum = 0;
  for (Arm arm = 0; arm < num_arms_; ++arm) {
    probabilities_[arm] = exponential(eta_ * (scores_[arm] - largest));
    sum += probabilities_[arm];
  }
  const double floor = gamma_ / static_cast<double>(num_arms_);
  for (double& q : probabilities_) q = (1.0 - gamma_) * (q / sum) + floor;
}

template <class Given>
Arm BordaExponentialWeights<Given>::draw(RoundRng& rng) const {
  double left = rng.uniform();
  for (Arm arm = 0; arm + 1 < num_arms_; ++arm) {
    left -= probabilities_[arm];
    if (left < 0) return arm;
  }
  return static_cast<Arm>(num_arms_ - 1);
}

template <class Given>
auto BordaExponentialWeights<Given>::choose(Round round, RoundRng rng) const -> Choice {
  const Arm first = draw(rng);
  const Arm second = draw(rng);
  return {{first, second, round}, {probabilities_[first] * probabilities_[second]}};
}

template <class Given>
void BordaExponentialWeights<Given>::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.foreign) return;
  const std::optional<Draw> draw = tickets_.settled(duel);
  if (!draw) return;
  const auto points = points_of(outcome, options_.ties, rng);
  if (!points) return;
  scores_[duel.first] += 0.5 * points->first / (static_cast<double>(num_arms_) * draw->probability);
  if (beta_ > 0) {
    for (Arm arm = 0; arm < num_arms_; ++arm) scores_[arm] += beta_ / probabilities_[arm];
  }
  refresh();
}

template <class Given>
Arm BordaExponentialWeights<Given>::recommend(RoundRng rng) const {
  return largest_of(all_arms(num_arms_), options_.deterministic_ties, rng,
                    [&](Arm arm) { return scores_[arm]; });
}

template <class Given>
bool BordaExponentialWeights<Given>::restored() {
  const auto is_score = [](double score) { return score >= 0 && std::isfinite(score); };
  if (scores_.size() != num_arms_ || !std::ranges::all_of(scores_, is_score)) return false;
  refresh();
  return tickets_.restored(
      num_arms_, [](const Draw& draw) { return draw.probability > 0 && draw.probability <= 1; });
}

template class BordaExponentialWeights<DExp3Options>;
template class BordaExponentialWeights<DExp3POptions>;

namespace {

PolicyFacts facts_of(std::string name, std::string title, std::string guarantee) {
  return {.name = std::move(name),
          .title = std::move(title),
          .paper = "Saha, Koren, Mansour: Adversarial Dueling Bandits. ICML 2021, Algorithm 1",
          .setting = "adversarial; the arm with the highest Borda score",
          .guarantee = std::move(guarantee),
          .status = "tested",
          .keeps_pairs = false};
}

template <class Options>
OptionTable<Options> with_horizon() {
  OptionTable<Options> table;
  table.horizon(static_cast<std::uint64_t Options::*>(&DExp3Options::horizon));
  return table;
}

const bool d_exp3_is_registered =
    register_policy<DExp3>(facts_of("d-exp3", "Exponential weights on Borda scores (D-EXP3)",
                                    "Borda regret O((K ln K)^(1/3) T^(2/3))"),
                           with_horizon<DExp3Options>());

const bool d_exp3_p_is_registered = register_policy<DExp3P>(
    facts_of("d-exp3-p", "D-EXP3 with a bonus, for a bound with high probability (D-EXP3.P)",
             "Borda regret O((K ln(K/delta))^(1/3) T^(2/3)) with probability 1 - delta, up to "
             "logarithms"),
    with_horizon<DExp3POptions>().number("delta", &DExp3POptions::delta, {.above = 0, .below = 1},
                                         "probability with which the bound may fail",
                                         Shown::always));

}  // namespace
}  // namespace duel
