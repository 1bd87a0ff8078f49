// RCS as Algorithm 1 says it, all samples and bounds new in every round. Samples are drawn as
// their side of 1/2 from the draws of the policy, or with `beta` from their Beta distributions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "duel/core/beta.h"
#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"
#include "duel/policies/parts/beliefs.h"

namespace duel {

class RcsTwin {
 public:
  RcsTwin(double alpha, Ties ties, bool lowest, bool beta, std::size_t num_arms)
      : alpha_(alpha),
        ties_(ties),
        lowest_(lowest),
        beta_(beta),
        k_(num_arms),
        w_(num_arms, std::vector<double>(num_arms)),
        wins_(num_arms, std::vector<bool>(num_arms)),
        champion_(num_arms) {}

  Duel next(Round t, RoundRng rng) {
    const KeyedDraws draws(rng);
    RoundRng copy = rng;
    Xoshiro values(copy);
    for (Arm i = 0; i < k_; ++i) {
      for (Arm j = i + 1; j < k_; ++j) {
        bool i_wins = false;
        if (beta_) {
          i_wins = draw_beta(w_[i][j] + 1, w_[j][i] + 1, values) > 0.5;
        } else {
          const double u = draws.uniform(pair_index(i, j));
          i_wins = w_[i][j] <= w_[j][i] ? u < beta_above_half(w_[i][j], w_[j][i])
                                        : u >= beta_above_half(w_[j][i], w_[i][j]);
        }
        wins_[i][j] = i_wins;
        wins_[j][i] = !i_wins;
      }
    }
    Arm c = static_cast<Arm>(k_);
    for (Arm i = 0; i < k_; ++i) {
      bool all = true;
      for (Arm j = 0; j < k_; ++j) all = all && (j == i || wins_[i][j]);
      if (all) c = i;
    }
    if (c == k_) {
      std::vector<Arm> fewest;
      for (Arm i = 0; i < k_; ++i) {
        if (!fewest.empty() && champion_[i] < champion_[fewest[0]]) fewest.clear();
        if (fewest.empty() || champion_[i] == champion_[fewest[0]]) fewest.push_back(i);
      }
      c = one_of(fewest, rng);
    }
    ++champion_[c];
    std::vector<Arm> best;
    double largest = -1;
    for (Arm j = 0; j < k_; ++j) {
      const double n = w_[j][c] + w_[c][j];
      double u = 0.5;
      if (j != c) {
        u = n == 0 ? 2
                   : w_[j][c] / n +
                         std::sqrt(alpha_ * std::log(static_cast<double>(t))) * (1 / std::sqrt(n));
      }
      if (u > largest) {
        largest = u;
        best.clear();
      }
      if (u == largest) best.push_back(j);
    }
    if (best.size() > 1) std::erase(best, c);
    return {c, one_of(best, rng), t};
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    if (const auto points = points_of(outcome, ties_, rng)) {
      w_[duel.first][duel.second] += 0.5 * points->first;
      w_[duel.second][duel.first] += 0.5 * points->second;
    }
  }

 private:
  Arm one_of(const std::vector<Arm>& tied, RoundRng& rng) const {
    return tied.size() == 1 || lowest_ ? tied[0] : tied[rng.below(tied.size())];
  }

  double alpha_;
  Ties ties_;
  bool lowest_, beta_;
  std::size_t k_;
  std::vector<std::vector<double>> w_;
  std::vector<std::vector<bool>> wins_;
  std::vector<std::uint64_t> champion_;
};

}  // namespace duel
