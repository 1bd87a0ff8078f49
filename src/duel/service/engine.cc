// A turn (take_turn) is the engine's only loop, and its order is what the guarantees of engine.h
// rest on: work on each request, which stages records and applies them to the state in memory;
// append everything staged in one commit; send the answers whose records are now in the store;
// leave the answers that need the disk to the syncing thread. So no answer leaves before its
// records, and many requests share a commit.
//
// An experiment is in one of four places: held_ (in memory, ours), away_ (the keeper has it),
// asleep_ (only in the store, with the time at which it must be woken) or lost_ (its state may
// differ from the log; only fallbacks are given from it). Every other known name is in the store
// alone, and turn_of loads it when somebody asks.
#include "duel/service/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>

#include "duel/core/digest.h"
#include "duel/core/metric_family.h"
#include "duel/core/secrets.h"
#include "duel/core/timestamp.h"
#include "duel/service/duel_ids.h"

namespace duel {
namespace {

constexpr auto kTick = std::chrono::milliseconds(500);
constexpr std::uint64_t kTicksToAlive = 30;  // every 15 s, often enough to keep a stream open
// How often a request is tried whose append is refused because the experiment has another owner.
// Two nodes that take it from each other in turn must not keep the request forever.
constexpr int kMostTries = 3;

Error cannot_store(const std::string& why) {
  return refused(Reason::store_unavailable, "the store does not take it: " + why);
}

Error no_experiment(const std::string& experiment_id) {
  return refused(Reason::unknown_experiment, "there is no experiment '" + experiment_id + "'");
}

Error exists_already(const std::string& experiment_id, std::string_view more = "") {
  return refused(Reason::exists,
                 fmt::format("there is an experiment '{}' already{}", experiment_id, more));
}

// Whether an answer or error says something about an experiment's state, so that it could be wrong
// once another node owns the experiment. An invalid request is invalid on every node, and an error
// of the store says nothing about the state.
bool tells_of_state(const std::optional<Error>& error) {
  return !error || (error->code != ErrorCode::io && error->code != ErrorCode::invalid_argument &&
                    error->code != ErrorCode::unsupported);
}

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
  if (error.code == ErrorCode::not_found) return no_experiment(experiment_id);
  if (error.code != ErrorCode::invalid_data) return error;
  // The request is not at fault; the caller can repeat it when the store has been repaired.
  error.code = ErrorCode::io;
  error.reason = to_word(Reason::damaged);
  error.message = fmt::format("the records of '{}' are damaged: {}", experiment_id, error.message);
  return error;
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
      secret_(std::move(secret)) {}

void Engine::start_queues() {
  last_tick_ms_ = options_.clock();
  audits_ = std::make_unique<Audits>(store_, world(), options_.say);
  // With nodes each experiment is checked by the node that takes it.
  if (nodes_ == nullptr) audits_->begin_all();
  // Two, so that a small experiment need not wait for a large one.
  keeper_ = world().queue({.threads = 2, .low_priority = true});
  syncs_ = world().queue();
  turns_ = world().queue();
  tick_later();
}

Engine::~Engine() {
  if (!turns_) return;  // it never started
  audits_->stop();      // a long log is no reason to stay
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake();
  }
  // The last turn runs when nothing waits and nothing is away: stopping the queues loses no work.
  finished_.get_future().wait();
  turns_->stop();
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
// snapshots have been saved by now (finish).
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
          .new_id = [&world = world()](std::int64_t now_ms) { return new_duel_id(world, now_ms); },
          .deadlines = true,
          .most_ahead_ms = options_.most_ahead.count(),
          .tasks = {},
          .follower = [&history](const Ledger& ledger,
                                 const LogEntry& entry) { history.note(ledger, entry); }};
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
  counts.waiting = requests_.size();
  return counts;
}

void Engine::wake() {
  if (awake_) return;
  awake_ = true;
  turns_->post([this] { take_turn(); });
}

// Wakes the engine even if no request comes, since duels expire by the clock.
void Engine::tick_later() {
  turns_->after(kTick, [this] {
    tick_later();
    const std::lock_guard lock(mutex_);
    wake();
  });
}

void Engine::enqueue(std::unique_ptr<Request> request) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_ && requests_.size() < options_.most_waiting) {
      requests_.push_back(std::move(request));
      wake();
      return;
    }
  }
  request->send(refused(Reason::overloaded, "too many requests wait; try again"), {});
}

