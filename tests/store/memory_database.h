// The database of a store of several nodes, in memory: the statements of database.h on tables. Like
// PostgreSQL it may take back, when it crashes, what was committed without waiting for the disk.
//
// A `MemoryServer` is the database itself; a `MemoryDatabase` is one node's way to it. A test can
// put a network between them, which decides what becomes of each statement.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
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

#include "duel/store/database.h"

namespace duel {

struct MemoryTables {
  struct Node {
    std::string url;
    std::int64_t lease_until_ms = 0;
    std::int64_t lease_ms = 0;
  };
  struct Line {
    std::string key;
    std::string text;
    std::uint64_t epoch = 0;  // in which it was appended
  };
  struct Experiment {
    ExperimentRow row;
    std::uint64_t mark = 0;
    std::string life;
    std::vector<Line> lines;
    std::set<std::uint64_t> tags;
    std::optional<Snapshot> snapshot;
  };

  Experiment* with_id(std::uint64_t id) {
    const auto name = names.find(id);
    return name == names.end() ? nullptr : &experiments.at(name->second);
  }

  std::map<std::string, Node> nodes;
  std::map<std::string, Experiment> experiments;
  std::map<std::uint64_t, std::string> names;  // by id
  std::map<std::pair<std::string, std::string>, std::string> entries;
};

class MemoryServer {
 public:
  explicit MemoryServer(std::function<std::int64_t()> clock_ms) : clock_ms_(std::move(clock_ms)) {}

  // Ends all sessions. Of the commits that are not on the disk the first `kept` survive.
  void crash(std::size_t kept = 0) {
    const std::lock_guard lock(mutex_);
    for (std::size_t k = 0; k < std::min(kept, not_on_disk_.size()); ++k) not_on_disk_[k](on_disk_);
    not_on_disk_.clear();
    seen_ = on_disk_;
    life_.clear();
    ++sessions_of_;
    up_ = false;
  }
  // Ends all sessions and loses nothing.
  void stop() {
    const std::lock_guard lock(mutex_);
    flush();
    ++sessions_of_;
    up_ = false;
  }
  void run() {
    const std::lock_guard lock(mutex_);
    up_ = true;
  }
  bool is_up() const {
    const std::lock_guard lock(mutex_);
    return up_;
  }
  std::size_t not_on_disk() const {
    const std::lock_guard lock(mutex_);
    return not_on_disk_.size();
  }
  // As if the node had gone silent long ago.
  void end_lease(const std::string& node_id) {
    const std::lock_guard lock(mutex_);
    seen_.nodes.at(node_id).lease_until_ms = on_disk_.nodes.at(node_id).lease_until_ms = 0;
  }
  // As if the last crash were long ago.
  void end_time_to_come_back() {
    const std::lock_guard lock(mutex_);
    since_ms_ = kLongAgo;
  }
  // Executes statements that were under way when their sessions were given up.
  void let_late_statements_arrive() {
    std::vector<std::function<void()>> late;
    {
      const std::lock_guard lock(mutex_);
      for (auto& [sessions, statement] : late_) {
        if (sessions == sessions_of_ && up_) late.push_back(std::move(statement));
      }
      late_.clear();
    }
    for (const auto& statement : late) statement();
  }
  std::size_t late_statements() const {
    const std::lock_guard lock(mutex_);
    return late_.size();
  }
  // Breaks a rule on purpose: after a crash the first node that comes takes what others own, and
  // the lines that only their owners have are lost.
  void let_nobody_come_back() {
    const std::lock_guard lock(mutex_);
    nobody_comes_back_ = true;
  }
  // The experiment with what is committed, on the disk or not; nothing if there is none.
  std::optional<MemoryTables::Experiment> experiment(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = seen_.experiments.find(name);
    if (found == seen_.experiments.end()) return std::nullopt;
    return found->second;
  }
  // Changes a byte of a line, both on the disk and in what readers see. False if the line is not on
  // the disk yet.
  bool damage(const std::string& name, std::uint64_t sequence, std::size_t byte, char bits) {
    const std::lock_guard lock(mutex_);
    for (MemoryTables* const tables : {&on_disk_, &seen_}) {
      const auto found = tables->experiments.find(name);
      if (found == tables->experiments.end()) return false;
      auto& lines = found->second.lines;
      if (sequence == 0 || sequence > lines.size()) return false;
      std::string& text = lines[sequence - 1].text;
      text[byte % text.size()] ^= bits;
    }
    return true;
  }

