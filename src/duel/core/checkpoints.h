// The rounds at which a trial is looked at.
#pragma once

#include <span>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"

namespace duel {

// No run is longer than this: tallies of two plays a round stay below 2^63.
inline constexpr Round kMaxRounds = 1'000'000'000'000'000'000;  // 1e18

// 1, 2, 5, 10, 20, 50, .. below `rounds`, then `rounds` itself. REQUIRES: rounds >= 1.
std::vector<Round> log_checkpoints(Round rounds);

// The given rounds in ascending order, each once, and the final round, which is always looked at.
// None given: log_checkpoints. An error where one lies outside 1 .. rounds.
Result<std::vector<Round>> complete_checkpoints(std::span<const Round> given, Round rounds);

}  // namespace duel
