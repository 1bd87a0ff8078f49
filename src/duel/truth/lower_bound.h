// The asymptotic lower bound on regret (Komiyama, Honda, Kashima, Nakagawa, COLT 2015): for every
// policy that is strongly consistent on all matrices with a Condorcet winner *,
//
//   liminf E[R_T]/ln T >= sum over i != * of min over j with p_ij < 1/2 of r_ij / d(p_ij, 1/2),
//
// with average regret r_ij = (D_i + D_j)/2, D_k = p_*k - 1/2, and d the Bernoulli divergence.
#pragma once

#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

struct LowerBound {
  double value = 0;                 // the constant of ln T
  double condorcet_target = 0;      // the same with every arm compared to the winner: j = *
  std::vector<Arm> best_opponents;  // b*(i), the minimising j; the winner itself for the winner
  std::vector<double> terms;        // each arm's part of `value`; 0 for the winner
};

// An error where there is no Condorcet winner.
Result<LowerBound> regret_lower_bound(const PreferenceMatrix& matrix);

// Entry k - 1 is the share of subsets of k arms that have a Condorcet winner among themselves:
// sum_r C(N_r, k - 1)/C(K, k), N_r = number of arms that r beats. (Some texts print C(N_r, k); the
// other k - 1 members of a set that r wins are drawn from those that r beats.)
std::vector<double> subset_condorcet_shares(const PreferenceMatrix& matrix);

}  // namespace duel
