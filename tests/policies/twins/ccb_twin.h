// CCB as Algorithm 1 says it, with sets, all bounds computed again in every round.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

namespace duel {

class CcbTwin {
 public:
  CcbTwin(double alpha, Ties ties, bool lowest, std::size_t num_arms)
      : alpha_(alpha),
        ties_(ties),
        lowest_(lowest),
        k_(num_arms),
        w_(num_arms, std::vector<double>(num_arms)) {
    reset();
  }

  Duel next(Round t, RoundRng rng) {
    t_ = t;
    std::vector<std::size_t> upper(k_), lower(k_);
    for (Arm i = 0; i < k_; ++i) {
      for (Arm k = 0; k < k_; ++k) {
        if (k == i) continue;
        upper[i] += u(i, k) >= 0.5 ? 1 : 0;
        lower[i] += l(i, k) >= 0.5 ? 1 : 0;
      }
    }
    std::vector<Arm> c;
    for (Arm i = 0; i < k_; ++i) {
      if (upper[i] == *std::max_element(upper.begin(), upper.end())) c.push_back(i);
    }
    // 2 (A)
    bool disproved = false;
    for (Arm i = 0; i < k_; ++i) {
      for (const Arm j : conquerors_[i]) disproved = disproved || l(i, j) > 0.5;
    }
    if (disproved) reset();
    // 2 (B)
    for (const Arm i : std::set<Arm>(b_)) {
      bool beaten = false;
      for (Arm j = 0; j < k_; ++j) beaten = beaten || upper[i] < lower[j];
      if (!beaten) continue;
      b_.erase(i);
      if (conquerors_[i].size() != losses_ + 1) {
        conquerors_[i].clear();
        for (Arm k = 0; k < k_; ++k) {
          if (k != i && u(i, k) < 0.5) conquerors_[i].insert(k);
        }
      }
    }
    if (b_.empty()) reset();
    // 2 (C)
    for (const Arm i : c) {
      if (upper[i] != lower[i]) continue;
      b_.insert(i);
      conquerors_[i].clear();
      losses_ = k_ - 1 - upper[i];
      for (Arm j = 0; j < k_; ++j) {
        if (j == i) continue;
        if (conquerors_[j].size() < losses_ + 1) conquerors_[j].clear();
        if (conquerors_[j].size() > losses_ + 1) {
          std::vector<Arm> list(conquerors_[j].begin(), conquerors_[j].end());
          for (std::size_t n = 0; n <= losses_; ++n) {
            std::swap(list[n], list[n + rng.below(list.size() - n)]);
          }
          conquerors_[j] = std::set<Arm>(list.begin(), list.begin() + losses_ + 1);
        }
      }
    }
    // 3
    if (rng.below(4) == 0) {
      std::vector<std::pair<Arm, Arm>> open;
      for (Arm i = 0; i < k_; ++i) {
        for (const Arm j : conquerors_[i]) {
          if (l(i, j) <= 0.5 && 0.5 <= u(i, j)) open.emplace_back(i, j);
        }
      }
      if (!open.empty()) {
        const auto [i, j] = open[rng.below(open.size())];
        return {i, j, t};
      }
    }
    // 4, 5
    std::vector<Arm> both;
    for (const Arm i : c) {
      if (b_.contains(i)) both.push_back(i);
    }
    if (!both.empty() && rng.below(3) < 2) c = both;
    const Arm first = c.size() == 1 ? c[0] : c[rng.below(c.size())];
    // 6
    std::set<Arm> pool;
    if (rng.coin()) pool = conquerors_[first];
    if (pool.empty()) {
      for (Arm j = 0; j < k_; ++j) pool.insert(j);
    }
    pool.insert(first);
    std::vector<Arm> best;
    double largest = -1;
    for (const Arm j : pool) {
      if (l(j, first) > 0.5) continue;
      const double bound = u(j, first);
      if (bound > largest) {
        largest = bound;
        best.clear();
      }
      if (bound == largest) best.push_back(j);
    }
    if (best.size() > 1) std::erase(best, first);
    return {first, best.size() == 1 || lowest_ ? best[0] : best[rng.below(best.size())], t};
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    if (const auto points = points_of(outcome, ties_, rng)) {
      w_[duel.first][duel.second] += 0.5 * points->first;
      w_[duel.second][duel.first] += 0.5 * points->second;
    }
  }

  std::size_t losses() const { return losses_; }
  const std::vector<std::set<Arm>>& conquerors() const { return conquerors_; }

 private:
  void reset() {
    b_.clear();
    for (Arm i = 0; i < k_; ++i) b_.insert(i);
    conquerors_.assign(k_, {});
    losses_ = k_;
  }
  double radius(Arm i, Arm j) const {
    return std::sqrt(alpha_ * std::log(static_cast<double>(t_))) *
           (1 / std::sqrt(w_[i][j] + w_[j][i]));
  }
  double u(Arm i, Arm j) const {
    if (i == j) return 0.5;
    const double n = w_[i][j] + w_[j][i];
    return n == 0 ? 2 : w_[i][j] / n + radius(i, j);
  }
  double l(Arm i, Arm j) const {
    if (i == j) return 0.5;
    const double n = w_[i][j] + w_[j][i];
    return n == 0 ? 0 : w_[i][j] / n - radius(i, j);
  }

  double alpha_;
  Ties ties_;
  bool lowest_;
  std::size_t k_;
  Round t_ = 1;
  std::vector<std::vector<double>> w_;
  std::set<Arm> b_;
  std::vector<std::set<Arm>> conquerors_;
  std::size_t losses_ = 0;
};

}  // namespace duel
