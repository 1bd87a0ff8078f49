// Staging and folding, and what changes the experiment itself: configuration, state, arms, tasks.
#include "duel/experiment/experiment.h"

#include <fmt/format.h>

#include "duel/core/rng.h"
#include "duel/experiment/features.h"
#include "duel/log/experiment_log.h"

namespace duel {
namespace {

// The tasks that the first record holds, by name.
std::vector<std::string> names_of(const TaskSet& tasks) {
  std::vector<std::string> names;
  for (const Json& item : tasks.items.items()) {
    names.push_back(item.at("task_id").get<std::string>());
  }
  return names;
}

// Apart from the ids of duels, which hold no slash.
std::string key_of_comparison(const std::string& comparison_id) {
  return "comparison/" + comparison_id;
}

// Why the arms cannot change as they are asked to. The store's trouble is no fault of the change.
Error against_the_change(Error error) {
  if (error.code != ErrorCode::io) error.code = ErrorCode::conflict;
  return error;
}

}  // namespace

std::string Experiment::key_of(const Record& record) {
  return std::visit(
      []<class Kind>(const Kind& kind) -> std::string {
        if constexpr (requires { kind.duel_id; }) return kind.duel_id;
        if constexpr (std::is_same_v<Kind, ComparisonRecord>) {
          if (!kind.comparison_id.empty()) return key_of_comparison(kind.comparison_id);
        }
        return "";
      },
      record);
}

std::uint64_t Experiment::tag_of(const Record& record) {
  const auto* serve = std::get_if<ServeRecord>(&record);
  if (serve == nullptr || serve->subject.empty()) return 0;
  if (!serve->evidence && serve->first_point.is_null()) return 0;
  // A point was found by the answers of those who were asked before: each counts once, whatever
  // the two points are.
  const bool space = !serve->first_point.is_null();
  const std::string nothing;
  const auto& [low, high] =
      space ? std::pair<const std::string&, const std::string&>(nothing, nothing)
            : std::minmax(serve->first, serve->second);
  const std::uint64_t hash =
      mix64(hash_text(low) ^ mix64(hash_text(high) ^ mix64(hash_text(serve->subject))));
  return hash == 0 ? 1 : hash;
}

Experiment::Experiment(Setting setting, LiveExperiment live, StoredDuels* duels)
    : setting_(std::move(setting)),
      live_(std::move(live)),
      duels_(duels),
      tasks_(setting_.tasks.empty() ? names_of(ledger().tasks()) : setting_.tasks),
      pages_(setting_.draft_seed, ledger().experiment().service.interleave.method),
      head_(kHexDigits, '0'),
      stored_head_{0, head_},
      offers_(ledger().experiment().audit.give_up_after) {
  duels_->know_arms(ledger().arms());
  count_payloads();
}

void Experiment::count_payloads() {
  payloads_ = {};
  for (const LedgerArm& arm : ledger().arms()) count_payload(arm.entry);
  for (const Json& item : ledger().tasks().items.items()) {
    const std::size_t bytes = item.text_size();
    payloads_.task = std::max(payloads_.task, bytes);
    payloads_.all += bytes;
  }
}

void Experiment::count_payload(const ArmEntry& arm) {
  const std::size_t bytes = arm.content.text_size();
  payloads_.all += bytes;
  payloads_.second = std::max(payloads_.second, std::min(payloads_.largest, bytes));
  payloads_.largest = std::max(payloads_.largest, bytes);
}

bool Experiment::is_large() const {
  constexpr std::size_t kManyArms = 64;  // the state grows with their square
  constexpr std::size_t kManyPending = 5'000, kManyBytes = std::size_t{1} << 20;
  // What a learner of points believes costs a triangular solve for each point that is shown.
  return ledger().parts().space || ledger().num_arms() > kManyArms ||
         ledger().num_pending() > kManyPending || payloads_.all > kManyBytes;
}

Result<std::unique_ptr<Experiment>> Experiment::create(Setting setting,
                                                       const ExperimentRecord& wanted,
                                                       std::int64_t now_ms) {
  ExperimentRecord record = wanted;
  if (record.audit.on() && record.audit.key_sha256.empty()) {
    record.audit.key_sha256 = sha256_hex(setting.audit_key);
  }
  DUEL_ASSIGN(std::unique_ptr<Experiment> made,
              begin(setting, LogEntry{1, now_ms, record, std::string(kHexDigits, '0')}));
  DUEL_ASSIGN(std::string line, log_line(1, now_ms, record, made->head_, made->sha_));
  line.pop_back();
  made->lines_.push_back({std::move(line), "", 0});
  return made;
}

std::vector<Line> Experiment::staged_lines() const {
  std::vector<Line> lines;
  lines.reserve(lines_.size());
  for (const StagedLine& line : lines_) lines.push_back({line.text, line.key, line.tag});
  return lines;
}

void Experiment::committed() {
  stored_head_ = {stored_head_.sequence + lines_.size(), head_};
  lines_.clear();
  staged_tags_.clear();
  duels_->committed();
}

// The one place where a record is checked, applied and written as a line.
Result<Effect> Experiment::stage(Record record, const Moment& moment) {
  const auto* serve = std::get_if<ServeRecord>(&record);
  // A choice that was not served has changed the policy, and the next fold would not know of it: no
  // other record may follow. Nor may a serve that a proof brings back pass for the chosen one.
  const bool is_choice = serve != nullptr && serve->by != ServedBy::recovered;
  if (moment.store != StoreAccess::writable || (spoiled() && !is_choice)) {
    return refused(Reason::store_unavailable,
                   "the store does not take it: it is full or unreachable");
  }
  DUEL_RETURN_IF_ERROR(live_.check(record));
  LogEntry entry{ledger().sequence() + 1, time_of(moment), std::move(record), head_};
  DUEL_ASSIGN(std::string line,
              log_line(entry.sequence, entry.time_ms, entry.record, entry.hash, sha_));
  line.pop_back();  // ends of lines are the store's
  std::string key = key_of(entry.record);
  DUEL_ASSIGN(const Effect effect, live_.take(entry));
  if (!key.empty()) duels_->staged(key, entry);
  const std::uint64_t tag = tag_of(entry.record);
  if (tag != 0) staged_tags_.insert(tag);
  lines_.push_back({std::move(line), std::move(key), tag});
  note(entry);
  return effect;
}

// Which duels wait for people. A local run asks nobody by name, and keeps no offers.
void Experiment::note_audit(const Record& record) {
  const auto duel_of = [&](const std::string& duel_id) -> const LedgerDuel* {
    const LedgerDuel* const duel = ledger().find_open(duel_id);
    return duel != nullptr && duel->audit.waits() ? duel : nullptr;
  };
  const auto end = [&](const std::string& duel_id) {
    if (duel_of(duel_id) == nullptr) offers_.ended(duel_id);
  };
  if (const auto* audit = std::get_if<AuditRecord>(&record)) {
    if (const LedgerDuel* const duel = duel_of(audit->duel_id)) {
      offers_.drawn(audit->duel_id, *duel);
    }
  } else if (const auto* offer = std::get_if<OfferRecord>(&record)) {
    const LedgerDuel* const duel = duel_of(offer->duel_id);
    if (duel != nullptr && !offer->subject.empty()) {
      offers_.offered(offer->duel_id, *duel, offer->subject, offer->expires_at.ms);
    }
  } else if (const auto* said = std::get_if<OutcomeRecord>(&record)) {
    end(said->duel_id);
  } else if (const auto* expired = std::get_if<ExpiredRecord>(&record)) {
    end(expired->duel_id);
  } else if (const auto* lost = std::get_if<AuditLostRecord>(&record)) {
    end(lost->duel_id);
  }
}

// What is held beside the ledger.
void Experiment::note(const LogEntry& entry) {
  head_ = entry.hash;
  last_time_ms_ = entry.time_ms;
  pages_.note(entry);
  if (setting_.follower) setting_.follower(ledger(), entry);
  if (ledger().parts().audited) note_audit(entry.record);
  if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
    tasks_.note(ledger(), *serve);
    note_recalled(*serve);
    if (serve->subject.empty()) return;
    if (serve->serving != Serving::exploit) remember_for_subject(*serve);
    if (entry.time_ms / kDayMs != day_) {
      day_ = entry.time_ms / kDayMs;
      served_today_.clear();
      subjects_today_.clear();
    }
    if (const std::string_view link = link_of(serve->subject); !link.empty()) {
      subjects_today_[std::string(link)].insert(serve->subject);
    }
    if (ledger().guardrails().max_duels_per_subject_per_day > 0) ++served_today_[serve->subject];
  } else if (const auto* added = std::get_if<ArmAddedRecord>(&entry.record)) {
    count_payload(added->arm);
    duels_->know_arms(ledger().arms());
  } else if (std::holds_alternative<ArmRetiredRecord>(entry.record)) {
    duels_->know_arms(ledger().arms());
  }
}

