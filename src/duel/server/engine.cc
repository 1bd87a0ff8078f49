#include "duel/server/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "duel/core/digest.h"
#include "duel/core/metric_family.h"
#include "duel/core/timestamp.h"
#include "duel/server/imported_log.h"
#include "duel/wire/answers.h"
#include "duel/wire/requests.h"

namespace duel {
namespace {

constexpr auto kTick = std::chrono::milliseconds(500);
constexpr std::uint64_t kTicksToAlive = 30;
// How often a request is worked on whose experiment turns out to be another node's or to have
// moved.
constexpr int kMostTries = 3;

ServerAnswer cannot_store(const std::string& why) {
  return refusal(503, "the store does not take it: " + why, true);
}

// What the snapshot says of the experiment, if nothing has happened since or that does not matter.
std::optional<Json> saved_summary(const Outline& outline, bool may_be_behind) {
  const std::optional<Snapshot>& snapshot = outline.snapshot;
  if (!snapshot) return std::nullopt;
  const bool behind =
      snapshot->sequence != outline.head.sequence || snapshot->hash != outline.head.hash;
  if (behind && !may_be_behind) return std::nullopt;
  auto digest = OwnedExperiment::digest_of(*snapshot);
  if (!digest) return std::nullopt;
  return std::move(digest->summary);
}

// The store's secret, made by whoever asks first. Of nodes that start together on a new store one
// makes it: whoever owns a name that cannot be an experiment's.
Result<std::string> secret_of(Store& store) {
  constexpr const char* kTurn = "~secret";
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  for (;;) {
    DUEL_ASSIGN(std::optional<std::string> secret, store.get("secret", "server"));
    if (secret) return std::move(*secret);
    Status turn = store.nodes() == nullptr ? Status(Done{}) : store.create(kTurn);
    // Whoever died before it was done left the name to others.
    if (!turn.ok() && store.own(kTurn).ok()) turn = Done{};
    if (turn.ok()) {
      // Whoever had the turn before may have made it since.
      DUEL_ASSIGN(secret, store.get("secret", "server"));
      if (!secret) {
        secret = random_bytes(32);
        DUEL_RETURN_IF_ERROR(store.put("secret", "server", *secret));
      }
      if (store.nodes() != nullptr) (void)store.nodes()->give_away(kTurn);
      return std::move(*secret);
    }
    if (turn.error().code != ErrorCode::conflict) return turn.error();
    if (std::chrono::steady_clock::now() > give_up) {
      return Error::io("another node has not made the store's secret within a minute");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::start(std::shared_ptr<Store> store, EngineOptions options) {
  // One secret for all that is signed or hashed with a key; what is derived from it is named.
  DUEL_ASSIGN(std::string secret, secret_of(*store));
  if (!options.clock && store->nodes() != nullptr) {
    // Nodes disagree about the time, and what one serves another may expire.
    options.clock = [nodes = store->nodes()] { return nodes->now_ms(); };
  }
  if (!options.clock) {
    // A clock that is set forth or back while the server runs must not expire what people hold.
    const auto started = std::chrono::steady_clock::now();
    options.clock = [started, at = current_time_ms()] {
      const auto passed = std::chrono::steady_clock::now() - started;
      return at + std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
    };
  }
  auto engine =
      std::unique_ptr<Engine>(new Engine(std::move(store), std::move(options), std::move(secret)));
  DUEL_RETURN_IF_ERROR(engine->find_sleepers());
  engine->run_threads();
  return engine;
}

Engine::Engine(std::shared_ptr<Store> store, EngineOptions options, std::string secret)
    : store_(std::move(store)),
      nodes_(store_->nodes()),
      options_(std::move(options)),
      secret_(std::move(secret)) {
  const std::string key = hmac_sha256_hex(secret_, "report tokens");
  tokens_ = std::make_unique<ReportTokens>("k" + hmac_sha256_hex(key, "id").substr(0, 6), key);
}

void Engine::run_threads() {
  syncer_ = std::thread([this] { run_syncs(); });
  thread_ = std::thread([this] { run(); });
}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_all();
  if (!thread_.joinable()) return;
  thread_.join();
  {
    const std::lock_guard lock(sync_mutex_);
    sync_stopping_ = true;
  }
  sync_arrived_.notify_all();
  syncer_.join();
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

ExperimentSecrets Engine::secrets_of(const std::string& experiment_id) const {
  const std::string draft = hmac_sha256_hex(secret_, "draft/" + experiment_id);
  return {.subject_salt = hmac_sha256_hex(secret_, "subject/" + experiment_id),
          .draft_seed = std::stoull(draft.substr(0, 16), nullptr, 16)};
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

void Engine::submit(AnswerWhen when, std::function<Result<ServerAnswer>(std::int64_t)> work,
                    Send send) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_ && requests_.size() < options_.most_waiting) {
      requests_.push_back({when, std::move(work), std::move(send)});
      if (requests_.size() == 1) arrived_.notify_one();
      return;
    }
  }
  send(refusal(429, "too many requests wait; try again", true));
}

void Engine::ask(const std::string& experiment_id, AnswerWhen when, Work work, Send send) {
  submit(
      when,
      [this, experiment_id, work = std::move(work)](std::int64_t now) -> Result<ServerAnswer> {
        DUEL_ASSIGN(OwnedExperiment * experiment, find(experiment_id, now));
        const Ledger& ledger = experiment->ledger();
        const std::uint64_t before = ledger.sequence();
        const std::uint64_t configured = ledger.configured_at();
        const bool certified = ledger.certificate().has_value();
        Result<ServerAnswer> answer = work(*experiment, now);
        if (nodes_ != nullptr && !experiment->lost() && !answer.ok() &&
            answer.error().code == ErrorCode::io) {
          // The store could not be read. Whoever waits for a duel gets a fallback.
          experiment->set_lost();
          if (Result<ServerAnswer> again = work(*experiment, now); experiment->served_fallback()) {
            answer = std::move(again);
          }
        }
        rests_on_nothing_ = experiment->served_fallback();
        if (experiment->lost()) {
          if (rests_on_nothing_ || !answer.ok()) return answer;
          return cannot_store("it is unreachable");
        }
        // Of a batch too: no item may look as if it were wrong.
        if (experiment->refused_change()) return cannot_store("it is full or unreachable");
        tell(*experiment, before, certified, configured);
        return answer;
      },
      std::move(send));
}

void Engine::ask_all(AnswerWhen when, WorkOnAll work, Send send) {
  submit(
      when,
      [this, work = std::move(work)](std::int64_t now) {
        const auto found = [&](const std::string& id) -> Result<OwnedExperiment*> {
          DUEL_ASSIGN(OwnedExperiment * experiment, find(id, now));
          // What a lost state holds may never have reached the store.
          if (experiment->lost()) return Error::io("the store is unreachable");
          return experiment;
        };
        return work(found, now);
      },
      std::move(send));
}

void Engine::tell(const OwnedExperiment& experiment, std::uint64_t before, bool was_certified,
                  std::uint64_t configured_before) {
  const Ledger& ledger = experiment.ledger();
  if (ledger.sequence() == before) return;
  EngineEvent event{experiment.id(), ledger.sequence(), "result"};
  if (ledger.configured_at() != configured_before) event.kind = "state";
  if (!was_certified && ledger.certificate()) event.kind = "certified";
  // Of results the last one says it all.
  if (!events_.empty() && events_.back().kind == "result" && event.kind == "result" &&
      events_.back().experiment_id == event.experiment_id) {
    events_.back().sequence = event.sequence;
    return;
  }
  events_.push_back(std::move(event));
}

void Engine::create(const ExperimentRecord& record, Send send) {
  submit(
      AnswerWhen::durable,
      [this, record](std::int64_t now) -> Result<ServerAnswer> {
        const std::string& id = record.experiment_id;
        if (const auto known = find(id, now); known.ok()) {
          if ((*known)->lost()) return cannot_store("it is unreachable");
          const ExperimentRecord& first = (*known)->ledger().experiment();
          if (first.service.request == record.service.request) return (*known)->show();
          return Error::conflict("there is an experiment '" + id +
                                 "' already, made with another body");
        } else if (known.error().code != ErrorCode::not_found) {
          return known.error();
        }
        auto made = OwnedExperiment::create(store_, record, now, secrets_of(id), *tokens_);
        if (!made.ok()) return at_pointer(made.error(), "");
        std::unique_ptr<OwnedExperiment> owned = std::move(*made);
        // It may be there without a line, if the first could not be written; or another node
        // creates it at this moment.
        if (!store_->create(id).ok()) DUEL_RETURN_IF_ERROR(own(id));
        DUEL_ASSIGN(ServerAnswer answer, owned->show());
        answer.status = 201;
        answer.headers.emplace_back("Location", "/v1/experiments/" + id);
        hold(id, {std::move(owned), groups_, now, 0, epoch_of(id)});
        events_.push_back({id, 1, "state"});
        return answer;
      },
      std::move(send));
}

void Engine::import_log(const std::string& experiment_id, std::string text, Send send) {
  auto marks = check_imported(experiment_id, text, {options_.most_arms, options_.clock()});
  if (!marks.ok()) return send(refusal(422, marks.error().to_string()));
  submit(
      AnswerWhen::durable,
      [this, experiment_id, text = std::move(text),
       marks = std::move(*marks)](std::int64_t now) -> Result<ServerAnswer> {
        touched_.push_back(experiment_id);
        const Error exists =
            Error::conflict("there is an experiment '" + experiment_id + "' already");
        if (held_.find(experiment_id) != held_.end()) return exists;
        if (const Status made = store_->create(experiment_id); !made.ok()) {
          if (made.error().code == ErrorCode::io) return made.error();
          // It may be there without a line, if those of another try could not be written.
          DUEL_RETURN_IF_ERROR(own(experiment_id));
          DUEL_ASSIGN(const Head head, store_->head(experiment_id));
          if (head.sequence > 0) return exists;
        }
        std::vector<Line> lines;
        lines.reserve(marks.size());
        std::string_view rest = text;
        for (const LineMark& mark : marks) {
          const std::size_t end = rest.find('\n');
          lines.push_back({rest.substr(0, end), mark.key, mark.tag});
          rest.remove_prefix(end + 1);
        }
        DUEL_RETURN_IF_ERROR(
            store_->append_to(experiment_id, {0, std::string(kHexDigits, '0')}, lines));
        DUEL_ASSIGN(OwnedExperiment * experiment, find(experiment_id, now));
        DUEL_ASSIGN(ServerAnswer answer, experiment->show());
        answer.status = 201;
        return answer;
      },
      std::move(send));
}

void Engine::hold(const std::string& experiment_id, Held held) {
  metrics_.know(experiment_id);
  // What happened before this process was another one's to count.
  held.counted = OutcomeCounts(held.experiment->ledger());
  held_[experiment_id] = std::move(held);
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

// As `ExperimentSummary` says (answers.h).
Json Engine::summary_of(const Outline& outline, std::int64_t now_ms) {
  Json summary;
  summary["experiment_id"] = outline.experiment;
  const auto held = held_.find(outline.experiment);
  if (held != held_.end()) {
    summary.update(held->second.experiment->summary());
  } else if (const auto saved = saved_summary(outline, nodes_ != nullptr)) {
    summary.update(*saved);
  } else if (nodes_ != nullptr) {
    // A list is no reason to take an experiment.
    summary["error"] = "its owner has saved no summary yet";
  } else if (const auto experiment = find(outline.experiment, now_ms); experiment.ok()) {
    summary.update((*experiment)->summary());
    const bool staged = (*experiment)->has_staged();
    if (held_.size() > options_.most_in_memory && !staged) forget(outline.experiment);
  } else {
    summary["error"] = experiment.error().to_string();
  }
  return summary;
}

void Engine::list(std::string after, std::size_t limit, Send send) {
  submit(
      AnswerWhen::appended,
      [this, after = std::move(after), limit](std::int64_t now) -> Result<ServerAnswer> {
        DUEL_ASSIGN(std::vector<Outline> outlines, store_->outlines());
        std::ranges::sort(outlines, {}, &Outline::experiment);
        ServerAnswer answer;
        Json items = Json::array();
        answer.body["next_cursor"] = Json();
        for (auto outline = std::ranges::upper_bound(outlines, after, {}, &Outline::experiment);
             outline != outlines.end(); ++outline) {
          if (items.size() == limit) {
            answer.body["next_cursor"] = std::prev(outline)->experiment;
            break;
          }
          items.push_back(summary_of(*outline, now));
        }
        answer.body["items"] = std::move(items);
        return answer;
      },
      std::move(send));
}

std::optional<std::uint64_t> Engine::epoch_of(const std::string& experiment_id) const {
  return nodes_ != nullptr ? nodes_->epoch(experiment_id) : std::nullopt;
}

// Answered 421 (answer_to): whoever asked goes to the owner.
Error Engine::is_elsewhere(const std::string& experiment_id) {
  elsewhere_ = true;
  metrics_.forget_standing(experiment_id);
  lost_.erase(experiment_id);
  if (const auto slept = asleep_.find(experiment_id); slept != asleep_.end()) {
    due_.erase({slept->second.due_ms, experiment_id});
    asleep_.erase(slept);
  }
  return Error::io("another node answers for the experiment '" + experiment_id + "'");
}

Status Engine::own(const std::string& experiment_id) {
  const Status owned = store_->own(experiment_id);
  if (owned.ok() || nodes_ == nullptr) return owned;
  if (owned.error().code == ErrorCode::conflict) return is_elsewhere(experiment_id);
  if (owned.error().code == ErrorCode::io) {
    store_refuses_ = true;
    say_refusal(owned.error());
  }
  return owned;
}

// A state that must not be used for more than fallbacks any more.
void Engine::drop(const std::string& experiment_id, std::unique_ptr<OwnedExperiment> state) {
  const auto held = held_.find(experiment_id);
  // Of what is staged nobody knows whether it happened.
  if (!state->has_staged()) {
    metrics_.count(state->ledger(), held->second.counted, OutcomeCounts(state->ledger()));
  }
  held_.erase(held);
  if (nodes_ == nullptr) return;
  metrics_.forget_standing(experiment_id);
  lost_[experiment_id] = std::move(state);
  moved_.push_back({experiment_id, 0, "moved"});
}

Result<OwnedExperiment*> Engine::find_lost(const std::string& experiment_id, const Error& why) {
  const auto found = lost_.find(experiment_id);
  if (found == lost_.end()) return why;
  found->second->set_store_refuses(true);
  found->second->set_lost();
  return found->second.get();
}

Result<OwnedExperiment*> Engine::find(const std::string& experiment_id, std::int64_t now_ms) {
  touched_.push_back(experiment_id);
  const auto found = held_.find(experiment_id);
  if (found != held_.end()) {
    OwnedExperiment& experiment = *found->second.experiment;
    // What is staged is refused by the store, if it is not ours any more.
    if (experiment.has_staged() || epoch_of(experiment_id) == found->second.epoch) {
      found->second.used = groups_;
      found->second.used_ms = now_ms;
      experiment.set_store_refuses(store_refuses_);
      return &experiment;
    }
    drop(experiment_id, std::move(found->second.experiment));
  }
  const Error unknown = Error::not_found("there is no experiment '" + experiment_id + "'");
  if (!check_id("an experiment", experiment_id).ok()) return unknown;
  if (nodes_ != nullptr && store_refuses_) {
    return find_lost(experiment_id, Error::io("the store is unreachable"));
  }
  if (const Status owned = own(experiment_id); !owned.ok()) {
    if (owned.error().code == ErrorCode::not_found) return unknown;
    return find_lost(experiment_id, owned.error());
  }
  auto loaded = load(experiment_id, now_ms);
  if (loaded.ok() || loaded.error().code != ErrorCode::io) return loaded;
  return find_lost(experiment_id, loaded.error());
}

// REQUIRES: it is ours.
Result<OwnedExperiment*> Engine::load(const std::string& experiment_id, std::int64_t now_ms) {
  DUEL_ASSIGN(const Head head, store_->head(experiment_id));
  if (head.sequence == 0) {
    return Error::not_found("there is no experiment '" + experiment_id + "'");
  }
  const std::optional<std::uint64_t> epoch = epoch_of(experiment_id);
  const auto slept = asleep_.find(experiment_id);
  // Where there are nodes another one may have answered for it, or nobody.
  const bool slept_here = slept != asleep_.end() && slept->second.epoch == epoch;
  const bool after_pause = !slept_here || slept->second.after_pause;
  auto loaded = OwnedExperiment::load(store_, experiment_id, now_ms, secrets_of(experiment_id),
                                      *tokens_, after_pause);
  if (!loaded.ok()) {
    // The caller's request is not what is wrong; it can be repeated when the store is repaired.
    Error error = loaded.error();
    if (error.code == ErrorCode::invalid_data) {
      error.code = ErrorCode::io;
      error.message =
          fmt::format("the records of '{}' are damaged: {}", experiment_id, error.message);
    }
    return error;
  }
  if (nodes_ != nullptr && !slept_here) {
    moved_.push_back({experiment_id, (*loaded)->ledger().sequence(), "reset"});
  }
  if (slept != asleep_.end()) {
    due_.erase({slept->second.due_ms, experiment_id});
    asleep_.erase(slept);
  }
  lost_.erase(experiment_id);
  OwnedExperiment* experiment = loaded->get();
  experiment->set_store_refuses(store_refuses_);
  hold(experiment_id,
       {std::move(*loaded), groups_, now_ms, experiment->snapshot_sequence(), epoch});
  if (const std::string& why = experiment->refused_snapshot(); !why.empty()) {
    if (options_.say) options_.say(why);
    const std::lock_guard lock(mutex_);
    ++counts_.snapshots_refused;
  }
  return experiment;
}

void Engine::save(Held& held) {
  const OwnedExperiment& experiment = *held.experiment;
  if (experiment.ledger().sequence() == held.saved || store_->broken()) return;
  const std::optional<Snapshot> snapshot = experiment.snapshot();
  if (!snapshot) return;
  // It is only a shortcut: without it the log is read.
  const Status put = store_->put_snapshot(experiment.id(), *snapshot);
  if (!put.ok()) {
    if (options_.say) {
      options_.say("no snapshot of '" + experiment.id() + "': " + put.error().to_string());
    }
    return;
  }
  held.saved = snapshot->sequence;
  const std::lock_guard lock(mutex_);
  ++counts_.snapshots;
}

void Engine::save_what_grew(std::int64_t now_ms) {
  for (auto& [id, held] : held_) {
    if (held.experiment->ledger().sequence() < held.saved + options_.snapshot_every) continue;
    if (now_ms - held.saved_ms < options_.snapshot_interval.count()) continue;
    save(held);
    held.saved_ms = now_ms;
  }
}

// Lists on other nodes show what a snapshot says.
void Engine::save_changed_states(const std::vector<EngineEvent>& events) {
  for (const EngineEvent& event : events) {
    if (event.kind != "state" && event.kind != "certified") continue;
    if (const auto held = held_.find(event.experiment_id); held != held_.end()) save(held->second);
  }
}

void Engine::forget(const std::string& experiment_id) {
  const auto found = held_.find(experiment_id);
  count_outcomes(found->second);
  save(found->second);
  falls_asleep(experiment_id,
               {found->second.experiment->due_ms().value_or(0), false, found->second.epoch});
  held_.erase(found);
}

void Engine::falls_asleep(const std::string& experiment_id, const Asleep& asleep) {
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
    const auto digest = OwnedExperiment::digest_of(*outline.snapshot);
    if (digest && digest->due_ms) falls_asleep(outline.experiment, {*digest->due_ms, true});
  }
  return Done{};
}

// An answer that is due in an experiment that sleeps: it expires as if the experiment were awake.
void Engine::wake_due(std::int64_t now_ms) {
  constexpr int kMostAtOnce = 8;
  for (int woken = 0; woken < kMostAtOnce; ++woken) {
    if (due_.empty() || due_.begin()->first >= now_ms) return;
    const std::string id = due_.begin()->second;
    const bool ours = nodes_ == nullptr || nodes_->epoch(id).has_value();
    if (ours && find(id, now_ms).ok()) continue;
    due_.erase(due_.begin());  // whoever asks for it will be told why
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
  for (const std::string& id : idle) forget(id);
  while (held_.size() > options_.most_in_memory) {
    auto oldest = held_.end();
    for (auto one = held_.begin(); one != held_.end(); ++one) {
      if (one->second.experiment->has_staged()) continue;
      if (oldest == held_.end() || one->second.used < oldest->second.used) oldest = one;
    }
    if (oldest == held_.end() || oldest->second.used == groups_) return;
    forget(std::string(oldest->first));
  }
}

void Engine::take_group(std::vector<Request>& group) {
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, kTick, [&] { return stopping_ || !requests_.empty(); });
  while (!requests_.empty() && group.size() < options_.largest_group) {
    group.push_back(std::move(requests_.front()));
    requests_.pop_front();
  }
}

// All that is staged, in one commit. What could not be appended is folded again from the store when
// it is next asked for.
Engine::Commit Engine::append_staged() {
  Commit commit;
  std::vector<OwnedExperiment*> changed;
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
    const auto begun = std::chrono::steady_clock::now();
    const auto appended = store_->append(groups);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
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
        commit.appended.insert(id);
        count += lines[k].size();
      } else {
        commit.failed[id] = one.error().code;
        drop(id, std::move(held_.find(id)->second.experiment));
      }
    }
  }
  std::vector<std::string> spoiled;
  for (const auto& [id, held] : held_) {
    if (held.experiment->spoiled()) spoiled.push_back(id);
  }
  for (const std::string& id : spoiled) drop(id, std::move(held_.find(id)->second.experiment));
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
  for (auto& [id, held] : held_) {
    OwnedExperiment& experiment = *held.experiment;
    const std::uint64_t before = experiment.ledger().sequence();
    const bool certified = experiment.ledger().certificate().has_value();
    experiment.set_store_refuses(false);
    const auto expired = experiment.expire(now_ms);
    tell(experiment, before, certified, experiment.ledger().configured_at());
    // Staged lines go to the store first; a state that is spoiled is dropped after that.
    if (!expired.ok() && !experiment.has_staged()) unfit.push_back(id);
  }
  for (const std::string& id : unfit) drop(id, std::move(held_.find(id)->second.experiment));
}

