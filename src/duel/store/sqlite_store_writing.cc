#include <fmt/format.h>

#include "duel/core/check.h"
#include "duel/store/line.h"
#include "duel/store/open_sqlite_store.h"

namespace duel {

Status OpenSqliteStore::create(const std::string& experiment) {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(become_owner());
  DUEL_ASSIGN(const std::optional<StoredLog> row, row_of(writer_, experiment));
  if (row) {
    return Error::conflict(fmt::format("the experiment '{}' exists", experiment), file_.string());
  }
  owned_[experiment] = {};
  return Done{};
}

Status OpenSqliteStore::own(const std::string& experiment) {
  const std::lock_guard lock(write_mutex_);
  const Status owner = become_owner();
  if (!owner.ok() && !is_full_disk(owner.error())) return owner;
  // The lock is ours even if the disk is too full to write anything.
  DUEL_ASSIGN(std::optional<StoredLog> row,
              owner.ok() ? row_of(writer_, experiment) : with_reader([&](SqliteConnection& reader) {
                return row_of(reader, experiment);
              }));
  const auto found = owned_.find(experiment);
  if (!row) {
    if (found != owned_.end()) return Done{};  // created, and still without a line
    return no_experiment(experiment);
  }
  Owned& owned = owned_[experiment];
  owned.row = std::move(*row);
  return Done{};
}

Result<std::vector<Status>> OpenSqliteStore::append(std::span<const Group> groups) {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(begin_writing());
  for (const Group& group : groups) DUEL_CHECK(owned_.contains(std::string(group.experiment)));
  std::vector<Status> results;
  if (groups.empty()) return results;
  std::map<Owned*, StoredLog> rows;  // as they will be if the commit succeeds
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

Status OpenSqliteStore::put_snapshot(const std::string& experiment, const Snapshot& snapshot) {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(begin_writing());
  DUEL_ASSIGN(const std::optional<StoredLog> row, row_of(writer_, experiment));
  if (!row) return no_experiment(experiment);
  DUEL_ASSIGN(SqliteStatement statement,
              writer_.prepare("INSERT OR REPLACE INTO snapshots VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
  statement.bind(1, row->id).bind(2, snapshot.sequence).bind(3, snapshot.hash);
  statement.bind(4, snapshot.version).bind(5, snapshot.bytes).bind(6, snapshot.summary);
  return in_transaction([&] { return statement.run(); });
}

Status OpenSqliteStore::add_tags(const std::string& experiment,
                                 std::span<const std::uint64_t> tags) {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(begin_writing());
  DUEL_ASSIGN(const std::optional<StoredLog> row, row_of(writer_, experiment));
  if (!row) return no_experiment(experiment);
  return in_transaction([&]() -> Status {
    for (const std::uint64_t tag : tags) {
      DUEL_RETURN_IF_ERROR(insert_tag_.bind(1, row->id).bind(2, tag).run());
    }
    return Done{};
  });
}

Status OpenSqliteStore::put(std::string_view space, std::string_view key, std::string_view bytes) {
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

Result<bool> OpenSqliteStore::erase(std::string_view space, std::string_view key) {
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

Status OpenSqliteStore::insert(std::span<const Group> groups, std::vector<Status>& results,
                               std::map<Owned*, StoredLog>& rows) {
  for (const Group& group : groups) {
    Owned& owned = owned_.find(std::string(group.experiment))->second;
    StoredLog& row = rows.try_emplace(&owned, owned.row).first->second;
    const Head& at = group.at;
    if (at.sequence != row.head.sequence || (at.sequence > 0 && at.hash != row.head.hash)) {
      results.emplace_back(Error::conflict(
          fmt::format("another process has written to the experiment '{}': it ends with record {}",
                      group.experiment, row.head.sequence),
          file_.string(), "read it again"));
      continue;
    }
    DUEL_RETURN_IF_ERROR(insert_group(group, row));
    results.emplace_back(Done{});
  }
  return Done{};
}

Status OpenSqliteStore::insert_group(const Group& group, StoredLog& row) {
  if (group.lines.empty()) return Done{};
  if (row.id == 0) {
    DUEL_RETURN_IF_ERROR(insert_experiment_.bind(1, group.experiment).run());
    row.id = static_cast<std::uint64_t>(sqlite3_last_insert_rowid(writer_.get()));
  }
  for (std::span<const Line> rest = group.lines; !rest.empty();) {
    const bool many = rest.size() >= kLinesAtOnce;
    const std::size_t count = many ? kLinesAtOnce : 1;
    DUEL_RETURN_IF_ERROR(insert_lines(many ? insert_lines_ : insert_line_, rest.first(count), row));
    rest = rest.subspan(count);
  }
  for (const Line& line : group.lines) {
    if (line.tag == 0) continue;
    DUEL_RETURN_IF_ERROR(insert_tag_.bind(1, row.id).bind(2, line.tag).run());
  }
  if (const auto parts = split_line(group.lines.back().text)) row.head.hash = parts->hash;
  return set_head_.bind(1, row.id).bind(2, row.head.sequence).bind(3, row.head.hash).run();
}

Status OpenSqliteStore::insert_lines(SqliteStatement& insert, std::span<const Line> lines,
                                     StoredLog& row) {
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

void OpenSqliteStore::roll_back() {
  // After some errors SQLite has rolled back by itself.
  if (sqlite3_get_autocommit(writer_.get()) != 0) return;
  if (!writer_.execute("ROLLBACK").ok()) broken_ = true;
}

Status OpenSqliteStore::commit() {
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
}  // namespace duel
