// RMED1, RMED2 and RMED2FH as Algorithms 1 and 2 say them, with the three lists as sets and all
// divergences computed again in every round. The terms are rounded to the grid that the policy
// documents (2^-36); their sums are then exact in double, whatever the order. Also the literal loop
// that the benchmark compares with, so a state's divergences are computed once.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

namespace duel {

struct RmedTwinOptions {
  int variant = 1;  // 1, 2, or 3 for RMED2FH
  double f_scale = 0.3;
  double f_power = 1.01;
  double alpha = 3;
  double clamp = 0;
  double horizon = 0;
  Ties ties = Ties::coin;
  bool lowest = false;
};

class RmedTwin {
 public:
  RmedTwin(const RmedTwinOptions& options, std::size_t num_arms)
      : options_(options),
        k_(num_arms),
        f_(options.f_scale * std::pow(static_cast<double>(num_arms), options.f_power)),
        w_(num_arms, std::vector<double>(num_arms)),
        evidence_(num_arms) {
    const int passes =
        options.variant == 3
            ? std::max(1, static_cast<int>(std::ceil(options.alpha * log_log(options.horizon))))
            : 1;
    for (int pass = 0; pass < passes; ++pass) {
      for (Arm i = 0; i < k_; ++i) {
        for (Arm j = i + 1; j < k_; ++j) initial_.emplace_back(i, j);
      }
    }
    for (Arm i = 0; i < k_; ++i) l_c_.insert(i), l_r_.insert(i);
  }

  Duel next(Round t, RoundRng rng) {
    listed_ = false;
    opening_ = !initial_.empty();
    if (opening_) {
      const auto [i, j] = initial_.front();
      initial_.erase(initial_.begin());
      return {i, j, t};
    }
    if (l_c_.empty()) {  // step 6 of rmed.h
      l_c_ = l_r_ = l_n_;
      l_n_.clear();
      loop_start_ = true;
    }
    if (options_.variant == 2 && loop_start_) {
      for (Arm i = 0; i < k_; ++i) {
        for (Arm j = i + 1; j < k_; ++j) {
          if (n(i, j) < options_.alpha * log_log(static_cast<double>(t))) return {i, j, t};
        }
      }
    }
    loop_start_ = false;
    listed_ = true;
    const Arm l = *l_c_.begin();
    l_c_.erase(l);
    return {l, opponent(l, t, rng), t};
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (!duel.is_self()) {
      if (const auto points = points_of(outcome, options_.ties, rng)) {
        w_[duel.first][duel.second] += 0.5 * points->first;
        w_[duel.second][duel.first] += 0.5 * points->second;
      } else if (opening_) {
        initial_.insert(initial_.begin(), {duel.first, duel.second});  // asked again
        return;
      }
    }
    if (!duel.is_self()) update_evidence();
    if (options_.variant == 3 && opening_ && initial_.empty()) freeze(rng);
    if (!listed_) return;
    l_r_.erase(duel.first);
    const double least = *std::min_element(evidence_.begin(), evidence_.end());
    for (Arm j = 0; j < k_; ++j) {
      if (!l_r_.contains(j) &&
          evidence_[j] - least <= std::log(static_cast<double>(duel.round)) + f_) {
        l_n_.insert(j);
      }
    }
  }

 private:
  static double log_log(double t) { return t < 3 ? 0 : std::log(std::log(t)); }
  double n(Arm i, Arm j) const { return w_[i][j] + w_[j][i]; }
  double mean(Arm i, Arm j) const { return n(i, j) == 0 ? 0.5 : w_[i][j] / n(i, j); }

  static double divergence(double p) {
    const auto x = [](double q) { return q == 0 ? 0 : q * std::log(2 * q); };
    return p == 0.5 ? 0 : x(p) + x(1 - p);
  }
  void update_evidence() {
    for (Arm i = 0; i < k_; ++i) {
      evidence_[i] = 0;
      for (Arm j = 0; j < k_; ++j) {
        if (j == i || mean(i, j) > 0.5) continue;
        evidence_[i] += std::floor(n(i, j) * divergence(mean(i, j)) * 0x1p36 + 0.5) * 0x1p-36;
      }
    }
  }
  std::vector<Arm> winners() const {
    std::vector<Arm> tied;
    double least = std::numeric_limits<double>::infinity();
    for (Arm i = 0; i < k_; ++i) {
      const double e = evidence_[i];
      if (e < least) {
        least = e;
        tied.clear();
      }
      if (e == least) tied.push_back(i);
    }
    return tied;
  }
  Arm one_of(const std::vector<Arm>& tied, RoundRng& rng) const {
    return tied.size() == 1 || options_.lowest ? tied[0] : tied[rng.below(tied.size())];
  }

  Arm cheapest(Arm l, Arm winner, RoundRng& rng) const {
    std::vector<Arm> tied;
    double best = std::numeric_limits<double>::infinity();
    for (Arm j = 0; j < k_; ++j) {
      if (j == l || mean(l, j) >= 0.5) continue;
      const double regret = std::max(options_.clamp, mean(winner, l) + mean(winner, j) - 1);
      const double value = regret / divergence(mean(l, j));
      if (value < best) {
        best = value;
        tied.clear();
      }
      if (value == best) tied.push_back(j);
    }
    return tied.empty() ? winner : one_of(tied, rng);
  }
  void freeze(RoundRng& rng) {
    const Arm winner = one_of(winners(), rng);
    targets_.clear();
    for (Arm l = 0; l < k_; ++l) targets_.push_back(cheapest(l, winner, rng));
  }

  Arm opponent(Arm l, Round t, RoundRng& rng) const {
    const Arm winner = one_of(winners(), rng);
    std::set<Arm> beats_l;  // O: those who beat or tie l
    for (Arm j = 0; j < k_; ++j) {
      if (j != l && mean(l, j) <= 0.5) beats_l.insert(j);
    }
    if (options_.variant != 1 && l != winner) {
      const double ll = log_log(options_.variant == 2 ? static_cast<double>(t) : options_.horizon);
      if (ll > 0) {
        const Arm target = options_.variant == 2 ? cheapest(l, winner, rng) : targets_[l];
        if (beats_l.contains(target) && n(l, winner) >= n(l, target) / ll) return target;
      }
    }
    if (beats_l.empty() || beats_l.contains(winner)) return winner;
    std::vector<Arm> tied;
    double best = 2;
    for (Arm j = 0; j < k_; ++j) {
      if (j == l) continue;
      if (mean(l, j) < best) {
        best = mean(l, j);
        tied.clear();
      }
      if (mean(l, j) == best) tied.push_back(j);
    }
    return one_of(tied, rng);
  }

  RmedTwinOptions options_;
  std::size_t k_;
  double f_;
  std::vector<std::vector<double>> w_;
  std::vector<double> evidence_;
  std::vector<std::pair<Arm, Arm>> initial_;
  std::set<Arm> l_c_, l_r_, l_n_;
  std::vector<Arm> targets_;
  bool loop_start_ = true;
  bool opening_ = false;  // the last duel was of the initial phase
  bool listed_ = false;   // .. of the main phase
};

}  // namespace duel
