// The number for a missing value: a regret when the truth is unknown, the standard error of a
// single trial. Tables show it as nothing, JSON as null.
#pragma once

#include <limits>

namespace duel {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace duel
