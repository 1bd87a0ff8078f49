// Reads, on connections of their own that are lent to one caller at a time, without write_mutex_.
//
// After a crash the database may lack lines that this node has appended, until the writer's
// connection has appended them again. A reader that notices it (its head is behind ours) gives an
// error: "there is no such duel" would deny a serve that was acknowledged.
#include <fmt/format.h>

#include <utility>

#include "duel/store/line.h"
#include "duel/store/postgres_store_parts.h"

namespace duel {
namespace {

constexpr const char* kRowByName =
    "SELECT id, coalesce(owner, ''), epoch, head_sequence, head_hash FROM duel.experiments"
    " WHERE name = $1";

// SQL: experiments with the owner whose lease holds, if there is one; the columns of `tenure_at`.
#define DUEL_TENURES                                                                   \
  "SELECT e.name, e.epoch, n.id, n.url FROM duel.experiments e LEFT JOIN duel.nodes n" \
  " ON n.id = e.owner AND n.lease_until > clock_timestamp()"

Tenure tenure_at(const PostgresRows& rows, std::size_t k) {
  Tenure tenure{rows.text(k, 0), std::nullopt, rows.number(k, 1)};
  if (!rows.is_null(k, 2)) tenure.owner = NodeAddress{rows.text(k, 2), rows.text(k, 3)};
  return tenure;
}

}  // namespace

Result<PostgresConnection> PostgresStore::take_reader(bool fresh) {
  if (!fresh) {
    for (;;) {
      PostgresConnection reader;
      {
        const std::lock_guard lock(readers_mutex_);
        if (readers_.empty()) break;
        reader = std::move(readers_.back());
        readers_.pop_back();
      }
      if (!reader.lost_meanwhile()) return reader;  // otherwise it is closed here
    }
  }
  return connect(
      fmt::format("SET default_transaction_read_only = on; SET jit = off;"
                  " SET idle_in_transaction_session_timeout = {}",
                  options_.lease.count() / 2 + 1));
}

// The row of an experiment. One that was created here exists before its first line.
Result<ExperimentRow> PostgresStore::row_for_reading(PostgresConnection& reader,
                                                     const std::string& experiment) {
  DUEL_ASSIGN(const PostgresRows rows,
              reader.run(kRowByName, PostgresParameters().add(experiment), options_.answer_limit));
  if (rows.size() == 1) {
    ExperimentRow row = row_at(rows, 0);
    const std::lock_guard state(state_mutex_);
    const auto mine = owned_.find(experiment);
    if (mine != owned_.end()) {
      if (row.head.sequence < mine->second.head.sequence) return lines_are_missing();
      return row;
    }
    // Another node's experiment exists for us from its first line on.
    if (row.head.sequence > 0) return row;
  }
  return no_experiment(experiment);
}

Result<PostgresRows> PostgresStore::query(const char* sql, const PostgresParameters& parameters) {
  return with_reader([&](PostgresConnection& reader) {
    return reader.run(sql, parameters, options_.answer_limit);
  });
}

Result<std::vector<std::string>> PostgresStore::names(const char* sql,
                                                      const PostgresParameters& parameters) {
  DUEL_ASSIGN(const PostgresRows rows, query(sql, parameters));
  std::vector<std::string> found;
  for (std::size_t k = 0; k < rows.size(); ++k) found.push_back(rows.text(k, 0));
  return found;
}

Result<std::vector<std::string>> PostgresStore::list() {
  return names("SELECT name FROM duel.experiments WHERE head_sequence > 0 ORDER BY name");
}

Result<std::uint64_t> PostgresStore::read(const std::string& experiment, std::uint64_t after,
                                          const LineSink& sink) {
  // In portions: a sink may be slow, and lines may be long.
  constexpr std::uint64_t kPortionLines = 1'000;
  constexpr std::uint64_t kPortionBytes = std::uint64_t{1} << 20;
  std::optional<ExperimentRow> row;  // when the reading began; the head can only have grown
  for (bool more = true; more;) {
    std::string bytes;
    std::vector<std::size_t> ends;
    const auto take = [&](PostgresConnection& reader) -> Status {
      bytes.clear();
      ends.clear();
      if (!row) {
        DUEL_ASSIGN(row, row_for_reading(reader, experiment));
      }
      DUEL_ASSIGN(
          const PostgresRows rows,
          reader.run(
              "SELECT text FROM (SELECT sequence, text, sum(octet_length(text))"
              " OVER (ORDER BY sequence) - octet_length(text) AS before FROM duel.lines"
              " WHERE experiment = $1 AND sequence > $2 ORDER BY sequence LIMIT $3) AS part"
              " WHERE before < $4 ORDER BY sequence",
              PostgresParameters().add(row->id).add(after).add(kPortionLines).add(kPortionBytes),
              options_.answer_limit));
      for (std::size_t k = 0; k < rows.size(); ++k) {
        bytes += rows.bytes(k, 0);
        ends.push_back(bytes.size());
      }
      more = rows.size() == kPortionLines || bytes.size() >= kPortionBytes;
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
  if (after < row->head.sequence) {
    return Error::invalid_data(
        fmt::format("the experiment '{}' should have {} records and ends with record {}",
                    experiment, row->head.sequence, after),
        where_, "restore a backup");
  }
  return std::uint64_t{0};
}

Result<Head> PostgresStore::head(const std::string& experiment) {
  return with_reader([&](PostgresConnection& reader) -> Result<Head> {
    DUEL_ASSIGN(ExperimentRow row, row_for_reading(reader, experiment));
    return std::move(row.head);
  });
}

Result<std::vector<FoundLine>> PostgresStore::find(const std::string& experiment,
                                                   std::string_view key) {
  return with_reader([&](PostgresConnection& reader) -> Result<std::vector<FoundLine>> {
    DUEL_ASSIGN(const ExperimentRow row, row_for_reading(reader, experiment));
    std::vector<FoundLine> lines;
    if (key.empty()) return lines;
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT sequence, text FROM duel.lines"
                           " WHERE key = $1 AND experiment = $2 ORDER BY sequence",
                           PostgresParameters().add_bytes(key).add(row.id), options_.answer_limit));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      lines.push_back({rows.number(k, 0), rows.text(k, 1)});
    }
    return lines;
  });
}

