// The steps of `certify` for sets and orders as they are written, everything computed again in
// every round.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/goal.h"
#include "duel/core/logarithm.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"
#include "duel/inference/evidence.h"
#include "duel/inference/order_threshold.h"
#include "duel/policies/parts/arms.h"

namespace duel {

class CertifyOrderTwin {
 public:
  CertifyOrderTwin(const Goal& goal, double alpha, bool shared, Ties ties, bool lowest,
                   std::size_t num_arms, RoundRng rng)
      : goal_(goal),
        ties_(ties),
        lowest_(lowest),
        log_c_(natural_log(order_threshold(goal, num_arms, alpha, shared))),
        sigma_(all_arms(num_arms)),
        w_(num_arms, std::vector<double>(num_arms)),
        best_(num_arms, std::vector<double>(num_arms)) {
    if (!lowest) shuffle(sigma_, rng);
  }

  Duel next(Round t, RoundRng rng) const {
    const std::size_t k = goal_.kind == Goal::ranking ? sigma_.size() - 1 : goal_.top;
    std::vector<Duel> needed, open;
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = a + 1; b < sigma_.size(); ++b) {
        if (goal_.kind == Goal::set && b < k) continue;
        needed.push_back({sigma_[a], sigma_[b], t});
        if (best_[sigma_[a]][sigma_[b]] < log_c_) open.push_back(needed.back());
      }
    }
    const std::vector<Duel>& among = open.empty() ? needed : open;
    double least = 1e300;
    for (const Duel& duel : among) least = std::min(least, now(duel.first, duel.second));
    std::vector<Duel> tied;
    for (const Duel& duel : among) {
      if (now(duel.first, duel.second) == least) tied.push_back(duel);
    }
    return tied[lowest_ || tied.size() == 1 ? 0 : rng.below(tied.size())];
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    const auto points = points_of(outcome, ties_, rng);
    if (!points) return;
    const Arm i = duel.first, j = duel.second;
    w_[i][j] += 0.5 * points->first;
    w_[j][i] += 0.5 * points->second;
    best_[i][j] = std::max(best_[i][j], now(i, j));
    best_[j][i] = std::max(best_[j][i], now(j, i));
    const auto earlier = std::min(std::find(sigma_.begin(), sigma_.end(), i),
                                  std::find(sigma_.begin(), sigma_.end(), j));
    const auto later = std::max(std::find(sigma_.begin(), sigma_.end(), i),
                                std::find(sigma_.begin(), sigma_.end(), j));
    if (std::floor(w_[*later][*earlier]) > std::floor(w_[*earlier][*later])) {
      std::iter_swap(earlier, later);
    }
  }

 private:
  double now(Arm i, Arm j) const {
    return PairEvidence().log_evidence(static_cast<std::uint64_t>(std::floor(w_[i][j])),
                                       static_cast<std::uint64_t>(std::floor(w_[j][i])));
  }

  Goal goal_;
  Ties ties_;
  bool lowest_;
  double log_c_;
  std::vector<Arm> sigma_;
  std::vector<std::vector<double>> w_, best_;
};

}  // namespace duel
