// Ownership and appends. Every change of an experiment's lines goes through Database's `append`,
// which checks owner, epoch and head in the same statement that writes. A node that was taken for
// dead, or a statement that arrives late, changes nothing.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/store/line.h"
#include "duel/store/node_store.h"

namespace duel {
namespace {

Head head_after(const Head& at, std::span<const Line> lines) {
  Head to{at.sequence + lines.size(), at.hash};
  if (!lines.empty()) {
    if (const auto parts = split_line(lines.back().text)) to.hash = parts->hash;
  }
  return to;
}

}  // namespace

template <class Work>
auto NodeStore::with_writer(const Work& work) -> decltype(work(std::declval<DatabaseSession&>())) {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(ensure_writer());
  auto result = work(*writer_);
  if (result.ok() || !writer_->lost()) return result;
  // The connection was lost under the statement, which may have been executed.
  DUEL_RETURN_IF_ERROR(ensure_writer());
  return work(*writer_);
}

Status NodeStore::take(const std::string& experiment, bool is_new) {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(ensure_writer());
  // A new experiment has no line yet. Any other has one, unless it was created here and has not
  // been written to.
  Taking taking{experiment, is_new};
  taking.lowest = is_new ? 0 : 1;
  taking.highest = is_new ? 0 : std::uint64_t{1} << 62;
  std::string life;
  {
    const std::lock_guard state(state_mutex_);
    life = life_;
    const auto mine = owned_.find(experiment);
    if (mine != owned_.end()) {
      taking.lowest = 0;
      // With a doubtful append the epoch must grow, so that the append is refused if it arrives
      // after this.
      if (!mine->second.doubtful) taking.kept_epoch = mine->second.epoch;
    }
  }
  DUEL_ASSIGN(Taken taken, writer_->take(self_.node_id, life, taking));
  if (!taken.row) return no_experiment(experiment);
  ExperimentRow& row = *taken.row;
  const bool has_lines = row.head.sequence > 0;
  if (is_new && has_lines) {
    return Error::conflict(fmt::format("the experiment '{}' exists", experiment), where_);
  }
  if (row.owner != self_.node_id) {
    // A name without a line whose owner is dead: its creation was never completed.
    drop(experiment);
    if (!is_new && !has_lines && !taken.owner_lives) return no_experiment(experiment);
    return owned_elsewhere(experiment);
  }
  const std::lock_guard state(state_mutex_);
  const auto mine = owned_.find(experiment);
  if (!is_new && !has_lines && mine == owned_.end()) return no_experiment(experiment);
  const std::string& before = taken.owner_before;
  if (taken.moved && !before.empty() && before != self_.node_id) ++counts_.taken_over;
  // Ours before and nothing has changed: the tail stays, since its lines may not be durable yet.
  if (mine != owned_.end() && mine->second.epoch == row.epoch && mine->second.head == row.head) {
    return Done{};
  }
  OwnedLog& owned = owned_[experiment];
  owned = OwnedLog();
  owned.id = row.id;
  owned.epoch = row.epoch;
  owned.head = std::move(row.head);
  with_tail_.erase(experiment);
  unmarked_.erase(experiment);
  return Done{};
}

// Several groups of one experiment become one move. A group is compared with the head as the groups
// before it will leave it.
std::vector<HeadMove> NodeStore::plan_moves(std::span<const Group> groups,
                                            std::vector<Status>& results) {
  std::vector<HeadMove> moves;
  const std::lock_guard state(state_mutex_);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Group& group = groups[k];
    const auto found = owned_.find(std::string(group.experiment));
    if (found == owned_.end()) {
      results[k] = Error::conflict(
          fmt::format("this node does not own the experiment '{}'", group.experiment), where_);
      continue;
    }
    const OwnedLog& owned = found->second;
    if (owned.doubtful) {
      results[k] = Error::conflict(
          fmt::format("it is not known whether the last records of the experiment '{}' are there",
                      group.experiment),
          where_, "read it again");
      continue;
    }
    auto move = std::ranges::find(moves, group.experiment, &HeadMove::experiment);
    const Head& head = move != moves.end() ? move->to : owned.head;
    const Head& at = group.at;
    if (at.sequence != head.sequence || (at.sequence > 0 && at.hash != head.hash)) {
      results[k] = ends_elsewhere(group.experiment, head);
      continue;
    }
    if (group.lines.empty()) continue;
    if (move == moves.end()) {
      moves.push_back({found->first, owned.id, owned.epoch, owned.head, owned.head, {}, {}});
      move = std::prev(moves.end());
    }
    move->to = head_after(move->to, group.lines);
    move->groups.push_back(k);
    for (const Line& line : group.lines) move->lines.push_back(&line);
  }
  return moves;
}

// Returns the ids of the experiments that were appended to. The others had another owner, epoch or
// head, and nothing of them was written.
Result<std::set<std::uint64_t>> NodeStore::move_heads(std::span<const HeadMove> moves) {
  return writer_->append(self_.node_id, life(), moves);
}

