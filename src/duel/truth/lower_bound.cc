#include "duel/truth/lower_bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "duel/core/divergence.h"
#include "duel/truth/winners.h"

namespace duel {

Result<LowerBound> regret_lower_bound(const PreferenceMatrix& matrix) {
  const auto winner = condorcet_winner(matrix);
  if (!winner) {
    return Error::unsupported(fmt::format(
        "the lower bound needs a Condorcet winner, and matrix '{}' has none", matrix.name()));
  }
  const std::vector<double> gaps = gaps_to_winner(matrix, *winner);
  // What it costs to learn from duels of i and j alone that i loses to j.
  const auto cost = [&](Arm i, Arm j) {
    return (gaps[i] + gaps[j]) / 2 / kl_bernoulli(matrix(i, j), 0.5);
  };
  LowerBound bound;
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    Arm best = *winner;
    double least = 0;
    if (i != *winner) {
      least = cost(i, *winner);
      bound.condorcet_target += least;
      for (Arm j = 0; j < matrix.num_arms(); ++j) {
        if (matrix(i, j) >= 0.5 || cost(i, j) >= least) continue;
        least = cost(i, j);
        best = j;
      }
    }
    bound.value += least;
    bound.best_opponents.push_back(best);
    bound.terms.push_back(least);
  }
  return bound;
}

std::vector<double> subset_condorcet_shares(const PreferenceMatrix& matrix) {
  const std::size_t num_arms = matrix.num_arms();
  std::vector<double> shares(num_arms, 0.0);
  const double total = static_cast<double>(num_arms);
  for (const std::uint32_t wins : copeland_scores(matrix).wins) {
    double term = 1 / total;  // C(N, k - 1)/C(K, k) at k = 1, then by the ratio of neighbours
    for (std::size_t k = 1; k <= std::min<std::size_t>(num_arms, wins + 1); ++k) {
      shares[k - 1] += term;
      if (k == num_arms) break;
      const double size = static_cast<double>(k);
      term *= (wins - size + 1) * (size + 1) / (size * (total - size));
    }
  }
  for (double& share : shares) share = std::min(share, 1.0);
  return shares;
}

}  // namespace duel
