// The Beta distribution as sampling policies use it: the belief Beta(w + 1, l + 1) after w wins and
// l losses, draws from it, and how much of it lies on either side of 1/2.
//
// Counts may be halves (a tie shared by both sides), so shapes are multiples of 1/2. Everything is
// made of + - * / sqrt, core/logarithm.h and core/exponential.h: no libm, the same bits everywhere.
#pragma once

#include "duel/core/rng.h"
#include "duel/core/xoshiro.h"

namespace duel {

// A draw from Beta(a, b), in [0, 1]: X/(X + Y) of two gamma variables (Marsaglia and Tsang 2000),
// exact up to rounding. About 2.1 normal and 2.1 uniform draws. REQUIRES: a, b multiples of 1/2, at
// least 1/2. `Rng` is RoundRng or Xoshiro.
template <class Rng>
double draw_beta(double a, double b, Rng& rng);

// A draw from Beta(a, b) given that it exceeds 1/2, however rare that is: by rejection, with about
// three proposals at most on average. REQUIRES: a, b >= 1.
template <class Rng>
double draw_beta_above_half(double a, double b, Rng& rng);

extern template double draw_beta(double, double, RoundRng&);
extern template double draw_beta(double, double, Xoshiro&);
extern template double draw_beta_above_half(double, double, RoundRng&);
extern template double draw_beta_above_half(double, double, Xoshiro&);

// The belief's shares above and below 1/2. They sum to 1; the smaller is computed, with relative
// error below 1e-12 down to 1e-300, the larger is its complement.
struct HalfShares {
  double above = 0.5;
  double below = 0.5;
};

// Of Beta(wins + 1, losses + 1). For whole counts above = P(Bin(wins + losses + 1, 1/2) <= wins).
// O(1) deep in the tail, O(sqrt(n)) additions where wins and losses are close. REQUIRES: counts are
// multiples of 1/2, and their sum is whole.
HalfShares beta_half_shares(double wins, double losses);

// P(Beta(wins + 1, losses + 1) > 1/2).
inline double beta_above_half(double wins, double losses) {
  return beta_half_shares(wins, losses).above;
}

}  // namespace duel
