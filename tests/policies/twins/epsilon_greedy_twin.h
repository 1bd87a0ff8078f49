// Epsilon-greedy, every round played, all scores computed again.
#pragma once

#include <algorithm>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

namespace duel {

class EpsilonGreedyTwin {
 public:
  EpsilonGreedyTwin(double c, Ties ties, bool lowest, std::size_t num_arms)
      : c_(c),
        ties_(ties),
        lowest_(lowest),
        k_(num_arms),
        w_(num_arms, std::vector<double>(num_arms)) {}

  Duel next(Round t, RoundRng rng) const {
    std::vector<Arm> leaders;
    std::pair<int, double> best{-1, 0};
    for (Arm i = 0; i < k_; ++i) {
      std::pair<int, double> score{0, 0};
      for (Arm j = 0; j < k_; ++j) {
        const double n = w_[i][j] + w_[j][i];
        const double mean = n == 0 ? 0.5 : w_[i][j] / n;
        score.first += mean > 0.5 ? 1 : 0;
        score.second += mean;
      }
      if (score > best) {
        best = score;
        leaders.clear();
      }
      if (score == best) leaders.push_back(i);
    }
    const Arm leader =
        leaders.size() == 1 || lowest_ ? leaders[0] : leaders[rng.below(leaders.size())];
    if (k_ > 1 &&
        rng.bernoulli(std::min(1.0, c_ * static_cast<double>(k_) / static_cast<double>(t)))) {
      std::vector<Arm> others;
      for (Arm j = 0; j < k_; ++j) {
        if (j != leader) others.push_back(j);
      }
      return {leader, others[rng.below(others.size())], t};
    }
    return {leader, leader, t};
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    if (const auto points = points_of(outcome, ties_, rng)) {
      w_[duel.first][duel.second] += 0.5 * points->first;
      w_[duel.second][duel.first] += 0.5 * points->second;
    }
  }

 private:
  double c_;
  Ties ties_;
  bool lowest_;
  std::size_t k_;
  std::vector<std::vector<double>> w_;
};

}  // namespace duel
