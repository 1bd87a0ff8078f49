#include "duel/service/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <future>
#include <iterator>
#include <utility>

#include "duel/core/digest.h"
#include "duel/core/metric_family.h"
#include "duel/core/secrets.h"
#include "duel/core/timestamp.h"
#include "duel/service/duel_ids.h"

namespace duel {
namespace {

constexpr auto kTick = std::chrono::milliseconds(500);
constexpr std::uint64_t kTicksToAlive = 30;
// How often a request is worked on whose experiment turns out to be another node's or to have
// moved.
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

// Whether an answer or error says something of an experiment's state, so that it could be wrong
// once another node owns the experiment. A wrong question is wrong everywhere, and trouble with the
// store says nothing.
bool tells_of_state(const std::optional<Error>& error) {
  return !error || (error->code != ErrorCode::io && error->code != ErrorCode::invalid_argument &&
                    error->code != ErrorCode::unsupported);
}

// The store's secret, made at the first start. Of nodes that start together on a new store one
// makes it: the node that owns a name which cannot be an experiment's.
Result<std::string> secret_of(Store& store, World& world) {
  constexpr const char* kTurn = "~secret";
  const auto give_up = world.now() + std::chrono::minutes(1);
  for (;;) {
    DUEL_ASSIGN(std::optional<std::string> secret, store.get("secret", "server"));
    if (secret) return std::move(*secret);
    Status turn = store.nodes() == nullptr ? Status(Done{}) : store.create(kTurn);
    // A node that died before it was done left the name to others.
    if (!turn.ok() && store.own(kTurn).ok()) turn = Done{};
    if (turn.ok()) {
      // The node that had the turn before may have made it since.
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
  // The caller's request is not what is wrong; it can be repeated when the store is repaired.
  error.code = ErrorCode::io;
  error.reason = to_word(Reason::damaged);
  error.message = fmt::format("the records of '{}' are damaged: {}", experiment_id, error.message);
  return error;
}

Result<std::unique_ptr<Engine>> Engine::start(std::shared_ptr<Store> store, EngineOptions options) {
  // One secret for all that is signed or hashed with a key; what is derived from it is named.
  DUEL_ASSIGN(std::string secret, secret_of(*store, *options.world));
  if (!options.clock && store->nodes() != nullptr) {
    // Nodes disagree about the time, and what one serves another may expire.
    options.clock = [nodes = store->nodes()] { return nodes->now_ms(); };
  }
  if (!options.clock) {
    // A clock that is set forth or back while the server runs must not expire what people hold.
    World& world = *options.world;
    options.clock = [&world, started = world.now(), at = world.wall_time_ms()] {
      const auto passed = world.now() - started;
      return at + std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
    };
  }
  auto engine =
      std::unique_ptr<Engine>(new Engine(std::move(store), std::move(options), std::move(secret)));
  DUEL_RETURN_IF_ERROR(engine->find_sleepers());
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
  // Two, so that a small experiment need not wait for a large one.
  keeper_ = world().queue({.threads = 2, .low_priority = true});
  syncs_ = world().queue();
  turns_ = world().queue();
  tick_later();
}

Engine::~Engine() {
  if (!turns_) return;  // it never started
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake();
  }
  finished_.get_future().wait();
  turns_->stop();
  keeper_->stop();
  // What waits for the disk is answered before.
  std::promise<void> synced;
  syncs_->post([&] {
    sync_waiting();
    synced.set_value();
  });
  synced.get_future().wait();
  syncs_->stop();
  give_all_away();
}

// What a stopping node owns, others may take at once. Snapshots were saved before.
void Engine::give_all_away() {
  if (nodes_ == nullptr) return;
  const auto tenures = nodes_->tenures();
  if (!tenures.ok()) return;  // the lease ends by itself
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

void Engine::tick_later() {
  turns_->after(kTick, [this] {
    tick_later();
    const std::lock_guard lock(mutex_);
    wake();
  });
}

void Engine::enqueue(Request request) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_ && requests_.size() < options_.most_waiting) {
      requests_.push_back(std::move(request));
      wake();
      return;
    }
  }
  request.send(refused(Reason::overloaded, "too many requests wait; try again"), {});
}

void Engine::tell(const Experiment& experiment, const Before& before) {
  const Ledger& ledger = experiment.ledger();
  if (ledger.sequence() == before.sequence) return;
  EngineEvent event{experiment.id(), ledger.sequence(), "result"};
  if (ledger.configured_at() != before.configured) event.kind = "state";
  if (!before.certified && ledger.certificate()) event.kind = "certified";
  // Of results the last one says it all.
  if (!events_.empty() && events_.back().kind == "result" && event.kind == "result" &&
      events_.back().experiment_id == event.experiment_id) {
    events_.back().sequence = event.sequence;
    return;
  }
  events_.push_back(std::move(event));
}

// Whether it is new.
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
  // It may be there without a line, if the first could not be written; or another node creates it
  // at this moment.
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
    // It may be there without a line, if those of another try could not be written.
    DUEL_RETURN_IF_ERROR(own(experiment_id, facts));
    DUEL_ASSIGN(const Head head, store_->head(experiment_id));
    if (head.sequence > 0) return exists_already(experiment_id);
  }
  send_away(experiment_id, [this, import]() -> Homecoming {
    std::vector<Line> lines;
    lines.reserve(import->marks.size());
    std::string_view text = import->text;
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
  // What happened before this process was another one's to count.
  held.counted = OutcomeCounts(held.experiment->ledger());
  publish(experiment_id, *held.experiment);
  held_[experiment_id] = std::move(held);
}

// For lists, which are made on other threads.
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
  if (refusal_said_) return;
  refusal_said_ = true;
  if (!options_.say) return;
  options_.say("the store takes no records, so that duels are fallbacks and reports get 503: " +
               error.to_string());
}

