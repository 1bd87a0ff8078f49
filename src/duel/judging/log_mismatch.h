// Errors of a log that is there and is not the one that was asked for.
#pragma once

#include <string>
#include <string_view>

#include "duel/core/result.h"

namespace duel {

// `field`: of the request, which is what the user may change. Without a `hint`: to begin anew.
Error other_experiment(const std::string& log, std::string_view field, const std::string& message,
                       const std::string& hint = "");

}  // namespace duel
