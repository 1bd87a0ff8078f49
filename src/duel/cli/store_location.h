// Where the local store is, and how it is opened.
#pragma once

#include <memory>
#include <string>

#include "duel/core/result.h"
#include "duel/store/store.h"

namespace duel::cli {

// $XDG_STATE_HOME/duel/duel.db, by default ~/.local/state/duel/duel.db.
std::string default_store();

// The file that a location means: a path, `sqlite:PATH`, or empty for the default.
std::string store_file(const std::string& location);

// `location` is a path, `sqlite:PATH`, or empty for the default. Folders on the way are made.
Result<std::shared_ptr<Store>> open_store(const std::string& location);

}  // namespace duel::cli
