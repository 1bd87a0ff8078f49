// The two steps of `certify` as they are written, everything computed again in every round.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "duel/core/beta.h"
#include "duel/core/duel.h"
#include "duel/core/logarithm.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"
#include "duel/inference/evidence.h"

namespace duel {

class CertifyTwin {
 public:
  CertifyTwin(double alpha, Ties ties, bool lowest, std::size_t num_arms)
      : alpha_(alpha),
        ties_(ties),
        lowest_(lowest),
        k_(num_arms),
        w_(num_arms, std::vector<double>(num_arms)),
        best_(num_arms, std::vector<double>(num_arms)) {}

  Duel next(Round t, RoundRng rng) const {
    if (k_ == 1) return {0, 0, t};
    const Arm i = leader(rng);
    return {i, rival(i, rng), t};
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    const auto points = points_of(outcome, ties_, rng);
    if (!points) return;
    const Arm i = duel.first, j = duel.second;
    w_[i][j] += 0.5 * points->first;
    w_[j][i] += 0.5 * points->second;
    for (const auto& [a, b] : {std::pair{i, j}, std::pair{j, i}}) {
      const auto wins = static_cast<std::uint64_t>(std::floor(w_[a][b]));
      const auto losses = static_cast<std::uint64_t>(std::floor(w_[b][a]));
      best_[a][b] = std::max(best_[a][b], PairEvidence().log_evidence(wins, losses));
    }
  }

 private:
  // c of a fixed set: the smaller of K/alpha and 3/alpha + 1; of all pairs: K (K - 1)/alpha.
  double winner_threshold() const {
    return natural_log(std::min(static_cast<double>(k_) / alpha_, 3.0 / alpha_ + 1.0));
  }
  double edge_threshold() const {
    const auto k = static_cast<double>(k_);
    return natural_log(k * (k - 1) / alpha_);
  }
  // The beliefs' share above 1/2; of even pairs the lower index counts as the underdog.
  double log_chance(Arm i, Arm j) const {
    const HalfShares shares = beta_half_shares(w_[i][j], w_[j][i]);
    const double smaller = std::min(shares.above, shares.below);
    const bool underdog = shares.above < shares.below || (shares.above == shares.below && i < j);
    return underdog ? -natural_log(smaller) : minus_log_of_rest(smaller);
  }
  static double minus_log_of_rest(double smaller) { return -std::log1p(-smaller); }

  // On the grid that the policy documents; sums are then exact in double.
  double row_cost(Arm i) const {
    double sum = 0;
    for (Arm j = 0; j < k_; ++j) sum += i == j ? 0 : std::round(log_chance(i, j) * 0x1p36);
    return sum;
  }
  int level(Arm a) const {
    int level = 0;
    for (Arm b = 0; b < k_; ++b) {
      if (b == a) continue;
      if (best_[b][a] >= winner_threshold()) level = std::max(level, 1);
      if (best_[b][a] >= edge_threshold()) level = 2;
    }
    return level;
  }
  Arm one_of(const std::vector<Arm>& arms, RoundRng& rng) const {
    return arms.size() == 1 || lowest_ ? arms[0] : arms[rng.below(arms.size())];
  }
  template <class Value>
  static std::vector<Arm> least(const std::vector<Arm>& arms, Value value) {
    double least = INFINITY;
    for (const Arm a : arms) least = std::min<double>(least, value(a));
    std::vector<Arm> tied;
    for (const Arm a : arms) {
      if (value(a) == least) tied.push_back(a);
    }
    return tied;
  }

  Arm leader(RoundRng& rng) const {
    std::vector<Arm> arms;
    for (Arm a = 0; a < k_; ++a) arms.push_back(a);
    const auto cost = [&](Arm a) { return row_cost(a); };
    const std::uint64_t way = rng.below(4);
    if (way < 2) return one_of(least(arms, cost), rng);
    const std::uint64_t base = rng.bits();
    const auto beats = [&](Arm i, Arm j) {
      const Arm low = std::min(i, j), high = std::max(i, j);
      const std::uint64_t number = std::uint64_t{high} * (high - 1) / 2 + low;
      const double u =
          static_cast<double>(mix64(base + number * 0x9e3779b97f4a7c15ULL) >> 11) * 0x1p-53;
      const HalfShares shares = beta_half_shares(w_[low][high], w_[high][low]);
      // The underdog wins where u is below its share; of even pairs the lower index is the
      // underdog.
      const bool low_wins = shares.above <= shares.below ? u < shares.above : !(u < shares.below);
      return (i == low) == low_wins;
    };
    if (way == 2) arms = least(arms, [&](Arm a) { return level(a); });
    arms = least(arms, [&](Arm a) {
      int losses = 0;
      for (Arm b = 0; b < k_; ++b) losses += b != a && !beats(a, b) ? 1 : 0;
      return losses;
    });
    return one_of(least(arms, cost), rng);
  }

  Arm rival(Arm i, RoundRng& rng) const {
    std::vector<Arm> rivals, all;
    for (Arm j = 0; j < k_; ++j) {
      if (j == i) continue;
      all.push_back(j);
      if (best_[i][j] < winner_threshold()) rivals.push_back(j);
    }
    if (rivals.empty()) rivals = all;
    if (rng.coin()) {
      return one_of(
          least(rivals, [&](Arm j) { return beta_half_shares(w_[i][j], w_[j][i]).above; }), rng);
    }
    Arm best = rivals[0];
    double largest = -1;
    for (const Arm j : rivals) {
      const double draw = draw_beta(w_[j][i] + 1, w_[i][j] + 1, rng);
      if (draw > largest) {
        largest = draw;
        best = j;
      }
    }
    return best;
  }

  double alpha_;
  Ties ties_;
  bool lowest_;
  std::size_t k_;
  std::vector<std::vector<double>> w_;
  std::vector<std::vector<double>> best_;  // largest ln E
};

}  // namespace duel
