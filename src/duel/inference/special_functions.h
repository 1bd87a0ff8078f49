// The few special functions that descriptions need (quantiles, p-values). Boost.Math without
// promotion to long double, which is emulated on some machines. Nothing that decides comes from
// here: the last bits may differ between machines.
#pragma once

#include <cstdint>

namespace duel {

double normal_quantile(double probability);  // REQUIRES: 0 < probability < 1
// The x with P(Beta(a, b) <= x) = probability. REQUIRES: a, b > 0.
double beta_quantile(double a, double b, double probability);
// P(chi-square with `degrees` of freedom > x). REQUIRES: degrees > 0, x >= 0.
double chi_square_tail(double degrees, double x);
// P(at least `heads` of `throws` of a fair coin are heads). REQUIRES: heads <= throws.
double fair_coin_tail(std::uint64_t heads, std::uint64_t throws);

}  // namespace duel
