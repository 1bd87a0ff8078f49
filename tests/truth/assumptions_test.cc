#include "duel/truth/assumptions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "duel/truth/winners.h"
#include "tests/truth/matrices.h"

namespace duel {
namespace {

TEST(Assumptions, all_hold_for_the_slides_and_the_arithmetic_matrix) {
  for (const char* name : {"slides", "arithmetic", "arithmetic(k=20,step=0.01)"}) {
    const auto assumptions = check_assumptions(named(name));
    EXPECT_TRUE(assumptions.total_order.holds()) << name;
    EXPECT_TRUE(assumptions.chains.weak.holds()) << name;
    EXPECT_TRUE(assumptions.chains.strong.holds()) << name;
    EXPECT_TRUE(assumptions.chains.triangle.holds()) << name;
    EXPECT_NEAR(*assumptions.relaxed_sst_gamma, 1, 1e-12) << name;
    EXPECT_LE(assumptions.chains.triangle_factor, 1 + 1e-9) << name;
  }
}

// Without slack, rounding would fail 8 of the 56 triples.
TEST(Assumptions, examine_every_triple_of_a_total_order_once) {
  const auto chains = check_assumptions(named("arithmetic")).chains;
  EXPECT_EQ(chains.triangle.examined, 56u);
  EXPECT_EQ(chains.triangle.violations, 0u);
  EXPECT_EQ(check_total_order(named("arithmetic")).examined, 28u);
}

// p_46 = 1/2 breaks the strict order; e_12 = e_13 = .05 > e_14 = .04 breaks SST with gamma 5/4.
TEST(Assumptions, of_the_arxiv_matrix_are_as_worked_out) {
  const auto assumptions = check_assumptions(named("arxiv"));
  EXPECT_FALSE(assumptions.total_order.holds());
  EXPECT_EQ(assumptions.total_order.violations, 1u);
  EXPECT_EQ(assumptions.total_order.worst->better, 3u);
  EXPECT_EQ(assumptions.total_order.worst->worse, 5u);
  EXPECT_EQ(assumptions.total_order.worst->p, 0.5);
  EXPECT_TRUE(assumptions.chains.weak.holds());
  EXPECT_FALSE(assumptions.chains.strong.holds());
  EXPECT_FALSE(assumptions.chains.triangle.holds());
  EXPECT_NEAR(*assumptions.relaxed_sst_gamma, 1.25, 1e-12);
}

TEST(Assumptions, find_the_circle_of_the_cyclic_matrix) {
  const auto assumptions = check_assumptions(named("cyclic"));
  EXPECT_EQ(assumptions.chains.weak.examined, 6u);
  EXPECT_EQ(assumptions.chains.weak.violations, 3u);
  const auto& witness = *assumptions.chains.weak.worst;
  EXPECT_EQ((std::vector<Arm>{witness.i, witness.j, witness.k}), (std::vector<Arm>{1, 2, 3}));
  EXPECT_NEAR(witness.gap_ij, 0.4, 1e-15);
  EXPECT_NEAR(witness.gap_jk, 0.4, 1e-15);
  EXPECT_NEAR(witness.gap_ik, -0.4, 1e-15);
  EXPECT_NEAR(witness.excess, 0.4, 1e-15);
  EXPECT_EQ(assumptions.chains.strong.violations, 6u);
  EXPECT_EQ(assumptions.chains.triangle.violations, 0u);
  // .4 against the winner's .1.
  EXPECT_NEAR(*assumptions.relaxed_sst_gamma, 4, 1e-12);
  // Two of the three pairs of a circle agree with any order of its arms.
  EXPECT_EQ(assumptions.total_order.violations, 1u);
}

TEST(Assumptions, report_the_worst_witness_and_the_factor_of_the_triangle_inequality) {
  // e_ac = .4 > e_ab + e_bc = .1 + .1: STI fails by .2, factor 2; SST holds.
  const auto chains =
      check_assumptions(matrix_of({{0.5, 0.6, 0.9}, {0.4, 0.5, 0.6}, {0.1, 0.4, 0.5}})).chains;
  EXPECT_TRUE(chains.strong.holds());
  ASSERT_EQ(chains.triangle.violations, 1u);
  EXPECT_NEAR(chains.triangle.worst->excess, 0.2, 1e-15);
  EXPECT_NEAR(chains.triangle_factor, 2, 1e-12);
}

TEST(Assumptions, of_one_or_two_arms_hold_emptily) {
  for (const auto& matrix : {matrix_of({{0.5}}), matrix_of({{0.5, 0.7}, {0.3, 0.5}})}) {
    const auto assumptions = check_assumptions(matrix);
    EXPECT_TRUE(assumptions.total_order.holds());
    EXPECT_TRUE(assumptions.chains.strong.holds());
    EXPECT_EQ(assumptions.chains.strong.share(), std::nullopt);
    EXPECT_EQ(assumptions.relaxed_sst_gamma, 1.0);
  }
}

TEST(Assumptions, have_no_winner_chains_and_no_gamma_without_a_condorcet_winner) {
  const auto assumptions =
      check_assumptions(matrix_of({{0.5, 0.6, 0.2}, {0.4, 0.5, 0.9}, {0.8, 0.1, 0.5}}));
  EXPECT_FALSE(assumptions.winner_chains.has_value());
  EXPECT_FALSE(assumptions.relaxed_sst_gamma.has_value());
}

TEST(Assumptions, strong_transitivity_and_triangle_hold_for_utility_models) {
  for (const char* name : {"bradley-terry(k=12,seed=5,spread=2)", "thurstone(k=12,seed=5)",
                           "plackett-luce(k=12,seed=6)"}) {
    const auto assumptions = check_assumptions(named(name));
    EXPECT_TRUE(assumptions.total_order.holds()) << name;
    EXPECT_TRUE(assumptions.chains.strong.holds()) << name;
    EXPECT_TRUE(assumptions.chains.triangle.holds()) << name;
  }
  EXPECT_TRUE(check_assumptions(named("mallows(k=12,phi=0.8)")).chains.strong.holds());
}

// The same by the definition, over all ordered triples.
RC_GTEST_PROP(Assumptions, agree_with_the_definitions, ()) {
  const auto matrix = *coarse_matrix(7);
  const auto k = static_cast<Arm>(matrix.num_arms());
  std::uint64_t chains = 0, weak = 0, strong = 0, triangle = 0;
  double gamma = 1, factor = 0;
  const auto winner = condorcet_winner(matrix);
  bool total_order = true;
  for (Arm a = 0; a < k; ++a) {
    for (Arm b = 0; b < k; ++b) {
      if (a != b && matrix(a, b) == 0.5) total_order = false;
      for (Arm c = 0; c < k; ++c) {
        const double ab = matrix.gap(a, b), bc = matrix.gap(b, c), ac = matrix.gap(a, c);
        if (ab <= 0 || bc <= 0) continue;
        ++chains;
        weak += ac < 0 ? 1 : 0;
        strong += ac < std::max(ab, bc) ? 1 : 0;
        triangle += ac > ab + bc ? 1 : 0;
        factor = std::max(factor, ac / (ab + bc));
        if (winner == a) gamma = std::max(gamma, std::max(ab, bc) / ac);
        if (ac <= 0) total_order = false;
      }
    }
  }
  const auto assumptions = check_assumptions(matrix);
  RC_ASSERT(assumptions.chains.weak.examined == chains);
  RC_ASSERT(assumptions.chains.weak.violations == weak);
  RC_ASSERT(assumptions.chains.strong.violations == strong);
  RC_ASSERT(assumptions.chains.triangle.violations == triangle);
  RC_ASSERT(assumptions.chains.triangle_factor == factor);
  RC_ASSERT(assumptions.total_order.holds() == total_order);
  RC_ASSERT(assumptions.relaxed_sst_gamma == (winner ? std::optional(gamma) : std::nullopt));
}

}  // namespace
}  // namespace duel
