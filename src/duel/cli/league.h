// `duel league`: all policies on all problems, ranked.
#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

void add_league_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
