#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "duel/truth/assumptions.h"
#include "duel/truth/submatrix.h"
#include "tests/truth/matrices.h"

namespace duel {
namespace {

// The share of all subsets of each size that the checker of assumptions finds in order.
std::vector<double> all_subsets(const PreferenceMatrix& matrix) {
  const std::size_t num_arms = matrix.num_arms();
  std::vector<double> ordered(num_arms), total(num_arms);
  for (std::uint32_t mask = 1; mask < (1U << num_arms); ++mask) {
    std::vector<Arm> arms;
    for (Arm i = 0; i < num_arms; ++i) {
      if ((mask >> i & 1U) != 0) arms.push_back(i);
    }
    total[arms.size() - 1] += 1;
    if (check_total_order(submatrix(matrix, arms, "subset")).holds()) ordered[arms.size() - 1] += 1;
  }
  for (std::size_t k = 0; k < num_arms; ++k) ordered[k] /= total[k];
  return ordered;
}

TEST(SubsetOrders, agree_with_the_count_over_all_subsets) {
  constexpr std::uint32_t kSamples = 20000;
  for (const char* name : {"no-condorcet(k=9,seed=1)", "random-condorcet(k=9,seed=2)", "arxiv"}) {
    const PreferenceMatrix matrix = named(name);
    const auto exact = all_subsets(matrix);
    const auto counts = subset_total_orders(matrix, kSamples, 7);
    ASSERT_EQ(counts.size(), exact.size());
    for (std::size_t k = 0; k < exact.size(); ++k) {
      // Binomial; 24 comparisons at 4.5 standard errors. Where the share is 0 or 1 there is no
      // error.
      const double sigma = std::sqrt(kSamples * exact[k] * (1 - exact[k]));
      EXPECT_NEAR(counts[k], kSamples * exact[k], 4.5 * sigma) << name << ", subsets of " << k + 1;
    }
  }
}

TEST(SubsetOrders, of_an_ordered_matrix_are_all_ordered) {
  for (const std::uint32_t count : subset_total_orders(named("arithmetic"), 100, 1)) {
    EXPECT_EQ(count, 100U);
  }
}

TEST(SubsetOrders, count_a_tie_as_no_order) {
  const auto counts = subset_total_orders(matrix_of({{0.5, 0.5}, {0.5, 0.5}}), 50, 1);
  EXPECT_EQ(counts, (std::vector<std::uint32_t>{50, 0}));
}

}  // namespace
}  // namespace duel