void Engine::tell(const Experiment& experiment, const Before& before) {
  const Ledger& ledger = experiment.ledger();
  if (ledger.sequence() == before.sequence) return;
  EngineEvent event{experiment.id(), ledger.sequence(), "result"};
  if (ledger.configured_at() != before.configured) event.kind = "state";
  if (!before.certified && ledger.certificate_recorded()) event.kind = "certified";
  // An event carries no result, only the sequence to fetch: of several in a row the last suffices.
  if (!events_.empty() && events_.back().kind == "result" && event.kind == "result" &&
      events_.back().experiment_id == event.experiment_id) {
    events_.back().sequence = event.sequence;
    return;
  }
  events_.push_back(std::move(event));
}

// True if it was created; false if it is there already and the same request made it, so that a
// client may repeat a request whose answer it has missed.
Result<bool> Engine::create_now(const ExperimentRecord& record, std::int64_t now_ms, Facts& facts) {
  const std::string& id = record.experiment_id;
  if (const auto known = turn_of_known(id, now_ms, facts); known.ok()) {
    const ExperimentRecord& first = known->experiment.ledger().experiment();
    if (first.service.request == record.service.request) return false;
    return exists_already(id, ", made with another body");
  } else if (known.error().code != ErrorCode::not_found) {
    return known.error();
  }
  auto history = std::make_unique<History>();
  DUEL_ASSIGN(std::unique_ptr<Experiment> made,
              Experiment::create(setting_of(id, *history), record, now_ms));
  // The name may be taken by an experiment without a line, whose first append failed: that one is
  // ours to fill. Or another node has just created it: then `own` says so.
  if (!store_->create(id).ok()) DUEL_RETURN_IF_ERROR(own(id, facts));
  hold(id, {std::move(made), std::move(history), groups_, now_ms, 0, epoch_of(id)});
  events_.push_back({id, 1, "state"});
  return true;
}

Status Engine::write_imported(const std::shared_ptr<Import>& import, Facts& facts) {
  const std::string& experiment_id = import->experiment_id;
  facts.touched.push_back(experiment_id);
  if (import->written) return *import->written;
  if (away_.contains(experiment_id)) return wait_for_away(experiment_id, facts);
  if (held_.contains(experiment_id)) return exists_already(experiment_id);
  if (const Status made = store_->create(experiment_id); !made.ok()) {
    if (made.error().code == ErrorCode::io) return made.error();
    // The name may be taken by an earlier import whose append failed, and that has no lines.
    DUEL_RETURN_IF_ERROR(own(experiment_id, facts));
    DUEL_ASSIGN(const Head head, store_->head(experiment_id));
    if (head.sequence > 0) return exists_already(experiment_id);
  }
  // When the experiment is back the request is worked on again, and finds import->written above.
  send_away(experiment_id, [this, import]() -> Homecoming {
    std::vector<Line> lines;
    lines.reserve(import->marks.size());
    std::string_view text = import->log.text;
    for (const LineMark& mark : import->marks) {
      const std::size_t end = text.find('\n');
      lines.push_back({text.substr(0, end), mark.key, mark.tag});
      text.remove_prefix(end + 1);
    }
    import->written =
        store_->append_to(import->experiment_id, {0, std::string(kHexDigits, '0')}, lines);
    return [] {};
  });
  return wait_for_away(experiment_id, facts);
}

void Engine::hold(const std::string& experiment_id, Held held) {
  metrics_.know(experiment_id);
  if (held.experiment->audited()) {
    audits_->pass(experiment_id);
  } else if (!audits_->passed(experiment_id)) {
    audits_->begin(experiment_id);
  }
  // Counters count what this process did: outcomes that are already in the log are not added.
  held.counted = OutcomeCounts(held.experiment->ledger());
  publish(experiment_id, *held.experiment);
  held_[experiment_id] = std::move(held);
}

// Leaves a summary for lists, which are made on other threads and must not touch held_.
void Engine::publish(const std::string& experiment_id, const Experiment& experiment) {
  Overview overview = overview_of(experiment.ledger());
  const std::lock_guard lock(mutex_);
  overviews_[experiment_id] = std::move(overview);
}

void Engine::count_outcomes(Held& held) {
  const Ledger& ledger = held.experiment->ledger();
  const OutcomeCounts now(ledger);
  metrics_.count(ledger, held.counted, now);
  held.counted = now;
}

std::string Engine::experiment_metrics() {
  for (auto& [id, held] : held_) count_outcomes(held);
  std::string out = metrics_.text();
  if (nodes_ == nullptr) return out;
  announce_family(out, "duel_node_epoch", "gauge",
                  "In which tenure the node owns the experiment; each change of owner adds one.");
  for (const auto& [id, held] : held_) {
    if (!held.epoch) continue;
    fmt::format_to(std::back_inserter(out), "duel_node_epoch{{experiment=\"{}\"}} {}\n", id,
                   *held.epoch);
  }
  return out;
}

DurationHistogram Engine::append_durations() const {
  const std::lock_guard lock(mutex_);
  return append_durations_;
}