Engine::Answered Engine::answer_to(const Request& request, std::int64_t now_ms) {
  touched_.clear();
  elsewhere_ = rests_on_nothing_ = false;
  Answered answered;
  answered.leased = holds_lease();
  try {
    Result<ServerAnswer> answer = request.work(now_ms);
    answered.answer = answer.ok() ? std::move(*answer) : refusal(answer.error());
    if (elsewhere_) answered.answer = refusal(421, "another node answers for it", true);
  } catch (const std::exception& error) {
    answered.answer = refusal(500, error.what());
  }
  answered.touched = touched_;
  answered.rests_on_nothing = rests_on_nothing_;
  return answered;
}

// The epochs in which an answer speaks for experiments.
std::vector<Engine::Spoken> Engine::epochs_of(const std::vector<std::string>& experiments) const {
  std::vector<Spoken> spoken;
  if (nodes_ == nullptr) return spoken;
  for (const std::string& id : experiments) {
    if (const auto held = held_.find(id); held != held_.end()) {
      spoken.push_back({id, held->second.epoch});
    }
  }
  return spoken;
}

// In their order, before all others.
void Engine::ask_again(std::vector<Request> requests) {
  if (requests.empty()) return;
  const std::lock_guard lock(mutex_);
  requests_.insert(requests_.begin(), std::make_move_iterator(requests.begin()),
                   std::make_move_iterator(requests.end()));
}

