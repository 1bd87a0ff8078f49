// gnuplot as a process: a script in, a picture out.
#pragma once

#include <string>

#include "duel/core/result.h"

namespace duel::cli {

// What gnuplot writes to its standard output for `script`. An error says whether gnuplot is missing
// or what it complained about.
Result<std::string> run_gnuplot(const std::string& script);

}  // namespace duel::cli
