#include "duel/inference/contest.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace duel {
namespace {

Certifier certifier_of(std::size_t num_arms) {
  return std::move(Certifier::make(num_arms, {.alpha = 0.05})).value();
}

void win(Certifier& certifier, Arm winner, Arm loser, int times) {
  for (int n = 0; n < times; ++n) {
    certifier.served({.first = winner, .second = loser});
    certifier.observe({.first = winner, .second = loser}, Outcome::first_wins);
  }
}

TEST(Contest, is_the_leader_against_the_rival_with_the_least_evidence) {
  Certifier certifier = certifier_of(4);
  win(certifier, 2, 0, 9);
  win(certifier, 2, 1, 3);
  win(certifier, 2, 3, 6);
  win(certifier, 0, 1, 20);  // more evidence, but behind in a pair
  const auto contest = closest_contest(certifier);
  ASSERT_TRUE(contest);
  EXPECT_EQ(contest->leader, 2U);
  EXPECT_EQ(contest->rival, 1U);
}

TEST(Contest, spreads_over_the_rivals_while_answers_are_outstanding) {
  Certifier certifier = certifier_of(3);
  win(certifier, 0, 1, 3);
  win(certifier, 0, 2, 6);
  const auto pending = [](Arm i, Arm j) -> std::uint64_t { return i == 0 && j == 1 ? 1 : 0; };
  EXPECT_EQ(closest_contest(certifier)->rival, 1U);
  EXPECT_EQ(closest_contest(certifier, pending)->rival, 2U);
}

TEST(Contest, passes_over_rivals_that_are_beaten_for_good) {
  Certifier certifier = certifier_of(3);
  win(certifier, 0, 1, 60);
  win(certifier, 0, 2, 3);
  const auto pending = [](Arm, Arm j) -> std::uint64_t { return j == 2 ? 5 : 0; };
  EXPECT_EQ(closest_contest(certifier, pending)->rival, 2U);
}

TEST(Contest, needs_two_active_arms_and_begins_with_the_lowest) {
  Certifier certifier = certifier_of(3);
  const auto first = closest_contest(certifier);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->leader, 0U);
  EXPECT_EQ(first->rival, 1U);
  ASSERT_TRUE(certifier.retire(0).ok());
  EXPECT_EQ(closest_contest(certifier)->leader, 1U);
  ASSERT_TRUE(certifier.retire(1).ok());
  EXPECT_FALSE(closest_contest(certifier));
}

// Pairs 0-1 2:2, 0-2 21:20, 0-3 0:6, 1-3 5:1; nothing between 2 and 1 or 3. Points, twice the pairs
// ahead: arm 0 1 + 2, arm 1 1 + 1 + 2, arm 2 1 + 1, arm 3 2 + 1. Of arms 0 and 3, which have 3
// each, arm 3 has won 7 of 12 duels and arm 0 has won 23 of 51.
TEST(OrderSoFar, is_by_points_then_by_the_share_of_duels_won) {
  Certifier certifier = certifier_of(5);
  win(certifier, 0, 1, 2);
  win(certifier, 1, 0, 2);
  win(certifier, 0, 2, 21);
  win(certifier, 2, 0, 20);
  win(certifier, 3, 0, 6);
  win(certifier, 1, 3, 5);
  win(certifier, 3, 1, 1);
  win(certifier, 4, 0, 50);  // retired below: it has no place, and pairs with it give no points
  ASSERT_TRUE(certifier.retire(4).ok());
  EXPECT_EQ(order_so_far(certifier), (std::vector<Arm>{1, 3, 0, 2}));
}

// Pairs 0-1 2:1, 0-2 0:8, 0-3 0:9, 1-2 5:5, 1-3 5:5, 2-3 1:0. Being level with two arms is worth as
// much as being ahead of one, so that arms 0 and 1 have 2 points each, and arm 1 has won 11 of 23
// duels, arm 0 has won 2 of 20. Arm 2 has 5 points and arm 3 has 3.
TEST(OrderSoFar, gives_half_a_pair_to_arms_that_are_level) {
  Certifier certifier = certifier_of(4);
  win(certifier, 0, 1, 2);
  win(certifier, 1, 0, 1);
  win(certifier, 2, 0, 8);
  win(certifier, 3, 0, 9);
  for (const Arm j : {2, 3}) {
    win(certifier, 1, j, 5);
    win(certifier, j, 1, 5);
  }
  win(certifier, 2, 3, 1);
  EXPECT_EQ(order_so_far(certifier), (std::vector<Arm>{2, 3, 1, 0}));
}

// A circle, 0-1 9:0, 1-2 5:4, 2-0 5:4, and arm 3 without duels: 3 points each. The arms of the
// circle won 13, 5 and 9 of 18, and arm 3 counts as one half; arm 2 comes before it by its number.
TEST(OrderSoFar, takes_one_half_for_the_share_of_an_arm_without_duels) {
  Certifier certifier = certifier_of(4);
  win(certifier, 0, 1, 9);
  win(certifier, 1, 2, 5);
  win(certifier, 2, 1, 4);
  win(certifier, 2, 0, 5);
  win(certifier, 0, 2, 4);
  EXPECT_EQ(order_so_far(certifier), (std::vector<Arm>{0, 2, 3, 1}));
}

}  // namespace
}  // namespace duel
