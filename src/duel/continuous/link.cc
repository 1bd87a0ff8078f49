#include "duel/continuous/link.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "duel/core/logistic.h"

namespace duel {

double win_probability(Link link, double x) {
  switch (link) {
    case Link::logistic:
      return logistic(x);
    case Link::probit:
      return 0.5 * std::erfc(-x / std::numbers::sqrt2);
    case Link::linear:
      return std::clamp(0.5 * (1.0 + x), 0.0, 1.0);
  }
  return 0.5;
}

LinkSmoothness smoothness(Link link) {
  switch (link) {
    case Link::
        logistic:  // sigma' = sigma (1 - sigma); sigma'' is largest at sigma = (3 - sqrt 3)/6
      return {0.25, 1.0 / (6.0 * std::numbers::sqrt3)};
    case Link::probit:  // the density at 0, and its slope at 1
      return {std::numbers::inv_sqrtpi / std::numbers::sqrt2,
              std::numbers::inv_sqrtpi / std::numbers::sqrt2 * std::exp(-0.5)};
    case Link::linear:
      return {0.5, std::numeric_limits<double>::infinity()};
  }
  return {};
}

}  // namespace duel
