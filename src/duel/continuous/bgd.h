// Bandit Gradient Descent on comparisons, the two baselines of Yue and Joachims (ICML 2009, section
// 5.1): the learner sees the probability that it would only sample in life. Flaxman, Kalai and
// McMahan, SODA 2005. BGD1 sees c = P(w beats w'), BGD2 sees c = P(w beats w') - 1/2; both move by
// -gamma c u every time.
// Assumes    as DBGD.        Guarantee  of the same order.        Cost  O(d) per move.
// Departs    the paper does not print the step; gamma c u gives its figure 2. In a batch c is the
//            mean.
#pragma once

#include "duel/continuous/point_learner.h"

namespace duel {

inline double bgd1_step(const ProposalTally& tally) {
  return -tally.sum_of_probabilities / static_cast<double>(tally.comparisons);
}
inline double bgd2_step(const ProposalTally& tally) {
  return 0.5 - tally.sum_of_probabilities / static_cast<double>(tally.comparisons);
}

}  // namespace duel
