#include "duel/policies/batch_halving.h"

#include <algorithm>
#include <cmath>

#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

BatchHalvingExplorer::BatchHalvingExplorer(const Options& options, std::size_t num_arms,
                                           RoundRng /*rng*/)
    : options_(options), num_arms_(num_arms), batches_(num_arms, duels_until(1)) {}

std::size_t BatchHalvingExplorer::arms_of_batch(std::uint64_t batch) const {
  if (batch > options_.batches) return 1;
  const double log_arms = natural_log(static_cast<double>(num_arms_));
  const double left = 1 - static_cast<double>(batch - 1) / static_cast<double>(options_.batches);
  // A power that is a whole number must not be rounded up for its last bits.
  const auto size =
      static_cast<std::size_t>(std::ceil(exponential(left * log_arms) * (1.0 - 1e-12)));
  return std::clamp<std::size_t>(size, std::min<std::size_t>(num_arms_, 2), num_arms_);
}

std::uint64_t BatchHalvingExplorer::duels_until(std::uint64_t batch) const {
  const double budget = options_.share * static_cast<double>(options_.horizon) /
                        static_cast<double>(options_.batches);
  std::uint64_t sum = 0;
  for (std::uint64_t r = 1; r <= batch; ++r) {
    const auto size = static_cast<double>(std::max<std::size_t>(arms_of_batch(r), 2));
    sum += std::max<std::uint64_t>(1, static_cast<std::uint64_t>(budget / (size * (size - 1) / 2)));
  }
  return sum;
}

void BatchHalvingExplorer::answered(const Duel& duel, Points points, RoundRng& rng) {
  batches_.answered(duel, points);
  while (batches_.complete() && batches_.num_left() > 1) {
    const PairCounts& counts = batches_.counts();
    std::vector<Arm> arms = batches_.arms_left();
    // Half wins and half duels of a pair are whole numbers, and so are what arms are sorted by.
    std::vector<std::uint64_t> beaten(num_arms_), wins_of(num_arms_);
    for (const Arm i : arms) {
      for (const Arm j : arms) {
        if (i == j) continue;
        beaten[i] += counts.points(i, j) > counts.points(j, i)    ? 2
                     : counts.points(i, j) == counts.points(j, i) ? 1
                                                                  : 0;
        wins_of[i] += counts.points(i, j);
      }
    }
    if (!options_.deterministic_ties) shuffle(arms, rng);
    std::stable_sort(arms.begin(), arms.end(), [&](Arm a, Arm b) {
      return beaten[a] != beaten[b] ? beaten[a] > beaten[b] : wins_of[a] > wins_of[b];
    });
    const std::size_t stay = arms_of_batch(batches_.batch() + 1);
    if (stay < arms.size()) batches_.drop(std::span(arms).subspan(stay));
    batches_.begin_next(duels_until(batches_.batch() + 1));
  }
}

Arm BatchHalvingExplorer::leader(RoundRng rng) const {
  return empirical_copeland_leader_among(batches_.arms_left(), batches_.counts(),
                                         options_.deterministic_ties, rng);
}

namespace {

const bool batch_halving_is_registered = register_policy<BatchHalving>(
    {.name = "batch-halving",
     .title = "Halving in a few batches",
     .paper = "ours; after Karnin, Koren, Somekh: Almost Optimal Exploration in Multi-Armed "
              "Bandits. ICML 2013, and Agarwal, Agarwal, Assadi, Khanna: Learning with Limited "
              "Rounds of Adaptivity. COLT 2017",
     .setting = "Condorcet winner; a fixed number of duels in a few batches",
     .guarantee = "wrong with probability at most sum_r |A_r| exp(-2 n_r D^2)",
     .departs = "not a published algorithm",
     .status = "tested",
     .jumping = Jumping::exact},
    OptionTable<BatchHalvingOptions>()
        .horizon(&BatchHalvingOptions::horizon)
        .count("batches", &BatchHalvingOptions::batches, 1, 1000,
               "B: how often somebody waits until all answers are in", Shown::always)
        .number("share", &BatchHalvingOptions::share, {.above = 0, .most = 1},
                "share of the horizon that is asked before the last arm is exploited",
                Shown::always));

}  // namespace
}  // namespace duel