void Engine::say_refusal(const Error& error) {
  if (std::exchange(refusal_said_, true)) return;
  options_.say("the store takes no records, so that duels are fallbacks and reports get 503: " +
               error.to_string());
}

void Engine::say_recovery() {
  if (std::exchange(refusal_said_, false)) options_.say("the store takes records again");
}

std::optional<Overview> Engine::overview_of_held(const std::string& experiment_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = overviews_.find(experiment_id);
  return found == overviews_.end() ? std::nullopt : std::optional(found->second);
}

void Engine::wait_for_all() {
  for (bool all = false; !all;) {
    std::promise<void> reached;
    // Requests may wait for an experiment that is away; they are not in the queue.
    ask_all<bool>(
        AnswerWhen::durable, [&](const Find&) -> Result<bool> { return all = away_.empty(); },
        [&](const Result<bool>&, const Delivery&) { reached.set_value(); });
    reached.get_future().wait();
    if (!all) world().pause(std::chrono::milliseconds(1));
  }
}

void Engine::wait_for(const std::string& experiment_id) {
  const auto loaded = std::make_shared<std::promise<void>>();
  ask<bool>(
      experiment_id, AnswerWhen::durable, [](const Turn&) -> Result<bool> { return true; },
      [loaded](const Result<bool>&, const Delivery&) { loaded->set_value(); });
  loaded->get_future().wait();
}

std::optional<std::uint64_t> Engine::epoch_of(const std::string& experiment_id) const {
  return nodes_ != nullptr ? nodes_->epoch(experiment_id) : std::nullopt;
}

// Forgets what this node knew about the experiment, and returns the error that makes the caller go
// to the owner.
Error Engine::is_elsewhere(const std::string& experiment_id, Facts& facts) {
  facts.elsewhere = true;
  metrics_.forget_standing(experiment_id);
  lost_.erase(experiment_id);
  if (const auto slept = asleep_.find(experiment_id); slept != asleep_.end()) {
    due_.erase({slept->second.due_ms, experiment_id});
    asleep_.erase(slept);
  }
  return refused(Reason::not_ours,
                 "another node answers for the experiment '" + experiment_id + "'");
}

Status Engine::own(const std::string& experiment_id, Facts& facts) {
  const Status owned = store_->own(experiment_id);
  if (owned.ok() || nodes_ == nullptr) return owned;
  if (owned.error().code == ErrorCode::conflict) return is_elsewhere(experiment_id, facts);
  if (owned.error().code == ErrorCode::io) {
    store_refuses_ = true;
    say_refusal(owned.error());
  }
  return owned;
}

// Takes a state out of use that may differ from the log. The experiment is loaded again when it is
// next asked for; while the store cannot be read, the dropped state still gives fallbacks.
// REQUIRES: the experiment is in held_.
void Engine::drop(const std::string& experiment_id) {
  const auto found = held_.find(experiment_id);
  const Ledger& ledger = found->second.experiment->ledger();
  // With records staged nothing is counted, since it is unknown which of them reached the log. The
  // counters are then a little low: `hold` takes all that is loaded for counted.
  if (!found->second.experiment->has_staged()) {
    metrics_.count(ledger, found->second.counted, OutcomeCounts(ledger));
  }
  Held dropped = std::move(found->second);
  held_.erase(found);
  {
    const std::lock_guard lock(mutex_);
    overviews_.erase(experiment_id);
  }
  if (nodes_ == nullptr) return;
  metrics_.forget_standing(experiment_id);
  lost_[experiment_id] = std::move(dropped);
  moved_.push_back({experiment_id, 0, "moved"});
}

Result<Turn> Engine::turn_of_lost(const std::string& experiment_id, std::int64_t now_ms,
                                  const Error& why) {
  const auto found = lost_.find(experiment_id);
  if (found == lost_.end()) return why;
  return Turn{*found->second.experiment, {now_ms, StoreAccess::unreadable}};
}

