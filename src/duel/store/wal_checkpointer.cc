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

Result<std::unique_ptr<WalCheckpointer>> WalCheckpointer::start(World& world,
                                                                SqliteConnection connection) {
  // NORMAL makes SQLite sync the log before it writes to the database, and the database before it
  // overwrites the log. With OFF a loss of power during a checkpoint corrupts the database.
  DUEL_RETURN_IF_ERROR(
      connection.execute("PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0"));
  return std::unique_ptr<WalCheckpointer>(new WalCheckpointer(world, std::move(connection)));
}

WalCheckpointer::~WalCheckpointer() { queue_->stop(); }

void WalCheckpointer::begin() {
  {
    const std::lock_guard lock(mutex_);
    running_ = true;
  }
  queue_->post([this] {
    const Checkpoint ended = checkpoint(connection_, SQLITE_CHECKPOINT_PASSIVE);
    {
      const std::lock_guard lock(mutex_);
      ended_ = ended;
      running_ = false;
    }
    changed_.notify_all();
  });
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

}  // namespace duel
