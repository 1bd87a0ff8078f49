#include "duel/service/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <thread>

#include "duel/core/digest.h"
#include "duel/core/metric_family.h"
#include "duel/core/rng.h"
#include "duel/core/secrets.h"
#include "duel/service/duel_ids.h"
#include "duel/service/owner.h"

namespace duel {
namespace {

// The store's secret, made at the first start. If several nodes start together on a new store, only
// the one that owns the name `~secret` makes it; two secrets would make the tokens of one node
// invalid on the other. The name cannot be an experiment's (check_id).
Result<std::string> secret_of(Store& store, World& world) {
  constexpr const char* kTurn = "~secret";
  const auto give_up = world.now() + std::chrono::minutes(1);
  for (;;) {
    DUEL_ASSIGN(std::optional<std::string> secret, store.get("secret", "server"));
    if (secret) return std::move(*secret);
    Status turn = store.nodes() == nullptr ? Status(Done{}) : store.create(kTurn);
    // A node may have died after it took the name and before it gave it away.
    if (!turn.ok() && store.own(kTurn).ok()) turn = Done{};
    if (turn.ok()) {
      // Another node may have made it between our first look and our turn.
      DUEL_ASSIGN(secret, store.get("secret", "server"));
      if (!secret) {
        secret = world.random_bytes(32);
        DUEL_RETURN_IF_ERROR(store.put("secret", "server", *secret));
      }
      if (store.nodes() != nullptr) (void)store.nodes()->give_away(kTurn);
      return std::move(*secret);
    }
    if (turn.error().code != ErrorCode::conflict) return turn.error();
    if (world.now() > give_up) {
      return Error::io("another node has not made the store's secret within a minute");
    }
    world.pause(std::chrono::milliseconds(20));
  }
}

}  // namespace

Error said_of(const std::string& experiment_id, Error error) {
  if (error.code == ErrorCode::not_found) {
    return refused(Reason::unknown_experiment, "there is no experiment '" + experiment_id + "'");
  }
  if (error.code != ErrorCode::invalid_data) return error;
  // The request is not at fault; the caller can repeat it when the store has been repaired.
  error.code = ErrorCode::io;
  error.reason = to_word(Reason::damaged);
  error.message = fmt::format("the records of '{}' are damaged: {}", experiment_id, error.message);
  return error;
}

Error cannot_store(const std::string& why) {
  return refused(Reason::store_unavailable, "the store does not take it: " + why);
}

Result<std::unique_ptr<Engine>> Engine::start(std::shared_ptr<Store> store, EngineOptions options) {
  // One secret for everything that is signed or hashed; key_for derives a key for each purpose.
  DUEL_ASSIGN(std::string secret, secret_of(*store, *options.world));
  if (!options.say) options.say = [](const std::string&) {};
  if (!options.clock && store->nodes() != nullptr) {
    // The clocks of nodes differ, and one node may expire what another has served, so all of them
    // use the database's time.
    options.clock = [nodes = store->nodes()] { return nodes->now_ms(); };
  }
  if (!options.clock) {
    // If somebody sets the machine's clock while the server runs, duels that people hold must not
    // expire: the steady clock counts from the wall time at the start.
    World& world = *options.world;
    options.clock = [&world, started = world.now(), at = world.wall_time_ms()] {
      const auto passed = world.now() - started;
      return at + std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
    };
  }
  auto engine =
      std::unique_ptr<Engine>(new Engine(std::move(store), std::move(options), std::move(secret)));
  DUEL_RETURN_IF_ERROR(engine->find_sleepers());
  engine->watch_store();
  engine->start_queues();
  return engine;
}

Engine::Engine(std::shared_ptr<Store> store, EngineOptions options, std::string secret)
    : store_(std::move(store)),
      nodes_(store_->nodes()),
      options_(std::move(options)),
      secret_(std::move(secret)) {
  std::size_t count = options_.owners;
  if (count == 0) count = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  for (std::size_t k = 0; k < count; ++k) {
    owners_.push_back(std::make_unique<Owner>(*this, k == 0));
  }
}

void Engine::start_queues() {
  audits_ = std::make_unique<Audits>(store_, world(),
                                     [this](const std::string& message) { say(message); });
  // With nodes each experiment is checked by the node that takes it.
  if (nodes_ == nullptr) audits_->begin_all();
  // Several, so that a small experiment need not wait for a large one.
  keeper_ = world().queue({.threads = 4, .low_priority = true});
  syncs_ = world().queue();
  for (const auto& owner : owners_) owner->start();
}

Engine::~Engine() {
  if (!syncs_) return;  // it never started
  audits_->stop();      // a long log is no reason to stay
  stopping_ = true;
  for (const auto& owner : owners_) owner->stop();
  keeper_->stop();
  // Answers that wait for the disk go out before this node gives up its experiments: afterwards
  // sync_waiting would take them for another node's.
  std::promise<void> synced;
  syncs_->post([&] {
    sync_waiting();
    synced.set_value();
  });
  synced.get_future().wait();
  syncs_->stop();
  give_all_away();
}

// Lets other nodes take this node's experiments at once, without waiting for the lease to end. The
// snapshots have been saved by now (Owner::stop).
void Engine::give_all_away() {
  if (nodes_ == nullptr) return;
  const auto tenures = nodes_->tenures();
  if (!tenures.ok()) return;  // the others wait until the lease has run out
  for (const Tenure& tenure : *tenures) {
    if (tenure.owner && tenure.owner->node_id == nodes_->self().node_id) {
      (void)nodes_->give_away(tenure.experiment);
    }
  }
}

std::string Engine::key_for(std::string_view purpose) const {
  return hmac_sha256_hex(secret_, purpose);
}

Setting Engine::setting_of(const std::string& experiment_id, History& history) const {
  const std::string draft = key_for("draft/" + experiment_id);
  return {.store = store_,
          .name = experiment_id,
          .draft_seed = std::stoull(draft.substr(0, 16), nullptr, 16),
          .audit_key = key_for("audit/" + experiment_id),
          .new_id = [&world = world()](std::int64_t now_ms) { return new_duel_id(world, now_ms); },
          .deadlines = true,
          .most_ahead_ms = options_.most_ahead.count(),
          .tasks = {},
          .follower = [&history](const Ledger& ledger,
                                 const LogEntry& entry) { history.note(ledger, entry); }};
}

Engine::Owner& Engine::owner_of(std::string_view experiment_id) const {
  return *owners_[static_cast<std::size_t>(mix64(hash_text(experiment_id)) % owners_.size())];
}

void Engine::listen(Listener listener) {
  const std::lock_guard lock(mutex_);
  listeners_.push_back(std::move(listener));
}

bool Engine::ready() const {
  if (store_->broken() || store_refuses_ || !holds_lease()) return false;
  return nodes_ == nullptr || nodes_->reachable();
}

Engine::Counts Engine::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  counts.waiting = waiting_;
  counts.in_memory = in_memory_;
  return counts;
}

