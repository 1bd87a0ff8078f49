#include "duel/policies/self_sparring.h"

#include <algorithm>

#include "duel/core/beta.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

SelfSparring::SelfSparring(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options), num_arms_(num_arms), won_(num_arms), lost_(num_arms) {}

double SelfSparring::draw(Arm arm, Xoshiro& rng) const {
  const double unit = 0.5 * static_cast<double>(options_.eta);
  return draw_beta(unit * static_cast<double>(won_[arm]) + 1.0,
                   unit * static_cast<double>(lost_[arm]) + 1.0, rng);
}

Arm SelfSparring::sample(Xoshiro& rng) const {
  Arm best = 0;
  double largest = -1;
  for (Arm arm = 0; arm < num_arms_; ++arm) {
    const double drawn = draw(arm, rng);
    if (drawn > largest) {
      largest = drawn;
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

std::vector<Arm> SelfSparring::select_set(Round round, std::size_t most, RoundRng rng) const {
  const std::size_t size = std::min<std::size_t>({options_.m, most, num_arms_});
  if (size <= 2) {  // of two, both may be the same
    const Duel duel = select(round, rng);
    return duel.is_self() || size < 2 ? std::vector{duel.first}
                                      : std::vector{duel.first, duel.second};
  }
  Xoshiro draws(rng);
  std::vector<Arm> chosen;
  std::vector<double> drawn(num_arms_);
  const auto stands = [&](Arm arm) {
    return std::find(chosen.begin(), chosen.end(), arm) != chosen.end();
  };
  while (chosen.size() < size) {
    Arm best = 0;
    for (int repeats = 0; repeats <= 10; ++repeats) {
      for (Arm arm = 0; arm < num_arms_; ++arm) drawn[arm] = draw(arm, draws);
      best = static_cast<Arm>(std::max_element(drawn.begin(), drawn.end()) - drawn.begin());
      if (!stands(best)) break;
    }
    while (stands(best)) {
      drawn[best] = -1;
      best = static_cast<Arm>(std::max_element(drawn.begin(), drawn.end()) - drawn.begin());
    }
    chosen.push_back(best);
  }
  return chosen;
}

void SelfSparring::observe_choice(std::span<const Arm> shown, Arm chosen, RoundRng /*rng*/) {
  if (shown.size() < 2) return;
  for (const Arm arm : shown) (arm == chosen ? won_ : lost_)[arm] += 2;
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
     .title = "Self-Sparring",
     .paper = "Sui, Zhuang, Burdick, Yue: Multi-dueling Bandits with Dependent Arms. UAI 2017, "
              "Algorithm 2",
     .setting = "approximately linear utilities",
     .guarantee = "O(K log T / gap) in expectation",
     .departs = "nowhere with two arms at a time; in a set of more an arm stands once. Self-duels "
                "are not jumped, since how often they come is known only by drawing",
     .status = "reproduced",
     .keeps_pairs = false,
     .chooses_sets = true},
    OptionTable<SelfSparringOptions>()
        .count("eta", &SelfSparringOptions::eta, 1, 1000000,
               "learning rate: how many wins and losses one duel counts", Shown::always)
        .count("m", &SelfSparringOptions::m, 2, 1000,
               "most arms shown together, where more than two can be"));

}  // namespace
}  // namespace duel