// Bounded by what is open: answered duels are swept out when they are more than that.
void Experiment::remember_for_subject(const ServeRecord& serve) {
  const auto answered = [&](const std::string& duel_id) {
    return ledger().find_open(duel_id) == nullptr;
  };
  std::vector<std::string>& duels = last_duels_of_[serve.subject];
  std::erase_if(duels, answered);
  if (duels.size() == kOpenDuelsPerVoter) duels.erase(duels.begin());
  duels.push_back(serve.duel_id);
  if (last_duels_of_.size() <= 1000 + 2 * ledger().num_pending()) return;
  std::erase_if(last_duels_of_,
                [&](const auto& one) { return std::ranges::all_of(one.second, answered); });
}

Status Experiment::pass_audit(const Moment& moment) {
  audited_ = true;
  return stage_certificate(moment);
}

Status Experiment::stage_certificate(const Moment& moment) {
  if (!audited_ || !ledger().certificate() || ledger().certificate_recorded()) return Done{};
  DUEL_RETURN_IF_ERROR(stage(ledger().certified_record(), moment));
  // A certificate that waited may come after somebody has completed the experiment.
  if (ledger().experiment().service.on_certified == OnCertified::complete &&
      !ledger().completed()) {
    DUEL_RETURN_IF_ERROR(stage_end("certified", moment));
  }
  return Done{};
}

