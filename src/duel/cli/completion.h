#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel completion`.
void add_completion_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
