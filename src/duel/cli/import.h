#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel import`.
void add_import_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
