// CoLSTIM: the first arm by a utility that is disturbed as people's choices are, the second by how
// likely it could beat the first.
// Bengs, Saha, Hullermeier. Stochastic contextual dueling bandits under linear stochastic
// transitivity models. ICML 2022, Algorithm 1.
// Assumes    utilities that are linear in features.
// Guarantee  weak regret O(sqrt(d T)) up to logarithms, if the smallest eigenvalue of V grows.
// Cost       O(K d^2) per duel; d^2 numbers, and d for each different pair.
// Departs    the horizon T is the round t, so that none is needed. Independent disturbances with
//            probability p_t: an implementation of the authors' library, and a published comparison
//            that takes them with 1 - p_t explores ever more.
//
//   1. B ~ Bernoulli(p_t), p_t = min(1, d ln(d t)/sqrt(t)).
//   2. B = 1 (or `coupling` is off): e_k independent Gumbel numbers, else the same for all arms.
//   3. They are cut to +-sqrt(d ln(t + 1)).
//   4. i = argmax theta . x_k + e_k |x_k|, |.| in V^-1.
//   5. j = argmax theta . (x_k - x_i) + b |x_k - x_i|, b = width sqrt(d ln(t + 1)), over all k;
//      with `exclude_self` over k != i, as for weak regret.
#pragma once

#include <cstddef>

#include "duel/policies/parts/linear_policy.h"

namespace duel {

struct ColstimOptions : LinearWidthOptions {
  bool coupling = true;
  bool exclude_self = false;
};

class Colstim : public LinearPolicy<Colstim> {
 public:
  using Options = ColstimOptions;
  static constexpr bool kUsesWidths = true;

  Colstim(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : LinearPolicy(options, num_arms),
        width_(options.width),
        coupling_(options.coupling),
        exclude_self_(options.exclude_self) {}

  Duel select(Round round, RoundRng rng) const;

  // p_t for a horizon T. REQUIRES: d, t, T >= 1.
  static double disturbed_alone(std::size_t d, Round t, Round horizon);

 private:
  double width_;
  bool coupling_;
  bool exclude_self_;
};

}  // namespace duel
