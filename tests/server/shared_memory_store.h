// Several nodes on one store, in one process: a database in memory and views of it, each a store
// with its own node. A test expires leases, cuts nodes off and loses answers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
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
#include <thread>
#include <utility>
#include <vector>

#include "duel/store/line.h"
#include "duel/store/store.h"

namespace duel {

// What all nodes share. Its clock is the test's.
struct SharedDatabase {
  struct Kept {
    std::vector<std::string> lines;
    std::vector<std::string> keys;
    std::set<std::uint64_t> tags;
    Head head;
    std::optional<Snapshot> snapshot;
    std::string owner;  // node id; empty: nobody
    std::uint64_t epoch = 0;
  };
  struct Node {
    std::string url;
    bool live = true;
  };

  std::mutex mutex;
  std::map<std::string, Kept> experiments;
  std::map<std::pair<std::string, std::string>, std::string> entries;
  std::map<std::string, Node> nodes;
  std::atomic<std::int64_t> now_ms = 1'794'700'800'000;  // 2026-11-15T00:00:00Z
  int own_calls = 0;
};

// What a test does at the next call of some kind, once, in the thread that calls.
class BeforeNext {
 public:
  void set(std::function<void()> what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
  }
  void run() {
    std::function<void()> what;
    {
      const std::lock_guard lock(mutex_);
      what.swap(what_);
    }
    if (what) what();
  }

 private:
  std::mutex mutex_;
  std::function<void()> what_;
};

class SharedMemoryStore final : public Store, public Nodes {
 public:
  SharedMemoryStore(std::shared_ptr<SharedDatabase> database, NodeAddress self,
                    std::chrono::milliseconds lease)
      : database_(std::move(database)), self_(std::move(self)), lease_(lease) {
    const std::lock_guard lock(database_->mutex);
    database_->nodes[self_.node_id] = {self_.url, true};
  }

  // --- What a test does to the node --------------------------------------------------------------
  // The lease runs out and is not renewed: others may take what this node owns. It does not hear of
  // that, as if it were paused.
  void expire_lease() {
    const std::lock_guard lock(database_->mutex);
    database_->nodes[self_.node_id].live = false;
    holds_lease_ = false;
  }
  // It renews its lease, and learns what is not its own any more.
  void renew_lease() {
    const std::lock_guard lock(database_->mutex);
    database_->nodes[self_.node_id].live = true;
    std::erase_if(epochs_, [&](const auto& one) { return !is_ours(one.first); });
    holds_lease_ = true;
  }
  // Every call fails, as over a lost connection.
  void cut_off(bool cut) { cut_ = cut; }
  // Whatever would write fails; reads are answered.
  void refuse_writes(bool refuse) { refuses_writes_ = refuse; }
  // The next append is done, and its answer lost.
  void lose_next_answer() { lose_answer_ = true; }
  // What is done before the next append, once: with the mutex free.
  void before_next_append(std::function<void()> what) { before_append_.set(std::move(what)); }
  // The same for the next `create`, and for the next `sync` that finds something to do.
  void before_next_create(std::function<void()> what) { before_create_.set(std::move(what)); }
  void before_next_sync(std::function<void()> what) { before_sync_.set(std::move(what)); }
  // Every `own` takes so long.
  void slow_own(std::chrono::milliseconds time) { own_takes_ms_ = time.count(); }
  // How often somebody looked for experiments without an owner, and asked whether the lease holds.
  int sweeps() const { return sweeps_; }
  int lease_checks() const { return lease_checks_; }

