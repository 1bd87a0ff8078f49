// Epsilon-greedy: the empirical Copeland leader against itself, or, with probability
// epsilon_t = min(1, c K / t), against a uniformly drawn other arm.
// Assumes    a Condorcet winner, in spirit.     Guarantee  none.
// Cost       O(K) per informative duel, O(K^2) while all leaders tie; 4 bytes per ordered pair.
// Departs    nowhere (a baseline; the schedule is that of Auer, Cesa-Bianchi, Fischer 2002).
#pragma once

#include <cstddef>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/policy.h"

namespace duel {

struct EpsilonGreedyOptions : PolicyOptions {
  double c = 5;  // exploration: epsilon_t = min(1, c K / t)
};

class EpsilonGreedy : public SelectingPolicy<EpsilonGreedy> {
 public:
  using Options = EpsilonGreedyOptions;

  EpsilonGreedy(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng rng) const;
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const { return leader(rng); }
  // With one leader, draws the round of the next exploration: equal in law to playing every round.
  Jump jump(Round round, Round limit, RoundRng rng) const;

  void fields(auto& archive) { archive(counts_); }
  bool restored();

 private:
  double exploration(Round round) const;
  Arm leader(RoundRng& rng) const;
  Duel explore(Arm leader, Round round, RoundRng& rng) const;
  void find_leaders();

  Options options_;
  PairCounts counts_;
  std::vector<std::uint32_t> victories_;  // empirical Copeland scores
  std::vector<Arm> leaders_;              // most victories, then the largest sum of means
};

}  // namespace duel
