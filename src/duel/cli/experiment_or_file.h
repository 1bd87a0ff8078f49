// `duel result NAME` and `duel export NAME`: is that a file, or an experiment of a store or server?
#pragma once

#include <string>

#include "duel/cli/client_options.h"

namespace duel::cli {

// An experiment where --server or --store is on the command line; otherwise a file that exists
// wins, then what can be an experiment's id, if there is a store or a configured server to ask. All
// else is a file that is missing.
bool names_experiment(const std::string& name, const ClientOptions& options);

}  // namespace duel::cli
