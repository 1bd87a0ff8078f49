#include "duel/core/logarithm.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "duel/core/rng.h"

namespace duel {
namespace {

RoundRng random_numbers(Round round) { return Stream(1, 0, Purpose::test, "logarithm").at(round); }

// Distance from the long double logarithm in units of the last place of the double nearest to it.
double error_in_ulp(double x) {
  const long double truth = std::log(static_cast<long double>(x));
  const double size = std::abs(static_cast<double>(truth));
  const double ulp = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  return static_cast<double>(std::abs(static_cast<long double>(natural_log(x)) - truth)) / ulp;
}

TEST(NaturalLog, is_exactly_zero_at_one) {
  EXPECT_EQ(natural_log(1.0), 0.0);
  EXPECT_FALSE(std::signbit(natural_log(1.0)));
}

TEST(NaturalLog, has_the_sign_of_the_distance_from_one) {
  EXPECT_LT(natural_log(std::nextafter(1.0, 0.0)), 0.0);
  EXPECT_GT(natural_log(std::nextafter(1.0, 2.0)), 0.0);
}

TEST(NaturalLog, gives_the_nearest_double_at_powers_of_two) {
  // m = 1 there, so that only k ln 2 is left, in two parts.
  for (const int power : {-1022, -537, -10, -1, 1, 2, 3, 52, 62, 63, 537, 1023}) {
    const long double truth = power * std::numbers::ln2_v<long double>;
    EXPECT_EQ(natural_log(std::ldexp(1.0, power)), static_cast<double>(truth)) << power;
  }
}

TEST(NaturalLog, is_within_two_ulp_over_the_whole_range_of_normal_doubles) {
  RoundRng rng = random_numbers(1);
  for (int k = 0; k < 100'000; ++k) {
    const int power = static_cast<int>(rng.below(2046)) - 1022;
    const double x = std::ldexp(1.0 + rng.uniform(), power);
    ASSERT_LE(error_in_ulp(x), 2) << std::hexfloat << x;
  }
  EXPECT_LE(error_in_ulp(std::numeric_limits<double>::min()), 2);
  EXPECT_LE(error_in_ulp(std::numeric_limits<double>::max()), 2);
}

// Where k ln 2 and ln m cancel, and where ln m is small.
TEST(NaturalLog, is_within_two_ulp_around_one) {
  RoundRng rng = random_numbers(2);
  for (int k = 0; k < 60'000; ++k) {
    const double x = 0.4 + 2 * rng.uniform();
    ASSERT_LE(error_in_ulp(x), 2) << std::hexfloat << x;
  }
  for (int k = 0; k < 60'000; ++k) {
    const double x = 1 + std::ldexp(rng.uniform() - 0.5, -static_cast<int>(rng.below(50)));
    if (x == 1) continue;
    ASSERT_LE(error_in_ulp(x), 2) << std::hexfloat << x;
  }
}

TEST(NaturalLog, is_within_two_ulp_on_the_first_integers) {
  for (int t = 2; t < 20'000; ++t) ASSERT_LE(error_in_ulp(t), 2) << t;
}

TEST(NaturalLog, is_within_two_ulp_where_the_mantissa_is_split) {
  // Both sides of sqrt(2) 2^k, where m jumps from sqrt(2) to sqrt(1/2).
  for (int power = -1022; power < 1023; ++power) {
    double x = std::ldexp(std::numbers::sqrt2, power);
    for (int step = 0; step < 4; ++step) x = std::nextafter(x, 0.0);
    for (int step = 0; step < 8; ++step) {
      ASSERT_LE(error_in_ulp(x), 2) << std::hexfloat << x;
      x = std::nextafter(x, std::numeric_limits<double>::infinity());
    }
  }
}

// The same steps in another language's doubles. A fused multiply-add or another order of terms
// changes the last bits, and with them decisions.
TEST(NaturalLog, golden_bits_are_the_same_on_every_machine) {
  EXPECT_EQ(natural_log(3), 0x1.193ea7aad030bp+0);
  EXPECT_EQ(natural_log(10), 0x1.26bb1bbb55516p+1);
  EXPECT_EQ(natural_log(0.3), -0x1.34378fcbda721p+0);
  EXPECT_EQ(natural_log(1e18), 0x1.4b927f32bffb8p+5);
  std::uint64_t signature = 0;
  for (int t = 1; t <= 10'000; ++t) {
    signature = mix64(signature ^ std::bit_cast<std::uint64_t>(natural_log(t)));
  }
  EXPECT_EQ(signature, 0x831b0ef1e2be1b6au);
}

// True if ln(t + 1) >= ln(t) for all t in [first, last).
bool rises(std::uint64_t first, std::uint64_t last) {
  double before = natural_log(static_cast<double>(first));
  for (std::uint64_t t = first + 1; t <= last; ++t) {
    const double now = natural_log(static_cast<double>(t));
    if (now < before) {
      ADD_FAILURE() << "ln falls from " << t - 1 << " to " << t;
      return false;
    }
    before = now;
  }
  return true;
}

constexpr std::uint64_t kLastExact = std::uint64_t{1} << 53;  // integers up to here are doubles

TEST(NaturalLog, never_falls_on_the_first_million_integers) { EXPECT_TRUE(rises(1, 1'000'000)); }

// One step is worth 1/t, below the spacing of the results from about t = 2^48 on: there rounding
// could turn the order round.
TEST(NaturalLog, never_falls_on_windows_of_large_integers) {
  RoundRng rng = random_numbers(3);
  for (int power = 20; power < 53; ++power) {
    for (int window = 0; window < 40; ++window) {
      const std::uint64_t size = std::uint64_t{1} << power;
      const std::uint64_t first = size + rng.below(size - 1000);
      ASSERT_TRUE(rises(first, first + 1000));
    }
  }
  EXPECT_TRUE(rises(kLastExact - 100'000, kLastExact));
}

TEST(NaturalLog, never_falls_where_the_mantissa_is_split) {
  for (int power = 10; power < 53; ++power) {
    const auto split = static_cast<std::uint64_t>(std::ldexp(std::numbers::sqrt2, power));
    EXPECT_TRUE(rises(split - 500, split + 500)) << "sqrt(2) 2^" << power;
    const std::uint64_t whole = std::uint64_t{1} << power;
    EXPECT_TRUE(rises(whole - 500, whole + (power < 52 ? 500 : 0))) << "2^" << power;
  }
}

}  // namespace
}  // namespace duel
