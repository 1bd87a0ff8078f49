// D-TS and D-TS+ as Algorithms 1 and 2 say them, all bounds and samples made again in every round.
//
// `DtsTwin` draws each sample's side of 1/2 and then its value, as the policy does, from the same
// draws. `DtsBetaTwin` draws every theta from its Beta: the plain loop, equal to both in law.
#pragma once

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <vector>

#include "duel/core/beta.h"
#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"
#include "duel/policies/parts/beliefs.h"

namespace duel {

class DtsTwinBase {
 public:
  DtsTwinBase(bool plus, double alpha, Ties ties, bool lowest, std::size_t num_arms)
      : plus_(plus),
        alpha_(alpha),
        ties_(ties),
        lowest_(lowest),
        k_(num_arms),
        w_(num_arms, std::vector<double>(num_arms)),
        above_(num_arms, std::vector<double>(num_arms, 0.5)),
        theta_(num_arms, std::vector<double>(num_arms, 0.5)) {}

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    if (const auto points = points_of(outcome, ties_, rng)) {
      const Arm i = duel.first, j = duel.second;
      w_[i][j] += 0.5 * points->first;
      w_[j][i] += 0.5 * points->second;
      using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
      for (const auto& [a, b] : {std::pair{i, j}, std::pair{j, i}}) {
        above_[a][b] = w_[a][b] == w_[b][a]
                           ? 0.5
                           : boost::math::ibetac(w_[a][b] + 1, w_[b][a] + 1, 0.5, Plain());
      }
    }
  }

 protected:
  double upper(Arm i, Arm j) const { return bound(i, j, 1); }
  double lower(Arm i, Arm j) const { return bound(i, j, -1); }
  double bound(Arm i, Arm j, double sign) const {
    const double n = w_[i][j] + w_[j][i];
    if (n == 0) return 1 + sign;
    return w_[i][j] / n + sign * std::sqrt(alpha_log_ / n);
  }
  std::vector<Arm> candidates(Round t) {
    alpha_log_ = alpha_ * std::log(static_cast<double>(t));
    std::vector<Arm> c;
    int best = -1;
    for (Arm i = 0; i < k_; ++i) {
      int score = 0;
      for (Arm j = 0; j < k_; ++j) score += j != i && upper(i, j) > 0.5 ? 1 : 0;
      if (score > best) {
        best = score;
        c.clear();
      }
      if (score == best) c.push_back(i);
    }
    return c;
  }
  std::vector<int> sampled_scores() const {
    std::vector<int> s(k_);
    for (Arm i = 0; i < k_; ++i) {
      for (Arm j = 0; j < k_; ++j) s[i] += j != i && theta_[i][j] > 0.5 ? 1 : 0;
    }
    return s;
  }
  std::vector<Arm> best_of(const std::vector<Arm>& c, const std::vector<int>& s) const {
    std::vector<Arm> tied;
    for (const Arm i : c) {
      if (!tied.empty() && s[i] > s[tied[0]]) tied.clear();
      if (tied.empty() || s[i] == s[tied[0]]) tied.push_back(i);
    }
    return tied;
  }
  // Step 4 of D-TS+ (dts.h), from the values in theta_.
  std::vector<Arm> cheapest(const std::vector<Arm>& tied, const std::vector<int>& s) const {
    const int s_max = *std::max_element(s.begin(), s.end());
    std::vector<Arm> kept;
    double least = 0;
    for (const Arm i : tied) {
      double sum = 0;
      for (Arm j = 0; j < k_; ++j) {
        if (j == i || theta_[i][j] == 0.5) continue;
        const double p = theta_[i][j];
        const double divergence = p * std::log(2 * p) + (1 - p) * std::log(2 * (1 - p));
        sum += (s_max - 0.5 * (s[i] + s[j])) / static_cast<double>(k_ - 1) / divergence;
      }
      if (kept.empty() || sum < least) {
        least = sum;
        kept = {i};
      } else if (sum == least) {
        kept.push_back(i);
      }
    }
    return kept;
  }
  Arm one_of(const std::vector<Arm>& tied, RoundRng& rng) const {
    return tied.size() == 1 || lowest_ ? tied[0] : tied[rng.below(tied.size())];
  }

