// What the duels of an experiment have cost, computed from the win rates so far: an estimate, since
// the truth is unknown. With it comes the least that any consistent policy pays.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "duel/core/duel.h"
#include "duel/experiment/ledger.h"
#include "duel/verdict/standing.h"

namespace duel {

struct RegretEstimate {
  Arm against = 0;  // the leader, taken for the best arm
  // The sum over the duels of i and j of (d_i + d_j)/2, d_i = max(0, P(leader beats i) - 1/2).
  double regret = 0;
  // ln(duels) times the factor below; nothing if an arm other than the leader is beaten by none.
  std::optional<double> lower_bound;
};

// The factor of ln T in the asymptotic lower bound of Komiyama, Honda, Kashima and Nakagawa (COLT
// 2015, Theorem 1): the sum over i != best of the least (d_i + d_j)/(2 kl(mu_ij, 1/2)) over the
// arms j that beat i. `rate(i, j)` is mu_ij, or nothing if the two never met. Nothing if an arm
// other than the best is beaten by none.
std::optional<double> lower_bound_factor(
    std::size_t num_arms, Arm best, const std::function<std::optional<double>(Arm, Arm)>& rate);

// Nothing if there is too little data for a leader, or if the goal has no Condorcet winner: regret
// is defined differently there.
std::optional<RegretEstimate> estimated_regret(const Ledger& ledger, const Standing& standing);

}  // namespace duel
