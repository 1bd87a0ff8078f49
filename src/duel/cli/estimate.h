// duel estimate: rankers, judged queries and a click model to a preference matrix.
#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

void add_estimate_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
