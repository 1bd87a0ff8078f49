#include "duel/policies/multi_rucb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature multi_rucb_signature("multi-rucb", 0xf14809a8defc1b88);

static_assert(Policy<MultiRucb>);
static_assert(JumpingPolicy<MultiRucb>);

TEST(MultiRucb, jumps_to_the_very_round_in_which_another_arm_is_shown) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::size_t num_arms = 1 + seed % 7;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    MultiRucbOptions options;
    options.beta = 1 + 0.25 * static_cast<double>(seed % 3);
    const auto stepped = record_trial<MultiRucb>(options, matrix, seed, 0, 3000, false);
    const auto jumped = record_trial<MultiRucb>(options, matrix, seed, 0, 3000, true);
    ASSERT_EQ(jumped.pairs, stepped.pairs) << seed;
  }
}

MultiRucb told(const MultiRucbOptions& options, std::size_t num_arms,
               const std::vector<std::vector<int>>& wins) {
  const Stream stream(1, 0, Purpose::answer);
  MultiRucb policy(options, num_arms, stream.at(0));
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = 0; j < num_arms; ++j) {
      for (int n = 0; n < wins[i][j]; ++n) {
        policy.observe({i, j, 0, true}, Outcome::first_wins, stream.at(0));
      }
    }
  }
  return policy;
}

TEST(MultiRucb, shows_all_arms_at_first) {
  const Stream stream(1, 0, Purpose::choice);
  MultiRucb policy({}, 7, stream.at(0));
  EXPECT_EQ(policy.select_set(1, 20, stream.at(1)), (std::vector<Arm>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(policy.select_set(1, 4, stream.at(1)).size(), 4U);
  MultiRucbOptions three;
  three.max = 3;
  EXPECT_EQ(MultiRucb(three, 7, stream.at(0)).select_set(1, 20, stream.at(1)).size(), 3U);
}

// Arm 0 has beaten both others 20 times of 20, arm 1 arm 2 10 times of 20. Arm 1 against 0: radius
// sqrt(.51 ln t/20) reaches 1/2 at ln t = 9.80, that of F, with 1.5 times alpha, at 6.54.
TEST(MultiRucb, shows_the_bounds_worked_out_by_hand) {
  const MultiRucb policy = told({}, 3, {{0, 20, 20}, {0, 0, 10}, {0, 10, 0}});
  const Stream stream(1, 0, Purpose::choice);
  const auto round = [](double log) { return static_cast<Round>(std::exp(log)); };
  EXPECT_EQ(policy.select_set(round(9.79), 5, stream.at(1)), (std::vector<Arm>{0}));
  EXPECT_EQ(policy.select_set(round(9.82), 5, stream.at(1)), (std::vector<Arm>{0, 1, 2}));
  EXPECT_EQ(policy.possible(0.51 * 1.5, round(6.52)), (std::vector<Arm>{0}));
  EXPECT_EQ(policy.possible(0.51 * 1.5, round(6.56)), (std::vector<Arm>{0, 1, 2}));
  EXPECT_EQ(policy.recommend(stream.at(2)), 0U);
  const Jump jump = policy.jump(100, 1'000'000, stream.at(3));
  EXPECT_NEAR(std::log(static_cast<double>(jump.idle_until)), 20 * 0.25 / 0.51, 1e-3);
}

// Beyond `max` those of the fewest duels are shown.
TEST(MultiRucb, shows_those_of_the_fewest_duels_where_too_many_may_be_best) {
  MultiRucbOptions options;
  options.max = 2;
  const MultiRucb policy =
      told(options, 4, {{0, 5, 1, 0}, {5, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}});
  const Stream stream(1, 0, Purpose::choice);
  EXPECT_EQ(policy.select_set(1000, 9, stream.at(1)), (std::vector<Arm>{2, 3}));
}

TEST(MultiRucb, asks_any_two_of_the_set_where_only_two_can_be_shown) {
  const Stream stream(1, 0, Purpose::choice);
  MultiRucb policy({}, 4, stream.at(0));
  std::vector<int> shown(4);
  for (Round t = 1; t <= 4000; ++t) {
    const Duel duel = policy.select(t, stream.at(t));
    ASSERT_NE(duel.first, duel.second);
    ++shown[duel.first];
    ++shown[duel.second];
  }
  for (const int n : shown) EXPECT_NEAR(n, 2000, 5 * std::sqrt(4000 * 0.25));
}

}  // namespace
}  // namespace duel
