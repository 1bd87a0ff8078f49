#include "duel/store/sqlite_store.h"

#include <fmt/format.h>

#include <fstream>

#include "duel/store/open_sqlite_store.h"
#include "duel/store/sqlite_schema.h"

namespace duel {
namespace {

// On a file system without shared memory SQLite stays in another mode without an error.
Status enter_wal_mode(SqliteConnection& connection) {
  DUEL_ASSIGN(SqliteStatement statement, connection.prepare("PRAGMA journal_mode=WAL"));
  DUEL_ASSIGN(const bool said, statement.step());
  if (said && statement.text(0) == "wal") return Done{};
  return Error::io("the database cannot be kept with a write-ahead log here",
                   connection.file().string(), "use a local file system");
}

}  // namespace

OpenSqliteStore::~OpenSqliteStore() {
  if (!writer_) return;
  syncer_->stop();
  checkpointer_.reset();
  readers_.clear();
  if (!broken_) (void)close_cleanly();
  // SQLite checkpoints and deletes the log when the last connection closes. After a failed write
  // or sync the log may be the only good copy, and must stay.
  if (broken_) {
    sqlite3_db_config(writer_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  }
}

Status OpenSqliteStore::start() {
  const auto readable = [&] {
    return with_reader([](SqliteConnection&) -> Status { return Done{}; });
  };
  if (options_.access == SqliteAccess::own) {
    Status owned = Done{};
    {
      const std::lock_guard lock(write_mutex_);
      owned = become_owner();
    }
    // A server must come up although the disk is full, or pages get no fallbacks. The first call
    // that writes tries again.
    if (!owned.ok() && is_full_disk(owned.error()) && readable().ok()) return Done{};
    return owned;
  }
  std::error_code unknown;
  if (!std::filesystem::exists(file_, unknown)) {
    return Error::not_found("there is no such store", file_.string());
  }
  return readable();
}

Status OpenSqliteStore::check_place() {
  if (options_.access == SqliteAccess::read) return Done{};
  const std::lock_guard lock(write_mutex_);
  return begin_writing();
}

Result<std::optional<StoredLog>> OpenSqliteStore::row_of(SqliteConnection& connection,
                                                         std::string_view experiment) {
  DUEL_ASSIGN(const LentStatement statement,
              connection.lend(
                  "SELECT id, head_sequence, head_hash, mark FROM experiments WHERE name = ?1"));
  statement->bind(1, experiment);
  DUEL_ASSIGN(const bool found, statement->step());
  if (!found) return std::optional<StoredLog>();
  return std::optional<StoredLog>(StoredLog{statement->number(0),
                                            {statement->number(1), std::string(statement->text(2))},
                                            statement->number(3)});
}

Result<StoredLog> OpenSqliteStore::row_for_reading(SqliteConnection& reader,
                                                   const std::string& experiment) {
  DUEL_ASSIGN(std::optional<StoredLog> row, row_of(reader, experiment));
  if (row) return std::move(*row);
  const std::lock_guard lock(write_mutex_);
  if (owned_.contains(experiment)) return StoredLog{};
  return no_experiment(experiment);
}

Status OpenSqliteStore::become_owner() {
  if (writer_) return Done{};
  if (!lock_) {
    DUEL_ASSIGN(Descriptor lock, lock_store(file_));
    lock_.emplace(std::move(lock));
  }
  const Status opened = open_for_writing();
  // Where the disk is full the lock stays ours: the store is read, and nobody else may write.
  if (!opened.ok() && !is_full_disk(opened.error())) lock_.reset();
  return opened;
}

Status OpenSqliteStore::open_for_writing() {
  DUEL_RETURN_IF_ERROR(create_private_file(file_));
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  DUEL_ASSIGN(SqliteConnection writer, SqliteConnection::open(file_, kFlags, options_.vfs));
  DUEL_ASSIGN(const std::size_t version, sqlite_schema_version(writer, sqlite_schema_steps()));
  // FULL until this is done: the schema and the mark of an unclean stop must be durable before
  // the first line is taken.
  DUEL_RETURN_IF_ERROR(writer.execute("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0"));
  DUEL_RETURN_IF_ERROR(enter_wal_mode(writer));
  if (version < sqlite_schema_steps().size()) {
    DUEL_RETURN_IF_ERROR(bring_up_to_date(writer, sqlite_schema_steps()));
  }
  // From here to a clean close the mark is this boot's id. A later process that finds it knows
  // that this one was killed; one that finds another boot's id knows that the machine stopped.
  DUEL_ASSIGN(last_stop_, stop_before(writer));
  DUEL_RETURN_IF_ERROR(keep_doubts(writer));
  DUEL_RETURN_IF_ERROR(write_stop(writer, options_.boot()));
  if (last_stop_ != LastStop::clean) DUEL_RETURN_IF_ERROR(rewrite_log(writer));
  DUEL_RETURN_IF_ERROR(writer.execute("PRAGMA synchronous=NORMAL"));
  DUEL_ASSIGN(insert_experiment_,
              writer.prepare("INSERT INTO experiments (name, head_sequence, head_hash, mark)"
                             " VALUES (?1, 0, '', 0)"));
  std::string insert = "INSERT INTO lines VALUES (?, ?, ?, ?)";
  DUEL_ASSIGN(insert_line_, writer.prepare(insert));
  for (std::size_t k = 1; k < kLinesAtOnce; ++k) insert += ", (?, ?, ?, ?)";
  DUEL_ASSIGN(insert_lines_, writer.prepare(insert));
  DUEL_ASSIGN(insert_tag_, writer.prepare("INSERT OR IGNORE INTO tags VALUES (?1, ?2)"));
  DUEL_ASSIGN(
      set_head_,
      writer.prepare("UPDATE experiments SET head_sequence = ?2, head_hash = ?3 WHERE id = ?1"));
  DUEL_ASSIGN(set_mark_, writer.prepare("UPDATE experiments SET mark = ?2 WHERE id = ?1"));
  // Counts the pages in the log after each commit, for keep_log_short.
  sqlite3_wal_hook(
      writer.get(),
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<OpenSqliteStore*>(self)->wal_pages_ = static_cast<std::size_t>(pages);
        return SQLITE_OK;
      },
      this);
  DUEL_ASSIGN(SqliteConnection log,
              SqliteConnection::open(file_, SQLITE_OPEN_READWRITE, options_.vfs));
  DUEL_ASSIGN(syncer_, WalSyncer::start(*options_.world, std::move(log), options_.sync_interval,
                                        {[this] { begin_marks(); }, [this] { set_marks(); },
                                         [this] { broken_ = true; }}));
  for (std::size_t k = 0; k < files_.size(); ++k) identities_[k] = identity_of(files_[k]);
  started_syncer_ = syncer_.get();
  DUEL_ASSIGN(SqliteConnection mover,
              SqliteConnection::open(file_, SQLITE_OPEN_READWRITE, options_.vfs));
  DUEL_ASSIGN(checkpointer_, WalCheckpointer::start(*options_.world, std::move(mover)));
  // Set last: as long as writer_ is empty this process does not own the database.
  writer_ = std::move(writer);
  return Done{};
}

std::array<std::filesystem::path, 4> OpenSqliteStore::files_of(const std::filesystem::path& file) {
  const std::string name = file.string();
  return {file, name + "-wal", name + "-shm", name + ".lock"};
}

Status OpenSqliteStore::still_there() const {
  for (std::size_t k = 0; k < files_.size(); ++k) {
    const std::optional<FileIdentity> now = identity_of(files_[k]);
    if (now == identities_[k]) continue;
    return Error::io(now ? "the file was replaced by another while the store is in use"
                         : "the file was deleted or moved while the store is in use",
                     files_[k].string(), "move it back, or stop the server and restore a backup");
  }
  return Done{};
}

Status OpenSqliteStore::refuse_if_broken() const {
  if (!broken_) return Done{};
  return Error::io("the store takes no more records after a failed write", file_.string(),
                   "check the disk and restart");
}

Status OpenSqliteStore::begin_writing() {
  DUEL_RETURN_IF_ERROR(become_owner());
  DUEL_RETURN_IF_ERROR(refuse_if_broken());
  return still_there();
}

Result<SqliteConnection> OpenSqliteStore::open_reader() const {
  auto reader = SqliteConnection::open(file_, SQLITE_OPEN_READWRITE, options_.vfs);
  if (!reader.ok() || started_syncer_ != nullptr || !lock_) return reader;
  const auto known = reader->number("PRAGMA user_version");
  if (known.ok() || !is_full_disk(known.error())) return reader;
  std::error_code unknown;
  const std::uintmax_t in_log = std::filesystem::file_size(file_.string() + "-wal", unknown);
  if (!unknown && in_log > 0) return reader;
  return SqliteConnection::open_unchanging(file_, options_.vfs);
}

Result<SqliteConnection> OpenSqliteStore::take_reader() {
  {
    const std::lock_guard lock(readers_mutex_);
    if (!readers_.empty()) {
      SqliteConnection reader = std::move(readers_.back());
      readers_.pop_back();
      return reader;
    }
  }
  // Another file under our name must not be read as if it were ours.
  if (started_syncer_ != nullptr) DUEL_RETURN_IF_ERROR(still_there());
  DUEL_ASSIGN(SqliteConnection reader, open_reader());
  DUEL_ASSIGN(const std::size_t version, sqlite_schema_version(reader, sqlite_schema_steps()));
  if (version < sqlite_schema_steps().size()) {
    return Error::unsupported(version == 0
                                  ? "the database holds no store"
                                  : fmt::format("the store has the older version {}", version),
                              file_.string(), version == 0 ? "" : "open it once for writing");
  }
  DUEL_RETURN_IF_ERROR(reader.execute("PRAGMA query_only=1"));
  return reader;
}
Error OpenSqliteStore::no_experiment(std::string_view experiment) const {
  return Error::not_found(fmt::format("there is no experiment '{}'", experiment), file_.string());
}

std::string boot_of_machine() {
  std::ifstream input("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(input, boot);
  return boot;
}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::filesystem::path& file,
                                                       SqliteOptions options) {
  auto database = std::make_unique<OpenSqliteStore>(file, std::move(options));
  DUEL_RETURN_IF_ERROR(database->start());
  return std::unique_ptr<SqliteStore>(std::move(database));
}

}  // namespace duel