Result<Turn> Engine::turn_of(const std::string& experiment_id, std::int64_t now_ms, Facts& facts) {
  facts.touched.push_back(experiment_id);
  if (auto damage = audits_->damage(experiment_id)) {
    return said_of(experiment_id, std::move(*damage));
  }
  const auto found = held_.find(experiment_id);
  if (found != held_.end()) {
    Held& held = found->second;
    // A new epoch means that another node has had the experiment in between. With lines staged the
    // state must stay for the append, which the store refuses if the experiment is not ours.
    if (held.experiment->has_staged() || epoch_of(experiment_id) == held.epoch) {
      held.used = groups_;
      held.used_ms = now_ms;
      return Turn{*held.experiment, {now_ms, access()}};
    }
    drop(experiment_id);
  }
  if (away_.contains(experiment_id)) return wait_for_away(experiment_id, facts);
  if (!check_id("an experiment", experiment_id).ok()) return no_experiment(experiment_id);
  // `own` would wait for a database that does not answer, and all other experiments with it.
  if (nodes_ != nullptr && store_refuses_) {
    return turn_of_lost(experiment_id, now_ms, Error::io("the store is unreachable"));
  }
  if (const Status owned = own(experiment_id, facts); !owned.ok()) {
    if (owned.error().code == ErrorCode::not_found) return no_experiment(experiment_id);
    return turn_of_lost(experiment_id, now_ms, owned.error());
  }
  if (const auto failed = load_errors_.find(experiment_id); failed != load_errors_.end()) {
    if (failed->second.code != ErrorCode::io) return failed->second;
    return turn_of_lost(experiment_id, now_ms, failed->second);
  }
  load(experiment_id, now_ms);
  return wait_for_away(experiment_id, facts);
}

Result<Turn> Engine::turn_of_known(const std::string& experiment_id, std::int64_t now_ms,
                                   Facts& facts) {
  DUEL_ASSIGN(const Turn turn, turn_of(experiment_id, now_ms, facts));
  // A lost state may hold records that never reached the store.
  if (turn.moment.store == StoreAccess::unreadable) return cannot_store("it is unreachable");
  return turn;
}

// REQUIRES: it is ours, and neither in memory nor away.
void Engine::load(const std::string& experiment_id, std::int64_t now_ms) {
  const std::optional<std::uint64_t> epoch = epoch_of(experiment_id);
  const auto slept = asleep_.find(experiment_id);
  // Unless it fell asleep here in this very epoch, there may have been a time in which no process
  // answered for it. People could not answer then, so their duels get more time (`after_pause`).
  const bool slept_here = slept != asleep_.end() && slept->second.epoch == epoch;
  const bool after_pause = !slept_here || slept->second.after_pause;
  auto held = std::make_shared<Held>();
  held->history = std::make_unique<History>();
  held->saved_ms = now_ms;
  held->epoch = epoch;
  send_away(experiment_id, [this, experiment_id, now_ms, after_pause, held]() -> Homecoming {
    const auto read = [&]() -> Result<std::unique_ptr<Experiment>> {
      DUEL_ASSIGN(const Head head, store_->head(experiment_id));
      if (head.sequence == 0) return Error::not_found("");
      return Experiment::load(
          setting_of(experiment_id, *held->history), experiment_id, now_ms, after_pause,
          [&](std::string_view extra) { return held->history->restore(extra); });
    };
    auto loaded = std::make_shared<Result<std::unique_ptr<Experiment>>>(read());
    return [this, experiment_id, loaded, held] {
      take_loaded(experiment_id, std::move(*loaded), std::move(*held));
    };
  });
}

void Engine::take_loaded(const std::string& experiment_id,
                         Result<std::unique_ptr<Experiment>> loaded, Held held) {
  if (!loaded.ok()) {
    const Error error = said_of(experiment_id, loaded.error());
    load_errors_[experiment_id] = error;
    const auto reason = reason_of(error);
    if (reason == Reason::damaged || reason == Reason::ahead_of_clock) {
      audits_->note_load(experiment_id, error);
    }
    return;
  }
  audits_->note_load(experiment_id, std::nullopt);
  // Another node has taken it meanwhile. The requests that waited are tried again and find that.
  if (epoch_of(experiment_id) != held.epoch) return;
  held.experiment = std::move(*loaded);
  const Experiment& experiment = *held.experiment;
  const auto slept = asleep_.find(experiment_id);
  const bool slept_here = slept != asleep_.end() && slept->second.epoch == held.epoch;
  if (nodes_ != nullptr && !slept_here) {
    audits_->forget(experiment_id);
    moved_.push_back({experiment_id, experiment.ledger().sequence(), "reset"});
  }
  if (slept != asleep_.end()) {
    due_.erase({slept->second.due_ms, experiment_id});
    asleep_.erase(slept);
  }
  lost_.erase(experiment_id);
  if (const std::string& why = experiment.refused_snapshot(); !why.empty()) {
    options_.say(why);
    const std::lock_guard lock(mutex_);
    ++counts_.snapshots_refused;
  }
  held.saved = experiment.snapshot_sequence();
  held.used = groups_;
  held.used_ms = options_.clock();
  hold(experiment_id, std::move(held));
  if (store_refuses_ || !holds_lease()) return;
  // Duels that fell due while it was not in memory expire before any request sees them as open.
  if (!expire(*held_.find(experiment_id)->second.experiment, options_.clock())) {
    drop(experiment_id);
  }
}

