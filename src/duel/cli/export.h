#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel export`.
void add_export_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
