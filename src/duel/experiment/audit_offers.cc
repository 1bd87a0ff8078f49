#include "duel/experiment/audit_offers.h"

#include <algorithm>

namespace duel {

void AuditOffers::hold(const std::string& duel_id, const Waiting& waiting, const Held& held) {
  held_by_[held.subject].emplace(waiting.ordinal, duel_id);
  by_end_.emplace(held.until_ms, duel_id);
}

void AuditOffers::free(const std::string& duel_id, const Waiting& waiting) {
  const bool is_spent = most_offers_ > 0 && waiting.offers >= most_offers_;
  (is_spent ? spent_ : free_[waiting.pair]).emplace(waiting.ordinal, duel_id);
}

void AuditOffers::take_out(const std::string& duel_id, const Waiting& waiting) {
  spent_.erase(waiting.ordinal);
  if (const auto found = free_.find(waiting.pair); found != free_.end()) {
    found->second.erase(waiting.ordinal);
    if (found->second.empty()) free_.erase(found);
  }
  const auto held = held_.find(duel_id);
  if (held == held_.end()) return;
  by_end_.erase({held->second.until_ms, duel_id});
  const auto by = held_by_.find(held->second.subject);
  if (by == held_by_.end()) return;
  by->second.erase(waiting.ordinal);
  if (by->second.empty()) held_by_.erase(by);
}

void AuditOffers::drawn(const std::string& duel_id, const LedgerDuel& duel) {
  const Waiting waiting{duel.ordinal, std::minmax(duel.first, duel.second), duel.audit.offers};
  waiting_.emplace(duel_id, waiting);
  free(duel_id, waiting);
}

void AuditOffers::offered(const std::string& duel_id, const LedgerDuel& duel,
                          const std::string& subject, std::int64_t until_ms) {
  Waiting& waiting = waiting_.find(duel_id)->second;
  take_out(duel_id, waiting);
  waiting.offers = duel.audit.offers;
  const Held& held = held_[duel_id] = {subject, until_ms};
  hold(duel_id, waiting, held);
  offered_pairs_[subject].insert(waiting.pair);
}

void AuditOffers::ended(const std::string& duel_id) {
  const auto found = waiting_.find(duel_id);
  if (found == waiting_.end()) return;
  take_out(duel_id, found->second);
  waiting_.erase(found);
  held_.erase(duel_id);
}

void AuditOffers::free_ended(std::int64_t now_ms) {
  while (!by_end_.empty() && by_end_.begin()->first < now_ms) {
    const std::string duel_id = by_end_.begin()->second;
    const Waiting& waiting = waiting_.find(duel_id)->second;
    take_out(duel_id, waiting);
    free(duel_id, waiting);
  }
}

AuditOffers::Next AuditOffers::next(const std::string& subject, bool once, std::int64_t now_ms) {
  free_ended(now_ms);
  const std::set<Pair>* met = nullptr;
  if (const auto found = offered_pairs_.find(subject); once && found != offered_pairs_.end()) {
    met = &found->second;
  }
  const std::pair<const std::uint64_t, std::string>* first = nullptr;
  for (const auto& [pair, duels] : free_) {
    if (met != nullptr && met->contains(pair)) continue;
    if (first == nullptr || duels.begin()->first < first->first) first = &*duels.begin();
  }
  Next next;
  const auto held = held_by_.find(subject);
  if (held != held_by_.end() && (first == nullptr || held->second.begin()->first < first->first)) {
    first = &*held->second.begin();
    next.until_ms = held_.find(first->second)->second.until_ms;
  }
  if (first != nullptr) next.duel_id = first->second;
  for (const auto& [ordinal, duel_id] : spent_) {
    if (first != nullptr && ordinal > first->first) break;
    next.spent.push_back(duel_id);
  }
  return next;
}

void AuditOffers::restored(const Ledger& ledger) {
  for (const auto& [ordinal, duel_id] : ledger.drawn()) {
    const LedgerDuel& duel = *ledger.find_open(duel_id);
    const Waiting waiting{ordinal, std::minmax(duel.first, duel.second), duel.audit.offers};
    waiting_.emplace(duel_id, waiting);
    const auto found = held_.find(duel_id);
    if (found == held_.end()) {
      free(duel_id, waiting);
    } else {
      hold(duel_id, waiting, found->second);
    }
  }
}

}  // namespace duel
