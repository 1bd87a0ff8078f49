#include "duel/service/views.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <thread>
#include <utility>

#include "duel/core/described_json.h"
#include "duel/core/id.h"

namespace duel {
namespace {

constexpr std::size_t kMostTasks = 4'096;
// Answers kept for one experiment. Only timelines with many different lengths come near it.
constexpr std::size_t kMostAnswers = 16;

std::size_t threads_of(const ViewsOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::max<std::size_t>(1, std::thread::hardware_concurrency() / 2);
}

Error too_many() { return refused(Reason::overloaded, "too many requests wait; try again"); }

}  // namespace

Views::Views(Engine& engine, ViewsOptions options)
    : engine_(engine),
      store_(engine.shared_store()),
      options_(options),
      readers_(engine.world().queue(
          {.threads = threads_of(options), .most_waiting = kMostTasks, .low_priority = true})) {}

void Views::stop() {
  std::vector<Asked> left;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& [id, seen] : seen_) {
      std::ranges::move(seen->waiting, std::back_inserter(left));
      seen->waiting.clear();
    }
  }
  for (const Asked& one : left) one.done(too_many());
  readers_->stop();
}

Views::Counts Views::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  for (const auto& [id, seen] : seen_) {
    counts.views += seen->bytes > 0 ? 1 : 0;
    counts.bytes += seen->bytes;
  }
  return counts;
}

void Views::show(const std::string& experiment_id, std::string what, Make make, Deliver done) {
  Asked asked{std::move(what), std::move(make), std::move(done)};
  if (!enqueue(experiment_id, asked)) asked.done(too_many());
}

bool Views::enqueue(const std::string& experiment_id, Asked& asked) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || waiting_ >= options_.most_waiting) return false;
  std::unique_ptr<Seen>& seen = seen_[experiment_id];
  if (!seen) seen = std::make_unique<Seen>();
  // A busy reader looks at `waiting` again before it goes: one task per experiment is enough.
  if (!seen->busy && !readers_->post([this, experiment_id] { read(experiment_id); })) return false;
  seen->busy = true;
  ++waiting_;
  seen->waiting.push_back(std::move(asked));
  return true;
}

// Goes on until nobody waits for the experiment. What came during a round is answered together in
// the next, from one fold.
void Views::read(const std::string& experiment_id) {
  bool asked_owner = false;
  for (;;) {
    Seen* seen = nullptr;
    std::vector<Asked> asked;
    {
      const std::lock_guard lock(mutex_);
      seen = seen_.find(experiment_id)->second.get();
      asked.swap(seen->waiting);
      waiting_ -= asked.size();
      seen->used = ++uses_;
      if (asked.empty()) {
        seen->busy = false;
        drop_oldest();
        return;
      }
    }
    if (!asked_owner && awaits_owner(experiment_id)) {
      asked_owner = true;
      // This blocks a reader thread, but only once per experiment after a loss of power.
      engine_.wait_for(experiment_id);
    }
    answer(experiment_id, *seen, std::move(asked));
    const std::lock_guard lock(mutex_);
    seen->bytes = seen->view ? seen->view->bytes() : 0;
  }
}

bool Views::awaits_owner(const std::string& experiment_id) {
  const auto stop = store_->last_stop();
  if (!stop.ok() || *stop != LastStop::machine_stopped) return false;
  const auto synced = store_->synced(experiment_id);
  const auto head = store_->head(experiment_id);
  return synced.ok() && head.ok() && *synced < head->sequence;
}

// Drops the least recently used views until the rest fits. Views that a reader has stay, since it
// uses them without the lock. REQUIRES: mutex_ is held.
void Views::drop_oldest() {
  for (;;) {
    std::size_t bytes = 0;
    auto oldest = seen_.end();
    for (auto one = seen_.begin(); one != seen_.end();) {
      Seen& seen = *one->second;
      if (!seen.busy && !seen.view) {
        one = seen_.erase(one);
        continue;
      }
      bytes += seen.bytes;
      if (!seen.busy && (oldest == seen_.end() || seen.used < oldest->second->used)) oldest = one;
      ++one;
    }
    if (bytes <= options_.most_bytes || oldest == seen_.end()) return;
    seen_.erase(oldest);
  }
}