 private:
  friend class MemorySession;
  friend class MemoryDatabase;
  using Change = std::function<void(MemoryTables&)>;
  static constexpr std::int64_t kLongAgo = std::numeric_limits<std::int64_t>::min() / 2;

  // REQUIRES, for all that follow: mutex_ is held.
  void flush() {
    for (const Change& change : not_on_disk_) change(on_disk_);
    not_on_disk_.clear();
  }
  // A change does the same to the tables on the disk as to those that are seen, since these went
  // through the same changes.
  void commit(Change change, bool durably) {
    change(seen_);
    not_on_disk_.push_back(std::move(change));
    if (durably) flush();
  }
  bool lease_holds(const std::string& node_id) const {
    const auto node = seen_.nodes.find(node_id);
    return node != seen_.nodes.end() && node->second.lease_until_ms > clock_ms_();
  }
  bool owner_may_come_back(const MemoryTables::Node& node) const {
    if (nobody_comes_back_) return false;
    const std::int64_t since = life_.empty() ? clock_ms_() : since_ms_;
    return since + node.lease_ms > clock_ms_();
  }
  bool owner_lives(const ExperimentRow& row) const {
    const auto node = seen_.nodes.find(row.owner);
    if (node == seen_.nodes.end()) return false;
    return lease_holds(row.owner) || owner_may_come_back(node->second);
  }
  std::optional<Tenure> tenure_of(const MemoryTables::Experiment& one, const std::string& name,
                                  bool with_lines_only) const {
    const bool owned = lease_holds(one.row.owner);
    if (one.row.head.sequence == 0 && (with_lines_only || !owned)) return std::nullopt;
    Tenure tenure{name, std::nullopt, one.row.epoch};
    if (owned) tenure.owner = NodeAddress{one.row.owner, seen_.nodes.at(one.row.owner).url};
    return tenure;
  }

  const std::function<std::int64_t()> clock_ms_;
  mutable std::mutex mutex_;
  MemoryTables seen_;
  MemoryTables on_disk_;
  std::deque<Change> not_on_disk_;
  std::string life_ = "first";  // a crash empties it
  std::int64_t since_ms_ = kLongAgo;
  bool up_ = true;
  bool nobody_comes_back_ = false;
  std::uint64_t sessions_of_ = 0;  // how often all sessions have ended
  std::uint64_t next_id_ = 1;
  std::vector<std::pair<std::uint64_t, std::function<void()>>> late_;
};

// What becomes of a statement: it passes; its session is lost before it arrives, or before its
// answer does; or its session is given up and it arrives later.
enum class Passage { through, question_lost, answer_lost, late };

struct Network {
  // Asked for each statement, before it is executed. It may let time pass and crash the server.
  std::function<Passage(SessionUse use, std::string_view statement)> question{};
  // The way back; false: the answer is lost.
  std::function<bool(SessionUse use)> answer{};
};

class MemorySession final : public DatabaseSession {
 public:
  MemorySession(std::shared_ptr<MemoryServer> server, Network network, SessionUse use,
                std::uint64_t sessions_of)
      : server_(std::move(server)),
        network_(std::move(network)),
        use_(use),
        sessions_of_(sessions_of) {}

  bool lost() const override { return lost_; }
  bool lost_meanwhile() override {
    const std::lock_guard lock(server_->mutex_);
    lost_ = lost_ || sessions_of_ != server_->sessions_of_ || !server_->up_;
    return lost_;
  }

