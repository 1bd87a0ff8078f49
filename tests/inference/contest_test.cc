#include "duel/inference/contest.h"

#include <gtest/gtest.h>

#include <utility>

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

}  // namespace
}  // namespace duel
