// `duel demo --policies`: six policies on the rankers of the arXiv search engine, by simulation.
#pragma once

#include <string>

#include "duel/cli/command.h"
#include "duel/core/result.h"

namespace duel::cli {

// Prints the comparison, and writes results and pictures into the directory.
Result<int> demonstrate_policies(const std::string& directory, CommandContext& context);

}  // namespace duel::cli
