// Syncs the write-ahead log of an SQLite database to the disk. It does not happen on the connection
// that commits: under synchronous=FULL a commit holds SQLite's write lock while it waits for the
// disk, and every commit waits for its own sync. Here one of the waiting callers syncs for all, and
// if nobody waits a queue does it by the clock. Any thread may call it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "duel/core/result.h"
#include "duel/core/world.h"
#include "duel/store/sqlite.h"

namespace duel {

class WalSyncer {
 public:
  struct Events {
    // Around a sync that the clock asked for, not a waiting caller. Called on the syncer's queue.
    std::function<void()> clock_begins;
    std::function<void()> clock_succeeded;
    // Called once, under the syncer's lock, before a waiting caller gets the error.
    std::function<void()> failed;
  };

  // REQUIRES: `connection` has the database open in WAL mode, and nobody else uses it.
  static Result<std::unique_ptr<WalSyncer>> start(World& world, SqliteConnection connection,
                                                  std::chrono::milliseconds interval,
                                                  Events events);
  WalSyncer(const WalSyncer&) = delete;
  WalSyncer& operator=(const WalSyncer&) = delete;
  ~WalSyncer();

  // Ends without a last sync.
  void stop();

  // To be called after every commit, before its result is given to anybody.
  void committed();
  // Returns when a sync that began after every commit so far has ended. After a failure it stays an
  // error, unless everything was synced before: a system that could not write may have dropped it.
  Status wait();

 private:
  WalSyncer(World& world, SqliteConnection connection, std::chrono::milliseconds interval,
            Events events);
  // Posts a sync by the clock unless one is posted already. REQUIRES: mutex_ is held.
  void come_by_clock();
  void sync_by_clock();
  // Returns when a sync that began after the commit `target` has ended, or none will come.
  // REQUIRES, here and below: `lock` holds mutex_.
  void reach(std::unique_lock<std::mutex>& lock, std::uint64_t target);
  void sync_for_all(std::unique_lock<std::mutex>& lock);
  Status sync_file();

  SqliteConnection connection_;
  const std::chrono::milliseconds interval_;
  const Events events_;

  std::mutex mutex_;
  std::condition_variable done_;
  // Numbers of commits. All that follows is guarded by mutex_.
  std::uint64_t committed_ = 0;
  std::uint64_t synced_ = 0;
  bool syncing_ = false;
  bool clock_comes_ = false;  // a sync by the clock is posted or runs
  std::optional<Error> failure_;
  bool stop_ = false;
  std::unique_ptr<TaskQueue> clock_;  // last: its tasks use the rest
};

}  // namespace duel
