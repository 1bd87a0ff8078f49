#include "duel/simulation/aggregate.h"

#include <algorithm>
#include <cmath>

#include "duel/core/check.h"

namespace duel {

double quantile(std::span<const double> sorted, double p) {
  DUEL_CHECK(!sorted.empty() && p >= 0 && p <= 1);
  const double h = static_cast<double>(sorted.size() - 1) * p;
  const auto below = static_cast<std::size_t>(h);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = h - static_cast<double>(below);
  // Rounding must not carry it past its upper neighbour.
  return std::min(sorted[below] + part * (sorted[below + 1] - sorted[below]), sorted[below + 1]);
}

Summary summarize(std::span<const double> values) {
  DUEL_CHECK(!values.empty());
  if (std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); })) return {};
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  Summary summary;
  // Rounding must not carry the mean out of the range of the values.
  summary.mean = std::clamp(mean(values), sorted.front(), sorted.back());
  summary.se = standard_error(values, summary.mean);
  summary.median = quantile(sorted, 0.5);
  summary.q10 = quantile(sorted, 0.1);
  summary.q90 = quantile(sorted, 0.9);
  summary.min = sorted.front();
  summary.max = sorted.back();
  return summary;
}

double share_standard_error(std::size_t successes, std::size_t n) {
  if (n < 2) return kUndefined;
  const double p = static_cast<double>(successes) / static_cast<double>(n);
  return std::sqrt(p * (1 - p) / static_cast<double>(n - 1));
}

}  // namespace duel
