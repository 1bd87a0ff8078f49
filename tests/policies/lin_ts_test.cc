#include "duel/policies/lin_ts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duel/core/turns.h"
#include "tests/policies/linear_twin.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature lin_ts_signature("lin-ts", 0x01dfc94a91f2bb88);

static_assert(Policy<LinTs>);

class LinTsTwin : public LinearTwin {
 public:
  LinTsTwin(const LinTsOptions& options, std::shared_ptr<const FeatureRows> rows)
      : LinearTwin(std::move(rows), options.ties), a_(options.a) {}
  Duel next(Round round, RoundRng rng) const {
    const Arm first = drawn_best(rng);
    const Arm second = drawn_best(rng);
    return {first, second, round};
  }

 private:
  // theta + a L^-T n by back substitution.
  Arm drawn_best(RoundRng& rng) const {
    const auto [h, mean] = curvature_and_theta();
    const std::size_t d = width();
    Vector l(d * d), draw(d);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = h[i * d + j];
        for (std::size_t k = 0; k < j; ++k) sum -= l[i * d + k] * l[j * d + k];
        l[i * d + j] = i == j ? std::sqrt(sum) : sum / l[j * d + j];
      }
    }
    for (double& value : draw) value = a_ * normal_by_turns(rng);
    for (std::size_t k = d; k-- > 0;) {
      for (std::size_t i = k + 1; i < d; ++i) draw[k] -= l[i * d + k] * draw[i];
      draw[k] /= l[k * d + k];
    }
    Arm best = 0;
    double largest = -HUGE_VAL;
    for (Arm arm = 0; arm < num_arms(); ++arm) {
      Vector utility = mean;
      for (std::size_t k = 0; k < d; ++k) utility[k] += draw[k];
      const double value = product(utility, row(arm));
      if (value > largest) {
        largest = value;
        best = arm;
      }
    }
    return best;
  }

  double a_;
};

TEST(LinTs, makes_the_choices_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::size_t num_arms = 1 + seed % 7;
    LinTsOptions options;
    options.features = random_rows(num_arms, 1 + seed % 4, seed);
    // Not 0: where nothing is known all arms would tie, and ties are drawn.
    options.a = 0.5 * static_cast<double>(1 + seed % 3);
    options.ties = static_cast<Ties>(seed % 3);
    // As many answers as are fitted one by one (parts/linear_utility.h).
    expect_same_choices_as_twin<LinTs>(
        options, num_arms, seed, 32,
        [](const auto& given, std::size_t, RoundRng) { return LinTsTwin(given, given.features); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

// a = 0 is greedy: the arm of the largest fitted utility by itself.
TEST(LinTs, without_spread_is_greedy) {
  LinTsOptions options;
  options.a = 0;
  options.features = std::make_shared<const FeatureRows>(1, std::vector<double>{1, 0, 0.5});
  const Stream stream(1, 0, Purpose::choice);
  LinTs policy(options, 3, stream.at(0));
  policy.observe({0, 1, 0, true}, Outcome::first_wins, stream.at(0));
  EXPECT_EQ(policy.select(1, stream.at(1)), (Duel{0, 0, 1}));
  EXPECT_EQ(policy.recommend(stream.at(1)), 0U);
}

// What is heard of two arms says something of a third: arm 2 has the features of arm 0.
TEST(LinTs, learns_across_arms) {
  LinTsOptions options;
  options.features = std::make_shared<const FeatureRows>(2, std::vector<double>{1, 0, 0, 1, 1, 0});
  const Stream stream(1, 0, Purpose::choice);
  LinTs policy(options, 3, stream.at(0));
  for (int n = 0; n < 200; ++n) {
    policy.observe({0, 1, 0, true}, Outcome::second_wins, stream.at(0));
  }
  for (Round t = 1; t <= 100; ++t) {
    EXPECT_EQ(policy.select(t, stream.at(t)), (Duel{1, 1, t}));
  }
}

// Contexts: the features of a duel are those of the moment when it went out.
TEST(LinTs, remembers_the_context_of_a_duel_that_is_out) {
  LinTsOptions options;
  options.features = std::make_shared<const FeatureRows>(1, std::vector<double>{1, 0});
  const Stream stream(1, 0, Purpose::choice);
  LinTs in_context(options, 2, stream.at(0)), swapped(options, 2, stream.at(0));
  const FeatureRows here(1, {1, 0}), elsewhere(1, {-5, 5});
  in_context.see(here);
  const Duel duel{0, 1, 1};
  in_context.issued(duel, stream.at(1));
  in_context.see(elsewhere);
  in_context.observe(duel, Outcome::first_wins, stream.at(1));
  swapped.observe({0, 1, 0, true}, Outcome::first_wins, stream.at(1));
  EXPECT_DOUBLE_EQ(in_context.utility().theta()[0], swapped.utility().theta()[0]);
  EXPECT_GT(in_context.utility().theta()[0], 0);
  EXPECT_EQ(in_context.recommend(stream.at(2)), 1U);  // in the context of now
}

}  // namespace
}  // namespace duel
