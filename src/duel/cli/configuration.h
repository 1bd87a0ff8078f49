// Where an option that was not given on the command line may come from, first found wins:
// the variable DUEL_<NAME>, ./duel.toml, $XDG_CONFIG_HOME/duel/config.toml (~/.config by default).
// The files hold a table per command: [simulate] threads = 2.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "duel/cli/command.h"
#include "duel/core/result.h"

namespace duel::cli {

// `horizon-per-checkpoint` is DUEL_HORIZON_PER_CHECKPOINT.
std::string variable_name(const CLI::Option& option);

// Sets the configurable options of the chosen command that the command line left open.
Status apply_configuration(const CLI::App& app, CommandContext& context);

}  // namespace duel::cli
