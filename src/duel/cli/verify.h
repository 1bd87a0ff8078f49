#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel verify`.
void add_verify_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
