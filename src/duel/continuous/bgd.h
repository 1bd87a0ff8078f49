// Bandit Gradient Descent on comparisons, the two baselines of Yue and Joachims (ICML 2009, section
// 5.1): the learner sees the probability that it would only sample in life. Flaxman, Kalai and
// McMahan, SODA 2005. BGD1 sees c = P(w beats w'), BGD2 sees c = P(w beats w') - 1/2; both move by
// -gamma c u every time.
// Assumes    as DBGD.        Guarantee  of the same order.        Cost  O(d) per move.
// Departs    the paper does not print the step; gamma c u gives its figure 2. In a batch c is the
//            mean.
#pragma once

#include "duel/continuous/direction_learner.h"

namespace duel {

class Bgd1 final : public DirectionLearner {
 public:
  using DirectionLearner::DirectionLearner;

 private:
  double step(const ProposalTally& tally) const override {
    return -tally.sum_of_probabilities / static_cast<double>(tally.comparisons);
  }
  bool sees_probability() const override { return true; }
};

class Bgd2 final : public DirectionLearner {
 public:
  using DirectionLearner::DirectionLearner;

 private:
  double step(const ProposalTally& tally) const override {
    return 0.5 - tally.sum_of_probabilities / static_cast<double>(tally.comparisons);
  }
  bool sees_probability() const override { return true; }
};

}  // namespace duel
