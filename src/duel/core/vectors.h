// Passes over vectors of doubles. Sums are taken in four pairs of lanes and joined in one fixed
// order, so they have the same bits on every machine and do not wait for one addition after
// another.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "duel/core/rows.h"

namespace duel {

// sum of term(k) over k = 0 .. size - 1; `lanes(k)` gives the terms k and k + 1 at once.
template <class LaneTerm, class Term>
inline double sum_of(std::size_t size, LaneTerm lanes, Term term) {
  DoubleLanes a = {0, 0}, b = {0, 0}, c = {0, 0}, d = {0, 0};
  std::size_t k = 0;
  for (; k + 8 <= size; k += 8) {
    a += lanes(k);
    b += lanes(k + 2);
    c += lanes(k + 4);
    d += lanes(k + 6);
  }
  for (; k + 2 <= size; k += 2) a += lanes(k);
  const DoubleLanes sum = (a + b) + (c + d);
  return k < size ? (sum[0] + sum[1]) + term(k) : sum[0] + sum[1];
}

// REQUIRES: equal sizes.
inline double dot(std::span<const double> x, std::span<const double> y) {
  return sum_of(
      x.size(),
      [&](std::size_t k) {
        return load_lanes<DoubleLanes>(&x[k]) * load_lanes<DoubleLanes>(&y[k]);
      },
      [&](std::size_t k) { return x[k] * y[k]; });
}

inline double squared_norm(std::span<const double> x) { return dot(x, x); }

// The Euclidean length, without overflow where squares have one.
inline double norm(std::span<const double> x) {
  const double square = squared_norm(x);
  if (square >= 1e-200 && square <= 1e200) return std::sqrt(square);
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::fabs(value));
  if (largest == 0 || !std::isfinite(largest)) return largest;
  double sum = 0;
  for (const double value : x) sum += (value / largest) * (value / largest);
  return largest * std::sqrt(sum);
}

inline void scale(std::span<double> x, double factor) {
  for (double& value : x) value *= factor;
}

// out = x + factor y. REQUIRES: equal sizes; `out` may be `x`.
inline void add_scaled(std::span<const double> x, double factor, std::span<const double> y,
                       std::span<double> out) {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = x[k] + factor * y[k];
}

}  // namespace duel
