#include <algorithm>

#include "duel/store/open_sqlite_store.h"

namespace duel {
namespace {

constexpr std::string_view kClean = "clean";
// The log may grow to this many times its limit while it is being moved; then commits wait.
constexpr std::size_t kMostOfLimit = 4;
constexpr std::size_t kFewPages = 64;  // take well under a millisecond

}  // namespace

Status OpenSqliteStore::compact() {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(begin_writing());
  DUEL_RETURN_IF_ERROR(writer_.execute("VACUUM"));
  syncer_->committed();
  checkpointer_->settle();
  const Checkpoint ended = checkpoint(writer_, SQLITE_CHECKPOINT_TRUNCATE);
  if (!ended.ok()) {
    const Error error = writer_.error();
    take_checkpoint(ended);
    return error;
  }
  take_checkpoint(ended);
  return Done{};
}

Status OpenSqliteStore::sync() {
  // Not under write_mutex_: waiting for the disk must not keep others from committing.
  WalSyncer* syncer = started_syncer_;
  // A store that only reads has nothing to sync.
  if (syncer == nullptr) return Done{};
  DUEL_RETURN_IF_ERROR(syncer->wait());
  return still_there();
}

Result<std::uint64_t> OpenSqliteStore::synced(const std::string& experiment) {
  {
    const std::lock_guard lock(write_mutex_);
    const auto found = owned_.find(experiment);
    if (found != owned_.end() && found->second.appended) return found->second.row.head.sequence;
    // A killed process has left its marks behind, and lost nothing. But for an experiment that is
    // in doubt since before, all lines are there.
    if (writer_ && last_stop_ != LastStop::machine_stopped && !in_doubt_.empty()) {
      DUEL_ASSIGN(const std::optional<StoredLog> row, row_of(writer_, experiment));
      if (row && !in_doubt_.contains(row->id)) return row->head.sequence;
    }
  }
  return with_reader([&](SqliteConnection& reader) -> Result<std::uint64_t> {
    DUEL_ASSIGN(const StoredLog row, row_for_reading(reader, experiment));
    return row.mark;
  });
}

Result<LastStop> OpenSqliteStore::last_stop() {
  {
    const std::lock_guard lock(write_mutex_);
    if (writer_) return in_doubt_.empty() ? last_stop_ : LastStop::machine_stopped;
  }
  return with_reader([&](SqliteConnection& reader) { return read_stop(reader); });
}

Result<LastStop> OpenSqliteStore::stop_before(SqliteConnection& connection) const {
  DUEL_ASSIGN(SqliteStatement statement,
              connection.prepare("SELECT value FROM state WHERE name = 'stop'"));
  DUEL_ASSIGN(const bool found, statement.step());
  if (!found || statement.text(0) == kClean) return LastStop::clean;
  const std::string boot = options_.boot();
  return !boot.empty() && statement.text(0) == boot ? LastStop::process_killed
                                                    : LastStop::machine_stopped;
}

Result<LastStop> OpenSqliteStore::read_stop(SqliteConnection& connection) const {
  DUEL_ASSIGN(const LastStop stop, stop_before(connection));
  DUEL_ASSIGN(const std::uint64_t doubts,
              connection.number("SELECT count(*) FROM state WHERE name LIKE 'doubt/%'"));
  return doubts > 0 ? LastStop::machine_stopped : stop;
}

Status OpenSqliteStore::keep_doubts(SqliteConnection& writer) {
  if (last_stop_ == LastStop::machine_stopped) {
    DUEL_RETURN_IF_ERROR(
        writer.execute("INSERT OR IGNORE INTO state SELECT 'doubt/' || id, '' FROM experiments"
                       " WHERE mark < head_sequence"));
  }
  DUEL_ASSIGN(SqliteStatement statement,
              writer.prepare("SELECT CAST(substr(name, 7) AS INTEGER) FROM state"
                             " WHERE name LIKE 'doubt/%'"));
  const auto id_in = [](const SqliteStatement& row) { return row.number(0); };
  DUEL_ASSIGN(const std::vector<std::uint64_t> ids, rows_in(statement, id_in));
  in_doubt_ = {ids.begin(), ids.end()};
  return Done{};
}

Status OpenSqliteStore::end_doubts(const std::map<Owned*, StoredLog>& rows) {
  for (const auto& [owned, row] : rows) {
    if (!in_doubt_.contains(row.id)) continue;
    DUEL_ASSIGN(SqliteStatement statement,
                writer_.prepare("DELETE FROM state WHERE name = 'doubt/' || ?1"));
    DUEL_RETURN_IF_ERROR(statement.bind(1, row.id).run());
  }
  return Done{};
}

Status OpenSqliteStore::rewrite_log(SqliteConnection& writer) const {
  const int code =
      sqlite3_wal_checkpoint_v2(writer.get(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  // BUSY: another program reads the database, and the log has to stay as it is.
  if (code == SQLITE_OK || code == SQLITE_BUSY) return Done{};
  return writer.error();
}

Status OpenSqliteStore::write_stop(SqliteConnection& connection, std::string_view value) {
  DUEL_ASSIGN(SqliteStatement statement,
              connection.prepare("INSERT OR REPLACE INTO state VALUES ('stop', ?1)"));
  return statement.bind(1, value).run();
}

void OpenSqliteStore::keep_log_short() {
  const std::size_t most = options_.checkpoint_pages;
  if (checkpointer_->running()) {
    if (wal_pages_ < checkpoint_failed_at_ + kMostOfLimit * most) return;
    checkpointer_->settle();  // commits come faster than it can move them, so they wait
  }
  if (const auto ended = checkpointer_->take_result()) {
    take_checkpoint(*ended);
    const bool begun_anew = wal_pages_ < ended->moved;
    if (ended->complete() && !begun_anew) {
      if (wal_pages_ - ended->moved > std::max(most / 8, kFewPages)) {
        checkpointer_->begin();
      } else {
        take_checkpoint(checkpoint(writer_, SQLITE_CHECKPOINT_PASSIVE));
      }
      return;
    }
  }
  if (wal_pages_ >= checkpoint_failed_at_ + most) checkpointer_->begin();
}

void OpenSqliteStore::take_checkpoint(const Checkpoint& ended) {
  // The system may have dropped the pages that it could not write.
  if (ended.code == SQLITE_IOERR_FSYNC) broken_ = true;
  // Other failures do not concern the groups, which are in the log. The checkpoint is tried again
  // when the log has grown by its limit once more.
  checkpoint_failed_at_ = !ended.ok() ? wal_pages_ : ended.complete() ? 0 : ended.in_log;
}

void OpenSqliteStore::begin_marks() {
  const std::lock_guard lock(write_mutex_);
  for (auto& [name, owned] : owned_) owned.being_marked = owned.row.head.sequence;
}

void OpenSqliteStore::set_marks() {
  const std::lock_guard lock(write_mutex_);
  if (broken_) return;
  std::vector<Owned*> late;
  for (auto& [name, owned] : owned_) {
    if (owned.appended && owned.being_marked > owned.row.mark) late.push_back(&owned);
  }
  if (late.empty()) return;
  const auto write = [&]() -> Status {
    for (const Owned* owned : late) {
      DUEL_RETURN_IF_ERROR(set_mark_.bind(1, owned->row.id).bind(2, owned->being_marked).run());
    }
    return Done{};
  };
  // If the mark cannot be written, the old one understates what is durable, which is safe.
  if (!in_transaction(write).ok()) return;
  for (Owned* owned : late) owned->row.mark = owned->being_marked;
}

Status OpenSqliteStore::close_cleanly() {
  DUEL_RETURN_IF_ERROR(writer_.execute("PRAGMA synchronous=FULL; BEGIN IMMEDIATE"));
  for (auto& [name, owned] : owned_) {
    if (!owned.appended) continue;
    DUEL_RETURN_IF_ERROR(set_mark_.bind(1, owned.row.id).bind(2, owned.row.head.sequence).run());
  }
  DUEL_RETURN_IF_ERROR(write_stop(writer_, kClean));
  return writer_.execute("COMMIT");
}
}  // namespace duel
