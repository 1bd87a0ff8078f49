#include "duel/truth/winners.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/truth/matrices.h"

namespace duel {
namespace {

using Arms = std::vector<Arm>;

TEST(Winners, of_the_arxiv_matrix_are_as_published) {
  const auto matrix = named("arxiv");
  EXPECT_EQ(condorcet_winner(matrix), Arm{0});
  const auto copeland = copeland_scores(matrix);
  EXPECT_EQ(copeland.wins, (std::vector<std::uint32_t>{5, 4, 3, 1, 1, 0}));
  EXPECT_EQ(copeland.winners, Arms{0});
  EXPECT_EQ(copeland.ties, (std::vector<std::pair<Arm, Arm>>{{3, 5}}));
  EXPECT_EQ(copeland.normalised(1), 0.8);
}

TEST(Winners, of_the_mslr_slide_are_as_published) {
  const auto matrix = named("mslr-slide");
  EXPECT_EQ(condorcet_winner(matrix), Arm{3});
  EXPECT_EQ(copeland_scores(matrix).wins, (std::vector<std::uint32_t>{0, 1, 3, 5, 3, 3}));
}

TEST(Winners, do_not_include_a_condorcet_winner_where_one_pair_ties) {
  EXPECT_EQ(condorcet_winner(matrix_of({{0.5, 0.5}, {0.5, 0.5}})), std::nullopt);
  EXPECT_EQ(condorcet_winner(matrix_of({{0.5}})), Arm{0});
}

TEST(Winners, borda_scores_average_over_the_other_arms) {
  // b_1 = (0.6 + 0.9)/2, b_2 = (0.4 + 0.6)/2, b_3 = (0.1 + 0.4)/2.
  const auto borda = borda_scores(matrix_of({{0.5, 0.6, 0.9}, {0.4, 0.5, 0.6}, {0.1, 0.4, 0.5}}));
  EXPECT_DOUBLE_EQ(borda.scores[0], 0.75);
  EXPECT_DOUBLE_EQ(borda.scores[1], 0.5);
  EXPECT_DOUBLE_EQ(borda.scores[2], 0.25);
  EXPECT_EQ(borda.winners, Arms{0});
  EXPECT_EQ(borda_scores(matrix_of({{0.5}})).scores, std::vector<double>{0.5});
}

TEST(Winners, borda_ties_are_not_decided_by_rounding) {
  // The same three numbers in another order of summation.
  const auto borda = borda_scores(matrix_of(
      {{0.5, 0.7, 0.1, 0.6}, {0.3, 0.5, 0.6, 0.5}, {0.9, 0.4, 0.5, 0.1}, {0.4, 0.5, 0.9, 0.5}}));
  EXPECT_EQ(borda.winners, Arms{3});
  const auto circle = borda_scores(matrix_of({{0.5, 0.7, 0.3}, {0.3, 0.5, 0.7}, {0.7, 0.3, 0.5}}));
  EXPECT_EQ(circle.winners, (Arms{0, 1, 2}));
}

TEST(Winners, gaps_are_the_smallest_distances_from_one_half) {
  const auto gaps = matrix_gaps(named("arxiv"));
  EXPECT_NEAR(*gaps.winner, 0.04, 1e-15);
  EXPECT_NEAR(*gaps.any, 0.01, 1e-15);
  const auto tied = matrix_gaps(matrix_of({{0.5, 0.5}, {0.5, 0.5}}));
  EXPECT_EQ(tied.winner, std::nullopt);
  EXPECT_EQ(tied.any, std::nullopt);
}

TEST(Winners, smith_set_of_a_circle_on_top_is_the_circle) {
  const auto matrix = matrix_of(
      {{0.5, 0.6, 0.4, 0.9}, {0.4, 0.5, 0.8, 0.7}, {0.6, 0.2, 0.5, 0.6}, {0.1, 0.3, 0.4, 0.5}});
  EXPECT_EQ(smith_set(matrix), (Arms{0, 1, 2}));
  EXPECT_EQ(smith_set(named("cyclic")), Arms{0});
}

TEST(Winners, smith_set_holds_an_arm_that_ties_with_a_member) {
  EXPECT_EQ(smith_set(matrix_of({{0.5, 0.5, 0.9}, {0.5, 0.5, 0.5}, {0.1, 0.5, 0.5}})),
            (Arms{0, 1, 2}));
}

TEST(Winners, von_neumann_winner_of_rock_paper_scissors_weighs_by_the_opposite_gap) {
  // A 3-cycle with gaps e_12, e_23, e_31 has the unique equilibrium (e_23, e_31, e_12)/sum.
  const auto matrix = matrix_of({{0.5, 0.6, 0.2}, {0.4, 0.5, 0.9}, {0.8, 0.1, 0.5}});
  const auto winner = von_neumann_winner(matrix);
  ASSERT_TRUE(winner.ok());
  EXPECT_NEAR(winner->weights[0], 0.4 / 0.8, 1e-9);
  EXPECT_NEAR(winner->weights[1], 0.3 / 0.8, 1e-9);
  EXPECT_NEAR(winner->weights[2], 0.1 / 0.8, 1e-9);
  EXPECT_NEAR(winner->guarantee, 0.5, 1e-9);
}

TEST(Winners, von_neumann_winner_is_the_condorcet_winner_alone) {
  const auto winner = von_neumann_winner(named("cyclic"));
  ASSERT_TRUE(winner.ok());
  EXPECT_EQ(winner->weights, (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(winner->guarantee, 0.5);
}

TEST(Winners, merit_follows_the_gap_to_the_condorcet_winner) {
  // D = (0, .05, .05, .04, .11, .11): the fourth arm is second best, ties by index.
  EXPECT_EQ(merit_ranks(named("arxiv")), (std::vector<std::uint32_t>{0, 2, 3, 1, 4, 5}));
}

TEST(Winners, merit_follows_copeland_then_borda_without_a_condorcet_winner) {
  // Copeland 1 each; Borda of a, b, c: 0.40, 0.65, 0.45.
  const auto circle = matrix_of({{0.5, 0.6, 0.2}, {0.4, 0.5, 0.9}, {0.8, 0.1, 0.5}});
  EXPECT_EQ(merit_ranks(circle), (std::vector<std::uint32_t>{2, 0, 1}));
  const auto tied = matrix_of({{0.5, 0.5, 0.6}, {0.5, 0.5, 0.5}, {0.4, 0.5, 0.5}});
  EXPECT_EQ(merit_ranks(tied), (std::vector<std::uint32_t>{0, 1, 2}));
}

// Every set whose members beat all outsiders, by trying all subsets; the smallest.
Arms brute_force_smith_set(const PreferenceMatrix& matrix) {
  const auto k = static_cast<Arm>(matrix.num_arms());
  Arms smallest;
  for (std::uint32_t set = 1; set < (1u << k); ++set) {
    bool dominates = true;
    for (Arm i = 0; i < k; ++i) {
      for (Arm j = 0; j < k; ++j) {
        if ((set >> i & 1) != 0 && (set >> j & 1) == 0 && matrix(i, j) <= 0.5) dominates = false;
      }
    }
    Arms members;
    for (Arm i = 0; i < k; ++i) {
      if ((set >> i & 1) != 0) members.push_back(i);
    }
    if (dominates && (smallest.empty() || members.size() < smallest.size())) smallest = members;
  }
  return smallest;
}

RC_GTEST_PROP(Winners, smith_set_is_the_smallest_dominating_set, ()) {
  const auto matrix = *coarse_matrix(7);
  RC_ASSERT(smith_set(matrix) == brute_force_smith_set(matrix));
}

RC_GTEST_PROP(Winners, condorcet_winner_has_all_victories, ()) {
  const auto matrix = *coarse_matrix(5);
  const auto copeland = copeland_scores(matrix);
  const auto winner = condorcet_winner(matrix);
  const auto most = *std::max_element(copeland.wins.begin(), copeland.wins.end());
  RC_ASSERT(winner.has_value() == (most + 1 == matrix.num_arms()));
  if (winner) {
    RC_ASSERT(copeland.winners == Arms{*winner});
    RC_ASSERT(smith_set(matrix) == Arms{*winner});
    RC_ASSERT(merit_ranks(matrix)[*winner] == 0);
  }
}

RC_GTEST_PROP(Winners, von_neumann_winner_is_beaten_by_nobody, ()) {
  const auto matrix = *coarse_matrix(8);
  const auto winner = von_neumann_winner(matrix);
  RC_ASSERT(winner.ok());
  const auto& pi = winner->weights;
  RC_ASSERT(std::abs(std::accumulate(pi.begin(), pi.end(), 0.0) - 1) < 1e-12);
  for (Arm j = 0; j < matrix.num_arms(); ++j) {
    double against_j = 0;
    for (Arm i = 0; i < matrix.num_arms(); ++i) {
      RC_ASSERT(pi[i] >= 0);
      against_j += pi[i] * matrix(i, j);
    }
    RC_ASSERT(against_j >= 0.5 - 1e-7);
  }
}

RC_GTEST_PROP(Winners, merit_ranks_are_a_permutation, ()) {
  auto ranks = merit_ranks(*coarse_matrix(6));
  std::sort(ranks.begin(), ranks.end());
  for (std::uint32_t i = 0; i < ranks.size(); ++i) RC_ASSERT(ranks[i] == i);
}

TEST(Winners, von_neumann_winner_of_more_arms_than_can_be_programmed_is_nearly_unbeaten) {
  const auto matrix = named("no-condorcet(k=501,seed=2)");
  ASSERT_GT(smith_set(matrix).size(), kMostProgrammedArms);
  const auto winner = von_neumann_winner(matrix);
  ASSERT_TRUE(winner.ok());
  const auto& pi = winner->weights;
  EXPECT_NEAR(std::accumulate(pi.begin(), pi.end(), 0.0), 1.0, 1e-12);
  for (Arm j = 0; j < matrix.num_arms(); ++j) {
    double against_j = 0;
    for (Arm i = 0; i < matrix.num_arms(); ++i) against_j += pi[i] * matrix(i, j);
    ASSERT_GE(against_j, 0.5 - kSelfPlayShortfall) << j;
    ASSERT_GE(against_j, winner->guarantee - 1e-12) << j;
  }
}

TEST(Winners, von_neumann_winner_is_found_for_many_arms) {
  const auto matrix = named("no-condorcet(k=300,seed=3)");
  const auto winner = von_neumann_winner(matrix);
  ASSERT_TRUE(winner.ok());
  EXPECT_NEAR(winner->guarantee, 0.5, 1e-7);
}

}  // namespace
}  // namespace duel
