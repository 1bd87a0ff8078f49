// The end of a demonstration at a terminal: its server stays until the person has looked.
#pragma once

#include <string>

#include "duel/cli/command.h"

namespace duel::cli {

// On a terminal, says that the page of `experiment` stays, and waits for Enter or an interrupt. A
// pipe has nobody to wait for, and returns at once.
void stay_until_enter(const std::string& url, const std::string& experiment,
                      const InterruptGuard& guard, CommandContext& context);

}  // namespace duel::cli
