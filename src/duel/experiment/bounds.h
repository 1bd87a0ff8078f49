// Bounds of what an experiment says, for those that are created and for logs that are imported.
#pragma once

#include "duel/core/described.h"
#include "duel/core/json.h"

namespace duel {

inline constexpr Between kTimeouts{1, 30 * 86'400};  // seconds
inline constexpr Between kShares{0, 1};
inline constexpr Between kAaRates{0, 0.5};
inline constexpr Between kPendingDuels{1, 1'000'000};
inline constexpr Between kPageLengths{1, 1000};

inline bool is_action_weight(const Json& weight) {
  return weight.is_number() && weight.get<double>() >= 0 && weight.get<double>() <= 1e6;
}

}  // namespace duel
