// Brings the write-ahead log of an SQLite database to the disk, beside the connection that commits:
// a commit under synchronous=FULL would hold SQLite's write lock while it waits for the disk, and
// every commit would wait for its own sync. Of those who wait one syncs, for all; where nobody
// waits, a thread does it by the clock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "duel/core/result.h"
#include "duel/store/sqlite.h"

namespace duel {

class WalSyncer {
 public:
  struct Events {
    // Around a sync that the clock asked for and not a waiting caller.
    std::function<void()> clock_begins;
    std::function<void()> clock_succeeded;
    // Once, before anybody who waits hears of it.
    std::function<void()> failed;
  };

  // `connection` has the database in WAL mode open and is used for nothing else from now on.
  static Result<std::unique_ptr<WalSyncer>> start(SqliteConnection connection,
                                                  std::chrono::milliseconds interval,
                                                  Events events);
  WalSyncer(const WalSyncer&) = delete;
  WalSyncer& operator=(const WalSyncer&) = delete;
  ~WalSyncer();

  // Ends the thread without a last sync.
  void stop();

  // After every commit, before anybody hears of it.
  void committed();
  // Returns when a sync that began after every commit so far has ended. After a failure every call
  // is that failure, but for commits that were synced before.
  Status wait();

 private:
  WalSyncer(SqliteConnection connection, std::chrono::milliseconds interval, Events events);
  void run();
  // Returns when a sync that began after the commit `target` has ended, or none will come.
  // REQUIRES, here and below: `lock` is of mutex_.
  void reach(std::unique_lock<std::mutex>& lock, std::uint64_t target);
  void sync_for_all(std::unique_lock<std::mutex>& lock);
  Status sync_file();

  SqliteConnection connection_;
  const std::chrono::milliseconds interval_;
  const Events events_;

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  // Numbers of commits.
  std::uint64_t committed_ = 0;
  std::uint64_t synced_ = 0;
  bool syncing_ = false;
  std::uint64_t clock_passed_ = 0;             // covered by a sync of the clock
  std::chrono::steady_clock::time_point due_;  // the clock's next sync, if clock_passed_ is behind
  std::optional<Error> failure_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace duel
