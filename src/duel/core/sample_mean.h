// The mean of a sample and how far it can be trusted.
#pragma once

#include <span>

namespace duel {

// The sum of the values in their order, with Neumaier's compensation.
double compensated_sum(std::span<const double> values);

double mean(std::span<const double> values);

// sd / sqrt(n), sd with the divisor n - 1, around the mean in a second pass. NaN for n < 2.
double standard_error(std::span<const double> values, double mean);

}  // namespace duel
