#include "duel/core/wake_up.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "duel/core/rng.h"

namespace duel {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Round kFarAway = Round{1} << 62;

RoundRng random_numbers(Round round) { return Stream(1, 0, Purpose::test, "wake_up").at(round); }

// Every round in turn.
template <class Predicate>
Round slow_wake_up(Round from, Round limit, Predicate awake) {
  Round t = std::min(from, limit);
  while (t < limit && !awake(t)) ++t;
  return t;
}

// The same by halving the whole interval, for limits that no loop reaches.
template <class Predicate>
Round halving_wake_up(Round from, Round limit, Predicate awake) {
  if (from >= limit) return limit;
  Round low = from, high = limit;  // the answer lies in [low, high]
  while (low < high) {
    const Round middle = low + (high - low) / 2;
    if (awake(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

TEST(LogRound, is_the_logarithm_of_the_round) {
  EXPECT_EQ(log_round(1), 0.0);
  EXPECT_NEAR(log_round(2), 0.6931471805599453, 1e-15);
  EXPECT_NEAR(log_round(1'000'000'000), 20.72326583694641, 1e-14);
}

TEST(WakeUpRound, agrees_with_rounds_worked_out_by_hand) {
  // e^2 = 7.39, e^3 = 20.09, e^10 = 22026.47.
  const auto at_level = [](double level, Round from, Round limit) {
    return wake_up_round(level, from, limit, [&](Round t) { return log_round(t) >= level; });
  };
  EXPECT_EQ(at_level(2, 1, 100), 8u);
  EXPECT_EQ(at_level(3, 1, 100), 21u);
  EXPECT_EQ(at_level(10, 1, 1'000'000), 22027u);
  EXPECT_EQ(at_level(0, 1, 100), 1u);
  EXPECT_EQ(at_level(2, 8, 100), 8u);
  EXPECT_EQ(at_level(2, 50, 100), 50u);
  EXPECT_EQ(at_level(2, 1, 8), 8u);
  EXPECT_EQ(at_level(2, 1, 7), 7u);
  EXPECT_EQ(at_level(-5, 3, 100), 3u);
}

TEST(WakeUpRound, agrees_with_playing_every_round_for_a_level) {
  RoundRng rng = random_numbers(1);
  int early = 0, late = 0, between = 0;
  for (int k = 0; k < 5000; ++k) {
    // Levels past both ends of the interval, and often the very ln t of a round.
    const Round limit = 1 + rng.below(3000);
    const Round from = 1 + rng.below(limit + 5);
    const double level = rng.coin() ? log_round(1 + rng.below(4000)) : 9.0 * rng.uniform() - 0.5;
    const auto awake = [&](Round t) { return log_round(t) >= level; };
    const Round slow = slow_wake_up(from, limit, awake);
    ASSERT_EQ(wake_up_round(level, from, limit, awake), slow)
        << "level " << level << " from " << from << " limit " << limit;
    if (slow == from) {
      ++early;
    } else {
      ++(slow == limit ? late : between);
    }
  }
  EXPECT_GT(std::min({early, late, between}), 500);  // the cases that matter occurred
}

// A confidence radius: sqrt(alpha ln t) >= z near ln t = z^2/alpha, where rounding of the square
// root and of the division put the closed form beside the predicate.
TEST(WakeUpRound, agrees_with_playing_every_round_for_a_radius) {
  RoundRng rng = random_numbers(2);
  for (int k = 0; k < 5000; ++k) {
    const double alpha = 0.1 + 2 * rng.uniform();
    const Round limit = 1 + rng.below(3000);
    const Round from = 1 + rng.below(limit + 5);
    const double z =
        rng.coin() ? std::sqrt(alpha * log_round(1 + rng.below(4000))) : 4.0 * rng.uniform();
    const auto awake = [&](Round t) { return std::sqrt(alpha * log_round(t)) >= z; };
    ASSERT_EQ(wake_up_round(z * z / alpha, from, limit, awake), slow_wake_up(from, limit, awake))
        << "alpha " << alpha << " z " << z << " from " << from << " limit " << limit;
  }
}

TEST(WakeUpRound, agrees_with_halving_up_to_rounds_that_no_loop_reaches) {
  RoundRng rng = random_numbers(3);
  for (int k = 0; k < 5000; ++k) {
    const double level = 43.0 * rng.uniform();
    const Round limit = Round{1} << (1 + rng.below(62));
    const Round from = 1 + rng.below(Round{1} << rng.below(62));
    const auto awake = [&](Round t) { return log_round(t) >= level; };
    ASSERT_EQ(wake_up_round(level, from, limit, awake), halving_wake_up(from, limit, awake))
        << "level " << level << " from " << from << " limit " << limit;

    const double alpha = 0.1 + 2 * rng.uniform();
    const double z = std::sqrt(alpha * level);
    const auto wide = [&](Round t) { return std::sqrt(alpha * log_round(t)) >= z; };
    ASSERT_EQ(wake_up_round(z * z / alpha, from, limit, wide), halving_wake_up(from, limit, wide))
        << "alpha " << alpha << " z " << z << " from " << from << " limit " << limit;
  }
}

TEST(WakeUpRound, only_needs_a_level_that_is_roughly_right) {
  RoundRng rng = random_numbers(4);
  for (int k = 0; k < 5000; ++k) {
    const Round limit = 1 + rng.below(1'000'000);
    const Round from = 1 + rng.below(limit);
    const Round first_awake = 1 + rng.below(1'000'000);
    const double level = log_round(first_awake) + 4 * rng.uniform() - 2;
    const auto awake = [&](Round t) { return t >= first_awake; };
    ASSERT_EQ(wake_up_round(level, from, limit, awake),
              std::min(limit, std::max(from, first_awake)));
  }
}

TEST(WakeUpRound, asks_only_about_rounds_from_the_first_to_the_one_before_the_limit) {
  RoundRng rng = random_numbers(5);
  for (int k = 0; k < 2000; ++k) {
    const double level = 12 * rng.uniform();
    const double rough_level = level + 2 * rng.uniform() - 1;
    const Round limit = 1 + rng.below(10'000);
    const Round from = 1 + rng.below(limit);
    wake_up_round(rough_level, from, limit, [&](Round t) {
      EXPECT_GE(t, from);
      EXPECT_LT(t, limit);
      return log_round(t) >= level;
    });
  }
}

// The closed form is off by the rounding of ln t, at most 2 ulp or 2^-46 below ln t = 64, times t.
// Below 1e12 that is less than a round; at exp(43) it is 2^16 rounds, which doubling steps cover in
// 17 questions out and 16 back.
TEST(WakeUpRound, asks_the_predicate_a_handful_of_times) {
  RoundRng rng = random_numbers(6);
  for (int k = 0; k < 4000; ++k) {
    const bool far = k % 2 == 0;
    const double level = far ? 27.6 + 15.4 * rng.uniform() : 1 + 26.6 * rng.uniform();
    int questions = 0;
    const auto awake = [&](Round t) {
      ++questions;
      return log_round(t) >= level;
    };
    wake_up_round(level, 1, kFarAway, awake);
    ASSERT_LE(questions, far ? 36 : 5) << level;
  }
}

TEST(WakeUpRound, gives_the_limit_for_levels_that_no_round_reaches) {
  int questions = 0;
  const auto never = [&](Round) {
    ++questions;
    return false;
  };
  for (const double level : {43.01, 50.0, 700.0, 1e300, kInfinity}) {
    questions = 0;
    EXPECT_EQ(wake_up_round(level, 1, kFarAway, never), kFarAway);
    EXPECT_EQ(wake_up_round(level, 1, 10, never), 10u);
    EXPECT_LE(questions, 2);  // nothing is searched
  }
}

TEST(WakeUpRound, stays_awake_whatever_the_level_where_the_predicate_already_holds) {
  EXPECT_EQ(wake_up_round(kInfinity, 7, 100, [](Round) { return true; }), 7u);
}

TEST(WakeUpRound, gives_the_limit_where_the_limit_is_reached_already) {
  for (const bool awake : {false, true}) {
    const auto predicate = [&](Round) { return awake; };
    EXPECT_EQ(wake_up_round(1.0, 10, 10, predicate), 10u);
    EXPECT_EQ(wake_up_round(1.0, 11, 10, predicate), 10u);
    EXPECT_EQ(wake_up_round(50.0, 11, 10, predicate), 10u);
  }
}

TEST(WakeUpRound, finds_the_last_round_before_the_limit) {
  for (const Round limit : {Round{2}, Round{3}, Round{100}, Round{1} << 40, kFarAway}) {
    const double level = log_round(limit);
    EXPECT_EQ(wake_up_round(level, 1, limit, [&](Round t) { return t >= limit - 1; }), limit - 1);
    EXPECT_EQ(wake_up_round(level, 1, limit, [](Round) { return false; }), limit);
  }
}

}  // namespace
}  // namespace duel