  Status prepare() override {
    return write("prepare", [](MemoryServer& server) -> Status {
      const std::int64_t now = server.clock_ms_();
      server.commit(
          [now](MemoryTables& tables) {
            std::erase_if(tables.nodes, [&](const auto& node) {
              return node.second.lease_until_ms < now - std::int64_t{86'400'000};
            });
          },
          false);
      return Done{};
    });
  }
  Status look() override {
    return ask<Done>("look", [](MemoryServer&) { return Done{}; });
  }

  Result<Renewal> renew(const NodeAddress& node, std::chrono::milliseconds lease) override {
    return write("renew", [node, lease](MemoryServer& server) -> Result<Renewal> {
      const std::int64_t now = server.clock_ms_();
      const bool held = server.lease_holds(node.node_id);
      server.commit(
          [node, now, lease](MemoryTables& tables) {
            tables.nodes[node.node_id] = {node.url, now + lease.count(), lease.count()};
          },
          true);
      return Renewal{held, now};
    });
  }
  Status probe() override {
    return ask<Done>("probe", [](MemoryServer&) { return Done{}; });
  }
  Result<std::vector<std::pair<std::string, std::uint64_t>>> owned_by(
      const std::string& node_id) override {
    using Owned = std::vector<std::pair<std::string, std::uint64_t>>;
    return ask<Owned>("owned_by", [&](MemoryServer& server) {
      Owned owned;
      for (const auto& [name, one] : server.seen_.experiments) {
        if (one.row.owner == node_id) owned.emplace_back(name, one.row.epoch);
      }
      return owned;
    });
  }
  Result<std::string> life(const std::string& name_of_new) override {
    return ask<std::string>("life", [&](MemoryServer& server) {
      if (server.life_.empty()) {
        server.life_ = name_of_new;
        server.since_ms_ = server.clock_ms_();
      }
      return server.life_;
    });
  }

  Result<Taken> take(const std::string& node_id, const std::string& life,
                     const Taking& taking) override {
    return write("take", [=](MemoryServer& server) -> Result<Taken> {
      const std::string& name = taking.experiment;
      const auto found = server.seen_.experiments.find(name);
      Taken taken;
      const bool makes = found == server.seen_.experiments.end() && taking.is_new;
      if (found == server.seen_.experiments.end() && !makes) return taken;
      const ExperimentRow before = makes ? ExperimentRow() : found->second.row;
      taken.owner_before = before.owner;
      const bool free =
          before.owner == node_id ? before.epoch != taking.kept_epoch : !server.owner_lives(before);
      const std::uint64_t head = before.head.sequence;
      taken.moved = free && taking.lowest <= head && head <= taking.highest;
      const std::uint64_t id = makes ? server.next_id_++ : before.id;
      server.commit(
          [=, moved = taken.moved](MemoryTables& tables) {
            MemoryTables::Experiment& one = tables.experiments[name];
            if (makes) {
              one.row.id = id;
              one.life = life;
              tables.names[id] = name;
            }
            if (!moved) return;
            one.row.owner = node_id;
            ++one.row.epoch;
            if (one.life == life) one.mark = one.row.head.sequence;
          },
          true);
      taken.row = server.seen_.experiments.at(name).row;
      taken.owner_lives = server.owner_lives(*taken.row);
      return taken;
    });
  }
  Status give_away(const std::string& node_id, const std::string& life,
                   const std::string& experiment, std::uint64_t epoch) override {
    return write("give_away", [=](MemoryServer& server) -> Status {
      server.commit(
          [=](MemoryTables& tables) {
            const auto found = tables.experiments.find(experiment);
            if (found == tables.experiments.end()) return;
            if (found->second.row.owner != node_id || found->second.row.epoch != epoch) return;
            give_up(found->second, life);
          },
          true);
      return Done{};
    });
  }
  Status leave(const std::string& node_id, const std::string& life) override {
    return write("leave", [=](MemoryServer& server) -> Status {
      server.commit(
          [=](MemoryTables& tables) {
            for (auto& [name, one] : tables.experiments) {
              if (one.row.owner == node_id) give_up(one, life);
            }
            tables.nodes.erase(node_id);
          },
          true);
      return Done{};
    });
  }

