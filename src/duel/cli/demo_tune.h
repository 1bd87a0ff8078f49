// `duel demo --tune`: a shop tunes the weight of its hybrid ranker from the clicks of its users.
#pragma once

#include <cstdint>

#include "duel/cli/command.h"
#include "duel/core/result.h"

namespace duel::cli {

// Starts a server on a store of its own, lets simulated users come until a weight is certified or
// the time is up, and prints what was found beside the truth. `serve`: the server stays afterwards.
Result<int> demonstrate_tuning(std::uint64_t seed, bool serve, CommandContext& context);

}  // namespace duel::cli
