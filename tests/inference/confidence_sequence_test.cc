#include "duel/inference/confidence_sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "duel/core/rng.h"
#include "duel/inference/fixed_n_interval.h"

namespace duel {
namespace {

TEST(BetaBinomial, has_the_published_values) {
  const auto value = [](std::uint64_t s, std::uint64_t f) {
    return std::exp(beta_binomial_log_evidence(s, f, 0.5, 1, 1));
  };
  EXPECT_NEAR(value(10, 0), 93.09, 5e-3);
  EXPECT_NEAR(value(8, 2), 2.069, 5e-4);
  EXPECT_NEAR(value(60, 40), .913, 5e-4);
}

// With a = b = 1: B(s + 1, f + 1) = 1/((n + 1) C(n, s)). With halves, against lgamma of the
// library.
TEST(BetaBinomial, agrees_with_the_gamma_function) {
  for (const std::uint64_t s : {0U, 1U, 5U, 40U, 3000U}) {
    for (const std::uint64_t f : {0U, 2U, 31U, 2500U}) {
      for (const double a : {0.5, 1.0, 3.5}) {
        const auto log_beta = [](double x, double y) {
          return std::lgamma(x) + std::lgamma(y) - std::lgamma(x + y);
        };
        const auto x = static_cast<double>(s), y = static_cast<double>(f);
        const double expected =
            log_beta(a + x, a + y) - log_beta(a, a) - x * std::log(0.3) - y * std::log(0.7);
        EXPECT_NEAR(beta_binomial_log_evidence(s, f, 0.3, a, a), expected,
                    1e-12 * (10 + std::abs(expected) + x + y));
      }
    }
  }
}

// With a = b = 1 and p = 1/2 the statistic is 2^n/((n + 1) C(n, s)). The sum of logarithms of which
// it is made is below 100, so that 1e-13 is some ten roundings; the terms of Stirling's series that
// are above it are needed.
TEST(BetaBinomial, agrees_with_exact_fractions) {
  for (std::uint64_t s = 0; s <= 12; ++s) {
    for (std::uint64_t f = 0; f <= 12; ++f) {
      const std::uint64_t n = s + f;
      double exact = 1;  // every factor and the product below 2^53
      for (std::uint64_t k = 1; k <= s; ++k) {
        exact = exact * static_cast<double>(n - s + k) / static_cast<double>(k);
      }
      exact = std::ldexp(1.0, static_cast<int>(n)) / (static_cast<double>(n + 1) * exact);
      EXPECT_NEAR(beta_binomial_log_evidence(s, f, 0.5, 1, 1), std::log(exact), 1e-13)
          << s << " " << f;
    }
  }
}

// p E(s+1, f) + (1-p) E(s, f+1) = E(s, f): a martingale under its own p.
TEST(BetaBinomial, statistic_is_a_martingale_under_its_null) {
  for (const double p : {0.1, 0.5, 0.8}) {
    for (std::uint64_t s = 0; s < 20; ++s) {
      for (std::uint64_t f = 0; f < 20; ++f) {
        const auto value = [p](std::uint64_t x, std::uint64_t y) {
          return std::exp(beta_binomial_log_evidence(x, y, p));
        };
        EXPECT_NEAR((p * value(s + 1, f) + (1 - p) * value(s, f + 1)) / value(s, f), 1, 1e-12);
      }
    }
  }
}

TEST(BetaBinomial, interval_ends_where_the_statistic_reaches_one_over_delta) {
  for (const std::uint64_t s : {0U, 1U, 9U, 200U}) {
    for (const std::uint64_t f : {0U, 3U, 9U, 1000U}) {
      const Interval interval = beta_binomial_sequence(s, f, 0.05);
      if (s + f == 0) {
        EXPECT_EQ(interval, (Interval{0, 1}));
        continue;
      }
      const double level = std::log(20.0);
      if (s == 0) {
        EXPECT_EQ(interval.lower, 0);
      }
      if (f == 0) {
        EXPECT_EQ(interval.upper, 1);
      }
      if (s > 0) {
        EXPECT_NEAR(beta_binomial_log_evidence(s, f, interval.lower), level, 1e-9);
      }
      if (f > 0) {
        EXPECT_NEAR(beta_binomial_log_evidence(s, f, interval.upper), level, 1e-9);
      }
      EXPECT_TRUE(interval.contains(static_cast<double>(s) / static_cast<double>(s + f)));
    }
  }
}

// Exact: the mass of all paths on which the sequence ever excludes p within 500 answers.
TEST(BetaBinomial, sequence_ever_misses_with_at_most_the_allowed_probability) {
  constexpr double kDelta = 0.1;
  for (const double p : {0.5, 0.3, 0.05}) {
    std::vector<double> mass = {1.0};
    double missed = 0;
    for (std::uint64_t n = 1; n <= 500; ++n) {
      std::vector<double> next(mass.size() + 1, 0.0);
      for (std::size_t s = 0; s < mass.size(); ++s) {
        next[s] += mass[s] * (1 - p);
        next[s + 1] += mass[s] * p;
      }
      for (std::size_t s = 0; s <= n; ++s) {
        if (beta_binomial_log_evidence(s, n - s, p) < std::log(1 / kDelta)) continue;
        missed += next[s];
        next[s] = 0;
      }
      mass.swap(next);
    }
    EXPECT_LE(missed, kDelta);
    EXPECT_GT(missed, 0.1 * kDelta);
  }
}

// The definition, transcribed: one product per grid point, bets from the answers before.
TEST(HedgedCapital, agrees_with_a_literal_twin) {
  RoundRng rng = Stream(5, 0, Purpose::test, "hedged").at(1);
  constexpr double kDelta = 0.05;
  std::vector<double> x;
  HedgedCapital capital(kDelta);
  std::vector<bool> in(1001, true);
  for (int n = 1; n <= 300; ++n) {
    const double u = rng.uniform();
    x.push_back(u < 0.5 ? 1.0 : u < 0.7 ? 0.5 : 0.0);
    capital.observe(x.back());
    if (n % 50 != 0) continue;
    for (int k = 1; k < 1000; ++k) {
      const double m = k / 1000.0;
      double above = 1, below = 1, sum = 0, squares = 0;
      for (std::size_t i = 1; i <= x.size(); ++i) {
        const auto count = static_cast<double>(i);
        const double lambda = std::sqrt(2 * std::log(2 / kDelta) /
                                        ((0.25 + squares) / count * count * std::log(count + 1)));
        above *= 1 + std::min(lambda, 0.5 / m) * (x[i - 1] - m);
        below *= 1 - std::min(lambda, 0.5 / (1 - m)) * (x[i - 1] - m);
        sum += x[i - 1];
        const double mean = (0.5 + sum) / (count + 1);
        squares += (x[i - 1] - mean) * (x[i - 1] - mean);
        if (0.5 * std::max(above, below) >= 1 / kDelta) in[static_cast<std::size_t>(k)] = false;
      }
    }
    int first = 1, last = 999;
    while (!in[static_cast<std::size_t>(first)]) ++first;
    while (!in[static_cast<std::size_t>(last)]) --last;
    for (int k = first; k <= last; ++k) EXPECT_TRUE(in[static_cast<std::size_t>(k)]);
    EXPECT_DOUBLE_EQ(capital.interval().lower, (first - 1) / 1000.0);
    EXPECT_DOUBLE_EQ(capital.interval().upper, (last + 1) / 1000.0);
  }
  EXPECT_TRUE(capital.interval().contains(0.6));
  EXPECT_LT(capital.interval().upper - capital.interval().lower, 0.25);
}

// Zeros rule out all means above some point and ones all below some other. A stretch of one and
// then of the other leaves nothing: the two last points ruled out are neighbours, and stay so.
TEST(HedgedCapital, keeps_neighbouring_ends_where_the_answers_rule_out_every_mean) {
  for (const double first : {0.0, 1.0}) {
    HedgedCapital capital(0.1);
    for (int n = 0; n < 200; ++n) capital.observe(first);
    const Interval before = capital.interval();
    EXPECT_EQ(first == 0 ? before.lower : before.upper, first);
    EXPECT_LT(before.upper - before.lower, 0.1);
    EXPECT_GT(before.upper - before.lower, 0.002);
    for (int n = 0; n < 2000; ++n) capital.observe(1 - first);
    const Interval after = capital.interval();
    EXPECT_EQ(first == 0 ? after.upper : after.lower, first == 0 ? before.upper : before.lower);
    EXPECT_NEAR(after.upper - after.lower, 0.001, 1e-12);
    capital.observe(0.5);
    EXPECT_EQ(capital.interval(), after);
  }
}

// 600 sequences of 400 answers with mean 0.6 (ties count one half), delta 0.1. A level that held
// only at the end would miss far more often; at most 0.1 + 4 sqrt(0.1 0.9/600) = 0.149 is allowed.
TEST(HedgedCapital, seldom_ever_misses_the_mean) {
  int missed = 0;
  for (std::uint32_t trial = 0; trial < 600; ++trial) {
    RoundRng rng = Stream(6, trial, Purpose::test, "hedged").at(1);
    HedgedCapital capital(0.1);
    for (int n = 0; n < 400; ++n) {
      const double u = rng.uniform();
      capital.observe(u < 0.5 ? 1.0 : u < 0.7 ? 0.5 : 0.0);
    }
    missed += capital.interval().contains(0.6) ? 0 : 1;  // the intervals shrink only
  }
  EXPECT_LE(missed, 0.149 * 600);
}

// Clopper-Pearson solves P(Bin(n, p) >= s) = delta/2 at the lower end. 5 of 10, 95 %: (.187, .813),
// 0 of 10: upper end 1 - 0.025^(1/10). Wilson 5 of 10: (5 + z^2/2 -+ z sqrt(2.5 + z^2/4))/(10 +
// z^2).
TEST(FixedNInterval, has_hand_values) {
  const Interval exact = fixed_n_clopper_pearson(5, 10, 0.05);
  EXPECT_NEAR(exact.lower, 0.18709, 5e-6);
  EXPECT_NEAR(exact.upper, 0.81291, 5e-6);
  EXPECT_NEAR(fixed_n_clopper_pearson(0, 10, 0.05).upper, 1 - std::pow(0.025, 0.1), 1e-12);
  EXPECT_EQ(fixed_n_clopper_pearson(0, 10, 0.05).lower, 0);
  EXPECT_EQ(fixed_n_clopper_pearson(0, 0, 0.05), (Interval{0, 1}));
  constexpr double z = 1.959963984540054;
  const double radius = z * std::sqrt(2.5 + z * z / 4) / (10 + z * z);
  EXPECT_NEAR(fixed_n_wilson(5, 10, 0.05).lower, 0.5 - radius, 1e-12);
  EXPECT_NEAR(fixed_n_wilson(5, 10, 0.05).upper, 0.5 + radius, 1e-12);
  EXPECT_NEAR(fixed_n_hoeffding(0.5, 200, 0.05).upper, 0.5 + std::sqrt(std::log(40.0) / 400),
              1e-12);
}

// Exact coverage by summing the binomial: Clopper-Pearson and Hoeffding never below 1 - delta at
// one fixed n.
TEST(FixedNInterval, covers_at_its_one_number_of_trials) {
  constexpr std::uint64_t n = 30;
  for (double p = 0.05; p < 1; p += 0.05) {
    double exact = 0, hoeffding = 0;
    double probability = std::pow(1 - p, static_cast<double>(n));
    for (std::uint64_t s = 0; s <= n; ++s) {
      if (fixed_n_clopper_pearson(s, n, 0.05).contains(p)) exact += probability;
      const double mean = static_cast<double>(s) / static_cast<double>(n);
      if (fixed_n_hoeffding(mean, n, 0.05).contains(p)) hoeffding += probability;
      probability *= static_cast<double>(n - s) / static_cast<double>(s + 1) * p / (1 - p);
    }
    EXPECT_GE(exact, 0.95 - 1e-9);
    EXPECT_GE(hoeffding, 0.95 - 1e-9);
  }
}

}  // namespace
}  // namespace duel
