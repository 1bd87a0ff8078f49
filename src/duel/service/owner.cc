// Step by step, a turn: receive what other threads have left, work on requests, expire what is due,
// lay down what was staged and perhaps commit it, answer.
#include "duel/service/owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>

namespace duel {
namespace {

constexpr auto kTick = std::chrono::milliseconds(500);
constexpr std::uint64_t kTicksToAlive = 30;  // every 15 s, often enough to keep a stream open
// How often a request is tried whose append is refused. Two nodes that take an experiment from each
// other in turn must not keep the request forever.
constexpr int kMostTries = 3;

// Whether an answer or error says something about an experiment's state, so that it could be wrong
// once another node owns the experiment. An invalid request is invalid on every node, and an error
// of the store says nothing about the state.
bool tells_of_state(const std::optional<Error>& error) {
  return !error || (error->code != ErrorCode::io && error->code != ErrorCode::invalid_argument &&
                    error->code != ErrorCode::unsupported);
}

}  // namespace

Engine::Owner::Owner(Engine& engine, bool first) : engine_(engine), first_(first) {}

void Engine::Owner::start() {
  last_tick_ms_ = engine_.options_.clock();
  turns_queue_ = engine_.world().queue();
  tick_later();
}

void Engine::Owner::wake() {
  if (awake_) return;
  awake_ = true;
  turns_queue_->post([this] { take_turn(); });
}

void Engine::Owner::wake_up() {
  const std::lock_guard lock(mutex_);
  wake();
}

// Wakes the owner even if no request comes, since duels expire by the clock.
void Engine::Owner::tick_later() {
  turns_queue_->after(kTick, [this] {
    tick_later();
    wake_up();
  });
}

void Engine::Owner::enqueue(std::unique_ptr<Request> request) {
  {
    const std::lock_guard lock(mutex_);
    if (!engine_.stopping_ && engine_.waiting_ < engine_.options_.most_waiting) {
      ++engine_.waiting_;
      arrived_.push_back(std::move(request));
      wake();
      return;
    }
  }
  request->send(refused(Reason::overloaded, "too many requests wait; try again"), {});
}

void Engine::Owner::post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  wake();
}

void Engine::Owner::hand_back(std::vector<Laid> laid) {
  const std::lock_guard lock(mutex_);
  settled_.insert(settled_.end(), std::make_move_iterator(laid.begin()),
                  std::make_move_iterator(laid.end()));
  wake();
}

void Engine::Owner::stop() {
  wake_up();
  // The last turn runs when nothing waits and nothing is away: stopping the queue loses no work.
  finished_.get_future().wait();
  turns_queue_->stop();
}

bool Engine::Owner::is_idle() const {
  if (counting_ > 0) return false;
  return std::ranges::all_of(places_, [](const auto& one) {
    const Place& place = *one.second;
    return !place.closed && place.waiting.empty() && place.worked.empty();
  });
}

std::optional<Overview> Engine::Owner::overview_of(const std::string& experiment_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = overviews_.find(experiment_id);
  return found == overviews_.end() ? std::nullopt : std::optional(found->second);
}

std::string Engine::Owner::epochs() const {
  std::string out;
  for (const auto& [id, place] : places_) {
    if (!place->held || !place->held->epoch) continue;
    fmt::format_to(std::back_inserter(out), "duel_node_epoch{{experiment=\"{}\"}} {}\n", id,
                   *place->held->epoch);
  }
  return out;
}

Engine::Owner::Place& Engine::Owner::place_of(const std::string& experiment_id) {
  std::unique_ptr<Place>& place = places_[experiment_id];
  if (!place) place = std::make_unique<Place>(Place{.id = experiment_id});
  return *place;
}

void Engine::Owner::visit(Place& place) {
  if (!std::exchange(place.visited, true)) visited_.push_back(&place);
}

void Engine::Owner::queue_up(Place& place) {
  if (place.closed || place.in_rotation || place.waiting.empty()) return;
  place.in_rotation = true;
  (place.waiting.front()->begun ? continuing_ : rotation_).push_back(&place);
}

