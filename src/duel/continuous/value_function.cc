#include "duel/continuous/value_function.h"

#include <algorithm>
#include <cmath>

#include "duel/continuous/vectors.h"
#include "duel/core/exponential.h"

namespace duel {
namespace {

double cut_exponential(double x) { return exponential(std::min(x, 600.0)); }

DoubleLanes magnitudes(DoubleLanes x) { return x < 0 ? -x : x; }

double sum_of_magnitudes(std::span<const double> w) {
  return sum_of(
      w.size(), [&](std::size_t k) { return magnitudes(load_lanes<DoubleLanes>(&w[k])); },
      [&](std::size_t k) { return std::fabs(w[k]); });
}

// Lane 0 holds the odd coordinates (1-based), lane 1 the even ones.
double squares_and_magnitudes(std::span<const double> w) {
  return sum_of(
      w.size(),
      [&](std::size_t k) {
        const auto x = load_lanes<DoubleLanes>(&w[k]);
        const DoubleLanes factor = {x[0], x[1] < 0 ? -1.0 : 1.0};
        return x * factor;
      },
      [&](std::size_t k) { return k % 2 == 0 ? w[k] * w[k] : std::fabs(w[k]); });
}

double hyperbolic_sum(std::span<const double> w) {
  double sum = 0;
  for (const double x : w) {
    const double e = cut_exponential(std::fabs(x));
    sum += e + 1.0 / e;
  }
  return sum;
}

double one_sided_exponentials(std::span<const double> w) {
  double sum = 0;
  for (std::size_t k = 0; k < w.size(); k += 3) sum += cut_exponential(std::max(w[k], 0.0));
  for (std::size_t k = 1; k < w.size(); k += 3) sum += cut_exponential(std::max(-w[k], 0.0));
  return sum;
}

}  // namespace

double value_at(ValueFunction value, std::span<const double> point) {
  switch (value) {
    case ValueFunction::v1:
      return -squared_norm(point);
    case ValueFunction::v2:
      return -sum_of_magnitudes(point);
    case ValueFunction::v3:
      return -squares_and_magnitudes(point);
    case ValueFunction::v4:
      return -hyperbolic_sum(point);
    case ValueFunction::v5:
      return -squares_and_magnitudes(point) - one_sided_exponentials(point);
  }
  return 0;
}

double largest_value(ValueFunction value, std::size_t dimension) {
  const auto d = static_cast<double>(dimension);
  if (value == ValueFunction::v4) return -2.0 * d;
  // Each coordinate with i % 3 = 1 or 2 contributes exp(0).
  if (value == ValueFunction::v5) return static_cast<double>(dimension / 3) - d;
  return 0;
}

std::string_view value_name(ValueFunction value) {
  switch (value) {
    case ValueFunction::v1:
      return "v1";
    case ValueFunction::v2:
      return "v2";
    case ValueFunction::v3:
      return "v3";
    case ValueFunction::v4:
      return "v4";
    case ValueFunction::v5:
      return "v5";
  }
  return "";
}

}  // namespace duel
