// How an experiment went, as series for plots: read from its log, whoever owns it.
#pragma once

#include <cstddef>
#include <string>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/store/store.h"

namespace duel {

// About so many moments, evenly spaced over the records: duels served and decided, the leader, its
// smallest evidence against a rival and what that has to reach, and how often each arm was shown.
Result<Json> timeline_of(Store& store, const std::string& experiment_id, std::size_t points);

}  // namespace duel
