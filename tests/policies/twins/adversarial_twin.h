// REX3 and Versatile-DB as written: weights multiplied, x found by bisection, arms drawn by adding
// up probabilities.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

namespace duel {

inline Arm draw_from(const std::vector<double>& p, RoundRng& rng) {
  const double u = rng.uniform();
  double sum = 0;
  for (Arm k = 0; k + 1 < p.size(); ++k) {
    sum += p[k];
    if (u < sum) return k;
  }
  return static_cast<Arm>(p.size() - 1);
}

class Rex3Twin {
 public:
  Rex3Twin(std::size_t num_arms, double horizon, std::optional<double> gamma, bool anytime,
           Ties ties)
      : horizon_(horizon), gamma_(gamma), anytime_(anytime), ties_(ties), w_(num_arms, 1.0L) {}

  Duel next(Round t, RoundRng rng) {
    const double k = static_cast<double>(w_.size());
    const double spread = k * std::log(k);
    g_ = std::min(0.5, std::sqrt(spread / (std::exp(1.0) * horizon_)));
    if (anytime_) {
      g_ = std::min(0.5, std::sqrt(spread / std::max(static_cast<double>(t), 1e4)));
    }
    if (gamma_) g_ = *gamma_;
    long double sum = 0;
    for (const long double w : w_) sum += w;
    p_.clear();
    for (const long double w : w_) p_.push_back((1 - g_) * static_cast<double>(w / sum) + g_ / k);
    const Arm a = draw_from(p_, rng);
    const Arm b = draw_from(p_, rng);
    return {a, b, t};
  }
  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    const auto points = points_of(outcome, ties_, rng);
    if (!points) return;
    const double psi = (static_cast<double>(points->first) - points->second) / 2;
    const double k = static_cast<double>(w_.size());
    w_[duel.first] *= std::exp(static_cast<long double>(g_ * psi / (2 * k * p_[duel.first])));
    w_[duel.second] *= std::exp(static_cast<long double>(-g_ * psi / (2 * k * p_[duel.second])));
  }

 private:
  double horizon_;
  std::optional<double> gamma_;
  bool anytime_;
  Ties ties_;
  double g_ = 0;
  std::vector<long double> w_;
  std::vector<double> p_;
};

class VersatileTwin {
 public:
  VersatileTwin(std::size_t num_arms, bool two, bool reduced, Ties ties)
      : two_(two),
        reduced_(reduced),
        ties_(ties),
        l_{std::vector<double>(num_arms), std::vector<double>(num_arms)} {}

  Duel next(Round t, RoundRng rng) {
    eta_ = (reduced_ ? 4 : 2) / std::sqrt(static_cast<double>(t));
    q_[0] = law(l_[0]);
    q_[1] = two_ ? law(l_[1]) : q_[0];
    const Arm a = draw_from(q_[0], rng);
    const Arm b = draw_from(q_[1], rng);
    return {a, b, t};
  }
  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    const auto points = points_of(outcome, ties_, rng);
    const double o = points ? 0.5 * points->first : 0.5;  // unanswered: as a tie
    for (int player = 0; player < 2; ++player) {
      const Arm arm = player == 0 ? duel.first : duel.second;
      const double loss = player == 0 ? 1 - o : o;
      std::vector<double>& l = l_[two_ ? player : 0];
      const std::vector<double>& q = q_[player];
      for (Arm k = 0; k < l.size(); ++k) {
        const double b = reduced_ && q[k] >= eta_ * eta_ ? 0.5 : 0;
        l[k] += (two_ ? 1 : 0.5) * ((k == arm ? (loss - b) / q[k] : 0) + b);
      }
    }
  }

 private:
  std::vector<double> law(const std::vector<double>& l) const {
    const double least = *std::min_element(l.begin(), l.end());
    double low = least - 2 * std::sqrt(static_cast<double>(l.size())) / eta_ - 1, high = least;
    const auto q_at = [&](double x, Arm k) { return 4 / std::pow(eta_ * (l[k] - x), 2); };
    for (int step = 0; step < 200; ++step) {
      const double x = 0.5 * (low + high);
      double sum = 0;
      for (Arm k = 0; k < l.size(); ++k) sum += q_at(x, k);
      (sum < 1 ? low : high) = x;
    }
    std::vector<double> q;
    for (Arm k = 0; k < l.size(); ++k) q.push_back(q_at(low, k));
    return q;
  }

  bool two_, reduced_;
  Ties ties_;
  double eta_ = 1;
  std::vector<double> l_[2];
  std::vector<double> q_[2];
};

}  // namespace duel