  Result<std::vector<ExperimentRow>> rows(std::span<const std::uint64_t> ids) override {
    return ask<std::vector<ExperimentRow>>("rows", [&](MemoryServer& server) {
      std::vector<ExperimentRow> rows;
      for (const std::uint64_t id : ids) {
        if (const auto* one = server.seen_.with_id(id)) rows.push_back(one->row);
      }
      return rows;
    });
  }
  Result<std::set<std::uint64_t>> append(const std::string& node_id, const std::string& life,
                                         std::span<const HeadMove> moves) override {
    struct Kept {
      std::uint64_t id = 0, epoch = 0;
      Head at, to;
      std::vector<MemoryTables::Line> lines;
      std::vector<std::uint64_t> tags;
    };
    const auto kept = std::make_shared<std::vector<Kept>>();
    for (const HeadMove& move : moves) {
      Kept& one = kept->emplace_back(Kept{move.id, move.epoch, move.at, move.to, {}, {}});
      for (const Line* line : move.lines) {
        one.lines.push_back({std::string(line->key), std::string(line->text), move.epoch});
        if (line->tag != 0) one.tags.push_back(line->tag);
      }
    }
    using Ids = std::set<std::uint64_t>;
    return write("append", [=](MemoryServer& server) -> Result<Ids> {
      const auto accepted = std::make_shared<Ids>();
      server.commit(
          [=](MemoryTables& tables) {
            for (const Kept& move : *kept) {
              MemoryTables::Experiment* const one = tables.with_id(move.id);
              if (one == nullptr || one->row.owner != node_id || one->row.epoch != move.epoch ||
                  one->row.head != move.at) {
                continue;
              }
              one->row.head = move.to;
              one->life = life;
              one->lines.insert(one->lines.end(), move.lines.begin(), move.lines.end());
              one->tags.insert(move.tags.begin(), move.tags.end());
              accepted->insert(move.id);
            }
          },
          false);
      return *accepted;
    });
  }
  Status set_life(const std::string& node_id, const std::string& life,
                  std::span<const std::uint64_t> ids) override {
    const std::vector<std::uint64_t> all(ids.begin(), ids.end());
    return write("set_life", [=](MemoryServer& server) -> Status {
      server.commit(
          [=](MemoryTables& tables) {
            for (const std::uint64_t id : all) {
              MemoryTables::Experiment* const one = tables.with_id(id);
              if (one != nullptr && one->row.owner == node_id) one->life = life;
            }
          },
          false);
      return Done{};
    });
  }
  Result<bool> put_snapshot(const std::string& experiment, const Snapshot& snapshot) override {
    return write("put_snapshot", [=](MemoryServer& server) -> Result<bool> {
      if (!has_lines(server, experiment)) return false;
      server.commit(
          [=](MemoryTables& tables) { tables.experiments.at(experiment).snapshot = snapshot; },
          false);
      return true;
    });
  }
  Result<bool> add_tags(const std::string& experiment,
                        std::span<const std::uint64_t> tags) override {
    const std::vector<std::uint64_t> all(tags.begin(), tags.end());
    return write("add_tags", [=](MemoryServer& server) -> Result<bool> {
      if (!has_lines(server, experiment)) return false;
      server.commit(
          [=](MemoryTables& tables) {
            tables.experiments.at(experiment).tags.insert(all.begin(), all.end());
          },
          false);
      return true;
    });
  }
  Status put(std::string_view space, std::string_view key, std::string_view bytes) override {
    const std::pair name{std::string(space), std::string(key)};
    return write("put", [=, text = std::string(bytes)](MemoryServer& server) -> Status {
      server.commit([=](MemoryTables& tables) { tables.entries[name] = text; }, true);
      return Done{};
    });
  }
  Result<bool> erase(std::string_view space, std::string_view key) override {
    const std::pair name{std::string(space), std::string(key)};
    return write("erase", [=](MemoryServer& server) -> Result<bool> {
      const bool there = server.seen_.entries.contains(name);
      server.commit([=](MemoryTables& tables) { tables.entries.erase(name); }, true);
      return there;
    });
  }

