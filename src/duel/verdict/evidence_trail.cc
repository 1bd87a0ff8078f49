#include "duel/verdict/evidence_trail.h"

#include <algorithm>
#include <variant>

#include "duel/core/check.h"
#include "duel/experiment/heard.h"

namespace duel {
namespace {

std::string name_of(const Source& source) {
  return source.id.empty() ? "" : source.type + ":" + source.id;
}

}  // namespace

const std::vector<PairFinding>& needed_findings(const Ledger& ledger) {
  static const std::vector<PairFinding> none;
  DUEL_CHECK(ledger.certificate().has_value());
  if (ledger.scores() || ledger.parts().panel) return none;
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
  const Outcome outcome = outcome_of(answer, first, second).value();  // the ledger has checked it
  if (outcome != Outcome::first_wins && outcome != Outcome::second_wins) return;
  place.unit = (outcome == Outcome::first_wins) == (first < second) ? 1 : -1;
}

void EvidenceTrail::take(const LogEntry& entry, const ServeRecord& record) {
  if (!record.evidence || record.first == record.second) return;
  Pair* const pair = pair_of(record.first, record.second);
  if (pair == nullptr) return;
  open_[record.duel_id] = {pair, pair->size(), record.first, record.second, record.subject};
  pair->push_back({.asked = entry.sequence});
  ++kept_;
}

void EvidenceTrail::take(const LogEntry& entry, const OutcomeRecord& record) {
  const auto found = open_.find(record.duel_id);
  if (found == open_.end()) return;  // of no pair that is needed, or answered before
  const Open& duel = found->second;
  fill((*duel.pair)[duel.place], duel.first, duel.second, record.answer,
       duel.subject.empty() ? name_of(record.source) : duel.subject, entry.sequence);
  open_.erase(found);
}

void EvidenceTrail::take(const LogEntry& entry, const ExpiredRecord& record) {
  const auto found = open_.find(record.duel_id);
  if (found == open_.end()) return;
  (*found->second.pair)[found->second.place].final_at = entry.sequence;
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
  for (const Place& place : pair->second) {
    if (place.final_at == 0 || place.final_at > until) break;
    if (!place.answered) continue;
    found.push_back({arm < other ? place.unit : -place.unit, place.voter, place.asked});
  }
  return found;
}

}  // namespace duel
