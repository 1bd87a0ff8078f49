#include "duel/inference/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "duel/core/logarithm.h"
#include "duel/core/rng.h"
#include "tests/inference/stopping_law.h"

namespace duel {
namespace {

using Rational = boost::multiprecision::cpp_rational;

// sum_{k=0}^{s} C(n+1, k) / ((n+1) C(n, s)), literally.
Rational exact_uniform(unsigned s, unsigned f) {
  const unsigned n = s + f;
  const auto choose = [](unsigned a, unsigned b) {
    boost::multiprecision::cpp_int value = 1;
    for (unsigned k = 1; k <= b; ++k) value = value * (a - b + k) / k;
    return value;
  };
  boost::multiprecision::cpp_int sum = 0;
  for (unsigned k = 0; k <= s; ++k) sum += choose(n + 1, k);
  return Rational(sum, (n + 1) * choose(n, s));
}

Rational power(const Rational& base, unsigned exponent) {
  Rational value = 1;
  for (unsigned k = 0; k < exponent; ++k) value *= base;
  return value;
}

// The mixture of PairEvidence with its gaps as exact fractions of 10000, against q = 1/2 - epsilon.
Rational exact_mixture(unsigned s, unsigned f, const Rational& epsilon) {
  const Rational q = Rational(1, 2) - epsilon;
  Rational sum = 0;
  for (const auto& component : PairEvidence::kComponents) {
    const Rational gap(std::lround(component.gap * 10000), 10000);
    const Rational weight(std::lround(component.weight * 64), 64);
    sum += weight * power((q + gap) / q, s) * power((1 - q - gap) / (1 - q), f);
  }
  return sum;
}

TEST(UniformEvidence, has_the_published_values) {
  const auto value = [](unsigned s, unsigned f) { return std::exp(uniform_log_evidence(s, f)); };
  EXPECT_NEAR(value(10, 0), 186.091, 5e-4);
  EXPECT_NEAR(value(8, 2), 4.002, 5e-4);
  EXPECT_NEAR(value(15, 5), 6.356, 5e-4);
  EXPECT_NEAR(value(60, 40), 1.784, 5e-4);
  EXPECT_NEAR(value(0, 10), .0909, 5e-5);
}

TEST(UniformEvidence, agrees_with_exact_fractions) {
  for (unsigned s = 0; s <= 40; ++s) {
    for (unsigned f = 0; f <= 40; ++f) {
      const auto exact = exact_uniform(s, f).convert_to<double>();
      EXPECT_NEAR(std::exp(uniform_log_evidence(s, f)) / exact, 1, 1e-12) << s << " " << f;
    }
  }
  // Past the range of a double: (2^(s+1) - 1)/(s + 1) for s wins and no loss.
  EXPECT_NEAR(uniform_log_evidence(5000, 0), 5001 * std::log(2.0) - std::log(5001.0), 1e-9);
}

// E[E_{n+1} | s, f] = p E(s+1, f) + (1-p) E(s, f+1) <= E(s, f) for every p <= q, with equality for
// p = q; exact, so a mixture that were a hair too generous would fail.
TEST(PairEvidence, is_a_supermartingale_under_every_null_in_exact_arithmetic) {
  for (const Rational& epsilon : {Rational(0), Rational(1, 20)}) {
    const Rational q = Rational(1, 2) - epsilon;
    for (unsigned s = 0; s <= 12; ++s) {
      for (unsigned f = 0; f <= 12; ++f) {
        const Rational now = exact_mixture(s, f, epsilon);
        const Rational won = exact_mixture(s + 1, f, epsilon);
        const Rational lost = exact_mixture(s, f + 1, epsilon);
        EXPECT_EQ(q * won + (1 - q) * lost, now);
        EXPECT_GT(won, now);
        EXPECT_LT(lost, now);
        for (const Rational& p :
             {Rational(0), Rational(1, 10), Rational(3, 10), Rational(44, 100)}) {
          EXPECT_LT(p * won + (1 - p) * lost, now);
        }
      }
    }
    EXPECT_EQ(exact_mixture(0, 0, epsilon), 1);
  }
}

TEST(UniformEvidence, is_a_martingale_at_one_half_in_exact_arithmetic) {
  for (unsigned s = 0; s <= 15; ++s) {
    for (unsigned f = 0; f <= 15; ++f) {
      const Rational won = exact_uniform(s + 1, f), lost = exact_uniform(s, f + 1);
      EXPECT_EQ((won + lost) / 2, exact_uniform(s, f));
      EXPECT_GT(won, lost);  // hence the mean falls with p
    }
  }
  EXPECT_EQ(exact_uniform(0, 0), 1);
}

TEST(PairEvidence, agrees_with_exact_fractions) {
  const std::array<double, 2> epsilons = {0, 0.05};
  for (const double epsilon : epsilons) {
    const PairEvidence evidence(epsilon);
    const Rational exact_epsilon(std::lround(epsilon * 100), 100);
    for (const unsigned s : {0U, 1U, 7U, 40U, 150U}) {
      for (const unsigned f : {0U, 1U, 6U, 38U, 120U}) {
        const auto exact = exact_mixture(s, f, exact_epsilon).convert_to<double>();
        EXPECT_NEAR(std::exp(evidence.log_evidence(s, f)) / exact, 1, 1e-12) << s << " " << f;
      }
    }
  }
}

// Ville's inequality by exact enumeration: the chance that E ever reaches 1/alpha within n duels of
// a fair coin, over all paths, is at most alpha; and it is not far below, so evidence is not
// wasted.
TEST(PairEvidence, reaches_its_level_under_the_null_with_at_most_the_allowed_probability) {
  const PairEvidence evidence;
  for (const double alpha : {0.1, 0.05, 0.01}) {
    const double level = natural_log(1 / alpha);
    std::vector<double> mass = {1.0};
    double reached = 0;
    constexpr std::uint64_t kDuels = 2000;
    for (std::uint64_t n = 1; n <= kDuels; ++n) {
      std::vector<double> next(mass.size() + 1, 0.0);
      for (std::size_t s = 0; s < mass.size(); ++s) {
        next[s] += mass[s] / 2;
        next[s + 1] += mass[s] / 2;
      }
      for (std::size_t s = next.size(); s-- > 0;) {
        if (evidence.log_evidence(s, n - s) < level) break;
        reached += next[s];
        next[s] = 0;
      }
      mass.swap(next);
    }
    EXPECT_LE(reached, alpha);
    EXPECT_GE(reached, 0.4 * alpha);
  }
}

struct Race {
  double gap;
  double alpha;
  std::uint64_t wald;     // median duels of Wald's test that knows the gap
  std::uint64_t mixture;  // of PairEvidence
};

std::vector<Race> races() {
  const PairEvidence evidence;
  std::vector<Race> rows;
  for (const double gap : {0.02, 0.03, 0.045, 0.06, 0.08, 0.1, 0.13, 0.16, 0.2, 0.25, 0.3}) {
    const double win = natural_log(1 + 2 * gap), loss = natural_log(1 - 2 * gap);
    const auto wald = [&](std::uint64_t s, std::uint64_t f) {
      return static_cast<double>(s) * win + static_cast<double>(f) * loss;
    };
    const auto mixture = [&](std::uint64_t s, std::uint64_t f) {
      return evidence.log_evidence(s, f);
    };
    for (const double alpha : {0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001}) {
      const double level = natural_log(1 / alpha);
      rows.push_back({gap, alpha, median_duels_to(wald, level, 0.5 + gap, 1000000),
                      median_duels_to(mixture, level, 0.5 + gap, 1000000)});
    }
  }
  return rows;
}

// Exact medians; docs/certificates.md shows these rows.
struct DocumentedRow {
  double gap;
  std::array<std::uint64_t, 4> mixture;
  std::array<std::uint64_t, 4> wald;
};
constexpr std::array<double, 4> kDocumentedAlphas = {0.1, 0.05, 0.01, 0.001};
constexpr std::array<DocumentedRow, 6> kDocumentedRows = {{
    {0.02, {3240, 4449, 7161, 10998}, {2051, 2850, 4771, 7583}},
    {0.03, {1468, 1926, 2896, 4215}, {914, 1270, 2125, 3373}},
    {0.06, {349, 465, 722, 1079}, {231, 321, 535, 845}},
    {0.1, {135, 185, 282, 408}, {84, 117, 193, 305}},
    {0.2, {34, 44, 64, 93}, {22, 30, 47, 76}},
    {0.3, {13, 18, 28, 43}, {8, 13, 22, 33}},
}};

TEST(PairEvidence, certifies_a_pair_within_twice_the_duels_of_a_test_that_knows_the_gap) {
  std::size_t documented = 0;
  for (const Race& race : races()) {
    ASSERT_GT(race.wald, 0U);
    ASSERT_GT(race.mixture, 0U);
    EXPECT_LE(static_cast<double>(race.mixture), 1.7 * static_cast<double>(race.wald))
        << race.gap << " " << race.alpha;
    for (const DocumentedRow& row : kDocumentedRows) {
      for (std::size_t k = 0; k < kDocumentedAlphas.size(); ++k) {
        if (row.gap != race.gap || kDocumentedAlphas[k] != race.alpha) continue;
        EXPECT_EQ(race.wald, row.wald[k]) << race.gap << " " << race.alpha;
        EXPECT_EQ(race.mixture, row.mixture[k]) << race.gap << " " << race.alpha;
        ++documented;
      }
    }
  }
  EXPECT_EQ(documented, kDocumentedRows.size() * kDocumentedAlphas.size());
}

// Why the default is not uniform: at a gap of 0.02 the uniform mixture needs more than twice.
TEST(UniformEvidence, needs_more_than_twice_the_duels_at_a_small_gap) {
  const double win = natural_log(1.04), loss = natural_log(0.96), level = natural_log(10);
  const auto wald = median_duels_to(
      [&](std::uint64_t s, std::uint64_t f) {
        return static_cast<double>(s) * win + static_cast<double>(f) * loss;
      },
      level, 0.52, 1000000);
  const auto uniform =
      median_duels_to([](std::uint64_t s, std::uint64_t f) { return uniform_log_evidence(s, f); },
                      level, 0.52, 1000000);
  EXPECT_GT(uniform, 2 * wald);
}

// Below half the smallest gap every component shrinks on average; at 0.0005 the smallest still
// grows: (1/2 + g) ln(1 + 2 h) + (1/2 - g) ln(1 - 2 h) > 0 for h = 0.0008.
TEST(PairEvidence, grows_down_to_a_gap_of_one_in_two_thousand) {
  const PairEvidence evidence;
  constexpr std::uint64_t n = 2000000000;
  EXPECT_GT(evidence.log_evidence(n / 2 + n / 2000, n / 2 - n / 2000), natural_log(1e6));
}

// Long runs, and short ones of many pairs, in which nearly everything is near its maximum.
TEST(PairEvidence, maximum_has_the_bits_of_the_plain_one) {
  for (const double epsilon : {0.0, 0.1}) {
    const PairEvidence evidence(epsilon);
    for (const double p : {0.4, 0.5, 0.51, 0.6, 0.9}) {
      for (std::uint32_t trial = 0; trial < 101; ++trial) {
        RoundRng rng = Stream(2, trial, Purpose::test, "running maximum").at(1);
        PairEvidence::Maximum fast;
        double plain = 0;
        std::array<std::uint64_t, 2> counts = {0, 0};
        for (int n = 0; n < (trial == 0 ? 20000 : 200); ++n) {
          const bool won = rng.bernoulli(p);
          ++counts[won ? 0 : 1];
          // A loss lowers E, and may be left out.
          const bool raised = (won || trial % 2 == 0) && evidence.raise(fast, counts[0], counts[1]);
          const double now = evidence.log_evidence(counts[0], counts[1]);
          ASSERT_EQ(raised, now > plain);
          plain = std::max(plain, now);
          ASSERT_EQ(fast.log_evidence, plain);
        }
      }
    }
  }
}

TEST(Evidence, prints_nine_digits_in_and_beyond_the_range_of_a_double) {
  EXPECT_EQ(format_evidence(uniform_log_evidence(10, 0)), "186.090909");
  EXPECT_EQ(format_evidence(0.0), "1");
  EXPECT_EQ(format_evidence(1000 * std::log(10.0) + std::log(1.5)), "1.5e+1000");
  EXPECT_EQ(format_evidence(-1000 * std::log(10.0) + std::log(2.5)), "2.5e-1000");
  EXPECT_EQ(format_evidence(std::log(9.999999999) + 400 * std::log(10.0)), "1e+401");
}

}  // namespace
}  // namespace duel