  Status sync() override {
    return ask<Done>("sync", [](MemoryServer& server) {
      server.flush();
      return Done{};
    });
  }
  Status set_marks(const std::string& node_id, std::span<const ClockMark> marks) override {
    const std::vector<ClockMark> all(marks.begin(), marks.end());
    return write("set_marks", [=](MemoryServer& server) -> Status {
      server.commit(
          [=](MemoryTables& tables) {
            for (const ClockMark& mark : all) {
              MemoryTables::Experiment* const one = tables.with_id(mark.id);
              if (one == nullptr || one->row.owner != node_id || one->row.epoch != mark.epoch) {
                continue;
              }
              one->mark = std::max(one->mark, std::min(mark.sequence, one->row.head.sequence));
            }
          },
          false);
      return Done{};
    });
  }
  Result<std::optional<std::uint64_t>> synced(const std::string& experiment) override {
    using Found = std::optional<std::uint64_t>;
    return ask<Found>("synced", [&](MemoryServer& server) {
      const auto found = server.seen_.experiments.find(experiment);
      if (found == server.seen_.experiments.end()) return Found();
      const MemoryTables::Experiment& one = found->second;
      if (one.row.head.sequence == 0) return Found();
      return Found(is_whole(server, one) ? one.row.head.sequence : one.mark);
    });
  }
  Result<bool> lines_in_doubt() override {
    return ask<bool>("lines_in_doubt", [](MemoryServer& server) {
      return std::ranges::any_of(server.seen_.experiments, [&](const auto& named) {
        const MemoryTables::Experiment& one = named.second;
        return one.mark < one.row.head.sequence && !is_whole(server, one);
      });
    });
  }