void Engine::say_recovery() {
  if (!refusal_said_) return;
  refusal_said_ = false;
  if (options_.say) options_.say("the store takes records again");
}

std::optional<Overview> Engine::overview_of_held(const std::string& experiment_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = overviews_.find(experiment_id);
  return found == overviews_.end() ? std::nullopt : std::optional(found->second);
}

void Engine::wait_for_all() {
  for (bool all = false; !all;) {
    std::promise<void> reached;
    // Those that are away have requests that wait for them.
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

// The caller goes to the owner.
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

// The state may differ from the log from now on. It is folded again when it is next asked for;
// while the store cannot be read it is good for fallbacks.
void Engine::drop(const std::string& experiment_id) {
  const auto found = held_.find(experiment_id);
  const Ledger& ledger = found->second.experiment->ledger();
  // Staged records may have reached the log or not: the metrics count them when that is known.
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
  const auto found = held_.find(experiment_id);
  if (found != held_.end()) {
    Held& held = found->second;
    // Staged lines are refused by the store, if the experiment is not ours any more.
    if (held.experiment->has_staged() || epoch_of(experiment_id) == held.epoch) {
      held.used = groups_;
      held.used_ms = now_ms;
      return Turn{*held.experiment, {now_ms, access()}};
    }
    drop(experiment_id);
  }
  if (away_.contains(experiment_id)) return wait_for_away(experiment_id, facts);
  if (!check_id("an experiment", experiment_id).ok()) return no_experiment(experiment_id);
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
  // What a lost state holds may never have reached the store.
  if (turn.moment.store == StoreAccess::unreadable) return cannot_store("it is unreachable");
  return turn;
}

// REQUIRES: it is ours, and not in memory.
void Engine::load(const std::string& experiment_id, std::int64_t now_ms) {
  const std::optional<std::uint64_t> epoch = epoch_of(experiment_id);
  const auto slept = asleep_.find(experiment_id);
  // Where there are nodes another one may have answered for it, or nobody.
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
    load_errors_[experiment_id] = said_of(experiment_id, loaded.error());
    return;
  }
  // Another node has taken it meanwhile: the requests that wait are asked again.
  if (epoch_of(experiment_id) != held.epoch) return;
  held.experiment = std::move(*loaded);
  const Experiment& experiment = *held.experiment;
  const auto slept = asleep_.find(experiment_id);
  const bool slept_here = slept != asleep_.end() && slept->second.epoch == held.epoch;
  if (nodes_ != nullptr && !slept_here) {
    moved_.push_back({experiment_id, experiment.ledger().sequence(), "reset"});
  }
  if (slept != asleep_.end()) {
    due_.erase({slept->second.due_ms, experiment_id});
    asleep_.erase(slept);
  }
  lost_.erase(experiment_id);
  if (const std::string& why = experiment.refused_snapshot(); !why.empty()) {
    if (options_.say) options_.say(why);
    const std::lock_guard lock(mutex_);
    ++counts_.snapshots_refused;
  }
  held.saved = experiment.snapshot_sequence();
  held.used = groups_;
  held.used_ms = options_.clock();
  hold(experiment_id, std::move(held));
  if (store_refuses_ || !holds_lease()) return;
  // What was due while it was not here, before anybody asks for it.
  if (!expire(*held_.find(experiment_id)->second.experiment, options_.clock())) {
    drop(experiment_id);
  }
}

void Engine::send_away(const std::string& experiment_id, std::function<Homecoming()> job) {
  away_[experiment_id];
  keeper_->post([this, experiment_id, job = std::move(job)] {
    Homecoming home = job();
    const std::lock_guard lock(mutex_);
    returned_.emplace_back(experiment_id, std::move(home));
    wake();
  });
}

// Those that are back, and the requests that waited for them, before all others.
void Engine::take_back() {
  std::vector<std::pair<std::string, Homecoming>> returned;
  {
    const std::lock_guard lock(mutex_);
    returned.swap(returned_);
  }
  for (const auto& [id, home] : returned) {
    home();
    const auto found = away_.find(id);
    std::vector<Request> waited = std::move(found->second);
    away_.erase(found);
    ask_again(std::move(waited));
  }
}

Error Engine::wait_for_away(const std::string& experiment_id, Facts& facts) {
  facts.away = experiment_id;
  return refused(Reason::overloaded, "the experiment is being loaded; try again");
}

void Engine::put_off(Request request, const std::string& experiment_id) {
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
  // It is only a shortcut: without it the log is read.
  if (!saved.put.ok()) {
    if (options_.say) {
      options_.say("no snapshot of '" + held.experiment->id() +
                   "': " + saved.put.error().to_string());
    }
    return;
  }
  held.saved = saved.sequence;
  const std::lock_guard lock(mutex_);
  ++counts_.snapshots;
}

void Engine::save_in_place(Held& held) { note_saved(held, save_now(held)); }

void Engine::save(const std::string& experiment_id, Then then) {
  const auto found = held_.find(experiment_id);
  count_outcomes(found->second);
  // Their states are a megabyte at most, which takes less than a trip to another thread is worth.
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
      // Whoever asked for it meanwhile has woken it.
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

// Lists on other nodes show what a snapshot says.
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

// What the process before left waiting: a snapshot that is behind the log errs by being early.
// Where there are nodes this one owns nothing yet, and finds what it takes (upkeep.h).
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

// An answer that is due in an experiment that sleeps: it expires as if the experiment were awake.
void Engine::wake_due(std::int64_t now_ms) {
  constexpr int kMostAtOnce = 8;
  for (int woken = 0; woken < kMostAtOnce; ++woken) {
    if (due_.empty() || due_.begin()->first >= now_ms) return;
    const std::string id = due_.begin()->second;
    due_.erase(due_.begin());
    const bool ours = nodes_ == nullptr || nodes_->epoch(id).has_value();
    Facts unused;
    // Where it fails the next request for it will be told why.
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
    if (oldest == held_.end() || oldest->second.used == groups_) return;
    save(std::string(oldest->first), Then::sleep);
  }
}

std::vector<Engine::Request> Engine::take_group() {
  std::vector<Request> group;
  const std::lock_guard lock(mutex_);
  while (!requests_.empty() && group.size() < options_.largest_group) {
    group.push_back(std::move(requests_.front()));
    requests_.pop_front();
  }
  return group;
}

// All that is staged, in one commit. What could not be appended is folded again from the store when
// it is next asked for.
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

void Engine::tick(std::int64_t now_ms) {
  // Where there are nodes it is done beside this thread, which must not wait for a lost connection.
  if (nodes_ == nullptr) probe_store();
  if (store_refuses_ || !holds_lease()) return;
  say_recovery();
  lost_.clear();
  wake_due(now_ms);
  std::vector<std::string> unfit;
  for (const auto& [id, held] : held_) {
    if (!expire(*held.experiment, now_ms)) unfit.push_back(id);
  }
  for (const std::string& id : unfit) drop(id);
}

bool Engine::expire(Experiment& experiment, std::int64_t now_ms) {
  Before before(experiment.ledger());
  const auto expired = experiment.expire({now_ms});
  // A certificate that completes the experiment is told as a certificate.
  before.configured = experiment.ledger().configured_at();
  tell(experiment, before);
  // Staged lines go to the store first; a state that is spoiled is dropped after that.
  return expired.ok() || experiment.has_staged();
}

Engine::Facts Engine::work_on(const Request& request, std::int64_t now_ms) {
  Facts facts;
  facts.leased = holds_lease();
  try {
    request.work(now_ms, facts);
    if (facts.elsewhere) facts.error = refused(Reason::not_ours, "another node answers for it");
  } catch (const std::exception& error) {
    facts.error = refused(Reason::internal, error.what());
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

// In their order, before all others.
void Engine::ask_again(std::vector<Request> requests) {
  if (requests.empty()) return;
  const std::lock_guard lock(mutex_);
  requests_.insert(requests_.begin(), std::make_move_iterator(requests.begin()),
                   std::make_move_iterator(requests.end()));
}

void Engine::answer_group(std::vector<Request>& group, std::vector<Facts>& all_facts,
                          const Commit& commit, std::int64_t now_ms,
                          std::vector<Waiting>& unsynced) {
  std::vector<Request> again;
  for (std::size_t k = 0; k < group.size(); ++k) {
    Request& request = group[k];
    Facts& facts = all_facts[k];
    bool failed = false, moved = true;
    bool backed = !facts.touched.empty();
    for (const std::string& id : facts.touched) {
      backed = backed && commit.appended.contains(id);
      const auto found = commit.failed.find(id);
      if (found == commit.failed.end()) continue;
      failed = true;
      moved = moved && found->second == ErrorCode::conflict;
    }
    if (failed && moved && nodes_ != nullptr && ++request.tries < kMostTries) {
      // The experiment is another node's, or not as it was thought to be.
      again.push_back(std::move(request));
      continue;
    }
    if (failed && store_refuses_ && request.when == AnswerWhen::appended) {
      // A page that waits for a duel is answered all the same: asked again, the experiment gives a
      // fallback.
      facts = work_on(request, now_ms);
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
      // Another node may have answered for the experiment since.
      facts.error =
          refused(Reason::store_unavailable, "this node has lost touch with the store; try again");
    }
    // Not where an append failed: its lines may be in the log, and another node must not be asked
    // to do the work again.
    const Delivery delivery{.without_lease = speaks_as_owner && !leased && !failed};
    const bool waits =
        request.when == AnswerWhen::durable && (!facts.error || facts.error->code != ErrorCode::io);
    if (waits) {
      unsynced.push_back({[send = std::move(request.send), error = std::move(facts.error),
                           delivery](std::optional<Error> instead) mutable {
                            send(instead ? std::move(instead) : std::move(error), delivery);
                          },
                          tenancies_of(facts.touched)});
    } else {
      request.send(std::move(facts.error), delivery);
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

// Those that listen through another node take the silence of a lease for a dead owner.
std::uint64_t Engine::ticks_to_alive() const {
  if (nodes_ == nullptr) return kTicksToAlive;
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(nodes_->lease() / kTick / 3), 1,
                                   kTicksToAlive);
}

void Engine::take_turn() {
  take_back();
  ++groups_;
  const std::int64_t now_ms = options_.clock();
  std::vector<Request> group;
  std::vector<Facts> facts;
  for (Request& request : take_group()) {
    Facts known = work_on(request, now_ms);
    if (!known.away.empty()) {
      put_off(std::move(request), known.away);
      continue;
    }
    group.push_back(std::move(request));
    facts.push_back(std::move(known));
  }
  if (now_ms - last_tick_ms_ >= kTick.count() || now_ms < last_tick_ms_) {
    tick(now_ms);
    last_tick_ms_ = now_ms;
    if (++ticks_ % ticks_to_alive() == 0) events_.push_back({"", 0, "alive"});
  }
  const Commit commit = append_staged();
  std::vector<EngineEvent> events = std::exchange(events_, {});
  std::erase_if(events, [&](const EngineEvent& event) {
    return commit.failed.find(event.experiment_id) != commit.failed.end();
  });
  std::vector<Waiting> unsynced;
  answer_group(group, facts, commit, now_ms, unsynced);
  load_errors_.clear();
  const std::vector<EngineEvent> moved = std::exchange(moved_, {});
  if (!moved.empty()) tell_listeners(moved);
  if (nodes_ != nullptr) save_changed_states(events);
  if (!events.empty()) {
    // Streams hear of what is durable, and certificates are news only then.
    unsynced.push_back({[this, events = std::move(events)](const std::optional<Error>& failed) {
      if (!failed) tell_listeners(events);
    }});
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

// REQUIRES: nothing waits and nothing is away. The last turn.
void Engine::finish() {
  awake_ = true;  // nothing wakes it any more
  turns_->post([this] {
    for (auto& [id, held] : held_) save_in_place(held);
    finished_.set_value();
  });
}

// What waits for the disk by now. On the queue of syncs.
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
    // A store that has crashed may have lost the records and given the experiment to another
    // node: a sync says nothing of those.
    const bool still_ours = std::ranges::all_of(one.tenancies, [&](const Tenancy& tenancy) {
      return nodes_->epoch(tenancy.experiment) == tenancy.epoch;
    });
    if (synced.ok() && still_ours) {
      one.send(std::nullopt);
    } else if (synced.ok()) {
      one.send(cannot_store("another node may have taken the experiment"));
    } else {
      one.send(cannot_store(synced.error().to_string()));
    }
  }
}

}  // namespace duel
