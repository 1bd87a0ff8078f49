// Radii of Hoeffding-type confidence intervals around a mean of n answers in [0, 1].
//
// `log_term` is ln(1/delta), or whatever an algorithm puts in its place; algorithms build it as a
// sum of logarithms, since the product inside (K, T, n ..) can be very large. Made of + * / sqrt
// alone, so that what is decided by a radius is decided alike on every machine.
#pragma once

#include <cmath>

namespace duel {

// sqrt(spread * log_term / n). REQUIRES: n > 0.
inline double root_radius(double spread, double log_term, double n) {
  return std::sqrt(spread * log_term / n);
}

// sqrt(log_term / (2 n)): Hoeffding's own. Each side is wrong with probability at most
// exp(-log_term). REQUIRES: n > 0.
inline double hoeffding_radius(double log_term, double n) {
  return std::sqrt(log_term / (2.0 * n));
}

}  // namespace duel
