#include "duel/experiment/stored_duels.h"

#include <fmt/format.h>

#include <utility>

#include "duel/store/line.h"

namespace duel {

namespace {

bool is_under_audit(const DuelRecords& records) {
  return records.serve && std::get<ServeRecord>(records.serve->record).audit > 0;
}

// The program again, or a person who could not say.
bool is_no_answer_of_a_person(const Record& record) {
  const auto* outcome = std::get_if<OutcomeRecord>(&record);
  return outcome != nullptr &&
         (is_program(outcome->source) || outcome->answer.result == Answered::invalid);
}

// A store that cannot read a duel, or holds damaged lines of it, is no fault of the request that
// asked for it, and the request can be repeated.
Error unreadable(std::string_view duel_id, const Error& error) {
  return Error::io(
      fmt::format("the records of the duel '{}' cannot be read: {}", duel_id, error.to_string()));
}

}  // namespace

void StoredDuels::staged(const std::string& duel_id, const LogEntry& entry) {
  staged_[duel_id].push_back(entry);
  forget();
}

void StoredDuels::committed() {
  staged_.clear();
  forget();
}

void StoredDuels::take(DuelRecords& records, LogEntry entry) {
  if (std::holds_alternative<ServeRecord>(entry.record)) {
    records.serve = std::move(entry);
  } else if (std::holds_alternative<InterleavedRecord>(entry.record)) {
    records.page = std::move(entry);
  } else if (auto* paged = std::get_if<PagedRecord>(&entry.record)) {
    records.paged.push_back(std::move(*paged));
  } else if (auto* event = std::get_if<EventRecord>(&entry.record)) {
    records.events.push_back(std::move(*event));
  } else if (const auto* audit = std::get_if<AuditRecord>(&entry.record)) {
    records.drawn = audit->drawn;
    if (!audit->drawn) records.settled = records.program;
  } else if (auto* offer = std::get_if<OfferRecord>(&entry.record)) {
    records.offer = std::move(*offer);
  } else if (std::holds_alternative<AuditLostRecord>(entry.record)) {
    records.lost = true;
  } else if (is_under_audit(records) && !records.program &&
             (std::holds_alternative<OutcomeRecord>(entry.record) ||
              std::holds_alternative<ExpiredRecord>(entry.record))) {
    records.program = std::move(entry);
  } else if (is_under_audit(records) && is_no_answer_of_a_person(entry.record)) {
    if (const auto* again = std::get_if<OutcomeRecord>(&entry.record)) {
      records.refused.push_back(again->answer);
    }
  } else if (!records.settled && (std::holds_alternative<OutcomeRecord>(entry.record) ||
                                  std::holds_alternative<ExpiredRecord>(entry.record))) {
    records.settled = std::move(entry);
  } else if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
    records.refused.push_back(outcome->answer);
  } else if (auto* comparison = std::get_if<ComparisonRecord>(&entry.record)) {
    records.comparison = std::move(*comparison);
  }
}

Result<const DuelRecords*> StoredDuels::look_up(std::string_view duel_id,
                                                std::uint64_t before) const {
  if (last_ && last_->duel_id == duel_id && last_->before == before) return &last_->records;
  DuelRecords records;
  const auto lines = store_->find(experiment_, duel_id);
  if (!lines.ok()) return unreadable(duel_id, lines.error());
  RecordReader reader;
  std::string padded;
  for (const FoundLine& line : *lines) {
    if (line.sequence >= before) break;
    padded = line.text;
    padded.resize(line.text.size() + kReadableAfterLine);
    LogEntry entry;
    const Status read = reader.read(std::string_view(padded).substr(0, line.text.size()), entry);
    if (!read.ok()) return unreadable(duel_id, read.error());
    take(records, std::move(entry));
  }
  if (const auto found = staged_.find(duel_id); found != staged_.end()) {
    for (const LogEntry& entry : found->second) {
      if (entry.sequence < before) take(records, entry);
    }
  }
  last_ = Read{std::string(duel_id), before, std::move(records)};
  return &last_->records;
}

Result<std::optional<LedgerDuel>> StoredDuels::find(std::string_view duel_id,
                                                    std::uint64_t before) const {
  DUEL_ASSIGN(const DuelRecords* found, look_up(duel_id, before));
  const DuelRecords& records = *found;
  if (!records.serve) return std::optional<LedgerDuel>();
  const auto& serve = std::get<ServeRecord>(records.serve->record);
  LedgerDuel duel{.ordinal = serve.ordinal,
                  .expires_at = serve.expires_at,
                  .round = serve.round,
                  .serving = serve.serving,
                  .evidence = serve.evidence};
  if (serve.first_point.is_null()) {
    duel.first = arms_.find(serve.first)->second;
    duel.second = arms_.find(serve.second)->second;
  } else {
    // Points. What they were in the duel is not asked of one that is settled.
    duel.first = point_role::kSearched;
    duel.second = point_role::kSearchedToo;
    duel.first_point = TunedSpace::ordinal_of_id(serve.first).value_or(0);
    duel.second_point = TunedSpace::ordinal_of_id(serve.second).value_or(0);
  }
  // Only what nobody is asked about is neither open nor settled: it counts as expired, too.
  duel.fate = Fate::expired;
  if (serve.audit > 0) {
    duel.audit.share = serve.audit;
    duel.audit.step = records.lost     ? AuditState::Step::lost
                      : !records.drawn ? AuditState::Step::asked
                      : *records.drawn ? AuditState::Step::drawn
                                       : AuditState::Step::undrawn;
    if (const auto* said =
            records.program ? std::get_if<OutcomeRecord>(&records.program->record) : nullptr) {
      const auto score = score_of(said->answer, serve.first, serve.second);
      if (score) duel.audit.program = 2.0 * *score - 1.0;
    }
  }
  if (!records.settled) return std::optional(duel);
  if (const auto* outcome = std::get_if<OutcomeRecord>(&records.settled->record)) {
    duel.fate = Fate::answered;
    duel.result = outcome->answer.result;
    const auto said = outcome_of(outcome->answer, serve.first, serve.second);
    if (!said.ok()) return unreadable(duel_id, said.error());
    duel.outcome = *said;
    if (outcome->answer.result == Answered::graded) duel.score = *outcome->answer.score;
  }
  return std::optional(duel);
}

}  // namespace duel
