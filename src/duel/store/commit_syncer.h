// Makes commits of a shared database durable: one sync for all callers that wait, made by the first
// of them, and one by the clock for commits that nobody waits for. A failed sync is an error for
// those who wait, and the next one may succeed: the database can come back. (On a disk it cannot:
// see wal_syncer.h.) Any thread may call it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "duel/core/result.h"
#include "duel/core/world.h"

namespace duel {

class CommitSyncer {
 public:
  // Makes all commits up to number `target` durable; one call at a time, on the thread of a caller
  // or of the clock. `by_clock` says that the clock asked for it.
  using Sync = std::function<Status(std::uint64_t target, bool by_clock)>;

  CommitSyncer(World& world, std::chrono::milliseconds interval, Sync sync);
  CommitSyncer(const CommitSyncer&) = delete;
  CommitSyncer& operator=(const CommitSyncer&) = delete;
  ~CommitSyncer();

  // Waits for the sync that is under way, and begins no other.
  void stop();

  // To be called after every commit, before its result is given to anybody. Returns its number.
  std::uint64_t committed();
  // Returns when a sync that began after every commit so far has ended.
  Status wait();
  // To be called when commits that were not durable are gone. Callers that wait get the error, and
  // so does the next one, which may be about to wait for the lost commits.
  void lost(const Error& error);

 private:
  // REQUIRES: mutex_ is held by `lock`, which is free during the sync, and nobody syncs.
  void sync_now(std::unique_lock<std::mutex>& lock, bool by_clock);
  void sync_by_clock();
  // REQUIRES: mutex_ is held.
  void come_by_clock();

  const std::chrono::milliseconds interval_;
  const Sync sync_;

  std::mutex mutex_;
  std::condition_variable done_;
  // Numbers of commits. All that follows is guarded by mutex_.
  std::uint64_t committed_ = 0;
  std::uint64_t synced_ = 0;
  std::uint64_t clock_passed_ = 0;  // covered by a sync of the clock
  bool clock_comes_ = false;        // a sync of the clock is posted
  bool syncing_ = false;
  // Syncs begun, and the number of the last failed one.
  std::uint64_t begun_ = 0;
  std::uint64_t failed_ = 0;
  Error failure_;
  std::uint64_t losses_ = 0;
  bool loss_to_tell_ = false;
  Error loss_;
  bool stop_ = false;
  std::unique_ptr<TaskQueue> clock_;  // last: its tasks use the rest
};

}  // namespace duel