Status Experiment::configure(const ConfiguredRecord& changed, const Moment& moment) {
  DUEL_RETURN_IF_ERROR(stage(changed, moment));
  return Done{};
}

Status Experiment::change_state(Step step, const Moment& moment) {
  using enum ExperimentState;
  const ExperimentState state = ledger().state();
  const ExperimentState wanted = step == Step::pause      ? paused
                                 : step == Step::complete ? completed
                                 : step == Step::archive  ? archived
                                                          : running;
  if (state == wanted) return Done{};
  if (wanted == completed && state == archived) {
    return refused(Reason::illegal_state, "an archived experiment cannot be completed");
  }
  if (step == Step::start && state == paused) {
    return refused(Reason::illegal_state, "a paused experiment is resumed, not started");
  }
  if (step == Step::resume && state == draft) {
    return refused(Reason::illegal_state, "a draft is started, not resumed");
  }
  if (wanted == completed) return stage_end("stopped", moment);
  DUEL_RETURN_IF_ERROR(stage(StateRecord{wanted}, moment));
  return Done{};
}

Result<bool> Experiment::add_arm(const ArmEntry& arm, const Moment& moment) {
  DUEL_RETURN_IF_ERROR(check_id("an arm", arm.id));
  const auto known = ledger().find_arm(arm.id);
  if ((known && !ledger().arms()[*known].active) || ledger().find_withdrawn(arm.id) != nullptr) {
    return refused(Reason::arms_fixed,
                   fmt::format("the arm '{}' was retired; its id is not used again", arm.id));
  }
  if (known) {
    const ArmEntry& entry = ledger().arms()[*known].entry;
    if (entry.content == arm.content && entry.features == arm.features) return false;
    return refused(
        Reason::arms_fixed,
        fmt::format("the arm '{}' has {}; arms never change", arm.id,
                    entry.content == arm.content ? "other features" : "another payload"));
  }
  DUEL_RETURN_IF_ERROR(check_features(ledger().field(), arm));
  const auto staged = stage(ArmAddedRecord{arm}, moment);
  if (!staged.ok()) return against_the_change(staged.error());
  return true;
}

Status Experiment::retire_arm(const std::string& arm_id, const Moment& moment) {
  if (ledger().find_withdrawn(arm_id) != nullptr) return Done{};
  const auto arm = ledger().find_arm(arm_id);
  if (!arm) return refused(Reason::unknown_arm, fmt::format("there is no arm '{}'", arm_id));
  if (!ledger().arms()[*arm].active) return Done{};
  if (ledger().num_active() == 1) {
    return refused(Reason::arms_fixed,
                   fmt::format("'{}' is the last arm that can be shown", arm_id));
  }
  const auto staged = stage(ArmRetiredRecord{arm_id}, moment);
  if (!staged.ok()) return against_the_change(staged.error());
  return stage_certificate(moment);
}

Status Experiment::add_tasks(const TasksAddedRecord& added, std::vector<std::string> names,
                             const Moment& moment) {
  DUEL_RETURN_IF_ERROR(stage(added, moment));
  tasks_ = TaskDraw(std::move(names));
  proof_task_ = 0;
  return Done{};
}

