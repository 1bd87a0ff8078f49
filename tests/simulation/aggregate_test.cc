#include "duel/simulation/aggregate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "duel/core/check.h"

namespace duel {
namespace {

TEST(Aggregate, summarizes_five_values_worked_out_by_hand) {
  // Mean 30/5 = 6; squared deviations 25 + 16 + 1 + 4 + 64 = 110, sd^2 = 110/4, se = sqrt(110/20).
  const std::vector<double> values = {14, 1, 5, 2, 8};
  const Summary summary = summarize(values);
  EXPECT_DOUBLE_EQ(summary.mean, 6);
  EXPECT_DOUBLE_EQ(summary.se, std::sqrt(5.5));
  EXPECT_DOUBLE_EQ(summary.median, 5);
  EXPECT_DOUBLE_EQ(summary.q10, 1.4);   // h = 0.4: 1 + 0.4 (2 - 1)
  EXPECT_DOUBLE_EQ(summary.q90, 11.6);  // h = 3.6: 8 + 0.6 (14 - 8)
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 14);
}

TEST(Aggregate, has_no_standard_error_for_a_single_trial) {
  const std::vector<double> values = {3};
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.mean, 3);
  EXPECT_TRUE(std::isnan(summary.se));
  EXPECT_EQ(summary.median, 3);
  EXPECT_EQ(summary.q10, 3);
  EXPECT_EQ(summary.q90, 3);
  EXPECT_TRUE(std::isnan(share_standard_error(1, 1)));
}

TEST(Aggregate, has_no_summary_of_nothing) { EXPECT_THROW(summarize({}), CheckFailure); }

TEST(Aggregate, interpolates_quantiles_as_type_7) {
  const std::vector<double> values = {0, 10, 20, 100};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 15);
  EXPECT_DOUBLE_EQ(quantile(values, 0.75), 40);  // h = 2.25: 20 + 0.25 * 80
  EXPECT_DOUBLE_EQ(quantile(values, 1), 100);
}

TEST(Aggregate, sums_what_plain_addition_would_lose) {
  const std::vector<double> values = {1e16, 1, 1, 1, 1, -1e16};
  EXPECT_EQ(compensated_sum(values), 4);
}

TEST(Aggregate, gives_a_share_the_standard_error_of_its_zeros_and_ones) {
  const std::vector<double> values = {1, 0, 1, 1, 0, 1, 1};
  EXPECT_NEAR(share_standard_error(5, 7), standard_error(values, mean(values)), 1e-15);
  EXPECT_EQ(share_standard_error(7, 7), 0);
}

RC_GTEST_PROP(Aggregate, keeps_its_numbers_in_order, (const std::vector<double>& values)) {
  RC_PRE(!values.empty());
  for (const double value : values) RC_PRE(std::fabs(value) < 1e100);
  const Summary s = summarize(values);
  RC_ASSERT(s.min <= s.q10 && s.q10 <= s.median && s.median <= s.q90 && s.q90 <= s.max);
  RC_ASSERT(s.min <= s.mean && s.mean <= s.max);
  RC_ASSERT(values.size() == 1 || s.se >= 0);
}

RC_GTEST_PROP(Aggregate, finds_the_spread_of_equal_values_to_be_zero, (double value)) {
  RC_PRE(std::fabs(value) < 1e100);
  const Summary s = summarize(std::vector<double>(7, value));
  RC_ASSERT(s.mean == value);
  RC_ASSERT(s.se == 0);
}

}  // namespace
}  // namespace duel
