#include "duel/store/wal_syncer.h"

#include <algorithm>
#include <utility>

namespace duel {

Result<std::unique_ptr<WalSyncer>> WalSyncer::start(World& world, SqliteConnection connection,
                                                    std::chrono::milliseconds interval,
                                                    Events events) {
  // A connection opens the log when it first reads, and keeps it open; sync_file needs it open.
  DUEL_RETURN_IF_ERROR(connection.number("SELECT count(*) FROM sqlite_schema"));
  return std::unique_ptr<WalSyncer>(
      new WalSyncer(world, std::move(connection), interval, std::move(events)));
}

WalSyncer::WalSyncer(World& world, SqliteConnection connection, std::chrono::milliseconds interval,
                     Events events)
    : connection_(std::move(connection)),
      interval_(interval),
      events_(std::move(events)),
      clock_(world.queue()) {}

WalSyncer::~WalSyncer() { stop(); }

void WalSyncer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  done_.notify_all();
  clock_->stop();
}

void WalSyncer::committed() {
  const std::lock_guard lock(mutex_);
  ++committed_;
  come_by_clock();
}

void WalSyncer::come_by_clock() {
  if (stop_ || failure_ || std::exchange(clock_comes_, true)) return;
  clock_->after(interval_, [this] { sync_by_clock(); });
}

Status WalSyncer::wait() {
  std::unique_lock lock(mutex_);
  const std::uint64_t target = committed_;
  reach(lock, target);
  if (synced_ >= target) return Done{};
  if (failure_) return *failure_;
  return Error::io("the store was closed", connection_.file().string());
}

void WalSyncer::reach(std::unique_lock<std::mutex>& lock, std::uint64_t target) {
  while (synced_ < target && !failure_ && !stop_) {
    if (syncing_) {
      done_.wait(lock);  // that sync may have begun before our commit: look again
    } else {
      sync_for_all(lock);
    }
  }
}

void WalSyncer::sync_for_all(std::unique_lock<std::mutex>& lock) {
  // A commit that comes while the sync runs may or may not be covered, so it does not count.
  const std::uint64_t target = committed_;
  syncing_ = true;
  lock.unlock();
  const Status status = sync_file();
  lock.lock();
  syncing_ = false;
  if (status.ok()) {
    synced_ = target;
  } else {
    events_.failed();
    failure_ = status.error();
  }
  done_.notify_all();
}

void WalSyncer::sync_by_clock() {
  events_.clock_begins();
  std::unique_lock lock(mutex_);
  const std::uint64_t target = committed_;
  reach(lock, target);
  if (synced_ < target) return;  // stopped or failed: it does not come again
  clock_comes_ = false;
  if (committed_ > target) come_by_clock();
  lock.unlock();
  events_.clock_succeeded();
}

Status WalSyncer::sync_file() {
  sqlite3_file* log = nullptr;
  const int found = sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER,
                                         static_cast<void*>(&log));
  if (found != SQLITE_OK || log == nullptr || log->pMethods == nullptr) {
    return Error::io("the database has no write-ahead log to sync", connection_.file().string());
  }
  if (log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) != SQLITE_OK) {
    return Error::io("the database cannot be synced to the disk", connection_.file().string(),
                     "check the disk and restart");
  }
  return Done{};
}

}  // namespace duel
