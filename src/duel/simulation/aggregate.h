// From the values of many trials to what is shown of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "duel/core/sample_mean.h"
#include "duel/core/undefined.h"

namespace duel {

struct Summary {
  double mean = kUndefined;
  double se = kUndefined;  // standard error of the mean, sd / sqrt(n); NaN for a single trial
  double median = kUndefined;
  double q10 = kUndefined;  // quantiles of type 7, see `quantile`
  double q90 = kUndefined;
  double min = kUndefined;
  double max = kUndefined;
};

// Type 7 of Hyndman and Fan (1996), the default of R and numpy: with h = (n - 1) p the value
// x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h]) of the ascending values.
// REQUIRES: `sorted` is ascending and not empty, 0 <= p <= 1.
double quantile(std::span<const double> sorted, double p);

// All of these. Depends on the order of `values` only in the last bits of mean and se, so
// trials are passed in their order. Undefined where a value is. REQUIRES: `values` is not empty.
Summary summarize(std::span<const double> values);

// The standard error of a share of `successes` among `n`: the formula of `standard_error` for
// zeros and ones, sqrt(p (1 - p) / (n - 1)). NaN for n < 2.
double share_standard_error(std::size_t successes, std::size_t n);

}  // namespace duel
