#include "duel/inference/posterior_best.h"

#include <gtest/gtest.h>

#include <numeric>

#include "duel/core/beta.h"

namespace duel {
namespace {

void add(PairCounts& counts, Arm i, Arm j, int wins, int losses) {
  for (int k = 0; k < wins; ++k) counts.add(i, j, {2, 0});
  for (int k = 0; k < losses; ++k) counts.add(i, j, {0, 2});
}

// Two arms: the share of Beta(w + 1, l + 1) above one half is known. Three even arms: by symmetry
// 1/4 each and 1/4 for a cycle (2 of the 8 orientations). 5 standard errors at 20000 draws: 0.018.
TEST(PosteriorBest, agrees_with_exact_probabilities) {
  constexpr double kTolerance = 5 * 0.5 / 141.4;
  PairCounts two(2);
  add(two, 0, 1, 12, 7);
  const PosteriorBest best = posterior_best(two, 20000, 1);
  EXPECT_NEAR(best.probability[0], beta_above_half(12, 7), kTolerance);
  EXPECT_EQ(best.no_winner, 0);
  const PosteriorBest even = posterior_best(PairCounts(3), 20000, 1);
  for (const double p : even.probability) EXPECT_NEAR(p, 0.25, kTolerance);
  EXPECT_NEAR(even.no_winner, 0.25, kTolerance);
  EXPECT_NEAR(std::accumulate(even.probability.begin(), even.probability.end(), even.no_winner), 1,
              1e-9);
  EXPECT_EQ(posterior_best(two, 500, 9).probability, posterior_best(two, 500, 9).probability);
}

}  // namespace
}  // namespace duel
