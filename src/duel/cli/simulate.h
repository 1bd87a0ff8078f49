#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel simulate`.
void add_simulate_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