Status Experiment::close_panel(const Moment& moment) {
  const Panel* const panel = ledger().panel();
  if (panel == nullptr) {
    return refused(Reason::wrong_mode, "the experiment is not about a panel");
  }
  if (panel->closed()) return Done{};
  const auto staged = stage(PanelClosedRecord{panel->answered()}, moment);
  if (!staged.ok()) return against_the_change(staged.error());
  return stage_certificate(moment);
}

Status Experiment::miss(const std::vector<std::string>& subjects, const Moment& moment) {
  const Panel* const panel = ledger().panel();
  if (panel == nullptr) {
    return refused(Reason::wrong_mode, "the experiment is not about a panel");
  }
  std::vector<std::string> missed;
  for (std::size_t k = 0; k < subjects.size(); ++k) {
    if (panel->is_absent(subjects[k]) || std::ranges::count(missed, subjects[k]) > 0) continue;
    const Status status = live_.check(AbsentRecord{subjects[k]});
    if (!status.ok()) {
      Error error = against_the_change(status.error());
      error.field = fmt::format("subjects[{}]", k);
      return error;
    }
    missed.push_back(subjects[k]);
  }
  for (const std::string& subject : missed) {
    for (const std::string& duel_id : panel->open_duels_of(subject)) {
      DUEL_RETURN_IF_ERROR(stage(ExpiredRecord{duel_id, 0, "the member is absent"}, moment));
    }
    DUEL_RETURN_IF_ERROR(stage(AbsentRecord{subject}, moment));
  }
  return stage_certificate(moment);
}

Status Experiment::complete(std::string_view why_open_duels_end, const Moment& moment) {
  if (ledger().completed()) return Done{};
  for (const std::string& duel_id : ledger().pending()) {
    const ExpiredRecord ended{duel_id, 0, std::string(why_open_duels_end)};
    DUEL_RETURN_IF_ERROR(stage(ended, moment));
    // Of a duel under audit that was the program's part alone.
    DUEL_RETURN_IF_ERROR(draw_for_people(duel_id, moment));
    if (ledger().find_open(duel_id) != nullptr) DUEL_RETURN_IF_ERROR(stage(ended, moment));
  }
  // A log that ended with the answer that brought the certificate does not say so yet.
  DUEL_RETURN_IF_ERROR(stage_certificate(moment));
  if (live_.points() != nullptr && !live_.divergence()) {
    if (auto news = live_.points()->news(*ledger().tuned())) {
      DUEL_RETURN_IF_ERROR(stage(std::move(*news), moment));
    }
  }
  if (ledger().completed()) return Done{};
  const bool certified = ledger().certificate_recorded();
  return stage_end(certified ? "certified" : "stopped", moment);
}

// Where people audit a program the end tells the key that drew for them: the one whose hash the log
// has last.
Status Experiment::stage_end(std::string reason, const Moment& moment) {
  DUEL_RETURN_IF_ERROR(renew_audit_key(moment));
  CompletedRecord record{std::move(reason)};
  if (ledger().parts().audited) record.audit_key = setting_.audit_key;
  DUEL_RETURN_IF_ERROR(stage(std::move(record), moment));
  return Done{};
}

Result<bool> Experiment::knows(const ComparisonRecord& comparison) {
  DUEL_RETURN_IF_ERROR(live_.check(comparison));
  const std::string& id = comparison.comparison_id;
  if (id.empty()) return false;
  DUEL_RETURN_IF_ERROR(check_id("a comparison", id));
  duels_->forget();
  DUEL_ASSIGN(const DuelRecords* records,
              duels_->look_up(key_of_comparison(id), ledger().sequence() + 1));
  if (!records->comparison) return false;
  if (*records->comparison == comparison) return true;
  return refused(Reason::other_question,
                 fmt::format("the comparison '{}' was made with other content", id));
}

Status Experiment::compare(ComparisonRecord comparison, const Moment& moment) {
  DUEL_RETURN_IF_ERROR(stage(std::move(comparison), moment));
  return Done{};
}

Overview overview_of(const Ledger& ledger, std::int64_t created_ms, std::int64_t last_time_ms) {
  return {.name = ledger.name(),
          .state = ledger.state(),
          .mode = ledger.experiment().service.mode,
          .arms = ledger.parts().space ? 0 : ledger.num_arms(),
          .served = ledger.served(),
          .certified = ledger.certificate_recorded(),
          .created = {created_ms},
          .active = {last_time_ms}};
}

}  // namespace duel
