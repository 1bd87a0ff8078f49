// Dueling Bandit Gradient Descent (DBGD).
// Yue and Joachims, ICML 2009, Algorithm 1.
// Assumes    a concave hidden value on a compact convex set with the origin inside, a symmetric
//            S-shaped link, both Lipschitz.
// Guarantee  E[strong regret] <= 2 lambda_T T^(3/4) sqrt(26 R d L), lambda_T -> 1 (theorem 2).
// Cost       O(d) per move.
// Departs    from the paper in nothing; `batch` is its experiment with several queries per update,
//            and on the unit sphere it is its learner of rankers, without a guarantee.
#pragma once

#include "duel/continuous/point_learner.h"

namespace duel {

// Moves if the proposal won more than half of the decided comparisons.
inline double dbgd_step(const ProposalTally& tally) {
  return tally.second_wins > tally.first_wins ? 1.0 : 0.0;
}

// 2 lambda_T T^(3/4) sqrt(26 R d L), with L = lipschitz_link * lipschitz_value and the second-order
// constant of the link. NaN where T is too small for the theorem.
double dbgd_regret_bound(double horizon, double radius, std::size_t dimension,
                         double lipschitz_value, double lipschitz_link, double second_order_link);

}  // namespace duel
