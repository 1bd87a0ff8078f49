#include "duel/core/beta.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "duel/core/exponential.h"

namespace duel {
namespace {

// Plain double: long double is emulated on some machines, and its calls are slow.
using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

// Largest distance between the empirical law of `draws` and the distribution function `law`.
template <class Law>
double kolmogorov_distance(std::vector<double> draws, Law law) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double distance = 0;
  for (std::size_t k = 0; k < draws.size(); ++k) {
    const double p = law(draws[k]);
    const auto index = static_cast<double>(k);
    distance = std::max({distance, std::abs(p - index / n), std::abs(p - (index + 1) / n)});
  }
  return distance;
}

constexpr int kDraws = 20000;
// Exceeded with probability below 1e-6 (Dvoretzky-Kiefer-Wolfowitz).
const double kKolmogorovBound = std::sqrt(std::log(2e6) / 2 / kDraws);

TEST(Exponential, is_within_two_units_of_the_last_place) {
  RoundRng rng = Stream(1, 0, Purpose::test, "exponential").at(1);
  EXPECT_EQ(exponential(0), 1.0);
  for (int k = 0; k < 200000; ++k) {
    const double x = k % 2 == 0 ? 4 * rng.uniform() - 2 : 1417 * rng.uniform() - 708;
    const auto truth = std::exp(static_cast<long double>(x));
    const double error =
        static_cast<double>((static_cast<long double>(exponential(x)) - truth) / truth);
    ASSERT_LT(std::abs(error), 2 * 0x1p-52) << x;
  }
}

TEST(Exponential, fades_out_below_the_smallest_normal_number) {
  EXPECT_NEAR(exponential(-720) / std::exp(-720.0), 1, 1e-10);
  EXPECT_NEAR(exponential(-740) / std::exp(-740.0), 1, 0.2);  // a few bits are left
  EXPECT_EQ(exponential(-800), 0.0);
}

TEST(Exponential, complement_keeps_its_digits_for_small_arguments) {
  for (double x = 1e-300; x < 40; x *= 1.07) {
    const double truth = -std::expm1(-x);
    ASSERT_NEAR(complement_of_exponential(x) / truth, 1, 5e-15) << x;
  }
  EXPECT_EQ(complement_of_exponential(0), 0.0);
}

// 2^-(n+1) sum_{k <= w} C(n+1, k) in whole numbers.
TEST(BetaHalfShares, are_the_binomial_sums_for_few_duels) {
  for (std::uint64_t n = 0; n <= 50; ++n) {
    std::uint64_t binomial = 1, sum = 0;
    for (std::uint64_t w = 0; w <= n; ++w) {
      sum += binomial;
      binomial = binomial * (n + 1 - w) / (w + 1);
      const double expected = std::ldexp(static_cast<double>(sum), -static_cast<int>(n + 1));
      const HalfShares shares =
          beta_half_shares(static_cast<double>(w), static_cast<double>(n - w));
      ASSERT_NEAR(shares.above / expected, 1, 2e-14) << w << " of " << n;
      ASSERT_EQ(beta_half_shares(static_cast<double>(n - w), static_cast<double>(w)).below,
                shares.above);
    }
  }
}

// Worked out with 400 digits.
TEST(BetaHalfShares, are_right_deep_in_the_tail_and_for_halves) {
  struct Known {
    double wins, losses, above;
  };
  const std::vector<Known> known = {
      {0, 3, 0.0625},
      {3, 7, 0.11328125},
      {40, 60, 0.023022033464671401906},
      {4, 16, 0.003598690032958984375},
      {0, 50, 4.4408920985006261617e-16},
      {0, 900, 5.9152609308338735549e-272},
      {100, 300, 8.6185401648406173859e-25},
      {100, 1200, 1.4427258671241349147e-240},
      {450, 2000, 1.391946023903529328e-232},
      {4900, 5100, 0.022752831687757016518},
      {4000, 6000, 7.2489135480469277955e-90},
      {49000, 51000, 1.2683847231240024374e-10},
      {30000, 36000, 4.2257896669169472692e-121},
      {45000, 53000, 1.6821312562913233867e-144},
      {1000000, 1001000, 0.23980502731280979671},
      {0.5, 1.5, 0.28779340921080621897},
      {0.5, 100.5, 2.2611591261784739059e-30},
      {2.5, 20.5, 0.000052227305840459697688},
      {40.5, 60.5, 0.023568189291391187577},
      {100.5, 250.5, 2.2791658619514247706e-16},
      {1000.5, 1100.5, 0.014574496450637499472},
  };
  for (const Known& k : known) {
    EXPECT_NEAR(beta_above_half(k.wins, k.losses) / k.above, 1, 1e-12) << k.wins << ":" << k.losses;
    const HalfShares mirrored = beta_half_shares(k.losses, k.wins);
    EXPECT_EQ(mirrored.below, beta_above_half(k.wins, k.losses));
    EXPECT_EQ(mirrored.above, 1 - mirrored.below);
  }
  EXPECT_EQ(beta_above_half(1000, 5000), 0);  // 8e-635
}

// P(Beta(a+1, b) > 1/2) - P(Beta(a, b) > 1/2) = 2^-(a+b)/(a B(a, b)) > 0.
TEST(BetaHalfShares, rise_with_every_win_and_fall_with_every_loss) {
  for (double losses = 0; losses < 40; losses += 0.5) {
    for (double wins = losses - std::floor(losses); wins < 40; wins += 1) {
      EXPECT_LT(beta_half_shares(wins + 1, losses).below, beta_half_shares(wins, losses).below);
      EXPECT_LT(beta_half_shares(wins, losses + 1).above, beta_half_shares(wins, losses).above);
    }
  }
  EXPECT_EQ(beta_above_half(1234.5, 1234.5), 0.5);
}

struct Shape {
  double a, b;
};

TEST(DrawBeta, has_the_law_of_beta) {
  Round round = 0;
  for (const auto& shape : std::vector<Shape>{
           {1, 1}, {0.5, 0.5}, {1, 0.5}, {1.5, 4}, {2, 30}, {61, 41}, {700.5, 900}}) {
    const double a = shape.a, b = shape.b;
    RoundRng rng = Stream(2, 0, Purpose::test, "beta").at(++round);
    Xoshiro fast(rng);
    std::vector<double> draws, slow_draws;
    for (int k = 0; k < kDraws; ++k) {
      draws.push_back(draw_beta(a, b, fast));
      slow_draws.push_back(draw_beta(a, b, rng));
    }
    const auto law = [a, b](double x) { return boost::math::ibeta(a, b, x, Plain()); };
    EXPECT_LT(kolmogorov_distance(draws, law), kKolmogorovBound) << a << ", " << b;
    EXPECT_LT(kolmogorov_distance(slow_draws, law), kKolmogorovBound) << a << ", " << b;
  }
}

TEST(DrawBetaAboveHalf, has_the_law_of_beta_given_that_it_exceeds_one_half) {
  Round round = 100;
  // Both methods, and where they meet: (b - a)^2 = .16 (a + b) is 40 : 50.6.
  for (const auto& shape : std::vector<Shape>{{1, 1},
                                              {1, 2},
                                              {3, 1.5},
                                              {40, 43},
                                              {40, 44},
                                              {1, 30},
                                              {20.5, 60},
                                              {200, 150},
                                              {500, 700}}) {
    const double a = shape.a, b = shape.b;
    RoundRng rng = Stream(2, 0, Purpose::test, "beta").at(++round);
    Xoshiro fast(rng);
    std::vector<double> draws;
    for (int k = 0; k < kDraws; ++k) {
      draws.push_back(draw_beta_above_half(a, b, fast));
      ASSERT_GT(draws.back(), 0.5);
      ASSERT_LE(draws.back(), 1.0);
    }
    const double all = boost::math::ibetac(a, b, 0.5, Plain());
    const auto law = [&](double x) { return 1 - boost::math::ibetac(a, b, x, Plain()) / all; };
    EXPECT_LT(kolmogorov_distance(draws, law), kKolmogorovBound) << a << ", " << b;
  }
}

// 1e-300 and beyond: draws come without searching for them.
TEST(DrawBetaAboveHalf, works_where_one_half_is_hardly_ever_exceeded) {
  RoundRng rng = Stream(2, 0, Purpose::test, "beta").at(200);
  double sum = 0;
  for (int k = 0; k < 10000; ++k) sum += draw_beta_above_half(2000, 6000, rng) - 0.5;
  // Nearly exponential with mean 1/(2 (b - a)): 1.25e-4; its standard error is 1 % here, and the
  // curvature of the density shortens it by n/(b - a)^2 = 0.05 %.
  EXPECT_NEAR(sum / 10000, 1.25e-4, 5 * 1.25e-6);
}

TEST(Xoshiro, draws_are_a_function_of_the_seed_with_fair_bits) {
  // A pure function of the words it is seeded with; uniform in mean and in each bit.
  RoundRng a(1, 2, 3), b(1, 2, 3);
  Xoshiro first(a), second(b);
  std::vector<int> ones(64);
  for (int k = 0; k < kDraws; ++k) {
    const std::uint64_t bits = first.bits();
    ASSERT_EQ(second.bits(), bits);
    for (int i = 0; i < 64; ++i) ones[static_cast<std::size_t>(i)] += (bits >> i & 1) != 0 ? 1 : 0;
  }
  // Standard deviation sqrt(n)/2 = 71.
  for (const int count : ones) EXPECT_NEAR(count, 0.5 * kDraws, 5 * 71);
}

}  // namespace
}  // namespace duel
