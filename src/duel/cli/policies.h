#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel policies`.
void add_policies_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
