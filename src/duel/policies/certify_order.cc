#include "duel/policies/certify_order.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "duel/core/logarithm.h"
#include "duel/inference/order_threshold.h"
#include "duel/policies/parts/arms.h"

namespace duel {

CertifyOrder::CertifyOrder(const Options& options, std::size_t num_arms, RoundRng rng)
    : CertifyingPolicy(options, num_arms),
      log_threshold_(natural_log(order_threshold(
          options.in_view(), num_arms, options.certificate_alpha, options.shared_causes))),
      num_before_(static_cast<std::size_t>(options.in_view().arms_named(num_arms))),
      reached_(num_arms * num_arms),
      sequence_(all_arms(num_arms)),
      log_evidence_(num_arms * num_arms),
      place_(num_arms) {
  if (!options_.deterministic_ties) shuffle(sequence_, rng);
  number_places();
}

void CertifyOrder::number_places() {
  for (std::size_t at = 0; at < sequence_.size(); ++at) {
    place_[sequence_[at]] = static_cast<std::uint32_t>(at);
  }
}

Duel CertifyOrder::select(Round round, RoundRng rng) const {
  const std::size_t num_arms = sequence_.size();
  const bool set = options_.goal == Goal::set;
  using Need = std::tuple<bool, std::uint32_t, double>;  // settled, outstanding, ln E: least first
  Need least{true, ~std::uint32_t{0}, 0};
  std::vector<Duel> tied;
  for (std::size_t a = 0; a < num_before_; ++a) {
    for (std::size_t b = set ? num_before_ : a + 1; b < num_arms; ++b) {
      const Arm i = sequence_[a], j = sequence_[b];
      const std::size_t at = i * num_arms + j;
      const Need need{reached_[at] != 0, pending_.empty() ? 0 : pending_.count(i, j),
                      log_evidence_[at]};
      if (need > least) continue;
      if (need < least) tied.clear();
      least = need;
      tied.push_back({i, j, round});
    }
  }
  return tied[pick_tied(tied.size(), options_.deterministic_ties, rng)];
}

// By the evidence; where that is even, by hearsay.
bool CertifyOrder::later_leads(Arm earlier, Arm later) const {
  const std::uint32_t mine = wins(earlier, later), theirs = wins(later, earlier);
  return mine != theirs ? theirs > mine
                        : hearsay_.points(later, earlier) > hearsay_.points(earlier, later);
}

void CertifyOrder::refresh_pair(Arm i, Arm j) {
  const std::size_t num_arms = sequence_.size();
  const auto refresh = [&](Arm a, Arm b) {
    const std::size_t at = a * num_arms + b;
    log_evidence_[at] = evidence_.log_evidence(wins(a, b), wins(b, a));
    if (log_evidence_[at] >= log_threshold_) reached_[at] = 1;
  };
  refresh(i, j);
  refresh(j, i);
}

void CertifyOrder::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (!count(duel, outcome, rng)) return;
  refresh_pair(duel.first, duel.second);
  // Step 3.
  const bool in_order = place_[duel.first] < place_[duel.second];
  const Arm earlier = in_order ? duel.first : duel.second;
  const Arm later = in_order ? duel.second : duel.first;
  if (later_leads(earlier, later)) {
    std::swap(sequence_[place_[earlier]], sequence_[place_[later]]);
    std::swap(place_[earlier], place_[later]);
  }
}

bool CertifyOrder::restored() {
  const std::size_t num_arms = counts_.num_arms();
  std::vector<Arm> sorted = sequence_;
  std::sort(sorted.begin(), sorted.end());
  if (!consistent() || reached_.size() != num_arms * num_arms || sorted != all_arms(num_arms) ||
      std::any_of(reached_.begin(), reached_.end(), [](std::uint8_t flag) { return flag > 1; })) {
    return false;
  }
  number_places();
  std::fill(log_evidence_.begin(), log_evidence_.end(), 0.0);
  counts_.for_each_met_pair([&](Arm i, Arm j) { refresh_pair(i, j); });
  return true;
}

}  // namespace duel
