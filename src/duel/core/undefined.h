// The number that is not there: a regret where nobody knows the truth, the standard error of a
// single trial. Tables show it as nothing, JSON as null.
#pragma once

#include <limits>

namespace duel {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace duel
