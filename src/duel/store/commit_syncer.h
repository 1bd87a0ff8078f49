// The thread that makes commits of a shared database durable: one sync for all callers that wait,
// and one by the clock for commits that nobody waits for. A failed sync is an error for those who
// wait, and the next one may succeed: the database can come back. (On a disk it cannot: see
// wal_syncer.h.) Any thread may call it.
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

  // To be called after every commit, before its result is given to anybody. Returns its number.
  std::uint64_t committed();
  // Returns when a sync that began after every commit so far has ended.
  Status wait();
  // To be called when commits that were not durable are gone. Callers that wait get the error, and
  // so does the next one, which may be about to wait for the lost commits.
  void lost(const Error& error);

 private:
  void run();

  const std::chrono::milliseconds interval_;
  const Sync sync_;

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  // Numbers of commits. All that follows is guarded by mutex_.
  std::uint64_t committed_ = 0;
  std::uint64_t wanted_ = 0;  // the last one that a caller waits for
  std::uint64_t synced_ = 0;
  std::uint64_t clock_passed_ = 0;             // covered by a sync of the clock
  std::chrono::steady_clock::time_point due_;  // the clock's next sync, if clock_passed_ is behind
  // Syncs begun, the same when a caller last began to wait, and the number of the last failed one.
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
