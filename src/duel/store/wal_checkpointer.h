// The thread that moves the write-ahead log of an SQLite database into the database, beside the
// connection that commits: thousands of pages take milliseconds, and a page of a site waits for a
// commit.
#pragma once

#include <sqlite3.h>

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "duel/core/result.h"
#include "duel/store/sqlite.h"

namespace duel {

// What became of a checkpoint. Readers may keep a part of the log back.
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
  // `connection` has the database in WAL mode open and is the thread's from now on.
  static Result<std::unique_ptr<WalCheckpointer>> start(SqliteConnection connection);
  WalCheckpointer(const WalCheckpointer&) = delete;
  WalCheckpointer& operator=(const WalCheckpointer&) = delete;
  ~WalCheckpointer();

  // Moves what is in the log now and nobody reads, later. REQUIRES: !running().
  void begin();
  bool running() const;
  // Returns when none is running.
  void settle();
  // Of the last one, once.
  std::optional<Checkpoint> take_result();

 private:
  explicit WalCheckpointer(SqliteConnection connection) : connection_(std::move(connection)) {}
  void run();

  SqliteConnection connection_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false;
  bool stop_ = false;
  std::optional<Checkpoint> ended_;
  std::thread thread_;
};

}  // namespace duel
