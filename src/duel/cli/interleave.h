#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel interleave`.
void add_interleave_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