// Under load the answers of one turn bring the requests of the next. A turn that began with the
// first of them would be a commit and a sync for a few, and the others would wait for it.
void Engine::Owner::wait_for_company() {
  constexpr std::size_t kMany = 16;
  constexpr std::chrono::microseconds kPause{200};  // less than a sync takes
  if (last_worked_ < kMany || !rotation_.empty() || !continuing_.empty()) return;
  if (!expiring_.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (engine_.stopping_ || arrived_.size() >= last_worked_) return;
    if (!settled_.empty() || !returned_.empty() || !tasks_.empty()) return;
  }
  engine_.world().pause(kPause);
}

void Engine::Owner::take_turn() {
  wait_for_company();
  ++turns_;
  now_ms_ = engine_.options_.clock();
  receive();
  work_on_waiting();
  // A clock that has gone back must not stop the ticks until it catches up.
  if (now_ms_ - last_tick_ms_ >= kTick.count() || now_ms_ < last_tick_ms_) {
    tick();
    last_tick_ms_ = now_ms_;
    if (++ticks_ % ticks_to_alive() == 0 && first_) {
      unsynced_.push_back({.events = {{"", 0, "alive"}}});
    }
  }
  expire_due();
  commit();
  end_turn();
}

void Engine::Owner::receive() {
  Requests arrived;
  std::vector<std::pair<Place*, Homecoming>> returned;
  std::vector<Laid> settled;
  {
    const std::lock_guard lock(mutex_);
    arrived.swap(arrived_);
    returned.swap(returned_);
    settled.swap(settled_);
    due_tasks_.swap(tasks_);
  }
  for (const auto& [place, home] : returned) {
    place->closed = false;
    visit(*place);
    home();
    queue_up(*place);
  }
  for (const Laid& laid : settled) settle(place_of(laid.experiment->id()), &laid);
  for (std::unique_ptr<Request>& request : arrived) {
    Place& place = place_of(request->experiment_id);
    place.waiting.push_back(std::move(request));
    queue_up(place);
  }
}

// One request of each experiment in rotation, and then a slice of a request that had one before: at
// least one part of it, so that it comes to an end however much others ask.
void Engine::Owner::work_on_waiting() {
  const Slice slice{engine_.world(), engine_.world().now() + kTurn};
  std::size_t worked = 0;
  const auto next_of = [&](std::deque<Place*>& places) {
    Place& place = *places.front();
    places.pop_front();
    place.in_rotation = false;
    // It may have been closed since it was queued, and is queued again when it opens.
    if (place.closed || place.waiting.empty()) return;
    work_on_next(place, slice);
    ++worked;
  };
  while (!rotation_.empty() && worked < engine_.options_.largest_group) {
    next_of(rotation_);
    if (slice.is_over()) break;
  }
  if (!continuing_.empty()) next_of(continuing_);
  if (worked > 0) last_worked_ = worked;
}

void Engine::Owner::work_on_next(Place& place, const Slice& slice) {
  visit(place);
  std::unique_ptr<Request> request = std::move(place.waiting.front());
  place.waiting.pop_front();
  RequestFacts facts;
  facts.leased = engine_.holds_lease();
  const auto put_back = [&] { place.waiting.push_front(std::move(request)); };
  try {
    const Result<Turn> turn = turn_for(place, *request, facts);
    if (place.closed) return put_back();
    if (!turn.ok()) {
      facts.error = turn.error();
    } else if (request->aside && turn->moment.store != StoreAccess::unreadable &&
               turn->experiment.is_large()) {
      // What others have staged is committed first: they need not wait for this one. `settle` puts
      // the place into the rotation again.
      if (!place.worked.empty()) return put_back();
      const auto asked = std::make_shared<Worked>(Worked{std::move(request), facts});
      send_away(place, [this, &place, asked, now = *turn]() -> Homecoming {
        try {
          work(place, *asked->request, now, {engine_.world(), {}}, asked->facts);
        } catch (const std::exception& error) {
          asked->facts.error = engine_.mistake(error);
        }
        return [&place, asked] { place.worked.push_back(std::move(*asked)); };
      });
      --engine_.waiting_;
      return;
    } else {
      work(place, *request, *turn, slice, facts);
    }
  } catch (const std::exception& error) {
    facts.error = engine_.mistake(error);
  }
  if (facts.elsewhere) facts.error = refused(Reason::not_ours, "another node answers for it");
  --engine_.waiting_;
  if (place.load_failed_for > 0 && --place.load_failed_for == 0) place.load_error.reset();
  const bool more = facts.more;
  place.worked.push_back({std::move(request), std::move(facts)});
  // The rest of it comes before the requests that came after it, and only when this part of it is
  // in the store.
  if (!more) queue_up(place);
}

