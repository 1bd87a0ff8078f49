#pragma once

#include <string>

#include "duel/cli/command.h"
#include "duel/pictures/plot.h"

namespace duel::cli {

// Draws with gnuplot and writes the complete picture or nothing. 130 where it was interrupted.
Result<int> draw(const StudyResults& results, const PlotOptions& options, const std::string& output,
                 CommandContext& context);

}  // namespace duel::cli
