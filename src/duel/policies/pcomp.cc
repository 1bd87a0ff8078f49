#include "duel/policies/pcomp.h"

#include <algorithm>
#include <cmath>

#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/core/radius.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

PcompExplorer::PcompExplorer(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options), num_arms_(num_arms), batches_(num_arms, duels_until(1)) {}

std::uint64_t PcompExplorer::duels_of_batch(std::uint64_t batch) const {
  const double log_q = natural_log(static_cast<double>(std::max<Round>(options_.horizon, 1))) /
                       static_cast<double>(options_.batches);
  // A power that is a whole number must not be rounded up for its last bits.
  const double power = exponential(static_cast<double>(batch) * log_q) * (1.0 - 1e-12);
  return static_cast<std::uint64_t>(std::ceil(std::min(power, 1e18)));
}

std::uint64_t PcompExplorer::duels_until(std::uint64_t batch) const {
  constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;
  std::uint64_t sum = 0;
  for (std::uint64_t r = 1; r <= batch && sum < kMost; ++r) sum += duels_of_batch(r);
  return std::min(sum, kMost);
}

double PcompExplorer::radius(std::uint64_t batch) const {
  const double log_term = 2.0 * natural_log(static_cast<double>(num_arms_)) +
                          natural_log(static_cast<double>(options_.batches)) +
                          natural_log(static_cast<double>(std::max<Round>(options_.horizon, 1)));
  return hoeffding_radius(log_term, static_cast<double>(duels_until(batch)));
}

void PcompExplorer::answered(const Duel& duel, Points points, RoundRng& rng) {
  batches_.answered(duel, points);
  while (batches_.complete() && batches_.num_left() > 1) {
    drop(rng);
    batches_.begin_next(duels_until(batches_.batch() + 1));
  }
}

void PcompExplorer::drop(RoundRng& rng) {
  const PairCounts& counts = batches_.counts();
  const double bar = 0.5 + radius(batches_.batch());
  const std::vector<Arm> arms = batches_.arms_left();
  std::vector<Arm> beaten;
  for (const Arm j : arms) {
    const auto beats_j = [&](Arm i) { return i != j && counts.mean(i, j) > bar; };
    if (std::ranges::any_of(arms, beats_j)) beaten.push_back(j);
  }
  if (beaten.size() == arms.size()) {
    nobody_wins_ = 1;
    const Arm best = largest_of(arms, options_.deterministic_ties, rng, [&](Arm i) {
      std::uint64_t points = 0;
      for (Arm j = 0; j < num_arms_; ++j) points += counts.points(i, j);
      return points;
    });
    std::erase(beaten, best);
  }
  batches_.drop(beaten);
}

Arm PcompExplorer::leader(RoundRng rng) const {
  return empirical_copeland_leader_among(batches_.arms_left(), batches_.counts(),
                                         options_.deterministic_ties, rng);
}

namespace {

const bool pcomp_is_registered = register_policy<Pcomp>(
    {.name = "pcomp",
     .title = "PCOMP: all pairs in a few batches",
     .paper = "Agarwal, Ghuge, Nagarajan: Batched Dueling Bandits. ICML 2022, Algorithm 1",
     .setting = "Condorcet winner; answers come in a few batches",
     .guarantee = "O(K T^(1/B) ln(K B T) sum_j 1/D_j) in B batches",
     .departs = "the constant of the radius is ours",
     .status = "tested",
     .jumping = Jumping::exact},
    OptionTable<PcompOptions>()
        .horizon(&PcompOptions::horizon)
        .count("batches", &PcompOptions::batches, 1, 1000,
               "B: how often somebody waits until all answers are in", Shown::always));

}  // namespace
}  // namespace duel
