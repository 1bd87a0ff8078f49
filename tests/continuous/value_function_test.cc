#include "duel/continuous/value_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "duel/continuous/direction.h"
#include "duel/continuous/link.h"
#include "duel/core/vectors.h"

namespace duel {
namespace {

constexpr ValueFunction kAll[] = {ValueFunction::v1, ValueFunction::v2, ValueFunction::v3,
                                  ValueFunction::v4, ValueFunction::v5};

// The formulas of the paper, coordinate by coordinate, i from 1.
double literal(ValueFunction value, const std::vector<double>& w) {
  double sum = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    const std::size_t i = k + 1;
    const double x = w[k];
    const double v3 = i % 2 == 1 ? x * x : std::fabs(x);
    if (value == ValueFunction::v1) sum -= x * x;
    if (value == ValueFunction::v2) sum -= std::fabs(x);
    if (value == ValueFunction::v3) sum -= v3;
    if (value == ValueFunction::v4) sum -= std::exp(x) + std::exp(-x);
    if (value == ValueFunction::v5) {
      sum -= v3;
      if (i % 3 == 1) sum -= std::exp(std::max(x, 0.0));
      if (i % 3 == 2) sum -= std::exp(std::max(-x, 0.0));
    }
  }
  return sum;
}

std::vector<double> random_point(std::size_t dimension, Round round) {
  RoundRng rng = Stream(21, 0, Purpose::test).at(round);
  Xoshiro words(rng);
  std::vector<double> w(dimension);
  draw_normals(words, w);
  return w;
}

TEST(ValueFunction, has_the_values_of_the_formulas) {
  // By hand at (2, -3, 1): 4+9+1; 2+3+1; 4+3+1; v5 adds e^2 (i=1) and e^3 (i=2).
  const std::vector<double> w = {2, -3, 1};
  EXPECT_EQ(value_at(ValueFunction::v1, w), -14);
  EXPECT_EQ(value_at(ValueFunction::v2, w), -6);
  EXPECT_EQ(value_at(ValueFunction::v3, w), -8);
  EXPECT_NEAR(value_at(ValueFunction::v5, w), -8 - std::exp(2) - std::exp(3), 1e-13);
  for (const ValueFunction value : kAll) {
    for (std::size_t d = 1; d <= 53; ++d) {
      const std::vector<double> x = random_point(d, d);
      const double expected = literal(value, x);
      EXPECT_NEAR(value_at(value, x), expected, 1e-13 * std::fabs(expected))
          << value_name(value) << " d = " << d;
    }
  }
}

TEST(ValueFunction, is_concave_and_largest_at_the_origin) {
  for (const ValueFunction value : kAll) {
    for (const std::size_t d : {1, 2, 3, 50}) {
      const std::vector<double> origin(d, 0.0);
      EXPECT_EQ(value_at(value, origin), largest_value(value, d)) << value_name(value) << " " << d;
      for (Round round = 0; round < 50; ++round) {
        const std::vector<double> a = random_point(d, 100 + round),
                                  b = random_point(d, 200 + round);
        std::vector<double> middle(d);
        for (std::size_t k = 0; k < d; ++k) middle[k] = 0.5 * (a[k] + b[k]);
        EXPECT_LT(value_at(value, a), largest_value(value, d));
        EXPECT_GE(value_at(value, middle) + 1e-12, 0.5 * (value_at(value, a) + value_at(value, b)));
      }
    }
  }
}

// Coordinates in pairs and the last one alone take different paths to the same exponential.
TEST(ValueFunction, sums_exponentials_of_one_bit_pattern) {
  for (double x = 0; x < 700; x = 1.1 * x + 0.003) {
    const double one = value_at(ValueFunction::v4, std::vector<double>{x});
    EXPECT_EQ(value_at(ValueFunction::v4, std::vector<double>{x, -x}), 2 * one) << x;
  }
}

TEST(ValueFunction, stays_finite_far_out) {
  const std::vector<double> far(50, -1e5);
  for (const ValueFunction value : kAll) EXPECT_TRUE(std::isfinite(value_at(value, far)));
}

TEST(Link, is_symmetric_rising_and_bends_once) {
  for (const Link link : {Link::logistic, Link::probit, Link::linear}) {
    EXPECT_EQ(win_probability(link, 0), 0.5);
    EXPECT_EQ(win_probability(link, INFINITY), 1);
    EXPECT_EQ(win_probability(link, -INFINITY), 0);
    EXPECT_NEAR(win_probability(link, 1000), 1, 1e-15);
    for (double x = -6; x < 6; x += 0.01) {
      EXPECT_NEAR(win_probability(link, x) + win_probability(link, -x), 1, 1e-15);
      EXPECT_LE(win_probability(link, x), win_probability(link, x + 0.01));
      const double bend = win_probability(link, x + 0.01) - 2 * win_probability(link, x) +
                          win_probability(link, x - 0.01);
      if (x < -0.02) {
        EXPECT_GE(bend, -1e-15);  // convex below 0
      }
    }
  }
  EXPECT_NEAR(win_probability(Link::logistic, 0.19), 0.5473576, 1e-7);
  EXPECT_NEAR(win_probability(Link::probit, 1.959963984540054), 0.975, 1e-12);
  EXPECT_EQ(win_probability(Link::linear, 0.3), 0.65);
  EXPECT_EQ(win_probability(Link::linear, 7), 1);
}

TEST(Link, constants_are_the_largest_slopes) {
  for (const Link link : {Link::logistic, Link::probit}) {
    double first = 0, second = 0;
    constexpr double kStep = 1e-3;
    for (double x = -5; x < 5; x += kStep) {
      const double a = win_probability(link, x - kStep), b = win_probability(link, x),
                   c = win_probability(link, x + kStep);
      first = std::max(first, (c - a) / (2 * kStep));
      second = std::max(second, std::fabs(a - 2 * b + c) / (kStep * kStep));
    }
    EXPECT_NEAR(smoothness(link).first, first, 1e-6);  // error of order step^2
    EXPECT_NEAR(smoothness(link).second, second, 1e-6);
  }
}

}  // namespace
}  // namespace duel
