// The hidden values of the synthetic problems P1 .. P5 of Yue and Joachims (ICML 2009, section
// 5.1). All are concave with their largest value at the origin; coordinates are numbered from 1.
//   v1(w) = -w.w v2(w) = -|w|, the L1 norm (the L2 norm does not give the printed regret) v3(w) =
//   -sum over odd i of w_i^2 - sum over even i of |w_i| v4(w) = -sum of (exp(w_i) + exp(-w_i))
//   v5(w) = v3(w) - sum over i % 3 = 1 of exp(max(w_i, 0)) - sum over i % 3 = 2 of exp(max(-w_i,
//   0))
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace duel {

enum class ValueFunction { v1, v2, v3, v4, v5 };

// v(w). Exponents are cut at 600 from above, so that sums stay finite; a point beyond that loses to
// anything else either way. REQUIRES: no coordinate is NaN.
double value_at(ValueFunction value, std::span<const double> point);

// The largest value, v(0): what regret is measured against.
double largest_value(ValueFunction value, std::size_t dimension);

std::string_view value_name(ValueFunction value);

}  // namespace duel
