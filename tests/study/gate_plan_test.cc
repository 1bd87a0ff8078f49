// How many answers a gate takes.
#include "duel/study/gate_plan.h"

#include <gtest/gtest.h>

namespace duel {
namespace {

TEST(GatePlan, has_the_exact_medians) {
  // 147 with 80 % ties. The standard error of a median of 400 is below 8.5 % (200: 12 %, see
  // tests/inference/gate_test.cc); the bound is four of them.
  const auto plan = plan_of_gate({.rule = {}, .tie_rate = 0.8, .trials = 400});
  ASSERT_TRUE(plan.ok()) << plan.error().to_string();
  EXPECT_NEAR(static_cast<double>(plan->no_difference.p50), 147, 4 * 0.085 * 147);
  EXPECT_LE(plan->no_difference.p10, plan->no_difference.p50);
  EXPECT_LE(plan->no_difference.p50, plan->no_difference.p90);
  EXPECT_EQ(plan->no_difference.passed + plan->no_difference.failed + plan->no_difference.undecided,
            400U);
  // At the margin it passes with probability at most alpha: 20 of 400, and four standard errors.
  EXPECT_DOUBLE_EQ(plan->at_the_margin.mean_score, 0.45);
  EXPECT_LE(plan->at_the_margin.passed, 20U + 18U);
  EXPECT_GT(plan->at_the_margin.failed, 200U);
}

TEST(GatePlan, refuses_ties_that_leave_no_room_for_the_margin) {
  const auto plan = plan_of_gate({.rule = {.margin = 0.2}, .tie_rate = 0.7});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().field, "tie_rate");
  EXPECT_EQ(plan_of_gate({.rule = {.margin = 0.5}}).error().field, "margin");
}

}  // namespace
}  // namespace duel
