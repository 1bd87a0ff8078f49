#include "duel/policies/parts/savage.h"

#include <algorithm>

#include "duel/core/logarithm.h"
#include "duel/core/radius.h"
#include "duel/policies/parts/arms.h"

namespace duel {

SavageRadius::SavageRadius(const SavageOptions& options, double num_unknowns)
    : anytime_(options.bound == SavageBound::anytime) {
  constexpr double kPi = 3.14159265358979323846;
  const double unknowns = std::max(num_unknowns, 1.0);  // one arm: no pairs, and no use for c
  const double log_horizon = natural_log(static_cast<double>(std::max<Round>(options.horizon, 1)));
  const double minus_log_delta = options.delta ? -natural_log(*options.delta) : log_horizon;
  constant_ = anytime_ ? natural_log(kPi * kPi * unknowns / 3.0) + minus_log_delta
                       : natural_log(2.0 * unknowns) + log_horizon + minus_log_delta;
}

double SavageRadius::log_term(double n) const {
  return anytime_ ? constant_ + 2.0 * natural_log(n) : constant_;
}

double SavageRadius::operator()(double n) const { return hoeffding_radius(log_term(n), n); }

std::vector<ArmPair> all_pairs(std::size_t num_arms) {
  std::vector<ArmPair> pairs;
  pairs.reserve(num_arms * (num_arms - 1) / 2);
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) pairs.push_back({i, j});
  }
  return pairs;
}

LivePairs::LivePairs(std::size_t num_arms)
    : num_arms_(num_arms), state_(num_arms * num_arms), size_(num_arms * (num_arms - 1) / 2) {
  num_wide_ = size_;
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) state_[index(i, j)] = kLive | kWide;
  }
}

void LivePairs::drop(Arm i, Arm j) {
  std::uint8_t& state = state_[index(i, j)];
  if ((state & kLive) == 0) return;
  --size_;
  if ((state & kWide) != 0) --num_wide_;
  state = 0;
}

void LivePairs::set_wide(Arm i, Arm j, bool wide) {
  std::uint8_t& state = state_[index(i, j)];
  if (((state & kWide) != 0) == wide) return;
  state ^= kWide;
  num_wide_ += wide ? 1 : -1;
}

bool LivePairs::restored() {
  if (state_.size() != num_arms_ * num_arms_) return false;
  size_ = 0;
  num_wide_ = 0;
  for (Arm i = 0; i < num_arms_; ++i) {
    for (Arm j = 0; j < num_arms_; ++j) {
      const std::uint8_t state = state_[i * num_arms_ + j];
      if (state > (kLive | kWide) || state == kWide || (i >= j && state != 0)) return false;
      if ((state & kLive) != 0) ++size_;
      if ((state & kWide) != 0) ++num_wide_;
    }
  }
  return true;
}

Arm empirical_copeland_leader_among(std::span<const Arm> candidates, const PairCounts& counts,
                                    bool deterministic_ties, RoundRng rng) {
  DUEL_CHECK(!candidates.empty());
  const auto num_arms = static_cast<Arm>(counts.num_arms());
  return largest_of(candidates, deterministic_ties, rng, [&](Arm i) {
    std::size_t victories = 0;
    for (Arm j = 0; j < num_arms; ++j) victories += counts.points(i, j) > counts.points(j, i);
    return victories;
  });
}

}  // namespace duel
