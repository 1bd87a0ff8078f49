#include "duel/policies/parts/pair_batches.h"

#include <algorithm>

#include "duel/policies/parts/arms.h"

namespace duel {

PairBatches::PairBatches(std::size_t num_arms, std::uint64_t target)
    : counts_(num_arms),
      left_(num_arms, 1),
      sweep_(all_pairs(num_arms)),
      num_left_(num_arms),
      target_(target),
      open_(count_open()) {}

std::uint64_t PairBatches::count_open() const {
  std::uint64_t open = 0;
  for (Arm i = 0; i < left_.size(); ++i) {
    for (Arm j = i + 1; j < left_.size() && left_[i] != 0; ++j) {
      if (left_[j] != 0 && counts_.total(i, j) < 2 * target_) ++open;
    }
  }
  return open;
}

std::vector<Arm> PairBatches::arms_left() const {
  std::vector<Arm> arms;
  find_arms(left_, std::uint8_t{1}, arms);
  return arms;
}

void PairBatches::answered(const Duel& duel, Points points) {
  if (!is_left(duel)) return;
  counts_.add(duel.first, duel.second, points);
  if (counts_.total(duel.first, duel.second) == 2 * target_) --open_;
}

void PairBatches::drop(std::span<const Arm> arms) {
  for (const Arm arm : arms) left_[arm] = 0;
  num_left_ -= arms.size();
  if (!arms.empty() && num_left_ > 1) sweep_.forget_dead(alive());
}

void PairBatches::begin_next(std::uint64_t target) {
  ++batch_;
  target_ = target;
  open_ = count_open();
}

bool PairBatches::fits() {
  const std::size_t num_arms = counts_.num_arms();
  if (!counts_.consistent() || left_.size() != num_arms || batch_ < 1 ||
      !std::ranges::all_of(left_, [](std::uint8_t flag) { return flag <= 1; })) {
    return false;
  }
  num_left_ = static_cast<std::size_t>(std::ranges::count(left_, 1));
  if (num_left_ == 0 || !sweep_.restored([=](const ArmPair& pair) {
        return pair.low < pair.high && pair.high < num_arms;
      })) {
    return false;
  }
  std::size_t scheduled = 0;
  for (const ArmPair& pair : sweep_.items()) scheduled += alive()(pair) ? 1 : 0;
  return scheduled == num_left_ * (num_left_ - 1) / 2;
}

}  // namespace duel