Result<Turn> Engine::Owner::turn_for(Place& place, Request& request, RequestFacts& facts) {
  bool created = false;
  if (request.creates) {
    DUEL_ASSIGN(created, create_now(place, *request.creates, facts));
  } else if (request.imports) {
    DUEL_RETURN_IF_ERROR(write_imported(place, *request.imports, facts));
  } else {
    return turn_of(place, facts);
  }
  DUEL_ASSIGN(Turn turn, turn_of_known(place, facts));
  turn.created = created;
  return turn;
}

// On the owner's or, while the place is closed, on the keeper's thread.
void Engine::Owner::work(Place& place, Request& request, const Turn& turn, const Slice& slice,
                         RequestFacts& facts) {
  const Before before(turn.experiment.ledger());
  request.work(turn, slice, facts);
  bool unreadable = turn.moment.store == StoreAccess::unreadable;
  if (engine_.nodes_ != nullptr && !unreadable && facts.error &&
      facts.error->code == ErrorCode::io) {
    // The store could not be read. A caller that waits for a duel gets a fallback.
    unreadable = true;
    RequestFacts again = facts;
    again.error.reset();
    request.work({turn.experiment, {turn.moment.now_ms, StoreAccess::unreadable}}, slice, again);
    if (!again.error && again.rests_on_nothing) facts = std::move(again);
  }
  if (!unreadable) return tell(place, turn.experiment, before);
  const bool of_store = facts.error && facts.error->code == ErrorCode::io;
  if (facts.rests_on_nothing || of_store) return;
  // The log may have gone on without this state: "no such duel" could deny a duel that another node
  // has acknowledged. Only what the store itself said can be passed on.
  facts.error = cannot_store("it is unreachable");
}

void Engine::Owner::tell(Place& place, const Experiment& experiment, const Before& before) {
  const Ledger& ledger = experiment.ledger();
  if (ledger.sequence() == before.sequence) return;
  EngineEvent event{experiment.id(), ledger.sequence(), "result"};
  if (ledger.configured_at() != before.configured) event.kind = "state";
  if (!before.certified && ledger.certificate_recorded()) event.kind = "certified";
  // An event carries no result, only the sequence to fetch: of several in a row the last suffices.
  std::vector<EngineEvent>& events = place.events;
  if (!events.empty() && events.back().kind == "result" && event.kind == "result") {
    events.back().sequence = event.sequence;
    return;
  }
  events.push_back(std::move(event));
}

// What the last request has staged so far is appended with the rest of it.
void Engine::Owner::go_on_later(Place& place) {
  std::unique_ptr<Request> request = std::move(place.worked.back().request);
  place.worked.pop_back();
  request->begun = true;
  place.waiting.push_front(std::move(request));
  ++engine_.waiting_;
  queue_up(place);
}

// An owner that finds nothing staged calls it, too: it may be its turn to commit for others.
void Engine::Owner::commit() {
  std::vector<Laid> mine;
  for (std::size_t k = 0; k < visited_.size(); ++k) {  // settling visits no further places
    Place& place = *visited_[k];
    if (place.closed) continue;
    if (!place.worked.empty() && place.worked.back().facts.more &&
        place.worked.back().request->together) {
      go_on_later(place);
      continue;
    }
    if (!place.held || !place.held->experiment->has_staged()) {
      settle(place, nullptr);
      continue;
    }
    place.closed = true;
    const Experiment& experiment = *place.held->experiment;
    mine.push_back({this, &experiment, experiment.staged_lines(), std::nullopt});
  }
  std::vector<Laid> all = engine_.commits_.lay(std::move(mine));
  if (all.empty()) return;
  engine_.append(all);
  // The next owner commits while this one answers.
  if (const auto next = engine_.commits_.finish()) (*next)->wake_up();
  std::map<Owner*, std::vector<Laid>> of_others;
  for (Laid& laid : all) {
    if (laid.owner != this) of_others[laid.owner].push_back(std::move(laid));
  }
  for (auto& [owner, laid] : of_others) owner->hand_back(std::move(laid));
  for (const Laid& laid : all) {
    if (laid.owner == this) settle(place_of(laid.experiment->id()), &laid);
  }
}

