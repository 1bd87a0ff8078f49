// A result for people: of a log, of comparisons in a file, or of an experiment on a server, all
// from the JSON that they give (experiment_result.h).
#pragma once

#include <string>

#include "duel/cli/command.h"
#include "duel/core/json.h"

namespace duel::cli {

// The verdict in a sentence, the arms, the pairs, what is still open, and the health checks. Throws
// JsonError where the JSON is no result.
std::string result_text(const Json& result, const Paint& paint);

// "1200 duels: 1100 decisive, 40 ties, ..".
std::string duel_counts(const Json& result);

// Whether a health check failed.
bool is_unhealthy(const Json& result);

}  // namespace duel::cli
