#include "duel/truth/lower_bound.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "duel/truth/winners.h"
#include "tests/truth/matrices.h"

namespace duel {
namespace {

LowerBound bound_of(const PreferenceMatrix& matrix) { return regret_lower_bound(matrix).value(); }

TEST(LowerBound, has_the_published_values) {
  const auto arxiv = bound_of(named("arxiv"));
  EXPECT_NEAR(arxiv.value, 20.7350, 5e-5);
  EXPECT_NEAR(arxiv.condorcet_target, 20.7350, 5e-5);
  const auto arithmetic = bound_of(named("arithmetic"));
  EXPECT_NEAR(arithmetic.value, 12.7122, 5e-5);
  EXPECT_NEAR(arithmetic.condorcet_target, 12.7122, 5e-5);
  const auto mslr = bound_of(named("mslr-slide"));
  EXPECT_NEAR(mslr.value, 41.1001, 5e-5);
  EXPECT_NEAR(mslr.condorcet_target, 41.1001, 5e-5);
  EXPECT_NEAR(bound_of(named("slides")).value, 23.4656, 5e-5);
}

TEST(LowerBound, of_the_cyclic_matrix_uses_other_opponents_than_the_winner) {
  const auto cyclic = bound_of(named("cyclic"));
  EXPECT_NEAR(cyclic.value, 0.8151, 5e-5);
  EXPECT_NEAR(cyclic.condorcet_target, 7.4495, 5e-5);
  EXPECT_EQ(cyclic.best_opponents, (std::vector<Arm>{0, 3, 1, 2}));
}

TEST(LowerBound, compares_with_the_winner_elsewhere) {
  for (const char* name : {"arxiv", "arithmetic", "mslr-slide", "slides"}) {
    const auto matrix = named(name);
    const auto winner = condorcet_winner(matrix).value();
    for (const Arm opponent : bound_of(matrix).best_opponents) EXPECT_EQ(opponent, winner) << name;
  }
}

// d(.6, 1/2) = ln 2 + .6 ln .6 + .4 ln .4 = .020136; .05/.020136 = 2.4832.
TEST(LowerBound, of_two_arms_is_half_the_gap_over_the_divergence) {
  const auto bound = bound_of(matrix_of({{0.5, 0.6}, {0.4, 0.5}}));
  EXPECT_NEAR(bound.value, 2.4832, 5e-5);
  EXPECT_NEAR(bound.value, 0.05 / (std::log(2) + 0.6 * std::log(0.6) + 0.4 * std::log(0.4)), 1e-12);
  EXPECT_EQ(bound.terms[0], 0.0);
  EXPECT_EQ(bound.terms[1], bound.value);
}

TEST(LowerBound, of_a_sure_victory_is_finite) {
  // d(0, 1/2) = ln 2, r = 1/4.
  EXPECT_NEAR(bound_of(matrix_of({{0.5, 1}, {0, 0.5}})).value, 0.25 / std::log(2), 1e-12);
  EXPECT_EQ(bound_of(matrix_of({{0.5}})).value, 0.0);
}

TEST(LowerBound, needs_a_condorcet_winner) {
  const auto result = regret_lower_bound(named("no-condorcet(k=5)"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::unsupported);
  EXPECT_EQ(result.error().message,
            "the lower bound needs a Condorcet winner, and matrix 'no-condorcet(k=5,seed=1)' has "
            "none");
}

RC_GTEST_PROP(LowerBound, is_at_most_the_bound_with_the_winner_as_target, ()) {
  const auto matrix = *coarse_matrix(6);
  RC_PRE(condorcet_winner(matrix).has_value());
  const auto bound = bound_of(matrix);
  RC_ASSERT(bound.value <= bound.condorcet_target);
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    if (bound.best_opponents[i] != i) RC_ASSERT(matrix(i, bound.best_opponents[i]) < 0.5);
  }
}

TEST(SubsetCondorcetShares, are_one_for_single_arms_and_for_pairs_without_ties) {
  const auto shares = subset_condorcet_shares(named("bradley-terry(k=64)"));
  for (const double share : shares) EXPECT_NEAR(share, 1, 1e-12);
  // arXiv has one tied pair of 15.
  EXPECT_NEAR(subset_condorcet_shares(named("arxiv"))[1], 14.0 / 15, 1e-12);
}

// Every subset, by hand.
RC_GTEST_PROP(SubsetCondorcetShares, agree_with_all_subsets, ()) {
  const auto matrix = *coarse_matrix(7);
  const auto k = static_cast<Arm>(matrix.num_arms());
  std::vector<double> sets(k), with_winner(k);
  for (std::uint32_t set = 1; set < (1u << k); ++set) {
    bool any = false;
    for (Arm i = 0; i < k; ++i) {
      bool wins = (set >> i & 1) != 0;
      for (Arm j = 0; j < k; ++j) {
        if (j != i && (set >> j & 1) != 0 && matrix(i, j) <= 0.5) wins = false;
      }
      any = any || wins;
    }
    const auto size = static_cast<std::size_t>(std::popcount(set));
    ++sets[size - 1];
    with_winner[size - 1] += any ? 1 : 0;
  }
  const auto shares = subset_condorcet_shares(matrix);
  for (Arm size = 0; size < k; ++size) {
    RC_ASSERT(std::abs(shares[size] - with_winner[size] / sets[size]) < 1e-12);
  }
}

TEST(SubsetCondorcetShares, of_many_arms_stay_between_zero_and_one) {
  const auto shares = subset_condorcet_shares(named("no-condorcet(k=1000)"));
  EXPECT_NEAR(shares[0], 1, 1e-9);
  EXPECT_NEAR(shares[1], 1, 1e-9);
  EXPECT_NEAR(shares[2], 0.75, 0.02) << "three random arms form a circle one time in four";
  EXPECT_EQ(shares.back(), 0.0);
}

}  // namespace
}  // namespace duel
