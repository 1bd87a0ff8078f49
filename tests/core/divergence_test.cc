#include "duel/core/divergence.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "duel/core/rng.h"

namespace duel {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

long double x_log_x(long double x) { return x <= 0 ? 0 : x * std::log(x); }

// p ln 2p + (1 - p) ln 2(1 - p), p = (1 + x)/2; in terms of 2p and 2(1 - p), which x gives exactly.
long double true_divergence(double x) {
  const long double imbalance = x;
  return 0.5L * (x_log_x(1 + imbalance) + x_log_x(1 - imbalance));
}

// d(wins/duels, 1/2) as a policy computes it from counts.
double from_counts(std::uint64_t wins, std::uint64_t duels) {
  const double losses = static_cast<double>(duels - wins);
  return divergence_from_half((static_cast<double>(wins) - losses) / static_cast<double>(duels));
}

// The logarithmic branch adds two terms of size up to ln 4 that cancel: 1 +- x is rounded (2^-53
// and 2^-54), each logarithm is off by 2 ulp (2^-51), the products round, and the sum is halved.
constexpr double kLogBranchError = 5e-16;

TEST(DivergenceFromHalf, is_exactly_zero_at_half) {
  EXPECT_EQ(divergence_from_half(0.0), 0.0);
  EXPECT_EQ(divergence_from_half(-0.0), 0.0);
  for (const std::uint64_t wins : {1, 2, 3, 7, 1000, 123456789}) {
    EXPECT_EQ(from_counts(wins, 2 * wins), 0.0);
  }
}

TEST(DivergenceFromHalf, is_the_double_nearest_to_ln_2_where_one_side_won_everything) {
  for (const std::uint64_t duels : {1, 2, 3, 10, 1'000'000}) {
    EXPECT_EQ(from_counts(0, duels), std::numbers::ln2);
    EXPECT_EQ(from_counts(duels, duels), std::numbers::ln2);
  }
}

TEST(DivergenceFromHalf, agrees_with_values_worked_out_by_hand) {
  // .6 ln 1.2 + .4 ln .8 = .6 (.1823216) - .4 (.2231436) = .1093929 - .0892574.
  EXPECT_NEAR(from_counts(6, 10), 0.020136, 5e-7);
  // .75 ln 1.5 + .25 ln .5 = .75 ln 3 - ln 2 (both terms give ln 2: 3/4 + 1/4).
  EXPECT_NEAR(from_counts(3, 4), 0.75 * std::log(3.0) - std::numbers::ln2, 1e-15);
  // 2/3 ln 4/3 + 1/3 ln 2/3 = (5/3) ln 2 - ln 3.
  EXPECT_NEAR(from_counts(1, 3), 5.0 / 3 * std::numbers::ln2 - std::log(3.0), 1e-15);
}

TEST(DivergenceFromHalf, agrees_with_long_double_arithmetic_away_from_half) {
  RoundRng rng = Stream(1, 0, Purpose::test, "divergence").at(1);
  for (int k = 0; k < 50'000; ++k) {
    const double x = (rng.coin() ? 1 : -1) * (0.1 + 0.9 * rng.uniform());
    ASSERT_NEAR(divergence_from_half(x), static_cast<double>(true_divergence(x)), kLogBranchError)
        << x;
  }
  for (int power = 1; power <= 53; ++power) {
    const double x = 1 - std::ldexp(1, -power);
    ASSERT_NEAR(divergence_from_half(x), static_cast<double>(true_divergence(x)), kLogBranchError)
        << x;
  }
}

// Near 1/2 the value itself is small, and the series keeps its relative precision: a few roundings.
// The reference would cancel too, so it is the series again, in long double and to forty terms.
TEST(DivergenceFromHalf, keeps_relative_precision_near_half) {
  RoundRng rng = Stream(1, 0, Purpose::test, "divergence").at(2);
  for (int k = 0; k < 50'000; ++k) {
    const double x = std::ldexp(0.0999 * (2 * rng.uniform() - 1), -static_cast<int>(k % 400));
    const long double z = static_cast<long double>(x) * x;
    long double truth = 0, power = 1;
    for (int term = 1; term <= 40; ++term) {
      power *= z;
      truth += power / (2 * term * (2 * term - 1));
    }
    ASSERT_LE(std::abs(divergence_from_half(x) - truth),
              4 * std::numeric_limits<double>::epsilon() * truth)
        << x;
  }
}

TEST(DivergenceFromHalf, has_no_step_where_the_series_ends) {
  // The derivative is artanh(x) = .1003 at x = .1: neighbouring doubles differ by 1e-18, so what
  // remains is the error of the logarithmic branch.
  double x = 0.1;
  for (int step = 0; step < 40; ++step) x = std::nextafter(x, 0.0);
  bool series = false, logarithm = false;
  for (int step = 0; step < 80; ++step) {
    const double next = std::nextafter(x, 1.0);
    ASSERT_NEAR(divergence_from_half(next), divergence_from_half(x), kLogBranchError) << x;
    (x * x < 0.01 ? series : logarithm) = true;
    x = next;
  }
  EXPECT_TRUE(series);
  EXPECT_TRUE(logarithm);
}

TEST(DivergenceFromHalf, is_the_same_for_winner_and_loser) {
  for (std::uint64_t duels = 1; duels <= 300; ++duels) {
    for (std::uint64_t wins = 0; wins <= duels; ++wins) {
      ASSERT_EQ(from_counts(wins, duels), from_counts(duels - wins, duels)) << wins << '/' << duels;
    }
  }
}

TEST(DivergenceFromHalf, equal_shares_give_equal_doubles) {
  EXPECT_EQ(from_counts(1, 4), from_counts(2, 8));
  EXPECT_EQ(from_counts(1, 3), from_counts(1'000'003, 3'000'009));
  for (std::uint64_t duels = 1; duels <= 60; ++duels) {
    for (std::uint64_t wins = 0; wins <= duels; ++wins) {
      for (const std::uint64_t scale : {2, 3, 5, 7, 10, 1001, 77'777'777}) {
        ASSERT_EQ(from_counts(wins, duels), from_counts(wins * scale, duels * scale))
            << wins << '/' << duels << " times " << scale;
      }
    }
  }
}

TEST(DivergenceFromHalf, grows_with_the_imbalance) {
  for (std::uint64_t duels = 1; duels <= 400; ++duels) {
    for (std::uint64_t wins = (duels + 1) / 2; wins < duels; ++wins) {
      ASSERT_LT(from_counts(wins, duels), from_counts(wins + 1, duels)) << wins << '/' << duels;
    }
  }
}

// The same steps in another language's doubles.
TEST(DivergenceFromHalf, golden_bits_are_the_same_on_every_machine) {
  EXPECT_EQ(from_counts(6, 10), 0x1.49e6770c0e4fcp-6);
  std::uint64_t signature = 0;
  for (std::uint64_t duels = 1; duels <= 100; ++duels) {
    for (std::uint64_t wins = 0; wins <= duels; ++wins) {
      signature = mix64(signature ^ std::bit_cast<std::uint64_t>(from_counts(wins, duels)));
    }
  }
  EXPECT_EQ(signature, 0xcf1f5c50a9a81641u);
}

// n d(w/n, 1/2) = X(w) + X(n - w) - X(n) + n ln 2 with X(m) = m ln m.
TEST(DivergenceFromHalf, times_duels_is_the_evidence_in_the_counts) {
  RoundRng rng = Stream(1, 0, Purpose::test, "divergence").at(3);
  for (int k = 0; k < 20'000; ++k) {
    const std::uint64_t duels = 1 + rng.below(1'000'000);
    const std::uint64_t wins = rng.below(duels + 1);
    const auto n = static_cast<long double>(duels);
    const auto w = static_cast<long double>(wins);
    const long double truth =
        x_log_x(w) + x_log_x(n - w) - x_log_x(n) + n * std::numbers::ln2_v<long double>;
    // The imbalance is a rounded quotient (2^-54), magnified by at most artanh(1 - 1e-6) < 7.3.
    const double tolerance = static_cast<double>(duels) * (kLogBranchError + 7.3 * 0x1p-54);
    ASSERT_NEAR(static_cast<double>(duels) * from_counts(wins, duels), static_cast<double>(truth),
                tolerance)
        << wins << '/' << duels;
  }
}

TEST(KlBernoulli, agrees_with_values_worked_out_by_hand) {
  EXPECT_NEAR(kl_bernoulli(0.6, 0.5), 0.020136, 5e-7);
  // .5 ln 2 + .5 ln (2/3) = .5 ln (4/3).
  EXPECT_NEAR(kl_bernoulli(0.5, 0.25), 0.5 * std::log(4.0 / 3), 1e-15);
  // .25 ln .5 + .75 ln 1.5: the first argument is the law that is averaged over.
  EXPECT_NEAR(kl_bernoulli(0.25, 0.5), 0.25 * std::log(0.5) + 0.75 * std::log(1.5), 1e-15);
  EXPECT_NEAR(kl_bernoulli(0, 0.2), -std::log(0.8), 1e-15);
  EXPECT_NEAR(kl_bernoulli(1, 0.2), std::log(5.0), 1e-15);
}

TEST(KlBernoulli, is_zero_between_equal_laws_also_at_the_ends) {
  for (const double p : {0.0, 1e-300, 0.1, 1.0 / 3, 0.5, 0.9, 1.0}) {
    EXPECT_EQ(kl_bernoulli(p, p), 0.0) << p;
  }
}

TEST(KlBernoulli, is_never_negative_between_nearly_equal_laws) {
  // The true value is about (p - q)^2, far below what rounding adds or takes away.
  for (int k = 1; k < 1000; ++k) {
    const double p = k / 1000.0;
    double q = p;
    for (int step = 0; step < 5; ++step) {
      q = std::nextafter(q, 1.0);
      ASSERT_GE(kl_bernoulli(p, q), 0.0) << p;
      ASSERT_GE(kl_bernoulli(q, p), 0.0) << p;
    }
  }
}

TEST(KlBernoulli, is_infinite_where_the_second_law_excludes_the_first) {
  EXPECT_EQ(kl_bernoulli(0.5, 0), kInfinity);
  EXPECT_EQ(kl_bernoulli(0.5, 1), kInfinity);
  EXPECT_EQ(kl_bernoulli(1, 0), kInfinity);
  EXPECT_EQ(kl_bernoulli(0, 1), kInfinity);
}

rc::Gen<double> fraction() {
  return rc::gen::map(rc::gen::inRange(0, 1'000'001), [](int k) { return k / 1e6; });
}

RC_GTEST_PROP(KlBernoulli, agrees_with_long_double_arithmetic, ()) {
  const double p = *fraction();
  const double q = *rc::gen::suchThat(fraction(), [](double x) { return x > 0 && x < 1; });
  const auto term = [](long double a, long double b) { return a <= 0 ? 0 : a * std::log(a / b); };
  const long double truth =
      term(p, q) + term(1 - static_cast<long double>(p), 1 - static_cast<long double>(q));
  // 1 - q is rounded: 2^-54 relative to at least 1e-6.
  RC_ASSERT(std::abs(kl_bernoulli(p, q) - truth) < 1e-10L);
  RC_ASSERT(kl_bernoulli(p, q) >= 0);
}

RC_GTEST_PROP(KlBernoulli, agrees_with_the_form_for_one_half, ()) {
  const double p = *fraction();
  RC_ASSERT(std::abs(kl_bernoulli(p, 0.5) - divergence_from_half(2 * p - 1)) < 1e-14);
}

// Pinsker: d(p, q) >= 2 (p - q)^2.
RC_GTEST_PROP(KlBernoulli, is_at_least_twice_the_squared_distance, ()) {
  const double p = *fraction();
  const double q = *fraction();
  RC_ASSERT(kl_bernoulli(p, q) >= 2 * (p - q) * (p - q) - 1e-14);
}

}  // namespace
}  // namespace duel
