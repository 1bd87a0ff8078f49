// SCB, round by round: signs and intervals computed again from the counts of the epoch.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

namespace duel {

class ScbTwin {
 public:
  ScbTwin(double first, bool carry, Ties ties, bool lowest, std::size_t num_arms, RoundRng rng)
      : carry_(carry), ties_(ties), lowest_(lowest), k_(num_arms), length_(first), end_(first) {
    start_epoch(rng);
  }

  Duel next(Round t, RoundRng rng) {
    if (static_cast<double>(t) > end_) {
      length_ *= length_;
      end_ += length_;
      start_epoch(rng);
    }
    while (!exploring_ && champion_ < 0) {
      if (active_.size() == 1) {
        champion_ = static_cast<int>(active_[0]);
      } else if (turn_ == 0 && all_settled()) {
        std::vector<Arm> best;
        int most = 0;
        for (const Arm i : active_) {
          int wins = 0;
          for (Arm j = 0; j < k_; ++j) wins += j != i && sign(i, j) > 0 ? 1 : 0;
          if (wins > most) {
            most = wins;
            best.clear();
          }
          if (wins == most) best.push_back(i);
        }
        std::sort(best.begin(), best.end());
        champion_ =
            static_cast<int>(best.size() == 1 || lowest_ ? best[0] : best[rng.below(best.size())]);
      } else {
        const Arm i = active_[turn_];
        std::vector<Arm> others;
        for (Arm j = 0; j < k_; ++j) {
          if (j != i) others.push_back(j);
        }
        pair_ = {i, others[rng.below(others.size())]};
        exploring_ = true;
        if (sign(pair_.first, pair_.second) != 0) score();
      }
    }
    if (champion_ >= 0) return {static_cast<Arm>(champion_), static_cast<Arm>(champion_), t};
    return {pair_.first, pair_.second, t};
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    if (const auto points = points_of(outcome, ties_, rng)) {
      w_[duel.first][duel.second] += 0.5 * points->first;
      w_[duel.second][duel.first] += 0.5 * points->second;
    }
    if (exploring_ && sign(pair_.first, pair_.second) != 0) score();
  }

 private:
  void start_epoch(RoundRng& rng) {
    if (!carry_ || w_.empty()) w_.assign(k_, std::vector<double>(k_));
    active_.clear();
    for (Arm i = 0; i < k_; ++i) active_.push_back(i);
    for (std::size_t n = k_; n > 1; --n) std::swap(active_[n - 1], active_[rng.below(n)]);
    m_.assign(k_, 0);
    reward_.assign(k_, 0);
    turn_ = 0;
    exploring_ = false;
    champion_ = -1;
  }
  double delta() const { return std::log(length_) / length_; }
  int sign(Arm i, Arm j) const {
    const double n = w_[i][j] + w_[j][i], k = static_cast<double>(k_);
    if (n == 0) return 0;
    const double radius = std::sqrt(std::log(2 * n * (n + 1) / (delta() / (k * k))) / (2 * n));
    const double mean = w_[i][j] / n;
    return mean - 0.5 > radius ? 1 : 0.5 - mean > radius ? -1 : 0;
  }
  bool all_settled() const {
    for (const Arm i : active_) {
      for (Arm j = 0; j < k_; ++j) {
        if (j != i && sign(i, j) == 0) return false;
      }
    }
    return true;
  }
  void score() {
    exploring_ = false;
    m_[pair_.first] += 1;
    reward_[pair_.first] += sign(pair_.first, pair_.second) > 0 ? 1 : 0;
    if (++turn_ < active_.size()) return;
    turn_ = 0;
    double s = 0, best_lower = 0;
    for (const double m : m_) s += m;
    const double budget = std::log(4 * s * static_cast<double>(k_) / delta()) +
                          2 * std::log(std::max(1.0, std::log(s)));
    std::vector<double> upper(k_);
    for (const Arm i : active_) {
      upper[i] = end_of(reward_[i] / m_[i], m_[i], budget, 1);
      best_lower = std::max(best_lower, end_of(reward_[i] / m_[i], m_[i], budget, 0));
    }
    std::erase_if(active_, [&](Arm i) { return upper[i] < best_lower; });
  }
  // The end of the interval {q : m d(mean, q) <= budget} towards `side`.
  static double end_of(double mean, double m, double budget, double side) {
    const auto d = [](double p, double q) {
      const double a = p == 0 ? 0 : p * std::log(p / q);
      const double b = p == 1 ? 0 : (1 - p) * std::log((1 - p) / (1 - q));
      return a + b;
    };
    double inside = mean, outside = side;
    for (int n = 0; n < 60; ++n) {
      const double middle = 0.5 * (inside + outside);
      (m * d(mean, middle) <= budget ? inside : outside) = middle;
    }
    return inside;
  }

  bool carry_;
  Ties ties_;
  bool lowest_;
  std::size_t k_;
  double length_, end_;
  std::vector<std::vector<double>> w_;
  std::vector<Arm> active_;
  std::vector<double> m_, reward_;
  std::size_t turn_ = 0;
  bool exploring_ = false;
  std::pair<Arm, Arm> pair_;
  int champion_ = -1;
};

}  // namespace duel
