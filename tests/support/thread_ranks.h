// Ranks that are threads of the test, for everything above the transport.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "duel/jobs/ranks.h"

namespace duel {

// Runs `program` on `size` ranks at once and waits for all of them. Each has its rank installed
// (`current_ranks`), and leaves with the exit code that `program` returns; what all ranks ended
// with is given back.
std::vector<Ranks::Farewell> on_ranks(unsigned size, const std::function<int(Ranks&)>& program);

}  // namespace duel