  // --- Nodes -------------------------------------------------------------------------------------
  const NodeAddress& self() const override { return self_; }
  std::chrono::milliseconds lease() const override { return lease_; }
  bool holds_lease() const override {
    ++lease_checks_;
    return holds_lease_;
  }
  bool reachable() const override { return !cut_; }
  std::int64_t now_ms() const override { return database_->now_ms; }
  Result<Tenure> tenure(const std::string& experiment) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    const auto found = database_->experiments.find(experiment);
    if (found == database_->experiments.end()) return Error::not_found("no experiment");
    return tenure_of(found->first, found->second);
  }
  std::optional<std::uint64_t> epoch(const std::string& experiment) const override {
    const std::lock_guard lock(database_->mutex);
    const auto found = epochs_.find(experiment);
    if (found == epochs_.end()) return std::nullopt;
    return found->second;
  }
  Status give_away(const std::string& experiment) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    if (is_ours(experiment)) database_->experiments.at(experiment).owner.clear();
    epochs_.erase(experiment);
    return Done{};
  }
  Result<std::vector<std::string>> ownerless() override {
    ++sweeps_;
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    std::vector<std::string> all;
    for (const auto& [id, kept] : database_->experiments) {
      if (!kept.lines.empty() && !tenure_of(id, kept).owner) all.push_back(id);
    }
    return all;
  }
  Result<std::vector<NodeAddress>> live() override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    std::vector<NodeAddress> all;
    for (const auto& [id, node] : database_->nodes) {
      if (node.live) all.push_back({id, node.url});
    }
    return all;
  }
  Result<std::vector<NodeState>> states() override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    std::vector<NodeState> all;
    for (const auto& [id, node] : database_->nodes) {
      NodeState state{{id, node.url}, node.live ? lease_.count() : -1, 0};
      for (const auto& [name, kept] : database_->experiments) state.experiments += kept.owner == id;
      all.push_back(state);
    }
    return all;
  }
  Result<std::vector<Tenure>> tenures() override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    std::vector<Tenure> all;
    for (const auto& [id, kept] : database_->experiments) all.push_back(tenure_of(id, kept));
    return all;
  }
  Counts counts() const override {
    const std::lock_guard lock(database_->mutex);
    return counts_;
  }

  // --- Store -------------------------------------------------------------------------------------
  Nodes* nodes() override { return this; }
  Result<std::vector<std::string>> list() override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    std::vector<std::string> all;
    for (const auto& [id, kept] : database_->experiments) {
      if (!kept.lines.empty()) all.push_back(id);
    }
    return all;
  }
  Status create(const std::string& experiment) override {
    before_create_.run();
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    if (database_->experiments.contains(experiment)) return Error::conflict("it exists");
    take(experiment);
    return Done{};
  }
  Status own(const std::string& experiment) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(own_takes_ms_));
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    ++database_->own_calls;
    const auto found = database_->experiments.find(experiment);
    if (found == database_->experiments.end()) return Error::not_found("no experiment");
    if (is_ours(experiment) && epochs_.contains(experiment)) return Done{};
    const Tenure now = tenure_of(experiment, found->second);
    if (now.owner && now.owner->node_id != self_.node_id) return Error::conflict("it is owned");
    if (!found->second.owner.empty()) ++counts_.taken_over;
    take(experiment);
    return Done{};
  }
  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override {
    if (cut_) return lost();
    std::vector<std::string> lines;
    {
      const std::lock_guard lock(database_->mutex);
      const auto found = database_->experiments.find(experiment);
      if (found == database_->experiments.end()) return Error::not_found("no experiment");
      lines = found->second.lines;
    }
    for (std::size_t k = after; k < lines.size(); ++k) {
      const std::string padded = lines[k] + std::string(kReadableAfterLine, '\0');
      DUEL_RETURN_IF_ERROR(sink(std::string_view(padded).substr(0, lines[k].size())));
    }
    return std::uint64_t{0};
  }
  Result<Head> head(const std::string& experiment) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    const auto found = database_->experiments.find(experiment);
    if (found == database_->experiments.end()) return Error::not_found("no experiment");
    return found->second.head;
  }
  Result<std::vector<Status>> append(std::span<const Group> groups) override {
    before_append_.run();
    if (cut_ || refuses_writes_) return lost();
    const std::lock_guard lock(database_->mutex);
    std::vector<Status> results;
    for (const Group& group : groups) {
      const std::string id(group.experiment);
      if (!is_ours(id)) {
        ++counts_.fenced;
        epochs_.erase(id);
        results.emplace_back(Error::conflict("another node has it"));
        continue;
      }
      auto& kept = database_->experiments.at(id);
      if (kept.head.sequence != group.at.sequence ||
          (kept.head.sequence > 0 && kept.head.hash != group.at.hash)) {
        results.emplace_back(Error::conflict("it ends elsewhere"));
        continue;
      }
      for (const Line& line : group.lines) {
        kept.lines.emplace_back(line.text);
        kept.keys.emplace_back(line.key);
        if (line.tag != 0) kept.tags.insert(line.tag);
      }
      kept.head = {kept.lines.size(), std::string(split_line(kept.lines.back())->hash)};
      results.emplace_back(Done{});
    }
    unsynced_ = true;
    if (lose_answer_.exchange(false)) return lost();
    return results;
  }
  bool broken() const override { return false; }
  Result<std::vector<FoundLine>> find(const std::string& experiment,
                                      std::string_view key) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    const auto kept = database_->experiments.find(experiment);
    if (kept == database_->experiments.end()) return Error::not_found("no experiment");
    std::vector<FoundLine> found;
    for (std::size_t k = 0; k < kept->second.lines.size(); ++k) {
      if (kept->second.keys[k] == key) found.push_back({k + 1, kept->second.lines[k]});
    }
    return found;
  }
  Result<std::vector<std::string>> experiments_of(std::string_view key) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    std::vector<std::string> all;
    for (const auto& [id, kept] : database_->experiments) {
      for (const std::string& one : kept.keys) {
        if (one != key) continue;
        all.push_back(id);
        break;
      }
    }
    return all;
  }
  Result<bool> tagged(const std::string& experiment, std::uint64_t tag) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    const auto kept = database_->experiments.find(experiment);
    return kept != database_->experiments.end() && kept->second.tags.contains(tag);
  }
  Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    const auto kept = database_->experiments.find(experiment);
    if (kept == database_->experiments.end()) return Error::not_found("no experiment");
    kept->second.tags.insert(tags.begin(), tags.end());
    return Done{};
  }
  // As a real store's: where nothing was appended since the last one, it asks nobody.
  Status sync() override {
    if (unsynced_) before_sync_.run();
    if (!unsynced_.exchange(false) || !cut_) return Done{};
    unsynced_ = true;
    return lost();
  }
  Result<std::uint64_t> synced(const std::string& experiment) override {
    DUEL_ASSIGN(const Head last, head(experiment));
    return last.sequence;
  }
  Result<LastStop> last_stop() override { return LastStop::clean; }
  Status put_snapshot(const std::string& experiment, const Snapshot& snapshot) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    const auto kept = database_->experiments.find(experiment);
    if (kept == database_->experiments.end()) return Error::not_found("no experiment");
    kept->second.snapshot = snapshot;
    return Done{};
  }
  Result<std::optional<Snapshot>> snapshot(const std::string& experiment) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    const auto kept = database_->experiments.find(experiment);
    if (kept == database_->experiments.end()) return Error::not_found("no experiment");
    return kept->second.snapshot;
  }
  Result<std::vector<Outline>> outlines() override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    std::vector<Outline> all;
    for (const auto& [id, kept] : database_->experiments) {
      if (kept.lines.empty()) continue;
      all.push_back({id, kept.head, kept.snapshot});
      if (all.back().snapshot) all.back().snapshot->bytes.clear();
    }
    return all;
  }
  Status put(std::string_view space, std::string_view key, std::string_view bytes) override {
    if (cut_ || refuses_writes_) return lost();
    const std::lock_guard lock(database_->mutex);
    database_->entries[{std::string(space), std::string(key)}] = bytes;
    return Done{};
  }
  Result<std::optional<std::string>> get(std::string_view space, std::string_view key) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    const auto found = database_->entries.find({std::string(space), std::string(key)});
    if (found == database_->entries.end()) return std::optional<std::string>();
    return std::optional(found->second);
  }
  Result<std::vector<std::pair<std::string, std::string>>> entries(
      std::string_view space) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [name, bytes] : database_->entries) {
      if (name.first == space) all.emplace_back(name.second, bytes);
    }
    return all;
  }
  Result<bool> erase(std::string_view space, std::string_view key) override {
    if (cut_) return lost();
    const std::lock_guard lock(database_->mutex);
    return database_->entries.erase({std::string(space), std::string(key)}) > 0;
  }
  Status check() override { return Done{}; }
  Status backup(const std::filesystem::path&) override { return Error::unsupported("no backup"); }
  Status compact() override { return Done{}; }

 private:
  static Error lost() { return Error::io("the connection was lost"); }
  // REQUIRES: the mutex, for all of these.
  bool is_ours(const std::string& experiment) const {
    const auto found = database_->experiments.find(experiment);
    const auto epoch = epochs_.find(experiment);
    return found != database_->experiments.end() && found->second.owner == self_.node_id &&
           epoch != epochs_.end() && epoch->second == found->second.epoch;
  }
  Tenure tenure_of(const std::string& id, const SharedDatabase::Kept& kept) const {
    Tenure tenure{id, std::nullopt, kept.epoch};
    const auto node = database_->nodes.find(kept.owner);
    if (node != database_->nodes.end() && node->second.live) {
      tenure.owner = NodeAddress{node->first, node->second.url};
    }
    return tenure;
  }
  void take(const std::string& experiment) {
    auto& kept = database_->experiments[experiment];
    kept.owner = self_.node_id;
    epochs_[experiment] = ++kept.epoch;
  }

  std::shared_ptr<SharedDatabase> database_;
  NodeAddress self_;
  std::chrono::milliseconds lease_;
  std::atomic<bool> holds_lease_ = true;
  std::atomic<bool> cut_ = false;
  std::atomic<bool> refuses_writes_ = false;
  std::atomic<bool> lose_answer_ = false;
  std::atomic<bool> unsynced_ = false;
  std::atomic<std::int64_t> own_takes_ms_ = 0;
  std::atomic<int> sweeps_ = 0;
  mutable std::atomic<int> lease_checks_ = 0;
  BeforeNext before_append_;
  BeforeNext before_create_;
  BeforeNext before_sync_;
  std::map<std::string, std::uint64_t> epochs_;  // what this node believes to own
  Counts counts_;
};

}  // namespace duel
