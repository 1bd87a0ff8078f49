#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>

#include "duel/core/beta.h"
#include "duel/core/rng.h"
#include "duel/inference/planning.h"
#include "duel/inference/position_bias.h"
#include "duel/inference/posterior_best.h"
#include "duel/inference/score_certificate.h"

namespace duel {
namespace {

void add(PairCounts& counts, Arm i, Arm j, int wins, int losses) {
  for (int k = 0; k < wins; ++k) counts.add(i, j, {2, 0});
  for (int k = 0; k < losses; ++k) counts.add(i, j, {0, 2});
}

TEST(planning, has_the_published_value) {
  EXPECT_EQ(*fixed_n_duels(0.55, 0.05, 0.8), 617U);
  EXPECT_NEAR(least_mean_duels(0.6, 0.05), 148.8, 0.05);
}

TEST(planning, names_what_is_out_of_range) {
  EXPECT_EQ(fixed_n_duels(0.5, 0.05, 0.8).error().to_string(),
            "win probability: 0.5 is out of range (1/2 < p <= 1)");
  EXPECT_EQ(fixed_n_duels(0.6, 0.7, 0.8).error().where, "alpha");
  EXPECT_EQ(fixed_n_duels(0.6, 0.05, 1).error().where, "power");
  EXPECT_FALSE(fixed_n_duels(std::nan(""), 0.05, 0.8).ok());
  EXPECT_EQ(fixed_n_duels(0.5 + 1e-12, 0.05, 0.8).error().where, "win probability");
}

// The exact power of the exact test at n = 617 and p = 0.55, by summing binomials: near 0.8.
TEST(planning, gives_about_the_power_it_promises) {
  constexpr int n = 617;
  const auto tail = [](double p, int from) {
    double sum = 0;
    for (int s = from; s <= n; ++s) {
      sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(s + 1.0) - std::lgamma(n - s + 1.0) +
                      s * std::log(p) + (n - s) * std::log(1 - p));
    }
    return sum;
  };
  int critical = n / 2;
  while (tail(0.5, critical) > 0.05) ++critical;
  EXPECT_NEAR(tail(0.55, critical), 0.8, 0.02);
}

TEST(position_bias, is_found_where_it_is_and_not_where_it_is_not) {
  const PositionBias none = estimate_position_bias(512, 488, 0.05);
  EXPECT_FALSE(none.found());
  EXPECT_DOUBLE_EQ(none.share, 0.512);
  const PositionBias some = estimate_position_bias(600, 400, 0.05);
  EXPECT_TRUE(some.found());
  EXPECT_GT(some.log_evidence, std::log(20.0));
  EXPECT_TRUE(some.interval.contains(0.6));
  EXPECT_EQ(estimate_position_bias(0, 0, 0.05).share, 0.5);
}

// Two arms: the share of Beta(w + 1, l + 1) above one half is known. Three even arms: by symmetry 1/4
// each and 1/4 for a cycle (2 of the 8 orientations). 5 standard errors at 20000 draws: 0.018.
TEST(posterior_best, agrees_with_exact_probabilities) {
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

TEST(score_certificate, settles_a_copeland_winner_while_other_pairs_are_open) {
  // 0 beats all, 1 beats 3; two pairs are open.
  PairCounts counts(4);
  add(counts, 0, 1, 300, 100);
  add(counts, 0, 2, 300, 100);
  add(counts, 1, 2, 205, 195);
  add(counts, 3, 0, 100, 300);
  add(counts, 1, 3, 300, 100);
  add(counts, 2, 3, 210, 190);
  const auto board = score_board(counts, Score::copeland, 0.05);
  ASSERT_TRUE(board.ok());
  EXPECT_EQ(board->scores[0], (Interval{3, 3}));
  EXPECT_EQ(board->scores[1], (Interval{1, 2}));
  EXPECT_EQ(board->scores[2], (Interval{0, 2}));
  EXPECT_EQ(board->scores[3], (Interval{0, 1}));
  EXPECT_EQ(board->winner, Arm{0});
}

TEST(score_certificate, settles_a_borda_winner_that_is_no_condorcet_winner) {
  // 1 beats 0 barely, but 0 beats 2 by far more than 1 does.
  PairCounts counts(3);
  add(counts, 0, 1, 960, 1040);
  add(counts, 0, 2, 1900, 100);
  add(counts, 1, 2, 1100, 900);
  const auto board = score_board(counts, Score::borda, 0.05);
  ASSERT_TRUE(board.ok());
  EXPECT_EQ(board->winner, Arm{0});
  EXPECT_TRUE(board->scores[0].contains((0.48 + 0.95) / 2));
  EXPECT_FALSE(score_board(counts, Score::copeland, 0.05)->winner);
}

TEST(score_certificate, is_silent_without_data_and_names_what_it_cannot_take) {
  EXPECT_FALSE(score_board(PairCounts(3), Score::borda, 0.05)->winner);
  EXPECT_FALSE(score_board(PairCounts(3), Score::copeland, 0.05)->winner);
  EXPECT_EQ(score_board(PairCounts(1), Score::borda, 0.05).error().where, "arms");
  EXPECT_EQ(score_board(PairCounts(3), Score::borda, 0).error().where, "option alpha");
  PairCounts halves(2);
  halves.add(0, 1, {1, 1});
  EXPECT_EQ(score_board(halves, Score::borda, 0.05).error().where, "arms 0 and 1");
}

// All pairs even, looked at every 50 duels: a Borda or Copeland winner is claimed in at most alpha of the
// runs; 5 standard errors at 200 runs: 0.1 + 0.106.
TEST(score_certificate, seldom_settles_where_all_arms_are_even) {
  int claimed = 0;
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    RoundRng rng = Stream(8, trial, Purpose::test, "scores").at(1);
    PairCounts counts(3);
    bool ever = false;
    for (int t = 1; t <= 600 && !ever; ++t) {
      const auto i = static_cast<Arm>(rng.below(3));
      const auto j = static_cast<Arm>((i + 1 + rng.below(2)) % 3);
      counts.add(i, j, rng.coin() ? Points{2, 0} : Points{0, 2});
      if (t % 50 == 0) {
        ever = score_board(counts, Score::borda, 0.1)->winner.has_value() ||
               score_board(counts, Score::copeland, 0.1)->winner.has_value();
      }
    }
    claimed += ever ? 1 : 0;
  }
  EXPECT_LE(claimed, 41);
}

}  // namespace
}  // namespace duel
