#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel vote`: the best arm, by asking the person at the terminal.
void add_vote_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
