#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel run`: the best arm, by asking a judge program.
void add_run_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
