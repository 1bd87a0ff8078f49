// Comparing a challenger with an anchor, and the elimination that does so one by one: what
// Seq-Eliminate is, and Opt-Max is made of.
// Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar. Maxing and ranking with few assumptions.
// NIPS 2017, Algorithms COMPARE2 and SEQ-ELIMINATE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/logarithm.h"
#include "duel/core/radius.h"
#include "duel/policies/parts/match_play.h"

namespace duel {

// With the gaps low < high and probability of error delta. After r duels, of which the challenger,
// the first of the match, won the share p, it is decided once
//   |p - 1/2 - (low + high)/2| > sqrt(ln(4 r^2/delta)/(2 r))   or
//   r + 1 > 2 ln(2/delta)/(high - low)^2
// and the challenger wins if p - 1/2 > (low + high)/2.
struct AnchorRule {
  double low = 0;
  double high = 0;
  double delta = 0;

  std::uint8_t judge(const Match& match) const {
    const double r = match.duels();
    const double beyond = match.mean() - 0.5 - 0.5 * (low + high);
    const double log_term = natural_log(4.0 * r * r) - natural_log(delta);
    const double most = 2.0 * natural_log(2.0 / delta) / ((high - low) * (high - low));
    if ((beyond < 0 ? -beyond : beyond) <= hoeffding_radius(log_term, r) && r + 1 <= most) {
      return Match::undecided;
    }
    return beyond > 0 ? Match::first_wins : Match::second_wins;
  }
};

// The first arm is the anchor; every other meets the anchor of its turn and takes its place if it
// wins.
struct SequentialElimination {
  std::vector<Arm> order;
  Arm anchor = 0;
  std::uint64_t next = 1;  // the place of the challenger

  SequentialElimination() = default;
  // REQUIRES: an arm.
  explicit SequentialElimination(std::vector<Arm> arms)
      : order(std::move(arms)), anchor(order.front()) {}

  bool finished() const { return next >= order.size(); }
  // REQUIRES: it has not finished.
  Match match() const { return {.first = order[next], .second = anchor}; }
  void played(const Match& match) {
    anchor = match.winner();
    ++next;
  }

  void fields(auto& archive) { archive(order, anchor, next); }
  bool restored(std::size_t num_arms) const {
    std::vector<std::uint8_t> seen(num_arms);
    for (const Arm arm : order) {
      if (arm >= num_arms || seen[arm]++ != 0) return false;
    }
    return anchor < num_arms && next >= 1;
  }
};

}  // namespace duel
