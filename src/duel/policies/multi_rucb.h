// Multi-dueling bandits (MDB): shows all arms that may be the best at once.
// Brost, Seldin, Cox, Lioma. Multi-dueling bandits and their application to online ranker
// evaluation. CIKM 2016, Algorithm 1.
// Assumes    a Condorcet winner.
// Guarantee  none proved.
// Cost       O(K^2) per set; 8 bytes per ordered pair.
// Departs    where more than `max` arms are to be shown, those of the fewest duels are; where only
//            two can be, any two of them.
//
// u_ij = mean_ij + sqrt(alpha ln t/n_ij), v_ij with alpha beta for alpha, 1 where the two never
// met. E = {i : u_ij >= 1/2 for all j}, F = {i : v_ij >= 1/2 for all j}. Where E is one arm, that
// arm is shown alone; else F, or all arms where F is empty. Only E's bounds decide when one arm is
// shown alone, and nothing but ln t moves them then: it is jumped exactly. Foreign duels count: it
// is they that a shown set brings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/policy.h"

namespace duel {

struct MultiRucbOptions : PolicyOptions {
  double alpha = 0.51;
  double beta = 1.5;
  std::uint64_t max = 10;  // arms shown together
};

class MultiRucb : public SelectingPolicy<MultiRucb> {
 public:
  using Options = MultiRucbOptions;
  // All that a page of several arms tells, of which a certificate takes one pair.
  static constexpr bool kTakesHearsay = true;

  MultiRucb(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : options_(options), counts_(num_arms) {}

  Duel select(Round round, RoundRng rng) const;
  std::vector<Arm> select_set(Round round, std::size_t most, RoundRng rng) const;
  void observe(const Duel& duel, Outcome outcome, RoundRng rng) {
    count_duel(counts_, duel, outcome, options_.ties, rng);
  }
  // The arm that may be the best; of several the one that wins most.
  Arm recommend(RoundRng rng) const;
  Jump jump(Round round, Round limit, RoundRng rng) const;

  // {i : mean_ij + sqrt(width ln t/n_ij) >= 1/2 for all j}, ascending.
  std::vector<Arm> possible(double width, Round round) const;

  void fields(auto& archive) { archive(counts_); }
  bool restored() const { return counts_.consistent(); }

 private:
  // From which ln t on the arm belongs to E.
  double entry(Arm i) const;

  Options options_;
  PairCounts counts_;
};

}  // namespace duel
