#include "duel/core/ties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <utility>

namespace duel {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

RoundRng rng_of(Round round) { return Stream(1, 0, Purpose::test, "ties").at(round); }

std::optional<Pair> points(Outcome outcome, Ties ties, RoundRng rng = rng_of(1)) {
  const auto points = points_of(outcome, ties, rng);
  return points ? std::optional(Pair(points->first, points->second)) : std::nullopt;
}

TEST(PointsOf, gives_a_win_two_points_under_every_rule) {
  for (const Ties ties : {Ties::coin, Ties::half, Ties::drop}) {
    EXPECT_EQ(points(Outcome::first_wins, ties), Pair(2, 0));
    EXPECT_EQ(points(Outcome::second_wins, ties), Pair(0, 2));
  }
}

TEST(PointsOf, shares_a_tie_under_half) {
  EXPECT_EQ(points(Outcome::tie, Ties::half), Pair(1, 1));
  EXPECT_EQ(points(Outcome::both_bad, Ties::half), Pair(1, 1));
}

TEST(PointsOf, adds_nothing_for_a_tie_under_drop) {
  EXPECT_EQ(points(Outcome::tie, Ties::drop), std::nullopt);
  EXPECT_EQ(points(Outcome::both_bad, Ties::drop), std::nullopt);
}

TEST(PointsOf, adds_nothing_for_a_duel_without_an_answer) {
  for (const Ties ties : {Ties::coin, Ties::half, Ties::drop}) {
    EXPECT_EQ(points(Outcome::skip, ties), std::nullopt);
    EXPECT_EQ(points(Outcome::none, ties), std::nullopt);
  }
}

TEST(PointsOf, decides_a_tie_by_the_next_coin) {
  bool heads = false, tails = false;
  for (Round round = 1; round <= 40; ++round) {
    const bool coin = rng_of(round).coin();
    (coin ? heads : tails) = true;
    EXPECT_EQ(points(Outcome::tie, Ties::coin, rng_of(round)), coin ? Pair(2, 0) : Pair(0, 2));
    EXPECT_EQ(points(Outcome::both_bad, Ties::coin, rng_of(round)), coin ? Pair(2, 0) : Pair(0, 2));
  }
  EXPECT_TRUE(heads && tails);
}

TEST(PointsOf, tosses_a_fair_coin) {
  constexpr int kTies = 40'000;
  int first = 0;
  RoundRng rng = rng_of(1);
  for (int k = 0; k < kTies; ++k) first += points_of(Outcome::tie, Ties::coin, rng)->first == 2;
  const double se = 0.5 / std::sqrt(double(kTies));
  EXPECT_NEAR(first / double(kTies), 0.5, 5 * se);
}

TEST(PointsOf, draws_only_for_a_tie_decided_by_coin) {
  for (const Ties ties : {Ties::coin, Ties::half, Ties::drop}) {
    for (const Outcome outcome : {Outcome::first_wins, Outcome::second_wins, Outcome::tie,
                                  Outcome::both_bad, Outcome::skip, Outcome::none}) {
      const bool tie = outcome == Outcome::tie || outcome == Outcome::both_bad;
      RoundRng rng = rng_of(3);
      points_of(outcome, ties, rng);
      RoundRng expected = rng_of(3);
      if (tie && ties == Ties::coin) expected.bits();
      EXPECT_EQ(rng.bits(), expected.bits());
    }
  }
}

TEST(Mirrored, swaps_the_winner_and_leaves_the_rest) {
  EXPECT_EQ(mirrored(Outcome::first_wins), Outcome::second_wins);
  EXPECT_EQ(mirrored(Outcome::second_wins), Outcome::first_wins);
  for (const Outcome outcome : {Outcome::tie, Outcome::both_bad, Outcome::skip, Outcome::none}) {
    EXPECT_EQ(mirrored(outcome), outcome);
  }
}

TEST(Duel, is_a_self_duel_where_both_arms_are_the_same) {
  EXPECT_TRUE((Duel{3, 3, 1}).is_self());
  EXPECT_FALSE((Duel{3, 4, 3}).is_self());
}

}  // namespace
}  // namespace duel
