#include "duel/core/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "duel/core/rng.h"

namespace duel {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

RoundRng random_numbers(Round round) { return Stream(1, 0, Purpose::test, "rows").at(round); }

TEST(PaddedRow, is_the_next_multiple_of_the_block) {
  EXPECT_EQ(padded_row(1), 8u);
  EXPECT_EQ(padded_row(7), 8u);
  EXPECT_EQ(padded_row(8), 8u);
  EXPECT_EQ(padded_row(9), 16u);
  for (std::size_t k = 1; k <= 1000; ++k) {
    EXPECT_EQ(padded_row(k) % kRowBlock, 0u);
    EXPECT_GE(padded_row(k), k);
    EXPECT_LT(padded_row(k), k + kRowBlock);
  }
}

TEST(LoadLanes, reads_neighbours_at_any_alignment) {
  const std::vector<double> row = {1, 2, 3, 4};
  for (std::size_t k = 0; k + 1 < row.size(); ++k) {
    const auto lanes = load_lanes<DoubleLanes>(row.data() + k);
    EXPECT_EQ(lanes[0], row[k]);
    EXPECT_EQ(lanes[1], row[k + 1]);
  }
}

// The extreme alone at every place of every size: a pass that skips or repeats a lane misses one.
TEST(Largest, finds_the_largest_wherever_it_stands) {
  for (std::size_t size = kRowBlock; size <= 128; size += kRowBlock) {
    for (std::size_t place = 0; place < size; ++place) {
      std::vector<double> row(size, -1.0);
      row[place] = -0.5;
      ASSERT_EQ(largest(row.data(), size), -0.5) << place << " of " << size;
    }
  }
}

TEST(Smallest, finds_the_smallest_wherever_it_stands) {
  for (std::size_t size = kRowBlock; size <= 128; size += kRowBlock) {
    for (std::size_t place = 0; place < size; ++place) {
      std::vector<std::int64_t> row(size, 5);
      row[place] = 4;
      ASSERT_EQ(smallest(row.data(), size), 4) << place << " of " << size;
    }
  }
}

TEST(Largest, agrees_with_a_plain_loop) {
  RoundRng rng = random_numbers(1);
  for (std::size_t size = kRowBlock; size <= 128; size += kRowBlock) {
    for (int repetition = 0; repetition < 100; ++repetition) {
      std::vector<double> row(size);
      const bool coarse = rng.coin();  // many ties
      for (double& x : row) {
        x = coarse ? static_cast<double>(rng.below(3)) - 1 : 1e3 * rng.normal();
      }
      ASSERT_EQ(largest(row.data(), size), *std::max_element(row.begin(), row.end()));
    }
  }
}

TEST(Smallest, agrees_with_a_plain_loop) {
  RoundRng rng = random_numbers(2);
  for (std::size_t size = kRowBlock; size <= 128; size += kRowBlock) {
    for (int repetition = 0; repetition < 100; ++repetition) {
      std::vector<std::int64_t> row(size);
      const bool coarse = rng.coin();
      for (std::int64_t& x : row) {
        x = static_cast<std::int64_t>(coarse ? rng.below(3) - 1 : rng.bits());
      }
      ASSERT_EQ(smallest(row.data(), size), *std::min_element(row.begin(), row.end()));
    }
  }
}

TEST(Largest, takes_the_value_of_each_pair_of_lanes_from_a_function) {
  // U(k) = mean + width, as a policy computes it on the fly.
  RoundRng rng = random_numbers(3);
  for (std::size_t size = kRowBlock; size <= 128; size += kRowBlock) {
    std::vector<double> mean(size), width(size);
    double expected = -kInfinity;
    for (std::size_t k = 0; k < size; ++k) {
      mean[k] = rng.uniform();
      width[k] = rng.uniform();
      expected = std::max(expected, mean[k] + width[k]);
    }
    const double found = largest(size, [&](std::size_t k) {
      return load_lanes<DoubleLanes>(&mean[k]) + load_lanes<DoubleLanes>(&width[k]);
    });
    ASSERT_EQ(found, expected) << size;
  }
}

TEST(Largest, handles_extreme_values) {
  std::vector<double> row(16, -kInfinity);
  EXPECT_EQ(largest(row.data(), 16), -kInfinity);
  row[13] = -kLargest;
  EXPECT_EQ(largest(row.data(), 16), -kLargest);
  row[2] = kLargest;
  EXPECT_EQ(largest(row.data(), 16), kLargest);
  row[9] = kInfinity;
  EXPECT_EQ(largest(row.data(), 16), kInfinity);
  const std::vector<double> tiny = {0, std::numeric_limits<double>::denorm_min(), 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(largest(tiny.data(), 8), std::numeric_limits<double>::denorm_min());
}

TEST(Smallest, handles_extreme_values) {
  std::vector<std::int64_t> row(16, kMost);
  EXPECT_EQ(smallest(row.data(), 16), kMost);
  row[14] = kMost - 1;  // lost where 64-bit integers pass through doubles
  EXPECT_EQ(smallest(row.data(), 16), kMost - 1);
  row[3] = kLeast + 1;
  EXPECT_EQ(smallest(row.data(), 16), kLeast + 1);
  row[5] = kLeast;
  EXPECT_EQ(smallest(row.data(), 16), kLeast);
}

Matches count_equal(const std::vector<double>& row, double wanted) {
  const DoubleLanes both = {wanted, wanted};
  return count_matches(row.size(), [&](std::size_t k) -> IntLanes {
    return load_lanes<DoubleLanes>(&row[k]) == both;
  });
}

TEST(CountMatches, gives_the_index_of_a_single_match_wherever_it_stands) {
  for (std::size_t size = kRowBlock; size <= 128; size += kRowBlock) {
    for (std::size_t place = 0; place < size; ++place) {
      std::vector<double> row(size);
      row[place] = 1;
      const Matches matches = count_equal(row, 1);
      ASSERT_EQ(matches.count, 1u) << place << " of " << size;
      ASSERT_EQ(matches.index_sum, place) << place << " of " << size;
    }
  }
}

TEST(CountMatches, agrees_with_a_plain_loop) {
  RoundRng rng = random_numbers(4);
  for (std::size_t size = kRowBlock; size <= 128; size += kRowBlock) {
    for (int repetition = 0; repetition < 100; ++repetition) {
      std::vector<double> row(size);
      for (double& x : row) x = static_cast<double>(rng.below(3));
      std::size_t count = 0, index_sum = 0;
      for (std::size_t k = 0; k < size; ++k) {
        if (row[k] != 2) continue;
        ++count;
        index_sum += k;
      }
      const Matches matches = count_equal(row, 2);
      ASSERT_EQ(matches.count, count);
      ASSERT_EQ(matches.index_sum, index_sum);
    }
  }
}

TEST(CountMatches, counts_none_and_all) {
  for (std::size_t size = kRowBlock; size <= 128; size += kRowBlock) {
    const std::vector<double> row(size, kInfinity);
    EXPECT_EQ(count_equal(row, 0).count, 0u);
    EXPECT_EQ(count_equal(row, 0).index_sum, 0u);
    EXPECT_EQ(count_equal(row, kInfinity).count, size);
    EXPECT_EQ(count_equal(row, kInfinity).index_sum, size * (size - 1) / 2);
  }
}

TEST(CountMatches, finds_the_ties_of_the_largest) {
  RoundRng rng = random_numbers(5);
  for (int repetition = 0; repetition < 500; ++repetition) {
    std::vector<double> row(24);
    for (double& x : row) x = static_cast<double>(rng.below(6));
    const double best = largest(row.data(), row.size());
    EXPECT_EQ(count_equal(row, best).count,
              static_cast<std::size_t>(std::count(row.begin(), row.end(), best)));
  }
}

}  // namespace
}  // namespace duel
