#include "duel/store/wal_checkpointer.h"

#include <utility>

namespace duel {

Checkpoint checkpoint(const SqliteConnection& connection, int mode) {
  int in_log = 0, moved = 0;
  const int code = sqlite3_wal_checkpoint_v2(connection.get(), "main", mode, &in_log, &moved);
  // SQLite leaves both at -1 if it failed early.
  return {code, static_cast<std::size_t>(in_log < 0 ? 0 : in_log),
          static_cast<std::size_t>(moved < 0 ? 0 : moved)};
}

Result<std::unique_ptr<WalCheckpointer>> WalCheckpointer::start(SqliteConnection connection) {
  // NORMAL makes SQLite sync the log before it writes to the database, and the database before it
  // overwrites the log. With OFF a loss of power during a checkpoint corrupts the database.
  DUEL_RETURN_IF_ERROR(
      connection.execute("PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0"));
  std::unique_ptr<WalCheckpointer> checkpointer(new WalCheckpointer(std::move(connection)));
  checkpointer->thread_ = std::thread([raw = checkpointer.get()] { raw->run(); });
  return checkpointer;
}

WalCheckpointer::~WalCheckpointer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void WalCheckpointer::begin() {
  {
    const std::lock_guard lock(mutex_);
    running_ = true;
  }
  changed_.notify_all();
}

bool WalCheckpointer::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

void WalCheckpointer::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !running_; });
}

std::optional<Checkpoint> WalCheckpointer::take_result() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ended_, std::nullopt);
}

void WalCheckpointer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return running_ || stop_; });
    if (stop_) return;
    lock.unlock();
    const Checkpoint ended = checkpoint(connection_, SQLITE_CHECKPOINT_PASSIVE);
    lock.lock();
    ended_ = ended;
    running_ = false;
    changed_.notify_all();
  }
}

}  // namespace duel
