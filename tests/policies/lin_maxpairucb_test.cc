#include "duel/policies/lin_maxpairucb.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/policies/linear_twin.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature lin_maxpairucb_signature("lin-maxpairucb", 0x0b76647da643f164);

static_assert(Policy<LinMaxPairUcb>);
static_assert(JumpingPolicy<LinMaxPairUcb>);

class MaxPairUcbTwin : public LinearTwin {
 public:
  explicit MaxPairUcbTwin(const LinearWidthOptions& options)
      : LinearTwin(options.features, options.ties), width_(options.width) {}
  Duel next(Round round, RoundRng) const {
    const double b =
        width_ * std::sqrt(static_cast<double>(width()) * std::log(static_cast<double>(round) + 1));
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

 private:
  double width_;
};

TEST(LinMaxPairUcb, makes_the_choices_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::size_t num_arms = 1 + seed % 7;
    LinearWidthOptions options;
    options.features = random_rows(num_arms, 1 + seed % 4, seed);
    options.width = seed % 5 == 0 ? 1 : 0.05 * static_cast<double>(seed % 5);
    options.ties = static_cast<Ties>(seed % 3);
    expect_same_choices_as_twin<LinMaxPairUcb>(
        options, num_arms, seed, 32,
        [](const auto& given, std::size_t, RoundRng) { return MaxPairUcbTwin(given); });
    if (testing::Test::HasFatalFailure()) return;
  }
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
