#include "duel/core/pair_counts.h"

#include <stdexcept>

namespace duel {

void throw_pair_count_overflow() {
  throw std::overflow_error("one arm beat another more than 2147483647 times: the counts are full");
}

bool PairCounts::consistent() const {
  if (points_.size() != num_arms_ * num_arms_) return false;
  bool whole = true;
  for_each_met_pair([&](Arm i, Arm j) { whole = whole && total(i, j) % 2 == 0; });
  return whole;
}

Arm empirical_copeland_leader(const PairCounts& counts) {
  const auto num_arms = static_cast<Arm>(counts.num_arms());
  Arm best = 0;
  std::uint32_t best_victories = 0;
  double best_sum = -1;
  for (Arm i = 0; i < num_arms; ++i) {
    std::uint32_t victories = 0;
    double sum = 0;
    for (Arm j = 0; j < num_arms; ++j) {
      if (j == i || counts.total(i, j) == 0) continue;
      if (counts.points(i, j) > counts.points(j, i)) ++victories;
      sum += counts.mean(i, j);
    }
    if (victories > best_victories || (victories == best_victories && sum > best_sum)) {
      best = i;
      best_victories = victories;
      best_sum = sum;
    }
  }
  return best;
}

}  // namespace duel