  Result<std::optional<ExperimentRow>> row(const std::string& experiment) override {
    using Found = std::optional<ExperimentRow>;
    return ask<Found>("row", [&](MemoryServer& server) {
      const auto found = server.seen_.experiments.find(experiment);
      return found == server.seen_.experiments.end() ? Found() : Found(found->second.row);
    });
  }
  Result<LinePortion> lines(std::uint64_t id, std::uint64_t after) override {
    constexpr std::size_t kPortion = 100;
    return ask<LinePortion>("lines", [&](MemoryServer& server) {
      LinePortion portion;
      const MemoryTables::Experiment* const one = server.seen_.with_id(id);
      if (one == nullptr) return portion;
      for (std::size_t k = after; k < one->lines.size() && k < after + kPortion; ++k) {
        portion.bytes += one->lines[k].text;
        portion.ends.push_back(portion.bytes.size());
      }
      portion.more = portion.ends.size() == kPortion;
      return portion;
    });
  }
  Result<std::vector<FoundLine>> find(std::uint64_t id, std::string_view key) override {
    return ask<std::vector<FoundLine>>("find", [&](MemoryServer& server) {
      std::vector<FoundLine> found;
      const MemoryTables::Experiment* const one = server.seen_.with_id(id);
      if (one == nullptr) return found;
      for (std::size_t k = 0; k < one->lines.size(); ++k) {
        if (one->lines[k].key == key) found.push_back({k + 1, one->lines[k].text});
      }
      return found;
    });
  }
  Result<std::vector<std::string>> experiments_of(std::string_view key) override {
    return ask<std::vector<std::string>>("experiments_of", [&](MemoryServer& server) {
      std::vector<std::string> names;
      for (const auto& [name, one] : server.seen_.experiments) {
        const auto has_key = [&](const MemoryTables::Line& line) { return line.key == key; };
        if (std::ranges::any_of(one.lines, has_key)) names.push_back(name);
      }
      return names;
    });
  }
  Result<bool> owners_may_come_back() override {
    return ask<bool>("owners_may_come_back", [](MemoryServer& server) {
      return std::ranges::any_of(server.seen_.nodes, [&](const auto& node) {
        return server.owner_may_come_back(node.second);
      });
    });
  }
  Result<std::optional<std::pair<std::uint64_t, bool>>> tagged(const std::string& experiment,
                                                               std::uint64_t tag) override {
    using Found = std::optional<std::pair<std::uint64_t, bool>>;
    return ask<Found>("tagged", [&](MemoryServer& server) {
      const auto found = server.seen_.experiments.find(experiment);
      if (found == server.seen_.experiments.end()) return Found();
      return Found({found->second.row.head.sequence, found->second.tags.contains(tag)});
    });
  }
  Result<std::optional<Snapshot>> snapshot(std::uint64_t id) override {
    using Found = std::optional<Snapshot>;
    return ask<Found>("snapshot", [&](MemoryServer& server) {
      const MemoryTables::Experiment* const one = server.seen_.with_id(id);
      return one == nullptr ? Found() : one->snapshot;
    });
  }
  Result<std::vector<std::string>> list() override {
    return ask<std::vector<std::string>>("list", [](MemoryServer& server) {
      std::vector<std::string> names;
      for (const auto& [name, one] : server.seen_.experiments) {
        if (one.row.head.sequence > 0) names.push_back(name);
      }
      return names;
    });
  }
  Result<std::vector<Outline>> outlines() override {
    return ask<std::vector<Outline>>("outlines", [](MemoryServer& server) {
      std::vector<Outline> outlines;
      for (const auto& [name, one] : server.seen_.experiments) {
        if (one.row.head.sequence == 0) continue;
        outlines.push_back({name, one.row.head, one.snapshot});
        if (outlines.back().snapshot) outlines.back().snapshot->bytes.clear();
      }
      return outlines;
    });
  }
  Result<std::optional<std::string>> get(std::string_view space, std::string_view key) override {
    using Found = std::optional<std::string>;
    return ask<Found>("get", [&](MemoryServer& server) {
      const auto found = server.seen_.entries.find({std::string(space), std::string(key)});
      return found == server.seen_.entries.end() ? Found() : Found(found->second);
    });
  }
  Result<std::vector<std::pair<std::string, std::string>>> entries(
      std::string_view space) override {
    using Entries = std::vector<std::pair<std::string, std::string>>;
    return ask<Entries>("entries", [&](MemoryServer& server) {
      Entries all;
      for (const auto& [name, bytes] : server.seen_.entries) {
        if (name.first == space) all.emplace_back(name.second, bytes);
      }
      return all;
    });
  }
  Result<std::optional<Tenure>> tenure(const std::string& experiment) override {
    using Found = std::optional<Tenure>;
    return ask<Found>("tenure", [&](MemoryServer& server) {
      const auto found = server.seen_.experiments.find(experiment);
      if (found == server.seen_.experiments.end()) return Found();
      return server.tenure_of(found->second, experiment, false);
    });
  }
  Result<std::vector<Tenure>> tenures() override {
    return ask<std::vector<Tenure>>("tenures", [](MemoryServer& server) {
      std::vector<Tenure> tenures;
      for (const auto& [name, one] : server.seen_.experiments) {
        if (auto tenure = server.tenure_of(one, name, true)) tenures.push_back(std::move(*tenure));
      }
      return tenures;
    });
  }
  Result<std::vector<std::string>> ownerless() override {
    return ask<std::vector<std::string>>("ownerless", [](MemoryServer& server) {
      std::vector<std::string> names;
      for (const auto& [name, one] : server.seen_.experiments) {
        if (one.row.head.sequence > 0 && !server.owner_lives(one.row)) names.push_back(name);
      }
      return names;
    });
  }
  Result<std::vector<NodeAddress>> live() override {
    return ask<std::vector<NodeAddress>>("live", [](MemoryServer& server) {
      std::vector<NodeAddress> nodes;
      for (const auto& [id, node] : server.seen_.nodes) {
        if (server.lease_holds(id)) nodes.push_back({id, node.url});
      }
      return nodes;
    });
  }
  Result<std::vector<NodeState>> states() override {
    return ask<std::vector<NodeState>>("states", [](MemoryServer& server) {
      std::vector<NodeState> states;
      for (const auto& [id, node] : server.seen_.nodes) {
        NodeState state{{id, node.url}, node.lease_until_ms - server.clock_ms_(), 0};
        for (const auto& [name, one] : server.seen_.experiments) {
          state.experiments += one.row.owner == id && one.row.head.sequence > 0 ? 1 : 0;
        }
        states.push_back(std::move(state));
      }
      return states;
    });
  }
  Status check() override {
    return ask<Done>("check", [](MemoryServer&) { return Done{}; });
  }
  Status compact() override {
    return ask<Done>("compact", [](MemoryServer&) { return Done{}; });
  }

