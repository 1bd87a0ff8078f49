#include "duel/policies/uniform.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature uniform_signature("uniform", 0x2245d08b41bf959e);

TEST(Uniform, plays_every_ordered_pair_equally_often) {
  const std::size_t num_arms = 5;
  const int n = 200000;
  const Stream stream(3, 0, Purpose::choice);
  const Uniform policy({}, num_arms, stream.at(0));
  std::vector<int> plays(num_arms * num_arms);
  for (Round t = 1; t <= static_cast<Round>(n); ++t) {
    const Duel duel = policy.select(t, stream.at(t));
    ++plays[duel.first * num_arms + duel.second];
  }
  const double p = 1.0 / 20;
  const double se = std::sqrt(p * (1 - p) / n);
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = 0; j < num_arms; ++j) {
      EXPECT_NEAR(static_cast<double>(plays[i * num_arms + j]) / n, i == j ? 0 : p, 5 * se);
    }
  }
}

TEST(Uniform, plays_a_single_arm_against_itself) {
  const Stream stream(3, 0, Purpose::choice);
  const Uniform policy({}, 1, stream.at(0));
  EXPECT_EQ(policy.select(1, stream.at(1)), (Duel{0, 0, 1}));
}

}  // namespace
}  // namespace duel
