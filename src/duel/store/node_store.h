// A store that several nodes share, over a database (database.h): what postgres_store.h says of
// ownership, tails and lost connections happens here, and the database only executes statements.
// Its sources are node_store.cc (connections, recovery after a crash), node_store_writing.cc,
// node_store_durability.cc and node_store_reading.cc.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/world.h"
#include "duel/store/commit_syncer.h"
#include "duel/store/database.h"
#include "duel/store/node_lease.h"
#include "duel/store/nodes.h"
#include "duel/store/reconnect_pause.h"
#include "duel/store/store.h"

namespace duel {

// As in PostgresOptions.
struct NodeStoreOptions {
  std::string url{};
  std::chrono::milliseconds lease{10'000};
  std::chrono::milliseconds sync_interval{100};
  std::size_t most_readers = 4;
  std::chrono::milliseconds first_pause{50};
  std::chrono::milliseconds last_pause{2'000};
  World* world = &system_world();
  // A clock that goes on while the machine is suspended, and that nobody can set.
  std::function<std::chrono::nanoseconds()> since_boot = time_since_boot;
};

// A line with its own memory, which outlives the call that brought it.
struct KeptLine {
  std::string text;
  std::string key;
  std::uint64_t tag = 0;
};

// Lines of one append that may not be durable yet.
struct TailGroup {
  std::uint64_t commit = 0;
  Head at;
  Head to;
  std::vector<KeptLine> lines;
};

struct OwnedLog {
  std::uint64_t id = 0;
  std::uint64_t epoch = 0;
  Head head;
  bool appended = false;         // by this process
  std::optional<Head> doubtful;  // the head after an append of which it is unknown if it happened
  std::deque<TailGroup> tail;
};

class NodeStore final : public Store, public Nodes {
 public:
  // The database ends with the store, or is shared with others.
  NodeStore(std::shared_ptr<Database> database, NodeStoreOptions options);
  ~NodeStore() override;

  // As a node, for which tables that are not there are made; or for reading, where they must be
  // there: it becomes a node with the first call that writes.
  Status open();
  Status open_for_reading();

  // Store.
  Result<std::vector<std::string>> list() override;
  Status create(const std::string& experiment) override { return take(experiment, true); }
  Status own(const std::string& experiment) override { return take(experiment, false); }
  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override;
  Result<Head> head(const std::string& experiment) override;
  Result<std::vector<Status>> append(std::span<const Group> groups) override;
  bool broken() const override { return false; }
  Result<std::vector<FoundLine>> find(const std::string& experiment, std::string_view key) override;
  Result<std::vector<std::string>> experiments_of(std::string_view key) override;
  Status sync() override;
  Result<std::uint64_t> synced(const std::string& experiment) override;
  Result<LastStop> last_stop() override;
  Status put_snapshot(const std::string& experiment, const Snapshot& snapshot) override;
  Result<std::optional<Snapshot>> snapshot(const std::string& experiment) override;
  Result<std::vector<Outline>> outlines() override;
  Result<bool> tagged(const std::string& experiment, std::uint64_t tag) override;
  Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) override;
  Status put(std::string_view space, std::string_view key, std::string_view bytes) override;
  Result<std::optional<std::string>> get(std::string_view space, std::string_view key) override;
  Result<std::vector<std::pair<std::string, std::string>>> entries(std::string_view space) override;
  Result<bool> erase(std::string_view space, std::string_view key) override;
  Status check() override;
  Status backup(const std::filesystem::path& file) override;
  Status compact() override;
  Nodes* nodes() override { return this; }

  // Nodes.
  const NodeAddress& self() const override { return self_; }
  std::chrono::milliseconds lease() const override { return options_.lease; }
  bool holds_lease() const override;
  bool reachable() const override;
  std::int64_t now_ms() const override;
  Result<Tenure> tenure(const std::string& experiment) override;
  std::optional<std::uint64_t> epoch(const std::string& experiment) const override;
  Status give_away(const std::string& experiment) override;
  Result<std::vector<std::string>> ownerless() override;
  Result<std::vector<NodeAddress>> live() override;
  Result<std::vector<NodeState>> states() override;
  Result<std::vector<Tenure>> tenures() override;
  Counts counts() const override;

 private:
  using Session = std::unique_ptr<DatabaseSession>;

  Error no_experiment(std::string_view experiment) const {
    return Error::not_found(fmt::format("there is no experiment '{}'", experiment), where_);
  }
  Error ends_elsewhere(std::string_view experiment, const Head& head) const {
    return Error::conflict(
        fmt::format("another process has written to the experiment '{}': it ends with record {}",
                    experiment, head.sequence),
        where_, "read it again");
  }
  Error owned_elsewhere(std::string_view experiment) const {
    return Error::conflict(fmt::format("another node owns the experiment '{}'", experiment),
                           where_);
  }

  // The error for reads after a crash of the database, until the tails have been appended again.
  Error lines_are_missing() const {
    return Error::io("the database has lost records, which are appended again", where_);
  }

  // A random id for a node, or for a life of the database.
  static std::string random_name(World& world);
  // A new session; an error without a try during the pause after a failure.
  Result<Session> connect(SessionUse use);
  // The same; also gives the life of the database in which it was opened.
  Result<Session> connect_in_life(SessionUse use, std::string& life);
  std::string life() const {
    const std::lock_guard state(state_mutex_);
    return life_;
  }
  // REQUIRES: not one that another thread uses.
  static bool is_lost(const Session& session) {
    return session == nullptr || session->lost_meanwhile();
  }

  // REQUIRES, here and below up to the next comment of that kind: write_mutex_ is held.
  Status become_node();
  Status ensure_writer();
  Status recover(bool crashed);
  // One move for each experiment of the groups; refuses those that need no look at the database.
  std::vector<HeadMove> plan_moves(std::span<const Group> groups, std::vector<Status>& results);
  Result<std::set<std::uint64_t>> move_heads(std::span<const HeadMove> moves);
  void moved(const HeadMove& move, std::uint64_t commit);
  Status refused(std::span<const HeadMove> moves, std::vector<Status>& results);
  // Does `work` on the writer, and again if the connection is lost. REQUIRES: twice does no harm.
  template <class Work>
  auto with_writer(const Work& work) -> decltype(work(std::declval<DatabaseSession&>()));

  Status take(const std::string& experiment, bool is_new);
  void drop(const std::string& experiment);
  // The same. REQUIRES: state_mutex_ is held.
  void forget(const std::string& experiment);
  Status lease_had_lapsed(DatabaseSession& session);

  // By the syncer, one at a time, without write_mutex_.
  Status sync_commits(std::uint64_t target, bool by_clock);
  Status ensure_sync_session();

  template <class Work>
  auto with_reader(const Work& work) -> decltype(work(std::declval<DatabaseSession&>()));
  Result<Session> take_reader(bool fresh);
  Result<ExperimentRow> row_for_reading(DatabaseSession& reader, const std::string& experiment);

  const std::shared_ptr<Database> database_;
  const std::string where_;
  const NodeStoreOptions options_;
  const NodeAddress self_;
  ReconnectPause pause_;

  std::mutex write_mutex_;  // guards writer_; held during statements
  Session writer_;
  std::atomic<bool> is_node_ = false;
  std::unique_ptr<NodeLease> lease_;
  std::unique_ptr<CommitSyncer> syncer_;

  mutable std::mutex state_mutex_;  // taken after write_mutex_; never held during a statement
  std::map<std::string, OwnedLog> owned_;
  std::set<std::string> with_tail_;
  std::map<std::string, std::uint64_t> unmarked_;  // heads of those appended to since their mark
  std::string life_;            // of the database when the writer's session was opened
  std::string recovered_life_;  // the last one in which the database has all tails
  Counts counts_;

  // For the syncer only.
  Session sync_session_;
  std::string sync_life_;

  std::mutex readers_mutex_;
  std::condition_variable reader_returned_;
  std::vector<Session> readers_;  // those that are not lent
  std::size_t readers_lent_ = 0;
};

template <class Work>
auto NodeStore::with_reader(const Work& work) -> decltype(work(std::declval<DatabaseSession&>())) {
  for (bool again = false;; again = true) {
    {
      std::unique_lock lock(readers_mutex_);
      reader_returned_.wait(lock, [&] { return readers_lent_ < options_.most_readers; });
      ++readers_lent_;
    }
    auto reader = take_reader(again);
    std::optional<decltype(work(std::declval<DatabaseSession&>()))> result;
    if (reader.ok()) {
      result = work(**reader);
    } else {
      result = reader.error();
    }
    const bool lost = !reader.ok() || (*reader)->lost();
    {
      const std::lock_guard lock(readers_mutex_);
      --readers_lent_;
      if (!lost) readers_.push_back(std::move(*reader));
    }
    reader_returned_.notify_one();
    // A connection that was lost while idle is only noticed when it is used, so try once more.
    if (result->ok() || !reader.ok() || !lost || again) return std::move(*result);
  }
}

}  // namespace duel
