// How experiments come into an owner's memory and leave it. An experiment is held (in memory,
// ours), with the keeper (its place is closed), asleep_ (only in the store, with the time at which
// it must be woken) or lost_ (its state may differ from the log; only fallbacks are given from it).
// Every other known name is in the store alone, and turn_of loads it when somebody asks.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/described_json.h"
#include "duel/service/owner.h"
#include "duel/verdict/glance.h"

namespace duel {
namespace {

Error no_experiment(const std::string& experiment_id) {
  return said_of(experiment_id, Error::not_found(""));
}

Error exists_already(const std::string& experiment_id, std::string_view more = "") {
  return refused(Reason::exists,
                 fmt::format("there is an experiment '{}' already{}", experiment_id, more));
}

// With which a request stops for now; it waits until the place is open again.
Error is_away() { return refused(Reason::overloaded, "the experiment is being loaded; try again"); }

}  // namespace

void Engine::Owner::know_sleeper(const std::string& experiment_id, std::int64_t due_ms) {
  wake_later(experiment_id, {due_ms, true, std::nullopt});
}

// True if it was created; false if it is there already and the same request made it, so that a
// client may repeat a request whose answer it has missed.
Result<bool> Engine::Owner::create_now(Place& place, const ExperimentRecord& record,
                                       RequestFacts& facts) {
  if (const auto known = turn_of_known(place, facts); known.ok()) {
    const ExperimentRecord& first = known->experiment.ledger().experiment();
    if (first.service.request == record.service.request) return false;
    return exists_already(place.id, ", made with another body");
  } else if (known.error().code != ErrorCode::not_found) {
    return known.error();
  }
  auto history = std::make_unique<History>();
  DUEL_ASSIGN(std::unique_ptr<Experiment> made,
              Experiment::create(engine_.setting_of(place.id, *history), record, now_ms_));
  // The name may be taken by an experiment without a line, whose first append failed: that one is
  // ours to fill. Or another node has just created it: then `own` says so.
  if (!engine_.store_->create(place.id).ok()) {
    DUEL_RETURN_IF_ERROR(own(place, facts));
    DUEL_ASSIGN(const bool cut_short, is_half_imported(*engine_.store_, place.id));
    if (cut_short) return exists_already(place.id, ", whose import was cut short");
  }
  hold(place,
       {std::move(made), std::move(history), turns_, now_ms_, 0, engine_.epoch_of(place.id)});
  place.events.push_back({place.id, 1, "state"});
  return true;
}

Status Engine::Owner::write_imported(Place& place, Import& import, RequestFacts& facts) {
  if (import.written) return *import.written;
  if (place.held) return exists_already(place.id);
  if (const Status made = engine_.store_->create(place.id); !made.ok()) {
    if (made.error().code == ErrorCode::io) return made.error();
    // The name may be taken by an earlier import that failed: it has no lines, or some of them.
    DUEL_RETURN_IF_ERROR(own(place, facts));
    DUEL_ASSIGN(const Head head, engine_.store_->head(place.id));
    DUEL_ASSIGN(const bool cut_short, is_half_imported(*engine_.store_, place.id));
    if (head.sequence > 0 && !cut_short) return exists_already(place.id);
  }
  // When the experiment is back the request is worked on again, and finds import.written above.
  send_away(place, [this, &place, &import]() -> Homecoming {
    import.written =
        append_imported(*engine_.store_, engine_.world(), place.id, import.log.text, import.marks);
    return [] {};
  });
  return is_away();
}

void Engine::Owner::hold(Place& place, Held held) {
  engine_.metrics_.know(place.id);
  if (held.experiment->audited()) {
    engine_.audits_->pass(place.id);
  } else if (!engine_.audits_->passed(place.id)) {
    engine_.audits_->begin(place.id);
  }
  // Counters count what this process did: outcomes that are already in the log are not added.
  held.counted = held.stored = OutcomeCounts(held.experiment->ledger());
  publish(*held.experiment);
  place.held = std::make_unique<Held>(std::move(held));
  visit(place);
  ++num_held_;
  ++engine_.in_memory_;
}

std::unique_ptr<Engine::Owner::Held> Engine::Owner::let_go(Place& place) {
  visit(place);
  --num_held_;
  --engine_.in_memory_;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = overviews_.find(place.id); found != overviews_.end()) {
      overviews_.erase(found);
    }
  }
  return std::move(place.held);
}

