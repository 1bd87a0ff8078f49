#include "duel/inference/score_certificate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "duel/core/rng.h"

namespace duel {
namespace {

void add(PairCounts& counts, Arm i, Arm j, int wins, int losses) {
  for (int k = 0; k < wins; ++k) counts.add(i, j, {2, 0});
  for (int k = 0; k < losses; ++k) counts.add(i, j, {0, 2});
}

TEST(score_certificate, settles_a_copeland_winner_while_other_pairs_are_open) {
  // 0 beats all, 1 beats 3; two pairs are open.
  PairCounts counts(4);
  add(counts, 0, 1, 300, 100);
  add(counts, 0, 2, 300, 100);
  add(counts, 1, 2, 205, 195);
  add(counts, 3, 0, 100, 300);
  add(counts, 1, 3, 300, 100);
  add(counts, 2, 3, 210, 190);
  const auto board = score_board(counts, Score::copeland, 0.05);
  ASSERT_TRUE(board.ok());
  EXPECT_EQ(board->scores[0], (Interval{3, 3}));
  EXPECT_EQ(board->scores[1], (Interval{1, 2}));
  EXPECT_EQ(board->scores[2], (Interval{0, 2}));
  EXPECT_EQ(board->scores[3], (Interval{0, 1}));
  EXPECT_EQ(board->winner, Arm{0});
}

TEST(score_certificate, settles_a_borda_winner_that_is_no_condorcet_winner) {
  // 1 beats 0 barely, but 0 beats 2 by far more than 1 does.
  PairCounts counts(3);
  add(counts, 0, 1, 960, 1040);
  add(counts, 0, 2, 1900, 100);
  add(counts, 1, 2, 1100, 900);
  const auto board = score_board(counts, Score::borda, 0.05);
  ASSERT_TRUE(board.ok());
  EXPECT_EQ(board->winner, Arm{0});
  EXPECT_TRUE(board->scores[0].contains((0.48 + 0.95) / 2));
  EXPECT_FALSE(score_board(counts, Score::copeland, 0.05)->winner);
}

TEST(score_certificate, is_silent_without_data_and_names_what_it_cannot_take) {
  EXPECT_FALSE(score_board(PairCounts(3), Score::borda, 0.05)->winner);
  EXPECT_FALSE(score_board(PairCounts(3), Score::copeland, 0.05)->winner);
  EXPECT_EQ(score_board(PairCounts(1), Score::borda, 0.05).error().where, "arms");
  EXPECT_EQ(score_board(PairCounts(3), Score::borda, 0).error().where, "option alpha");
  PairCounts halves(2);
  halves.add(0, 1, {1, 1});
  EXPECT_EQ(score_board(halves, Score::borda, 0.05).error().where, "arms 0 and 1");
}

// All pairs even, looked at every 50 duels: a Borda or Copeland winner is claimed in at most alpha
// of the runs; 5 standard errors at 200 runs: 0.1 + 0.106.
TEST(score_certificate, seldom_settles_where_all_arms_are_even) {
  int claimed = 0;
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    RoundRng rng = Stream(8, trial, Purpose::test, "scores").at(1);
    PairCounts counts(3);
    bool ever = false;
    for (int t = 1; t <= 600 && !ever; ++t) {
      const auto i = static_cast<Arm>(rng.below(3));
      const auto j = static_cast<Arm>((i + 1 + rng.below(2)) % 3);
      counts.add(i, j, rng.coin() ? Points{2, 0} : Points{0, 2});
      if (t % 50 == 0) {
        ever = score_board(counts, Score::borda, 0.1)->winner.has_value() ||
               score_board(counts, Score::copeland, 0.1)->winner.has_value();
      }
    }
    claimed += ever ? 1 : 0;
  }
  EXPECT_LE(claimed, 41);
}

// One duel at a time gives the bounds, to the last bit, and the winner of the whole board.
TEST(score_certificate, counts_one_duel_at_a_time_as_it_counts_the_whole_board) {
  for (const Score score : {Score::copeland, Score::borda}) {
    RoundRng rng = Stream(3, 0, Purpose::test, "scores").at(1);
    PairCounts counts(4);
    auto certifier = std::move(ScoreCertifier::make(4, score, 0.1)).value();
    std::optional<Arm> first_winner;
    for (int t = 0; t < 3000; ++t) {
      const auto i = static_cast<Arm>(rng.below(4));
      const auto j = static_cast<Arm>((i + 1 + rng.below(3)) % 4);
      const bool low_wins = rng.bernoulli(0.75);
      const Arm winner = low_wins ? std::min(i, j) : std::max(i, j);
      const Arm loser = low_wins ? std::max(i, j) : std::min(i, j);
      counts.add(winner, loser, {2, 0});
      certifier.observe(winner, loser);
      const auto board = score_board(counts, score, 0.1);
      ASSERT_EQ(certifier.scores(), board->scores);
      if (!first_winner) first_winner = board->winner;
      ASSERT_EQ(certifier.winner(), first_winner);
    }
    EXPECT_EQ(first_winner, Arm{0});
  }
}

TEST(score_certificate, waits_until_every_pair_has_had_its_least_number_of_duels) {
  auto certifier = std::move(ScoreCertifier::make(3, Score::copeland, 0.1, 50)).value();
  for (int t = 0; t < 60; ++t) {
    certifier.observe(0, 1);
    certifier.observe(0, 2);
  }
  EXPECT_FALSE(certifier.winner());
  for (int t = 0; t < 49; ++t) certifier.observe(1, 2);
  EXPECT_FALSE(certifier.winner());
  certifier.observe(2, 1);
  EXPECT_EQ(certifier.winner(), Arm{0});
}

}  // namespace
}  // namespace duel
