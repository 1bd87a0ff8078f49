#include "duel/core/divergence.h"

#include <limits>

namespace duel {

double kl_bernoulli(double p, double q) {
  const auto term = [](double a, double b) {
    if (a <= 0) return 0.0;
    if (b <= 0) return std::numeric_limits<double>::infinity();
    return a * natural_log(a / b);
  };
  const double value = term(p, q) + term(1 - p, 1 - q);
  return value < 0 ? 0 : value;  // rounding near p = q
}

}  // namespace duel
