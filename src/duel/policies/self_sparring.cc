#include "duel/policies/self_sparring.h"

#include "duel/core/beta.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

SelfSparring::SelfSparring(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options), num_arms_(num_arms), won_(num_arms), lost_(num_arms) {}

Arm SelfSparring::sample(Xoshiro& rng) const {
  const double unit = 0.5 * static_cast<double>(options_.eta);
  Arm best = 0;
  double largest = -1;
  for (Arm arm = 0; arm < num_arms_; ++arm) {
    const double draw = draw_beta(unit * static_cast<double>(won_[arm]) + 1.0,
                                  unit * static_cast<double>(lost_[arm]) + 1.0, rng);
    if (draw > largest) {
      largest = draw;
      best = arm;
    }
  }
  return best;
}

Duel SelfSparring::select(Round round, RoundRng rng) const {
  Xoshiro draws(rng);
  const Arm first = sample(draws);
  const Arm second = sample(draws);
  return {first, second, round};
}

void SelfSparring::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.is_self()) return;
  if (const auto points = points_of(outcome, options_.ties, rng)) {
    won_[duel.first] += points->first;
    lost_[duel.second] += points->first;
    won_[duel.second] += points->second;
    lost_[duel.first] += points->second;
  }
}

Arm SelfSparring::recommend(RoundRng rng) const {
  return largest_of(all_arms(num_arms_), options_.deterministic_ties, rng, [&](Arm arm) {
    const std::uint64_t total = won_[arm] + lost_[arm];
    return total == 0 ? -1.0 : static_cast<double>(won_[arm]) / static_cast<double>(total);
  });
}

namespace {

const bool self_sparring_is_registered = register_policy<SelfSparring>(
    {.name = "self-sparring",
     .title = "Self-Sparring with duels",
     .paper = "Sui, Zhuang, Burdick, Yue: Multi-dueling Bandits with Dependent Arms. UAI 2017, "
              "Algorithm 2 with m = 2",
     .setting = "approximately linear utilities",
     .guarantee = "O(K log T / gap) in expectation",
     .departs = "nowhere; self-duels are not jumped, since how often they come is known only by "
                "drawing",
     .status = "reproduced",
     .keeps_pairs = false},
    OptionTable<SelfSparringOptions>().count(
        "eta", &SelfSparringOptions::eta, 1, 1000000,
        "learning rate: how many wins and losses one duel counts", Shown::always));

}  // namespace
}  // namespace duel