Status Views::refresh(const std::string& experiment_id, Seen& seen) {
  if (seen.view) {
    const Status status = seen.view->catch_up();
    if (status.ok() || status.error().code == ErrorCode::io) return status;
    // The log is not a continuation of what was read, or is damaged. Reading it from the beginning
    // shows which.
    seen.view.reset();
    seen.answers.clear();
    seen.durable = 0;
  }
  DUEL_ASSIGN(const bool cut_short, is_half_imported(*store_, experiment_id));
  if (cut_short) return Error::not_found("");
  auto loaded = View::load(store_, experiment_id);
  if (!loaded.ok()) return loaded.error();
  seen.view = std::move(*loaded);
  const std::lock_guard lock(mutex_);
  ++counts_.folds;
  return Done{};
}

Status Views::make_durable(Seen& seen) {
  const Head at = seen.view->head();
  if (at.sequence <= seen.durable) return Done{};
  DUEL_RETURN_IF_ERROR(store_->sync());
  // A database that crashed meanwhile may have lost records that we have read, and a sync succeeds
  // without them. Catching up fails then, because the log no longer continues ours.
  if (store_->nodes() != nullptr) DUEL_RETURN_IF_ERROR(seen.view->catch_up());
  seen.durable = at.sequence;
  return Done{};
}

Result<ShownText> Views::made(Seen& seen, const Asked& asked) {
  const Head& head = seen.view->head();
  const auto known = seen.answers.find(asked.what);
  // The hash as well: a log that lost records and grew again has other records at this sequence.
  if (known != seen.answers.end() && known->second.shown.sequence == head.sequence &&
      known->second.hash == head.hash) {
    return known->second.shown;
  }
  World& world = engine_.world();
  const auto begun = world.now();
  const auto worked = world.cpu_time();  // not the time that passes: a busy machine is no reason
  DUEL_ASSIGN(std::string text, asked.make(*seen.view));
  const auto cpu = world.cpu_time() - worked;
  const auto now = world.now();
  if (seen.answers.size() >= kMostAnswers) seen.answers.clear();
  Answer& answer = seen.answers[asked.what];
  answer = {{std::make_shared<const std::string>(std::move(text)), head.sequence},
            head.hash,
            now,
            now - begun,
            cpu};
  const std::lock_guard lock(mutex_);
  ++counts_.made;
  return answer.shown;
}

void Views::answer(const std::string& experiment_id, Seen& seen, std::vector<Asked> asked) {
  const auto now = engine_.world().now();
  // Step 1: requests for a dear answer that is still fresh get it without looking at the log.
  std::erase_if(asked, [&](const Asked& one) {
    const auto known = seen.answers.find(one.what);
    if (known == seen.answers.end() || known->second.cpu < options_.cheap) return false;
    const Answer& answer = known->second;
    const auto shared_for = std::max<World::Moment::duration>(
        answer.took, std::min<std::chrono::nanoseconds>(options_.shared_for, 10 * answer.cpu));
    if (now - answer.made > shared_for) return false;
    one.done(known->second.shown);
    return true;
  });
  if (asked.empty()) return;
  // Step 2: all others are made from the head, and go out after one sync for all of them.
  Status ready = check_id("an experiment", experiment_id).ok() ? refresh(experiment_id, seen)
                                                               : Error::not_found("");
  // A snapshot may hold a certificate that the log below it does not give. This takes as long as
  // reading the log, on this reader's thread, and once after a start.
  if (ready.ok() && seen.view->ledger().certificate()) {
    ready = engine_.audits().check(experiment_id);
  } else if (const auto damage = engine_.audits().damage(experiment_id)) {
    ready = *damage;
  }
  std::vector<Result<ShownText>> answers;
  for (const Asked& one : asked) {
    try {
      answers.push_back(ready.ok() ? made(seen, one)
                                   : Result<ShownText>(said_of(experiment_id, ready.error())));
    } catch (const std::exception& error) {
      answers.emplace_back(engine_.mistake(error));
    }
  }
  if (ready.ok()) ready = make_durable(seen);
  if (!ready.ok() && seen.view) seen.answers.clear();  // none of them may be given later
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const bool undone = !ready.ok() && answers[k].ok();
    asked[k].done(undone ? Result<ShownText>(said_of(experiment_id, ready.error())) : answers[k]);
  }
}

