// Thompson sampling with a linear utility: both arms are the best of a utility drawn from its
// posterior, each of its own draw.
// Ours in this plain form; after Chapelle, Li. An empirical evaluation of Thompson sampling. NIPS
// 2011, Algorithm 3 (Laplace's approximation), and Sui, Zhuang, Burdick, Yue. Multi-dueling bandits
// with dependent arms. UAI 2017.
// Assumes    utilities that are linear in features.
// Guarantee  none proved.
// Cost       O(d^2 + K d) per duel; d^2 numbers, and d for each different pair.
// Departs    not a published algorithm.
//
// theta_1, theta_2 ~ N(theta, a^2 H^-1), theta the fit and H the curvature of what was minimised
// (parts/linear_utility.h); i = argmax theta_1 . x, j = argmax theta_2 . x. How often both are the
// same is known only by drawing, so that self-duels are not jumped.
#pragma once

#include <cstddef>

#include "duel/policies/parts/linear_policy.h"

namespace duel {

struct LinTsOptions : LinearOptions {
  double a = 1;
};

class LinTs : public LinearPolicy<LinTs> {
 public:
  using Options = LinTsOptions;
  static constexpr bool kUsesWidths = false;

  LinTs(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : LinearPolicy(options, num_arms), a_(options.a) {}

  Duel select(Round round, RoundRng rng) const;

 private:
  Arm best_of_draw(RoundRng& rng) const;

  double a_;
};

}  // namespace duel