void Engine::enqueue(std::unique_ptr<Request> request) {
  Owner& owner = owner_of(request->experiment_id);
  owner.enqueue(std::move(request));
}

void Engine::post(const std::string& experiment_id, std::function<void()> task) {
  owner_of(experiment_id).post(std::move(task));
}

void Engine::experiment_metrics(std::function<void(std::string)> done) {
  struct Gathered {
    std::mutex mutex;
    std::size_t owners_left = 0;
    std::string epochs;
  };
  const auto gathered = std::make_shared<Gathered>();
  gathered->owners_left = owners_.size();
  for (const auto& owner : owners_) {
    const auto counted = [this, gathered, done, of = owner.get()] {
      {
        const std::lock_guard lock(gathered->mutex);
        gathered->epochs += of->epochs();
        if (--gathered->owners_left > 0) return;
      }
      std::string out = metrics_.text();
      if (nodes_ != nullptr) {
        announce_family(
            out, "duel_node_epoch", "gauge",
            "In which tenure the node owns the experiment; each change of owner adds one.");
        out += gathered->epochs;
      }
      done(std::move(out));
    };
    owner->post([of = owner.get(), counted] { of->count_outcomes(counted); });
  }
}

DurationHistogram Engine::append_durations() const {
  const std::lock_guard lock(mutex_);
  return append_durations_;
}

void Engine::say(const std::string& message) {
  const std::lock_guard lock(say_mutex_);
  options_.say(message);
}

void Engine::say_refusal(const Error& error) {
  if (refusal_said_.exchange(true)) return;
  say("the store takes no records, so that duels are fallbacks and reports get 503: " +
      error.to_string());
}

void Engine::say_recovery() {
  if (refusal_said_.exchange(false)) say("the store takes records again");
}

std::optional<Overview> Engine::overview_of_held(const std::string& experiment_id) const {
  return owner_of(experiment_id).overview_of(experiment_id);
}

void Engine::wait_for_all() {
  for (bool all = false; !all;) {
    all = true;
    for (const auto& owner : owners_) {
      std::promise<bool> reached;
      owner->post([&] { reached.set_value(owner->is_idle()); });
      all = reached.get_future().get() && all;
    }
    if (!all) world().pause(std::chrono::milliseconds(1));
  }
  std::promise<void> synced;
  syncs_->post([&] {
    sync_waiting();
    synced.set_value();
  });
  synced.get_future().wait();
}

void Engine::wait_for(const std::string& experiment_id) {
  const auto loaded = std::make_shared<std::promise<void>>();
  ask<bool>(
      experiment_id, AnswerWhen::durable, [](const Turn&) -> Result<bool> { return true; },
      [loaded](const Result<bool>&, const Delivery&) { loaded->set_value(); });
  loaded->get_future().wait();
}

