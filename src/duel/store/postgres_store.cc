// Connections of the store, and what is done when one was lost: see postgres_store_parts.h.
//
// The writer's connection is the one that notices a crash of the database. After each reconnection
// ensure_writer compares the life of the database with the last one, and recovers before anything
// else is written: until the tails are back, nothing may be appended behind the hole, and no sync
// may succeed.
#include "duel/store/postgres_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "duel/store/postgres_schema.h"
#include "duel/store/postgres_store_parts.h"

namespace duel {
namespace {

// Statements are planned once. If that happens while the tables are still empty, PostgreSQL would
// choose sequential scans, so they are off: every frequent query has an index.
constexpr std::string_view kPlanOnce =
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off";

}  // namespace

std::string random_name() {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device device;
  std::string out;
  for (int k = 0; k < 16; ++k) out += kDigits[device() % kDigits.size()];
  return out;
}

ExperimentRow row_at(const PostgresRows& rows, std::size_t k) {
  return {
      rows.number(k, 0), rows.text(k, 1), rows.number(k, 2), {rows.number(k, 3), rows.text(k, 4)}};
}

std::map<std::uint64_t, ExperimentRow> rows_by_id(const PostgresRows& rows) {
  std::map<std::uint64_t, ExperimentRow> by_id;
  for (std::size_t k = 0; k < rows.size(); ++k) by_id[rows.number(k, 0)] = row_at(rows, k);
  return by_id;
}

std::string PostgresStore::session_settings(std::string_view synchronous_commit) const {
  const auto limit = options_.answer_limit.count();
  return fmt::format(
      "SET synchronous_commit = {}; SET statement_timeout = {}; SET lock_timeout = {};"
      " SET idle_in_transaction_session_timeout = {}; {}",
      synchronous_commit, limit, limit / 2 + 1, options_.lease.count() / 2 + 1, kPlanOnce);
}

Result<PostgresConnection> PostgresStore::connect(const std::string& set_up) {
  if (const auto left = pause_.left()) {
    return Error::io(
        fmt::format("the database cannot be reached; the next attempt is in {} ms", left->count()),
        where_);
  }
  auto opened = PostgresConnection::open(location_, options_.answer_limit, set_up);
  pause_.tried(opened.ok());
  return opened;
}

Result<PostgresConnection> PostgresStore::connect_in_life(const std::string& set_up,
                                                          std::string& life) {
  DUEL_ASSIGN(PostgresConnection opened, connect(set_up));
  const std::vector<PostgresQuery> queries = {
      {"INSERT INTO duel.life (id) VALUES ($1) ON CONFLICT DO NOTHING",
       PostgresParameters().add(random_name())},
      {"SELECT id FROM duel.life"}};
  DUEL_ASSIGN(const std::vector<PostgresRows> rows, opened.run_together(queries, write_limit()));
  life = rows[1].bytes(0, 0);
  return opened;
}

Status PostgresStore::open() {
  if (options_.access == PostgresAccess::own) {
    const std::lock_guard lock(write_mutex_);
    return become_node();
  }
  return with_reader([&](PostgresConnection& reader) -> Status {
    DUEL_ASSIGN(const std::size_t version,
                postgres_schema_version(reader, postgres_schema_steps()));
    if (version == postgres_schema_steps().size()) return Done{};
    return Error::unsupported(version == 0
                                  ? "the database holds no store"
                                  : fmt::format("the store has the older version {}", version),
                              where_, version == 0 ? "" : "open it once for writing");
  });
}

Status PostgresStore::become_node() {
  if (is_node_) return Done{};
  const std::string set_up = session_settings("off");
  {
    DUEL_ASSIGN(PostgresConnection first, connect(set_up));
    DUEL_ASSIGN(const std::size_t version, postgres_schema_version(first, postgres_schema_steps()));
    if (version < postgres_schema_steps().size()) {
      DUEL_RETURN_IF_ERROR(bring_up_to_date(first, postgres_schema_steps()));
    }
    // Rows of nodes that died long ago. Their experiments can be taken without them.
    DUEL_RETURN_IF_ERROR(
        first.execute("DELETE FROM duel.nodes"
                      " WHERE lease_until < clock_timestamp() - interval '1 day'",
                      write_limit()));
  }
  std::string life;
  DUEL_ASSIGN(writer_, connect_in_life(set_up, life));
  {
    const std::lock_guard state(state_mutex_);
    life_ = recovered_life_ = life;
  }
  auto lease = std::make_unique<NodeLease>(
      NodeLease::Settings{location_, self_, options_.lease, options_.answer_limit}, pause_,
      [this](PostgresConnection& connection) { return lease_had_lapsed(connection); });
  DUEL_RETURN_IF_ERROR(lease->begin());
  lease_ = std::move(lease);
  syncer_ = std::make_unique<CommitSyncer>(
      options_.sync_interval,
      [this](std::uint64_t target, bool by_clock) { return sync_commits(target, by_clock); });
  is_node_ = true;
  return Done{};
}

PostgresStore::~PostgresStore() {
  if (!is_node_) return;
  // The last commit below is synchronous, and makes durable what the syncer has not.
  syncer_->stop();
  lease_->stop();
  const std::lock_guard lock(write_mutex_);
  // If the database is away, the others wait until the lease has run out.
  if (!ensure_writer().ok()) return;
  const auto self = PostgresParameters().add(self_.node_id);
  const std::vector<PostgresQuery> queries = {
      {kWaitForDisk},
      {"SELECT 1 FROM duel.experiments WHERE owner = $1 ORDER BY id FOR UPDATE", self},
      {"UPDATE duel.experiments SET owner = NULL,"
       " mark = CASE WHEN life = $2 THEN head_sequence ELSE mark END WHERE owner = $1",
       PostgresParameters(self).add(life())},
      {"DELETE FROM duel.nodes WHERE id = $1", self}};
  (void)writer_.run_together(queries, write_limit());
}

Status PostgresStore::ensure_writer() {
  DUEL_RETURN_IF_ERROR(become_node());
  if (!writer_.lost_meanwhile()) return Done{};
  std::string life;
  DUEL_ASSIGN(PostgresConnection opened, connect_in_life(session_settings("off"), life));
  bool crashed = false;
  {
    const std::lock_guard state(state_mutex_);
    ++counts_.reconnects;
    crashed = recovered_life_ != life;
    life_ = life;
  }
  writer_ = std::move(opened);
  if (const Status recovered = recover(crashed); !recovered.ok()) {
    // Without a connection the next call comes here again, and recovers before it writes.
    writer_ = PostgresConnection();
    return recovered;
  }
  const std::lock_guard state(state_mutex_);
  recovered_life_ = life;
  return Done{};
}

// After a lost connection, compares the heads of our experiments in the database with ours. If it
// is the same (or that of a doubtful append), nothing is missing. If it is inside our tail, the
// database has lost the rest and gets it again. In all other cases, and if owner or epoch have
// changed, the experiment is dropped.
Status PostgresStore::recover(bool crashed) {
  std::map<std::string, OwnedLog> before;
  {
    const std::lock_guard state(state_mutex_);
    before = owned_;
  }
  if (before.empty()) return Done{};
  std::vector<std::uint64_t> ids;
  for (const auto& [name, owned] : before) ids.push_back(owned.id);
  DUEL_ASSIGN(const PostgresRows found,
              writer_.run(kExperimentRows, PostgresParameters().add_numbers(ids), write_limit()));
  const std::map<std::uint64_t, ExperimentRow> rows = rows_by_id(found);

  std::vector<HeadMove> again;
  std::deque<std::vector<Line>> lines;  // that the moves point to
  std::vector<std::uint64_t> whole;     // nothing of them is missing
  std::vector<std::string> gone;
  for (const auto& [name, owned] : before) {
    const auto row = rows.find(owned.id);
    if (row == rows.end() || row->second.owner != self_.node_id ||
        row->second.epoch != owned.epoch) {
      gone.push_back(name);
      continue;
    }
    const Head& head = row->second.head;
    if (head == owned.head || (owned.doubtful && head == *owned.doubtful)) {
      // If the doubtful append has arrived, its lines are not in our tail. Our head stays before
      // it, so the experiment takes no lines until `own` has read the new head.
      if (owned.appended) whole.push_back(owned.id);
      continue;
    }
    const auto from = std::ranges::find(owned.tail, head, &TailGroup::at);
    if (from == owned.tail.end()) {
      gone.push_back(name);
      continue;
    }
    HeadMove move{name, owned.id, owned.epoch, head, owned.head, {}, {}};
    std::vector<Line>& kept = lines.emplace_back();
    for (auto group = from; group != owned.tail.end(); ++group) {
      for (const KeptLine& line : group->lines) kept.push_back({line.text, line.key, line.tag});
    }
    for (const Line& line : kept) move.lines.push_back(&line);
    again.push_back(std::move(move));
  }
  if (!again.empty()) {
    DUEL_ASSIGN(const std::set<std::uint64_t> accepted, move_heads(again));
    for (const HeadMove& move : again) {
      if (!accepted.contains(move.id)) {
        gone.push_back(move.experiment);
        continue;
      }
      const std::lock_guard state(state_mutex_);
      ++counts_.tails_appended_again;
    }
  }
  if (crashed && !whole.empty()) {
    DUEL_RETURN_IF_ERROR(writer_.run(
        "UPDATE duel.experiments SET life = $3"
        " WHERE id = ANY ($1) AND owner = $2",
        PostgresParameters().add_numbers(whole).add(self_.node_id).add(life()), write_limit()));
  }
  bool lines_lost = false;
  for (const std::string& name : gone) {
    // Without a crash all appended lines are there, even if another node owns the experiment now.
    lines_lost = lines_lost || (crashed && !before[name].tail.empty());
    drop(name);
  }
  // The lines belong to this life now, and are no more durable than new ones: ask for a sync.
  (void)syncer_->committed();
  if (lines_lost) {
    syncer_->lost(
        Error::io("the database lost records that were not yet durable when it stopped", where_));
  }
  return Done{};
}

void PostgresStore::drop(const std::string& experiment) {
  const std::lock_guard state(state_mutex_);
  forget(experiment);
}

void PostgresStore::forget(const std::string& experiment) {
  owned_.erase(experiment);
  with_tail_.erase(experiment);
  unmarked_.erase(experiment);
}

// While the lease had run out, other nodes may have taken experiments of ours: drops those. Called
// on the lease's thread, without write_mutex_.
Status PostgresStore::lease_had_lapsed(PostgresConnection& connection) {
  std::map<std::string, std::uint64_t> before;
  {
    const std::lock_guard state(state_mutex_);
    for (const auto& [name, owned] : owned_) before[name] = owned.epoch;
  }
  if (before.empty()) return Done{};
  DUEL_ASSIGN(const PostgresRows rows,
              connection.run("SELECT name, epoch FROM duel.experiments WHERE owner = $1",
                             PostgresParameters().add(self_.node_id), write_limit()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto known = before.find(rows.text(k, 0));
    if (known != before.end() && known->second == rows.number(k, 1)) before.erase(known);
  }
  bool lines_lost = false;
  for (const auto& [name, epoch] : before) {
    const std::lock_guard state(state_mutex_);
    const auto mine = owned_.find(name);
    if (mine == owned_.end() || mine->second.epoch != epoch) continue;
    // The lines may be there, but whether they are can only be told by the new owner: callers that
    // wait for a sync must not be told that they are durable.
    lines_lost = lines_lost || !mine->second.tail.empty();
    forget(name);
  }
  if (lines_lost && syncer_) {
    syncer_->lost(
        Error::io("another node took over an experiment before its records were durable", where_));
  }
  return Done{};
}

bool has_postgres() { return true; }

bool has_password(const std::string& location) { return postgres_password_in(location); }

std::string shown_location(const std::string& location) { return postgres_place(location); }

Result<std::unique_ptr<Store>> open_postgres_store(const std::string& location,
                                                   PostgresOptions options) {
  if (const auto wrong = postgres_location_error(location)) {
    return Error::invalid_argument("the location of the database is wrong: " + *wrong);
  }
  auto store = std::make_unique<PostgresStore>(location, std::move(options));
  DUEL_RETURN_IF_ERROR(store->open());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace duel
