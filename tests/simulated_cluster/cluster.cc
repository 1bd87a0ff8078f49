#include "tests/simulated_cluster/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "duel/core/rng.h"
#include "duel/log/experiment_log.h"
#include "duel/nodes/upkeep.h"
#include "duel/service/engine.h"
#include "duel/store/memory_store.h"
#include "duel/store/node_store.h"
#include "duel/store/sqlite_store.h"
#include "tests/simulated_cluster/scheduler.h"
#include "tests/simulated_cluster/simulated_disk.h"
#include "tests/store/faulty_store.h"
#include "tests/store/memory_database.h"

namespace duel {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kLease = 2'000 * kMs;
constexpr std::int64_t kWork = 20'000 * kMs;       // how long there are faults
constexpr std::int64_t kPatience = 120'000 * kMs;  // for clients, when there are none any more
constexpr std::int64_t kAnswerLimit = 600 * kMs;   // of a statement
constexpr std::int64_t kClientTimeout = 3'000 * kMs;
constexpr std::int64_t kClientJourney = 2 * kMs;  // of an answer, at most
constexpr std::array<const char*, 2> kExperiments{"e", "f"};

// A process with a server on the store. A killed one is never destroyed: its last act would be to
// give its experiments away.
struct Node {
  std::shared_ptr<Scheduler::Process> process = std::make_shared<Scheduler::Process>();
  std::unique_ptr<SimulatedWorld> world;
  std::shared_ptr<Store> store;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Upkeep> upkeep;
  std::string said;     // to the operator
  bool is_cut = false;  // from the database
  bool serves = false;
  bool is_up() const { return !process->dead && serves; }
  bool holds_lease() const { return store->nodes() == nullptr || store->nodes()->holds_lease(); }
  std::uint64_t epoch_of(const std::string& experiment) const {
    return store->nodes() == nullptr ? 0 : store->nodes()->epoch(experiment).value_or(0);
  }
};

std::vector<std::unique_ptr<Node>>& graveyard() {
  static auto& nodes = *new std::vector<std::unique_ptr<Node>>();  // outlives everything
  return nodes;
}

// An answer, or an error that passes for one (Without::silence_of_lost_states).
template <class Answer>
struct Said {
  Result<Answer> answer;
  bool is_of_nothing = false;
};
template <class Answer>
bool rests_on_nothing(const Said<Answer>& said) {
  return said.is_of_nothing;
}

ExperimentRecord experiment_of(const std::string& id, std::uint64_t seed, double alpha) {
  ExperimentRecord record;
  record.experiment_id = id;
  for (const char* arm : {"a", "b", "c"}) record.arms.push_back({arm, "", "", Json()});
  if (seed % 8 < 4) record.arms.pop_back();
  record.policy = "rucb";
  record.stopping.arms_fixed = false;
  record.stopping.alpha = alpha;
  record.service.feedback.timeout_s = 1'000'000;
  record.seed = seed;
  return record;
}

class Cluster {
 public:
  Cluster(std::uint64_t seed, std::ostream* story, Without without)
      : trouble_(trouble_of(seed)),
        without_(without),
        scheduler_(seed),
        dice_(seed ^ 0x5eed),
        story_(story) {
    server_ = std::make_shared<MemoryServer>(
        [this] { return SimulatedWorld::kEpochMs + scheduler_.now_ns() / kMs; });
    nodes_.resize(trouble_ == Trouble::disk ? 1 : 3);
    if (trouble_ == Trouble::disk) disk_ = std::make_unique<SimulatedDisk>();
    seed_ = seed;
    // A duel that nobody answers stands before every certificate.
    silence_ = dice_.chance(0.5) ? 0 : dice_.chance(0.5) ? 0.05 : 0.8;
    sync_interval_ = std::chrono::milliseconds(dice_.chance(0.5) ? 100 : 1'000);
    if (dice_.chance(0.5) || trouble_ == Trouble::damage) snapshot_every_ = 15;
    // So that certificates come soon, late and never.
    alpha_ = 0.2 / static_cast<double>(1U << dice_.below(16));
    if (without == Without::time_to_come_back) server_->let_nobody_come_back();
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster() {
    for (auto& node : nodes_) {
      if (node) graveyard().push_back(std::move(node));
    }
  }

  ClusterRun run() {
    for (std::size_t k = 0; k < nodes_.size(); ++k) start_node(k);
    for (const char* id : kExperiments) create(id);
    end_ns_ = scheduler_.now_ns() + kWork;
    for (int k = 0; k < 4; ++k) begin_client(k);
    next_fault();
    if (trouble_ == Trouble::damage) later(kWork / 8 + some_leases_ns(), [this] { damage(); });
    scheduler_.run_until(end_ns_);
    heal();
    const std::int64_t patience = scheduler_.now_ns() + kPatience;
    while (clients_at_work_ > 0 && scheduler_.now_ns() < patience) {
      scheduler_.run_until(scheduler_.now_ns() + 500 * kMs);
    }
    if (clients_at_work_ > 0) violate(fmt::format("{} clients are stuck", clients_at_work_));
    scheduler_.run_until(scheduler_.now_ns() + 2 * kLease);
    for (const char* id : kExperiments) {
      if (damaged_.contains(id)) {
        check_out_of_service(id);
      } else {
        check_log(id);
      }
    }
    for (const auto& node : nodes_) {
      if (!node || !node->store || node->store->nodes() == nullptr) continue;
      run_.tails_appended_again += node->store->nodes()->counts().tails_appended_again;
      run_.taken_over += node->store->nodes()->counts().taken_over;
    }
    run_.trace = scheduler_.trace();
    // Nothing runs any more: the files are closed, of those who were killed, too.
    for (const auto& store : on_disk_) store->replace(std::make_unique<MemoryStore>());
    disk_.reset();
    return std::move(run_);
  }

 private:
  // --- What the clients were told ----------------------------------------------------------------
  struct Told {
    std::string experiment;
    std::string first, second;
    Timestamp expires_at{};  // tells it from another duel that is served under the same id later
    bool is_fallback = false;
    bool acknowledged = false;     // the serve
    std::int64_t told_ns = 0;      // when
    std::optional<Answer> answer;  // that was reported and acknowledged
    std::int64_t asked_ns = 0;     // when the report began, and was acknowledged
    std::int64_t answered_ns = 0;
    bool denied = false;  // somebody said that there is no such duel
  };

  void violate(std::string what) {
    tell("VIOLATION " + what);
    run_.violations.push_back(std::move(what));
  }
  // What a damaged experiment says and lacks proves nothing.
  void violate_of(const std::string& experiment, std::string what) {
    if (!damaged_.contains(experiment)) violate(std::move(what));
  }
  void tell(const std::string& what) {
    scheduler_.note(hash_text(what) ^ static_cast<std::uint64_t>(scheduler_.now_ns()));
    if (story_ == nullptr) return;
    *story_ << fmt::format("{:10.3f} ms  {}\n", static_cast<double>(scheduler_.now_ns()) / 1e6,
                           what);
  }

  // --- Nodes -------------------------------------------------------------------------------------
  void start_node(std::size_t k) {
    if (nodes_[k]) graveyard().push_back(std::move(nodes_[k]));
    nodes_[k] = std::make_unique<Node>();
    Node& node = *nodes_[k];
    node.process->name = fmt::format("n{}.{}", k, starts_++);
    const std::uint64_t entropy = dice_.next();
    // The database has the time for all nodes. A disk has the clock of its machine: between two
    // starts that may jump by up to an hour, which a server goes on with.
    const std::int64_t range_ms = disk_ ? 3'600'000 : 7'200'000;
    const std::int64_t error_ms =
        static_cast<std::int64_t>(dice_.below(static_cast<std::uint64_t>(range_ms))) - range_ms / 2;
    node.world = std::make_unique<SimulatedWorld>(scheduler_, node.process, entropy, error_ms);
    const std::int64_t booted_ns = static_cast<std::int64_t>(dice_.below(1'000'000)) * kMs;
    tell(node.process->name + " starts");
    scheduler_.at(scheduler_.now_ns(), node.process,
                  [this, &node, booted_ns] { open_node(node, booted_ns); });
  }
  void open_node(Node& node, std::int64_t booted_ns) {
    if (!node.store) {
      auto store = disk_ ? open_disk(node) : open_shared(node, booted_ns);
      if (node.process->dead) return kept_.push_back(std::move(store));
      if (!store) return try_again(node, booted_ns);
      node.store = std::move(store);
    }
    auto engine = Engine::start(
        node.store, {.owners = 2,
                     .snapshot_every = snapshot_every_,
                     .snapshot_interval = std::chrono::milliseconds(200),
                     .world = node.world.get(),
                     .say = [&node](const std::string& message) { node.said += message + "\n"; }});
    if (node.process->dead) {
      if (engine.ok()) node.engine = std::move(*engine);
      return;
    }
    if (!engine.ok()) return try_again(node, booted_ns);
    node.engine = std::move(*engine);
    if (Nodes* const nodes = node.store->nodes()) {
      node.upkeep =
          std::make_unique<Upkeep>(*node.engine, *nodes, []() -> Status { return Done{}; }, true);
    }
    node.serves = true;
    tell(node.process->name + " is up");
  }
  // Null where it cannot be opened now.
  std::shared_ptr<Store> open_shared(Node& node, std::int64_t booted_ns) {
    NodeStoreOptions options;
    options.url = "http://" + node.process->name;
    options.lease = std::chrono::nanoseconds(kLease) / std::chrono::milliseconds(1) *
                    std::chrono::milliseconds(1);
    options.sync_interval = sync_interval_;
    options.most_readers = 1'000;
    options.world = node.world.get();
    options.since_boot = [this, booted_ns] {
      return std::chrono::nanoseconds(booted_ns + scheduler_.now_ns());
    };
    auto store = std::make_shared<NodeStore>(
        std::make_shared<MemoryDatabase>(server_, network_of(node)), std::move(options));
    if (!store->open().ok() && !node.process->dead) return nullptr;
    return store;
  }
  std::shared_ptr<Store> open_disk(Node& node) {
    disk_->begin([this, &node] {
      scheduler_.pass(node.process,
                      scheduler_.dice.between_ns(kMs, has_slow_disk_ ? 3 * kLease / 2 : 20 * kMs));
    });
    auto opened =
        SqliteStore::open(disk_->file(), {.sync_interval = sync_interval_,
                                          .checkpoint_pages = 100,
                                          .vfs = disk_->vfs().name(),
                                          .world = node.world.get(),
                                          .boot = [boot = disk_->boot()] { return boot; }});
    if (!opened.ok()) {
      tell("the database cannot be opened");
      if (!node.process->dead) disk_->kill();
      return nullptr;
    }
    return on_disk_.emplace_back(std::make_shared<FaultyStore>(std::move(*opened)));
  }
  void try_again(Node& node, std::int64_t booted_ns) {
    scheduler_.at(scheduler_.now_ns() + 200 * kMs, node.process,
                  [this, &node, booted_ns] { open_node(node, booted_ns); });
  }

  Network network_of(Node& node) {
    Network network;
    network.question = [this, &node](SessionUse use, std::string_view statement) {
      return question(node, use, statement);
    };
    network.answer = [this, &node](SessionUse) { return answer(node); };
    return network;
  }
  std::int64_t journey_ns() {
    return scheduler_.dice.between_ns(50'000, 3 * kMs) * (is_slow_ ? 30 : 1);
  }
  Passage question(Node& node, SessionUse use, std::string_view statement) {
    std::int64_t journey = journey_ns();
    const bool syncs = use == SessionUse::syncing;
    if (syncs) {
      journey += scheduler_.dice.between_ns(kMs, has_slow_disk_ ? 3 * kLease / 2 : 20 * kMs);
    }
    scheduler_.pass(node.process, journey);
    if (node.process->dead) return Passage::question_lost;
    // PostgreSQL stops itself where a sync fails: what it could not write may be dropped.
    if (statement == "sync" && next_sync_fails_ns_ > 0) {
      ++run_.failed_syncs;
      break_database(std::exchange(next_sync_fails_ns_, 0));
      return Passage::answer_lost;
    }
    if (node.is_cut) {
      scheduler_.pass(node.process, kAnswerLimit);
      return Passage::question_lost;
    }
    if (journey > kAnswerLimit && !syncs) return Passage::late;
    if (!is_flaky_ || statement == "connect") return Passage::through;
    const double draw = scheduler_.dice.unit();
    return draw < 0.04   ? Passage::question_lost
           : draw < 0.08 ? Passage::answer_lost
           : draw < 0.11 ? Passage::late
                         : Passage::through;
  }
  bool answer(Node& node) {
    scheduler_.pass(node.process, journey_ns());
    if (!node.process->dead && node.is_cut) scheduler_.pass(node.process, kAnswerLimit);
    return !node.process->dead && !node.is_cut;
  }

  // --- Faults ------------------------------------------------------------------------------------
  void next_fault() {
    const std::int64_t after = 200 * kMs + static_cast<std::int64_t>(dice_.below(3'000 * kMs));
    scheduler_.at(scheduler_.now_ns() + after, nullptr, [this] {
      if (scheduler_.now_ns() >= end_ns_) return;
      fault();
      next_fault();
    });
  }
  // Half of them end within a lease and half do not.
  std::int64_t some_leases_ns() {
    return dice_.chance(0.5) ? dice_.between_ns(kLease / 50, kLease)
                             : kLease + static_cast<std::int64_t>(dice_.below(3 * kLease / 2));
  }
  void later(std::int64_t delay_ns, std::function<void()> what) {
    scheduler_.at(scheduler_.now_ns() + delay_ns, nullptr, std::move(what));
  }
  void fault() {
    if (disk_) return fault_of_disk();
    const bool nodes_too = trouble_ != Trouble::database;
    const std::uint64_t kind = dice_.below(nodes_too ? 10 : 4);
    const std::size_t k = dice_.below(nodes_.size());
    Node& node = *nodes_[k];
    const std::int64_t time = some_leases_ns();
    switch (kind) {
      case 0:
      case 1:
        return break_database(time);
      case 2:
        tell("the database's disk is slow");
        has_slow_disk_ = true;
        return later(time, [this] { has_slow_disk_ = false; });
      case 3:
        tell("the next sync fails");
        next_sync_fails_ns_ = time;
        return;
      case 4:
      case 5:
        return kill(k, time);
      case 6:
        if (node.process->dead) return;
        tell(fmt::format("{} is paused for {} ms", node.process->name, time / kMs));
        node.process->paused_until_ns = scheduler_.now_ns() + time;
        return;
      case 7:
        tell(fmt::format("{} is cut off for {} ms", node.process->name, time / kMs));
        node.is_cut = true;
        return later(time, [this, k, process = node.process] {
          if (nodes_[k]->process == process) nodes_[k]->is_cut = false;
        });
      case 8:
        tell("the database is slow");
        is_slow_ = true;
        return later(time / 2, [this] { is_slow_ = false; });
      default:
        tell("statements are lost");
        is_flaky_ = true;
        later(time, [this] { server_->let_late_statements_arrive(); });
        return later(time / 2, [this] { is_flaky_ = false; });
    }
  }
  void fault_of_disk() {
    const Node& node = *nodes_[0];
    if (node.process->dead) return;
    const std::int64_t time = some_leases_ns();
    const std::size_t calls = dice_.below(20);
    const auto arm = [&](FaultyVfs::Call call, int code, Fault fault) {
      disk_->vfs().arm(call, calls, code, fault);
      restart_if_broken(time);
    };
    switch (dice_.below(9)) {
      case 0:
        return kill(0, time);
      case 1:
      case 2:
        return lose_power(time);
      case 3:
        tell(fmt::format("{} is paused for {} ms", node.process->name, time / kMs));
        nodes_[0]->process->paused_until_ns = scheduler_.now_ns() + time;
        return;
      case 4:
        tell("the disk is slow");
        has_slow_disk_ = true;
        return later(time, [this] { has_slow_disk_ = false; });
      case 5:
        tell("the disk is full");
        ++run_.full_disks;
        disk_->fill();
        return later(time, [this] {
          if (disk_->is_full()) disk_->make_room();
        });
      case 6:
        tell(fmt::format("a sync fails after {} more", calls));
        ++run_.failed_syncs;
        return arm(FaultyVfs::Call::sync, SQLITE_IOERR_FSYNC, Fault::fails);
      case 7:
        tell(fmt::format("a write fails after {} more", calls));
        return arm(FaultyVfs::Call::write, SQLITE_IOERR_WRITE, Fault::fails);
      default:
        tell(fmt::format("a write is done and said to have failed, after {} more", calls));
        return arm(FaultyVfs::Call::write, SQLITE_IOERR_WRITE, Fault::loses_answer);
    }
  }
  // As an operator does; the machine's state may be lost with it.
  void restart_if_broken(std::int64_t after) {
    later(after, [this, process = nodes_[0]->process] {
      const Node& node = *nodes_[0];
      if (node.process != process || !node.is_up() || !node.store->broken()) return;
      tell("the store takes no more records");
      if (dice_.chance(0.5)) return kill(0, 100 * kMs);
      lose_power(100 * kMs);
    });
  }
  void lose_power(std::int64_t time) {
    Node& node = *nodes_[0];
    if (node.process->dead) return;
    const std::size_t kept = dice_.chance(0.3) ? 0 : dice_.below(30'000);
    tell(fmt::format("the machine of {} loses power for {} ms, up to {} bytes are kept",
                     node.process->name, time / kMs, kept));
    ++run_.losses_of_power;
    node.process->dead = true;
    disk_->lose_power(kept);
    losses_ns_.push_back(scheduler_.now_ns());
    for (const auto& [experiment, end] : disk_->ends()) {
      // An earlier doubt ends where its lines are lost.
      std::erase_if(in_doubt_[experiment],
                    [head = end.head](std::uint64_t other) { return other >= head; });
      if (end.mark < end.head) in_doubt_[experiment].push_back(end.head);
    }
    later(time, [this] { start_node(0); });
  }
  void break_database(std::int64_t time) {
    if (!server_->is_up()) return;
    ++run_.outages;
    const bool may_crash = trouble_ == Trouble::database || trouble_ == Trouble::both;
    if (may_crash && dice_.chance(0.7)) {
      ++run_.crashes;
      // A commit of which the disk has a part only is not one: it does not count as kept.
      const std::size_t kept = dice_.below(server_->not_on_disk() + 1);
      tell(fmt::format("the database crashes for {} ms, {} of {} commits are kept", time / kMs,
                       kept, server_->not_on_disk()));
      server_->crash(kept);
      losses_ns_.push_back(scheduler_.now_ns());
    } else {
      tell(fmt::format("the database stops for {} ms", time / kMs));
      server_->stop();
    }
    later(time, [this] {
      if (server_->is_up()) return;
      tell("the database runs");
      server_->run();
    });
  }
  void kill(std::size_t k, std::int64_t time) {
    Node& node = *nodes_[k];
    if (node.process->dead) return;
    ++run_.kills;
    tell(node.process->name + " is killed");
    node.process->dead = true;
    if (disk_) disk_->kill();
    later(time, [this, k] { start_node(k); });
  }
  // A byte of a record that a snapshot stands above, as soon as there is one.
  void damage() {
    const std::string name = kExperiments[dice_.below(kExperiments.size())];
    const auto seen = server_->experiment(name);
    const std::uint64_t below = seen && seen->snapshot ? seen->snapshot->sequence : 0;
    const std::uint64_t sequence = below == 0 ? 0 : 1 + dice_.below(below);
    const auto bits = static_cast<char>(1U << dice_.below(7));
    if (below < 10 || !server_->damage(name, sequence, dice_.next(), bits)) {
      return later(200 * kMs, [this] {
        if (scheduler_.now_ns() < end_ns_) damage();
      });
    }
    ++run_.damages;
    tell(fmt::format("a byte of record {} of {} changes, below the snapshot at {}", sequence, name,
                     below));
    damaged_[name] = seen->row.epoch;
  }
  void heal() {
    tell("no more faults");
    if (!server_->is_up()) server_->run();
    is_slow_ = is_flaky_ = has_slow_disk_ = false;
    next_sync_fails_ns_ = 0;
    // Who has read a log before it was damaged goes on serving. After a start nobody has.
    for (std::size_t k = 0; k < nodes_.size() && !damaged_.empty(); ++k) kill(k, 100 * kMs);
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      nodes_[k]->is_cut = false;
      nodes_[k]->process->paused_until_ns = 0;
    }
    server_->let_late_statements_arrive();
    if (!disk_ || nodes_[0]->process->dead) return;
    disk_->make_room();
    // What was armed may strike yet.
    kill(0, 100 * kMs);
  }

  // --- Clients -----------------------------------------------------------------------------------
  // Asks nodes until one says something definite, which `done` gets with the number of tries.
  template <class Answer>
  struct Insisting {
    std::string experiment;
    AnswerWhen when;
    std::function<Result<Answer>(Node&, const Turn&)> work;
    std::function<void(Result<Answer>, int tries)> done;
    int tries = 0;
    bool over = false;
  };
  template <class Answer>
  void insist(std::shared_ptr<Insisting<Answer>> one) {
    const int attempt = ++one->tries;
    if (attempt > 1) ++run_.retries;
    const auto again = [this, one, attempt](std::int64_t delay) {
      later(delay, [this, one, attempt] {
        if (!one->over && one->tries == attempt) insist(one);
      });
    };
    again(kClientTimeout);
    Node* const node = nodes_[scheduler_.dice.below(nodes_.size())].get();
    const auto process = node->process;
    // Taken by a thread of its own: the engine may be in the middle of a call.
    scheduler_.at(scheduler_.now_ns() + journey_of_client_ns(), nullptr,
                  [this, one, attempt, node, process, again] {
                    const bool stands = process->paused_until_ns > scheduler_.now_ns();
                    if (process->dead || stands || !node->is_up()) return again(50 * kMs);
                    ask(*node, one, attempt, again);
                  });
  }
  template <class Answer, class Again>
  void ask(Node& node, const std::shared_ptr<Insisting<Answer>>& one, int attempt,
           const Again& again) {
    const auto process = node.process;
    node.engine->template ask<Said<Answer>>(
        one->experiment, one->when,
        [this, one, &node](const Turn& turn) { return work(node, *one, turn); },
        [this, one, attempt, process, again](Result<Said<Answer>> said, const Delivery&) {
          if (process->dead) return;
          Result<Answer> answer = said.ok() ? std::move(said->answer) : said.error();
          later(journey_of_client_ns(), [this, one, attempt, again, answer = std::move(answer)] {
            if (one->over || one->tries != attempt) return;
            const bool passes = !answer.ok() && answer.error().code == ErrorCode::io &&
                                reason_of(answer.error()) != Reason::damaged;
            if (passes) return again(scheduler_.dice.between_ns(10 * kMs, 100 * kMs));
            one->over = true;
            one->done(answer, attempt);
          });
        });
  }
  template <class Answer>
  Result<Said<Answer>> work(Node& node, const Insisting<Answer>& one, const Turn& turn) {
    if (without_ == Without::audits) node.engine->audits().pass(one.experiment);
    Result<Answer> answer = one.work(node, turn);
    if (answer.ok()) {
      const bool is_of_nothing = duel::rests_on_nothing(*answer);
      return Said<Answer>{std::move(answer), is_of_nothing};
    }
    if (without_ == Without::silence_of_lost_states &&
        turn.moment.store == StoreAccess::unreadable && node.holds_lease()) {
      return Said<Answer>{std::move(answer), true};
    }
    return answer.error();
  }
  std::int64_t journey_of_client_ns() {
    return scheduler_.dice.between_ns(100'000, kClientJourney);
  }
  template <class Answer>
  void insist(std::string experiment, AnswerWhen when,
              std::function<Result<Answer>(Node&, const Turn&)> work,
              std::function<void(Result<Answer>, int)> done) {
    insist(std::make_shared<Insisting<Answer>>(
        Insisting<Answer>{std::move(experiment), when, std::move(work), std::move(done)}));
  }

  void create(const std::string& id) {
    bool created = false;
    const auto record = experiment_of(id, seed_, alpha_);
    for (int round = 0; round < 1'000 && !created; ++round) {
      scheduler_.run_until(scheduler_.now_ns() + 20 * kMs);
      for (const auto& node : nodes_) {
        if (created || !node->is_up()) continue;
        bool told = false;
        node->engine->create<bool>(
            record, [](const Turn&) -> Result<bool> { return true; },
            [&](const Result<bool>& made, const Delivery&) {
              told = true;
              created = made.ok();
            });
        while (!told) scheduler_.run_until(scheduler_.now_ns() + kMs);
      }
    }
    if (!created) violate("no experiment can be created");
  }

  void begin_client(int k) {
    ++clients_at_work_;
    later(scheduler_.dice.between_ns(kMs, 50 * kMs), [this, k] { serve(k, 0); });
  }
  void next_duel(int k, int n) {
    later(scheduler_.dice.between_ns(2 * kMs, 200 * kMs), [this, k, n] { serve(k, n + 1); });
  }
  static std::string pair_of(const Served& served) {
    return served.serve.first + "/" + served.serve.second;
  }

  void serve(int k, int n) {
    if (scheduler_.now_ns() >= end_ns_) {
      --clients_at_work_;
      return;
    }
    const std::string id = fmt::format("c{}-{}", k, n);
    Told& told = told_[id];
    told.experiment = kExperiments[scheduler_.dice.below(kExperiments.size())];
    insist<Offer>(told.experiment, AnswerWhen::appended, serve_work(id),
                  [this, k, n, id](const Result<Offer>& offer, int) { served(k, n, id, offer); });
  }
  std::function<Result<Offer>(Node&, const Turn&)> serve_work(const std::string& id) const {
    const bool made_for_it = without_ == Without::ids_that_may_be_logged;
    return [id, made_for_it](Node&, const Turn& turn) {
      return turn.experiment.serve({.duel_id = id, .made_for_it = made_for_it, .request = "r"},
                                   turn.moment);
    };
  }
  void served(int k, int n, const std::string& id, const Result<Offer>& offer) {
    Told& told = told_[id];
    if (!offer.ok()) {
      violate_of(told.experiment, fmt::format("serve of {}: {}", id, offer.error().to_string()));
      return next_duel(k, n);
    }
    const auto* duel = std::get_if<Served>(&*offer);
    if (duel == nullptr) {
      ++run_.fallbacks;
      told.is_fallback = true;
      tell(id + " is a fallback");
      return next_duel(k, n);
    }
    ++run_.serves;
    told.acknowledged = true;
    told.told_ns = scheduler_.now_ns();
    told.first = duel->serve.first;
    told.second = duel->serve.second;
    told.expires_at = duel->serve.expires_at;
    tell(fmt::format("{} is served: {} ({}, round {})", id, pair_of(*duel), told.experiment,
                     duel->serve.round));
    const double draw = scheduler_.dice.unit();
    if (draw < silence_) return next_duel(k, n);  // nobody answers
    if (draw < silence_ + 0.15) {
      return insist<Offer>(
          told.experiment, AnswerWhen::appended, serve_work(id),
          [this, k, n, id, pair = pair_of(*duel)](const Result<Offer>& again, int) {
            served_again(k, n, id, pair, again);
          });
    }
    report(k, n, id);
  }
  // Whether commits were lost after the duel was logged. It was so before its client was told, by
  // an answer's journey.
  bool may_be_lost(const Told& told) const {
    if (trouble_ != Trouble::both && trouble_ != Trouble::disk) return false;
    return std::ranges::any_of(
        losses_ns_, [&](std::int64_t loss_ns) { return loss_ns + kClientJourney >= told.told_ns; });
  }
  void served_again(int k, int n, const std::string& id, const std::string& pair,
                    const Result<Offer>& again) {
    const auto* duel = again.ok() ? std::get_if<Served>(&*again) : nullptr;
    Told& told = told_[id];
    if (duel != nullptr && pair_of(*duel) == pair && !duel->again && may_be_lost(told)) {
      // A new duel under the lost one's id that happens to be of the same pair.
      ++run_.lost_serves;
      told.told_ns = scheduler_.now_ns();
      told.expires_at = duel->serve.expires_at;
      return report(k, n, id);
    }
    if (duel == nullptr || pair_of(*duel) != pair || !duel->again) {
      const std::string what = !again.ok()       ? again.error().to_string()
                               : duel == nullptr ? "a fallback"
                                                 : "another pair";
      // Where its record was lost, the same id is another duel.
      replays_.emplace_back(id, what);
      return next_duel(k, n);
    }
    report(k, n, id);
  }

  static std::function<Result<Reported>(Node&, const Turn&)> report_work(const std::string& id,
                                                                         const Answer& answer) {
    return [id, answer](Node&, const Turn& turn) {
      return turn.experiment.report({.duel_id = id, .answer = answer}, turn.moment);
    };
  }
  void report(int k, int n, const std::string& id) {
    Told& told = told_[id];
    Answer answer{Answered::tie, ""};
    if (told.first != told.second && scheduler_.dice.chance(0.9)) {
      const bool first = scheduler_.dice.chance(told.first < told.second ? 0.85 : 0.15);
      answer = {Answered::win, first ? told.first : told.second};
    }
    told.asked_ns = scheduler_.now_ns();
    insist<Reported>(told.experiment, AnswerWhen::durable, report_work(id, answer),
                     [this, k, n, id, answer](const Result<Reported>& said, int tries) {
                       reported(k, n, id, answer, said, tries);
                     });
  }
  void reported(int k, int n, const std::string& id, const Answer& answer,
                const Result<Reported>& said, int tries) {
    Told& told = told_[id];
    if (!said.ok()) {
      if (reason_of(said.error()) == Reason::unknown_duel) {
        told.denied = true;
        tell(id + " is denied");
      } else {
        violate_of(told.experiment, fmt::format("report of {}: {}", id, said.error().to_string()));
      }
      return next_duel(k, n);
    }
    const bool fits = said->what == Reported::What::applied ||
                      (said->what == Reported::What::duplicate && tries > 1);
    if (!fits) {
      violate_of(told.experiment,
                 fmt::format("report of {} is {} at try {}", id, to_word(said->what), tries));
      return next_duel(k, n);
    }
    ++run_.outcomes;
    told.answer = answer;
    told.answered_ns = scheduler_.now_ns();
    tell(fmt::format("{} is answered", id));
    const double draw = scheduler_.dice.unit();
    if (draw < 0.15) return repeat(k, n, id, answer, Reported::What::duplicate);
    if (draw < 0.25) {
      const bool tie = answer.result == Answered::tie;
      return repeat(k, n, id, {tie ? Answered::skip : Answered::tie, ""},
                    Reported::What::conflicting);
    }
    if (draw < 0.4) return look_up(k, n, id);
    if (draw < 0.5) return look_for_certificate(k, n);
    next_duel(k, n);
  }
  void repeat(int k, int n, const std::string& id, const Answer& answer, Reported::What wanted) {
    insist<Reported>(
        told_[id].experiment, AnswerWhen::durable, report_work(id, answer),
        [this, k, n, id, wanted](const Result<Reported>& said, int) {
          if (!said.ok() || said->what != wanted) {
            violate_of(told_[id].experiment,
                       fmt::format("{} was acknowledged, and reported again it is {}, not {}", id,
                                   said.ok() ? to_word(said->what) : said.error().to_string(),
                                   to_word(wanted)));
          }
          next_duel(k, n);
        });
  }
  void look_up(int k, int n, const std::string& id) {
    insist<bool>(
        told_[id].experiment, AnswerWhen::durable,
        [id](Node&, const Turn& turn) -> Result<bool> {
          DUEL_ASSIGN(const DuelRecords found, turn.experiment.find(id));
          return found.settled.has_value();
        },
        [this, k, n, id](const Result<bool>& settled, int) {
          if (!settled.ok() || !*settled) {
            violate_of(told_[id].experiment,
                       fmt::format("{} was acknowledged, and looked up it is {}", id,
                                   settled.ok() ? "open" : settled.error().to_string()));
          }
          next_duel(k, n);
        });
  }
  struct Shown {
    std::string certificate;
    std::uint64_t epoch = 0;  // in which the node that shows it owns the experiment
  };
  void look_for_certificate(int k, int n) {
    const std::string experiment = kExperiments[scheduler_.dice.below(kExperiments.size())];
    insist<Shown>(
        experiment, AnswerWhen::durable,
        [experiment](Node& node, const Turn& turn) -> Result<Shown> {
          const auto& given = turn.experiment.ledger().certificate();
          if (!given) return Shown{};
          // As at the doors (Views::answer).
          if (!node.engine->audits().passed(experiment)) return Error::io("it is being read");
          return Shown{
              fmt::format("{} at {} ({})", to_word(given->kind), given->sequence, given->head),
              node.epoch_of(experiment)};
        },
        [this, k, n, experiment, before = certificates_[experiment]](const Result<Shown>& given,
                                                                     int) {
          std::string& seen = certificates_[experiment];
          if (!given.ok()) {
            violate_of(experiment, "certificate: " + given.error().to_string());
          } else if (!before.empty() && given->certificate != before) {
            violate_of(experiment, fmt::format("the certificate was '{}' and is '{}'", before,
                                               given->certificate));
          } else if (!given->certificate.empty()) {
            if (seen.empty()) ++run_.certificates;
            seen = given->certificate;
            const auto damaged = damaged_.find(experiment);
            if (damaged != damaged_.end() && given->epoch > damaged->second) {
              violate("a certificate is shown by a node that has not read the damaged log");
            }
          }
          next_duel(k, n);
        });
  }

  // --- The log -----------------------------------------------------------------------------------
  void check_log(const std::string& experiment) {
    NodeStoreOptions options;
    const auto process = std::make_shared<Scheduler::Process>();
    SimulatedWorld world(scheduler_, process, 1, 0);
    options.world = &world;
    NodeStore shared(std::make_shared<MemoryDatabase>(server_), options);
    Store& store = disk_ ? *nodes_[0]->store : shared;
    std::map<std::string, std::pair<ServeRecord, std::uint64_t>> serves;
    std::map<std::string, std::pair<OutcomeRecord, std::uint64_t>> outcomes;
    std::set<std::uint64_t> recovered;
    const auto read = read_log(store, experiment, [&](const LogEntry& entry) -> Status {
      if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
        if (!serves.try_emplace(serve->duel_id, *serve, entry.sequence).second) {
          violate(serve->duel_id + " is served twice");
        }
      } else if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
        outcomes.try_emplace(outcome->duel_id, *outcome, entry.sequence);
      } else if (std::holds_alternative<RecoveredRecord>(entry.record)) {
        ++run_.recoveries;
        recovered.insert(entry.sequence);
      } else if (const auto* expired = std::get_if<ExpiredRecord>(&entry.record)) {
        violate(expired->duel_id + " expired");
      }
      return Done{};
    });
    if (!read.ok()) violate("the log: " + read.error().to_string());
    // What follows on serves of which some may be lost is a record that says so.
    for (const std::uint64_t head : in_doubt_[experiment]) {
      if (read.ok() && read->records > head && !recovered.contains(head + 1)) {
        violate(fmt::format("{} has lost power at record {}, and the next does not say so",
                            experiment, head));
      }
    }
    scheduler_.note(hash_text(read.ok() ? read->head : ""));
    std::vector<const Told*> in_order;
    for (const auto& [id, told] : told_) {
      if (told.experiment != experiment) continue;
      const auto serve = serves.find(id);
      const bool there = serve != serves.end();
      if (told.is_fallback && there) violate(id + " was a fallback, and is in the log");
      if (!told.acknowledged) continue;
      const bool same = there && serve->second.first.first == told.first &&
                        serve->second.first.second == told.second &&
                        serve->second.first.expires_at == told.expires_at;
      if (!same) {
        ++run_.lost_serves;
        if (!may_be_lost(told) || told.answer) {
          violate(fmt::format("the serve of {}, acknowledged at {:.3f} ms, is {}", id,
                              static_cast<double>(told.told_ns) / 1e6,
                              there ? "another one in the log" : "not in the log"));
        }
        continue;
      }
      if (told.denied) violate(id + " is in the log, was acknowledged, and was denied");
      for (const auto& [replayed, what] : replays_) {
        if (replayed == id) violate(fmt::format("{} asked for again is {}", id, what));
      }
      if (!told.answer) continue;
      const auto outcome = outcomes.find(id);
      if (outcome == outcomes.end()) {
        violate(fmt::format("the outcome of {}, acknowledged at {:.3f} ms, is lost", id,
                            static_cast<double>(told.answered_ns) / 1e6));
      } else if (outcome->second.first.answer != *told.answer) {
        violate(fmt::format("the outcome of {} is another one in the log", id));
      }
    }
    // An outcome whose report began only when another one was acknowledged stands behind it.
    for (const auto& [id, told] : told_) {
      if (told.experiment != experiment || !told.answer || !outcomes.contains(id)) continue;
      for (const auto& [other, later_one] : told_) {
        if (later_one.experiment != experiment || !later_one.answer) continue;
        if (later_one.asked_ns < told.answered_ns || !outcomes.contains(other)) continue;
        if (outcomes.at(other).second < outcomes.at(id).second) {
          violate(fmt::format("{} was acknowledged before {} was reported, and stands behind it",
                              id, other));
        }
      }
    }
  }

  // Who took the experiment after the damage came back from a snapshot above it, or found it.
  void check_out_of_service(const std::string& experiment) {
    const auto seen = server_->experiment(experiment);
    for (const MemoryTables::Line& line : seen->lines) {
      const bool certifies = line.text.find("\"record\":\"certified\"") != std::string::npos;
      if (certifies && line.epoch > damaged_.at(experiment)) {
        violate("a node has certified on a damaged log that it has not read");
      }
    }
    const auto refused = std::make_shared<bool>(false);
    const std::int64_t limit = scheduler_.now_ns() + kPatience;
    while (!*refused && scheduler_.now_ns() < limit) {
      insist<bool>(
          experiment, AnswerWhen::durable, [](Node&, const Turn&) -> Result<bool> { return true; },
          [refused](const Result<bool>& said, int) { *refused = *refused || !said.ok(); });
      scheduler_.run_until(scheduler_.now_ns() + 500 * kMs);
    }
    if (!*refused) return violate(experiment + " is damaged, and still in service");
    const bool is_named = std::ranges::any_of(nodes_, [&](const auto& node) {
      return node->is_up() && node->engine->audits().out_of_service().contains(experiment) &&
             node->said.find("'" + experiment + "'") != std::string::npos;
    });
    if (!is_named) violate(experiment + " is out of service, and nobody says so");
  }

  const Trouble trouble_;
  const Without without_;
  Scheduler scheduler_;
  Dice dice_;  // of the faults
  std::ostream* const story_;
  std::shared_ptr<MemoryServer> server_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::shared_ptr<Store>> kept_;
  std::unique_ptr<SimulatedDisk> disk_;  // of the one server, where there are no nodes
  std::vector<std::shared_ptr<FaultyStore>> on_disk_;
  std::vector<std::int64_t> losses_ns_;                         // when commits were lost
  std::map<std::string, std::vector<std::uint64_t>> in_doubt_;  // heads, some of whose serves are
  std::uint64_t seed_ = 0;
  double silence_ = 0;  // share of duels that nobody answers
  double alpha_ = 0;
  std::chrono::milliseconds sync_interval_{};
  int starts_ = 0;
  std::int64_t end_ns_ = 0;
  bool is_slow_ = false;
  bool is_flaky_ = false;
  bool has_slow_disk_ = false;
  std::int64_t next_sync_fails_ns_ = 0;  // and the outage after it lasts so long; 0: it does not
  std::uint64_t snapshot_every_ = 20'000;
  std::map<std::string, std::uint64_t> damaged_;  // and the epoch at that time
  int clients_at_work_ = 0;
  std::map<std::string, Told> told_;                          // by duel
  std::vector<std::pair<std::string, std::string>> replays_;  // that differed, and how
  std::map<std::string, std::string> certificates_;
  ClusterRun run_;
};

}  // namespace

Trouble trouble_of(std::uint64_t seed) {
  constexpr std::array<Trouble, kTroubles> kAll{Trouble::database, Trouble::nodes, Trouble::both,
                                                Trouble::damage};
  return seed >= kFirstDiskSeed ? Trouble::disk : kAll[seed % kAll.size()];
}

ClusterRun run_cluster(std::uint64_t seed, std::ostream* story, Without without) {
  // Killed nodes refer to what they ran in.
  static auto& kept = *new std::vector<std::unique_ptr<Cluster>>();
  kept.push_back(std::make_unique<Cluster>(seed, story, without));
  return kept.back()->run();
}

}  // namespace duel
