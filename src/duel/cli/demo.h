#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel demo`.
void add_demo_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
