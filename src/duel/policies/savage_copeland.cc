#include "duel/policies/savage_copeland.h"

#include <algorithm>

#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

CopelandCriterion::CopelandCriterion(std::size_t num_arms)
    : num_arms_(num_arms),
      signs_(num_arms * num_arms, kMayWin),
      least_(num_arms, 0),
      most_(num_arms, static_cast<std::uint32_t>(num_arms - 1)),
      hopeless_(num_arms) {}

bool CopelandCriterion::judge(Arm i, Arm j, double mean, double c) {
  const bool may_win = mean + c > 0.5;
  const bool wins = mean - c > 0.5;
  std::uint8_t& known = sign(i, j);
  const bool could = (known & kMayWin) != 0;
  const bool did = (known & kWins) != 0;
  if (may_win == could && wins == did) return false;
  known = static_cast<std::uint8_t>((may_win ? kMayWin : 0) | (wins ? kWins : 0));
  if (may_win != could) most_[i] += may_win ? 1 : -1;
  if (wins != did) least_[i] += wins ? 1 : -1;
  return true;
}

void CopelandCriterion::update(Arm i, Arm j, const PairCounts& counts, double c, LivePairs& live) {
  const bool changed_i = judge(i, j, counts.mean(i, j), c);
  const bool changed_j = judge(j, i, counts.mean(j, i), c);
  if (!changed_i && !changed_j) return;
  if (((sign(i, j) | sign(j, i)) & kWins) != 0) live.drop(i, j);
  hopeless_.find(most_, least_);
  hopeless_.drop_pairs(live);
  decide();
}

void CopelandCriterion::decide() {
  // The arm with the largest C+, and the largest C+ of the others.
  Arm top = 0;
  std::uint32_t second = 0;
  for (Arm k = 1; k < num_arms_; ++k) {
    if (most_[k] > most_[top]) {
      second = most_[top];
      top = k;
    } else {
      second = std::max(second, most_[k]);
    }
  }
  decided_ = num_arms_ > 1 && least_[top] >= second;
  // Another arm needs C- >= C+ of `top`, the largest: only possible where both are that large.
  for (Arm k = 0; k < num_arms_ && !decided_; ++k) {
    decided_ = k != top && least_[k] >= most_[top];
  }
}

void CopelandCriterion::rebuild(const PairCounts& counts, const SavageRadius& radius) {
  std::fill(signs_.begin(), signs_.end(), kMayWin);
  std::fill(least_.begin(), least_.end(), 0);
  std::fill(most_.begin(), most_.end(), static_cast<std::uint32_t>(num_arms_ - 1));
  for (Arm i = 0; i < num_arms_; ++i) {
    for (Arm j = 0; j < num_arms_; ++j) {
      if (i == j || counts.total(i, j) == 0) continue;
      judge(i, j, counts.mean(i, j), radius(counts.duels(i, j)));
    }
  }
  hopeless_.find(most_, least_);
  decide();
}

Arm CopelandCriterion::leader(const PairCounts& counts, bool deterministic_ties,
                              RoundRng rng) const {
  std::vector<Arm> candidates;
  find_arms(most_, *std::max_element(most_.begin(), most_.end()), candidates);
  return empirical_copeland_leader_among(candidates, counts, deterministic_ties, rng);
}

namespace {
const bool savage_copeland_is_registered = register_policy<SavageCopeland>(
    {.name = "savage-copeland",
     .title = "SAVAGE, Copeland winner",
     .paper = kSavagePaper,
     .setting = "any; Copeland winner",
     .guarantee = "stops on a Copeland winner with probability >= 1 - delta",
     .status = "tested",
     .jumping = Jumping::exact},
    savage_options<SavageOptions>());
}  // namespace

}  // namespace duel
