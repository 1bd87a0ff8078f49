// Links: from a difference of values to the probability of winning, P(w beats w') = sigma(v(w) -
// v(w')). All are symmetric, sigma(x) + sigma(-x) = 1, rise from 0 to 1 and bend once, at 0.
#pragma once

namespace duel {

enum class Link {
  logistic,  // 1/(1 + exp(-x)), the default of the literature
  probit,    // the normal distribution function
  linear,    // (1 + x)/2, cut to [0, 1]
};

// The smallest constants with |sigma(a) - sigma(b)| <= first |a - b| and |sigma'(a) - sigma'(b)| <=
// second |a - b|; infinite for the linear link, whose slope jumps at +-1.
struct LinkSmoothness {
  double first;
  double second;
};

// sigma(x). Logistic and linear have the same bits everywhere; probit uses libm's erfc. An infinite
// x gives 0 or 1. REQUIRES: x is not NaN.
double win_probability(Link link, double x);

LinkSmoothness smoothness(Link link);

}  // namespace duel
