#include "duel/inference/posterior_best.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "duel/core/beta.h"
#include "duel/core/rng.h"

namespace duel {
namespace {

void add(PairCounts& counts, Arm i, Arm j, int wins, int losses) {
  for (int k = 0; k < wins; ++k) counts.add(i, j, {2, 0});
  for (int k = 0; k < losses; ++k) counts.add(i, j, {0, 2});
}

// Two arms: the share of Beta(w + 1, l + 1) above one half. Three even arms: by symmetry 1/4 each,
// and 1/4 for a cycle (2 of the 8 orientations).
TEST(PosteriorBest, has_the_probabilities_worked_out_by_hand) {
  PairCounts two(2);
  add(two, 0, 1, 12, 7);
  const PosteriorBest best = posterior_best(two);
  EXPECT_DOUBLE_EQ(best.probability[0], beta_above_half(12, 7));
  EXPECT_NEAR(best.no_winner, 0, 1e-15);
  const PosteriorBest even = posterior_best(PairCounts(3));
  for (const double p : even.probability) EXPECT_NEAR(p, 0.25, 1e-15);
  for (const double beaten : even.expected_beaten) EXPECT_EQ(beaten, 1);
  EXPECT_NEAR(even.no_winner, 0.25, 1e-15);
}

// The slow twin: matrices drawn from the belief. 5 standard errors at 20 000 draws: 0.018.
TEST(PosteriorBest, agrees_with_drawn_matrices) {
  constexpr std::size_t kArms = 4, kDraws = 20'000;
  constexpr double kTolerance = 5 * 0.5 / 141.4;
  PairCounts counts(kArms);
  add(counts, 0, 1, 6, 4);
  add(counts, 0, 2, 3, 4);
  add(counts, 1, 2, 5, 1);
  add(counts, 2, 3, 2, 0);
  std::vector<double> best(kArms), beaten(kArms);
  const Stream stream(5, 0, Purpose::test, "posterior best");
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    RoundRng rng = stream.at(draw + 1);
    std::vector<std::size_t> beats(kArms);
    for (Arm i = 0; i < kArms; ++i) {
      for (Arm j = i + 1; j < kArms; ++j) {
        const double a = 0.5 * counts.points(i, j) + 1, b = 0.5 * counts.points(j, i) + 1;
        ++beats[draw_beta(a, b, rng) > 0.5 ? i : j];
      }
    }
    for (Arm i = 0; i < kArms; ++i) {
      best[i] += beats[i] == kArms - 1 ? 1.0 / kDraws : 0;
      beaten[i] += static_cast<double>(beats[i]) / kDraws;
    }
  }
  const PosteriorBest exact = posterior_best(counts);
  for (Arm i = 0; i < kArms; ++i) {
    EXPECT_NEAR(exact.probability[i], best[i], kTolerance);
    EXPECT_NEAR(exact.expected_beaten[i], beaten[i], (kArms - 1) * kTolerance);
  }
  EXPECT_NEAR(std::accumulate(exact.probability.begin(), exact.probability.end(), exact.no_winner),
              1, 1e-12);
}

// Of a hundred arms each is best with next to no probability, and the logarithms still tell which
// is the most probable.
TEST(PosteriorBest, tells_arms_apart_whose_probabilities_are_next_to_nothing) {
  PairCounts counts(100);
  for (Arm j = 1; j < 30; ++j) add(counts, 0, j, 8, 1);
  const PosteriorBest best = posterior_best(counts);
  EXPECT_LT(best.probability[0], 1e-20);
  EXPECT_GT(best.no_winner, 0.999);
  for (Arm j = 1; j < 100; ++j) EXPECT_GT(best.log_probability[0], best.log_probability[j] + 10);
}

}  // namespace
}  // namespace duel
