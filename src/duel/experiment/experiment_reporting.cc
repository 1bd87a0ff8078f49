// How duels end: by an answer, by a proof that they were served, or by the clock.
#include <fmt/format.h>

#include <algorithm>

#include "duel/core/digest.h"
#include "duel/experiment/audit_coin.h"
#include "duel/experiment/experiment.h"

namespace duel {
namespace {

constexpr std::size_t kMostNoteBytes = 200;
// A request ends so many overdue duels besides its own. Others wait for it.
constexpr std::size_t kMostExpiredByRequest = 16;

// Of a duel under audit a person answers an offer, and not what was served to the program.
bool answers_an_audit(const ServeRecord& serve, const Source& source) {
  return serve.audit > 0 && !is_program(source);
}

}  // namespace

Result<OutcomeRecord> Experiment::outcome_of(const Report& report) const {
  OutcomeRecord record;
  record.duel_id = report.duel_id;
  record.source = report.source;
  record.response_ms = report.response_ms;
  record.failed_tries = report.failed_tries;
  if (report.note.size() > kMostNoteBytes) {
    return Error::invalid_argument(fmt::format("has more than {} bytes", kMostNoteBytes))
        .in_field("note");
  }
  record.note = report.note;
  record.reason = report.reason;
  record.cost = report.cost;
  record.tokens = report.tokens;
  record.cached = report.cached;
  record.features = report.features;
  record.judgements = report.judgements;
  if (report.close) return Error::invalid_argument("'close' is no result").in_field("result");
  if (report.answer && !report.answer->score && record.judgements.empty()) {
    record.answer = *report.answer;
  } else if (report.answer || !record.judgements.empty()) {
    // For whom a score is, the places say.
    DUEL_ASSIGN(const std::optional<LedgerDuel> duel, ledger().find_duel(report.duel_id));
    const std::string first = duel           ? ledger().id_of(duel->first)
                              : report.proof ? report.proof->first
                                             : "";
    const std::string second = duel           ? ledger().id_of(duel->second)
                               : report.proof ? report.proof->second
                                              : "";
    for (Judgement& judgement : record.judgements) {
      if (!judgement.answer.score) continue;
      const std::string& other = judgement.first == first ? second : first;
      judgement.answer = answer_of_score(*judgement.answer.score, judgement.first, other);
    }
    record.answer = report.answer ? *report.answer : combined(record.judgements, first, second);
    if (report.answer && report.answer->score) {
      record.answer = answer_of_score(*report.answer->score, first, second);
    }
  } else {
    return Error::invalid_argument("is missing").in_field("result");
  }
  return record;
}

Result<Reported> Experiment::report(const Report& report, const Moment& moment, bool who) {
  using enum Reported::What;
  duels_->forget();
  const std::string& duel_id = report.duel_id;
  DUEL_RETURN_IF_ERROR(expire_for({&duel_id, 1}, moment));
  std::string subject;
  const auto told = [&](Reported::What what) { return Reported{what, subject}; };
  bool exploits = false;
  // Of an open duel everything is in memory but what a proof is compared with, and who was asked.
  if (report.proof || who || ledger().find_open(duel_id) == nullptr) {
    DUEL_ASSIGN(const DuelRecords* records, records_of(duel_id));
    if (!records->serve) {
      if (report.proof && !report.proof->fallback) return report_recovered(report, moment);
      if (!report.proof && !is_fallback(duel_id)) {
        return refused(Reason::unknown_duel, fmt::format("no duel '{}' was served", duel_id));
      }
      // To whom a fallback was given is known by its proof only.
      if (report.proof) subject = report.proof->subject;
      return told(ignored);
    }
    const auto& serve = std::get<ServeRecord>(records->serve->record);
    if (report.proof) {
      Proof stored = proof_of(id(), Served{serve, records->serve->time_ms});
      if (serve.by == ServedBy::recovered) {
        // Its record was made from this proof, later, and a retry must not be refused for that.
        stored.served_at_ms = report.proof->served_at_ms;
        stored.serving = report.proof->serving;
      }
      if (answers_an_audit(serve, report.source)) {
        // The program has a proof of the duel, too, and must not pass for the person with it.
        if (!records->offer || report.proof->subject.empty()) {
          return refused(Reason::proof_mismatch, "the proof is not of an offer to a person");
        }
        // Somebody else is asked by now, or the time is up.
        const bool is_late = records->offer->subject != report.proof->subject ||
                             records->offer->expires_at.ms < time_of(moment);
        if (is_late && ledger().find_open(duel_id) != nullptr) return told(late);
        stored.subject = records->offer->subject;
        stored.expires_at_ms = report.proof->expires_at_ms;
        stored.served_at_ms = report.proof->served_at_ms;
      }
      if (*report.proof != stored) {
        return refused(Reason::proof_mismatch, "the proof does not fit the duel");
      }
    }
    exploits = serve.serving == Serving::exploit;
    const bool is_audit = answers_an_audit(serve, report.source) && records->offer;
    subject = is_audit ? records->offer->subject : serve.subject;
  }
  if (exploits) return told(ignored);
  const bool open = ledger().find_open(duel_id) != nullptr;
  if (ledger().parts().pages) {
    if (!report.close) {
      return refused(Reason::wrong_mode, "clicks decide a page of results; `close` ends it early");
    }
    if (!open) return told(duplicate);
    DUEL_RETURN_IF_ERROR(settle(duel_id, "closed", moment));
    DUEL_RETURN_IF_ERROR(stage_certificate(moment));
    return told(applied);
  }
  DUEL_ASSIGN(OutcomeRecord record, outcome_of(report));
  if (!open) {
    // What repeats an answer that is kept is not written again.
    DUEL_ASSIGN(const std::optional<LedgerDuel> known, ledger().find_duel(duel_id));
    const auto said = ledger().outcome_of(record.answer, *known);
    const double score =
        record.answer.result == Answered::graded ? record.answer.score.value_or(0.5) : 0.5;
    if (known->fate == Fate::answered && known->result == record.answer.result && said.ok() &&
        known->outcome == *said && known->score == score &&
        known->audit.step == AuditState::Step::none) {
      return told(duplicate);
    }
    DUEL_ASSIGN(const DuelRecords* records, records_of(duel_id));
    // Of a duel under audit two answer, and what one repeats may be new of the other.
    const bool by_one = known->audit.step == AuditState::Step::none;
    if (by_one && std::ranges::find(records->refused, record.answer) != records->refused.end()) {
      return told(known->fate == Fate::expired ? late : conflicting);
    }
  }
  const bool names_place = record.answer.place != 0;
  const auto staged = stage(std::move(record), moment);
  if (staged.ok()) DUEL_RETURN_IF_ERROR(draw_for_people(duel_id, moment));
  if (!staged.ok()) {
    // The store's trouble is not the answer's fault.
    if (staged.error().code == ErrorCode::io) return staged.error();
    Error error = staged.error();
    error.code = ErrorCode::invalid_argument;
    error.field = !report.judgements.empty() ? "judgements" : names_place ? "place" : "winner";
    return error;
  }
  DUEL_RETURN_IF_ERROR(stage_certificate(moment));
  return told(*staged == Effect::applied     ? applied
              : *staged == Effect::late      ? late
              : *staged == Effect::duplicate ? duplicate
                                             : conflicting);
}

// The serve's record was lost, but the caller has the proof of it.
Result<Reported> Experiment::report_recovered(const Report& report, const Moment& moment) {
  const Proof& proof = *report.proof;
  if (proof.expires_at_ms < time_of(moment)) {
    return refused(Reason::proof_expired, "the proof has expired");
  }
  if (ledger().parts().space) {
    return refused(Reason::proof_expired, "the proof does not say which points were shown");
  }
  if (ledger().state() != ExperimentState::running) {
    return refused(Reason::not_running, "the experiment is not running");
  }
  ServeRecord serve;
  serve.duel_id = proof.duel_id;
  serve.ordinal = ledger().served();
  serve.round = proof.round;
  serve.first = proof.first;
  serve.second = proof.second;
  serve.serving = proof.serving == Serving::contest ? Serving::explore : proof.serving;
  serve.by = ServedBy::recovered;
  serve.evidence = false;
  serve.subject = proof.subject;
  serve.expires_at = {proof.expires_at_ms};
  Report alone = report;
  alone.judgements.clear();
  alone.note.clear();
  DUEL_ASSIGN(const OutcomeRecord record, outcome_of(alone));
  const auto first = ledger().find_arm(serve.first), second = ledger().find_arm(serve.second);
  if (!first || !second) {
    return refused(Reason::proof_mismatch, "the arms of the proof are unknown");
  }
  DUEL_RETURN_IF_ERROR(ledger().outcome_of(record.answer, *first, *second));
  DUEL_RETURN_IF_ERROR(stage(serve, moment));
  DUEL_RETURN_IF_ERROR(stage(record, moment));
  return Reported{Reported::What::applied, {}, true};
}

Status Experiment::lose(const std::string& duel_id, std::string_view why,
                        std::uint64_t failed_tries, const Moment& moment) {
  duels_->forget();
  DUEL_RETURN_IF_ERROR(stage(ExpiredRecord{duel_id, failed_tries, std::string(why)}, moment));
  DUEL_RETURN_IF_ERROR(draw_for_people(duel_id, moment));
  return stage_certificate(moment);
}

// Once the program has answered, or will not: whether a person is asked, too. The coin is keyed by
// a secret that the program cannot read, or it would answer honestly where it is watched.
Status Experiment::draw_for_people(const std::string& duel_id, const Moment& moment) {
  const LedgerDuel* const duel = ledger().find_open(duel_id);
  if (duel == nullptr || duel->audit.step != AuditState::Step::judged) return Done{};
  // The log may come from elsewhere, and who checks it has to know which key draws.
  DUEL_RETURN_IF_ERROR(renew_audit_key(moment));
  const bool drawn = is_drawn(setting_.audit_key, duel_id, duel->audit.share);
  DUEL_RETURN_IF_ERROR(stage(AuditRecord{duel_id, drawn}, moment));
  return Done{};
}

Result<std::optional<Served>> Experiment::offer(const std::string& duel_id,
                                                const std::string& subject, const Moment& moment) {
  duels_->forget();
  const LedgerDuel* const duel = ledger().find_open(duel_id);
  if (duel == nullptr || !duel->audit.waits()) return std::optional<Served>();
  DUEL_ASSIGN(const DuelRecords* records, records_of(duel_id));
  Served served = shown(*records->serve, false);
  served.serve.subject = subject;
  OfferRecord record{.duel_id = duel_id, .subject = subject};
  if (setting_.deadlines) {
    record.expires_at = {time_of(moment) +
                         static_cast<std::int64_t>(ledger().feedback().timeout_s) * 1000};
  }
  served.serve.expires_at = record.expires_at;
  DUEL_RETURN_IF_ERROR(stage(std::move(record), moment));
  return std::optional(std::move(served));
}

Status Experiment::give_up_audit(const std::string& duel_id, const Moment& moment) {
  DUEL_RETURN_IF_ERROR(stage(AuditLostRecord{duel_id}, moment));
  return stage_certificate(moment);
}

Status Experiment::renew_audit_key(const Moment& moment) {
  const std::string sha256 = sha256_hex(setting_.audit_key);
  if (!ledger().parts().audited || sha256 == ledger().audit_key_sha256()) return Done{};
  DUEL_RETURN_IF_ERROR(stage(AuditKeyRecord{sha256}, moment));
  return Done{};
}

std::optional<std::int64_t> Experiment::next_deadline() const {
  const auto deadline = ledger().next_deadline();
  if (undated_.empty()) return deadline;
  return std::min(deadline.value_or(undated_.begin()->first), undated_.begin()->first);
}

std::optional<std::int64_t> Experiment::due_ms() const {
  const auto deadline = next_deadline();
  if (!deadline) return std::nullopt;
  return std::max(*deadline, nothing_expires_before_ms_);
}

bool Experiment::expires_now(const Moment& moment) const {
  // Where the clock was set back, recorded time stands still and says nothing of a pause.
  if (moment.now_ms < nothing_expires_before_ms_ || moment.store != StoreAccess::writable) {
    return false;
  }
  const auto deadline = next_deadline();
  return deadline && *deadline < time_of(moment);
}

// The one whose deadline is the earliest, if that has passed.
std::optional<std::string> Experiment::first_due(std::int64_t time_ms) {
  while (!undated_.empty() && ledger().find_open(undated_.begin()->second) == nullptr) {
    undated_.erase(undated_.begin());
  }
  const auto deadline = next_deadline();
  if (!deadline || *deadline >= time_ms) return std::nullopt;
  if (ledger().next_deadline() == deadline) return ledger().first_to_expire();
  return undated_.begin()->second;
}

bool Experiment::is_due(const std::string& duel_id, std::int64_t time_ms) const {
  const LedgerDuel* const duel = ledger().find_open(duel_id);
  if (duel == nullptr) return false;
  if (duel->expires_at.ms != 0) return duel->expires_at.ms < time_ms;
  return std::any_of(undated_.begin(), undated_.lower_bound(time_ms),
                     [&](const auto& undated) { return undated.second == duel_id; });
}

Result<bool> Experiment::expire(const Moment& moment, const std::function<bool()>& enough) {
  if (!expires_now(moment)) return false;
  const std::int64_t time_ms = time_of(moment);
  std::optional<std::string> due = first_due(time_ms);
  while (due) {
    DUEL_RETURN_IF_ERROR(settle(*due, "expired", moment));
    due = first_due(time_ms);
    if (enough && enough()) break;
  }
  DUEL_RETURN_IF_ERROR(stage_certificate(moment));
  return due.has_value();
}

Status Experiment::expire_for(std::span<const std::string> duel_ids, const Moment& moment) {
  if (!expires_now(moment)) return Done{};
  for (const std::string& duel_id : duel_ids) {
    if (is_due(duel_id, time_of(moment))) {
      DUEL_RETURN_IF_ERROR(settle(duel_id, "expired", moment));
    }
  }
  std::size_t expired = 0;
  DUEL_RETURN_IF_ERROR(expire(moment, [&] { return ++expired == kMostExpiredByRequest; }));
  // Where the own duels were all, nothing was left for `expire` to do.
  return stage_certificate(moment);
}

// Ends an open duel: by its clicks where it is a page of results, otherwise without an answer.
Status Experiment::settle(const std::string& duel_id, std::string_view why, const Moment& moment) {
  const ResultPage* page = pages_.find(duel_id);
  if (!ledger().parts().pages || page == nullptr) {
    DUEL_RETURN_IF_ERROR(stage(ExpiredRecord{duel_id, 0, std::string(why)}, moment));
    return draw_for_people(duel_id, moment);
  }
  const LedgerDuel duel = *ledger().find_open(duel_id);
  const auto [first, second] = ledger().ids_of(duel);
  // The page is gone once its duel has ended.
  std::vector<ComparisonRecord> others = page->side_comparisons(first, second);
  DUEL_RETURN_IF_ERROR(stage(page->ending(duel_id, first, second, why), moment));
  for (ComparisonRecord& other : others) DUEL_RETURN_IF_ERROR(stage(std::move(other), moment));
  return Done{};
}

}  // namespace duel