// Leaves a summary for lists, which are made on other threads and must not touch the experiment.
void Engine::Owner::publish(const Experiment& experiment) {
  Overview overview = experiment.overview();
  const std::lock_guard lock(mutex_);
  overviews_[experiment.id()] = std::move(overview);
}

void Engine::Owner::count_outcomes(Held& held) {
  const Ledger& ledger = held.experiment->ledger();
  const OutcomeCounts now(ledger);
  engine_.metrics_.count(ledger, held.counted, now);
  held.counted = now;
}

void Engine::Owner::count_outcomes(std::function<void()> done) {
  std::vector<std::string> ids;
  for (const auto& [id, place] : places_) ids.push_back(id);
  ++counting_;
  count_outcomes_of(std::move(ids), std::move(done));
}

void Engine::Owner::count_outcomes_of(std::vector<std::string> ids, std::function<void()> done) {
  const Slice slice{engine_.world(), engine_.world().now() + kTurn};
  while (!ids.empty() && !slice.is_over()) {
    const auto found = places_.find(ids.back());
    ids.pop_back();
    if (found == places_.end()) continue;
    const Place& place = *found->second;
    if (place.held && !place.closed) count_outcomes(*place.held);
  }
  if (ids.empty()) {
    done();
    --counting_;
    return;
  }
  post([this, ids = std::move(ids), done = std::move(done)] { count_outcomes_of(ids, done); });
}

// Forgets what this node knew about the experiment, and returns the error that makes the caller go
// to the owner.
Error Engine::Owner::is_elsewhere(Place& place, RequestFacts& facts) {
  facts.elsewhere = true;
  engine_.metrics_.forget_standing(place.id);
  lost_.erase(place.id);
  if (const auto slept = asleep_.find(place.id); slept != asleep_.end()) {
    due_.erase({slept->second.due_ms, place.id});
    asleep_.erase(slept);
  }
  return refused(Reason::not_ours, "another node answers for the experiment '" + place.id + "'");
}

Status Engine::Owner::own(Place& place, RequestFacts& facts) {
  const Status owned = engine_.store_->own(place.id);
  if (owned.ok() || engine_.nodes_ == nullptr) return owned;
  if (owned.error().code == ErrorCode::conflict) return is_elsewhere(place, facts);
  if (owned.error().code == ErrorCode::io) {
    engine_.store_refuses_ = true;
    engine_.say_refusal(owned.error());
  }
  return owned;
}

void Engine::Owner::drop(Place& place) {
  // What is staged is not counted, since it is unknown whether it reached the log: `hold` takes all
  // that is loaded for counted, so the counters may miss these records and count none twice.
  engine_.metrics_.count(place.held->experiment->ledger(), place.held->counted, place.held->stored);
  const bool standing_is_known = !place.held->experiment->has_staged();
  std::unique_ptr<Held> dropped = let_go(place);
  if (engine_.nodes_ != nullptr || !standing_is_known) engine_.metrics_.forget_standing(place.id);
  if (engine_.nodes_ == nullptr) return;
  lost_[place.id] = std::move(dropped);
  moved_.push_back({place.id, 0, "moved"});
}

Result<Turn> Engine::Owner::turn_of_lost(const Place& place, const Error& why) {
  const auto found = lost_.find(place.id);
  if (found == lost_.end()) return why;
  return Turn{*found->second->experiment, {now_ms_, StoreAccess::unreadable}};
}