Result<std::vector<std::string>> PostgresStore::experiments_of(std::string_view key) {
  using Names = std::vector<std::string>;
  if (key.empty()) return Names();
  return with_reader([&](PostgresConnection& reader) -> Result<Names> {
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT name FROM duel.experiments WHERE id IN"
                           " (SELECT experiment FROM duel.lines WHERE key = $1) ORDER BY name",
                           PostgresParameters().add_bytes(key), options_.answer_limit));
    Names found;
    for (std::size_t k = 0; k < rows.size(); ++k) found.push_back(rows.text(k, 0));
    if (!found.empty()) return found;
    // The line may be one of those that a crash took, and that any of the nodes may bring back.
    DUEL_ASSIGN(const PostgresRows awaited,
                reader.run("SELECT count(*) FROM duel.nodes n"
                           " WHERE " DUEL_BACK_UNTIL " > clock_timestamp()",
                           {}, options_.answer_limit));
    if (awaited.number(0, 0) > 0) return lines_are_missing();
    return found;
  });
}

Result<bool> PostgresStore::tagged(const std::string& experiment, std::uint64_t tag) {
  return with_reader([&](PostgresConnection& reader) -> Result<bool> {
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT head_sequence, EXISTS (SELECT 1 FROM duel.tags t"
                           " WHERE t.tag = $2 AND t.experiment = e.id)::int::bigint"
                           " FROM duel.experiments e WHERE name = $1",
                           PostgresParameters().add(experiment).add(tag), options_.answer_limit));
    if (rows.size() == 0) return false;
    const std::lock_guard state(state_mutex_);
    const auto mine = owned_.find(experiment);
    if (mine != owned_.end() && rows.number(0, 0) < mine->second.head.sequence) {
      return lines_are_missing();
    }
    return rows.number(0, 1) == 1;
  });
}

