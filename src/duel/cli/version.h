#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel version`.
void add_version_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