void Views::note_glance(const std::string& experiment_id, Glance glance) {
  const std::lock_guard lock(overviews_mutex_);
  Glance& known = glances_[experiment_id];
  if (known.sequence <= glance.sequence) known = std::move(glance);
}

Listed Views::listed(const Outline& outline) {
  Listed row = summary_of(outline);
  const std::lock_guard lock(overviews_mutex_);
  const auto known = glances_.find(outline.experiment);
  // A log that lost records and grew again is no reason for care: it is only a glance.
  if (known != glances_.end() && known->second.sequence <= outline.head.sequence &&
      (!row.glance || row.glance->sequence < known->second.sequence)) {
    row.glance = known->second;
  }
  return row;
}

// With the glance of the snapshot, if there is one.
Listed Views::summary_of(const Outline& outline) {
  Listed row{outline.experiment};
  if (const auto damage = engine_.audits().damage(outline.experiment)) {
    row.error = said_of(outline.experiment, *damage).to_string();
    return row;
  }
  auto digest = outline.snapshot ? Experiment::digest_of(*outline.snapshot) : std::nullopt;
  if (digest) {
    if (auto glance = described_from<Glance>(digest->glance); glance.ok()) row.glance = *glance;
  }
  if (auto held = engine_.overview_of_held(outline.experiment)) {
    row.summary = std::move(*held);
    return row;
  }
  if (digest) {
    // With nodes an older snapshot will do: the owner saves one at each change of state or
    // certificate (Owner::settle).
    const Snapshot& snapshot = *outline.snapshot;
    const bool is_last =
        snapshot.sequence == outline.head.sequence && snapshot.hash == outline.head.hash;
    if (is_last || store_->nodes() != nullptr) row.summary = std::move(digest->summary);
  }
  if (row.summary) return row;
  {
    const std::lock_guard lock(overviews_mutex_);
    const auto known = overviews_.find(outline.experiment);
    if (known != overviews_.end() && known->second.head == outline.head) {
      row.summary = known->second.overview;
      return row;
    }
  }
  const auto view = View::load(store_, outline.experiment);
  if (!view.ok()) {
    row.error = said_of(outline.experiment, view.error()).to_string();
    return row;
  }
  row.summary = (*view)->overview();
  note_glance(outline.experiment, glance_of((*view)->ledger()));
  const std::lock_guard lock(overviews_mutex_);
  overviews_[outline.experiment] = {(*view)->head(), *row.summary};
  return row;
}

Result<ListedExperiments> Views::list_now(const std::string& after, std::size_t limit) {
  DUEL_ASSIGN(std::vector<Outline> outlines, store_->outlines());
  DUEL_ASSIGN(const auto half_imported, store_->entries(kHalfImportedSpace));
  for (const auto& [id, mark] : half_imported) {
    std::erase_if(outlines, [&id = id](const Outline& one) { return one.experiment == id; });
  }
  std::ranges::sort(outlines, {}, &Outline::experiment);
  ListedExperiments all;
  for (auto outline = std::ranges::upper_bound(outlines, after, {}, &Outline::experiment);
       outline != outlines.end(); ++outline) {
    if (all.items.size() == limit) {
      all.next_cursor = std::prev(outline)->experiment;
      break;
    }
    all.items.push_back(listed(*outline));
  }
  return all;
}

void Views::list(std::string after, std::size_t limit,
                 std::function<void(const Result<ListedExperiments>&)> done) {
  const bool taken = readers_->post(
      [this, after = std::move(after), limit, done] { done(list_now(after, limit)); });
  if (!taken) done(too_many());
}

}  // namespace duel