 private:
  static void give_up(MemoryTables::Experiment& one, const std::string& life) {
    one.row.owner.clear();
    if (one.life == life) one.mark = one.row.head.sequence;
  }
  static bool has_lines(const MemoryServer& server, const std::string& experiment) {
    const auto found = server.seen_.experiments.find(experiment);
    return found != server.seen_.experiments.end() && found->second.row.head.sequence > 0;
  }
  // Whether all lines are of this life of the database, so that none is missing.
  static bool is_whole(const MemoryServer& server, const MemoryTables::Experiment& one) {
    return !server.life_.empty() && one.life == server.life_;
  }

  Error lose() {
    lost_ = true;
    return Error::io("the connection to the database is lost", "memory");
  }
  // Lets the statement travel. False if its session is lost on the way.
  bool travels(std::string_view statement, Passage& passage) {
    if (lost_) return false;
    passage = Passage::through;
    if (network_.question) passage = network_.question(use_, statement);
    return !lost_meanwhile() && passage != Passage::question_lost;
  }
  bool comes_back(Passage passage) const {
    return passage != Passage::answer_lost && (!network_.answer || network_.answer(use_));
  }
  // A statement that changes nothing that is kept.
  template <class Answer, class Read>
  Result<Answer> ask(std::string_view statement, const Read& read) {
    Passage passage = Passage::through;
    if (!travels(statement, passage) || passage == Passage::late) return lose();
    std::unique_lock lock(server_->mutex_);
    Answer answer = read(*server_);
    lock.unlock();
    if (!comes_back(passage)) return lose();
    return answer;
  }
  // REQUIRES: `change` holds copies only, since it may outlive the call.
  template <class Change>
  auto write(std::string_view statement, const Change& change)
      -> decltype(change(std::declval<MemoryServer&>())) {
    Passage passage = Passage::through;
    if (!travels(statement, passage)) return lose();
    std::unique_lock lock(server_->mutex_);
    if (passage == Passage::late) {
      server_->late_.emplace_back(sessions_of_, [server = server_.get(), change] {
        const std::lock_guard later(server->mutex_);
        (void)change(*server);
      });
      return lose();
    }
    auto answer = change(*server_);
    lock.unlock();
    if (!comes_back(passage)) return lose();
    return answer;
  }

  const std::shared_ptr<MemoryServer> server_;
  const Network network_;
  const SessionUse use_;
  const std::uint64_t sessions_of_;
  bool lost_ = false;
};

class MemoryDatabase final : public Database {
 public:
  explicit MemoryDatabase(std::shared_ptr<MemoryServer> server, Network network = {})
      : server_(std::move(server)), network_(std::move(network)) {}

  Result<std::unique_ptr<DatabaseSession>> connect(SessionUse use) override {
    const Passage passage =
        network_.question ? network_.question(use, "connect") : Passage::through;
    const std::lock_guard lock(server_->mutex_);
    if (!server_->up_ || passage != Passage::through) {
      return Error::io("the database cannot be reached", where_);
    }
    return std::unique_ptr<DatabaseSession>(
        std::make_unique<MemorySession>(server_, network_, use, server_->sessions_of_));
  }
  const std::string& where() const override { return where_; }

 private:
  const std::shared_ptr<MemoryServer> server_;
  const Network network_;
  const std::string where_ = "memory";
};

}  // namespace duel
