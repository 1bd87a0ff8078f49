// Cosine, sine and normal draws from + - * / and sqrt alone, so that every machine gets the same
// bits: the C library's differ between machines. Angles are in turns, of which 1 is a full one.
// Written so that a loop over them is compiled to lanes.
#pragma once

#include <cmath>

#include "duel/core/logarithm.h"
#include "duel/core/rng.h"

namespace duel {

// cos(2 pi t), to about 1e-15. REQUIRES: |t| < 2^51.
inline double cosine_of_turns(double t) {
  constexpr double kRounder = 0x1.8p52;  // adding it rounds to a whole number, the nearest
  constexpr double kTwoPi = 6.283185307179586;
  const double whole = (t + kRounder) - kRounder;
  const double y = (0.25 - std::fabs(t - whole)) * kTwoPi;  // cos(2 pi t) = sin y, |y| <= pi/2
  const double z = y * y;
  // Taylor to degree 17: the term of degree 19 is below 5e-14 where |y| is largest, pi/2.
  double tail = 1.0 / 355687428096000.0;
  tail = tail * z - 1.0 / 1307674368000.0;
  tail = tail * z + 1.0 / 6227020800.0;
  tail = tail * z - 1.0 / 39916800.0;
  tail = tail * z + 1.0 / 362880.0;
  tail = tail * z - 1.0 / 5040.0;
  tail = tail * z + 1.0 / 120.0;
  tail = tail * z - 1.0 / 6.0;
  return y + y * (z * tail);
}

inline double sine_of_turns(double t) { return cosine_of_turns(t - 0.25); }

// Standard normal (Box and Muller), with the same bits everywhere, which `RoundRng::normal` does
// not promise.
inline double normal_by_turns(RoundRng& rng) {
  const double radius = std::sqrt(-2.0 * natural_log(rng.uniform_open()));
  return radius * cosine_of_turns(rng.uniform());
}

}  // namespace duel