  bool plus_;
  double alpha_;
  double alpha_log_ = 0;  // alpha ln t
  Ties ties_;
  bool lowest_;
  std::size_t k_;
  std::vector<std::vector<double>> w_;
  std::vector<std::vector<double>> above_;  // P(Beta(w_ij + 1, w_ji + 1) > 1/2)
  std::vector<std::vector<double>> theta_;
};

class DtsTwin : public DtsTwinBase {
 public:
  using DtsTwinBase::DtsTwinBase;

  Duel next(Round t, RoundRng rng) {
    const std::vector<Arm> c = candidates(t);
    Arm a = c[0];
    if (c.size() > 1) {
      const KeyedDraws draws(rng);
      for (Arm i = 0; i < k_; ++i) {
        for (Arm j = i + 1; j < k_; ++j) {
          const double u = draws.uniform(pair_index(i, j));
          // The less likely of the two wins iff u is small; of an even pair, i.
          const bool i_wins = above_[i][j] <= 0.5 ? u < above_[i][j] : u >= above_[j][i];
          theta_[i][j] = i_wins ? 0.75 : 0.25;
          theta_[j][i] = 1 - theta_[i][j];
        }
      }
      const std::vector<int> s = sampled_scores();
      std::vector<Arm> tied = best_of(c, s);
      if (plus_ && tied.size() > 1) {
        const KeyedDraws seeds(rng);
        for (Arm i = 0; i < k_; ++i) {
          for (Arm j = 0; j < k_; ++j) {
            if (i == j || theta_[i][j] < 0.5) continue;
            Xoshiro values(seeds.bits(pair_index(i, j)));
            theta_[i][j] = draw_beta_above_half(w_[i][j] + 1, w_[j][i] + 1, values);
            theta_[j][i] = 1 - theta_[i][j];
          }
        }
        tied = cheapest(tied, s);
      }
      a = one_of(tied, rng);
    }
    const KeyedDraws draws(rng);
    std::vector<Arm> above;
    for (Arm i = 0; i < k_; ++i) {
      if (i == a || lower(i, a) > 0.5) continue;
      const double u = draws.uniform(i);
      const bool i_is_underdog = above_[i][a] < 0.5 || (above_[i][a] == 0.5 && i < a);
      if (i_is_underdog ? u < above_[i][a] : u >= above_[a][i]) above.push_back(i);
    }
    Arm b = a;
    double largest = 0.5;
    for (const Arm i : above) {
      Xoshiro values(draws.bits(k_ + i));
      const double theta = draw_beta_above_half(w_[i][a] + 1, w_[a][i] + 1, values);
      if (theta > largest) {
        largest = theta;
        b = i;
      }
    }
    return {a, b, t};
  }
};

class DtsBetaTwin : public DtsTwinBase {
 public:
  using DtsTwinBase::DtsTwinBase;

  Duel next(Round t, RoundRng rng) {
    Xoshiro draws(rng);
    for (Arm i = 0; i < k_; ++i) {
      for (Arm j = i + 1; j < k_; ++j) {
        theta_[i][j] = draw_beta(w_[i][j] + 1, w_[j][i] + 1, draws);
        theta_[j][i] = 1 - theta_[i][j];
      }
    }
    const std::vector<int> s = sampled_scores();
    std::vector<Arm> tied = best_of(candidates(t), s);
    if (plus_ && tied.size() > 1) tied = cheapest(tied, s);
    const Arm a = one_of(tied, rng);
    Arm b = a;
    double largest = 0.5;
    for (Arm i = 0; i < k_; ++i) {
      if (i == a) continue;
      const double theta = draw_beta(w_[i][a] + 1, w_[a][i] + 1, draws);
      if (theta > largest && lower(i, a) <= 0.5) {
        largest = theta;
        b = i;
      }
    }
    return {a, b, t};
  }
};

}  // namespace duel
