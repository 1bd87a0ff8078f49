// Uniform pairs: the baseline that learns nothing while it plays.
// Assumes    nothing.                  Guarantee  none: average regret T mean(D).
// Cost       O(1) per duel, 4 bytes per ordered pair for the recommendation.
// Departs    nowhere.
#pragma once

#include "duel/policies/policy.h"

namespace duel {

class Uniform : public SelectingPolicy<Uniform> {
 public:
  using Options = PolicyOptions;

  Uniform(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : options_(options), counts_(num_arms) {}

  // i != j, every ordered pair equally likely.
  Duel select(Round round, RoundRng rng) const;
  void observe(const Duel& duel, Outcome outcome, RoundRng rng) {
    count_duel(counts_, duel, outcome, options_.ties, rng);
  }
  // The empirical Copeland leader.
  Arm recommend(RoundRng) const { return empirical_copeland_leader(counts_); }

  void fields(auto& archive) { archive(counts_); }
  bool restored() { return counts_.consistent(); }

 private:
  Options options_;
  PairCounts counts_;
};

}  // namespace duel