// An experiment whose lines were refused is dropped, because its state in memory already contains
// them; it is loaded again from the store when it is next asked for.
void Engine::Owner::settle(Place& place, const Laid* laid) {
  visit(place);
  if (laid != nullptr) {
    place.closed = false;
    if (laid->failed) {
      drop(place);
    } else {
      place.held->experiment->committed();
      place.held->stored = OutcomeCounts(place.held->experiment->ledger());
      publish(*place.held->experiment);
    }
  }
  // After a step that failed halfway the state is no longer the fold of its records. It is dropped
  // only now that its staged lines have been appended.
  if (place.held && place.held->experiment->spoiled()) drop(place);
  // A change whose append failed has not happened.
  std::vector<EngineEvent> events = std::exchange(place.events, {});
  if (laid != nullptr && laid->failed) events.clear();
  Requests again;
  for (Worked& worked : place.worked) {
    if (!answer(place, worked, laid)) again.push_back(std::move(worked.request));
  }
  place.worked.clear();  // and keeps its memory for the next turn
  engine_.waiting_ += again.size();
  place.waiting.insert(place.waiting.begin(), std::make_move_iterator(again.begin()),
                       std::make_move_iterator(again.end()));
  queue_up(place);
  note_due(place);
  if (events.empty()) return;
  const bool shows = std::ranges::any_of(events, [](const EngineEvent& event) {
    return event.kind == "state" || event.kind == "certified";
  });
  // Listeners hear about records when they are durable: a certificate that power loss takes back
  // must not have been announced.
  unsynced_.push_back({.events = std::move(events)});
  // Other nodes make their lists from snapshots, so a new state or certificate is saved at once.
  if (engine_.nodes_ != nullptr && shows && place.held) save(place, Then::stay);
}

bool Engine::Owner::answer(Place& place, Worked& worked, const Laid* laid) {
  Request& request = *worked.request;
  RequestFacts& facts = worked.facts;
  // `moved`: another process has written. `backed`: the experiment was appended to in this commit,
  // which proves that this node owned it.
  const bool failed = laid != nullptr && laid->failed;
  const bool moved = failed && laid->failed->code == ErrorCode::conflict;
  const bool backed = laid != nullptr && !failed;
  if (!failed) {
    request.appended();
    if (facts.more) {
      request.begun = true;
      return false;
    }
  } else {
    request.not_appended();
    request.may_be_logged = request.may_be_logged || !moved;
    // Lines that were refused are not in the log, so the request can be tried again: on the new
    // state of the experiment, or to find out that another node owns it. And a page that waits for
    // a duel must get one even if the store is down. Tried again, now that store_refuses_ is set,
    // the experiment gives a fallback.
    const bool gets_fallback = engine_.store_refuses_ && request.when == AnswerWhen::appended;
    if (((moved && engine_.nodes_ != nullptr) || gets_fallback) && ++request.tries < kMostTries) {
      return false;
    }
    facts.error = cannot_store("it is full, unreachable, or was changed by another process");
  }
  const bool leased = facts.leased && engine_.holds_lease();
  if (!backed && tells_of_state(facts.error) && !facts.rests_on_nothing && !leased) {
    // Without a lease another node may have taken the experiment and changed it since.
    facts.error =
        refused(Reason::store_unavailable, "this node has lost touch with the store; try again");
  }
  // A second node that is asked to do the work would do it twice if it is in the log.
  const Delivery delivery{.without_lease = !backed && !leased && !request.may_be_logged};
  // An error can depend on records, too ("this duel was answered otherwise"): it waits for the disk
  // like an answer, unless it only says that the store failed.
  const bool waits =
      request.when == AnswerWhen::durable && (!facts.error || facts.error->code != ErrorCode::io);
  if (!waits) {
    request.send(std::move(facts.error), delivery);
    return true;
  }
  std::optional<Tenancy> tenancy;
  if (engine_.nodes_ != nullptr && place.held) tenancy = {place.id, place.held->epoch};
  unsynced_.push_back({.request = std::move(worked.request),
                       .error = std::move(facts.error),
                       .delivery = delivery,
                       .tenancy = std::move(tenancy)});
  return true;
}

