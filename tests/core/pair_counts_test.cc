#include "duel/core/pair_counts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/archive.h"

namespace duel {
namespace {

constexpr Points kWin{2, 0};
constexpr Points kLoss{0, 2};
constexpr Points kShared{1, 1};
constexpr std::uint32_t kFull = std::numeric_limits<std::uint32_t>::max();

TEST(PairCounts, start_without_duels_and_with_even_means) {
  const PairCounts counts(3);
  EXPECT_EQ(counts.num_arms(), 3u);
  for (Arm i = 0; i < 3; ++i) {
    for (Arm j = 0; j < 3; ++j) {
      EXPECT_EQ(counts.points(i, j), 0u);
      EXPECT_EQ(counts.total(i, j), 0u);
      EXPECT_EQ(counts.wins(i, j), 0.0);
      EXPECT_EQ(counts.duels(i, j), 0.0);
      EXPECT_EQ(counts.mean(i, j), 0.5);
    }
  }
}

TEST(PairCounts, credit_each_side_of_the_pair_and_no_other) {
  PairCounts counts(3);
  counts.add(0, 2, kWin);
  counts.add(2, 0, kWin);
  counts.add(0, 2, kWin);
  counts.add(0, 2, kLoss);
  counts.add(2, 0, kWin);
  EXPECT_EQ(counts.wins(0, 2), 2.0);
  EXPECT_EQ(counts.wins(2, 0), 3.0);
  EXPECT_EQ(counts.duels(0, 2), 5.0);
  EXPECT_EQ(counts.duels(2, 0), 5.0);
  EXPECT_EQ(counts.mean(0, 2), 0.4);
  EXPECT_EQ(counts.mean(2, 0), 0.6);
  EXPECT_EQ(counts.total(0, 1), 0u);
  EXPECT_EQ(counts.total(1, 2), 0u);
}

TEST(PairCounts, keep_a_shared_win_as_half_a_win_each) {
  PairCounts counts(2);
  counts.add(0, 1, kShared);
  EXPECT_EQ(counts.points(0, 1), 1u);
  EXPECT_EQ(counts.points(1, 0), 1u);
  EXPECT_EQ(counts.wins(0, 1), 0.5);
  EXPECT_EQ(counts.duels(0, 1), 1.0);
  EXPECT_EQ(counts.mean(0, 1), 0.5);
  counts.add(0, 1, kWin);
  EXPECT_EQ(counts.wins(0, 1), 1.5);
  EXPECT_EQ(counts.wins(1, 0), 0.5);
  EXPECT_EQ(counts.duels(1, 0), 2.0);
  EXPECT_EQ(counts.mean(0, 1), 0.75);
}

TEST(PairCounts, hold_the_largest_count_without_losing_a_point) {
  PairCounts counts(2);
  counts.add(0, 1, {kFull, kFull});
  EXPECT_EQ(counts.points(0, 1), kFull);
  EXPECT_EQ(counts.total(0, 1), 2 * std::uint64_t{kFull});  // the sum needs 33 bits
  EXPECT_EQ(counts.duels(0, 1), static_cast<double>(kFull));
  EXPECT_EQ(counts.mean(0, 1), 0.5);
}

TEST(PairCounts, throw_where_a_count_would_wrap_round) {
  PairCounts first_full(2);
  first_full.add(0, 1, {kFull - 1, 0});
  EXPECT_THROW(first_full.add(0, 1, kWin), std::overflow_error);

  PairCounts second_full(2);
  second_full.add(0, 1, {0, kFull - 1});
  EXPECT_THROW(second_full.add(0, 1, kLoss), std::overflow_error);
  EXPECT_NO_THROW(second_full.add(0, 1, kWin));

  PairCounts last_half(2);
  last_half.add(0, 1, {kFull - 1, 0});
  EXPECT_NO_THROW(last_half.add(0, 1, kShared));
  EXPECT_THROW(last_half.add(0, 1, kShared), std::overflow_error);
}

TEST(PairCounts, say_how_many_wins_are_too_many) {
  PairCounts counts(2);
  counts.add(0, 1, {kFull, 0});
  try {
    counts.add(0, 1, kWin);
    FAIL() << "nothing was thrown";
  } catch (const std::overflow_error& error) {
    EXPECT_STREQ(error.what(),
                 "one arm beat another more than 2147483647 times: the counts are full");
  }
}

TEST(PairCounts, survive_saving_and_restoring) {
  PairCounts counts(3);
  counts.add(0, 1, kWin);
  counts.add(2, 1, kShared);
  StateWriter writer;
  writer(counts);
  const std::string saved = writer.finish();

  PairCounts same(3);
  StateReader reader = StateReader::open(saved).value();
  reader(same);
  EXPECT_TRUE(reader.complete());
  EXPECT_TRUE(same.consistent());
  for (Arm i = 0; i < 3; ++i) {
    for (Arm j = 0; j < 3; ++j) EXPECT_EQ(same.points(i, j), counts.points(i, j));
  }
}

TEST(PairCounts, notice_a_state_of_another_number_of_arms) {
  StateWriter writer;
  writer(PairCounts(3));
  const std::string saved = writer.finish();
  PairCounts other(4);
  StateReader reader = StateReader::open(saved).value();
  reader(other);
  EXPECT_FALSE(other.consistent());
}

// wins[i][j] whole wins of i over j.
PairCounts counts_of(const std::vector<std::vector<std::uint32_t>>& wins) {
  PairCounts counts(wins.size());
  for (Arm i = 0; i < wins.size(); ++i) {
    for (Arm j = i + 1; j < wins.size(); ++j) counts.add(i, j, {2 * wins[i][j], 2 * wins[j][i]});
  }
  return counts;
}

TEST(EmpiricalCopelandLeader, is_the_first_arm_before_any_duel) {
  EXPECT_EQ(empirical_copeland_leader(PairCounts(1)), 0u);
  EXPECT_EQ(empirical_copeland_leader(PairCounts(5)), 0u);
}

TEST(EmpiricalCopelandLeader, beats_most_arms_and_not_by_the_widest_margin) {
  // Arm 2 beats 0 and 1 narrowly; arm 0 beats 1 in every duel.
  EXPECT_EQ(empirical_copeland_leader(counts_of({{0, 9, 4}, {0, 0, 4}, {5, 5, 0}})), 2u);
}

TEST(EmpiricalCopelandLeader, is_decided_by_the_sum_of_means_among_equal_scores) {
  // A cycle 0 > 1 > 2 > 0, one victory each. Sums of means: 0: .6 + .1, 1: .4 + .7, 2: .3 + .9.
  EXPECT_EQ(empirical_copeland_leader(counts_of({{0, 6, 1}, {4, 0, 7}, {9, 3, 0}})), 2u);
  // The same with arm 1 ahead: 0: .9 + .1, 1: .1 + 1, 2: 0 + .9.
  EXPECT_EQ(empirical_copeland_leader(counts_of({{0, 9, 1}, {1, 0, 10}, {9, 0, 0}})), 1u);
}

TEST(EmpiricalCopelandLeader, sums_means_and_not_wins) {
  // 0 > 1, 1 > 2, 2 > 0. Sums: 0: .51 + .1 = .61 (with 520 wins), 1: .49 + .6 = 1.09,
  // 2: .4 + .9 = 1.3 (with 13 wins).
  EXPECT_EQ(empirical_copeland_leader(counts_of({{0, 510, 1}, {490, 0, 6}, {9, 4, 0}})), 2u);
}

TEST(EmpiricalCopelandLeader, leaves_pairs_that_never_met_out_of_the_sum) {
  // One victory each for 0 (over 1, 4:0), 2 (over 3, 3:1) and 3 (over 0, 4:1). Sums of means:
  // 0: 1 + .2, 2: .75, 3: .8 + .25. Were pairs that never met worth 1/2, arm 2 would lead with
  // .75 + .5 + .5 against 1 + .2 + .5.
  EXPECT_EQ(empirical_copeland_leader(
                counts_of({{0, 4, 0, 1}, {0, 0, 0, 0}, {0, 0, 0, 3}, {4, 0, 1, 0}})),
            0u);
}

TEST(EmpiricalCopelandLeader, counts_an_even_pair_as_no_victory) {
  // Arm 0 is even with all three others and has the largest sum, 1.5; arm 3 beats 2 alone.
  EXPECT_EQ(empirical_copeland_leader(
                counts_of({{0, 5, 5, 5}, {5, 0, 0, 0}, {5, 0, 0, 1}, {5, 0, 2, 0}})),
            3u);
}

TEST(EmpiricalCopelandLeader, is_the_lowest_index_where_all_is_equal) {
  EXPECT_EQ(empirical_copeland_leader(counts_of({{0, 1, 1}, {1, 0, 1}, {1, 1, 0}})), 0u);
}

TEST(EmpiricalCopelandLeader, prefers_an_arm_without_victories_that_lost_less) {
  // No victories at all: arm 0 never met anyone (sum 0), arms 1 and 2 are even (sum 1/2 each).
  EXPECT_EQ(empirical_copeland_leader(counts_of({{0, 0, 0}, {0, 0, 2}, {0, 2, 0}})), 1u);
}

// The definition, over a list of all arms sorted by it.
RC_GTEST_PROP(EmpiricalCopelandLeader, agrees_with_the_definition, ()) {
  const auto k = *rc::gen::inRange<std::size_t>(1, 7);
  std::vector<std::vector<std::uint32_t>> wins(k, std::vector<std::uint32_t>(k));
  for (auto& row : wins) {
    for (std::uint32_t& cell : row) cell = *rc::gen::inRange<std::uint32_t>(0, 3);
  }
  const PairCounts counts = counts_of(wins);
  const auto score = [&](Arm i) {
    int victories = 0;
    double sum = 0;
    for (Arm j = 0; j < k; ++j) {
      if (i == j || wins[i][j] + wins[j][i] == 0) continue;
      const double mean = double(wins[i][j]) / (wins[i][j] + wins[j][i]);
      victories += mean > 0.5;
      sum += mean;
    }
    return std::pair(victories, sum);
  };
  const Arm leader = empirical_copeland_leader(counts);
  for (Arm i = 0; i < k; ++i) {
    if (i < leader) RC_ASSERT(score(i) < score(leader));
    if (i > leader) RC_ASSERT(score(i) <= score(leader));
  }
}

}  // namespace
}  // namespace duel
