#include "duel/policies/colstim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/policies/linear_twin.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature colstim_signature("colstim", 0x288a5e52066017a9);

static_assert(Policy<Colstim>);

class ColstimTwin : public LinearTwin {
 public:
  explicit ColstimTwin(const ColstimOptions& options)
      : LinearTwin(options.features, options.ties), options_(options) {}
  Duel next(Round round, RoundRng rng) const {
    const auto d = static_cast<double>(width()), t = static_cast<double>(round);
    const double b = std::sqrt(d * std::log(t + 1));
    const double p = std::min(1.0, d * std::log(d * t) / std::sqrt(t));
    const bool independent = rng.uniform() < p || !options_.coupling;
    const auto noise = [&] { return std::clamp(-std::log(-std::log(rng.uniform_open())), -b, b); };
    const double common = noise();
    const Vector fitted = theta();
    Arm first = 0, second = 0;
    double largest = -HUGE_VAL;
    for (Arm k = 0; k < num_arms(); ++k) {
      const double value =
          product(fitted, row(k)) + (independent ? noise() : common) * length(row(k));
      if (value > largest) {
        largest = value;
        first = k;
      }
    }
    largest = -HUGE_VAL;
    for (Arm k = 0; k < num_arms(); ++k) {
      const Vector z = difference(k, first);
      const double value = k == first ? (options_.exclude_self ? -1e300 : 0.0)
                                      : product(fitted, z) + options_.width * b * length(z);
      if (value > largest) {
        largest = value;
        second = k;
      }
    }
    return {first, second, round};
  }

 private:
  ColstimOptions options_;
};

TEST(Colstim, makes_the_choices_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::size_t num_arms = 1 + seed % 7;
    ColstimOptions options;
    options.features = random_rows(num_arms, 1 + seed % 4, seed);
    options.width = 0.1 * static_cast<double>(1 + seed % 10);
    options.coupling = seed % 3 != 0;
    options.exclude_self = seed % 4 == 0;
    options.ties = static_cast<Ties>(seed % 3);
    expect_same_choices_as_twin<Colstim>(
        options, num_arms, seed, 32,
        [](const auto& given, std::size_t, RoundRng) { return ColstimTwin(given); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

// d = 5, T = 10^4: p_t = 5 ln(5 10^4)/sqrt(t) is 1 up to t = 2926.
TEST(Colstim, disturbs_arms_alone_with_the_probability_worked_out_by_hand) {
  EXPECT_EQ(Colstim::disturbed_alone(5, 2926, 10'000), 1);
  EXPECT_LT(Colstim::disturbed_alone(5, 2927, 10'000), 1);
  EXPECT_NEAR(Colstim::disturbed_alone(5, 10'000, 10'000), 0.541, 5e-4);
}

// b = sqrt(5 ln 10^4) = 6.786; here ln(t + 1).
TEST(Colstim, never_meets_itself_where_that_is_excluded) {
  ColstimOptions options;
  options.features = random_rows(4, 3, 1);
  options.exclude_self = true;
  const Stream stream(1, 0, Purpose::choice);
  Colstim policy(options, 4, stream.at(0));
  for (Round t = 1; t <= 500; ++t) {
    const Duel duel = policy.take(t, stream.at(t));
    ASSERT_FALSE(duel.is_self());
    policy.observe(duel, duel.first < duel.second ? Outcome::first_wins : Outcome::second_wins,
                   stream.at(t));
  }
}

}  // namespace
}  // namespace duel
