#include "duel/truth/submatrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "duel/truth/winners.h"
#include "tests/truth/matrices.h"

namespace duel {
namespace {

TEST(Submatrix, keeps_names_and_probabilities_in_the_order_asked) {
  const PreferenceMatrix whole = named("arxiv");
  const std::vector<Arm> arms = {4, 0, 2};
  const PreferenceMatrix part = submatrix(whole, arms, "part");
  ASSERT_EQ(part.num_arms(), 3U);
  EXPECT_EQ(part.name(), "part");
  for (Arm i = 0; i < 3; ++i) {
    EXPECT_EQ(part.arm_name(i), whole.arm_name(arms[i]));
    for (Arm j = 0; j < 3; ++j) EXPECT_EQ(part(i, j), whole(arms[i], arms[j]));
  }
}

TEST(Submatrix, of_the_winner_and_others_has_the_same_winner) {
  const PreferenceMatrix whole = named("random-condorcet(k=20,seed=3)");
  const Arm winner = condorcet_winner(whole).value();
  for (std::size_t size = 1; size <= 20; ++size) {
    const auto arms = winner_and_others(whole, winner, size, RoundRng(1, 0, size));
    ASSERT_EQ(arms.size(), size);
    EXPECT_TRUE(std::is_sorted(arms.begin(), arms.end()));
    EXPECT_EQ(std::adjacent_find(arms.begin(), arms.end()), arms.end());
    const PreferenceMatrix part = submatrix(whole, arms, "part");
    EXPECT_EQ(part.arm_name(condorcet_winner(part).value()), whole.arm_name(winner));
  }
}

TEST(Submatrix, draws_the_others_uniformly) {
  const PreferenceMatrix whole = named("arxiv");
  constexpr int kDraws = 20000;
  std::array<int, 6> drawn{};
  for (int k = 0; k < kDraws; ++k) {
    for (const Arm arm : winner_and_others(whole, 0, 3, RoundRng(2, 0, static_cast<Round>(k)))) {
      ++drawn[arm];
    }
  }
  EXPECT_EQ(drawn[0], kDraws);
  // Each of five others is among the two with probability 2/5; five comparisons at 4.5 sigma.
  const double sigma = std::sqrt(kDraws * 0.4 * 0.6);
  for (Arm arm = 1; arm < 6; ++arm) EXPECT_NEAR(drawn[arm], 0.4 * kDraws, 4.5 * sigma) << arm;
}

}  // namespace
}  // namespace duel
