// Making appends durable, and knowing after a crash what may be missing. Appends commit without
// waiting for the disk; the database writes its log in order, so one durable commit makes all
// earlier ones durable.
#include <fmt/format.h>

#include "duel/store/node_store.h"

namespace duel {

Status NodeStore::sync() {
  // A store that only reads has nothing to sync.
  if (!is_node_) return Done{};
  return syncer_->wait();
}

Status NodeStore::ensure_sync_session() {
  if (!is_lost(sync_session_)) return Done{};
  DUEL_ASSIGN(sync_session_, connect_in_life(SessionUse::syncing, sync_life_));
  return Done{};
}

// Called by the syncer, one at a time. Tries twice, because a connection that was lost while idle
// is only noticed when it is used.
Status NodeStore::sync_commits(std::uint64_t target, bool by_clock) {
  // Taken before the sync: only records that are appended by now are covered by it.
  std::map<std::string, std::uint64_t> marks;
  if (by_clock) {
    const std::lock_guard state(state_mutex_);
    marks = unmarked_;
  }
  Status status = Done{};
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (status = ensure_sync_session(); !status.ok()) return status;
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
        writer_.reset();  // so that ensure_writer reconnects and recovers
        if (status = ensure_writer(); !status.ok()) return status;
        compare();
      }
    }
    if (!same_life) {
      sync_session_.reset();
      status = Error::io("the database has restarted", where_);
      continue;
    }
    status = sync_session_->sync();
    if (status.ok() || !sync_session_->lost()) break;
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
    std::vector<ClockMark> given;
    {
      const std::lock_guard state(state_mutex_);
      for (const auto& [name, sequence] : marks) {
        const auto mine = owned_.find(name);
        if (mine == owned_.end()) continue;
        given.push_back({mine->second.id, mine->second.epoch, sequence});
        const auto unmarked = unmarked_.find(name);
        if (unmarked != unmarked_.end() && unmarked->second == sequence) unmarked_.erase(unmarked);
      }
    }
    // Marks become durable with the next sync. If one is lost, the old mark understates what is
    // durable, which is safe.
    (void)sync_session_->set_marks(self_.node_id, given);
  }
  return Done{};
}

// If the database has crashed since the last append (its life has changed), records after the mark
// may be missing, and only those up to the mark count as synced.
Result<std::uint64_t> NodeStore::synced(const std::string& experiment) {
  {
    const std::lock_guard state(state_mutex_);
    const auto mine = owned_.find(experiment);
    if (mine != owned_.end() && (mine->second.appended || mine->second.head.sequence == 0)) {
      return mine->second.head.sequence;
    }
  }
  DUEL_ASSIGN(const std::optional<std::uint64_t> known,
              with_reader([&](DatabaseSession& reader) { return reader.synced(experiment); }));
  if (!known) return no_experiment(experiment);
  return *known;
}

Result<LastStop> NodeStore::last_stop() {
  DUEL_ASSIGN(const bool in_doubt,
              with_reader([](DatabaseSession& reader) { return reader.lines_in_doubt(); }));
  return in_doubt ? LastStop::machine_stopped : LastStop::clean;
}

}  // namespace duel
