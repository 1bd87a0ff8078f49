#include "duel/policies/lin_maxpairucb.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/policies/linear_twin.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature lin_maxpairucb_signature("lin-maxpairucb", 0x0b76647da643f164);

static_assert(Policy<LinMaxPairUcb>);
static_assert(JumpingPolicy<LinMaxPairUcb>);

class MaxPairUcbTwin : public WidthTwin {
 public:
  using WidthTwin::WidthTwin;
  Duel next(Round round, RoundRng) const {
    const double b = bound(round);
    const Vector fitted = theta();
    Duel best;
    double largest = -HUGE_VAL;
    for (Arm i = 0; i < num_arms(); ++i) {
      for (Arm j = i; j < num_arms(); ++j) {
        const double value = product(fitted, row(i)) + product(fitted, row(j)) +
                             (i == j ? 0 : b * length(difference(i, j)));
        if (value > largest) {
          largest = value;
          best = {i, j, round};
        }
      }
    }
    return best;
  }
};

TEST(LinMaxPairUcb, makes_the_choices_of_its_literal_twin) {
  expect_choices_of_width_twin<LinMaxPairUcb, MaxPairUcbTwin>();
}

// Rows 1 and 0, theta = .286548 and |z| = 1/2: (1,1) is worth .5731, (1,2) .7865 at b = 1, (2,2) 0.
TEST(LinMaxPairUcb, follows_the_trace_worked_out_by_hand) {
  LinearWidthOptions options;
  options.features = std::make_shared<const FeatureRows>(1, std::vector<double>{1, 0});
  const Stream stream(1, 0, Purpose::choice);
  LinMaxPairUcb policy(options, 2, stream.at(0));
  for (const bool won : {true, true, false}) {
    policy.observe({0, 1, 0, true}, won ? Outcome::first_wins : Outcome::second_wins, stream.at(0));
  }
  EXPECT_EQ(policy.choose(1, 5, stream.at(5)), (Duel{0, 1, 5}));
  EXPECT_EQ(policy.choose(0.5730, 5, stream.at(5)), (Duel{0, 0, 5}));
  EXPECT_EQ(policy.choose(0.5732, 5, stream.at(5)), (Duel{0, 1, 5}));
}

}  // namespace
}  // namespace duel
