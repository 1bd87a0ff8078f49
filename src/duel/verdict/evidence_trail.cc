#include "duel/verdict/evidence_trail.h"

#include <algorithm>
#include <variant>

#include "duel/core/check.h"
#include "duel/experiment/heard.h"
#include "duel/inference/audited_units.h"

namespace duel {
namespace {

std::string name_of(const Source& source) {
  return source.id.empty() ? "" : source.type + ":" + source.id;
}

// From the side of `first`; 0 of an answer that says nothing. The ledger has checked it.
double y_of(const Answer& answer, const std::string& first, const std::string& second) {
  const auto score = score_of(answer, first, second);
  return score ? 2.0 * *score - 1.0 : 0.0;
}

}  // namespace

const std::vector<PairFinding>& needed_findings(const Ledger& ledger) {
  static const std::vector<PairFinding> none;
  DUEL_CHECK(ledger.certificate().has_value());
  if (ledger.scores() || ledger.parts().panel) return none;
  if (ledger.tuned() != nullptr) return ledger.tuned()->findings();
  if (ledger.orders()) return ledger.orders()->certificate()->findings;
  return ledger.certificate()->kind == CertificateKind::no_winner
             ? ledger.certifier().no_winner()->findings
             : ledger.certifier().winner()->findings;
}

EvidenceTrail::EvidenceTrail(const Ledger& ledger)
    : comparisons_count_(ledger.experiment().comparisons_count),
      one_look_after_(ledger.experiment().one_look_after) {
  for (const PairFinding& pair : needed_findings(ledger)) {
    pairs_[std::minmax(ledger.id_of(pair.winner), ledger.id_of(pair.loser))];
  }
}

void EvidenceTrail::note(const LogEntry& entry) {
  std::visit([&](const auto& record) { take(entry, record); }, entry.record);
}

EvidenceTrail::Pair* EvidenceTrail::pair_of(const std::string& first, const std::string& second) {
  const auto found = pairs_.find(std::minmax(first, second));
  return found == pairs_.end() ? nullptr : &found->second;
}

std::uint32_t EvidenceTrail::number_of(const std::string& voter) {
  const auto [found, is_new] = numbers_.emplace(voter, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(voter);
  return found->second;
}

void EvidenceTrail::fill(Place& place, const std::string& first, const std::string& second,
                         const duel::Answer& answer, const std::string& voter,
                         std::uint64_t sequence) {
  place.final_at = sequence;
  place.answered = answer.result != Answered::invalid;
  place.voter = number_of(voter);
  const double y = y_of(answer, first, second);
  place.unit = first < second ? y : -y;
}

void EvidenceTrail::take(const LogEntry& entry, const ServeRecord& record) {
  if (!record.evidence || record.first == record.second) return;
  Pair* const pair = pair_of(record.first, record.second);
  if (pair == nullptr) return;
  Open& open = open_[record.duel_id];
  open = {pair, pair->size(), record.first, record.second, record.subject};
  if (record.audit > 0) open.audit = {.step = AuditState::Step::asked, .share = record.audit};
  pair->push_back({.asked = entry.sequence});
  ++kept_;
}

// A point that becomes a candidate again begins anew.
void EvidenceTrail::take(const LogEntry& /*entry*/, const CandidateRecord& record) {
  for (auto& [ids, pair] : pairs_) {
    if (ids.first != record.point_id && ids.second != record.point_id) continue;
    std::erase_if(open_, [&](const auto& one) { return one.second.pair == &pair; });
    kept_ -= pair.size();
    pair.clear();
  }
}

void EvidenceTrail::take(const LogEntry& entry, const OutcomeRecord& record) {
  const auto found = open_.find(record.duel_id);
  if (found == open_.end()) return;  // of no pair that is needed, or answered before
  Open& duel = found->second;
  if (duel.audit.step == AuditState::Step::asked) {
    duel.audit.step = AuditState::Step::judged;
    duel.audit.program = y_of(record.answer, duel.first, duel.second);
    return;
  }
  if (duel.audit.waits()) {
    if (is_program(record.source) || record.answer.result == Answered::invalid) return;
    Place& place = (*duel.pair)[duel.place];
    fill(place, duel.first, duel.second, record.answer, name_of(record.source), entry.sequence);
    const double program = duel.first < duel.second ? duel.audit.program : -duel.audit.program;
    place.audited = AuditedAnswer{
        .share = duel.audit.share, .program = program, .drawn = true, .person = place.unit};
    open_.erase(found);
    return;
  }
  fill((*duel.pair)[duel.place], duel.first, duel.second, record.answer,
       duel.subject.empty() ? name_of(record.source) : duel.subject, entry.sequence);
  open_.erase(found);
}

void EvidenceTrail::take(const LogEntry& entry, const ExpiredRecord& record) {
  const auto found = open_.find(record.duel_id);
  if (found == open_.end()) return;
  AuditState& audit = found->second.audit;
  if (audit.step == AuditState::Step::asked) {
    audit.step = AuditState::Step::judged;
    return;
  }
  // A person was waited for: what comes after it is no evidence.
  if (audit.step == AuditState::Step::none) {
    (*found->second.pair)[found->second.place].final_at = entry.sequence;
  }
  open_.erase(found);
}

void EvidenceTrail::take(const LogEntry& entry, const AuditRecord& record) {
  const auto found = open_.find(record.duel_id);
  if (found == open_.end()) return;
  Open& duel = found->second;
  if (record.drawn) {
    duel.audit.step = AuditState::Step::drawn;
    return;
  }
  Place& place = (*duel.pair)[duel.place];
  const double program = duel.first < duel.second ? duel.audit.program : -duel.audit.program;
  place.audited = AuditedAnswer{.share = duel.audit.share, .program = program};
  place.final_at = entry.sequence;
  place.answered = true;
  open_.erase(found);
}

void EvidenceTrail::take(const LogEntry& entry, const AuditLostRecord& record) {
  const auto found = open_.find(record.duel_id);
  if (found == open_.end()) return;
  const Open& duel = found->second;
  Place& place = (*duel.pair)[duel.place];
  const double program = duel.first < duel.second ? duel.audit.program : -duel.audit.program;
  place.audited =
      AuditedAnswer{.share = duel.audit.share, .program = program, .drawn = true, .lost = true};
  place.final_at = entry.sequence;
  place.answered = true;
  open_.erase(found);
}

void EvidenceTrail::take(const LogEntry& entry, const ComparisonRecord& record) {
  ++comparisons_;
  if (!comparisons_count_ || !record.evidence) return;
  if (one_look_after_ > 0 && comparisons_ > one_look_after_) return;
  Pair* const pair = pair_of(record.first, record.second);
  if (pair == nullptr) return;
  pair->push_back({.asked = entry.sequence});
  ++kept_;
  fill(pair->back(), record.first, record.second, record.answer, name_of(record.source),
       entry.sequence);
}

std::vector<EvidenceTrail::Answer> EvidenceTrail::answers(const std::string& arm,
                                                          const std::string& other,
                                                          std::uint64_t until) const {
  std::vector<Answer> found;
  const auto pair = pairs_.find(std::minmax(arm, other));
  if (pair == pairs_.end()) return found;
  // In the order of serving, up to the first that is open: what comes later waits for it.
  AuditedUnits units;
  for (const Place& place : pair->second) {
    if (place.final_at == 0 || place.final_at > until) break;
    if (!place.answered) continue;
    if (place.audited) {
      const AuditedUnits::Unit made = units.release(*place.audited);
      const bool is_low = arm < other;
      const bool by_person = place.audited->drawn && !place.audited->lost;
      const double person = is_low ? place.audited->person : -place.audited->person;
      found.push_back(
          {.unit = is_low ? made.unit : made.reverse,
           .by_person = by_person,
           .lead = place.audited->lost ? 0
                   : is_low            ? made.value
                                       : -made.value,
           .most_wrong = by_person && person > 0 ? 2 * person / place.audited->share : 0,
           .voter = place.voter,
           .asked = place.asked});
      continue;
    }
    found.push_back({.unit = arm < other ? place.unit : -place.unit,
                     .voter = place.voter,
                     .asked = place.asked});
  }
  return found;
}

}  // namespace duel
