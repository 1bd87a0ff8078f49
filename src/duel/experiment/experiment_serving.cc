// How duels are served: to whom, which, and as what.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "duel/experiment/experiment.h"
#include "duel/experiment/slices.h"
#include "duel/experiment/tasks_left.h"

namespace duel {
namespace {

// Begins the ids of fallbacks that the caller did not name: they are not logged, and known all the
// same.
constexpr std::string_view kFallback = "f.";
// Of an id made by the server, after `kFallback`.
constexpr std::size_t kMadeIdLength = 26;

}  // namespace

std::string subject_of_link(std::string_view link, std::string_view subject) {
  return link.empty() ? std::string(subject) : fmt::format("{}/{}", link, subject);
}

std::string_view link_of(std::string_view subject) {
  const std::size_t slash = subject.find('/');
  return slash == std::string_view::npos ? std::string_view() : subject.substr(0, slash);
}

Proof proof_of(const std::string& experiment_id, const Served& served) {
  return {.experiment_id = experiment_id,
          .duel_id = served.serve.duel_id,
          .round = served.serve.round,
          .first = served.serve.first,
          .second = served.serve.second,
          .serving = served.serve.serving,
          .subject = served.serve.subject,
          .served_at_ms = served.at_ms,
          .expires_at_ms = served.serve.expires_at.ms};
}

Proof proof_of(const std::string& experiment_id, const Fallback& fallback) {
  return {.experiment_id = experiment_id,
          .duel_id = fallback.duel_id,
          .first = fallback.arm,
          .second = {},
          .fallback = true,
          .subject = fallback.subject,
          .served_at_ms = fallback.at_ms};
}

// The duel of a serve record with the contents of its arms and its task.
Served Experiment::shown(const LogEntry& entry, bool again) const {
  Served served{std::get<ServeRecord>(entry.record), entry.time_ms, again};
  const auto content_of = [&](const std::string& arm) {
    return ledger().arms()[*ledger().find_arm(arm)].entry.content;
  };
  if (ledger().parts().space) {
    served.first = served.serve.first_point;
    served.second = served.serve.second_point;
  } else {
    served.first = content_of(served.serve.first);
    served.second = content_of(served.serve.second);
  }
  served.voting = ledger().experiment().voting;
  if (served.serve.task.empty()) return served;
  // Their names are in the order of the log, mostly; a search would take long with many.
  const std::span<const Json> items = ledger().tasks().items.items();
  const auto is_it = [&](const Json& item) {
    return item.at("task_id").get<std::string>() == served.serve.task;
  };
  const std::size_t place = tasks_.place_of(served.serve.task).value_or(items.size());
  const auto item = place < items.size() && is_it(items[place])
                        ? items.begin() + static_cast<std::ptrdiff_t>(place)
                        : std::ranges::find_if(items, is_it);
  if (item == items.end()) return served;
  if (const Json* payload = item->find("payload")) served.task = *payload;
  return served;
}

// The winner, the default arm, or the first: of those that are active, and if possible of those
// that can be shown. `blind`: not the winner for being it.
std::string Experiment::fallback_arm(std::span<const Arm> excluded, bool blind) const {
  if (const TunedSpace* const tuned = ledger().tuned()) {
    const bool found = ledger().completed() && ledger().certificate() && !blind;
    return found ? tuned->certified().id() : tuned->in_use().id();
  }
  std::vector<Arm> arms;
  const auto& given = ledger().certificate();
  if (given && given->winner && !blind) arms.push_back(*given->winner);
  const auto chosen = ledger().find_arm(ledger().experiment().service.default_arm);
  if (chosen) arms.push_back(*chosen);
  for (Arm arm = 0; arm < ledger().num_arms(); ++arm) arms.push_back(arm);
  const auto active = [&](Arm arm) { return ledger().arms()[arm].active; };
  const auto shown = [&](Arm arm) {
    return active(arm) && std::ranges::find(excluded, arm) == excluded.end();
  };
  auto found = std::ranges::find_if(arms, shown);
  if (found == arms.end()) found = std::ranges::find_if(arms, active);
  return ledger().id_of(found == arms.end() ? arms.front() : *found);
}

bool Experiment::is_fallback(const std::string& duel_id) const {
  if (fallback_ids_.contains(duel_id)) return true;
  return duel_id.size() == kFallback.size() + kMadeIdLength && duel_id.starts_with(kFallback);
}

Json Experiment::content_of_arm(const std::string& arm) const {
  const auto found = ledger().find_arm(arm);
  return found ? ledger().arms()[*found].entry.content : Json();
}

Fallback Experiment::fallback(const Wish& wish, Fallback::Why why, std::int64_t now_ms) {
  constexpr std::size_t kRemembered = 10'000;
  std::vector<Arm> excluded;
  for (const std::string& arm : wish.excluded) excluded.push_back(*ledger().find_arm(arm));
  const bool shows_arm = why != Fallback::Why::done;
  Fallback given{.duel_id = wish.duel_id,
                 .arm = shows_arm ? fallback_arm(excluded, wish.voter) : "",
                 .why = why,
                 .subject = wish.subject,
                 .at_ms = time_of({now_ms}),
                 .named = !wish.duel_id.empty() && !wish.made_for_it};
  given.shows_result = !shows_arm && ledger().experiment().voting.shows_result;
  if (shows_arm) given.content = content_of_arm(given.arm);
  // Without ids of its own a door has no use for one that is in no log.
  if (!setting_.new_id && given.duel_id.empty()) return given;
  if (given.duel_id.empty()) given.duel_id = std::string(kFallback) + setting_.new_id(now_ms);
  if (fallback_ids_.insert(given.duel_id).second) fallback_order_.push_back(given.duel_id);
  if (fallback_order_.size() > kRemembered) {
    fallback_ids_.erase(fallback_order_.front());
    fallback_order_.pop_front();
  }
  return given;
}

Result<const DuelRecords*> Experiment::records_of(const std::string& duel_id) {
  DUEL_ASSIGN(const DuelRecords* records, duels_->look_up(duel_id, ledger().sequence() + 1));
  if (records->serve || ledger().find_open(duel_id) == nullptr) return records;
  return refused(Reason::store_unavailable,
                 fmt::format("the store has lost the record of the duel '{}'", duel_id));
}

Result<DuelRecords> Experiment::find(const std::string& duel_id) {
  duels_->forget();
  DUEL_ASSIGN(const DuelRecords* records, records_of(duel_id));
  if (records->serve) return *records;
  return refused(Reason::unknown_duel, fmt::format("no duel '{}' was served", duel_id));
}

Result<std::optional<Served>> Experiment::served_before(const std::string& duel_id,
                                                        const std::string& request) {
  duels_->forget();
  DUEL_ASSIGN(const DuelRecords* records, records_of(duel_id));
  if (!records->serve) return std::optional<Served>();
  const auto& serve = std::get<ServeRecord>(records->serve->record);
  if (serve.request != request) {
    return refused(Reason::other_question,
                   fmt::format("the duel '{}' was asked for with another body", duel_id));
  }
  return std::optional(shown(*records->serve, true));
}

Status Experiment::check_wish(const Wish& wish) const {
  if (!wish.duel_id.empty()) DUEL_RETURN_IF_ERROR(check_id("a duel", wish.duel_id));
  if (ledger().parts().space && !wish.excluded.empty()) {
    return Error::unsupported("a point cannot be left out; skip the duel instead")
        .in_field("exclude");
  }
  for (const std::string& arm : wish.excluded) {
    if (!ledger().find_arm(arm)) {
      return Error::invalid_argument(fmt::format("there is no arm '{}'", arm)).in_field("exclude");
    }
  }
  DUEL_RETURN_IF_ERROR(check_slice_values(ledger().experiment().slices, wish.slices));
  const bool has_items = !ledger().tasks().items.items().empty();
  if (has_items && !wish.task.empty() && !tasks_.knows(wish.task)) {
    return Error::invalid_argument(fmt::format("there is no task '{}'", wish.task))
        .in_field("task_id");
  }
  // A log of `duel run` only counts its tasks; who asks has to say which one it is about.
  if (ledger().tasks().count > 0 && tasks_.empty() && wish.task.empty()) {
    return Error::invalid_argument("is missing: the experiment does not hold its tasks")
        .in_field("task_id");
  }
  // A page of the leader's results alone would tell which arm leads.
  if (wish.voter && ledger().parts().pages) {
    return refused(Reason::wrong_mode, "clicks decide here: there is nothing to vote on");
  }
  if (ledger().parts().panel && wish.subject.empty()) {
    return Error::invalid_argument("is missing: what a panel is asked depends on who asks")
        .in_field("subject_id");
  }
  if (ledger().parts().panel && !wish.task.empty()) {
    return Error::invalid_argument("of a panel it is drawn for each member; leave it out")
        .in_field("task_id");
  }
  DUEL_RETURN_IF_ERROR(live_.check_context(wish.context));
  if (wish.task.empty()) return Done{};
  DUEL_RETURN_IF_ERROR(in_field("task_id", check_id("a task", wish.task)));
  return in_field("task_id", ledger().statement().takes_tasks());
}

// The older of the voter's open duels where there may be no other.
Result<std::optional<Served>> Experiment::open_duel_of(const std::string& subject) {
  const auto found = last_duels_of_.find(subject);
  if (found == last_duels_of_.end()) return std::optional<Served>();
  std::vector<std::string> open;
  std::ranges::copy_if(found->second, std::back_inserter(open), [&](const std::string& duel_id) {
    return ledger().find_open(duel_id) != nullptr;
  });
  if (open.size() < kOpenDuelsPerVoter) return std::optional<Served>();
  DUEL_ASSIGN(const DuelRecords* records, records_of(open[0]));
  DUEL_CHECK(records->serve.has_value());
  return std::optional(shown(*records->serve, true));
}

std::optional<Fallback::Why> Experiment::why_not_now(const Wish& wish, const Moment& moment) const {
  const Guardrails& guardrails = ledger().guardrails();
  const std::uint64_t cap = guardrails.max_duels_per_subject_per_day;
  const bool is_same_day = time_of(moment) / kDayMs == day_;
  if (wish.over_cap) return Fallback::Why::cap;
  if (cap > 0 && !wish.subject.empty() && is_same_day) {
    const auto today = served_today_.find(wish.subject);
    if (today != served_today_.end() && today->second >= cap) return Fallback::Why::cap;
  }
  if (wish.most_subjects > 0 && is_same_day) {
    const auto today = subjects_today_.find(link_of(wish.subject));
    if (today != subjects_today_.end() && today->second.size() >= wish.most_subjects &&
        !today->second.contains(wish.subject)) {
      return Fallback::Why::cap;
    }
  }
  if (ledger().state() != ExperimentState::running) return Fallback::Why::not_running;
  if (ledger().num_pending() >= guardrails.max_pending) return Fallback::Why::pending;
  const auto reached = [&](std::uint64_t limit) { return limit > 0 && ledger().served() >= limit; };
  if (reached(wish.limit) || reached(ledger().experiment().stopping.max_duels)) {
    return Fallback::Why::limit;
  }
  return std::nullopt;
}

// Whether nothing that the subject could still say to a panel can matter.
bool Experiment::is_done(const std::string& subject) const {
  if (!ledger().parts().panel) return false;
  return ledger().certificate() || ledger().completed() || !live_.has_question(subject);
}

Result<Offer> Experiment::serve(const Wish& wish, const Moment& moment) {
  duels_->forget();
  DUEL_RETURN_IF_ERROR(check_wish(wish));
  const auto instead = [&](Fallback::Why why) { return Offer(fallback(wish, why, moment.now_ms)); };
  // A duel that may be in the log all the same: under its id nothing else is shown, or the answer
  // to what was shown would count as one to the pair in the log.
  const auto may_be_logged = [&] {
    return refused(
        Reason::store_unavailable,
        fmt::format("whether the duel '{}' was served before cannot be read now", wish.duel_id));
  };
  const bool named = !wish.duel_id.empty() && !wish.made_for_it;
  if (moment.store == StoreAccess::unreadable || spoiled()) {
    if (named) return may_be_logged();
    return instead(Fallback::Why::store);
  }
  if (!wish.duel_id.empty()) {
    DUEL_ASSIGN(std::optional<Served> again, served_before(wish.duel_id, wish.request));
    if (again) return Offer(std::move(*again));
  }
  if (wish.only_again) return instead(Fallback::Why::not_before);
  if (moment.store == StoreAccess::read_only) {
    // After a write of unknown fate the log is read without it, and the next start may find it.
    if (named && setting_.store->broken()) return may_be_logged();
    return instead(Fallback::Why::store);
  }
  const auto last = last_duels_of_.find(wish.subject);
  DUEL_RETURN_IF_ERROR(expire_for(
      last == last_duels_of_.end() ? std::span<const std::string>() : last->second, moment));
  if (wish.voter && !wish.subject.empty()) {
    DUEL_ASSIGN(std::optional<Served> open, open_duel_of(wish.subject));
    if (open) return Offer(std::move(*open));
  }
  if (wish.voter && ledger().parts().audited) return serve_audit(wish, moment);
  if (is_done(wish.subject)) return instead(Fallback::Why::done);
  if (wish.voter && exploits_the_winner(ledger())) return instead(Fallback::Why::certified);
  if (const auto why = why_not_now(wish, moment)) return instead(*why);
  if (ledger().parts().space) {
    DUEL_RETURN_IF_ERROR(stage_search(moment));
    if (wish.task.empty() && lacks_proof_tasks()) return instead(Fallback::Why::tasks_used_up);
  }
  std::vector<Arm> excluded;
  for (const std::string& arm : wish.excluded) excluded.push_back(*ledger().find_arm(arm));
  const bool few_arms = ledger().num_active() < 2;
  DUEL_ASSIGN(std::optional<ServeRecord> serve, choose(wish, excluded, moment));
  if (!serve) {
    return instead(few_arms || !excluded.empty() ? Fallback::Why::few_arms
                                                 : Fallback::Why::tasks_used_up);
  }
  LogEntry entry{0, time_of(moment), *std::move(serve), {}};
  Served served = shown(entry, false);
  DUEL_RETURN_IF_ERROR(stage(std::move(entry.record), moment));
  return Offer(std::move(served));
}

Result<Offer> Experiment::serve_audit(const Wish& wish, const Moment& moment) {
  const bool ended = ledger().certificate() || ledger().completed();
  const bool running = ledger().state() == ExperimentState::running;
  if (ended) return Offer(fallback(wish, Fallback::Why::done, moment.now_ms));
  if (!running) return Offer(fallback(wish, Fallback::Why::not_running, moment.now_ms));
  // Where tasks are the sample anybody may be asked, and where people are, everybody once.
  const bool once = !ledger().tasks().like_these() || ledger().tasks().count == 0;
  const AuditOffers::Next next = offers_.next(wish.subject, once, time_of(moment));
  for (const std::string& duel_id : next.spent) {
    DUEL_RETURN_IF_ERROR(give_up_audit(duel_id, moment));
    if (ledger().certificate()) return Offer(fallback(wish, Fallback::Why::done, moment.now_ms));
  }
  if (next.until_ms) {
    DUEL_ASSIGN(const DuelRecords* records, records_of(*next.duel_id));
    Served again = shown(*records->serve, true);
    again.serve.subject = wish.subject;
    again.serve.expires_at = {*next.until_ms};
    return Offer(std::move(again));
  }
  if (next.duel_id) {
    DUEL_ASSIGN(auto served, offer(*next.duel_id, wish.subject, moment));
    return Offer(std::move(*served));
  }
  return Offer(fallback(wish, Fallback::Why::no_audits, moment.now_ms));
}

Result<std::optional<ServeRecord>> Experiment::choose(const Wish& wish,
                                                      const std::vector<Arm>& excluded,
                                                      const Moment& moment) {
  std::string duel_id = wish.duel_id;
  if (duel_id.empty() && setting_.new_id) duel_id = setting_.new_id(moment.now_ms);
  // Choosing changes the policy. Once a pair has met every task it may turn out that nothing is to
  // be asked, and only then a copy is worth its price.
  std::optional<LiveExperiment::Undo> undo;
  if (!tasks_.empty() && (wish.known || ledger().some_pair_met_all_tasks())) {
    undo = live_.before_choice();
  }
  std::optional<ServeRecord> serve = live_.choose(duel_id, excluded, wish.subject, wish.context);
  if (!serve) return serve;
  serve->request = wish.request;
  if (serve->serving == Serving::exploit) return serve;
  if (setting_.deadlines) {
    serve->expires_at = {time_of(moment) +
                         static_cast<std::int64_t>(ledger().feedback().timeout_s) * 1000};
  }
  if (!draw_task(wish, *serve)) {
    DUEL_CHECK(undo.has_value());
    live_.undo_choice(std::move(*undo));
    return std::optional<ServeRecord>();
  }
  serve->slices = slices_of(wish, serve->task);
  DUEL_ASSIGN(const bool met, has_met(*serve));
  if (met) serve->evidence = false;
  recall(wish, *serve);
  serve->audit = audit_share_of(*serve);
  return serve;
}

// Those of the wish, and of the task where the wish says nothing.
SliceValues Experiment::slices_of(const Wish& wish, std::string_view task) const {
  SliceValues values = wish.slices;
  const Slices& declared = ledger().experiment().slices;
  const auto place = declared.empty() ? std::nullopt : tasks_.place_of(task);
  const std::span<const Json> items = ledger().tasks().items.items();
  if (!place || *place >= items.size()) return values;
  const Json* const of_task = items[*place].find("slices");
  if (of_task == nullptr) return values;
  for (const auto& [name, value] : of_task->members()) {
    const auto is_it = [&](const auto& one) { return one.first == name; };
    if (std::ranges::none_of(declared, is_it) || std::ranges::any_of(values, is_it)) continue;
    if (value.is_string()) values.emplace_back(name, value.get<std::string>());
  }
  return values;
}

// The probability that a person is asked, too, fixed before the program answers.
double Experiment::audit_share_of(const ServeRecord& serve) const {
  const AuditRule& rule = ledger().experiment().audit;
  if (!rule.on() || !serve.evidence || serve.first == serve.second) return 0;
  if (!rule.by_price()) return rule.share;
  const AuditedUnits* const pair =
      ledger().referee().audited(*ledger().find_arm(serve.first), *ledger().find_arm(serve.second));
  const double correlation = (pair == nullptr ? AuditedUnits() : *pair).correlation();
  return best_audit_share(rule.price.judge / rule.price.person, correlation, rule.least);
}

Status Experiment::stage_search(const Moment& moment) {
  while (auto record = live_.due()) DUEL_RETURN_IF_ERROR(stage(std::move(*record), moment));
  return Done{};
}

bool Experiment::lacks_proof_tasks() {
  const TunedSpace& tuned = *ledger().tuned();
  if (tasks_.empty() || !ledger().parts().tasks_end || !tuned.proof().stands()) return false;
  // A task that was asked about stays so: those before the last one found need no second look.
  proof_task_ = tasks_.next_place(proof_task_,
                                  [&](const std::string& task) { return may_prove(tuned, task); });
  return proof_task_ == tasks_.size();
}

// A search draws from its own tasks, again and again; a proof from those that no duel was about.
bool Experiment::draw_task_of_space(const Wish& wish, ServeRecord& serve) {
  const TunedSpace& tuned = *ledger().tuned();
  const bool proves = serve.evidence;
  if (!wish.task.empty()) {
    serve.task = wish.task;
  } else if (!ledger().parts().tasks_end) {
    serve.task = *tasks_.draw_among(ledger(), [](const std::string&) { return true; });
  } else {
    const auto mine = [&](const std::string& task) {
      return proves ? may_prove(tuned, task) : !tuned.is_for_proofs(task);
    };
    const std::string* task = tasks_.draw_among(ledger(), mine);
    // Of few tasks the lot may have left none to the search.
    if (task == nullptr) {
      task = tasks_.draw_among(ledger(), [](const std::string&) { return true; });
    }
    serve.task = *task;
  }
  if (serve.evidence && !ledger().statement().admits(serve, 0, 0).ok()) serve.evidence = false;
  return true;
}

// An answer that is known before its duel is served is no evidence.
void Experiment::recall(const Wish& wish, ServeRecord& serve) {
  if (wish.known && wish.known(serve)) serve.evidence = false;
}

// Of a local run, also when its log is read: a run that goes on does not begin again with them.
void Experiment::note_recalled(const ServeRecord& serve) {
  if (setting_.deadlines || serve.evidence || serve.task.empty()) return;
  const auto first = ledger().find_arm(serve.first), second = ledger().find_arm(serve.second);
  if (first && second) recalled_.emplace(std::minmax(*first, *second), serve.task);
}

// Another task where the known answer about this one has been given already, each as likely;
// nothing where none is left. What is known was known before the draw, so that no answer to come
// decides what is drawn.
std::optional<std::string> Experiment::task_to_recall(const std::string& task, Arm i, Arm j) const {
  const auto is_new = [&](const std::string& other) {
    return !ledger().has_met(i, j, other) && !recalled_.contains({std::minmax(i, j), other});
  };
  if (is_new(task)) return task;
  const std::string* const other = tasks_.draw_among(ledger(), is_new);
  return other == nullptr ? std::nullopt : std::optional(*other);
}

// The task of the duel, and whether its answer may be evidence. False where nothing is left to be
// learned: the pair, or every way to a certificate, has used up its tasks.
bool Experiment::draw_task(const Wish& wish, ServeRecord& serve) {
  if (!wish.task.empty()) {
    serve.task = wish.task;
  } else if (tasks_.empty()) {
    return true;
  }
  if (ledger().parts().space) return draw_task_of_space(wish, serve);
  const Arm i = *ledger().find_arm(serve.first), j = *ledger().find_arm(serve.second);
  if (const Panel* const panel = ledger().panel()) {
    const std::string* const task = tasks_.draw_among(
        ledger(), [&](const std::string& one) { return panel->may_ask(serve.subject, i, j, one); });
    DUEL_CHECK(task != nullptr);  // the pair was chosen since there is one
    serve.task = *task;
    return true;
  }
  if (serve.task.empty()) {
    if (i != j && needs_more_tasks(ledger(), i, j)) return false;
    serve.task = tasks_.draw(ledger(), i, j);
    if (i != j && wish.known) {
      const auto task = task_to_recall(serve.task, i, j);
      if (!task && is_open(ledger(), i, j)) return false;
      if (task) serve.task = *task;
    }
  }
  const Statement& statement = ledger().statement();
  const bool fresh = !statement.has_met(i, j, serve.task);
  if (i == j || (fresh && statement.admits(serve, i, j).ok())) return true;
  serve.evidence = false;
  // A pair that is settled teaches the policy still, but only while there is something to find out.
  return !wish.task.empty() || !needs_more_tasks(ledger());
}

// Whether the subject has been asked about the pair, so that its answer is no evidence again.
Result<bool> Experiment::has_met(const ServeRecord& serve) const {
  // A panel knows what its members have said, and may ask again where nothing came.
  if (!serve.evidence || serve.subject.empty() || ledger().parts().panel) return false;
  const std::uint64_t tag = tag_of(serve);
  if (staged_tags_.contains(tag)) return true;
  return setting_.store->tagged(stored_name(), tag);
}

}  // namespace duel
