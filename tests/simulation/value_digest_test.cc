#include "duel/simulation/value_digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "duel/core/rng.h"
#include "duel/simulation/aggregate.h"

namespace duel {
namespace {

// Positive, over many orders of magnitude, reproducible.
std::vector<double> sample(std::size_t count, std::uint64_t seed) {
  std::vector<double> values;
  std::uint64_t state = seed;
  for (std::size_t i = 0; i < count; ++i) {
    state = mix64(state + i);
    values.push_back(std::exp(8 * static_cast<double>(state >> 11) * 0x1p-53));
  }
  return values;
}

ValueDigest digest_of(const std::vector<double>& values) {
  ValueDigest digest;
  for (const double value : values) digest.add(value);
  return digest;
}

void expect_same_bits(const Summary& a, const Summary& b) {
  for (const auto member : {&Summary::mean, &Summary::se, &Summary::median, &Summary::q10,
                            &Summary::q90, &Summary::min, &Summary::max}) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a.*member), std::bit_cast<std::uint64_t>(b.*member));
  }
}

TEST(ExactSum, forgets_nothing_that_cancels) {
  ExactSum sum;
  sum.add(1e300);
  sum.add(1.0);
  sum.add(-1e300);
  EXPECT_EQ(sum.value().high, 1.0);
  sum.add(5e-324);  // the smallest there is
  sum.add(-1.0);
  EXPECT_EQ(sum.value().high, 5e-324);
  sum.add(-5e-324);
  EXPECT_EQ(sum.value().high, 0.0);
}

TEST(ExactSum, adds_tenths_as_the_doubles_they_are) {
  ExactSum sum;
  for (int i = 0; i < 10; ++i) sum.add(0.1);
  // The double 0.1 is 0x1.999999999999ap-4, and ten of it are 1 + 2^-54: 1 after rounding, while
  // adding up in doubles gives 1 - 2^-53.
  EXPECT_EQ(sum.value().high, 1.0);
  EXPECT_EQ(sum.value().low, 0x1p-54);
}

TEST(ExactSum, is_negative_where_the_sum_is) {
  ExactSum sum;
  sum.add(2.5);
  sum.add(-7.25);
  EXPECT_EQ(sum.value().high, -4.75);
  ExactSum other;
  other.add(4.0);
  sum.add(other);
  EXPECT_EQ(sum.value().high, -0.75);
}

TEST(ExactSum, squares_without_rounding) {
  ExactSum sum;
  const double x = 1 + 0x1p-40;  // x^2 = 1 + 2^-39 + 2^-80 needs 81 bits
  sum.add_square(x);
  sum.add(-1.0);
  sum.add(-0x1p-39);
  EXPECT_EQ(sum.value().high, 0x1p-80);
}

TEST(ValueDigest, has_mean_and_error_of_the_kept_values) {
  for (const std::size_t count : {1u, 2u, 3u, 1000u}) {
    const std::vector<double> values = sample(count, 7);
    const Summary kept = summarize(values);
    const Summary digest = digest_of(values).summary();
    EXPECT_DOUBLE_EQ(digest.mean, kept.mean);
    if (count > 1) {
      EXPECT_NEAR(digest.se, kept.se, 1e-12 * kept.se);
    } else {
      EXPECT_TRUE(std::isnan(digest.se));
    }
    EXPECT_EQ(digest.min, kept.min);
    EXPECT_EQ(digest.max, kept.max);
  }
}

TEST(ValueDigest, quantiles_are_within_the_stated_error) {
  // Each order statistic is off by at most 1/256 of itself; all are positive, so that what is
  // interpolated between two is as well.
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const std::vector<double> values = sample(5000, seed);
    const Summary kept = summarize(values);
    const Summary digest = digest_of(values).summary();
    for (const auto member : {&Summary::median, &Summary::q10, &Summary::q90}) {
      EXPECT_NEAR(digest.*member, kept.*member, ValueDigest::kQuantileError * kept.*member);
    }
  }
}

TEST(ValueDigest, a_mean_of_equal_values_has_no_error) {
  const Summary summary = digest_of(std::vector<double>(1000, 0.1)).summary();
  EXPECT_EQ(summary.mean, 0.1);
  EXPECT_EQ(summary.se, 0.0);
  EXPECT_EQ(summary.median, 0.1);  // between minimum and maximum
}

TEST(ValueDigest, has_the_same_bits_for_any_order_and_any_split) {
  std::vector<double> values = sample(2000, 3);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = -values[i];
  const Summary whole = digest_of(values).summary();
  std::reverse(values.begin(), values.end());
  expect_same_bits(digest_of(values).summary(), whole);
  // Dealt out like cards over 7 parts, which are put together from the last to the first.
  std::vector<ValueDigest> parts(7);
  for (std::size_t i = 0; i < values.size(); ++i) parts[i % 7].add(values[i]);
  ValueDigest merged;
  for (std::size_t part = parts.size(); part-- > 0;) merged.add(parts[part]);
  EXPECT_EQ(merged.count(), values.size());
  expect_same_bits(merged.summary(), whole);
}

TEST(ValueDigest, zero_and_negative_values_keep_their_order) {
  const Summary summary = digest_of({-8, -4, -2, 0, 0, 0, 2, 4, 8, 16, 32}).summary();
  EXPECT_EQ(summary.median, 0);
  EXPECT_EQ(summary.min, -8);
  EXPECT_NEAR(summary.q10, -4, 4 * ValueDigest::kQuantileError);
  EXPECT_NEAR(summary.q90, 16, 16 * ValueDigest::kQuantileError);
}

TEST(ValueDigest, is_undefined_where_a_value_is) {
  const Summary summary = digest_of({1, kUndefined, 3}).summary();
  EXPECT_TRUE(std::isnan(summary.mean));
  EXPECT_TRUE(std::isnan(summary.median));
}

}  // namespace
}  // namespace duel
