// MaxPairUCB: the pair of the largest sum of utilities and uncertainty.
// After Saha. Optimal algorithms for stochastic contextual preference bandits. NeurIPS 2021; the
// baseline MaxPairUCB of Di, Jin, Wu, Zhao, Farnoud, Gu. Variance-aware regret bounds for
// stochastic contextual dueling bandits. ICLR 2024.
// Assumes    utilities that are linear in features.
// Guarantee  regret O(d sqrt(T)) up to logarithms, for a width far beyond what is used.
// Cost       O(K d^2) per duel and less than O(K^2 d) for the pair; d^2 numbers, and d for each
//            different pair.
// Departs    no random pairs at the start: the ridge lambda = 1 makes V regular. The width is
//            width sqrt(d ln(t + 1)), as published runs take it.
//
// argmax over i <= j of theta . (x_i + x_j) + b |x_i - x_j|, |.| in V^-1, b = width sqrt(d ln(t +
// 1)). i = j is allowed, and lasts until b has grown enough for another pair.
#pragma once

#include <cstddef>

#include "duel/policies/parts/linear_policy.h"

namespace duel {

class LinMaxPairUcb : public LinearPolicy<LinMaxPairUcb> {
 public:
  using Options = LinearWidthOptions;
  static constexpr bool kUsesWidths = true;

  LinMaxPairUcb(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : LinearPolicy(options, num_arms), width_(options.width) {}

  Duel select(Round round, RoundRng rng) const { return choose(bound(width_, round), round, rng); }
  Jump jump(Round round, Round limit, RoundRng rng) const;

  // The duel where the bounds are `b` times the lengths.
  Duel choose(double b, Round round, RoundRng rng) const {
    return best_pairs(view(), b).pick(round, deterministic_ties(), rng);
  }
  static BestPairs best_pairs(const LinearView& view, double b);

 private:
  double width_;
};

}  // namespace duel
