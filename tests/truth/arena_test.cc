#include "duel/truth/arena.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tests/truth/matrices.h"

namespace duel {
namespace {

using Counts = std::vector<std::uint64_t>;

// Certain, impossible, even, and two ordinary probabilities; cells are asymmetric on purpose.
PreferenceMatrix four_arms() {
  return matrix_of(
      {{0.5, 0.3, 1.0, 0.5}, {0.7, 0.5, 0.55, 0.0}, {0.0, 0.45, 0.5, 0.9}, {0.5, 1.0, 0.1, 0.5}});
}

const std::vector<std::uint32_t> kIndexOrder = {0, 1, 2, 3};

TEST(MatrixArena, first_arm_wins_as_often_as_the_matrix_says) {
  constexpr int kDuels = 40'000;
  const PreferenceMatrix matrix = four_arms();
  for (Arm first = 0; first < 4; ++first) {
    for (Arm second = 0; second < 4; ++second) {
      if (first == second) continue;
      MatrixArena arena(matrix, kIndexOrder, OutcomeStream(1, first));
      int wins = 0;
      for (int k = 0; k < kDuels; ++k) {
        const Outcome outcome = arena.meet({first, second, Round(k) + 1});
        ASSERT_TRUE(outcome == Outcome::first_wins || outcome == Outcome::second_wins);
        wins += outcome == Outcome::first_wins;
      }
      const double p = matrix(first, second);
      const double se = std::sqrt(p * (1 - p) / kDuels);  // 0 where p is 0 or 1
      EXPECT_NEAR(wins / double(kDuels), p, 5 * se) << first << " against " << second;
    }
  }
}

TEST(MatrixArena, answers_follow_the_outcome_stream) {
  const PreferenceMatrix matrix = four_arms();
  const OutcomeStream stream(7, 3);
  MatrixArena arena(matrix, kIndexOrder, stream);
  for (std::uint32_t meeting = 0; meeting < 200; ++meeting) {
    const bool low_wins = static_cast<double>(stream.draw(1, 2, meeting)) < 0.55 * 0x1p53;
    EXPECT_EQ(arena.meet({1, 2, 1}), low_wins ? Outcome::first_wins : Outcome::second_wins);
  }
}

TEST(MatrixArena, swapped_arms_get_the_mirrored_answer) {
  const PreferenceMatrix matrix = four_arms();
  MatrixArena arena(matrix, kIndexOrder, OutcomeStream(1, 0));
  MatrixArena swapped(matrix, kIndexOrder, OutcomeStream(1, 0));
  for (int k = 0; k < 300; ++k) {
    for (Arm high = 1; high < 4; ++high) {
      for (Arm low = 0; low < high; ++low) {
        EXPECT_EQ(arena.meet({low, high, 1}), mirrored(swapped.meet({high, low, 1})));
      }
    }
  }
}

// Who won the meetings of each pair, in order: true for the lower index.
using History = std::map<std::pair<Arm, Arm>, std::vector<bool>>;

void play(MatrixArena& arena, Arm first, Arm second, Round round, History& history) {
  const bool first_won = arena.meet({first, second, round}) == Outcome::first_wins;
  history[std::minmax(first, second)].push_back(first_won == (first < second));
}

TEST(MatrixArena, a_pair_gets_the_same_answers_in_whatever_order_and_direction) {
  const PreferenceMatrix matrix = four_arms();
  History orderly, wild;
  MatrixArena plain(matrix, kIndexOrder, OutcomeStream(5, 2));
  for (Arm high = 1; high < 4; ++high) {
    for (Arm low = 0; low < high; ++low) {
      for (int k = 0; k < 400; ++k) play(plain, low, high, 1, orderly);
    }
  }
  RoundRng rng = Stream(1, 0, Purpose::test, "arena").at(1);
  MatrixArena mixed(matrix, kIndexOrder, OutcomeStream(5, 2));
  for (Round round = 1; round <= 1200; ++round) {
    const auto first = static_cast<Arm>(rng.below(4));
    const auto second = static_cast<Arm>(rng.below(4));
    if (first == second) {
      mixed.idle(first, 1 + rng.below(100));
    } else {
      play(mixed, first, second, 1000 * round, wild);
    }
  }
  ASSERT_EQ(wild.size(), 6u);
  for (auto& [pair, answers] : wild) {
    ASSERT_GT(answers.size(), 100u);
    ASSERT_LT(answers.size(), 400u);
    orderly[pair].resize(answers.size());
    EXPECT_EQ(answers, orderly[pair]) << pair.first << " and " << pair.second;
  }
}

TEST(MatrixArena, pairs_and_trials_and_seeds_have_answers_of_their_own) {
  constexpr int kDuels = 10'000;
  const PreferenceMatrix even = matrix_of({{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}});
  const std::vector<std::uint32_t> ranks = {0, 1, 2};
  MatrixArena base(even, ranks, OutcomeStream(1, 0));
  MatrixArena other_trial(even, ranks, OutcomeStream(1, 1));
  MatrixArena other_seed(even, ranks, OutcomeStream(2, 0));
  int pair = 0, pair_too = 0, trial = 0, seed = 0;
  for (int k = 0; k < kDuels; ++k) {
    const Outcome answer = base.meet({0, 1, 1});
    pair += base.meet({0, 2, 1}) == answer;
    pair_too += base.meet({1, 2, 1}) == answer;
    trial += other_trial.meet({0, 1, 1}) == answer;
    seed += other_seed.meet({0, 1, 1}) == answer;
  }
  const double se = 0.5 / std::sqrt(double(kDuels));
  for (const int equal : {pair, pair_too, trial, seed}) {
    EXPECT_NEAR(equal / double(kDuels), 0.5, 5 * se);
  }
}

TEST(MatrixArena, starts_with_an_empty_tally) {
  const PreferenceMatrix matrix = four_arms();
  const MatrixArena arena(matrix, kIndexOrder, OutcomeStream(1, 0));
  EXPECT_EQ(arena.num_arms(), 4u);
  EXPECT_EQ(arena.tally().plays, Counts(4));
  EXPECT_EQ(arena.tally().better, Counts(4));
  EXPECT_EQ(arena.informative(), 0u);
}

TEST(MatrixArena, tallies_both_arms_and_the_better_one_by_merit) {
  const PreferenceMatrix matrix = four_arms();
  const std::vector<std::uint32_t> merit_rank = {2, 0, 3, 1};  // best to worst: 1, 3, 0, 2
  MatrixArena arena(matrix, merit_rank, OutcomeStream(1, 0));
  arena.meet({0, 2, 1});  // better: 0
  arena.meet({3, 0, 2});  // better: 3
  arena.meet({0, 3, 3});  // better: 3, whichever is named first
  arena.meet({2, 1, 4});  // better: 1
  arena.meet({3, 1, 5});  // better: 1
  EXPECT_EQ(arena.tally().plays, (Counts{3, 2, 2, 3}));
  EXPECT_EQ(arena.tally().better, (Counts{1, 2, 0, 2}));
  EXPECT_EQ(arena.informative(), 5u);
}

TEST(MatrixArena, idle_counts_a_self_duel_twice_as_played_and_teaches_nothing) {
  const PreferenceMatrix matrix = four_arms();
  MatrixArena arena(matrix, kIndexOrder, OutcomeStream(1, 0));
  arena.idle(2, 1);
  arena.idle(2, 10'000'000'000);  // more than 32 bits hold
  arena.idle(0, 3);
  arena.idle(1, 0);
  EXPECT_EQ(arena.tally().plays, (Counts{6, 0, 20'000'000'002, 0}));
  EXPECT_EQ(arena.tally().better, (Counts{3, 0, 10'000'000'001, 0}));
  EXPECT_EQ(arena.informative(), 0u);
}

TEST(MatrixArena, a_single_arm_can_only_idle) {
  const PreferenceMatrix matrix = matrix_of({{0.5}});
  const std::vector<std::uint32_t> merit_rank = {0};
  MatrixArena arena(matrix, merit_rank, OutcomeStream(1, 0));
  EXPECT_EQ(arena.num_arms(), 1u);
  arena.idle(0, 5);
  EXPECT_EQ(arena.tally().plays, Counts{10});
  EXPECT_EQ(arena.tally().better, Counts{5});
}

// Every round adds two plays and one better arm.
RC_GTEST_PROP(MatrixArena, tallies_add_up, (const std::vector<std::pair<int, int>>& raw)) {
  const PreferenceMatrix matrix = four_arms();
  MatrixArena arena(matrix, kIndexOrder, OutcomeStream(1, 0));
  std::uint64_t rounds = 0, informative = 0;
  for (const auto& [a, b] : raw) {
    const auto first = static_cast<Arm>(a & 3);
    const auto second = static_cast<Arm>(b & 3);
    if (first == second) {
      arena.idle(first, 1);
    } else {
      arena.meet({first, second, 1});
      ++informative;
    }
    ++rounds;
  }
  std::uint64_t plays = 0, better = 0;
  for (const std::uint64_t count : arena.tally().plays) plays += count;
  for (const std::uint64_t count : arena.tally().better) better += count;
  RC_ASSERT(plays == 2 * rounds);
  RC_ASSERT(better == rounds);
  RC_ASSERT(arena.informative() == informative);
}

}  // namespace
}  // namespace duel
