// RUCB as Algorithm 1 says it, round by round: all K^2 bounds computed again. Both forms. Also the
// literal loop that the benchmark compares with, so its memory is taken at construction.
#pragma once

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

namespace duel {

class RucbTwin {
 public:
  RucbTwin(bool icml, double alpha, double unplayed, Ties ties, bool lowest, std::size_t num_arms)
      : icml_(icml),
        alpha_(alpha),
        unplayed_(unplayed),
        ties_(ties),
        lowest_(lowest),
        k_(num_arms),
        w_(num_arms, std::vector<double>(num_arms)),
        u_(num_arms, std::vector<double>(num_arms, 0.5)) {}

  Duel next(Round t, RoundRng rng) {
    auto& u = u_;
    for (std::size_t i = 0; i < k_; ++i) {
      for (std::size_t j = 0; j < k_; ++j) {
        if (i == j) continue;
        const double n = w_[i][j] + w_[j][i];
        u[i][j] = n == 0 ? unplayed_
                         : w_[i][j] / n + std::sqrt(alpha_ * std::log(static_cast<double>(t)) / n);
      }
    }
    std::vector<Arm> c_set;
    for (Arm i = 0; i < k_; ++i) {
      bool all = true;
      for (Arm j = 0; j < k_; ++j) all = all && u[i][j] >= 0.5;
      if (all) c_set.push_back(i);
    }
    const Arm c = champion(c_set, rng);
    double best = -1;
    std::vector<Arm> tied;
    for (Arm j = 0; j < k_; ++j) {
      if (u[j][c] > best) {
        best = u[j][c];
        tied.clear();
      }
      if (u[j][c] == best) tied.push_back(j);
    }
    if (tied.size() > 1) std::erase(tied, c);
    const Arm d = tied.size() == 1 || lowest_ ? tied[0] : tied[rng.below(tied.size())];
    return {c, d, t};
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    if (const auto points = points_of(outcome, ties_, rng)) {
      w_[duel.first][duel.second] += 0.5 * points->first;
      w_[duel.second][duel.first] += 0.5 * points->second;
    }
  }

 private:
  Arm champion(const std::vector<Arm>& c_set, RoundRng& rng) {
    const std::set<Arm> c(c_set.begin(), c_set.end());
    if (!icml_) {
      if (c.empty()) return static_cast<Arm>(rng.below(k_));
      return c.size() == 1 ? c_set[0] : c_set[rng.below(c.size())];
    }
    if (c.empty()) {
      b_.clear();
      return static_cast<Arm>(rng.below(k_));
    }
    if (!b_.empty() && !c.contains(*b_.begin())) b_.clear();
    if (c.size() == 1) {
      b_ = c;
      return c_set[0];
    }
    if (b_.empty()) return c_set[rng.below(c.size())];
    if (rng.coin()) return *b_.begin();
    std::vector<Arm> others = c_set;
    std::erase(others, *b_.begin());
    return others[rng.below(others.size())];
  }

  bool icml_;
  double alpha_, unplayed_;
  Ties ties_;
  bool lowest_;
  std::size_t k_;
  std::vector<std::vector<double>> w_;
  std::vector<std::vector<double>> u_;
  std::set<Arm> b_;
};

}  // namespace duel
