#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel result`.
void add_result_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
