#include "duel/continuous/direction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "duel/core/vectors.h"

namespace duel {
namespace {

double normal_share_below(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

TEST(Ziggurat, layers_have_equal_area_and_close_at_the_top) {
  const ZigguratTable& table = ziggurat();
  const auto f = [](double x) { return std::exp(-0.5 * x * x); };
  const double tail =
      std::sqrt(std::numbers::pi / 2) * std::erfc(ZigguratTable::kTail / std::numbers::sqrt2);
  const double area = ZigguratTable::kTail * f(ZigguratTable::kTail) + tail;
  EXPECT_NEAR(table.edge[0] * f(ZigguratTable::kTail), area, 1e-15);
  for (std::size_t i = 1; i < ZigguratTable::kLayers; ++i) {
    EXPECT_NEAR(table.edge[i] * (f(table.edge[i + 1]) - f(table.edge[i])), area, 2e-14) << i;
    EXPECT_GT(table.edge[i], table.edge[i + 1]);
  }
}

// Counts in 60 cells of equal probability and in both tails, where the slow paths are: 3e6 draws,
// each count within 5 standard errors of a binomial; 62 such cells alarm falsely below 4e-5.
TEST(Ziggurat, draws_follow_the_normal_law) {
  RoundRng rng(11, 0, 1);
  Xoshiro words(rng);
  const ZigguratTable& table = ziggurat();
  constexpr int kDraws = 3'000'000;
  constexpr int kCells = 60;
  std::vector<int> counts(kCells, 0);
  int low = 0, high = 0;
  double sum = 0, squares = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double x = draw_normal(table, words);
    const double share = normal_share_below(x);
    ++counts[static_cast<std::size_t>(std::min(kCells - 1, static_cast<int>(share * kCells)))];
    low += x < -ZigguratTable::kTail ? 1 : 0;
    high += x > ZigguratTable::kTail ? 1 : 0;
    sum += x;
    squares += x * x;
  }
  const auto expect_share = [&](int count, double p) {
    const double se = std::sqrt(p * (1 - p) / kDraws);
    EXPECT_NEAR(static_cast<double>(count) / kDraws, p, 5 * se);
  };
  for (const int count : counts) expect_share(count, 1.0 / kCells);
  const double p = normal_share_below(-ZigguratTable::kTail);
  expect_share(low, p);
  expect_share(high, p);
  EXPECT_NEAR(sum / kDraws, 0, 5 / std::sqrt(kDraws));            // variance 1
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));  // variance of a square 2
}

TEST(Direction, has_length_one_and_no_favourite_side) {
  const Stream stream(12, 0, Purpose::test);
  for (const std::size_t d : {2, 3, 9, 50}) {
    std::vector<double> u(d), mean(d, 0.0), squares(d, 0.0);
    constexpr int kDraws = 40'000;
    double products = 0;
    for (Round round = 0; round < kDraws; ++round) {
      RoundRng rng = stream.at(round);
      draw_direction(rng, u);
      ASSERT_NEAR(norm(u), 1, 1e-14);
      for (std::size_t k = 0; k < d; ++k) {
        mean[k] += u[k] / kDraws;
        squares[k] += u[k] * u[k] / kDraws;
      }
      products += u[0] * u[1] / kDraws;
    }
    // E u_k^2 = 1/d, E u_k^4 = 3/(d (d + 2)), E u_1^2 u_2^2 = 1/(d (d + 2)).
    const auto n = static_cast<double>(d);
    const double se_mean = std::sqrt(1 / n / kDraws);
    const double se_square = std::sqrt((3 / (n * (n + 2)) - 1 / (n * n)) / kDraws);
    for (std::size_t k = 0; k < d; ++k) {
      EXPECT_NEAR(mean[k], 0, 5 * se_mean);
      EXPECT_NEAR(squares[k], 1 / n, 5 * se_square);
    }
    EXPECT_NEAR(products, 0, 5 * std::sqrt(1 / (n * (n + 2)) / kDraws));
  }
}

TEST(Direction, in_one_dimension_is_a_sign) {
  const Stream stream(13, 0, Purpose::test);
  int positive = 0;
  for (Round round = 0; round < 10'000; ++round) {
    std::vector<double> u(1);
    RoundRng rng = stream.at(round);
    draw_direction(rng, u);
    ASSERT_EQ(std::fabs(u[0]), 1.0);
    positive += u[0] > 0 ? 1 : 0;
  }
  EXPECT_NEAR(positive, 5000, 5 * 50);  // se sqrt(10^4)/2 = 50
}

TEST(Direction, depends_on_its_round_alone) {
  const Stream stream(14, 2, Purpose::choice, "dbgd");
  std::vector<double> once(20), again(20), other(20);
  RoundRng rng = stream.at(5), same = stream.at(5), next = stream.at(6);
  draw_direction(rng, once);
  draw_direction(same, again);
  draw_direction(next, other);
  EXPECT_EQ(once, again);
  EXPECT_NE(once, other);
}

}  // namespace
}  // namespace duel