void Engine::answer_group(std::vector<Request>& group, std::vector<Answered>& answered,
                          const Commit& commit, std::int64_t now_ms,
                          std::vector<Waiting>& unsynced) {
  std::vector<Request> again;
  for (std::size_t k = 0; k < group.size(); ++k) {
    Request& request = group[k];
    Answered& one = answered[k];
    bool failed = false, moved = true;
    bool backed = !one.touched.empty();
    for (const std::string& id : one.touched) {
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
      one = answer_to(request, now_ms);
      backed = false;
    } else if (failed) {
      one.answer = cannot_store("it is full, unreachable, or was changed by another process");
      backed = false;
    }
    const bool leased = one.leased && holds_lease();
    const int status = one.answer.status;
    const bool tells_of_state = status < 500 && status != 400 && status != 421 && status != 429;
    const bool speaks_as_owner = !one.touched.empty() && !backed;
    if (speaks_as_owner && tells_of_state && !one.rests_on_nothing && !leased) {
      // Another node may have answered for the experiment since.
      one.answer = refusal(503, "this node has lost touch with the store; try again", true);
    }
    // Not where an append failed: what became of it is unknown, and another node must not be asked
    // to do it again.
    if (speaks_as_owner && !leased && !failed)
      one.answer.headers.emplace_back(kLeaseHeader, "lost");
    if (request.when == AnswerWhen::durable && one.answer.status < 421) {
      unsynced.push_back({std::move(one.answer), std::move(request.send), epochs_of(one.touched)});
    } else {
      request.send(std::move(one.answer));
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

void Engine::run() {
  std::int64_t last_tick = options_.clock();
  std::uint64_t ticks = 0;
  // Whoever listens through another node takes silence of a lease for a dead owner.
  const auto ticks_to_alive =
      nodes_ == nullptr
          ? kTicksToAlive
          : std::clamp<std::uint64_t>(static_cast<std::uint64_t>(nodes_->lease() / kTick / 3), 1,
                                      kTicksToAlive);
  for (;;) {
    std::vector<Request> group;
    take_group(group);
    if (group.empty()) {
      std::unique_lock lock(mutex_);
      if (stopping_) {
        lock.unlock();
        for (auto& [id, held] : held_) save(held);
        return;
      }
    }
    ++groups_;
    const std::int64_t now_ms = options_.clock();
    std::vector<Answered> answered;
    answered.reserve(group.size());
    for (const Request& request : group) answered.push_back(answer_to(request, now_ms));
    if (now_ms - last_tick >= kTick.count() || now_ms < last_tick) {
      tick(now_ms);
      last_tick = now_ms;
      if (++ticks % ticks_to_alive == 0) events_.push_back({"", 0, "alive"});
    }
    const Commit commit = append_staged();
    std::vector<EngineEvent> events = std::exchange(events_, {});
    std::erase_if(events, [&](const EngineEvent& event) {
      return commit.failed.find(event.experiment_id) != commit.failed.end();
    });
    std::vector<Waiting> unsynced;
    answer_group(group, answered, commit, now_ms, unsynced);
    const std::vector<EngineEvent> moved = std::exchange(moved_, {});
    if (!moved.empty()) tell_listeners(moved);
    if (nodes_ != nullptr) save_changed_states(events);
    if (!events.empty()) {
      // Streams hear of what is durable, and certificates are news only then.
      unsynced.push_back(
          {ServerAnswer{}, [this, events = std::move(events)](const ServerAnswer& synced) {
             if (synced.status == 200) tell_listeners(events);
           }});
    }
    if (!unsynced.empty()) {
      const std::lock_guard lock(sync_mutex_);
      for (Waiting& one : unsynced) unsynced_.push_back(std::move(one));
      sync_arrived_.notify_one();
    }
    save_what_grew(now_ms);
    forget_idle(now_ms);
    const std::lock_guard lock(mutex_);
    counts_.in_memory = held_.size();
  }
}

void Engine::run_syncs() {
  for (;;) {
    std::vector<Waiting> waiting;
    {
      std::unique_lock lock(sync_mutex_);
      sync_arrived_.wait(lock, [&] { return sync_stopping_ || !unsynced_.empty(); });
      if (unsynced_.empty()) return;
      waiting.swap(unsynced_);
    }
    const Status synced = store_->sync();
    {
      const std::lock_guard lock(mutex_);
      ++counts_.syncs;
    }
    for (Waiting& one : waiting) {
      // A store that has crashed may have lost the records and given the experiment to another
      // node: a sync says nothing of those.
      const bool still_ours = std::ranges::all_of(one.spoken, [&](const Spoken& spoken) {
        return nodes_->epoch(spoken.experiment) == spoken.epoch;
      });
      if (synced.ok() && still_ours) {
        one.send(std::move(one.answer));
      } else if (synced.ok()) {
        one.send(cannot_store("another node may have taken the experiment"));
      } else {
        one.send(cannot_store(synced.error().to_string()));
      }
    }
  }
}

}  // namespace duel
