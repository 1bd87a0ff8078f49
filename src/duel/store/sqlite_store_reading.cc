#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

#include "duel/core/whole_file.h"
#include "duel/store/line.h"
#include "duel/store/open_sqlite_store.h"

namespace duel {
namespace {

std::string name_in(const SqliteStatement& row) { return std::string(row.text(0)); }

}  // namespace

Result<std::vector<std::string>> OpenSqliteStore::list() {
  return with_reader([](SqliteConnection& reader) -> Result<std::vector<std::string>> {
    DUEL_ASSIGN(SqliteStatement statement,
                reader.prepare("SELECT name FROM experiments ORDER BY name"));
    return rows_in(statement, name_in);
  });
}

Result<std::uint64_t> OpenSqliteStore::read(const std::string& experiment, std::uint64_t after,
                                            const LineSink& sink) {
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
        DUEL_ASSIGN(const StoredLog row, row_for_reading(reader, experiment));
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

Result<Head> OpenSqliteStore::head(const std::string& experiment) {
  return with_reader([&](SqliteConnection& reader) -> Result<Head> {
    DUEL_ASSIGN(StoredLog row, row_for_reading(reader, experiment));
    return std::move(row.head);
  });
}

Result<std::vector<FoundLine>> OpenSqliteStore::find(const std::string& experiment,
                                                     std::string_view key) {
  return with_reader([&](SqliteConnection& reader) -> Result<std::vector<FoundLine>> {
    DUEL_ASSIGN(const StoredLog row, row_for_reading(reader, experiment));
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

Result<std::vector<std::string>> OpenSqliteStore::experiments_of(std::string_view key) {
  return with_reader([&](SqliteConnection& reader) -> Result<std::vector<std::string>> {
    DUEL_ASSIGN(SqliteStatement statement,
                reader.prepare("SELECT name FROM experiments WHERE id IN"
                               " (SELECT experiment FROM lines WHERE key = ?1) ORDER BY name"));
    statement.bind(1, key);
    return rows_in(statement, name_in);
  });
}

Result<std::optional<Snapshot>> OpenSqliteStore::snapshot(const std::string& experiment) {
  using Found = std::optional<Snapshot>;
  return with_reader([&](SqliteConnection& reader) -> Result<Found> {
    DUEL_ASSIGN(const StoredLog row, row_for_reading(reader, experiment));
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

Result<std::vector<Outline>> OpenSqliteStore::outlines() {
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

Result<bool> OpenSqliteStore::tagged(const std::string& experiment, std::uint64_t tag) {
  return with_reader([&](SqliteConnection& reader) -> Result<bool> {
    DUEL_ASSIGN(const LentStatement statement,
                reader.lend("SELECT 1 FROM tags WHERE tag = ?2 AND experiment ="
                            " (SELECT id FROM experiments WHERE name = ?1)"));
    statement->bind(1, experiment).bind(2, tag);
    return statement->step();
  });
}

Result<std::optional<std::string>> OpenSqliteStore::get(std::string_view space,
                                                        std::string_view key) {
  using Found = std::optional<std::string>;
  return with_reader([&](SqliteConnection& reader) -> Result<Found> {
    DUEL_ASSIGN(SqliteStatement statement,
                reader.prepare("SELECT bytes FROM entries WHERE space = ?1 AND key = ?2"));
    statement.bind(1, space).bind(2, key);
    DUEL_ASSIGN(const bool found, statement.step());
    return found ? Found(statement.text(0)) : Found();
  });
}

Result<std::vector<std::pair<std::string, std::string>>> OpenSqliteStore::entries(
    std::string_view space) {
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

Status OpenSqliteStore::check() {
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

Status OpenSqliteStore::backup(const std::filesystem::path& file) {
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
      return code == SQLITE_DONE ? target.error() : sqlite_error(code, sqlite3_errstr(code), file);
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
}  // namespace duel
