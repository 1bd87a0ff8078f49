// The factor L of a symmetric positive definite matrix L L^T of m rows: column by column, m numbers
// each, of which those below the diagonal and on it count.
//
// Everything is plain loops in one fixed order, so that it has the same bits on every machine.
#pragma once

#include <span>
#include <vector>

namespace duel {

// y += a x: the same bits however many lanes the compiler takes at a time. REQUIRES: equal sizes.
inline void add_to(std::span<double> y, double a, std::span<const double> x) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += a * x[i];
}

// The factor of a matrix, in its place. O(m^3). REQUIRES: `matrix` is m x m, and positive definite.
void factorize(std::span<double> matrix, std::size_t m);
// L L^T += x x^T. O(m^2).
void update_factor(std::span<double> factor, std::vector<double> x);
// x = L^-1 x, and x = L^-T x. O(m^2).
void solve_lower(std::span<const double> factor, std::span<double> x);
void solve_transposed(std::span<const double> factor, std::span<double> x);

}  // namespace duel