Result<Turn> Engine::Owner::turn_of(Place& place, RequestFacts& facts) {
  if (auto damage = engine_.audits_->damage(place.id)) {
    return said_of(place.id, std::move(*damage));
  }
  if (place.held) {
    Held& held = *place.held;
    // A new epoch means that another node has had the experiment in between. With lines staged the
    // state must stay for the append, which the store refuses if the experiment is not ours.
    if (held.experiment->has_staged() || engine_.epoch_of(place.id) == held.epoch) {
      held.used = turns_;
      held.used_ms = now_ms_;
      return Turn{*held.experiment, {now_ms_, access()}};
    }
    drop(place);
  }
  if (!check_id("an experiment", place.id).ok()) return no_experiment(place.id);
  // `own` would wait for a database that does not answer, and all other experiments with it.
  if (engine_.nodes_ != nullptr && engine_.store_refuses_) {
    return turn_of_lost(place, Error::io("the store is unreachable"));
  }
  if (const Status owned = own(place, facts); !owned.ok()) {
    if (owned.error().code == ErrorCode::not_found) return no_experiment(place.id);
    return turn_of_lost(place, owned.error());
  }
  if (place.load_error) {
    if (place.load_error->code != ErrorCode::io) return *place.load_error;
    return turn_of_lost(place, *place.load_error);
  }
  if (auto refusal = refusal_of(place)) return *std::move(refusal);
  load(place);
  return is_away();
}

Result<Turn> Engine::Owner::turn_of_known(Place& place, RequestFacts& facts) {
  DUEL_ASSIGN(const Turn turn, turn_of(place, facts));
  // A lost state may hold records that never reached the store.
  if (turn.moment.store == StoreAccess::unreadable) {
    return cannot_store("it is unreachable");
  }
  return turn;
}

void Engine::Owner::send_away(Place& place, std::function<Homecoming()> job) {
  place.closed = true;
  engine_.keeper_->post([this, &place, job = std::move(job)] {
    Homecoming home = job();
    const std::lock_guard lock(mutex_);
    returned_.emplace_back(&place, std::move(home));
    wake();
  });
}

// REQUIRES: it is ours, and neither in memory nor away.
void Engine::Owner::load(Place& place) {
  const std::optional<std::uint64_t> epoch = engine_.epoch_of(place.id);
  const auto slept = asleep_.find(place.id);
  // Unless it fell asleep here in this very epoch, there may have been a time in which no process
  // answered for it. People could not answer then, so their duels get more time (`after_pause`).
  const bool slept_here = slept != asleep_.end() && slept->second.epoch == epoch;
  const bool after_pause = !slept_here || slept->second.after_pause;
  auto held = std::make_shared<Held>();
  held->history = std::make_unique<History>();
  held->saved_ms = now_ms_;
  held->epoch = epoch;
  send_away(place, [this, &place, now_ms = now_ms_, after_pause, held]() -> Homecoming {
    const World::Moment begun = engine_.world().now();
    const auto read = [&]() -> Result<std::unique_ptr<Experiment>> {
      Store& store = *engine_.store_;
      DUEL_ASSIGN(const Head head, store.head(place.id));
      DUEL_ASSIGN(const bool cut_short, is_half_imported(store, place.id));
      if (head.sequence == 0 || cut_short) return Error::not_found("");
      return Experiment::load(
          engine_.setting_of(place.id, *held->history), place.id, now_ms, after_pause,
          [&](std::string_view extra) { return held->history->restore(extra); });
    };
    auto loaded = std::make_shared<Result<std::unique_ptr<Experiment>>>(read());
    return [this, &place, loaded, held, took = engine_.world().now() - begun] {
      take_loaded(place, std::move(*loaded), std::move(*held), took);
    };
  });
}

std::optional<Error> Engine::Owner::refusal_of(const Place& place) {
  const auto found = refused_.find(place.id);
  if (found == refused_.end()) return std::nullopt;
  if (engine_.world().now() < found->second.until) return found->second.why;
  refused_.erase(found);
  return std::nullopt;
}

