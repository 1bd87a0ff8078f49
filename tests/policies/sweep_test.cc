#include "duel/policies/parts/sweep.h"

#include <gtest/gtest.h>

#include <set>

namespace duel {
namespace {

class SweepOverFive : public testing::Test {
 protected:
  int ask() {
    const auto alive = [this](int item) { return !dead_.contains(item); };
    const auto place = sweep_.next(alive);
    sweep_.asked(place, alive);
    return place.item;
  }

  std::set<int> dead_;
  Sweep<int> sweep_{{0, 1, 2, 3, 4}};
};

TEST_F(SweepOverFive, asks_each_once_per_sweep_in_order) {
  for (int sweep = 0; sweep < 3; ++sweep) {
    EXPECT_EQ(sweep_.sweeps(), static_cast<std::uint64_t>(sweep));
    for (int item = 0; item < 5; ++item) EXPECT_EQ(ask(), item);
    EXPECT_EQ(sweep_.position(), 0U);
  }
}

TEST_F(SweepOverFive, passes_the_dead_and_forgets_them_at_the_end) {
  EXPECT_EQ(ask(), 0);
  dead_ = {0, 1, 3};
  EXPECT_EQ(ask(), 2);
  EXPECT_EQ(ask(), 4);
  EXPECT_EQ(sweep_.items(), (std::vector<int>{2, 4}));
  EXPECT_EQ(ask(), 2);
  EXPECT_EQ(ask(), 4);
  EXPECT_EQ(sweep_.sweeps(), 2U);
}

TEST_F(SweepOverFive, starts_anew_when_the_rest_of_the_sweep_is_dead) {
  for (int item = 0; item < 3; ++item) EXPECT_EQ(ask(), item);
  dead_ = {0, 3, 4};
  EXPECT_EQ(ask(), 1);
  EXPECT_EQ(sweep_.sweeps(), 1U);
  EXPECT_EQ(sweep_.position(), 1U);
  EXPECT_EQ(ask(), 2);
  EXPECT_EQ(sweep_.sweeps(), 2U);
  dead_.insert(1);
  EXPECT_EQ(ask(), 2);
  EXPECT_EQ(ask(), 2);
}

TEST_F(SweepOverFive, asks_what_was_lost_before_it_goes_on) {
  EXPECT_EQ(ask(), 0);
  EXPECT_EQ(ask(), 1);
  sweep_.ask_again(0);
  EXPECT_FALSE(sweep_.none_lost());
  EXPECT_EQ(ask(), 0);
  EXPECT_TRUE(sweep_.none_lost());
  EXPECT_EQ(ask(), 2);
  sweep_.ask_again(1);
  sweep_.ask_again(2);
  dead_ = {2};
  EXPECT_EQ(ask(), 1);
  EXPECT_EQ(ask(), 3);
}

TEST_F(SweepOverFive, forgetting_the_dead_in_mid_sweep_keeps_the_place) {
  for (int item = 0; item < 3; ++item) EXPECT_EQ(ask(), item);
  dead_ = {1, 3};
  sweep_.forget_dead([this](int item) { return !dead_.contains(item); });
  EXPECT_EQ(sweep_.position(), 2U);
  EXPECT_EQ(ask(), 4);
  EXPECT_EQ(sweep_.sweeps(), 1U);
  EXPECT_EQ(ask(), 0);
  dead_.insert({2, 4});
  sweep_.forget_dead([this](int item) { return !dead_.contains(item); });
  EXPECT_EQ(sweep_.sweeps(), 2U);  // nothing of the second sweep is left to ask
  EXPECT_EQ(ask(), 0);
}

TEST(Sweep, nonsense_after_a_restore_is_seen) {
  const auto allowed = [](int item) { return item < 5; };
  EXPECT_TRUE(Sweep<int>({0, 2, 4}).restored(allowed));
  EXPECT_TRUE(Sweep<int>(std::vector<int>{}).restored(allowed));
  EXPECT_FALSE(Sweep<int>({0, 2, 5}).restored(allowed));
  EXPECT_FALSE(Sweep<int>({0, 2, 2}).restored(allowed));
  EXPECT_FALSE(Sweep<int>({2, 1}).restored(allowed));
}

}  // namespace
}  // namespace duel