void Engine::send_away(const std::string& experiment_id, std::function<Homecoming()> job) {
  away_[experiment_id];  // from now on requests wait here (put_off)
  keeper_->post([this, experiment_id, job = std::move(job)] {
    Homecoming home = job();
    const std::lock_guard lock(mutex_);
    returned_.emplace_back(experiment_id, std::move(home));
    wake();
  });
}

// Puts experiments that are back into memory, and their requests in front of the queue: they came
// before everything that is in it.
void Engine::take_back() {
  std::vector<std::pair<std::string, Homecoming>> returned;
  {
    const std::lock_guard lock(mutex_);
    returned.swap(returned_);
  }
  for (const auto& [id, home] : returned) {
    home();
    const auto found = away_.find(id);
    Requests waited = std::move(found->second);
    away_.erase(found);
    ask_again(std::move(waited));
  }
}

Error Engine::wait_for_away(const std::string& experiment_id, Facts& facts) {
  facts.away = experiment_id;
  return refused(Reason::overloaded, "the experiment is being loaded; try again");
}

void Engine::put_off(std::unique_ptr<Request> request, const std::string& experiment_id) {
  away_.find(experiment_id)->second.push_back(std::move(request));
}

struct Engine::Saved {
  std::uint64_t sequence = 0;  // 0: nothing was to be saved
  Status put = Done{};
};

Engine::Saved Engine::save_now(const Held& held) const {
  const Experiment& experiment = *held.experiment;
  if (experiment.ledger().sequence() == held.saved || store_->broken()) return {};
  const std::optional<Snapshot> snapshot = experiment.save(held.history->save());
  if (!snapshot) return {};
  return {snapshot->sequence, store_->put_snapshot(experiment.id(), *snapshot)};
}

void Engine::note_saved(Held& held, const Saved& saved) {
  if (saved.sequence == 0) return;
  // A snapshot is only a shortcut: without it the log is read from an older one or from line 1.
  if (!saved.put.ok()) {
    return options_.say("no snapshot of '" + held.experiment->id() +
                        "': " + saved.put.error().to_string());
  }
  held.saved = saved.sequence;
  const std::lock_guard lock(mutex_);
  ++counts_.snapshots;
}

void Engine::save_in_place(Held& held) { note_saved(held, save_now(held)); }

void Engine::save(const std::string& experiment_id, Then then) {
  const auto found = held_.find(experiment_id);
  count_outcomes(found->second);
  // A state of so few arms is a megabyte at most. Saving it in place takes less time than its
  // requests would lose while the experiment is away.
  constexpr std::size_t kFewArms = 64;
  const bool small = found->second.experiment->ledger().num_arms() <= kFewArms;
  const bool changed = found->second.experiment->ledger().sequence() != found->second.saved;
  if (small || !changed) {
    save_in_place(found->second);
    if (then == Then::sleep) put_to_sleep(experiment_id);
    return;
  }
  auto held = std::make_shared<Held>(std::move(found->second));
  held_.erase(found);
  send_away(experiment_id, [this, experiment_id, held, then]() -> Homecoming {
    return [this, experiment_id, held, then, saved = save_now(*held)] {
      note_saved(*held, saved);
      held_[experiment_id] = std::move(*held);
      // A request that came meanwhile needs it in memory.
      const bool wanted = !away_.find(experiment_id)->second.empty();
      if (then == Then::sleep && !wanted) put_to_sleep(experiment_id);
    };
  });
}

void Engine::save_what_grew(std::int64_t now_ms) {
  std::vector<std::string> grown;
  for (auto& [id, held] : held_) {
    if (held.experiment->ledger().sequence() < held.saved + options_.snapshot_every) continue;
    if (now_ms - held.saved_ms < options_.snapshot_interval.count()) continue;
    held.saved_ms = now_ms;
    grown.push_back(id);
  }
  for (const std::string& id : grown) save(id, Then::stay);
}

// Other nodes make their lists from snapshots, so a new state or certificate is saved at once.
void Engine::save_changed_states(const std::vector<EngineEvent>& events) {
  for (const EngineEvent& event : events) {
    if (event.kind != "state" && event.kind != "certified") continue;
    if (held_.contains(event.experiment_id)) save(event.experiment_id, Then::stay);
  }
}

void Engine::put_to_sleep(const std::string& experiment_id) {
  const auto found = held_.find(experiment_id);
  wake_later(experiment_id,
             {found->second.experiment->due_ms().value_or(0), false, found->second.epoch});
  held_.erase(found);
  const std::lock_guard lock(mutex_);
  overviews_.erase(experiment_id);
}

void Engine::wake_later(const std::string& experiment_id, const Asleep& asleep) {
  asleep_[experiment_id] = asleep;
  if (asleep.due_ms != 0) due_.emplace(asleep.due_ms, experiment_id);
}

