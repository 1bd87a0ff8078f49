#include "duel/core/radius.h"

#include <gtest/gtest.h>

#include <cmath>

namespace duel {
namespace {

TEST(Radius, root_radius_is_the_root_of_spread_times_log_over_n) {
  // 4 * 9 / 16 = 2.25.
  EXPECT_EQ(root_radius(4, 9, 16), 1.5);
  EXPECT_EQ(root_radius(1, 9, 36), 0.5);
  // 5.991464547 / 24 = 0.249644356, whose root is 0.499644230.
  EXPECT_NEAR(root_radius(1, std::log(400.0), 24), 0.499644230, 1e-9);
}

TEST(Radius, hoeffding_radius_is_the_root_of_log_over_twice_n) {
  EXPECT_EQ(hoeffding_radius(9, 2), 1.5);
  // exp(-2 n c^2) = exp(-log_term): with log_term = ln 20, n = 50 the radius is 0.17308.
  EXPECT_NEAR(hoeffding_radius(std::log(20.0), 50), 0.17308183826, 1e-10);
  EXPECT_NEAR(std::exp(-2 * 50 * std::pow(hoeffding_radius(std::log(20.0), 50), 2)), 0.05, 1e-12);
}

TEST(Radius, radii_shrink_with_more_answers) {
  for (double n = 1; n < 1000; ++n) {
    EXPECT_GT(hoeffding_radius(7, n), hoeffding_radius(7, n + 1));
    EXPECT_GT(root_radius(4, 7, n), root_radius(4, 7, n + 1));
  }
}

}  // namespace
}  // namespace duel
