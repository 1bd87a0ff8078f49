// The last duels of an experiment, for those who watch.
#pragma once

#include <cstddef>
#include <string>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/store/store.h"

namespace duel {

// At most `limit` duels, the newest first, each with its outcome if there is one. Reads only the
// end of the log: a duel whose serve lies far back is not among them, however late its answer came.
Result<Json> recent_duels(Store& store, const std::string& experiment_id, std::size_t limit);

}  // namespace duel