void Engine::Owner::tick() {
  // With nodes, upkeep.h probes from its own thread: this one must not wait for a lost connection.
  if (engine_.nodes_ == nullptr && first_) {
    engine_.probe_store();
    engine_.watch_store();
  }
  // Expiring stages records, which could not be appended now.
  if (engine_.store_refuses_ || !engine_.holds_lease()) return;
  engine_.say_recovery();
  lost_.clear();
  wake_due();
  for (const auto& [id, place] : places_) {
    if (!place->held || place->closed) continue;
    const Experiment& experiment = *place->held->experiment;
    if (engine_.audits_->damage(id) && !experiment.has_staged()) {
      drop(*place);
      continue;
    }
    pass_audit(*place);
    note_due(*place);
  }
}

void Engine::Owner::note_due(Place& place) {
  if (!place.held || place.closed || place.expiring) return;
  const auto due_ms = place.held->experiment->due_ms();
  if (!due_ms || *due_ms >= now_ms_) return;
  place.expiring = true;
  expiring_.push_back(&place);
}

void Engine::Owner::pass_audit(Place& place) {
  Experiment& experiment = *place.held->experiment;
  if (!experiment.awaits_audit() || !engine_.audits_->passed(experiment.id())) return;
  const Before before(experiment.ledger());
  // If it fails, nothing was staged, and the next report stages the certificate.
  (void)experiment.pass_audit({now_ms_});
  tell(place, experiment, before);
  if (experiment.has_staged()) visit(place);
}

void Engine::Owner::expire_due() {
  if (engine_.store_refuses_ || !engine_.holds_lease()) return;  // the next tick finds them again
  const Slice slice{engine_.world(), engine_.world().now() + kTurn};
  const std::size_t most = expiring_.size();
  for (std::size_t k = 0; k < most && (k == 0 || !slice.is_over()); ++k) {
    Place& place = *expiring_.front();
    expiring_.pop_front();
    place.expiring = false;
    visit(place);  // it may be one that nobody needs any more
    if (place.held && !place.closed) expire(place, slice);  // `settle` notes what is left
  }
}

void Engine::Owner::expire(Place& place, const Slice& slice) {
  Held& held = *place.held;
  Experiment& experiment = *held.experiment;
  Before before(experiment.ledger());
  const auto expired = experiment.expire({now_ms_}, [&] { return slice.is_over(); });
  // If an expiry leads to a certificate that completes the experiment, the event is `certified` and
  // not `state`.
  before.configured = experiment.ledger().configured_at();
  tell(place, experiment, before);
  // With lines staged the state must stay until they are appended; `settle` drops it then.
  if (experiment.has_staged() || experiment.spoiled()) visit(place);
  // It stays in memory until this is done.
  held.used = turns_;
  held.used_ms = now_ms_;
  if (!expired.ok() && !experiment.has_staged()) drop(place);
}

// A node that listens for its pages takes this one for dead after a lease without a word
// (upstreams.cc), so `alive` comes three times in a lease.
std::uint64_t Engine::Owner::ticks_to_alive() const {
  if (engine_.nodes_ == nullptr) return kTicksToAlive;
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(engine_.nodes_->lease() / kTick / 3),
                                   1, kTicksToAlive);
}

void Engine::Owner::end_turn() {
  const std::vector<EngineEvent> moved = std::exchange(moved_, {});
  if (!moved.empty()) engine_.tell_listeners(moved);
  if (!unsynced_.empty()) engine_.sync_later(std::exchange(unsynced_, {}));
  save_what_grew();
  forget_idle();
  for (Place* const place : visited_) {
    place->visited = false;
    const bool empty = !place->held && !place->closed && place->waiting.empty() && !place->expiring;
    if (empty) places_.erase(std::string(place->id));
  }
  visited_.clear();
  for (const auto& task : std::exchange(due_tasks_, {})) task();
  const bool last = engine_.stopping_ && is_idle();
  const std::lock_guard lock(mutex_);
  awake_ = false;
  const bool expires = !expiring_.empty() && !engine_.store_refuses_ && engine_.holds_lease();
  if (!rotation_.empty() || !continuing_.empty() || !arrived_.empty() || !returned_.empty() ||
      !settled_.empty() || !tasks_.empty() || (expires && !engine_.stopping_)) {
    wake();
  } else if (last) {
    awake_ = true;  // so that no further turn is posted
    turns_queue_->post([this] {
      for (const auto& [id, place] : places_) {
        if (place->held) note_saved(*place->held, save_now(*place->held));
      }
      finished_.set_value();
    });
  }
}

}  // namespace duel
