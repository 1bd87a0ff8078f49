// Bernoulli Kullback-Leibler divergence, natural logarithm.
#pragma once

#include <cstdint>

#include "duel/core/logarithm.h"

namespace duel {

// d(p, q) = p ln(p/q) + (1 - p) ln((1 - p)/(1 - q)), 0 ln 0 = 0; infinity where q excludes p.
double kl_bernoulli(double p, double q);

// d(p, 1/2) as a function of the imbalance x = 2 p - 1 = (wins - losses)/duels: ((1 + x) ln(1 + x)
// + (1 - x) ln(1 - x))/2, in [0, ln 2]. Exactly 0 at x = 0, and equal shares give equal values
// whatever the counts. For small x the series sum_k x^2k / (2k (2k - 1)) has no cancellation.
inline double divergence_from_half(double x) {
  const double z = x * x;
  if (z < 0.01) {
    const double tail =
        1.0 / 12 +
        z * (1.0 / 30 +
             z * (1.0 / 56 + z * (1.0 / 90 + z * (1.0 / 132 + z * (1.0 / 182 + z * (1.0 / 240))))));
    return z * (0.5 + z * tail);
  }
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  if (z >= 1.0) return kLn2;
  return 0.5 * ((1.0 + x) * natural_log(1.0 + x) + (1.0 - x) * natural_log(1.0 - x));
}

}  // namespace duel