// Finds the duels that the process before this one left open. A snapshot may be older than the log,
// and its due time then too early: the experiment is woken for nothing, but no expiry is missed.
// Where nothing says when something is due (there is no snapshot, it is another version's, or the
// log went on after it) the experiment is woken at once, to find out.
// With nodes this one owns nothing yet; a sweep gives it experiments later (upkeep.h).
Status Engine::find_sleepers() {
  if (nodes_ != nullptr) return Done{};
  DUEL_ASSIGN(const std::vector<Outline> outlines, store_->outlines());
  for (const Outline& outline : outlines) {
    constexpr std::int64_t kAtOnce = 1;  // a time long ago
    const std::optional<Snapshot>& snapshot = outline.snapshot;
    const auto digest = snapshot ? Experiment::digest_of(*snapshot) : std::nullopt;
    const bool is_last = digest && snapshot->sequence == outline.head.sequence &&
                         snapshot->hash == outline.head.hash;
    if (is_last && !digest->due_ms) continue;
    const std::int64_t due_ms = digest && digest->due_ms ? *digest->due_ms : kAtOnce;
    owner_of(outline.experiment).know_sleeper(outline.experiment, due_ms);
  }
  return Done{};
}

void Engine::probe_store() {
  // A file that was deleted still takes writes, and nobody would ever read them.
  const auto takes_records = [&] {
    return store_->check_place().ok() && store_->put("probe", "writable", "").ok();
  };
  if (store_refuses_ && takes_records()) store_refuses_ = false;
}

// A disk that was full at the start, or a file that is gone, is noticed even if nobody asks for
// anything: traffic would be sent here all the same.
void Engine::watch_store() {
  if (store_refuses_) return;
  const Status place = store_->check_place();
  if (place.ok()) return;
  store_refuses_ = true;
  say_refusal(place.error());
}

Error Engine::mistake(const std::exception& exception) {
  say(std::string("a mistake of the server's own, please report it: ") + exception.what());
  return refused(Reason::internal, "the server made a mistake; its operator is told more");
}

void Engine::append(std::vector<Laid>& all) {
  std::vector<Group> groups;
  for (const Laid& laid : all) {
    groups.push_back({laid.experiment->id(), laid.experiment->stored_head(), laid.lines});
  }
  const auto begun = world().now();
  const auto appended = store_->append(groups);
  const std::chrono::duration<double> took = world().now() - begun;
  store_refuses_ = !appended.ok();
  if (!appended.ok()) say_refusal(appended.error());
  const std::lock_guard lock(mutex_);
  append_durations_.add(took.count());
  ++counts_.commits;
  bool failed = false;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Status one = appended.ok() ? (*appended)[k] : Status(appended.error());
    if (one.ok()) {
      counts_.appended_lines += all[k].lines.size();
    } else {
      all[k].failed = one.error();
      failed = true;
    }
  }
  if (failed) ++counts_.failed_appends;
}

void Engine::tell_listeners(const std::vector<EngineEvent>& events) {
  std::vector<Listener> listeners;
  {
    const std::lock_guard lock(mutex_);
    listeners = listeners_;
  }
  for (const Listener& listener : listeners) {
    for (const EngineEvent& event : events) listener(event);
  }
}

void Engine::sync_later(std::vector<Waiting> waiting) {
  const std::lock_guard lock(sync_mutex_);
  unsynced_.insert(unsynced_.end(), std::make_move_iterator(waiting.begin()),
                   std::make_move_iterator(waiting.end()));
  if (!std::exchange(syncing_, true)) syncs_->post([this] { sync_waiting(); });
}

// Syncs once for all answers that wait by now, and sends them. On the syncing thread. `syncing_` is
// cleared before the sync: an answer that comes during it may rest on records that this sync does
// not cover, and needs another one.
void Engine::sync_waiting() {
  std::vector<Waiting> waiting;
  {
    const std::lock_guard lock(sync_mutex_);
    waiting.swap(unsynced_);
    syncing_ = false;
  }
  if (waiting.empty()) return;
  const Status synced = store_->sync();
  {
    const std::lock_guard lock(mutex_);
    ++counts_.syncs;
  }
  for (Waiting& one : waiting) {
    if (synced.ok() && !one.events.empty()) tell_listeners(one.events);
    if (!one.request) continue;
    // A database that crashed and came back may have lost the records, and another node may have
    // the experiment: a sync that succeeds then says nothing about our records.
    const bool still_ours = !one.tenancy || epoch_of(one.tenancy->experiment) == one.tenancy->epoch;
    if (!synced.ok()) {
      one.error = cannot_store(synced.error().to_string());
    } else if (!still_ours) {
      one.error = cannot_store("another node may have taken the experiment");
    }
    one.request->send(std::move(one.error), one.delivery);
  }
}

}  // namespace duel