Result<std::optional<Snapshot>> PostgresStore::snapshot(const std::string& experiment) {
  using Found = std::optional<Snapshot>;
  return with_reader([&](PostgresConnection& reader) -> Result<Found> {
    DUEL_ASSIGN(const ExperimentRow row, row_for_reading(reader, experiment));
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT sequence, hash, version, bytes, summary FROM duel.snapshots"
                           " WHERE experiment = $1",
                           PostgresParameters().add(row.id), options_.answer_limit));
    if (rows.size() == 0) return Found();
    return Found(Snapshot{rows.number(0, 0), rows.text(0, 1), rows.text(0, 2), rows.text(0, 3),
                          rows.text(0, 4)});
  });
}

Result<std::vector<Outline>> PostgresStore::outlines() {
  DUEL_ASSIGN(const PostgresRows rows,
              query("SELECT e.name, e.head_sequence, e.head_hash, s.sequence, s.hash,"
                    " s.version, s.summary FROM duel.experiments e"
                    " LEFT JOIN duel.snapshots s ON s.experiment = e.id"
                    " WHERE e.head_sequence > 0 ORDER BY e.name"));
  std::vector<Outline> outlines;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    Outline outline{rows.text(k, 0), {rows.number(k, 1), rows.text(k, 2)}, std::nullopt};
    if (!rows.is_null(k, 3)) {
      outline.snapshot =
          Snapshot{rows.number(k, 3), rows.text(k, 4), rows.text(k, 5), "", rows.text(k, 6)};
    }
    outlines.push_back(std::move(outline));
  }
  return outlines;
}

Result<std::optional<std::string>> PostgresStore::get(std::string_view space,
                                                      std::string_view key) {
  using Found = std::optional<std::string>;
  DUEL_ASSIGN(const PostgresRows rows,
              query("SELECT bytes FROM duel.entries WHERE space = $1 AND key = $2",
                    PostgresParameters().add_bytes(space).add_bytes(key)));
  return rows.size() > 0 ? Found(rows.text(0, 0)) : Found();
}

Result<std::vector<std::pair<std::string, std::string>>> PostgresStore::entries(
    std::string_view space) {
  DUEL_ASSIGN(const PostgresRows rows,
              query("SELECT key, bytes FROM duel.entries WHERE space = $1 ORDER BY key",
                    PostgresParameters().add_bytes(space)));
  std::vector<std::pair<std::string, std::string>> found;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    found.emplace_back(rows.bytes(k, 0), rows.bytes(k, 1));
  }
  return found;
}

Status PostgresStore::check() {
  return with_reader([&](PostgresConnection& reader) -> Status {
    // Every experiment must have the lines 1, 2, .. up to its head and none beyond. One statement,
    // so that an append at the same time is seen whole or not at all.
    DUEL_ASSIGN(
        const PostgresRows rows,
        reader.run("SELECT coalesce(e.name, ''), coalesce(e.head_sequence, 0),"
                   " coalesce(l.lines, 0), coalesce(l.last, 0), (e.id IS NULL)::int::bigint"
                   " FROM duel.experiments e FULL JOIN (SELECT experiment, count(*) AS lines,"
                   " max(sequence) AS last, min(sequence) AS first FROM duel.lines"
                   " GROUP BY experiment) AS l ON l.experiment = e.id"
                   " WHERE e.id IS NULL OR e.head_sequence <> coalesce(l.lines, 0)"
                   " OR e.head_sequence <> coalesce(l.last, 0) OR coalesce(l.first, 1) <> 1"
                   " ORDER BY e.name LIMIT 1",
                   {}, PostgresConnection::kNoLimit));
    if (rows.size() == 0) return Done{};
    if (rows.number(0, 4) != 0) {
      return Error::invalid_data(
          fmt::format("{} records belong to no experiment", rows.number(0, 2)), where_,
          "restore a backup");
    }
    return Error::invalid_data(
        fmt::format("the experiment '{}' should have the records 1 to {}, and has {} of which the "
                    "last is {}",
                    rows.bytes(0, 0), rows.number(0, 1), rows.number(0, 2), rows.number(0, 3)),
        where_, "restore a backup");
  });
}

