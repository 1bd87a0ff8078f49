#include "duel/verdict/waiting_answers.h"

#include <algorithm>
#include <set>
#include <vector>

namespace duel {

std::uint64_t WaitingAnswers::of_pair(Arm i, Arm j) const {
  const auto found = by_pair.find(std::minmax(i, j));
  return found == by_pair.end() ? 0 : found->second;
}

WaitingAnswers waiting_answers(const Ledger& ledger) {
  WaitingAnswers waiting;
  // Of a space those about the candidate that stands: the others prove nothing.
  const PointProof* const proof = ledger.parts().space ? &ledger.tuned()->proof() : nullptr;
  if (proof != nullptr && !proof->stands()) return waiting;
  const ServingOrder& order = proof != nullptr ? proof->order() : ledger.referee().order();
  const std::uint64_t first_place = proof != nullptr ? proof->first_place() : 0;
  if (order.waiting() == 0) return waiting;
  std::map<std::pair<Arm, Arm>, std::vector<std::uint64_t>> open_of;  // with no answer behind them
  std::set<std::uint64_t> waited_for;
  order.visit_waiting(
      [&](std::uint64_t place, Arm first, Arm second, std::optional<Outcome> outcome) {
        const std::pair<Arm, Arm> pair = std::minmax(first, second);
        if (!outcome) {
          open_of[pair].push_back(place);
        } else if (*outcome != Outcome::none) {
          ++waiting.answers;
          ++waiting.by_pair[pair];
          auto& open = open_of[pair];
          waited_for.insert(open.begin(), open.end());
          open.clear();
        }
      });
  waiting.open_duels = waited_for.size();
  if (waiting.answers == 0) return waiting;
  bool all_expire = true;
  Timestamp last;
  ledger.visit_open([&](const LedgerDuel& duel) {
    if (!duel.evidence || duel.place_in_order < first_place ||
        !waited_for.contains(duel.place_in_order - first_place)) {
      return;
    }
    if (duel.expires_at.ms == 0) all_expire = false;
    last.ms = std::max(last.ms, duel.expires_at.ms);
  });
  if (all_expire) waiting.until = last;
  return waiting;
}

}  // namespace duel
