#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel reproduce`: published figures and tables done again, each number beside ours.
void add_reproduce_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
