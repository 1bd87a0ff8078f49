// The logistic function and its logarithm, with the same bits on every machine.
#pragma once

#include <cmath>

#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"

namespace duel {

// 1/(1 + exp(-x)). REQUIRES: x is not NaN.
inline double logistic(double x) {
  // Of the two forms the one whose exponential is at most 1.
  const double e = exponential(-std::fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}

// ln(1 + exp(x)), which is -ln logistic(-x). REQUIRES: x is finite.
inline double log_one_plus_exp(double x) {
  return (x > 0 ? x : 0.0) + natural_log(1.0 + exponential(-std::fabs(x)));
}

}  // namespace duel
