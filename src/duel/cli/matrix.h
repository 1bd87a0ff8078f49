#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel matrix show | check | generate | from-rankings`.
void add_matrix_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
