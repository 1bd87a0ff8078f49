// When a confidence bound crosses 1/2, in two numbers. With S = sqrt(alpha ln t), which the clock
// moves, and z_ij = (1/2 - w_ij/n_ij) sqrt(n_ij) = -z_ji, which the data do,
//   u_ij = w_ij/n_ij + sqrt(alpha ln t/n_ij) >= 1/2 iff S >= z_ij.
#pragma once

#include <cmath>

#include "duel/core/duel.h"
#include "duel/core/pair_counts.h"
#include "duel/core/wake_up.h"

namespace duel {

// S.
inline double bound_width(double alpha, Round round) { return std::sqrt(alpha * log_round(round)); }

// z_ij, computed as (n - 2 w)/(2 sqrt(n)). `root_n` is sqrt(n_ij), where it is known or another one
// is wanted. REQUIRES: they met.
inline double bound_deficit(const PairCounts& counts, Arm i, Arm j, double root_n) {
  const double behind =  // n - 2 w
      0.5 * (static_cast<double>(counts.points(j, i)) - static_cast<double>(counts.points(i, j)));
  return behind / (2.0 * root_n);
}
inline double bound_deficit(const PairCounts& counts, Arm i, Arm j) {
  return bound_deficit(counts, i, j, std::sqrt(counts.duels(i, j)));
}

}  // namespace duel
