// Interleaved Filter 1 and 2 as written: Algorithms 2 and 3 of the COLT paper, plain loops.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "duel/core/logarithm.h"
#include "tests/policies/twins/literal_exploration.h"

namespace duel {

class LiteralInterleavedFilter {
 public:
  // 1. A uniform candidate, all others active.
  LiteralInterleavedFilter(std::size_t num_arms, Round horizon, double c_ci, bool prunes,
                           RoundRng rng)
      : prunes_(prunes),
        c_ci_(c_ci),
        log_1_delta_(natural_log(static_cast<double>(horizon)) +
                     2 * natural_log(static_cast<double>(num_arms))),
        candidate_(static_cast<Arm>(rng.below(num_arms))) {
    for (Arm b = 0; b < num_arms; ++b) active_.push_back(b != candidate_);
    begin_round();
  }

  // 2. Every active arm once per sweep, in index order.
  std::pair<Arm, Arm> pair(RoundRng& /*rng*/) const {
    for (Arm b = 0; b < active_.size(); ++b) {
      if (active_[b] && !met_[b]) return {candidate_, b};
    }
    return {};
  }

  void learn(Arm /*first*/, Arm b, double wins, RoundRng& /*rng*/) {
    s_[b] += wins;
    met_[b] = true;
    for (Arm other = 0; other < active_.size(); ++other) {
      if (active_[other] && !met_[other]) return;
    }
    ++n_;
    met_.assign(active_.size(), false);
    const double c = std::sqrt(c_ci_ * log_1_delta_ / n_);
    // 3.
    for (Arm other = 0; other < active_.size(); ++other) {
      if (active_[other] && s_[other] / n_ - c >= 0.5) active_[other] = false;
    }
    // 4.
    int successor = -1;
    for (Arm other = 0; other < active_.size(); ++other) {
      if (!active_[other] || !(s_[other] / n_ + c <= 0.5)) continue;
      if (successor < 0 || s_[other] / n_ < s_[static_cast<Arm>(successor)] / n_) {
        successor = static_cast<int>(other);
      }
    }
    if (successor < 0) return;
    if (prunes_) {
      for (Arm other = 0; other < active_.size(); ++other) {
        if (active_[other] && s_[other] / n_ > 0.5) active_[other] = false;
      }
    }
    candidate_ = static_cast<Arm>(successor);
    active_[candidate_] = false;
    ++candidates_;
    begin_round();
  }

  bool done() const {
    for (const bool active : active_) {
      if (active) return false;
    }
    return true;
  }
  Arm leader(RoundRng /*rng*/) const { return candidate_; }
  int candidates() const { return candidates_; }

 private:
  void begin_round() {
    n_ = 0;
    s_.assign(active_.size(), 0);
    met_.assign(active_.size(), false);
  }

  bool prunes_;
  double c_ci_;
  double log_1_delta_;
  Arm candidate_;
  std::vector<bool> active_;
  double n_ = 0;
  std::vector<double> s_;
  std::vector<bool> met_;
  int candidates_ = 1;
};

}  // namespace duel
