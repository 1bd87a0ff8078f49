// The thread that makes commits of a shared database durable: one sync for all who wait, and by the
// clock what nobody waits for. A sync that fails is an error for those who wait, and the next one
// may succeed: the database can come back. (Where a failed sync is the end, see wal_syncer.h.)
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "duel/core/result.h"

namespace duel {

class CommitSyncer {
 public:
  // Makes all commits up to number `target` durable; called from the thread. `by_clock` says that
  // the clock asked for it, perhaps beside waiting callers.
  using Sync = std::function<Status(std::uint64_t target, bool by_clock)>;

  CommitSyncer(std::chrono::milliseconds interval, Sync sync);
  CommitSyncer(const CommitSyncer&) = delete;
  CommitSyncer& operator=(const CommitSyncer&) = delete;
  ~CommitSyncer();

  // Ends the thread without a last sync.
  void stop();

  // After every commit, before anybody hears of it. Returns its number: 1, 2, ..
  std::uint64_t committed();
  // Returns when a sync that began after every commit so far has ended.
  Status wait();
  // Commits that are not durable are gone. Whoever waits hears of it, and so does the next caller,
  // who may be about to ask for them.
  void lost(const Error& error);

 private:
  void run();

  const std::chrono::milliseconds interval_;
  const Sync sync_;

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  // Numbers of commits.
  std::uint64_t committed_ = 0;
  std::uint64_t wanted_ = 0;  // up to where somebody waits
  std::uint64_t synced_ = 0;
  std::uint64_t clock_passed_ = 0;             // covered by a sync of the clock
  std::chrono::steady_clock::time_point due_;  // the clock's next sync, if clock_passed_ is behind
  // Syncs that began, how many had when somebody last came to wait, and the last that failed.
  std::uint64_t begun_ = 0;
  std::uint64_t asked_after_ = 0;
  std::uint64_t failed_ = 0;
  Error failure_;
  std::uint64_t losses_ = 0;
  bool loss_to_tell_ = false;
  Error loss_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace duel
