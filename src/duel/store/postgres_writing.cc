// Ownership and appends. Every change of an experiment's lines goes through kAppend, which checks
// owner, epoch and head in the same statement that writes. A node that was taken for dead, or a
// statement that arrives late, changes nothing.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/store/line.h"
#include "duel/store/postgres_store_parts.h"

namespace duel {
namespace {

// Checks the owners and writes the lines in one statement. Rows are locked in the order of their
// ids, so that two commits cannot deadlock. $1 is the node, $2 to $7 have one entry per experiment,
// $8 is the life, $9 to $12 have one entry per line, $13 and $14 one per tag.
constexpr const char* kAppend = R"sql(
WITH given AS (
  SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[],
                       $7::text[])
    AS g (id, epoch, at_sequence, at_hash, to_sequence, to_hash)
), locked AS MATERIALIZED (
  SELECT e.id FROM duel.experiments e JOIN given g ON g.id = e.id
   ORDER BY e.id FOR UPDATE OF e
), moved AS (
  UPDATE duel.experiments e
     SET head_sequence = g.to_sequence, head_hash = g.to_hash, life = $8
    FROM locked l JOIN given g ON g.id = l.id
   WHERE e.id = l.id AND e.owner = $1 AND e.epoch = g.epoch
     AND e.head_sequence = g.at_sequence AND e.head_hash = g.at_hash
  RETURNING e.id
), written AS (
  INSERT INTO duel.lines (experiment, sequence, key, text)
  SELECT l.experiment, l.sequence, l.key, l.text
    FROM unnest($9::bigint[], $10::bigint[], $11::bytea[], $12::bytea[])
      AS l (experiment, sequence, key, text)
    JOIN moved m ON m.id = l.experiment
), remembered AS (
  INSERT INTO duel.tags (experiment, tag)
  SELECT t.experiment, t.tag
    FROM unnest($13::bigint[], $14::bigint[]) AS t (experiment, tag)
    JOIN moved m ON m.id = t.experiment
  ON CONFLICT DO NOTHING
)
SELECT id FROM moved)sql";

// Taking an experiment locks its row, then that of its owner's lease (node_lease.h), in statements
// of their own: the next statement then reads the clock with both locks held.
constexpr const char* kLockExperiment =
    "SELECT coalesce(owner, '') FROM duel.experiments WHERE name = $1 FOR UPDATE";
constexpr const char* kLockOwner =
    "SELECT 1 FROM duel.nodes WHERE id ="
    " (SELECT owner FROM duel.experiments WHERE name = $1) FOR UPDATE";
// $3 is the epoch that we certainly hold, and keep; $5 and $6 are bounds of the head. The commit is
// synchronous, and so makes everything durable that the owner before appended in this life of the
// database.
constexpr const char* kTake =
    "UPDATE duel.experiments e SET owner = $2, epoch = epoch + 1,"
    " mark = CASE WHEN life = $4 THEN head_sequence ELSE mark END"
    " WHERE name = $1 AND CASE WHEN owner = $2 THEN epoch <> $3"
    " ELSE NOT " DUEL_OWNER_LIVES " END AND head_sequence BETWEEN $5 AND $6";

constexpr const char* kRowAfterTaking =
    "SELECT id, coalesce(owner, ''), epoch, head_sequence, head_hash,"
    " (" DUEL_OWNER_LIVES ")::int::bigint FROM duel.experiments e WHERE name = $1";

Head head_after(const Head& at, std::span<const Line> lines) {
  Head to{at.sequence + lines.size(), at.hash};
  if (!lines.empty()) {
    if (const auto parts = split_line(lines.back().text)) to.hash = parts->hash;
  }
  return to;
}

PostgresParameters append_parameters(const std::string& node, const std::string& life,
                                     std::span<const HeadMove> moves) {
  std::vector<std::uint64_t> ids, epochs, at_sequences, to_sequences, experiments, sequences;
  std::vector<std::uint64_t> tagged, tags;
  std::vector<std::string_view> at_hashes, to_hashes, keys, texts;
  for (const HeadMove& move : moves) {
    ids.push_back(move.id);
    epochs.push_back(move.epoch);
    at_sequences.push_back(move.at.sequence);
    at_hashes.push_back(move.at.hash);
    to_sequences.push_back(move.to.sequence);
    to_hashes.push_back(move.to.hash);
    std::uint64_t sequence = move.at.sequence;
    for (const Line* line : move.lines) {
      experiments.push_back(move.id);
      sequences.push_back(++sequence);
      keys.push_back(line->key);
      texts.push_back(line->text);
      if (line->tag == 0) continue;
      tagged.push_back(move.id);
      tags.push_back(line->tag);
    }
  }
  PostgresParameters parameters;
  parameters.add(node).add_numbers(ids).add_numbers(epochs).add_numbers(at_sequences);
  parameters.add_texts(at_hashes).add_numbers(to_sequences).add_texts(to_hashes).add(life);
  parameters.add_numbers(experiments).add_numbers(sequences);
  parameters.add_byte_strings(keys, true).add_byte_strings(texts);
  parameters.add_numbers(tagged).add_numbers(tags);
  return parameters;
}

}  // namespace

