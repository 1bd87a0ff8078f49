#include "duel/inference/planning.h"

#include <fmt/format.h>

#include <cmath>

#include "duel/core/check.h"
#include "duel/core/divergence.h"
#include "duel/core/logarithm.h"
#include "duel/inference/special_functions.h"

namespace duel {

Result<std::uint64_t> fixed_n_duels(double p, double alpha, double power) {
  const auto refuse = [](double value, const char* where, const char* hint) {
    return Error::invalid_argument(fmt::format("{} is out of range", value), where, hint);
  };
  if (!(p > 0.5 && p <= 1)) return refuse(p, "win probability", "1/2 < p <= 1");
  // Of a smaller level the quantile below would be that of 1, which is infinite.
  if (!(1 - alpha < 1 && alpha < 0.5)) return refuse(alpha, "alpha", "1e-15 < alpha < 1/2");
  if (!(power >= 0.5 && power < 1)) return refuse(power, "power", "1/2 <= power < 1");
  const double root =
      0.5 * normal_quantile(1 - alpha) + normal_quantile(power) * std::sqrt(p * (1 - p));
  const double ratio = root / (p - 0.5);
  const double duels = std::ceil(ratio * ratio);
  if (duels > 0x1p62) return refuse(p, "win probability", "further from 1/2: too many duels");
  return static_cast<std::uint64_t>(duels);
}

double least_mean_duels(double p, double alpha) {
  DUEL_CHECK(alpha > 0 && alpha < 1 && p != 0.5);
  return natural_log(1.0 / alpha) / divergence_from_half(2.0 * p - 1.0);
}

}  // namespace duel
