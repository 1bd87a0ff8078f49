// Maximum informative pair (MaxInP): of the arms that may be best it asks the pair that it knows
// least about.
// Saha. Optimal algorithms for stochastic contextual preference bandits. NeurIPS 2021, Algorithm 1.
// Assumes    utilities that are linear in features.
// Guarantee  regret O(d sqrt(T)) up to logarithms, for a width far beyond what is used.
// Cost       O(K d^2) per duel and less than O(K^2 d) for the pair; d^2 numbers, and d for each
//            different pair.
// Departs    no random pairs at the start: the ridge lambda = 1 makes V regular. The width is
//            width sqrt(d ln(t + 1)), as published runs take it, and not the theory's.
//
// C = {i : theta . (x_i - x_j) + b |x_i - x_j| >= 0 for all j}, |.| in V^-1, b = width sqrt(d ln(t
// + 1)). The pair of C with the largest |x_i - x_j|; where C is one arm, that arm by itself, until
// b has grown enough to let in another.
#pragma once

#include <cstddef>

#include "duel/policies/parts/linear_policy.h"

namespace duel {

class LinMaxInp : public LinearPolicy<LinMaxInp> {
 public:
  using Options = LinearWidthOptions;
  static constexpr bool kUsesWidths = true;

  LinMaxInp(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : LinearPolicy(options, num_arms), width_(options.width) {}

  Duel select(Round round, RoundRng rng) const { return choose(bound(width_, round), round, rng); }
  Jump jump(Round round, Round limit, RoundRng rng) const;

  // The duel where the bounds are `b` times the lengths.
  Duel choose(double b, Round round, RoundRng rng) const;
  // C, ascending.
  static std::vector<Arm> candidates(const LinearView& view, double b);

 private:
  double width_;
};

}  // namespace duel