// Finds the duels that the process before this one left open. A snapshot may be older than the log,
// and its due time then too early: the experiment is woken for nothing, but no expiry is missed.
// With nodes this one owns nothing yet; a sweep gives it experiments later (upkeep.h).
Status Engine::find_sleepers() {
  if (nodes_ != nullptr) return Done{};
  DUEL_ASSIGN(const std::vector<Outline> outlines, store_->outlines());
  for (const Outline& outline : outlines) {
    if (!outline.snapshot) continue;
    const auto digest = Experiment::digest_of(*outline.snapshot);
    if (digest && digest->due_ms) wake_later(outline.experiment, {*digest->due_ms, true});
  }
  return Done{};
}

// Wakes experiments with a duel that is due, so that it expires as if they had been in memory.
void Engine::wake_due(std::int64_t now_ms) {
  constexpr int kMostAtOnce = 8;  // per tick: `own` may have to ask the database on this thread
  for (int woken = 0; woken < kMostAtOnce; ++woken) {
    if (due_.empty() || due_.begin()->first >= now_ms) return;
    const std::string id = due_.begin()->second;
    due_.erase(due_.begin());
    const bool ours = nodes_ == nullptr || nodes_->epoch(id).has_value();
    Facts unused;
    // If it fails, the next request for the experiment fails too and is told why.
    if (ours) (void)turn_of(id, now_ms, unused);
  }
}

void Engine::forget_idle(std::int64_t now_ms) {
  constexpr std::size_t kMostAtOnce = 8;  // each is written to the store
  std::vector<std::string> idle;
  for (const auto& [id, held] : held_) {
    if (idle.size() == kMostAtOnce) break;
    if (now_ms - held.used_ms >= options_.idle_time.count() && !held.experiment->has_staged()) {
      idle.push_back(id);
    }
  }
  for (const std::string& id : idle) save(id, Then::sleep);
  while (held_.size() > options_.most_in_memory) {
    auto oldest = held_.end();
    for (auto one = held_.begin(); one != held_.end(); ++one) {
      if (one->second.experiment->has_staged()) continue;
      if (oldest == held_.end() || one->second.used < oldest->second.used) oldest = one;
    }
    // All that are left were used in this very turn: the next request would load them again.
    if (oldest == held_.end() || oldest->second.used == groups_) return;
    save(std::string(oldest->first), Then::sleep);
  }
}

Engine::Requests Engine::take_group() {
  Requests group;
  const std::lock_guard lock(mutex_);
  while (!requests_.empty() && group.size() < options_.largest_group) {
    group.push_back(std::move(requests_.front()));
    requests_.pop_front();
  }
  return group;
}

// Appends everything that is staged, in one commit. An experiment whose lines were refused is
// dropped, because its state in memory already contains them; it is loaded again from the store
// when it is next asked for.
Engine::Commit Engine::append_staged() {
  Commit commit;
  std::vector<Experiment*> changed;
  std::vector<std::vector<Line>> lines;
  for (auto& [id, held] : held_) {
    if (!held.experiment->has_staged()) continue;
    changed.push_back(held.experiment.get());
    lines.push_back(held.experiment->staged_lines());
  }
  std::uint64_t count = 0;
  if (!changed.empty()) {
    std::vector<Group> groups;
    for (std::size_t k = 0; k < changed.size(); ++k) {
      groups.push_back({changed[k]->id(), changed[k]->stored_head(), lines[k]});
    }
    const auto begun = world().now();
    const auto appended = store_->append(groups);
    const std::chrono::duration<double> took = world().now() - begun;
    {
      const std::lock_guard lock(mutex_);
      append_durations_.add(took.count());
    }
    store_refuses_ = !appended.ok();
    if (!appended.ok()) say_refusal(appended.error());
    for (std::size_t k = 0; k < changed.size(); ++k) {
      const std::string id = changed[k]->id();
      const Status one = appended.ok() ? (*appended)[k] : Status(appended.error());
      if (one.ok()) {
        changed[k]->committed();
        publish(id, *changed[k]);
        commit.appended.insert(id);
        count += lines[k].size();
      } else {
        commit.failed[id] = one.error().code;
        drop(id);
      }
    }
  }
  // After a step that failed halfway the state is no longer the fold of its records. It is dropped
  // only now, after its staged lines have been appended.
  std::vector<std::string> spoiled;
  for (const auto& [id, held] : held_) {
    if (held.experiment->spoiled()) spoiled.push_back(id);
  }
  for (const std::string& id : spoiled) drop(id);
  const std::lock_guard lock(mutex_);
  if (!changed.empty()) ++counts_.commits;
  counts_.appended_lines += count;
  if (!commit.failed.empty()) ++counts_.failed_appends;
  counts_.in_memory = held_.size();
  return commit;
}

