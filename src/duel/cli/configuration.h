// Where an option that was not given on the command line may come from, first found wins:
// the variable DUEL_<NAME>, ./duel.toml, $XDG_CONFIG_HOME/duel/config.toml (~/.config by default).
// The files hold a table per command: [simulate] threads = 2.
#pragma once

#include "duel/cli/command_line.h"
#include "duel/core/result.h"

namespace duel::cli {

// Sets the configurable options of the chosen command that the command line left open.
Status apply_configuration(const Command& program, CommandLine& line);

}  // namespace duel::cli
