// All experiments in one SQLite database: the store of a single server.
//
// The database is in WAL mode. Commits are made with synchronous=NORMAL, so that they touch no
// disk. The WAL file is synced beside them (wal_syncer.h): once for all callers that wait, and at
// the latest `sync_interval` after an append even if nobody does. The writer starts checkpoints by
// the size of the WAL. So a killed process loses nothing, and a loss of power at most the records
// of the last interval that nobody waited for.
//
// One process at a time owns the database: it locks FILE.lock, which names it. Others may read.
// Any thread may call; reads do not wait for appends.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "duel/core/result.h"
#include "duel/core/world.h"
#include "duel/store/store.h"

namespace duel {

enum class SqliteAccess {
  own,   // the lock is taken at once; a database that is not there is made
  read,  // the lock is taken with the first call that writes; the database must be there
};

// Changes with every boot of the machine; empty if the system does not say.
std::string boot_of_machine();

struct SqliteOptions {
  SqliteAccess access = SqliteAccess::own;
  std::chrono::milliseconds sync_interval{100};
  std::size_t checkpoint_pages = 4'000;  // of 4096 bytes in the WAL
  std::string vfs{};                     // of SQLite; tests inject faults there
  World* world = &system_world();        // whose queues sync by the clock and move the log
  std::function<std::string()> boot = boot_of_machine;
};

// Closing syncs: a clean stop, unless something failed before.
class SqliteStore : public Store {
 public:
  // An error if another process owns the database (`conflict`, which names it), or if the file is
  // not a database of ours, damaged, or of a newer version of Duel. An older version is brought up
  // to date.
  static Result<std::unique_ptr<SqliteStore>> open(const std::filesystem::path& file,
                                                   SqliteOptions options = {});
};

}  // namespace duel