void Engine::probe_store() {
  if (store_refuses_ && store_->put("probe", "writable", "").ok()) store_refuses_ = false;
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

void Engine::tick(std::int64_t now_ms) {
  // With nodes, upkeep.h probes from its own thread: this one must not wait for a lost connection.
  if (nodes_ == nullptr) {
    probe_store();
    watch_store();
  }
  // Expiring stages records, which could not be appended now.
  if (store_refuses_ || !holds_lease()) return;
  say_recovery();
  lost_.clear();
  wake_due(now_ms);
  std::vector<std::string> unfit;
  for (const auto& [id, held] : held_) {
    const bool damaged = audits_->damage(id) && !held.experiment->has_staged();
    if (damaged || !expire(*held.experiment, now_ms)) unfit.push_back(id);
  }
  for (const std::string& id : unfit) drop(id);
}

bool Engine::expire(Experiment& experiment, std::int64_t now_ms) {
  Before before(experiment.ledger());
  if (experiment.awaits_audit() && audits_->passed(experiment.id())) {
    // If it fails, nothing was staged, and the next report stages the certificate.
    (void)experiment.pass_audit({now_ms});
  }
  const auto expired = experiment.expire({now_ms});
  // If an expiry leads to a certificate that completes the experiment, the event is `certified`
  // and not `state`.
  before.configured = experiment.ledger().configured_at();
  tell(experiment, before);
  // With lines staged the state must stay until they are appended; append_staged drops it then.
  return expired.ok() || experiment.has_staged();
}

Error Engine::mistake(const std::exception& exception) const {
  options_.say(std::string("a mistake of the server's own, please report it: ") + exception.what());
  return refused(Reason::internal, "the server made a mistake; its operator is told more");
}

Engine::Facts Engine::work_on(Request& request, std::int64_t now_ms) {
  Facts facts;
  facts.leased = holds_lease();
  try {
    request.work(now_ms, facts);
    if (facts.elsewhere) facts.error = refused(Reason::not_ours, "another node answers for it");
  } catch (const std::exception& error) {
    facts.error = mistake(error);
  }
  return facts;
}

std::vector<Engine::Tenancy> Engine::tenancies_of(
    const std::vector<std::string>& experiments) const {
  std::vector<Tenancy> tenancies;
  if (nodes_ == nullptr) return tenancies;
  for (const std::string& id : experiments) {
    if (const auto held = held_.find(id); held != held_.end()) {
      tenancies.push_back({id, held->second.epoch});
    }
  }
  return tenancies;
}

// Puts the requests in front of the queue, in their order.
void Engine::ask_again(Requests requests) {
  if (requests.empty()) return;
  const std::lock_guard lock(mutex_);
  requests_.insert(requests_.begin(), std::make_move_iterator(requests.begin()),
                   std::make_move_iterator(requests.end()));
}

void Engine::answer_group(Requests& group, std::vector<Facts>& all_facts, const Commit& commit,
                          std::int64_t now_ms, std::vector<Waiting>& unsynced) {
  Requests again;
  for (std::size_t k = 0; k < group.size(); ++k) {
    std::unique_ptr<Request>& request = group[k];
    Facts& facts = all_facts[k];
    // `failed`: an append for one of its experiments was refused. `moved`: each of those refusals
    // was a conflict, so another process has written. `backed`: all its experiments were appended
    // to in this commit, which proves that this node owned them.
    bool failed = false, moved = true;
    bool backed = !facts.touched.empty();
    for (const std::string& id : facts.touched) {
      backed = backed && commit.appended.contains(id);
      const auto found = commit.failed.find(id);
      if (found == commit.failed.end()) continue;
      failed = true;
      moved = moved && found->second == ErrorCode::conflict;
    }
    if (failed && moved && nodes_ != nullptr && ++request->tries < kMostTries) {
      // The refused lines are not in the log, so the request can be tried again: on the new state
      // of the experiment, or to find out that another node owns it.
      again.push_back(std::move(request));
      continue;
    }
    if (failed && store_refuses_ && request->when == AnswerWhen::appended) {
      // A page that waits for a duel must get one even if the store is down. Tried again, now that
      // store_refuses_ is set, the experiment gives a fallback.
      facts = work_on(*request, now_ms);
      if (!facts.away.empty()) {
        put_off(std::move(request), facts.away);
        continue;
      }
      backed = false;
    } else if (failed) {
      facts.error = cannot_store("it is full, unreachable, or was changed by another process");
      backed = false;
    }
    const bool leased = facts.leased && holds_lease();
    const bool speaks_as_owner = !facts.touched.empty() && !backed;
    if (speaks_as_owner && tells_of_state(facts.error) && !facts.rests_on_nothing && !leased) {
      // Without a lease another node may have taken the experiment and changed it since.
      facts.error =
          refused(Reason::store_unavailable, "this node has lost touch with the store; try again");
    }
    // After a failed append the lines may be in the log all the same, and a second node that is
    // asked to do the work would do it twice.
    const Delivery delivery{.without_lease = speaks_as_owner && !leased && !failed};
    // An error can depend on records, too ("this duel was answered otherwise"): it waits for the
    // disk like an answer, unless it only says that the store failed.
    const bool waits = request->when == AnswerWhen::durable &&
                       (!facts.error || facts.error->code != ErrorCode::io);
    if (waits) {
      unsynced.push_back({.request = std::move(request),
                          .error = std::move(facts.error),
                          .delivery = delivery,
                          .tenancies = tenancies_of(facts.touched)});
    } else {
      request->send(std::move(facts.error), delivery);
    }
  }
  ask_again(std::move(again));
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

// A node that listens for its pages takes this one for dead after a lease without a word
// (upstreams.cc), so `alive` comes three times in a lease.
std::uint64_t Engine::ticks_to_alive() const {
  if (nodes_ == nullptr) return kTicksToAlive;
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(nodes_->lease() / kTick / 3), 1,
                                   kTicksToAlive);
}

// Under load the answers of one turn bring the requests of the next. A turn that began with the
// first of them would be a commit and a sync for a few, and the others would wait for it.
void Engine::wait_for_company() {
  constexpr std::size_t kMany = 16;
  constexpr std::chrono::microseconds kPause{200};  // less than a sync takes
  if (last_group_ < kMany) return;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || requests_.size() >= last_group_) return;
  }
  world().pause(kPause);
}

