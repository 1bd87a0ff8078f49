// Connections of the store, and what is done when one was lost: see node_store.h.
//
// The writer's session is the one that notices a crash of the database. After each reconnection
// ensure_writer compares the life of the database with the last one, and recovers before anything
// else is written: until the tails are back, nothing may be appended behind the hole, and no sync
// may succeed.
#include "duel/store/node_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace duel {
namespace {

std::uint64_t seed_of(World& world) {
  std::uint64_t seed = 0;
  for (const char byte : world.random_bytes(8))
    seed = (seed << 8) | static_cast<unsigned char>(byte);
  return seed;
}

}  // namespace

std::string NodeStore::random_name(World& world) { return fmt::format("{:016x}", seed_of(world)); }

NodeStore::NodeStore(std::shared_ptr<Database> database, NodeStoreOptions options)
    : database_(std::move(database)),
      where_(database_->where()),
      options_(std::move(options)),
      self_{random_name(*options_.world), options_.url},
      // A node that waits longer would come back too late to keep what it owns.
      pause_(options_.first_pause, std::min(options_.last_pause, options_.lease / 4),
             seed_of(*options_.world)) {}

Result<NodeStore::Session> NodeStore::connect(SessionUse use) {
  if (const auto left = pause_.left(options_.world->now())) {
    return Error::io(
        fmt::format("the database cannot be reached; the next attempt is in {} ms", left->count()),
        where_);
  }
  auto opened = database_->connect(use);
  pause_.tried(opened.ok(), options_.world->now());
  return opened;
}

Result<NodeStore::Session> NodeStore::connect_in_life(SessionUse use, std::string& life) {
  DUEL_ASSIGN(Session opened, connect(use));
  DUEL_ASSIGN(life, opened->life(random_name(*options_.world)));
  return opened;
}

Status NodeStore::open() {
  const std::lock_guard lock(write_mutex_);
  return become_node();
}

Status NodeStore::open_for_reading() {
  return with_reader([](DatabaseSession& reader) { return reader.look(); });
}

Status NodeStore::become_node() {
  if (is_node_) return Done{};
  {
    DUEL_ASSIGN(const Session first, connect(SessionUse::writing));
    DUEL_RETURN_IF_ERROR(first->prepare());
  }
  std::string life;
  DUEL_ASSIGN(writer_, connect_in_life(SessionUse::writing, life));
  {
    const std::lock_guard state(state_mutex_);
    life_ = recovered_life_ = life;
  }
  auto lease = std::make_unique<NodeLease>(
      NodeLease::Settings{*database_, *options_.world, options_.since_boot, self_, options_.lease},
      pause_, [this](DatabaseSession& session) { return lease_had_lapsed(session); });
  DUEL_RETURN_IF_ERROR(lease->begin());
  lease_ = std::move(lease);
  syncer_ = std::make_unique<CommitSyncer>(
      *options_.world, options_.sync_interval,
      [this](std::uint64_t target, bool by_clock) { return sync_commits(target, by_clock); });
  is_node_ = true;
  return Done{};
}

NodeStore::~NodeStore() {
  if (!is_node_) return;
  // The last commit below is synchronous, and makes durable what the syncer has not.
  syncer_->stop();
  lease_->stop();
  const std::lock_guard lock(write_mutex_);
  // If the database is away, the others wait until the lease has run out.
  if (!ensure_writer().ok()) return;
  (void)writer_->leave(self_.node_id, life());
}

Status NodeStore::ensure_writer() {
  DUEL_RETURN_IF_ERROR(become_node());
  if (!is_lost(writer_)) return Done{};
  std::string life;
  DUEL_ASSIGN(Session opened, connect_in_life(SessionUse::writing, life));
  bool crashed = false;
  {
    const std::lock_guard state(state_mutex_);
    ++counts_.reconnects;
    crashed = recovered_life_ != life;
    life_ = life;
  }
  writer_ = std::move(opened);
  if (const Status recovered = recover(crashed); !recovered.ok()) {
    // Without a session the next call comes here again, and recovers before it writes.
    writer_.reset();
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
Status NodeStore::recover(bool crashed) {
  std::map<std::string, OwnedLog> before;
  {
    const std::lock_guard state(state_mutex_);
    before = owned_;
  }
  if (before.empty()) return Done{};
  std::vector<std::uint64_t> ids;
  for (const auto& [name, owned] : before) ids.push_back(owned.id);
  DUEL_ASSIGN(const std::vector<ExperimentRow> found, writer_->rows(ids));
  std::map<std::uint64_t, ExperimentRow> rows;
  for (const ExperimentRow& row : found) rows[row.id] = row;

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
    DUEL_RETURN_IF_ERROR(writer_->set_life(self_.node_id, life(), whole));
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

void NodeStore::drop(const std::string& experiment) {
  const std::lock_guard state(state_mutex_);
  forget(experiment);
}

void NodeStore::forget(const std::string& experiment) {
  owned_.erase(experiment);
  with_tail_.erase(experiment);
  unmarked_.erase(experiment);
}

// While the lease had run out, other nodes may have taken experiments of ours: drops those. Called
// by the lease, without write_mutex_.
Status NodeStore::lease_had_lapsed(DatabaseSession& session) {
  std::map<std::string, std::uint64_t> before;
  {
    const std::lock_guard state(state_mutex_);
    for (const auto& [name, owned] : owned_) before[name] = owned.epoch;
  }
  if (before.empty()) return Done{};
  DUEL_ASSIGN(const auto still_ours, session.owned_by(self_.node_id));
  for (const auto& [name, epoch] : still_ours) {
    const auto known = before.find(name);
    if (known != before.end() && known->second == epoch) before.erase(known);
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

}  // namespace duel
