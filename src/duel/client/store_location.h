// Where the store is, and how it is opened.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "duel/core/result.h"
#include "duel/store/store.h"

namespace duel {

// $XDG_STATE_HOME/duel/duel.db, by default ~/.local/state/duel/duel.db.
std::string default_store();

// The file that a location means: a path, `sqlite:PATH`, or empty for the default. A database of
// PostgreSQL has none, and stands for itself, as messages show it.
std::string store_file(const std::string& location);
// Whether there may be a store. For a database this is known only when it is opened.
bool store_may_exist(const std::string& location);

// What a store that several processes share says about this one.
struct NodeSettings {
  std::string advertise{};             // the URL where other nodes reach it
  std::chrono::milliseconds lease{0};  // 0: the store's own
};

// `location` is a path, `sqlite:PATH`, `postgresql://..`, or empty for the default. Folders on the
// way are made.
Result<std::shared_ptr<Store>> open_store(const std::string& location,
                                          const NodeSettings& node = {});
// For reading, even while another process owns it. Nothing is created.
Result<std::shared_ptr<Store>> open_store_for_reading(const std::string& location);

}  // namespace duel
