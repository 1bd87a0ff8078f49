// The last duels of an experiment, for those who watch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/store/store.h"

namespace duel {

// The last `limit` duels, the newest first, each with its outcome if there is one. Reads the log
// from its end: of a log whose last kMostRecentLines lines hold fewer serves, those.
inline constexpr std::uint64_t kMostRecentLines = 50'000;
Result<Json> recent_duels(Store& store, const std::string& experiment_id, std::size_t limit);

}  // namespace duel
