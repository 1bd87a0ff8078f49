#pragma once

#include <string>

#include "duel/cli/options.h"

namespace duel::cli {

// The help page of a command: sentences with an example.
std::string help_page(const Command& command);

}  // namespace duel::cli
