#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel learn`.
void add_learn_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
