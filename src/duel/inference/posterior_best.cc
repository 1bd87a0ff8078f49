#include "duel/inference/posterior_best.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "duel/core/beta.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"

namespace duel {
namespace {

double log_of(double share) {
  return share > 0 ? natural_log(share) : -std::numeric_limits<double>::infinity();
}

}  // namespace

PosteriorBest posterior_best(const PairCounts& counts) {
  const auto num_arms = static_cast<Arm>(counts.num_arms());
  PosteriorBest best;
  best.log_probability.assign(num_arms, 0.0);
  best.expected_beaten.assign(num_arms, 0.0);
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) {
      const HalfShares shares =
          beta_half_shares(0.5 * counts.points(i, j), 0.5 * counts.points(j, i));
      best.log_probability[i] += log_of(shares.above);
      best.log_probability[j] += log_of(shares.below);
      best.expected_beaten[i] += shares.above;
      best.expected_beaten[j] += shares.below;
    }
  }
  best.probability.reserve(num_arms);
  for (const double log_share : best.log_probability) {
    best.probability.push_back(exponential(log_share));
  }
  const double some = std::accumulate(best.probability.begin(), best.probability.end(), 0.0);
  best.no_winner = std::max(0.0, 1 - some);
  return best;
}

}  // namespace duel
