// Reads, on connections of their own that are lent to one caller at a time, without write_mutex_.
//
// After a crash the database may lack lines that this node has appended, until the writer's
// connection has appended them again. A reader that notices it (its head is behind ours) gives an
// error: "there is no such duel" would deny a serve that was acknowledged.
#include <fmt/format.h>

#include <utility>

#include "duel/store/line.h"
#include "duel/store/node_store.h"

namespace duel {

Result<NodeStore::Session> NodeStore::take_reader(bool fresh) {
  if (!fresh) {
    for (;;) {
      Session reader;
      {
        const std::lock_guard lock(readers_mutex_);
        if (readers_.empty()) break;
        reader = std::move(readers_.back());
        readers_.pop_back();
      }
      if (!is_lost(reader)) return reader;  // otherwise it is closed here
    }
  }
  return connect(SessionUse::reading);
}

// The row of an experiment. One that was created here exists before its first line.
Result<ExperimentRow> NodeStore::row_for_reading(DatabaseSession& reader,
                                                 const std::string& experiment) {
  DUEL_ASSIGN(std::optional<ExperimentRow> row, reader.row(experiment));
  if (!row) return no_experiment(experiment);
  const std::lock_guard state(state_mutex_);
  const auto mine = owned_.find(experiment);
  if (mine != owned_.end()) {
    if (row->head.sequence < mine->second.head.sequence) return lines_are_missing();
    return std::move(*row);
  }
  // Another node's experiment exists for us from its first line on.
  if (row->head.sequence > 0) return std::move(*row);
  return no_experiment(experiment);
}

Result<std::vector<std::string>> NodeStore::list() {
  return with_reader([](DatabaseSession& reader) { return reader.list(); });
}

Result<std::uint64_t> NodeStore::read(const std::string& experiment, std::uint64_t after,
                                      const LineSink& sink) {
  std::optional<ExperimentRow> row;  // when the reading began; the head can only have grown
  for (bool more = true; more;) {
    DUEL_ASSIGN(LinePortion portion,
                with_reader([&](DatabaseSession& reader) -> Result<LinePortion> {
                  if (!row) {
                    DUEL_ASSIGN(row, row_for_reading(reader, experiment));
                  }
                  return reader.lines(row->id, after);
                }));
    more = portion.more;
    portion.bytes.append(kReadableAfterLine, '\0');
    std::size_t begin = 0;
    for (const std::size_t end : portion.ends) {
      DUEL_RETURN_IF_ERROR(sink(std::string_view(portion.bytes).substr(begin, end - begin)));
      begin = end;
    }
    after += portion.ends.size();
  }
  if (after < row->head.sequence) {
    return Error::invalid_data(
        fmt::format("the experiment '{}' should have {} records and ends with record {}",
                    experiment, row->head.sequence, after),
        where_, "restore a backup");
  }
  return std::uint64_t{0};
}

Result<Head> NodeStore::head(const std::string& experiment) {
  return with_reader([&](DatabaseSession& reader) -> Result<Head> {
    DUEL_ASSIGN(ExperimentRow row, row_for_reading(reader, experiment));
    return std::move(row.head);
  });
}

Result<std::vector<FoundLine>> NodeStore::find(const std::string& experiment,
                                               std::string_view key) {
  return with_reader([&](DatabaseSession& reader) -> Result<std::vector<FoundLine>> {
    DUEL_ASSIGN(const ExperimentRow row, row_for_reading(reader, experiment));
    if (key.empty()) return std::vector<FoundLine>();
    return reader.find(row.id, key);
  });
}

Result<std::vector<std::string>> NodeStore::experiments_of(std::string_view key) {
  using Names = std::vector<std::string>;
  if (key.empty()) return Names();
  return with_reader([&](DatabaseSession& reader) -> Result<Names> {
    DUEL_ASSIGN(Names found, reader.experiments_of(key));
    if (!found.empty()) return found;
    // The line may be one of those that a crash took, and that any of the nodes may bring back.
    DUEL_ASSIGN(const bool awaited, reader.owners_may_come_back());
    if (awaited) return lines_are_missing();
    return found;
  });
}

Result<bool> NodeStore::tagged(const std::string& experiment, std::uint64_t tag) {
  DUEL_ASSIGN(const auto found,
              with_reader([&](DatabaseSession& reader) { return reader.tagged(experiment, tag); }));
  if (!found) return false;
  const std::lock_guard state(state_mutex_);
  const auto mine = owned_.find(experiment);
  if (mine != owned_.end() && found->first < mine->second.head.sequence) {
    return lines_are_missing();
  }
  return found->second;
}

Result<std::optional<Snapshot>> NodeStore::snapshot(const std::string& experiment) {
  return with_reader([&](DatabaseSession& reader) -> Result<std::optional<Snapshot>> {
    DUEL_ASSIGN(const ExperimentRow row, row_for_reading(reader, experiment));
    return reader.snapshot(row.id);
  });
}

Result<std::vector<Outline>> NodeStore::outlines() {
  return with_reader([](DatabaseSession& reader) { return reader.outlines(); });
}

Result<std::optional<std::string>> NodeStore::get(std::string_view space, std::string_view key) {
  return with_reader([&](DatabaseSession& reader) { return reader.get(space, key); });
}

Result<std::vector<std::pair<std::string, std::string>>> NodeStore::entries(
    std::string_view space) {
  return with_reader([&](DatabaseSession& reader) { return reader.entries(space); });
}

Status NodeStore::check() {
  return with_reader([](DatabaseSession& reader) { return reader.check(); });
}

Status NodeStore::backup(const std::filesystem::path&) {
  return Error::unsupported("PostgreSQL makes its own backups", where_,
                            "pg_dump --schema=duel, or pg_basebackup");
}

bool NodeStore::holds_lease() const { return is_node_ && lease_->holds(); }

// A store that is not a node has nothing that asks by the clock; its next call finds out.
bool NodeStore::reachable() const { return !is_node_ || lease_->reachable(); }

std::int64_t NodeStore::now_ms() const {
  return is_node_ ? lease_->now_ms() : options_.world->wall_time_ms();
}

Result<Tenure> NodeStore::tenure(const std::string& experiment) {
  DUEL_ASSIGN(std::optional<Tenure> found,
              with_reader([&](DatabaseSession& reader) { return reader.tenure(experiment); }));
  if (!found) return no_experiment(experiment);
  return std::move(*found);
}

std::optional<std::uint64_t> NodeStore::epoch(const std::string& experiment) const {
  const std::lock_guard state(state_mutex_);
  const auto mine = owned_.find(experiment);
  if (mine == owned_.end()) return std::nullopt;
  return mine->second.epoch;
}

Result<std::vector<std::string>> NodeStore::ownerless() {
  return with_reader([](DatabaseSession& reader) { return reader.ownerless(); });
}

Result<std::vector<NodeAddress>> NodeStore::live() {
  return with_reader([](DatabaseSession& reader) { return reader.live(); });
}

Result<std::vector<NodeState>> NodeStore::states() {
  return with_reader([](DatabaseSession& reader) { return reader.states(); });
}

Result<std::vector<Tenure>> NodeStore::tenures() {
  return with_reader([](DatabaseSession& reader) { return reader.tenures(); });
}

Nodes::Counts NodeStore::counts() const {
  const std::lock_guard state(state_mutex_);
  Counts counts = counts_;
  if (is_node_) counts.reconnects += lease_->reconnects();
  return counts;
}

}  // namespace duel
