#include "duel/inference/fixed_n_interval.h"

#include <algorithm>
#include <cmath>

#include "duel/core/check.h"
#include "duel/core/logarithm.h"
#include "duel/core/radius.h"
#include "duel/inference/special_functions.h"

namespace duel {

Interval fixed_n_clopper_pearson(std::uint64_t successes, std::uint64_t trials, double delta) {
  DUEL_CHECK(successes <= trials && delta > 0 && delta < 1);
  const auto s = static_cast<double>(successes);
  const auto f = static_cast<double>(trials - successes);
  Interval interval;
  if (successes > 0) interval.lower = beta_quantile(s, f + 1, delta / 2);
  if (successes < trials) interval.upper = beta_quantile(s + 1, f, 1 - delta / 2);
  return interval;
}

Interval fixed_n_wilson(std::uint64_t successes, std::uint64_t trials, double delta) {
  DUEL_CHECK(successes <= trials && delta > 0 && delta < 1);
  if (trials == 0) return {};
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(successes) / n;
  const double z = normal_quantile(1 - delta / 2);
  const double scale = 1 / (1 + z * z / n);
  const double centre = scale * (p + z * z / (2 * n));
  const double radius = scale * z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {std::max(0.0, centre - radius), std::min(1.0, centre + radius)};
}

Interval fixed_n_hoeffding(double mean, std::uint64_t trials, double delta) {
  DUEL_CHECK(mean >= 0 && mean <= 1 && delta > 0 && delta < 1);
  if (trials == 0) return {};
  const double radius = hoeffding_radius(natural_log(2 / delta), static_cast<double>(trials));
  return {std::max(0.0, mean - radius), std::min(1.0, mean + radius)};
}

}  // namespace duel