void Engine::Owner::take_loaded(Place& place, Result<std::unique_ptr<Experiment>> loaded, Held held,
                                World::Moment::duration took) {
  if (!loaded.ok()) {
    const Error error = said_of(place.id, loaded.error());
    const auto reason = reason_of(error);
    if (reason == Reason::damaged || reason == Reason::ahead_of_clock) {
      engine_.audits_->note_load(place.id, error);
      // Whoever asks again does not have a long log read each time: for that at most a tenth of one
      // thread is spent.
      constexpr int kTimesAsLong = 10;
      refused_.insert_or_assign(place.id,
                                RefusedLoad{error, engine_.world().now() + kTimesAsLong * took});
    }
    if (place.waiting.empty()) return;
    place.load_error = error;
    place.load_failed_for = place.waiting.size();
    return;
  }
  engine_.audits_->note_load(place.id, std::nullopt);
  // Another node has taken it meanwhile. The requests that waited are tried again and find that.
  if (engine_.epoch_of(place.id) != held.epoch) return;
  held.experiment = std::move(*loaded);
  const Experiment& experiment = *held.experiment;
  const auto slept = asleep_.find(place.id);
  const bool slept_here = slept != asleep_.end() && slept->second.epoch == held.epoch;
  if (engine_.nodes_ != nullptr && !slept_here) {
    engine_.audits_->forget(place.id);
    moved_.push_back({place.id, experiment.ledger().sequence(), "reset"});
  }
  if (slept != asleep_.end()) {
    due_.erase({slept->second.due_ms, place.id});
    asleep_.erase(slept);
  }
  lost_.erase(place.id);
  if (const std::string& why = experiment.refused_snapshot(); !why.empty()) {
    engine_.say(why);
    const std::lock_guard lock(engine_.mutex_);
    ++engine_.counts_.snapshots_refused;
  }
  held.saved = experiment.snapshot_sequence();
  held.used = turns_;
  held.used_ms = now_ms_;
  hold(place, std::move(held));
  // Of the duels that fell due while it was not in memory; the others expire in later turns.
  constexpr std::chrono::milliseconds kAtOnce{1};
  if (!engine_.store_refuses_ && engine_.holds_lease()) {
    expire(place, {engine_.world(), engine_.world().now() + kAtOnce});
  }
}

Engine::Owner::Saved Engine::Owner::save_now(const Held& held) const {
  const Experiment& experiment = *held.experiment;
  if (experiment.ledger().sequence() == held.saved || engine_.store_->broken()) return {};
  const std::optional<Snapshot> snapshot =
      experiment.save(held.history->save(), described_json(glance_of(experiment.ledger())));
  if (!snapshot) return {};
  return {snapshot->sequence, engine_.store_->put_snapshot(experiment.id(), *snapshot)};
}

void Engine::Owner::note_saved(Held& held, const Saved& saved) {
  if (saved.sequence == 0) return;
  // A snapshot is only a shortcut: without it the log is read from an older one or from line 1.
  if (!saved.put.ok()) {
    return engine_.say("no snapshot of '" + held.experiment->id() +
                       "': " + saved.put.error().to_string());
  }
  held.saved = saved.sequence;
  const std::lock_guard lock(engine_.mutex_);
  ++engine_.counts_.snapshots;
}

// REQUIRES: the place is open, and nothing is staged.
void Engine::Owner::save(Place& place, Then then) {
  count_outcomes(*place.held);
  const Experiment& experiment = *place.held->experiment;
  const bool changed = experiment.ledger().sequence() != place.held->saved;
  // What a small state would save in time its requests would lose while it is away.
  if (!experiment.is_large() || !changed) {
    note_saved(*place.held, save_now(*place.held));
    if (then == Then::sleep) put_to_sleep(place);
    return;
  }
  const bool leaves = then == Then::sleep;
  if (leaves) --num_held_, --engine_.in_memory_;
  send_away(place, [this, &place, leaves]() -> Homecoming {
    return [this, &place, leaves, saved = save_now(*place.held)] {
      note_saved(*place.held, saved);
      if (!leaves) return;
      ++num_held_, ++engine_.in_memory_;
      // A request that came meanwhile needs it in memory.
      if (place.waiting.empty()) put_to_sleep(place);
    };
  });
}

