// A result for people: of a log, of comparisons in a file, or of an experiment on a server.
#pragma once

#include <string>

#include "duel/cli/command.h"
#include "duel/verdict/experiment_result.h"

namespace duel::cli {

// The verdict in a sentence, the arms, the pairs, what is still open, and the health checks.
std::string result_text(const ExperimentResult& result, const Paint& paint);

// "1200 duels: 1100 decisive, 40 ties, ..".
std::string duel_counts(const ShownCounts& counts);

}  // namespace duel::cli
