#include "duel/inference/panel_count.h"

#include "duel/core/check.h"

namespace duel {

void PanelCount::answer(Arm i, Arm j, int answer) {
  DUEL_CHECK(i != j && (!most_ || answers(i, j) < *most_));
  if (answer != 0) ++wins_[answer > 0 ? i * num_arms_ + j : j * num_arms_ + i];
  ++answers_[i * num_arms_ + j];
  ++answers_[j * num_arms_ + i];
}

std::vector<bool> PanelCount::possible_winners() const {
  std::vector<bool> may_win(num_arms_, true);
  for (Arm i = 0; i < num_arms_; ++i) {
    for (Arm j = 0; j < num_arms_ && may_win[i]; ++j) {
      if (j != i && cannot_beat(i, j)) may_win[i] = false;
    }
  }
  return may_win;
}

bool PanelCount::restored() const {
  if (wins_.size() != num_arms_ * num_arms_ || answers_.size() != wins_.size()) return false;
  for (Arm i = 0; i < num_arms_; ++i) {
    for (Arm j = 0; j < num_arms_; ++j) {
      if (wins(i, j) + wins(j, i) > answers(i, j) || answers(i, j) != answers(j, i)) return false;
      if (most_ && answers(i, j) > *most_) return false;
    }
  }
  return true;
}

}  // namespace duel
