#include "duel/core/checkpoints.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "duel/core/check.h"

namespace duel {
namespace {

using Rounds = std::vector<Round>;

TEST(Checkpoints, are_one_two_five_per_decade_and_the_end) {
  EXPECT_EQ(log_checkpoints(1), (Rounds{1}));
  EXPECT_EQ(log_checkpoints(2), (Rounds{1, 2}));
  EXPECT_EQ(log_checkpoints(100), (Rounds{1, 2, 5, 10, 20, 50, 100}));
  EXPECT_EQ(log_checkpoints(300), (Rounds{1, 2, 5, 10, 20, 50, 100, 200, 300}));
  EXPECT_EQ(log_checkpoints(500), (Rounds{1, 2, 5, 10, 20, 50, 100, 200, 500}));
  EXPECT_EQ(log_checkpoints(kMaxRounds).size(), 3U * 18 + 1);
  EXPECT_THROW(log_checkpoints(0), CheckFailure);
}

TEST(Checkpoints, that_are_given_are_put_in_order_and_end_with_the_final_round) {
  EXPECT_EQ(*complete_checkpoints(Rounds{100, 10, 100}, 1000), (Rounds{10, 100, 1000}));
  EXPECT_EQ(*complete_checkpoints(Rounds{1000}, 1000), (Rounds{1000}));
  EXPECT_EQ(*complete_checkpoints({}, 10), (Rounds{1, 2, 5, 10}));
}

TEST(Checkpoints, outside_the_run_are_refused) {
  const auto late = complete_checkpoints(Rounds{10, 1001}, 1000);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().to_string(),
            "checkpoint 1001 lies outside the run of 1000 rounds (1 .. 1000)");
  EXPECT_FALSE(complete_checkpoints(Rounds{0}, 1000).ok());
}

RC_GTEST_PROP(Checkpoints, ascend_strictly_and_end_at_the_final_round, ()) {
  const Round rounds = *rc::gen::inRange<Round>(1, 1'000'000'000'000);
  const Rounds checkpoints = log_checkpoints(rounds);
  RC_ASSERT(checkpoints.front() == 1U);
  RC_ASSERT(checkpoints.back() == rounds);
  RC_ASSERT(std::adjacent_find(checkpoints.begin(), checkpoints.end(), std::greater_equal<>()) ==
            checkpoints.end());
}

}  // namespace
}  // namespace duel