void Engine::take_turn() {
  wait_for_company();
  take_back();
  ++groups_;
  const std::int64_t now_ms = options_.clock();
  Requests group;
  std::vector<Facts> facts;
  Requests taken = take_group();
  last_group_ = taken.size();
  for (std::unique_ptr<Request>& request : taken) {
    Facts known = work_on(*request, now_ms);
    if (!known.away.empty()) {
      put_off(std::move(request), known.away);
      continue;
    }
    group.push_back(std::move(request));
    facts.push_back(std::move(known));
  }
  // A clock that has gone back must not stop the ticks until it catches up.
  if (now_ms - last_tick_ms_ >= kTick.count() || now_ms < last_tick_ms_) {
    tick(now_ms);
    last_tick_ms_ = now_ms;
    if (++ticks_ % ticks_to_alive() == 0) events_.push_back({"", 0, "alive"});
  }
  const Commit commit = append_staged();
  // A change whose append failed has not happened.
  std::vector<EngineEvent> events = std::exchange(events_, {});
  std::erase_if(events, [&](const EngineEvent& event) {
    return commit.failed.find(event.experiment_id) != commit.failed.end();
  });
  std::vector<Waiting> unsynced;
  answer_group(group, facts, commit, now_ms, unsynced);
  // Requests that come later try to load again: the store may be back by then.
  load_errors_.clear();
  const std::vector<EngineEvent> moved = std::exchange(moved_, {});
  if (!moved.empty()) tell_listeners(moved);
  if (nodes_ != nullptr) save_changed_states(events);
  if (!events.empty()) {
    // Listeners hear about records when they are durable: a certificate that power loss takes back
    // must not have been announced.
    unsynced.push_back({.events = std::move(events)});
  }
  if (!unsynced.empty()) {
    const std::lock_guard lock(sync_mutex_);
    for (Waiting& one : unsynced) unsynced_.push_back(std::move(one));
    if (!std::exchange(syncing_, true)) syncs_->post([this] { sync_waiting(); });
  }
  save_what_grew(now_ms);
  forget_idle(now_ms);
  const std::lock_guard lock(mutex_);
  counts_.in_memory = held_.size();
  awake_ = false;
  if (!requests_.empty() || !returned_.empty()) {
    wake();
  } else if (stopping_ && away_.empty()) {
    finish();
  }
}

// The last turn saves all states. REQUIRES: mutex_ is held, nothing waits and nothing is away.
void Engine::finish() {
  awake_ = true;  // so that `wake` posts no further turn
  turns_->post([this] {
    for (auto& [id, held] : held_) save_in_place(held);
    finished_.set_value();
  });
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
    const bool still_ours = std::ranges::all_of(one.tenancies, [&](const Tenancy& tenancy) {
      return nodes_->epoch(tenancy.experiment) == tenancy.epoch;
    });
    if (!synced.ok()) {
      one.error = cannot_store(synced.error().to_string());
    } else if (!still_ours) {
      one.error = cannot_store("another node may have taken the experiment");
    }
    one.request->send(std::move(one.error), one.delivery);
  }
}

}  // namespace duel
