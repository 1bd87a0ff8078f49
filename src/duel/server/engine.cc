#include "duel/server/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "duel/core/digest.h"
#include "duel/experiment/experiment_log.h"
#include "duel/experiment/timestamp.h"
#include "duel/server/answers.h"

namespace duel {
namespace {

constexpr auto kTick = std::chrono::milliseconds(500);
constexpr std::uint64_t kTicksToAlive = 30;

ServerAnswer cannot_store(const std::string& why) {
  return refusal(503, "the store does not take it: " + why, true);
}

// What the snapshot says of the experiment, if nothing has happened since.
std::optional<Json> saved_summary(const Outline& outline) {
  const std::optional<Snapshot>& snapshot = outline.snapshot;
  if (!snapshot || snapshot->sequence != outline.head.sequence ||
      snapshot->hash != outline.head.hash) {
    return std::nullopt;
  }
  auto digest = OwnedExperiment::digest_of(*snapshot);
  if (!digest) return std::nullopt;
  return std::move(digest->summary);
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::start(std::shared_ptr<Store> store, EngineOptions options) {
  // One secret for all that is signed or hashed with a key; what is derived from it is named.
  DUEL_ASSIGN(std::optional<std::string> secret, store->get("secret", "server"));
  if (!secret) {
    secret = random_bytes(32);
    DUEL_RETURN_IF_ERROR(store->put("secret", "server", *secret));
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
      std::unique_ptr<Engine>(new Engine(std::move(store), std::move(options), std::move(*secret)));
  DUEL_RETURN_IF_ERROR(engine->find_sleepers());
  engine->run_threads();
  return engine;
}

Engine::Engine(std::shared_ptr<Store> store, EngineOptions options, std::string secret)
    : store_(std::move(store)), options_(std::move(options)), secret_(std::move(secret)) {
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

bool Engine::ready() const { return !store_->broken() && !store_refuses_; }

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
        // Of a batch too: no item may look as if it were wrong.
        if (experiment->refused_change()) return cannot_store("it is full or out of reach");
        tell(*experiment, before, certified, configured);
        return answer;
      },
      std::move(send));
}

void Engine::ask_all(AnswerWhen when, WorkOnAll work, Send send) {
  submit(
      when,
      [this, work = std::move(work)](std::int64_t now) {
        return work([&](const std::string& id) { return find(id, now); }, now);
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
          const ExperimentRecord& first = (*known)->ledger().experiment();
          if (first.service.request == record.service.request) return (*known)->show();
          return Error::conflict("there is an experiment '" + id +
                                 "' already, made with another body");
        } else if (known.error().code != ErrorCode::not_found) {
          return known.error();
        }
        DUEL_ASSIGN(auto owned,
                    OwnedExperiment::create(store_, record, now, secrets_of(id), *tokens_));
        // It may be there without a line, if the first could not be written.
        if (!store_->create(id).ok()) DUEL_RETURN_IF_ERROR(store_->own(id));
        DUEL_ASSIGN(ServerAnswer answer, owned->show());
        answer.status = 201;
        answer.headers.emplace_back("Location", "/v1/experiments/" + id);
        held_[id] = {std::move(owned), groups_, now, 0};
        events_.push_back({id, 1, "state"});
        return answer;
      },
      std::move(send));
}

void Engine::import_log(const std::string& experiment_id, std::string text, Send send) {
  submit(
      AnswerWhen::durable,
      [this, experiment_id, text = std::move(text)](std::int64_t now) -> Result<ServerAnswer> {
        if (const Status made = store_->create(experiment_id); !made.ok()) {
          return Error::conflict("there is an experiment '" + experiment_id + "' already");
        }
        std::vector<Line> lines;
        std::vector<std::pair<std::string, std::uint64_t>> keys;  // and tags
        const auto sink = [&](const LogEntry& entry) -> Status {
          keys.emplace_back(OwnedExperiment::key_of(entry.record),
                            OwnedExperiment::tag_of(entry.record));
          return Done{};
        };
        DUEL_RETURN_IF_ERROR(read_log_text(text, experiment_id, sink));
        std::string_view rest = text;
        for (const auto& [key, tag] : keys) {
          const std::size_t end = rest.find('\n');
          lines.push_back({rest.substr(0, end), key, tag});
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

std::string Engine::experiment_metrics() const {
  std::string out = "# TYPE duel_duels_served_total counter\n";
  const auto to = std::back_inserter(out);
  for (const auto& [id, held] : held_) {
    fmt::format_to(to, "duel_duels_served_total{{experiment=\"{}\"}} {}\n", id,
                   held.experiment->ledger().served());
  }
  out += "# TYPE duel_outcomes_total counter\n";
  for (const auto& [id, held] : held_) {
    const ShownCounts all = held.experiment->ledger().total();
    for (const auto& [result, count] :
         {std::pair<const char*, std::uint64_t>{"win", all.decisive()},
          {"tie", all.ties},
          {"both_bad", all.both_bad},
          {"skip", all.skips},
          {"invalid", all.invalid},
          {"expired", all.expired}}) {
      fmt::format_to(to, "duel_outcomes_total{{experiment=\"{}\",result=\"{}\"}} {}\n", id, result,
                     count);
    }
  }
  out += "# TYPE duel_pending_duels gauge\n";
  for (const auto& [id, held] : held_) {
    fmt::format_to(to, "duel_pending_duels{{experiment=\"{}\"}} {}\n", id,
                   held.experiment->ledger().num_pending());
  }
  out += "# TYPE duel_certified gauge\n";
  for (const auto& [id, held] : held_) {
    fmt::format_to(to, "duel_certified{{experiment=\"{}\"}} {}\n", id,
                   held.experiment->ledger().certificate() ? 1 : 0);
  }
  return out;
}

// As `ExperimentSummary` says (answers.h).
Json Engine::summary_of(const Outline& outline, std::int64_t now_ms) {
  Json summary;
  summary["experiment_id"] = outline.experiment;
  const auto held = held_.find(outline.experiment);
  if (held != held_.end()) {
    summary.update(held->second.experiment->summary());
  } else if (const auto saved = saved_summary(outline)) {
    summary.update(*saved);
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

Result<OwnedExperiment*> Engine::find(const std::string& experiment_id, std::int64_t now_ms) {
  const auto found = held_.find(experiment_id);
  if (found != held_.end()) {
    found->second.used = groups_;
    found->second.used_ms = now_ms;
    found->second.experiment->set_store_refuses(store_refuses_);
    return found->second.experiment.get();
  }
  const Error unknown = Error::not_found("there is no experiment '" + experiment_id + "'");
  if (!check_id("an experiment", experiment_id).ok()) return unknown;
  if (const Status owned = store_->own(experiment_id); !owned.ok()) {
    if (owned.error().code == ErrorCode::not_found) return unknown;
    return owned.error();
  }
  DUEL_ASSIGN(const Head head, store_->head(experiment_id));
  if (head.sequence == 0) return unknown;
  const auto slept = asleep_.find(experiment_id);
  const bool after_pause = slept == asleep_.end() || slept->second.after_pause;
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
  if (slept != asleep_.end()) {
    due_.erase({slept->second.due_ms, experiment_id});
    asleep_.erase(slept);
  }
  OwnedExperiment* experiment = loaded->get();
  experiment->set_store_refuses(store_refuses_);
  held_[experiment_id] = {std::move(*loaded), groups_, now_ms, experiment->snapshot_sequence()};
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

void Engine::save_what_grew() {
  for (auto& [id, held] : held_) {
    if (held.experiment->ledger().sequence() >= held.saved + options_.snapshot_every) save(held);
  }
}

void Engine::forget(const std::string& experiment_id) {
  const auto found = held_.find(experiment_id);
  save(found->second);
  falls_asleep(experiment_id, {found->second.experiment->due_ms().value_or(0), false});
  held_.erase(found);
}

void Engine::falls_asleep(const std::string& experiment_id, const Asleep& asleep) {
  asleep_[experiment_id] = asleep;
  if (asleep.due_ms != 0) due_.emplace(asleep.due_ms, experiment_id);
}

// What the process before left waiting: a snapshot that is behind the log errs by being early.
Status Engine::find_sleepers() {
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
    if (find(id, now_ms).ok()) continue;
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
bool Engine::append_staged() {
  std::vector<OwnedExperiment*> changed;
  std::vector<std::vector<Line>> lines;
  std::uint64_t count = 0;
  for (auto& [id, held] : held_) {
    if (!held.experiment->has_staged()) continue;
    changed.push_back(held.experiment.get());
    lines.push_back(held.experiment->staged_lines());
    count += lines.back().size();
  }
  if (changed.empty()) return true;
  std::vector<Group> groups;
  for (std::size_t k = 0; k < changed.size(); ++k) {
    groups.push_back({changed[k]->id(), changed[k]->stored_head(), lines[k]});
  }
  const auto appended = store_->append(groups);
  store_refuses_ = !appended.ok();
  const bool all = appended.ok() && std::all_of(appended->begin(), appended->end(),
                                                [](const Status& one) { return one.ok(); });
  for (std::size_t k = 0; k < changed.size(); ++k) {
    if (appended.ok() && (*appended)[k].ok()) {
      changed[k]->committed();
    } else {
      held_.erase(held_.find(changed[k]->id()));
    }
  }
  std::erase_if(held_, [](const auto& one) { return one.second.experiment->spoiled(); });
  const std::lock_guard lock(mutex_);
  ++counts_.commits;
  if (all) {
    counts_.appended_lines += count;
  } else {
    ++counts_.failed_appends;
  }
  counts_.in_memory = held_.size();
  return all;
}

// A server that is not ready gets no requests, so it must find out by itself that it could be.
void Engine::probe_store() {
  if (store_->put("probe", "writable", "").ok()) store_refuses_ = false;
}

void Engine::tick(std::int64_t now_ms) {
  if (store_refuses_) probe_store();
  if (store_refuses_) return;
  wake_due(now_ms);
  for (auto one = held_.begin(); one != held_.end();) {
    OwnedExperiment& experiment = *one->second.experiment;
    const std::uint64_t before = experiment.ledger().sequence();
    const bool certified = experiment.ledger().certificate().has_value();
    const auto expired = experiment.expire(now_ms);
    tell(experiment, before, certified, experiment.ledger().configured_at());
    one = expired.ok() ? std::next(one) : held_.erase(one);
  }
}

ServerAnswer Engine::answer_to(const Request& request, std::int64_t now_ms) {
  try {
    Result<ServerAnswer> answer = request.work(now_ms);
    return answer.ok() ? std::move(*answer) : refusal(answer.error());
  } catch (const std::exception& error) {
    return refusal(500, error.what());
  }
}

void Engine::run() {
  std::int64_t last_tick = options_.clock();
  std::uint64_t ticks = 0;
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
    std::vector<ServerAnswer> answers;
    answers.reserve(group.size());
    for (const Request& request : group) answers.push_back(answer_to(request, now_ms));
    if (now_ms - last_tick >= kTick.count() || now_ms < last_tick) {
      tick(now_ms);
      last_tick = now_ms;
      if (++ticks % kTicksToAlive == 0) events_.push_back({"", 0, "alive"});
    }
    const bool stored = append_staged();
    std::vector<EngineEvent> events = std::exchange(events_, {});
    std::vector<Waiting> unsynced;
    for (std::size_t k = 0; k < group.size(); ++k) {
      // Some experiment's lines are not there: whatever was answered may rest on them. A page that
      // waits for a duel is answered all the same: asked again, the experiment gives a fallback.
      if (!stored && store_refuses_ && group[k].when == AnswerWhen::appended) {
        group[k].send(answer_to(group[k], now_ms));
      } else if (!stored) {
        group[k].send(cannot_store("it is full, out of reach or was changed by somebody else"));
      } else if (group[k].when == AnswerWhen::durable) {
        unsynced.push_back({std::move(answers[k]), std::move(group[k].send)});
      } else {
        group[k].send(std::move(answers[k]));
      }
    }
    if (!unsynced.empty() || (stored && !events.empty())) {
      if (stored && !events.empty()) {
        // Streams hear of what is durable, and certificates are news only then.
        unsynced.push_back({ServerAnswer{}, [this, events = std::move(events)](ServerAnswer) {
                              std::vector<Listener> listeners;
                              {
                                const std::lock_guard lock(mutex_);
                                listeners = listeners_;
                              }
                              for (const Listener& listener : listeners) {
                                for (const EngineEvent& event : events) listener(event);
                              }
                            }});
      }
      const std::lock_guard lock(sync_mutex_);
      for (Waiting& one : unsynced) unsynced_.push_back(std::move(one));
      sync_arrived_.notify_one();
    }
    save_what_grew();
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
      if (synced.ok()) {
        one.send(std::move(one.answer));
      } else {
        one.send(cannot_store(synced.error().to_string()));
      }
    }
  }
}

}  // namespace duel