// Only what had requests in this turn can have grown.
void Engine::Owner::save_what_grew() {
  const EngineOptions& options = engine_.options_;
  for (Place* const place : visited_) {
    if (!place->held || place->closed || place->held->experiment->has_staged()) continue;
    Held& held = *place->held;
    if (held.experiment->ledger().sequence() < held.saved + options.snapshot_every) continue;
    if (now_ms_ - held.saved_ms < options.snapshot_interval.count()) continue;
    held.saved_ms = now_ms_;
    save(*place, Then::stay);
  }
}

void Engine::Owner::put_to_sleep(Place& place) {
  const std::unique_ptr<Held> held = let_go(place);
  wake_later(place.id, {held->experiment->due_ms().value_or(0), false, held->epoch});
}

void Engine::Owner::wake_later(const std::string& experiment_id, const Asleep& asleep) {
  asleep_[experiment_id] = asleep;
  if (asleep.due_ms != 0) due_.emplace(asleep.due_ms, experiment_id);
}

// Wakes experiments with a duel that is due, so that it expires as if they had been in memory.
void Engine::Owner::wake_due() {
  constexpr int kMostAtOnce = 8;  // per tick: `own` may have to ask the database on this thread
  for (int woken = 0; woken < kMostAtOnce; ++woken) {
    if (due_.empty() || due_.begin()->first >= now_ms_) return;
    const std::string id = due_.begin()->second;
    due_.erase(due_.begin());
    if (engine_.nodes_ != nullptr && !engine_.epoch_of(id)) continue;  // not ours
    Place& place = place_of(id);
    visit(place);
    RequestFacts unused;
    // If it fails, the next request for the experiment fails too and is told why.
    if (!place.closed) (void)turn_of(place, unused);
  }
}

void Engine::Owner::forget_idle() {
  const EngineOptions& options = engine_.options_;
  const auto may_leave = [](const Place& place) {
    return place.held && !place.closed && place.waiting.empty() &&
           !place.held->experiment->has_staged();
  };
  if (now_ms_ >= none_idle_before_ms_) {
    constexpr std::size_t kMostAtOnce = 8;  // each is written to the store
    std::vector<Place*> idle;
    none_idle_before_ms_ = now_ms_ + options.idle_time.count();
    for (const auto& [id, place] : places_) {
      if (!place->held) continue;
      const std::int64_t idle_at_ms = place->held->used_ms + options.idle_time.count();
      const bool is_idle = now_ms_ >= idle_at_ms && may_leave(*place);
      if (is_idle && idle.size() < kMostAtOnce) {
        idle.push_back(place.get());
      } else {
        none_idle_before_ms_ = std::min(none_idle_before_ms_, idle_at_ms);
      }
    }
    for (Place* const place : idle) save(*place, Then::sleep);
  }
  // The owners share the memory: the one with less than its share need not give way.
  const std::size_t share = options.most_in_memory / engine_.owners_.size();
  while (engine_.in_memory_ > options.most_in_memory && num_held_ > share) {
    Place* oldest = nullptr;
    for (const auto& [id, place] : places_) {
      if (!may_leave(*place)) continue;
      if (oldest == nullptr || place->held->used < oldest->held->used) oldest = place.get();
    }
    // All that are left were used in this very turn: the next request would load them again.
    if (oldest == nullptr || oldest->held->used == turns_) return;
    save(*oldest, Then::sleep);
  }
}

}  // namespace duel