// Notes an append that succeeded. Its lines stay in the tail until a sync covers `commit`.
// REQUIRES: state_mutex_ is held.
void NodeStore::moved(const HeadMove& move, std::uint64_t commit) {
  const auto found = owned_.find(move.experiment);
  // The lease's thread may have dropped it since (lease_had_lapsed).
  if (found == owned_.end() || found->second.epoch != move.epoch) return;
  OwnedLog& owned = found->second;
  TailGroup group{commit, move.at, move.to, {}};
  group.lines.reserve(move.lines.size());
  for (const Line* line : move.lines) {
    group.lines.push_back({std::string(line->text), std::string(line->key), line->tag});
  }
  owned.tail.push_back(std::move(group));
  owned.head = move.to;
  owned.appended = true;
  with_tail_.insert(move.experiment);
  unmarked_[move.experiment] = move.to.sequence;
}

// Finds out why the database did not take the moves, and drops their experiments.
Status NodeStore::refused(std::span<const HeadMove> moves, std::vector<Status>& results) {
  std::vector<std::uint64_t> ids;
  for (const HeadMove& move : moves) ids.push_back(move.id);
  std::map<std::uint64_t, ExperimentRow> rows;
  const auto found = writer_->rows(ids);
  if (found.ok()) {
    for (const ExperimentRow& row : *found) rows[row.id] = row;
  }
  for (const HeadMove& move : moves) {
    const auto row = rows.find(move.id);
    const bool ours =
        row != rows.end() && row->second.owner == self_.node_id && row->second.epoch == move.epoch;
    Error error =
        ours ? ends_elsewhere(move.experiment, row->second.head) : owned_elsewhere(move.experiment);
    for (const std::size_t group : move.groups) results[group] = error;
    // In either case our state of the experiment is not the database's.
    drop(move.experiment);
    const std::lock_guard state(state_mutex_);
    if (found.ok() && !ours) ++counts_.fenced;
  }
  return Done{};
}

Result<std::vector<Status>> NodeStore::append(std::span<const Group> groups) {
  const std::lock_guard lock(write_mutex_);
  std::vector<Status> results(groups.size(), Status(Done{}));
  if (groups.empty()) return results;
  DUEL_RETURN_IF_ERROR(ensure_writer());
  const std::vector<HeadMove> moves = plan_moves(groups, results);
  if (moves.empty()) return results;
  const auto accepted = move_heads(moves);
  if (!accepted.ok()) {
    // If the database answered with an error, nothing was written. If the connection was lost, the
    // statement may still succeed.
    if (!writer_->lost()) return accepted.error();
    const std::lock_guard state(state_mutex_);
    for (const HeadMove& move : moves) {
      const auto mine = owned_.find(move.experiment);
      if (mine != owned_.end()) mine->second.doubtful = move.to;
    }
    return accepted.error();
  }
  // If a sync covers this commit before its lines are in the tail, they stay there until the next
  // one, which does no harm.
  const std::uint64_t commit = syncer_->committed();
  std::vector<HeadMove> not_taken;
  {
    const std::lock_guard state(state_mutex_);
    for (const HeadMove& move : moves) {
      if (accepted->contains(move.id)) {
        moved(move, commit);
      } else {
        not_taken.push_back(move);
      }
    }
  }
  if (!not_taken.empty()) DUEL_RETURN_IF_ERROR(refused(not_taken, results));
  return results;
}

Status NodeStore::give_away(const std::string& experiment) {
  const std::lock_guard lock(write_mutex_);
  const std::optional<std::uint64_t> held = epoch(experiment);
  if (!held) return Done{};
  DUEL_RETURN_IF_ERROR(ensure_writer());
  // Durable, so that all our lines are before another node builds on them.
  DUEL_RETURN_IF_ERROR(writer_->give_away(self_.node_id, life(), experiment, *held));
  drop(experiment);
  return Done{};
}

Status NodeStore::put_snapshot(const std::string& experiment, const Snapshot& snapshot) {
  DUEL_ASSIGN(const bool there, with_writer([&](DatabaseSession& writer) {
                return writer.put_snapshot(experiment, snapshot);
              }));
  if (!there) return no_experiment(experiment);
  (void)syncer_->committed();
  return Done{};
}

Status NodeStore::add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) {
  DUEL_ASSIGN(const bool there, with_writer([&](DatabaseSession& writer) {
                return writer.add_tags(experiment, tags);
              }));
  if (!there) return no_experiment(experiment);
  (void)syncer_->committed();
  return Done{};
}

Status NodeStore::put(std::string_view space, std::string_view key, std::string_view bytes) {
  return with_writer([&](DatabaseSession& writer) { return writer.put(space, key, bytes); });
}

Result<bool> NodeStore::erase(std::string_view space, std::string_view key) {
  return with_writer([&](DatabaseSession& writer) { return writer.erase(space, key); });
}

Status NodeStore::compact() {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(ensure_writer());
  DUEL_ASSIGN(const Session session, connect(SessionUse::upkeep));
  return session->compact();
}

}  // namespace duel
