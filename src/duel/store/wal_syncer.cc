#include "duel/store/wal_syncer.h"

#include <algorithm>
#include <utility>

namespace duel {

Result<std::unique_ptr<WalSyncer>> WalSyncer::start(SqliteConnection connection,
                                                    std::chrono::milliseconds interval,
                                                    Events events) {
  // A connection opens the log when it first reads, and keeps it open; sync_file needs it open.
  DUEL_RETURN_IF_ERROR(connection.number("SELECT count(*) FROM sqlite_schema"));
  std::unique_ptr<WalSyncer> syncer(
      new WalSyncer(std::move(connection), interval, std::move(events)));
  syncer->thread_ = std::thread([raw = syncer.get()] { raw->run(); });
  return syncer;
}

WalSyncer::WalSyncer(SqliteConnection connection, std::chrono::milliseconds interval, Events events)
    : connection_(std::move(connection)), interval_(interval), events_(std::move(events)) {}

WalSyncer::~WalSyncer() { stop(); }

void WalSyncer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  done_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void WalSyncer::committed() {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    wake = clock_passed_ == committed_;
    if (wake) due_ = std::chrono::steady_clock::now() + interval_;
    ++committed_;
  }
  if (wake) work_.notify_all();
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
    work_.notify_all();
  }
  done_.notify_all();
}

void WalSyncer::run() {
  std::unique_lock lock(mutex_);
  while (!stop_ && !failure_) {
    if (clock_passed_ == committed_) {
      work_.wait(lock);
      continue;
    }
    if (std::chrono::steady_clock::now() < due_) {
      work_.wait_until(lock, due_);
      continue;
    }
    lock.unlock();
    events_.clock_begins();
    lock.lock();
    const std::uint64_t target = committed_;
    reach(lock, target);
    if (synced_ < target) continue;  // stopped or failed: the loop ends
    clock_passed_ = target;
    due_ = std::chrono::steady_clock::now() + interval_;
    lock.unlock();
    events_.clock_succeeded();
    lock.lock();
  }
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
