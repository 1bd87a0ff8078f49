// The queue that moves the write-ahead log of an SQLite database into the database. It does not
// happen on the connection that commits, because thousands of pages take milliseconds, and a web
// page that shows a duel waits for a commit. Any thread may call it.
#pragma once

#include <sqlite3.h>

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "duel/core/result.h"
#include "duel/core/world.h"
#include "duel/store/sqlite.h"

namespace duel {

// The result of a checkpoint. While somebody reads an older state, a part of the log must stay.
struct Checkpoint {
  int code = SQLITE_OK;
  std::size_t in_log = 0;  // pages
  std::size_t moved = 0;

  bool ok() const { return code == SQLITE_OK || code == SQLITE_BUSY; }
  bool complete() const { return ok() && moved == in_log; }
};

// `mode` is one of SQLITE_CHECKPOINT_..
Checkpoint checkpoint(const SqliteConnection& connection, int mode);

class WalCheckpointer {
 public:
  // REQUIRES: `connection` has the database open in WAL mode, and nobody else uses it.
  static Result<std::unique_ptr<WalCheckpointer>> start(World& world, SqliteConnection connection);
  WalCheckpointer(const WalCheckpointer&) = delete;
  WalCheckpointer& operator=(const WalCheckpointer&) = delete;
  ~WalCheckpointer();

  // Has the queue move what is in the log by now and no reader needs. REQUIRES: !running().
  void begin();
  bool running() const;
  // Returns when no checkpoint is running.
  void settle();
  // The result of the last checkpoint; given once.
  std::optional<Checkpoint> take_result();

 private:
  WalCheckpointer(World& world, SqliteConnection connection)
      : connection_(std::move(connection)), queue_(world.queue()) {}

  SqliteConnection connection_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false;
  std::optional<Checkpoint> ended_;
  std::unique_ptr<TaskQueue> queue_;  // last: its tasks use the rest
};

}  // namespace duel
