#include "duel/store/postgres_schema.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string>

namespace duel {
namespace {

constexpr std::chrono::milliseconds kLimit{60'000};

// Columns with text from callers are `bytea`, because the database's encoding may not have all of
// its characters. Names are compared by bytes, independent of the database's locale.
constexpr std::string_view kFirstPostgresVersion = R"sql(
CREATE TABLE duel.nodes (
  id          text COLLATE "C" PRIMARY KEY,
  url         text NOT NULL,
  lease_until timestamptz NOT NULL
);

-- The database empties an unlogged table after a crash, and only then: another `id` says that what
-- was not yet on the disk is lost.
CREATE UNLOGGED TABLE duel.life (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  id  text COLLATE "C" NOT NULL
);

-- The head is that of `lines`, kept here so that an append is compared with one row. `mark` is how
-- far the syncs by the clock have got, and `life` that of the database when the last line came.
-- Rows are replaced with every append: room in the page keeps the indexes out of it.
CREATE TABLE duel.experiments (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name          text COLLATE "C" NOT NULL UNIQUE,
  owner         text COLLATE "C",
  epoch         bigint NOT NULL,
  head_sequence bigint NOT NULL,
  head_hash     text COLLATE "C" NOT NULL,
  mark          bigint NOT NULL,
  life          text COLLATE "C" NOT NULL
) WITH (fillfactor = 50);

-- No foreign key: it would lock the experiment's row once for every line.
CREATE TABLE duel.lines (
  experiment bigint NOT NULL,
  sequence   bigint NOT NULL,
  key        bytea,
  text       bytea NOT NULL,
  PRIMARY KEY (experiment, sequence)
);
CREATE INDEX lines_by_key ON duel.lines (key) WHERE key IS NOT NULL;

CREATE TABLE duel.tags (
  experiment bigint NOT NULL,
  tag        bigint NOT NULL,
  PRIMARY KEY (experiment, tag)
);

CREATE TABLE duel.snapshots (
  experiment bigint PRIMARY KEY,
  sequence   bigint NOT NULL,
  hash       bytea NOT NULL,
  version    bytea NOT NULL,
  bytes      bytea NOT NULL,
  summary    bytea NOT NULL
);

CREATE TABLE duel.entries (
  space bytea NOT NULL,
  key   bytea NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (space, key)
);
)sql";

// After a crash every owner gets a lease's time to come back before another node may take what it
// owns (DUEL_OWNER_LIVES): its tail has the lines that the crash took. The first life followed no
// crash.
constexpr std::string_view kTimeToComeBack = R"sql(
INSERT INTO duel.life (id) VALUES ('first') ON CONFLICT DO NOTHING;
ALTER TABLE duel.life ADD COLUMN since timestamptz NOT NULL DEFAULT '-infinity';
ALTER TABLE duel.life ALTER COLUMN since SET DEFAULT clock_timestamp();
ALTER TABLE duel.nodes ADD COLUMN lease interval NOT NULL DEFAULT interval '10 seconds';
)sql";

}  // namespace

std::span<const std::string_view> postgres_schema_steps() {
  static constexpr std::array kSteps = {kFirstPostgresVersion, kTimeToComeBack};
  return kSteps;
}

Result<std::size_t> postgres_schema_version(PostgresConnection& connection,
                                            std::span<const std::string_view> steps) {
  DUEL_ASSIGN(const PostgresRows found,
              connection.run("SELECT count(*) FILTER (WHERE nspname = 'duel'),"
                             " count(to_regclass('duel.schema_version')) FROM pg_namespace",
                             {}, kLimit));
  const bool schema = found.number(0, 0) > 0;
  const bool ours = found.number(0, 1) > 0;
  if (!schema) return std::size_t{0};
  if (!ours) {
    return Error::invalid_data("the schema 'duel' of the database belongs to another program",
                               connection.where(), "use another database");
  }
  DUEL_ASSIGN(const PostgresRows rows,
              connection.run("SELECT version FROM duel.schema_version", {}, kLimit));
  const std::size_t version = rows.size() == 0 ? 0 : rows.number(0, 0);
  if (version > steps.size()) {
    return Error::unsupported(
        fmt::format("the store has version {}, and this program knows versions up to {}", version,
                    steps.size()),
        connection.where(), "use the version of Duel that wrote it, or a newer one");
  }
  return version;
}

Status bring_up_to_date(PostgresConnection& connection, std::span<const std::string_view> steps) {
  constexpr std::uint64_t kLock = 0x6475656c;  // "duel" in ASCII
  DUEL_RETURN_IF_ERROR(connection.execute(
      fmt::format("BEGIN; SELECT pg_advisory_xact_lock({}) IS NULL", kLock), kLimit));
  const auto in_transaction = [&]() -> Status {
    DUEL_ASSIGN(std::size_t version, postgres_schema_version(connection, steps));
    if (version == 0) {
      DUEL_RETURN_IF_ERROR(
          connection.execute("CREATE SCHEMA duel;"
                             "CREATE TABLE duel.schema_version (version bigint NOT NULL);"
                             "INSERT INTO duel.schema_version VALUES (0)",
                             kLimit));
    }
    for (; version < steps.size(); ++version) {
      DUEL_RETURN_IF_ERROR(
          connection.execute(fmt::format("{}; UPDATE duel.schema_version SET version = {}",
                                         steps[version], version + 1),
                             kLimit));
    }
    return connection.execute("COMMIT", kLimit);
  };
  Status status = in_transaction();
  if (!status.ok() && !connection.lost()) (void)connection.execute("ROLLBACK", kLimit);
  return status;
}

}  // namespace duel
