// Errors of a log that is there and is not the one that was asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "duel/core/result.h"
#include "duel/log/record.h"

namespace duel {

// The first thing in which a log is another experiment than the wanted one, as an error that names
// the field; nothing if the log goes on. What the policy follows (goal, tasks, alpha, order) comes
// before the policy, which would differ with it. A log of an older format goes on by the rules that
// it began with. `new_judge`: the judge may be another one.
std::optional<Error> difference(const std::string& log, const ExperimentRecord& logged,
                                ExperimentRecord wanted, bool new_judge);

// `field`: of the request, which is what the user may change. Without a `hint`: to start over.
Error other_experiment(const std::string& log, std::string_view field, const std::string& message,
                       const std::string& hint = "");

}  // namespace duel
