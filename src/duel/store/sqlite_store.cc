// One connection writes, under write_mutex_; any number read, each lent to one caller at a time; a
// third syncs the write-ahead log, and a fourth moves it into the database. Locks are taken in the
// order write_mutex_, then the syncer's. `sync` takes only the latter, so that a caller who waits
// for the disk does not keep others from committing.
//
// After a failure that leaves it open what is on the disk, broken_ is set for good and every write
// is refused: only a new process that reads the database can say what is there.
#include "duel/store/sqlite_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/descriptor.h"
#include "duel/core/whole_file.h"
#include "duel/store/line.h"
#include "duel/store/sqlite.h"
#include "duel/store/sqlite_schema.h"
#include "duel/store/wal_checkpointer.h"
#include "duel/store/wal_syncer.h"

namespace duel {
namespace {

constexpr std::string_view kClean = "clean";
// The log may grow to this many times its limit while it is being moved; then commits wait.
constexpr std::size_t kMostOfLimit = 4;
constexpr std::size_t kFewPages = 64;  // take well under a millisecond
// By one statement, where a group has as many: a line then takes an eighth less time.
constexpr std::size_t kLinesAtOnce = 8;

Error no_experiment(std::string_view experiment, const std::filesystem::path& file) {
  return Error::not_found(fmt::format("there is no experiment '{}'", experiment), file.string());
}

// What `make` makes of each row of `statement`.
template <class Make>
auto rows_in(SqliteStatement& statement, const Make& make)
    -> Result<std::vector<decltype(make(statement))>> {
  std::vector<decltype(make(statement))> rows;
  for (;;) {
    DUEL_ASSIGN(const bool found, statement.step());
    if (!found) return rows;
    rows.push_back(make(statement));
  }
}

std::string name_in(const SqliteStatement& row) { return std::string(row.text(0)); }

// On a file system without shared memory SQLite stays in another mode without an error.
Status enter_wal_mode(SqliteConnection& connection) {
  DUEL_ASSIGN(SqliteStatement statement, connection.prepare("PRAGMA journal_mode=WAL"));
  DUEL_ASSIGN(const bool said, statement.step());
  if (said && statement.text(0) == "wal") return Done{};
  return Error::io("the database cannot be kept with a write-ahead log here",
                   connection.file().string(), "use a local file system");
}

// Only the owner may read a new database, because it holds the key of all report tokens. SQLite
// gives its log and its index the same mode. An existing database keeps the mode that it has.
Status create_private_file(const std::filesystem::path& file) {
  const Descriptor created(
      ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (created.get() < 0 && errno != EEXIST) {
    return system_error("the database cannot be created", file, errno);
  }
  return Done{};
}

// Syncs a file, or a directory: a rename is durable only after its directory has been synced.
Status sync_path(const std::filesystem::path& path, int flags) {
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
  if (opened.get() < 0 || (::fsync(opened.get()) != 0 && errno != EINVAL)) {
    return system_error("cannot be written to the disk", path, errno);
  }
  return Done{};
}

// "process 4711 on host alpha", as `lock_store` wrote it.
std::string holder_in(int descriptor) {
  std::array<char, 512> bytes{};
  const ssize_t got = ::pread(descriptor, bytes.data(), bytes.size(), 0);
  std::string_view text(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  text = text.substr(0, text.find('\n'));
  return text.starts_with("process ") ? std::string(text) : "another process";
}

// The right of one process to write: FILE.lock, locked, which says who holds it. The system
// releases the lock when the process ends, even if it is killed.
//
// The name can be guessed, and another user of the machine may have put something of that name
// there, so that a server with more rights writes where it should not: a link is not followed, only
// a plain file that has no other name is taken, and nothing is cut off.
Result<Descriptor> lock_store(const std::filesystem::path& file) {
  std::filesystem::path lock_file = file;
  lock_file += ".lock";
  Descriptor lock(::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                         S_IRUSR | S_IWUSR));
  struct stat found{};
  const bool is_link = lock.get() < 0 && errno == ELOOP;
  if (lock.get() < 0 && !is_link) return system_error("cannot be written", lock_file, errno);
  if (is_link || ::fstat(lock.get(), &found) != 0 || !S_ISREG(found.st_mode) ||
      found.st_nlink != 1) {
    return Error::io("is a link, or no plain file", lock_file.string(),
                     "remove it, unless you know what it is for");
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error("cannot be locked", lock_file, errno);
    return Error::conflict(fmt::format("{} is using the store", holder_in(lock.get())),
                           file.string(), "ask it over HTTP, or stop it");
  }
  // An older version made it readable for all.
  (void)::fchmod(lock.get(), S_IRUSR | S_IWUSR);
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  // Only the lock counts. If the disk is full the name of its holder is missing, and that is all.
  (void)write_fully(lock.get(), fmt::format("process {} on host {}\n", ::getpid(), host.data()));
  return lock;
}

// Which file has a name: it is another one after somebody has moved or restored it.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
std::optional<FileIdentity> identity_of(const std::filesystem::path& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  return FileIdentity{found.st_dev, found.st_ino};
}

class OpenStore final : public SqliteStore {
 public:
  OpenStore(std::filesystem::path file, SqliteOptions options)
      : file_(std::move(file)), files_(files_of(file_)), options_(std::move(options)) {}
  OpenStore(const OpenStore&) = delete;
  OpenStore& operator=(const OpenStore&) = delete;

  ~OpenStore() override {
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

  Status start() {
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

  Result<std::vector<std::string>> list() override {
    return with_reader([](SqliteConnection& reader) -> Result<std::vector<std::string>> {
      DUEL_ASSIGN(SqliteStatement statement,
                  reader.prepare("SELECT name FROM experiments ORDER BY name"));
      return rows_in(statement, name_in);
    });
  }

  Status create(const std::string& experiment) override {
    const std::lock_guard lock(write_mutex_);
    DUEL_RETURN_IF_ERROR(become_owner());
    DUEL_ASSIGN(const std::optional<Row> row, row_of(writer_, experiment));
    if (row) {
      return Error::conflict(fmt::format("the experiment '{}' exists", experiment), file_.string());
    }
    owned_[experiment] = {};
    return Done{};
  }

  Status own(const std::string& experiment) override {
    const std::lock_guard lock(write_mutex_);
    const Status owner = become_owner();
    if (!owner.ok() && !is_full_disk(owner.error())) return owner;
    // The lock is ours even if the disk is too full to write anything.
    DUEL_ASSIGN(std::optional<Row> row, owner.ok() ? row_of(writer_, experiment)
                                                   : with_reader([&](SqliteConnection& reader) {
                                                       return row_of(reader, experiment);
                                                     }));
    const auto found = owned_.find(experiment);
    if (!row) {
      if (found != owned_.end()) return Done{};  // created, and still without a line
      return no_experiment(experiment, file_);
    }
    Owned& owned = owned_[experiment];
    owned.row = std::move(*row);
    return Done{};
  }

  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override {
    // In portions: while a statement is open the log cannot be emptied, and a sink may be slow.
    constexpr std::uint64_t kPortionLines = 1'000;
    constexpr std::size_t kPortionBytes = std::size_t{1} << 20;
    std::uint64_t id = 0;
    std::uint64_t head = 0;  // when the reading began; it can only have grown
    for (bool more = true; more;) {
      std::string bytes;
      std::vector<std::size_t> ends;
      const auto take = [&](SqliteConnection& reader) -> Status {
        if (id == 0) {
          DUEL_ASSIGN(const Row row, row_for_reading(reader, experiment));
          id = row.id;
          head = row.head.sequence;
        }
        DUEL_ASSIGN(SqliteStatement statement,
                    reader.prepare("SELECT text FROM lines WHERE experiment = ?1 AND sequence > ?2"
                                   " ORDER BY sequence LIMIT ?3"));
        statement.bind(1, id).bind(2, after).bind(3, kPortionLines);
        while (bytes.size() < kPortionBytes) {
          DUEL_ASSIGN(const bool row, statement.step());
          if (!row) {
            more = ends.size() == kPortionLines;
            return Done{};
          }
          bytes += statement.text(0);
          ends.push_back(bytes.size());
        }
        return Done{};
      };
      DUEL_RETURN_IF_ERROR(with_reader(take));
      bytes.append(kReadableAfterLine, '\0');
      std::size_t begin = 0;
      for (const std::size_t end : ends) {
        DUEL_RETURN_IF_ERROR(sink(std::string_view(bytes).substr(begin, end - begin)));
        begin = end;
      }
      after += ends.size();
    }
    // A damaged page can hold fewer rows without SQLite noticing, and the hash chain of a log that
    // ends early is as sound as that of a whole one.
    if (after < head) {
      return Error::invalid_data(
          fmt::format("the experiment '{}' should have {} records and ends with record {}",
                      experiment, head, after),
          file_.string(), "restore a backup");
    }
    return std::uint64_t{0};
  }

  Result<Head> head(const std::string& experiment) override {
    return with_reader([&](SqliteConnection& reader) -> Result<Head> {
      DUEL_ASSIGN(Row row, row_for_reading(reader, experiment));
      return std::move(row.head);
    });
  }

  Result<std::vector<Status>> append(std::span<const Group> groups) override {
    const std::lock_guard lock(write_mutex_);
    DUEL_RETURN_IF_ERROR(begin_writing());
    for (const Group& group : groups) DUEL_CHECK(owned_.contains(std::string(group.experiment)));
    std::vector<Status> results;
    if (groups.empty()) return results;
    std::map<Owned*, Row> rows;  // as they will be if the commit succeeds
    {
      DUEL_ASSIGN(const LentStatement begin, writer_.lend("BEGIN IMMEDIATE"));
      DUEL_RETURN_IF_ERROR(begin->run());
    }
    Status inserted = insert(groups, results, rows);
    if (inserted.ok() && !in_doubt_.empty()) inserted = end_doubts(rows);
    if (!inserted.ok()) {
      roll_back();
      return inserted.error();
    }
    // Heads in memory move only after the commit: after a failure they are still those on the disk.
    DUEL_RETURN_IF_ERROR(commit());
    for (auto& [owned, row] : rows) {
      in_doubt_.erase(row.id);
      owned->row = std::move(row);
      owned->appended = true;
    }
    return results;
  }

  Result<std::vector<FoundLine>> find(const std::string& experiment,
                                      std::string_view key) override {
    return with_reader([&](SqliteConnection& reader) -> Result<std::vector<FoundLine>> {
      DUEL_ASSIGN(const Row row, row_for_reading(reader, experiment));
      DUEL_ASSIGN(const LentStatement statement,
                  reader.lend("SELECT sequence, text FROM lines WHERE key = ?1 AND experiment = ?2"
                              " ORDER BY sequence"));
      statement->bind(1, key).bind(2, row.id);
      std::vector<FoundLine> lines;
      for (;;) {
        DUEL_ASSIGN(const bool found, statement->step());
        if (!found) return lines;
        lines.push_back({statement->number(0), std::string(statement->text(1))});
      }
    });
  }

  Result<std::vector<std::string>> experiments_of(std::string_view key) override {
    return with_reader([&](SqliteConnection& reader) -> Result<std::vector<std::string>> {
      DUEL_ASSIGN(SqliteStatement statement,
                  reader.prepare("SELECT name FROM experiments WHERE id IN"
                                 " (SELECT experiment FROM lines WHERE key = ?1) ORDER BY name"));
      statement.bind(1, key);
      return rows_in(statement, name_in);
    });
  }

  Status put_snapshot(const std::string& experiment, const Snapshot& snapshot) override {
    const std::lock_guard lock(write_mutex_);
    DUEL_RETURN_IF_ERROR(begin_writing());
    DUEL_ASSIGN(const std::optional<Row> row, row_of(writer_, experiment));
    if (!row) return no_experiment(experiment, file_);
    DUEL_ASSIGN(
        SqliteStatement statement,
        writer_.prepare("INSERT OR REPLACE INTO snapshots VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
    statement.bind(1, row->id).bind(2, snapshot.sequence).bind(3, snapshot.hash);
    statement.bind(4, snapshot.version).bind(5, snapshot.bytes).bind(6, snapshot.summary);
    return in_transaction([&] { return statement.run(); });
  }

  Result<std::optional<Snapshot>> snapshot(const std::string& experiment) override {
    using Found = std::optional<Snapshot>;
    return with_reader([&](SqliteConnection& reader) -> Result<Found> {
      DUEL_ASSIGN(const Row row, row_for_reading(reader, experiment));
      DUEL_ASSIGN(SqliteStatement statement,
                  reader.prepare("SELECT sequence, hash, version, bytes, summary FROM snapshots"
                                 " WHERE experiment = ?1"));
      statement.bind(1, row.id);
      DUEL_ASSIGN(const bool found, statement.step());
      if (!found) return Found();
      return Found(Snapshot{statement.number(0), std::string(statement.text(1)),
                            std::string(statement.text(2)), std::string(statement.text(3)),
                            std::string(statement.text(4))});
    });
  }

  Result<std::vector<Outline>> outlines() override {
    return with_reader([](SqliteConnection& reader) -> Result<std::vector<Outline>> {
      DUEL_ASSIGN(SqliteStatement statement,
                  reader.prepare("SELECT e.name, e.head_sequence, e.head_hash, s.sequence, s.hash,"
                                 " s.version, s.summary"
                                 " FROM experiments e LEFT JOIN snapshots s ON s.experiment = e.id"
                                 " ORDER BY e.name"));
      return rows_in(statement, [](const SqliteStatement& row) {
        Outline outline{name_in(row), {row.number(1), std::string(row.text(2))}, std::nullopt};
        if (row.number(3) != 0) {  // NULL reads as 0, and no snapshot has the sequence 0
          outline.snapshot = Snapshot{row.number(3), std::string(row.text(4)),
                                      std::string(row.text(5)), "", std::string(row.text(6))};
        }
        return outline;
      });
    });
  }

  Result<bool> tagged(const std::string& experiment, std::uint64_t tag) override {
    return with_reader([&](SqliteConnection& reader) -> Result<bool> {
      DUEL_ASSIGN(const LentStatement statement,
                  reader.lend("SELECT 1 FROM tags WHERE tag = ?2 AND experiment ="
                              " (SELECT id FROM experiments WHERE name = ?1)"));
      statement->bind(1, experiment).bind(2, tag);
      return statement->step();
    });
  }

  Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) override {
    const std::lock_guard lock(write_mutex_);
    DUEL_RETURN_IF_ERROR(begin_writing());
    DUEL_ASSIGN(const std::optional<Row> row, row_of(writer_, experiment));
    if (!row) return no_experiment(experiment, file_);
    return in_transaction([&]() -> Status {
      for (const std::uint64_t tag : tags) {
        DUEL_RETURN_IF_ERROR(insert_tag_.bind(1, row->id).bind(2, tag).run());
      }
      return Done{};
    });
  }

  Status put(std::string_view space, std::string_view key, std::string_view bytes) override {
    {
      const std::lock_guard lock(write_mutex_);
      DUEL_RETURN_IF_ERROR(begin_writing());
      DUEL_ASSIGN(SqliteStatement statement,
                  writer_.prepare("INSERT OR REPLACE INTO entries VALUES (?1, ?2, ?3)"));
      statement.bind(1, space).bind(2, key).bind(3, bytes);
      DUEL_RETURN_IF_ERROR(in_transaction([&] { return statement.run(); }));
    }
    return sync();
  }

  Result<std::optional<std::string>> get(std::string_view space, std::string_view key) override {
    using Found = std::optional<std::string>;
    return with_reader([&](SqliteConnection& reader) -> Result<Found> {
      DUEL_ASSIGN(SqliteStatement statement,
                  reader.prepare("SELECT bytes FROM entries WHERE space = ?1 AND key = ?2"));
      statement.bind(1, space).bind(2, key);
      DUEL_ASSIGN(const bool found, statement.step());
      return found ? Found(statement.text(0)) : Found();
    });
  }

  Result<std::vector<std::pair<std::string, std::string>>> entries(
      std::string_view space) override {
    using Entries = std::vector<std::pair<std::string, std::string>>;
    return with_reader([&](SqliteConnection& reader) -> Result<Entries> {
      DUEL_ASSIGN(SqliteStatement statement,
                  reader.prepare("SELECT key, bytes FROM entries WHERE space = ?1 ORDER BY key"));
      statement.bind(1, space);
      return rows_in(statement, [](const SqliteStatement& row) {
        return std::pair(std::string(row.text(0)), std::string(row.text(1)));
      });
    });
  }

  Result<bool> erase(std::string_view space, std::string_view key) override {
    bool erased = false;
    {
      const std::lock_guard lock(write_mutex_);
      DUEL_RETURN_IF_ERROR(begin_writing());
      DUEL_ASSIGN(SqliteStatement statement,
                  writer_.prepare("DELETE FROM entries WHERE space = ?1 AND key = ?2"));
      statement.bind(1, space).bind(2, key);
      DUEL_RETURN_IF_ERROR(in_transaction([&] { return statement.run(); }));
      erased = sqlite3_changes(writer_.get()) > 0;
    }
    DUEL_RETURN_IF_ERROR(sync());
    return erased;
  }

  Status check() override {
    return with_reader([&](SqliteConnection& reader) -> Status {
      const std::string where = file_.string();
      // SQLite's own check: pages, indexes against tables, orders.
      DUEL_ASSIGN(SqliteStatement pages, reader.prepare("PRAGMA integrity_check(1)"));
      DUEL_ASSIGN(const bool said, pages.step());
      if (!said || pages.text(0) != "ok") {
        return Error::invalid_data(
            fmt::format("the database is damaged: {}", said ? pages.text(0) : "no answer"), where,
            "restore a backup");
      }
      // And ours: every experiment has the lines 1, 2, .. up to its head, and none beyond.
      DUEL_ASSIGN(SqliteStatement heads,
                  reader.prepare("SELECT e.name, e.head_sequence, count(l.sequence),"
                                 " coalesce(max(l.sequence), 0), coalesce(min(l.sequence), 1)"
                                 " FROM experiments e LEFT JOIN lines l ON l.experiment = e.id"
                                 " GROUP BY e.id ORDER BY e.name"));
      for (;;) {
        DUEL_ASSIGN(const bool row, heads.step());
        if (!row) break;
        const std::uint64_t head = heads.number(1);
        if (heads.number(2) == head && heads.number(3) == head && heads.number(4) == 1) continue;
        return Error::invalid_data(
            fmt::format(
                "the experiment '{}' should have the records 1 to {}, and has {} of which the "
                "last is {}",
                heads.text(0), head, heads.number(2), heads.number(3)),
            where, "restore a backup");
      }
      DUEL_ASSIGN(const std::uint64_t lost,
                  reader.number("SELECT count(*) FROM lines WHERE experiment NOT IN"
                                " (SELECT id FROM experiments)"));
      if (lost == 0) return Done{};
      return Error::invalid_data(fmt::format("{} records belong to no experiment", lost), where,
                                 "restore a backup");
    });
  }

  Status backup(const std::filesystem::path& file) override {
    std::error_code unknown;
    if (std::filesystem::exists(file, unknown)) {
      return Error::conflict("the file exists", file.string(), "choose another file");
    }
    std::filesystem::path partial = file;
    partial += ".partial";
    std::filesystem::remove(partial, unknown);
    const auto copy = [&](SqliteConnection& reader) -> Status {
      DUEL_RETURN_IF_ERROR(create_private_file(partial));
      DUEL_ASSIGN(SqliteConnection target,
                  SqliteConnection::open(partial, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
      sqlite3_backup* backup = sqlite3_backup_init(target.get(), "main", reader.get(), "main");
      if (backup == nullptr) return target.error();
      // In one step, which reads one state of the database. In several steps it would start over
      // after every append. Appends do not wait for a reader.
      const int code = sqlite3_backup_step(backup, -1);
      const int finished = sqlite3_backup_finish(backup);
      if (code != SQLITE_DONE || finished != SQLITE_OK) {
        return code == SQLITE_DONE ? target.error()
                                   : sqlite_error(code, sqlite3_errstr(code), file);
      }
      return Done{};
    };
    Status status = with_reader(copy);
    if (status.ok()) status = sync_path(partial, 0);
    if (status.ok() && std::rename(partial.c_str(), file.c_str()) != 0) {
      status = system_error("cannot be written", file, errno);
    }
    if (!status.ok()) {
      std::filesystem::remove(partial, unknown);
      return status;
    }
    const std::filesystem::path parent = file.parent_path();
    return sync_path(parent.empty() ? "." : parent, O_DIRECTORY);
  }

  Status compact() override {
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

  Status sync() override {
    // Not under write_mutex_: waiting for the disk must not keep others from committing.
    WalSyncer* syncer = started_syncer_;
    // A store that only reads has nothing to sync.
    if (syncer == nullptr) return Done{};
    DUEL_RETURN_IF_ERROR(syncer->wait());
    return still_there();
  }

  Status check_place() override {
    if (options_.access == SqliteAccess::read) return Done{};
    const std::lock_guard lock(write_mutex_);
    return begin_writing();
  }

  bool broken() const override { return broken_; }

  Result<std::uint64_t> synced(const std::string& experiment) override {
    {
      const std::lock_guard lock(write_mutex_);
      const auto found = owned_.find(experiment);
      if (found != owned_.end() && found->second.appended) return found->second.row.head.sequence;
      // A killed process has left its marks behind, and lost nothing. But for an experiment that is
      // in doubt since before, all lines are there.
      if (writer_ && last_stop_ != LastStop::machine_stopped && !in_doubt_.empty()) {
        DUEL_ASSIGN(const std::optional<Row> row, row_of(writer_, experiment));
        if (row && !in_doubt_.contains(row->id)) return row->head.sequence;
      }
    }
    return with_reader([&](SqliteConnection& reader) -> Result<std::uint64_t> {
      DUEL_ASSIGN(const Row row, row_for_reading(reader, experiment));
      return row.mark;
    });
  }

  Result<LastStop> last_stop() override {
    {
      const std::lock_guard lock(write_mutex_);
      if (writer_) return in_doubt_.empty() ? last_stop_ : LastStop::machine_stopped;
    }
    return with_reader([&](SqliteConnection& reader) { return read_stop(reader); });
  }

 private:
  // An experiment as it is in the table.
  struct Row {
    std::uint64_t id = 0;  // 0: not in the table yet
    Head head;
    std::uint64_t mark = 0;
  };
  struct Owned {
    Row row;
    bool appended = false;           // by this process
    std::uint64_t being_marked = 0;  // the head when the clock's sync began
  };

  // Lends `work` a connection for reading. Each is used by one caller at a time, because SQLite's
  // connections must not be shared between threads here.
  template <class Work>
  auto with_reader(const Work& work) -> decltype(work(std::declval<SqliteConnection&>())) {
    DUEL_ASSIGN(SqliteConnection reader, take_reader());
    auto result = work(reader);
    if (reader.is_unchanging()) return result;  // it would not see what is written later
    const std::lock_guard lock(readers_mutex_);
    readers_.push_back(std::move(reader));
    return result;
  }

  static Result<std::optional<Row>> row_of(SqliteConnection& connection,
                                           std::string_view experiment) {
    DUEL_ASSIGN(const LentStatement statement,
                connection.lend(
                    "SELECT id, head_sequence, head_hash, mark FROM experiments WHERE name = ?1"));
    statement->bind(1, experiment);
    DUEL_ASSIGN(const bool found, statement->step());
    if (!found) return std::optional<Row>();
    return std::optional<Row>(Row{statement->number(0),
                                  {statement->number(1), std::string(statement->text(2))},
                                  statement->number(3)});
  }
  // The same for readers: an experiment that was created here exists before its first line.
  Result<Row> row_for_reading(SqliteConnection& reader, const std::string& experiment) {
    DUEL_ASSIGN(std::optional<Row> row, row_of(reader, experiment));
    if (row) return std::move(*row);
    const std::lock_guard lock(write_mutex_);
    if (owned_.contains(experiment)) return Row{};
    return no_experiment(experiment, file_);
  }

  // REQUIRES, here and below: write_mutex_ is held.
  Status become_owner() {
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

  Status open_for_writing() {
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
          static_cast<OpenStore*>(self)->wal_pages_ = static_cast<std::size_t>(pages);
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

  // SQLite keeps a database in three files while it is open, and writes on to them when their names
  // are gone: into files that nobody finds again. Without the fourth another process could take the
  // lock, too.
  static std::array<std::filesystem::path, 4> files_of(const std::filesystem::path& file) {
    const std::string name = file.string();
    return {file, name + "-wal", name + "-shm", name + ".lock"};
  }
  // An error if one of the files was deleted or replaced since this process opened it. REQUIRES:
  // started_syncer_ is set, so that identities_ do not change any more. No lock is needed.
  Status still_there() const {
    for (std::size_t k = 0; k < files_.size(); ++k) {
      const std::optional<FileIdentity> now = identity_of(files_[k]);
      if (now == identities_[k]) continue;
      return Error::io(now ? "the file was replaced by another while the store is in use"
                           : "the file was deleted or moved while the store is in use",
                       files_[k].string(), "move it back, or stop the server and restore a backup");
    }
    return Done{};
  }

  // How the process before this one ended.
  Result<LastStop> stop_before(SqliteConnection& connection) const {
    DUEL_ASSIGN(SqliteStatement statement,
                connection.prepare("SELECT value FROM state WHERE name = 'stop'"));
    DUEL_ASSIGN(const bool found, statement.step());
    if (!found || statement.text(0) == kClean) return LastStop::clean;
    const std::string boot = options_.boot();
    return !boot.empty() && statement.text(0) == boot ? LastStop::process_killed
                                                      : LastStop::machine_stopped;
  }
  // The same, or that an earlier loss of power has left an experiment in doubt.
  Result<LastStop> read_stop(SqliteConnection& connection) const {
    DUEL_ASSIGN(const LastStop stop, stop_before(connection));
    DUEL_ASSIGN(const std::uint64_t doubts,
                connection.number("SELECT count(*) FROM state WHERE name LIKE 'doubt/%'"));
    return doubts > 0 ? LastStop::machine_stopped : stop;
  }

  // Which experiments may have lost lines with the power is known only now: the next process finds
  // how this one ends. Nobody may ask for an experiment until then, so it stays in doubt until
  // somebody appends to it, which is who has loaded it and said what is no evidence.
  Status keep_doubts(SqliteConnection& writer) {
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
  // REQUIRES: a transaction has begun.
  Status end_doubts(const std::map<Owned*, Row>& rows) {
    for (const auto& [owned, row] : rows) {
      if (!in_doubt_.contains(row.id)) continue;
      DUEL_ASSIGN(SqliteStatement statement,
                  writer_.prepare("DELETE FROM state WHERE name = 'doubt/' || ?1"));
      DUEL_RETURN_IF_ERROR(statement.bind(1, row.id).run());
    }
    return Done{};
  }

  // After a sync that failed in an earlier process, the system may take pages for written that are
  // not on the disk, and another sync of the log would not write them. So the content of the log is
  // written once more, into the database, and synced there.
  Status rewrite_log(SqliteConnection& writer) const {
    const int code = sqlite3_wal_checkpoint_v2(writer.get(), "main", SQLITE_CHECKPOINT_TRUNCATE,
                                               nullptr, nullptr);
    // BUSY: another program reads the database, and the log has to stay as it is.
    if (code == SQLITE_OK || code == SQLITE_BUSY) return Done{};
    return writer.error();
  }

  static Status write_stop(SqliteConnection& connection, std::string_view value) {
    DUEL_ASSIGN(SqliteStatement statement,
                connection.prepare("INSERT OR REPLACE INTO state VALUES ('stop', ?1)"));
    return statement.bind(1, value).run();
  }

  Status insert(std::span<const Group> groups, std::vector<Status>& results,
                std::map<Owned*, Row>& rows) {
    for (const Group& group : groups) {
      Owned& owned = owned_.find(std::string(group.experiment))->second;
      Row& row = rows.try_emplace(&owned, owned.row).first->second;
      const Head& at = group.at;
      if (at.sequence != row.head.sequence || (at.sequence > 0 && at.hash != row.head.hash)) {
        results.emplace_back(Error::conflict(
            fmt::format(
                "another process has written to the experiment '{}': it ends with record {}",
                group.experiment, row.head.sequence),
            file_.string(), "read it again"));
        continue;
      }
      DUEL_RETURN_IF_ERROR(insert_group(group, row));
      results.emplace_back(Done{});
    }
    return Done{};
  }

  Status insert_group(const Group& group, Row& row) {
    if (group.lines.empty()) return Done{};
    if (row.id == 0) {
      DUEL_RETURN_IF_ERROR(insert_experiment_.bind(1, group.experiment).run());
      row.id = static_cast<std::uint64_t>(sqlite3_last_insert_rowid(writer_.get()));
    }
    for (std::span<const Line> rest = group.lines; !rest.empty();) {
      const bool many = rest.size() >= kLinesAtOnce;
      const std::size_t count = many ? kLinesAtOnce : 1;
      DUEL_RETURN_IF_ERROR(
          insert_lines(many ? insert_lines_ : insert_line_, rest.first(count), row));
      rest = rest.subspan(count);
    }
    for (const Line& line : group.lines) {
      if (line.tag == 0) continue;
      DUEL_RETURN_IF_ERROR(insert_tag_.bind(1, row.id).bind(2, line.tag).run());
    }
    if (const auto parts = split_line(group.lines.back().text)) row.head.hash = parts->hash;
    return set_head_.bind(1, row.id).bind(2, row.head.sequence).bind(3, row.head.hash).run();
  }

  // `insert` takes as many lines.
  static Status insert_lines(SqliteStatement& insert, std::span<const Line> lines, Row& row) {
    int before = 0;  // parameters
    for (const Line& line : lines) {
      insert.bind(before + 1, row.id).bind(before + 2, ++row.head.sequence);
      if (line.key.empty()) {
        insert.bind_null(before + 3);
      } else {
        insert.bind(before + 3, line.key);
      }
      insert.bind(before + 4, line.text);
      before += 4;
    }
    return insert.run();
  }

  template <class Work>
  Status in_transaction(const Work& work) {
    DUEL_RETURN_IF_ERROR(writer_.execute("BEGIN IMMEDIATE"));
    if (const Status status = work(); !status.ok()) {
      roll_back();
      return status;
    }
    return commit();
  }

  void roll_back() {
    // After some errors SQLite has rolled back by itself.
    if (sqlite3_get_autocommit(writer_.get()) != 0) return;
    if (!writer_.execute("ROLLBACK").ok()) broken_ = true;
  }

  Status commit() {
    const auto write = [&]() -> Status {
      DUEL_ASSIGN(const LentStatement end, writer_.lend("COMMIT"));
      return end->run();
    };
    const Status status = write();
    if (!status.ok()) {
      constexpr int kPrimaryCode = 0xff;
      const int code = sqlite3_extended_errcode(writer_.get()) & kPrimaryCode;
      roll_back();
      // On a full disk the commit's last frame is not in the log, so the group is not stored. After
      // any other failure it may be, and the next start would find it there.
      if (code != SQLITE_FULL && code != SQLITE_BUSY) broken_ = true;
      return status;
    }
    syncer_->committed();
    keep_log_short();
    return Done{};
  }

  // The checkpointer moves the log into the database while others commit. SQLite reuses the log
  // from its beginning only when all of it has been moved, so the few pages that came meanwhile are
  // moved here, under the lock. A caller never waits for thousands of pages.
  void keep_log_short() {
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

  void take_checkpoint(const Checkpoint& ended) {
    // The system may have dropped the pages that it could not write.
    if (ended.code == SQLITE_IOERR_FSYNC) broken_ = true;
    // Other failures do not concern the groups, which are in the log. The checkpoint is tried again
    // when the log has grown by its limit once more.
    checkpoint_failed_at_ = !ended.ok() ? wal_pages_ : ended.complete() ? 0 : ended.in_log;
  }

  Status refuse_if_broken() const {
    if (!broken_) return Done{};
    return Error::io("the store takes no more records after a failed write", file_.string(),
                     "check the disk and restart");
  }

  Status begin_writing() {
    DUEL_RETURN_IF_ERROR(become_owner());
    DUEL_RETURN_IF_ERROR(refuse_if_broken());
    return still_there();
  }

  // Called before a sync by the clock. All that is appended by now is durable when it has ended.
  void begin_marks() {
    const std::lock_guard lock(write_mutex_);
    for (auto& [name, owned] : owned_) owned.being_marked = owned.row.head.sequence;
  }

  void set_marks() {
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

  // One synchronous commit makes everything before it durable, so all heads can be marked in it.
  Status close_cleanly() {
    DUEL_RETURN_IF_ERROR(writer_.execute("PRAGMA synchronous=FULL; BEGIN IMMEDIATE"));
    for (auto& [name, owned] : owned_) {
      if (!owned.appended) continue;
      DUEL_RETURN_IF_ERROR(set_mark_.bind(1, owned.row.id).bind(2, owned.row.head.sequence).run());
    }
    DUEL_RETURN_IF_ERROR(write_stop(writer_, kClean));
    return writer_.execute("COMMIT");
  }

  // After a clean stop there is no log and no index of it, and on a full disk none can be made. All
  // is in the database then, which can be read as if it were never to change: the lock is ours.
  Result<SqliteConnection> open_reader() const {
    auto reader = SqliteConnection::open(file_, SQLITE_OPEN_READWRITE, options_.vfs);
    if (!reader.ok() || started_syncer_ != nullptr || !lock_) return reader;
    const auto known = reader->number("PRAGMA user_version");
    if (known.ok() || !is_full_disk(known.error())) return reader;
    std::error_code unknown;
    const std::uintmax_t in_log = std::filesystem::file_size(file_.string() + "-wal", unknown);
    if (!unknown && in_log > 0) return reader;
    return SqliteConnection::open_unchanging(file_, options_.vfs);
  }

  Result<SqliteConnection> take_reader() {
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

  const std::filesystem::path file_;
  const std::array<std::filesystem::path, 4> files_;  // of the store; made once, for each commit
  const SqliteOptions options_;

  std::mutex write_mutex_;  // guards all down to checkpointer_, but for the two atomics
  std::optional<Descriptor> lock_;
  SqliteConnection writer_;  // none until this process owns the database
  SqliteStatement insert_experiment_, insert_line_, insert_lines_, insert_tag_;
  SqliteStatement set_head_, set_mark_;
  std::map<std::string, Owned> owned_;
  std::set<std::uint64_t> in_doubt_;  // ids of experiments, in which lines may be missing
  LastStop last_stop_ = LastStop::clean;
  std::size_t wal_pages_ = 0;             // in the log after the last commit
  std::size_t checkpoint_failed_at_ = 0;  // pages in the log that could not be moved
  std::atomic<bool> broken_ = false;
  std::unique_ptr<WalSyncer> syncer_;
  std::atomic<WalSyncer*> started_syncer_ = nullptr;
  std::array<std::optional<FileIdentity>, 4> identities_;  // set before started_syncer_
  std::unique_ptr<WalCheckpointer> checkpointer_;

  std::mutex readers_mutex_;
  std::vector<SqliteConnection> readers_;  // those that are not lent
};

}  // namespace

std::string boot_of_machine() {
  std::ifstream input("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(input, boot);
  return boot;
}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::filesystem::path& file,
                                                       SqliteOptions options) {
  auto database = std::make_unique<OpenStore>(file, std::move(options));
  DUEL_RETURN_IF_ERROR(database->start());
  return std::unique_ptr<SqliteStore>(std::move(database));
}

}  // namespace duel
