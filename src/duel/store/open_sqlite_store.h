// One connection writes, under write_mutex_; any number read, each lent to one caller at a time; a
// third syncs the write-ahead log, and a fourth moves it into the database. Locks are taken in the
// order write_mutex_, then the syncer's. `sync` takes only the latter, so that a caller who waits
// for the disk does not keep others from committing.
//
// After a failure that leaves it open what is on the disk, broken_ is set for good and every write
// is refused: only a new process that reads the database can say what is there.
//
// Its sources are sqlite_store.cc (opening, ownership, connections), sqlite_store_reading.cc,
// sqlite_store_writing.cc and sqlite_store_durability.cc.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/descriptor.h"
#include "duel/core/result.h"
#include "duel/store/sqlite.h"
#include "duel/store/sqlite_store.h"
#include "duel/store/store_files.h"
#include "duel/store/wal_checkpointer.h"
#include "duel/store/wal_syncer.h"

namespace duel {

// An experiment as it is in the table.
struct StoredLog {
  std::uint64_t id = 0;  // 0: not in the table yet
  Head head;
  std::uint64_t mark = 0;
};

class OpenSqliteStore final : public SqliteStore {
 public:
  OpenSqliteStore(std::filesystem::path file, SqliteOptions options)
      : file_(std::move(file)), files_(files_of(file_)), options_(std::move(options)) {}
  OpenSqliteStore(const OpenSqliteStore&) = delete;
  OpenSqliteStore& operator=(const OpenSqliteStore&) = delete;
  ~OpenSqliteStore() override;

  Status start();

  Result<std::vector<std::string>> list() override;
  Status create(const std::string& experiment) override;
  Status own(const std::string& experiment) override;
  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override;
  Result<Head> head(const std::string& experiment) override;
  Result<std::vector<Status>> append(std::span<const Group> groups) override;
  Result<std::vector<FoundLine>> find(const std::string& experiment, std::string_view key) override;
  Result<std::vector<std::string>> experiments_of(std::string_view key) override;
  Status put_snapshot(const std::string& experiment, const Snapshot& snapshot) override;
  Result<std::optional<Snapshot>> snapshot(const std::string& experiment) override;
  Result<std::vector<Outline>> outlines() override;
  Result<bool> tagged(const std::string& experiment, std::uint64_t tag) override;
  Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) override;
  Status put(std::string_view space, std::string_view key, std::string_view bytes) override;
  Result<std::optional<std::string>> get(std::string_view space, std::string_view key) override;
  Result<std::vector<std::pair<std::string, std::string>>> entries(std::string_view space) override;
  Result<bool> erase(std::string_view space, std::string_view key) override;
  Status check() override;
  Status backup(const std::filesystem::path& file) override;
  Status compact() override;
  Status sync() override;
  Status check_place() override;
  bool broken() const override { return broken_; }
  Result<std::uint64_t> synced(const std::string& experiment) override;
  Result<LastStop> last_stop() override;

 private:
  // By one statement, where a group has as many: a line then takes an eighth less time.
  static constexpr std::size_t kLinesAtOnce = 8;

  struct Owned {
    StoredLog row;
    bool appended = false;           // by this process
    std::uint64_t being_marked = 0;  // the head when the clock's sync began
  };

  Error no_experiment(std::string_view experiment) const;
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
  Result<SqliteConnection> take_reader();
  // After a clean stop there is no log and no index of it, and on a full disk none can be made. All
  // is in the database then, which can be read as if it were never to change: the lock is ours.
  Result<SqliteConnection> open_reader() const;
  static Result<std::optional<StoredLog>> row_of(SqliteConnection& connection,
                                                 std::string_view experiment);
  // The same for readers: an experiment that was created here exists before its first line.
  Result<StoredLog> row_for_reading(SqliteConnection& reader, const std::string& experiment);

  // REQUIRES, here and below: write_mutex_ is held.
  Status become_owner();
  Status open_for_writing();
  // SQLite keeps a database in three files while it is open, and writes on to them when their names
  // are gone: into files that nobody finds again. Without the fourth another process could take the
  // lock, too.
  static std::array<std::filesystem::path, 4> files_of(const std::filesystem::path& file);
  // An error if one of the files was deleted or replaced since this process opened it. REQUIRES:
  // started_syncer_ is set, so that identities_ do not change any more. No lock is needed.
  Status still_there() const;

  // How the process before this one ended.
  Result<LastStop> stop_before(SqliteConnection& connection) const;
  // The same, or that an earlier loss of power has left an experiment in doubt.
  Result<LastStop> read_stop(SqliteConnection& connection) const;

  // Which experiments may have lost lines with the power is known only now: the next process finds
  // how this one ends. Nobody may ask for an experiment until then, so it stays in doubt until
  // somebody appends to it, which is who has loaded it and said what is no evidence.
  Status keep_doubts(SqliteConnection& writer);
  // REQUIRES: a transaction has begun.
  Status end_doubts(const std::map<Owned*, StoredLog>& rows);
  // After a sync that failed in an earlier process, the system may take pages for written that are
  // not on the disk, and another sync of the log would not write them. So the content of the log is
  // written once more, into the database, and synced there.
  Status rewrite_log(SqliteConnection& writer) const;

  static Status write_stop(SqliteConnection& connection, std::string_view value);
  Status insert(std::span<const Group> groups, std::vector<Status>& results,
                std::map<Owned*, StoredLog>& rows);
  Status insert_group(const Group& group, StoredLog& row);
  // `insert` takes as many lines.
  static Status insert_lines(SqliteStatement& insert, std::span<const Line> lines, StoredLog& row);

  template <class Work>
  Status in_transaction(const Work& work) {
    DUEL_RETURN_IF_ERROR(writer_.execute("BEGIN IMMEDIATE"));
    if (const Status status = work(); !status.ok()) {
      roll_back();
      return status;
    }
    return commit();
  }
  void roll_back();
  Status commit();
  // The checkpointer moves the log into the database while others commit. SQLite reuses the log
  // from its beginning only when all of it has been moved, so the few pages that came meanwhile are
  // moved here, under the lock. A caller never waits for thousands of pages.
  void keep_log_short();
  void take_checkpoint(const Checkpoint& ended);
  Status refuse_if_broken() const;
  Status begin_writing();
  // Called before a sync by the clock. All that is appended by now is durable when it has ended.
  void begin_marks();

  void set_marks();
  // One synchronous commit makes everything before it durable, so all heads can be marked in it.
  Status close_cleanly();

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

}  // namespace duel
