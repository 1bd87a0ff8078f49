#include "duel/policies/parts/linear_utility.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "duel/core/archive.h"
#include "duel/core/rng.h"

namespace duel {
namespace {

using Vector = std::vector<double>;

// One feature, z = 1 three times, two wins: 1/(1 + e^-theta) * 3 + theta = 2.
TEST(LinearUtility, is_the_fit_worked_out_by_hand) {
  LinearUtility utility(1, false);
  for (const double y : {1.0, 1.0, 0.0}) {
    utility.went_out(Vector{1});
    utility.hear(7, Vector{1}, y);
  }
  EXPECT_NEAR(utility.theta()[0], 0.286548, 5e-7);
  EXPECT_DOUBLE_EQ(utility.spread_times(Vector{1})[0], 0.25);
  utility.was_lost(Vector{1});
  EXPECT_NEAR(utility.spread_times(Vector{1})[0], 1.0 / 3, 1e-12);
}

// From 0: the gradient is -1/2 and the curvature 1 + 3/4, 2/7; the second step is within 1e-6.
TEST(LinearUtility, takes_newtons_steps) {
  LinearUtility utility(1, true);
  utility.hear(LinearUtility::kNoPair, Vector{1}, 1);
  // A Kalman step from 0 with H = 1 + 1/4.
  EXPECT_DOUBLE_EQ(utility.theta()[0], 0.5 / 1.25);
}

std::vector<Vector> random_differences(std::size_t count, std::size_t d, std::uint64_t seed) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "differences").at(1);
  std::vector<Vector> all(count, Vector(d));
  for (Vector& z : all) {
    for (double& value : z) value = rng.normal();
  }
  return all;
}

// The gradient vanishes after as many answers as make a fit, and is small between two of them.
TEST(LinearUtility, minimises_the_penalised_loss) {
  const Vector truth = {1, -0.5, 0.25, 0};
  LinearUtility utility(4, false);
  const auto differences = random_differences(30, 4, 3);
  RoundRng rng = Stream(5, 0, Purpose::test, "answers").at(1);
  Vector won(30), asked(30);
  double largest = 0;
  for (int n = 1; n <= 3000; ++n) {
    const std::size_t pair = rng.below(30);
    double x = 0;
    for (std::size_t k = 0; k < 4; ++k) x += truth[k] * differences[pair][k];
    const double y = rng.bernoulli(1 / (1 + std::exp(-x))) ? 1 : 0;
    utility.hear(pair, differences[pair], y);
    won[pair] += y;
    asked[pair] += 1;
    double square = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      double gradient = utility.theta()[k];
      for (std::size_t s = 0; s < 30; ++s) {
        double z = 0;
        for (std::size_t l = 0; l < 4; ++l) z += utility.theta()[l] * differences[s][l];
        gradient -= (won[s] - asked[s] / (1 + std::exp(-z))) * differences[s][k];
      }
      square += gradient * gradient;
    }
    if (n <= 32) {
      ASSERT_LT(std::sqrt(square), 1e-8 * (1 + n)) << n;
    }
    largest = std::max(largest, std::sqrt(square));
  }
  EXPECT_LT(largest, 1.0);  // one answer's gradient is |z|, 2 here
  utility.fit();
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(utility.theta()[k], truth[k], 0.25);
}

// Online steps come near the same without keeping anything.
TEST(LinearUtility, online_comes_near) {
  LinearUtility online(3, true), fitted(3, false);
  const Vector truth = {0.8, -0.3, 0.5};
  RoundRng rng = Stream(6, 0, Purpose::test, "answers").at(1);
  for (const Vector& z : random_differences(1000, 3, 8)) {
    double x = 0;
    for (std::size_t k = 0; k < 3; ++k) x += truth[k] * z[k];
    const double y = rng.bernoulli(1 / (1 + std::exp(-x))) ? 1 : 0;
    online.hear(LinearUtility::kNoPair, z, y);
    fitted.hear(LinearUtility::kNoPair, z, y);
  }
  fitted.fit();
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(online.theta()[k], fitted.theta()[k], 0.05);
}

// Through more changes of V than go without an inversion, and back.
TEST(LinearUtility, keeps_the_inverse_of_the_spread) {
  LinearUtility utility(3, false);
  const auto differences = random_differences(2000, 3, 4);
  Vector v = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (std::size_t n = 0; n < 2000; ++n) {
    utility.went_out(differences[n]);
    if (n % 2 == 0) {
      utility.was_lost(differences[n]);
      continue;
    }
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) v[a * 3 + b] += differences[n][a] * differences[n][b];
    }
  }
  const Vector x = {0.3, -1, 2};
  const Vector y = utility.spread_times(x);
  for (std::size_t a = 0; a < 3; ++a) {
    double back = 0;
    for (std::size_t b = 0; b < 3; ++b) back += v[a * 3 + b] * y[b];
    EXPECT_NEAR(back, x[a], 1e-10);
  }
}

// The mean square of a . (draw - theta) is a . H^-1 a: here H = 1 + 1/4.
TEST(LinearUtility, draws_have_the_posteriors_spread) {
  LinearUtility utility(1, false);
  utility.hear(1, Vector{1}, 0.5);
  const Stream stream(3, 0, Purpose::test);
  double sum = 0, squares = 0;
  constexpr int n = 20'000;
  for (int k = 0; k < n; ++k) {
    RoundRng rng = stream.at(k);
    const double draw = utility.drawn(2, rng)[0];
    sum += draw;
    squares += draw * draw;
  }
  const double variance = 4 / 1.25;
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(variance / n));
  EXPECT_NEAR(squares / n, variance, 5 * variance * std::sqrt(2.0 / n));
}

}  // namespace
}  // namespace duel
