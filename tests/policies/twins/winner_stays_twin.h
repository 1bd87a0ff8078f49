// WS-W and WS-S as written: the scores, two argmax with their order of preference, and for WS-S the
// end of a tournament round read off the scores.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

namespace duel {

class WinnerStaysTwin {
 public:
  // Without `beta`: WS-W.
  WinnerStaysTwin(std::size_t num_arms, std::optional<double> beta, Ties ties, bool lowest)
      : beta_(beta), ties_(ties), lowest_(lowest), c_(num_arms) {}

  Duel next(Round t, RoundRng rng) {
    if (c_.size() == 1) return {0, 0, t};
    if (left_ > 0) {
      --left_;
      return {survivor_, survivor_, t};
    }
    const Arm i = best(std::nullopt, rng);
    const Arm j = best(i, rng);
    last_ = {i, j};
    return {i, j, t};
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    const auto points = points_of(outcome, ties_, rng);
    if (!points) return;
    const int move = (static_cast<int>(points->first) - static_cast<int>(points->second)) / 2;
    c_[duel.first] += move;
    c_[duel.second] -= move;
    if (!beta_ || move == 0) return;
    const int k = static_cast<int>(c_.size());
    int out = 0;
    for (Arm i = 0; i < c_.size(); ++i) {
      if (c_[i] == -l_) ++out;
      if (c_[i] == l_ * (k - 1)) survivor_ = i;
    }
    if (out != k - 1) return;
    left_ = static_cast<Round>(std::floor(std::pow(*beta_, l_)));
    ++l_;
  }

 private:
  Arm best(std::optional<Arm> without, RoundRng& rng) const {
    std::vector<Arm> tied;
    for (Arm k = 0; k < c_.size(); ++k) {
      if (k == without) continue;
      if (!tied.empty() && c_[k] > c_[tied[0]]) tied.clear();
      if (tied.empty() || c_[k] == c_[tied[0]]) tied.push_back(k);
    }
    for (const Arm preferred : last_) {
      for (const Arm k : tied) {
        if (k == preferred) return k;
      }
    }
    return tied.size() == 1 || lowest_ ? tied[0] : tied[rng.below(tied.size())];
  }

  std::optional<double> beta_;
  Ties ties_;
  bool lowest_;
  std::vector<int> c_;
  std::vector<Arm> last_;
  int l_ = 1;
  Arm survivor_ = 0;
  Round left_ = 0;
};

}  // namespace duel
