// Making appends durable, and knowing after a crash what may be missing. Appends commit without
// waiting for the disk; PostgreSQL writes its log in order, so one synchronous commit makes all
// earlier ones durable.
#include <fmt/format.h>

#include "duel/store/postgres_store_parts.h"

namespace duel {

Status PostgresStore::sync() {
  // A store that only reads has nothing to sync.
  if (!is_node_) return Done{};
  return syncer_->wait();
}

Status PostgresStore::ensure_sync_connection() {
  if (!sync_connection_.lost_meanwhile()) return Done{};
  // No timeout on the server's side: if it cancels the wait for a standby, PostgreSQL reports the
  // commit as done.
  DUEL_ASSIGN(sync_connection_,
              connect_in_life(fmt::format("SET synchronous_commit = on; SET statement_timeout = 0;"
                                          " SET lock_timeout = 1000; SET jit = off;"
                                          " SET idle_in_transaction_session_timeout = {}",
                                          options_.lease.count() / 2 + 1),
                              sync_life_));
  return Done{};
}

// Called by the syncer, one at a time. Tries twice, because a connection that was lost while idle
// is only noticed when it is used.
Status PostgresStore::sync_commits(std::uint64_t target, bool by_clock) {
  // Taken before the sync: only records that are appended by now are covered by it.
  std::map<std::string, std::uint64_t> marks;
  if (by_clock) {
    const std::lock_guard state(state_mutex_);
    marks = unmarked_;
  }
  Status status = Done{};
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (status = ensure_sync_connection(); !status.ok()) return status;
    // After a crash the tails must be appended again first: a sync in the new life of the database
    // succeeds without the lines that were lost with the old one.
    bool same_life = false;
    const auto compare = [&] {
      const std::lock_guard state(state_mutex_);
      same_life = recovered_life_ == sync_life_;
    };
    compare();
    if (!same_life) {
      const std::lock_guard lock(write_mutex_);
      compare();  // an append may have recovered while we waited for the lock
      if (!same_life) {
        writer_ = PostgresConnection();  // so that ensure_writer reconnects and recovers
        if (status = ensure_writer(); !status.ok()) return status;
        compare();
      }
    }
    if (!same_life) {
      sync_connection_ = PostgresConnection();
      status = Error::io("the database has restarted", where_);
      continue;
    }
    // The smallest transaction that PostgreSQL has to bring to the disk.
    auto done = sync_connection_.run("SELECT pg_logical_emit_message(true, 'duel', '')", {},
                                     options_.answer_limit);
    // A warning means that the wait for a standby was given up: durable here, but perhaps not after
    // a fail-over, so it does not count.
    if (done.ok() && sync_connection_.warning().empty()) {
      status = Done{};
      break;
    }
    status = done.ok() ? Status(Error::io(fmt::format("the database did not confirm a sync: {}",
                                                      sync_connection_.warning()),
                                          where_))
                       : Status(done.error());
    if (!sync_connection_.lost()) break;
  }
  if (!status.ok()) return status;
  // Lines up to `target` are durable now and need not be kept for another append.
  {
    const std::lock_guard state(state_mutex_);
    for (auto name = with_tail_.begin(); name != with_tail_.end();) {
      auto& tail = owned_.at(*name).tail;
      while (!tail.empty() && tail.front().commit <= target) tail.pop_front();
      name = tail.empty() ? with_tail_.erase(name) : std::next(name);
    }
  }
  if (!marks.empty()) {
    std::vector<std::uint64_t> ids, epochs, sequences;
    {
      const std::lock_guard state(state_mutex_);
      for (const auto& [name, sequence] : marks) {
        const auto mine = owned_.find(name);
        if (mine == owned_.end()) continue;
        ids.push_back(mine->second.id);
        epochs.push_back(mine->second.epoch);
        sequences.push_back(sequence);
        const auto unmarked = unmarked_.find(name);
        if (unmarked != unmarked_.end() && unmarked->second == sequence) unmarked_.erase(unmarked);
      }
    }
    // Marks become durable with the next sync. If one is lost, the old mark understates what is
    // durable, which is safe.
    PostgresParameters parameters;
    parameters.add(self_.node_id).add_numbers(ids).add_numbers(epochs).add_numbers(sequences);
    const std::vector<PostgresQuery> queries = {
        {"SELECT set_config('synchronous_commit', 'off', true)"},
        {"WITH given AS (SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[])"
         " AS g (id, epoch, mark)),"
         " locked AS MATERIALIZED (SELECT e.id FROM duel.experiments e JOIN given g ON g.id = e.id"
         " ORDER BY e.id FOR UPDATE OF e)"
         " UPDATE duel.experiments e SET mark = greatest(e.mark, least(g.mark, e.head_sequence))"
         " FROM locked l JOIN given g ON g.id = l.id"
         " WHERE e.id = l.id AND e.owner = $1 AND e.epoch = g.epoch",
         parameters}};
    (void)sync_connection_.run_together(queries, options_.answer_limit);
  }
  return Done{};
}

// If the database has crashed since the last append (its life has changed), records after the mark
// may be missing, and only those up to the mark count as synced.
Result<std::uint64_t> PostgresStore::synced(const std::string& experiment) {
  {
    const std::lock_guard state(state_mutex_);
    const auto mine = owned_.find(experiment);
    if (mine != owned_.end() && (mine->second.appended || mine->second.head.sequence == 0)) {
      return mine->second.head.sequence;
    }
  }
  DUEL_ASSIGN(const PostgresRows rows,
              query("SELECT CASE WHEN e.life = l.id THEN e.head_sequence ELSE e.mark END"
                    " FROM duel.experiments e LEFT JOIN duel.life l ON true"
                    " WHERE e.name = $1 AND e.head_sequence > 0",
                    PostgresParameters().add(experiment)));
  if (rows.size() == 0) return no_experiment(experiment);
  return rows.number(0, 0);
}

Result<LastStop> PostgresStore::last_stop() {
  DUEL_ASSIGN(const PostgresRows rows,
              query("SELECT count(*) FROM duel.experiments e LEFT JOIN duel.life l ON true"
                    " WHERE e.mark < e.head_sequence AND e.life IS DISTINCT FROM l.id"));
  return rows.number(0, 0) == 0 ? LastStop::clean : LastStop::machine_stopped;
}

}  // namespace duel
