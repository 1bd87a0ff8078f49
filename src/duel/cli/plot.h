#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel plot`.
void add_plot_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
