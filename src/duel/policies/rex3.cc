#include "duel/policies/rex3.h"

#include <algorithm>
#include <cmath>

#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

// The sum of weights is kept between these, far from overflow; an arm whose weight has underflown
// then has a share below 1e-200.
constexpr double kLargest = 0x1p300;
constexpr double kSmallest = 0x1p-300;

}  // namespace

Rex3::Rex3(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options), num_arms_(num_arms), log_weights_(num_arms), masses_(num_arms) {
  const auto k = static_cast<double>(num_arms);
  constexpr double kE = 0x1.5bf0a8b145769p+1;
  gamma_ = options.gamma ? *options.gamma
                         : std::min(0.5, std::sqrt(k * natural_log(k) /
                                                   (kE * static_cast<double>(options.horizon))));
  rebuild();
}

double Rex3::gamma(Round round) const {
  if (!options_.anytime || options_.gamma) return gamma_;
  const auto k = static_cast<double>(num_arms_);
  const double t = static_cast<double>(std::max<Round>(round, 10000));
  return std::min(0.5, std::sqrt(k * natural_log(k) / t));
}

double Rex3::probability(Arm arm, Round round) const {
  const double g = gamma(round);
  return (1.0 - g) * (masses_.leaf(arm).weight / masses_.all().weight) +
         g / static_cast<double>(num_arms_);
}

Rex3::Choice Rex3::choose(Round round, RoundRng rng) const {
  const double g = gamma(round);
  const double per_weight = (1.0 - g) / masses_.all().weight;
  const double per_arm = g / static_cast<double>(num_arms_);
  // The inverse of the distribution function: a walk down the tree.
  const auto draw = [&] {
    double left_of = rng.uniform();
    return static_cast<Arm>(masses_.descend([&](const Mass& left, const Mass& right) {
      const double mass = per_weight * left.weight + per_arm * static_cast<double>(left.arms);
      if (left_of < mass || right.arms == 0) return false;
      left_of -= mass;
      return true;
    }));
  };
  const Arm first = draw();
  const Arm second = draw();
  return {{first, second, round}, {g, probability(first, round), probability(second, round)}};
}

void Rex3::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.foreign) return;
  const std::optional<Draw> draw = tickets_.settled(duel);
  if (!draw || duel.is_self()) return;
  const auto points = points_of(outcome, options_.ties, rng);
  if (!points || points->first == points->second) return;
  const double psi = points->first > points->second ? 1.0 : -1.0;
  const double step = draw->gamma * psi / (2.0 * static_cast<double>(num_arms_));
  change(duel.first, step / draw->p_first);
  change(duel.second, -step / draw->p_second);
  const double total = masses_.all().weight;
  if (!(total < kLargest && total > kSmallest)) rebuild();
}

void Rex3::change(Arm arm, double log_factor) {
  log_weights_[arm] += log_factor;  // by at most 1/2, since p >= g/K
  masses_.set(arm, {exponential(log_weights_[arm] - offset_), 1});
}

void Rex3::rebuild() {
  offset_ = *std::max_element(log_weights_.begin(), log_weights_.end());
  for (Arm arm = 0; arm < num_arms_; ++arm) {
    masses_.set(arm, {exponential(log_weights_[arm] - offset_), 1});
  }
}

Arm Rex3::recommend(RoundRng rng) const {
  return largest_of(all_arms(num_arms_), options_.deterministic_ties, rng,
                    [&](Arm arm) { return log_weights_[arm]; });
}

bool Rex3::restored() {
  if (log_weights_.size() != num_arms_ || !std::isfinite(offset_)) return false;
  for (const double weight : log_weights_) {
    // Beyond it the state is not one that play can lead to, and the weight would overflow.
    if (!std::isfinite(weight) || weight - offset_ > 300) return false;
  }
  if (!tickets_.restored(num_arms_, [](const Draw& draw) {
        return draw.p_first > 0 && draw.p_second > 0 && std::isfinite(draw.gamma);
      })) {
    return false;
  }
  for (Arm arm = 0; arm < num_arms_; ++arm) {
    masses_.set(arm, {exponential(log_weights_[arm] - offset_), 1});
  }
  return masses_.all().weight > 0;
}

namespace {

const bool rex3_is_registered = register_policy<Rex3>(
    {.name = "rex3",
     .title = "Relative exponential weights (REX3)",
     .paper = "Gajane, Urvoy, Clerot: A Relative Exponential Weighing Algorithm for Adversarial "
              "Utility-based Dueling Bandits. ICML 2015, Algorithm 1",
     .setting = "adversarial utilities",
     .guarantee = "O(sqrt(K ln K T))",
     .status = "reproduced",
     .keeps_pairs = false},
    OptionTable<Rex3Options>()
        .horizon(&Rex3Options::horizon)
        .automatic_number("gamma", &Rex3Options::gamma, {.above = 0, .most = 0.5},
                          "exploration; auto is min(1/2, sqrt(K ln K/(e T)))")
        .flag("anytime", &Rex3Options::anytime,
              "let gamma fall with the round, min(1/2, sqrt(K ln K/max(t, 1e4))), instead of "
              "tuning it to the horizon"));

}  // namespace
}  // namespace duel
