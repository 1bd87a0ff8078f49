#pragma once

#include <CLI/App.hpp>

#include "duel/cli/command.h"

namespace duel::cli {

// `duel plan`: how many duels until a certificate.
void add_plan_command(CLI::App& app, CommandContext& context);

}  // namespace duel::cli