Status PostgresStore::backup(const std::filesystem::path&) {
  return Error::unsupported("PostgreSQL makes its own backups", where_,
                            "pg_dump --schema=duel, or pg_basebackup");
}

bool PostgresStore::holds_lease() const { return is_node_ && lease_->holds(); }

// A store that is not a node has no thread that asks; its next call finds out.
bool PostgresStore::reachable() const { return !is_node_ || lease_->reachable(); }

std::int64_t PostgresStore::now_ms() const {
  if (is_node_) return lease_->now_ms();
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<Tenure> PostgresStore::tenure(const std::string& experiment) {
  DUEL_ASSIGN(const PostgresRows rows,
              query(DUEL_TENURES " WHERE e.name = $1"
                                 " AND (e.head_sequence > 0 OR n.id IS NOT NULL)",
                    PostgresParameters().add(experiment)));
  if (rows.size() == 0) return no_experiment(experiment);
  return tenure_at(rows, 0);
}

std::optional<std::uint64_t> PostgresStore::epoch(const std::string& experiment) const {
  const std::lock_guard state(state_mutex_);
  const auto mine = owned_.find(experiment);
  if (mine == owned_.end()) return std::nullopt;
  return mine->second.epoch;
}

Result<std::vector<std::string>> PostgresStore::ownerless() {
  return names(
      "SELECT name FROM duel.experiments e WHERE head_sequence > 0"
      " AND NOT " DUEL_OWNER_LIVES " ORDER BY name");
}

Result<std::vector<NodeAddress>> PostgresStore::live() {
  DUEL_ASSIGN(const PostgresRows rows,
              query("SELECT id, url FROM duel.nodes WHERE lease_until > clock_timestamp()"
                    " ORDER BY id"));
  std::vector<NodeAddress> nodes;
  for (std::size_t k = 0; k < rows.size(); ++k) nodes.push_back({rows.text(k, 0), rows.text(k, 1)});
  return nodes;
}

Result<std::vector<NodeState>> PostgresStore::states() {
  DUEL_ASSIGN(const PostgresRows rows,
              query("SELECT n.id, n.url,"
                    " floor(extract(epoch FROM n.lease_until - clock_timestamp()) * 1000)::bigint,"
                    " (SELECT count(*) FROM duel.experiments e"
                    " WHERE e.owner = n.id AND e.head_sequence > 0)"
                    " FROM duel.nodes n ORDER BY n.id"));
  std::vector<NodeState> states;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    states.push_back({{rows.text(k, 0), rows.text(k, 1)},
                      static_cast<std::int64_t>(rows.number(k, 2)),
                      rows.number(k, 3)});
  }
  return states;
}

Result<std::vector<Tenure>> PostgresStore::tenures() {
  DUEL_ASSIGN(const PostgresRows rows,
              query(DUEL_TENURES " WHERE e.head_sequence > 0 ORDER BY e.name"));
  std::vector<Tenure> tenures;
  for (std::size_t k = 0; k < rows.size(); ++k) tenures.push_back(tenure_at(rows, k));
  return tenures;
}

Nodes::Counts PostgresStore::counts() const {
  const std::lock_guard state(state_mutex_);
  Counts counts = counts_;
  if (is_node_) counts.reconnects += lease_->reconnects();
  return counts;
}

}  // namespace duel
