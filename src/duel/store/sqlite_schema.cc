#include "duel/store/sqlite_schema.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace duel {
namespace {

constexpr std::string_view kFirstVersion = R"sql(
-- One row says how the store was left: 'clean', or the boot of the machine under which a process
-- opened it and has not closed it.
CREATE TABLE state (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- The head is that of `lines`, kept beside it so that an append need not look for it. `mark` is how
-- far the syncs by the clock have got.
CREATE TABLE experiments (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL UNIQUE,
  head_sequence INTEGER NOT NULL,
  head_hash     TEXT NOT NULL,
  mark          INTEGER NOT NULL
);

-- Without a rowid the lines of an experiment lie together, in their order.
CREATE TABLE lines (
  experiment INTEGER NOT NULL,
  sequence   INTEGER NOT NULL,
  key        TEXT,
  text       TEXT NOT NULL,
  PRIMARY KEY (experiment, sequence)
) WITHOUT ROWID;
CREATE INDEX lines_by_key ON lines (key) WHERE key IS NOT NULL;

CREATE TABLE snapshots (
  experiment INTEGER PRIMARY KEY,
  sequence   INTEGER NOT NULL,
  hash       TEXT NOT NULL,
  version    TEXT NOT NULL,
  bytes      BLOB NOT NULL
);

CREATE TABLE entries (
  space TEXT NOT NULL,
  key   TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (space, key)
) WITHOUT ROWID;
)sql";

constexpr std::string_view kSecondVersion = R"sql(
-- What a list shows of an experiment whose state is not in memory.
ALTER TABLE snapshots ADD COLUMN summary TEXT NOT NULL DEFAULT '';

-- That something has happened in an experiment, by a number: so that nobody has to hold in memory
-- which subject has seen which pair.
CREATE TABLE tags (
  experiment INTEGER NOT NULL,
  tag        INTEGER NOT NULL,
  PRIMARY KEY (experiment, tag)
) WITHOUT ROWID;
)sql";

}  // namespace

std::span<const std::string_view> sqlite_schema_steps() {
  static constexpr std::array kSteps = {kFirstVersion, kSecondVersion};
  return kSteps;
}

Result<std::size_t> sqlite_schema_version(SqliteConnection& connection,
                                          std::span<const std::string_view> steps) {
  DUEL_ASSIGN(const std::uint64_t application, connection.number("PRAGMA application_id"));
  DUEL_ASSIGN(const std::uint64_t version, connection.number("PRAGMA user_version"));
  const std::string file = connection.file().string();
  if (application != kSqliteApplicationId) {
    DUEL_ASSIGN(const std::uint64_t tables,
                connection.number("SELECT count(*) FROM sqlite_schema"));
    if (application != 0 || version != 0 || tables != 0) {
      return Error::invalid_data("the database belongs to another program", file,
                                 "choose another file");
    }
    return std::size_t{0};
  }
  if (version > steps.size()) {
    return Error::unsupported(
        fmt::format("the store has version {}, and this program knows versions up to {}", version,
                    steps.size()),
        file, "use the version of Duel that wrote it, or a newer one");
  }
  return static_cast<std::size_t>(version);
}

Status bring_up_to_date(SqliteConnection& connection, std::span<const std::string_view> steps) {
  DUEL_ASSIGN(std::size_t version, sqlite_schema_version(connection, steps));
  for (; version < steps.size(); ++version) {
    const std::string sql =
        fmt::format("BEGIN IMMEDIATE;{}; PRAGMA application_id={}; PRAGMA user_version={}; COMMIT;",
                    steps[version], kSqliteApplicationId, version + 1);
    if (const Status status = connection.execute(sql.c_str()); !status.ok()) {
      if (sqlite3_get_autocommit(connection.get()) == 0) (void)connection.execute("ROLLBACK");
      return status;
    }
  }
  return Done{};
}

}  // namespace duel
