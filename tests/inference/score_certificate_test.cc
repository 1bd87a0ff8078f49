#include "duel/inference/score_certificate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/rng.h"
#include "duel/inference/confidence_sequence.h"

namespace duel {
namespace {

ScoreCertifier certifier_of(std::size_t num_arms, Score score, double alpha = 0.05) {
  return ScoreCertifier::make(num_arms, score, alpha).value();
}

// Wins and losses take turns as their numbers have it, so that no pair looks clearer on the way
// than it is in the end.
void meet(ScoreCertifier& certifier, Arm i, Arm j, int wins, int losses) {
  const int duels = wins + losses;
  for (int k = 0; k < duels; ++k) {
    const bool i_wins = (k + 1) * wins / duels > k * wins / duels;
    certifier.observe(i_wins ? i : j, i_wins ? j : i);
  }
}

TEST(ScoreCertificate, settles_a_copeland_winner_while_other_pairs_are_open) {
  // 0 beats all, 1 beats 3; two pairs are open.
  ScoreCertifier certifier = certifier_of(4, Score::copeland);
  meet(certifier, 0, 1, 300, 100);
  meet(certifier, 0, 2, 300, 100);
  meet(certifier, 1, 2, 205, 195);
  EXPECT_FALSE(certifier.winner());
  meet(certifier, 3, 0, 100, 300);
  meet(certifier, 1, 3, 300, 100);
  meet(certifier, 2, 3, 210, 190);
  EXPECT_EQ(certifier.scores()[0], (Interval{3, 3}));
  EXPECT_EQ(certifier.scores()[1], (Interval{1, 2}));
  EXPECT_EQ(certifier.scores()[2], (Interval{0, 2}));
  EXPECT_EQ(certifier.scores()[3], (Interval{0, 1}));
  EXPECT_EQ(certifier.winner(), Arm{0});
}

TEST(ScoreCertificate, settles_a_borda_winner_that_is_no_condorcet_winner) {
  // 1 beats 0 barely, but 0 beats 2 by far more than 1 does.
  for (const Score score : {Score::borda, Score::copeland}) {
    ScoreCertifier certifier = certifier_of(3, score);
    meet(certifier, 0, 1, 960, 1040);
    meet(certifier, 1, 2, 1100, 900);
    meet(certifier, 0, 2, 1900, 100);
    EXPECT_EQ(certifier.winner(), score == Score::borda ? std::optional<Arm>(0) : std::nullopt);
    if (score == Score::borda) {
      EXPECT_TRUE(certifier.scores()[0].contains((0.48 + 0.95) / 2));
    }
  }
}

TEST(ScoreCertificate, is_silent_without_data_and_names_what_it_cannot_take) {
  EXPECT_FALSE(certifier_of(3, Score::borda).winner());
  EXPECT_FALSE(certifier_of(3, Score::copeland).winner());
  EXPECT_EQ(ScoreCertifier::make(1, Score::borda, 0.05).error().where, "arms");
  EXPECT_EQ(ScoreCertifier::make(3, Score::borda, 0).error().where, "option alpha");
}

// All pairs even: a Borda or Copeland winner is claimed in at most alpha of the runs; 5 standard
// errors at 200 runs: 0.1 + 0.106.
TEST(ScoreCertificate, seldom_settles_where_all_arms_are_even) {
  int claimed = 0;
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    RoundRng rng = Stream(8, trial, Purpose::test, "scores").at(1);
    ScoreCertifier borda =
        ScoreCertifier::make(3, Score::borda, 0.1, 0, Looks::every_fiftieth).value();
    ScoreCertifier copeland = certifier_of(3, Score::copeland, 0.1);
    for (int t = 1; t <= 600; ++t) {
      const auto i = static_cast<Arm>(rng.below(3));
      const auto j = static_cast<Arm>((i + 1 + rng.below(2)) % 3);
      const bool i_wins = rng.coin();
      for (ScoreCertifier* one : {&borda, &copeland}) {
        one->observe(i_wins ? i : j, i_wins ? j : i);
      }
    }
    claimed += borda.winner() || copeland.winner() ? 1 : 0;
  }
  EXPECT_LE(claimed, 41);
}

// The scores of all arms from all counts, as the header defines them.
std::vector<Interval> whole_board(const std::vector<std::uint64_t>& wins, std::size_t num_arms,
                                  Score score, double alpha) {
  const auto k = static_cast<double>(num_arms);
  std::vector<Interval> scores(num_arms, {0, 0});
  const auto add = [&](Arm arm, Interval p) {
    if (score == Score::copeland) {
      p = {p.lower > 0.5 ? 1.0 : 0.0, p.upper > 0.5 ? 1.0 : 0.0};
    } else {
      p = {p.lower / (k - 1), p.upper / (k - 1)};
    }
    scores[arm] = {scores[arm].lower + p.lower, scores[arm].upper + p.upper};
  };
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) {
      const Interval p = beta_binomial_sequence(wins[i * num_arms + j], wins[j * num_arms + i],
                                                2 * alpha / (k * (k - 1)));
      add(i, p);
      add(j, {1 - p.upper, 1 - p.lower});
    }
  }
  return scores;
}

std::optional<Arm> settled_winner(const std::vector<Interval>& scores) {
  for (Arm i = 0; i < scores.size(); ++i) {
    bool best = true;
    for (Arm j = 0; j < scores.size(); ++j) {
      best = best && (i == j || scores[i].lower >= scores[j].upper);
    }
    if (best) return i;
  }
  return std::nullopt;
}

// One duel at a time gives the bounds, to the last bit, and the winner of the whole board. Who
// looks at times sees the same at those times, and nothing in between.
TEST(ScoreCertificate, counts_one_duel_at_a_time_as_it_counts_the_whole_board) {
  for (const Score score : {Score::copeland, Score::borda}) {
    RoundRng rng = Stream(3, 0, Purpose::test, "scores").at(1);
    std::vector<std::uint64_t> wins(16);
    ScoreCertifier certifier = certifier_of(4, score, 0.1);
    ScoreCertifier seldom = ScoreCertifier::make(4, score, 0.1, 0, Looks::every_fiftieth).value();
    std::vector<Interval> last_look;
    std::optional<Arm> first_winner, winner_seen;
    std::uint64_t next_look = 1;
    for (std::uint64_t t = 1; t <= 3000; ++t) {
      const auto i = static_cast<Arm>(rng.below(4));
      const auto j = static_cast<Arm>((i + 1 + rng.below(3)) % 4);
      const bool low_wins = rng.bernoulli(0.75);
      const Arm winner = low_wins ? std::min(i, j) : std::max(i, j);
      const Arm loser = low_wins ? std::max(i, j) : std::min(i, j);
      ++wins[winner * 4 + loser];
      certifier.observe(winner, loser);
      seldom.observe(winner, loser);
      const std::vector<Interval> board = whole_board(wins, 4, score, 0.1);
      ASSERT_EQ(certifier.scores(), board);
      if (!first_winner) first_winner = settled_winner(board);
      ASSERT_EQ(certifier.winner(), first_winner);
      if (t == next_look) {
        next_look = t + 1 + t / 50;
        last_look = board;
        if (!winner_seen) winner_seen = settled_winner(board);
      }
      ASSERT_EQ(seldom.scores(), last_look);
      ASSERT_EQ(seldom.winner(), winner_seen);
    }
    EXPECT_EQ(first_winner, Arm{0});
    EXPECT_EQ(winner_seen, Arm{0});
  }
}

TEST(ScoreCertificate, waits_until_every_pair_has_had_its_least_number_of_duels) {
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
