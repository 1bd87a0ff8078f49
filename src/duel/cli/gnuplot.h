// gnuplot as a process: a script in, a picture out.
#pragma once

#include "duel/cli/command.h"
#include "duel/pictures/plot.h"

namespace duel::cli {

// What gnuplot writes to its standard output for `script`. An error says whether gnuplot is missing
// or what it complained about.
Result<std::string> run_gnuplot(const std::string& script);

// Draws a study and writes the complete picture or nothing. 130 where it was interrupted.
Result<int> draw(const StudyResults& results, const PlotOptions& options, const std::string& output,
                 CommandContext& context);

}  // namespace duel::cli
