#include "duel/policies/lin_maxinp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

#include "tests/policies/linear_twin.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature lin_maxinp_signature("lin-maxinp", 0x7aa1c7437339764b);

static_assert(Policy<LinMaxInp>);
static_assert(JumpingPolicy<LinMaxInp>);

class MaxInpTwin : public WidthTwin {
 public:
  using WidthTwin::WidthTwin;
  Duel next(Round round, RoundRng) const {
    const double b = bound(round);
    const Vector fitted = theta();
    std::vector<Arm> left;
    for (Arm i = 0; i < num_arms(); ++i) {
      bool in = true;
      for (Arm j = 0; j < num_arms(); ++j) {
        const Vector z = difference(i, j);
        in = in && product(fitted, z) + b * length(z) >= 0;
      }
      if (in) left.push_back(i);
    }
    if (left.size() == 1) return {left[0], left[0], round};
    Duel best;
    double widest = -1;
    for (const Arm i : left) {
      for (const Arm j : left) {
        if (i < j && length(difference(i, j)) > widest) {
          widest = length(difference(i, j));
          best = {i, j, round};
        }
      }
    }
    return best;
  }
};

TEST(LinMaxInp, makes_the_choices_of_its_literal_twin) {
  expect_choices_of_width_twin<LinMaxInp, MaxInpTwin>();
}

// Rows 1 and 0, z = 1 three times, two wins: theta = .286548, |z| = 1/2 in V^-1. Arm 1 may be best
// iff b >= .5731.
TEST(LinMaxInp, follows_the_trace_worked_out_by_hand) {
  LinearWidthOptions options;
  options.features = std::make_shared<const FeatureRows>(1, std::vector<double>{1, 0});
  const Stream stream(1, 0, Purpose::choice);
  LinMaxInp policy(options, 2, stream.at(0));
  for (const bool won : {true, true, false}) {
    policy.observe({0, 1, 0, true}, won ? Outcome::first_wins : Outcome::second_wins, stream.at(0));
  }
  EXPECT_EQ(policy.choose(0.5730, 5, stream.at(5)), (Duel{0, 0, 5}));
  EXPECT_EQ(policy.choose(0.5732, 5, stream.at(5)), (Duel{0, 1, 5}));
  EXPECT_EQ(policy.choose(1, 5, stream.at(5)), (Duel{0, 1, 5}));
  // b = sqrt(ln(t + 1)) reaches .5731 at t = e^.3284 - 1 < 1: round 1 already.
  EXPECT_EQ(policy.select(1, stream.at(1)), (Duel{0, 1, 1}));
}

// Pairs that are out count as asked: a batch is not one pair.
TEST(LinMaxInp, asks_different_pairs_in_a_batch) {
  LinearWidthOptions options;
  options.features = random_rows(6, 4, 2);
  const Stream stream(1, 0, Purpose::choice);
  LinMaxInp policy(options, 6, stream.at(0));
  std::set<std::pair<Arm, Arm>> pairs;
  for (Round t = 1; t <= 15; ++t) {
    const Duel duel = policy.take(t, stream.at(t));
    pairs.insert({duel.first, duel.second});
  }
  EXPECT_GE(pairs.size(), 7U);
}

// A duel that was lost leaves the spread as if it had not gone out.
TEST(LinMaxInp, forgets_a_duel_that_was_lost) {
  LinearWidthOptions options;
  options.features = random_rows(5, 3, 2);
  const Stream stream(1, 0, Purpose::choice);
  LinMaxInp policy(options, 5, stream.at(0)), fresh(options, 5, stream.at(0));
  for (Round t = 1; t <= 20; ++t) {
    policy.observe(policy.take(t, stream.at(t)), Outcome::none, stream.at(t));
  }
  EXPECT_EQ(policy.select(21, stream.at(21)), fresh.select(21, stream.at(21)));
}

}  // namespace
}  // namespace duel
