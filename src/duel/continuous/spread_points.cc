#include "duel/continuous/spread_points.h"

#include <cmath>

#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"

namespace duel {

SpreadPoints::SpreadPoints(std::size_t dimension, RoundRng rng) {
  // 60 iterations are more than enough for every bit, and the same bits everywhere.
  const double root = 1.0 / static_cast<double>(dimension + 1);
  double g = 2;
  for (int k = 0; k < 60; ++k) g = exponential(natural_log(1 + g) * root);
  double ratio = 1;
  for (std::size_t k = 0; k < dimension; ++k) {
    ratio /= g;
    ratio_.push_back(ratio);
    shift_.push_back(rng.uniform());
  }
}

std::vector<double> SpreadPoints::at(std::uint64_t j) const {
  std::vector<double> point;
  point.reserve(ratio_.size());
  for (std::size_t k = 0; k < ratio_.size(); ++k) {
    const double x = shift_[k] + static_cast<double>(j) * ratio_[k];
    point.push_back(x - std::floor(x));
  }
  return point;
}

}  // namespace duel