template <class Work>
auto PostgresStore::with_writer(const Work& work)
    -> decltype(work(std::declval<PostgresConnection&>())) {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(ensure_writer());
  auto result = work(writer_);
  if (result.ok() || !writer_.lost()) return result;
  // The connection was lost under the statement, which may have been executed.
  DUEL_RETURN_IF_ERROR(ensure_writer());
  return work(writer_);
}

Status PostgresStore::take(const std::string& experiment, bool is_new) {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(ensure_writer());
  std::uint64_t kept_epoch = 0;
  // A new experiment has no line yet. Any other has one, unless it was created here and has not
  // been written to.
  std::uint64_t lowest = is_new ? 0 : 1;
  const std::uint64_t highest = is_new ? 0 : std::uint64_t{1} << 62;
  std::string life;
  {
    const std::lock_guard state(state_mutex_);
    life = life_;
    const auto mine = owned_.find(experiment);
    if (mine != owned_.end()) {
      lowest = 0;
      // With a doubtful append the epoch must grow, so that the append is refused if it arrives
      // after this.
      if (!mine->second.doubtful) kept_epoch = mine->second.epoch;
    }
  }
  std::vector<PostgresQuery> queries;
  queries.push_back({kWaitForDisk, {}});
  if (is_new) {
    queries.push_back(
        {"INSERT INTO duel.experiments"
         " (name, owner, epoch, head_sequence, head_hash, mark, life)"
         " VALUES ($1, NULL, 0, 0, '', 0, $2) ON CONFLICT (name) DO NOTHING",
         PostgresParameters().add(experiment).add(life)});
  }
  queries.push_back({kLockExperiment, PostgresParameters().add(experiment)});
  queries.push_back({kLockOwner, PostgresParameters().add(experiment)});
  queries.push_back({kTake, PostgresParameters()
                                .add(experiment)
                                .add(self_.node_id)
                                .add(kept_epoch)
                                .add(life)
                                .add(lowest)
                                .add(highest)});
  queries.push_back({kRowAfterTaking, PostgresParameters().add(experiment)});
  DUEL_ASSIGN(const std::vector<PostgresRows> rows, writer_.run_together(queries, write_limit()));
  const PostgresRows& owner_before = rows[queries.size() - 4];
  const bool taken = rows[queries.size() - 2].changed() > 0;
  const PostgresRows& after = rows[queries.size() - 1];
  if (after.size() == 0) return no_experiment(experiment);
  ExperimentRow row = row_at(after, 0);
  const bool has_lines = row.head.sequence > 0;
  if (is_new && has_lines) {
    return Error::conflict(fmt::format("the experiment '{}' exists", experiment), where_);
  }
  if (row.owner != self_.node_id) {
    // A name without a line whose owner is dead: its creation was never completed.
    drop(experiment);
    if (!is_new && !has_lines && after.number(0, 5) == 0) return no_experiment(experiment);
    return owned_elsewhere(experiment);
  }
  const std::lock_guard state(state_mutex_);
  const auto mine = owned_.find(experiment);
  if (!is_new && !has_lines && mine == owned_.end()) return no_experiment(experiment);
  if (taken && owner_before.size() == 1) {
    const std::string_view owner = owner_before.bytes(0, 0);
    if (!owner.empty() && owner != self_.node_id) ++counts_.taken_over;
  }
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
std::vector<HeadMove> PostgresStore::plan_moves(std::span<const Group> groups,
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
Result<std::set<std::uint64_t>> PostgresStore::move_heads(std::span<const HeadMove> moves) {
  DUEL_ASSIGN(const PostgresRows rows,
              writer_.run(kAppend, append_parameters(self_.node_id, life(), moves), write_limit()));
  std::set<std::uint64_t> accepted;
  for (std::size_t k = 0; k < rows.size(); ++k) accepted.insert(rows.number(k, 0));
  return accepted;
}

// Notes an append that succeeded. Its lines stay in the tail until a sync covers `commit`.
// REQUIRES: state_mutex_ is held.
void PostgresStore::moved(const HeadMove& move, std::uint64_t commit) {
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
Status PostgresStore::refused(std::span<const HeadMove> moves, std::vector<Status>& results) {
  std::vector<std::uint64_t> ids;
  for (const HeadMove& move : moves) ids.push_back(move.id);
  std::map<std::uint64_t, ExperimentRow> rows;
  auto found = writer_.run(kExperimentRows, PostgresParameters().add_numbers(ids), write_limit());
  if (found.ok()) rows = rows_by_id(*found);
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

Result<std::vector<Status>> PostgresStore::append(std::span<const Group> groups) {
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
    if (!writer_.lost()) return accepted.error();
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

Status PostgresStore::give_away(const std::string& experiment) {
  const std::lock_guard lock(write_mutex_);
  const std::optional<std::uint64_t> held = epoch(experiment);
  if (!held) return Done{};
  DUEL_RETURN_IF_ERROR(ensure_writer());
  // Synchronous, so that all our lines are durable before another node builds on them. The head
  // becomes the mark, but only if all lines are of this life: then none is missing.
  const std::vector<PostgresQuery> queries = {
      {kWaitForDisk},
      {"UPDATE duel.experiments SET owner = NULL,"
       " mark = CASE WHEN life = $4 THEN head_sequence ELSE mark END"
       " WHERE name = $1 AND owner = $2 AND epoch = $3",
       PostgresParameters().add(experiment).add(self_.node_id).add(*held).add(life())}};
  DUEL_RETURN_IF_ERROR(writer_.run_together(queries, write_limit()));
  drop(experiment);
  return Done{};
}

Status PostgresStore::put_snapshot(const std::string& experiment, const Snapshot& snapshot) {
  const auto rows = with_writer([&](PostgresConnection& writer) {
    return writer.run(
        "INSERT INTO duel.snapshots AS s SELECT id, $2, $3, $4, $5, $6 FROM duel.experiments"
        " WHERE name = $1 AND head_sequence > 0"
        " ON CONFLICT (experiment) DO UPDATE SET sequence = excluded.sequence,"
        " hash = excluded.hash, version = excluded.version, bytes = excluded.bytes,"
        " summary = excluded.summary",
        PostgresParameters()
            .add(experiment)
            .add(snapshot.sequence)
            .add_bytes(snapshot.hash)
            .add_bytes(snapshot.version)
            .add_bytes(snapshot.bytes)
            .add_bytes(snapshot.summary),
        write_limit());
  });
  if (!rows.ok()) return rows.error();
  if (rows->changed() == 0) return no_experiment(experiment);
  (void)syncer_->committed();
  return Done{};
}

Status PostgresStore::add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) {
  const auto rows = with_writer([&](PostgresConnection& writer) {
    return writer.run(
        "WITH e AS (SELECT id FROM duel.experiments WHERE name = $1 AND head_sequence > 0),"
        " added AS (INSERT INTO duel.tags"
        " SELECT e.id, t.tag FROM e, unnest($2::bigint[]) AS t (tag)"
        " ON CONFLICT DO NOTHING)"
        " SELECT id FROM e",
        PostgresParameters().add(experiment).add_numbers(tags), write_limit());
  });
  if (!rows.ok()) return rows.error();
  if (rows->size() == 0) return no_experiment(experiment);
  (void)syncer_->committed();
  return Done{};
}

Status PostgresStore::put(std::string_view space, std::string_view key, std::string_view bytes) {
  const std::vector<PostgresQuery> queries = {
      {kWaitForDisk},
      {"INSERT INTO duel.entries VALUES ($1, $2, $3)"
       " ON CONFLICT (space, key) DO UPDATE SET bytes = excluded.bytes",
       PostgresParameters().add_bytes(space).add_bytes(key).add_bytes(bytes)}};
  DUEL_RETURN_IF_ERROR(with_writer(
      [&](PostgresConnection& writer) { return writer.run_together(queries, write_limit()); }));
  return Done{};
}

Result<bool> PostgresStore::erase(std::string_view space, std::string_view key) {
  const std::vector<PostgresQuery> queries = {
      {kWaitForDisk},
      {"DELETE FROM duel.entries WHERE space = $1 AND key = $2",
       PostgresParameters().add_bytes(space).add_bytes(key)}};
  DUEL_ASSIGN(const std::vector<PostgresRows> rows, with_writer([&](PostgresConnection& writer) {
                return writer.run_together(queries, write_limit());
              }));
  return rows[1].changed() > 0;
}

Status PostgresStore::compact() {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(ensure_writer());
  DUEL_ASSIGN(PostgresConnection vacuum, connect(""));
  return vacuum.execute(
      "VACUUM (ANALYZE) duel.lines, duel.tags, duel.snapshots, duel.entries,"
      " duel.experiments, duel.nodes",
      PostgresConnection::kNoLimit);
}

}  // namespace duel
