#include "duel/inference/position_bias.h"

#include <gtest/gtest.h>

#include <cmath>

namespace duel {
namespace {

TEST(PositionBias, is_found_where_it_is_and_not_where_it_is_not) {
  const PositionBias none = estimate_position_bias(512, 488, 0.05);
  EXPECT_FALSE(none.found());
  EXPECT_DOUBLE_EQ(none.share, 0.512);
  const PositionBias some = estimate_position_bias(600, 400, 0.05);
  EXPECT_TRUE(some.found());
  EXPECT_GT(some.log_evidence, std::log(20.0));
  EXPECT_TRUE(some.interval.contains(0.6));
  EXPECT_EQ(estimate_position_bias(0, 0, 0.05).share, 0.5);
}

}  // namespace
}  // namespace duel
