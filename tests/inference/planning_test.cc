#include "duel/inference/planning.h"

#include <gtest/gtest.h>

#include <cmath>

namespace duel {
namespace {

TEST(Planning, has_the_published_value) {
  EXPECT_EQ(*fixed_n_duels(0.55, 0.05, 0.8), 617U);
  EXPECT_NEAR(least_mean_duels(0.6, 0.05), 148.8, 0.05);
}

TEST(Planning, names_what_is_out_of_range) {
  EXPECT_EQ(fixed_n_duels(0.5, 0.05, 0.8).error().to_string(),
            "win probability: 0.5 is out of range (1/2 < p <= 1)");
  EXPECT_EQ(fixed_n_duels(0.6, 0.7, 0.8).error().where, "alpha");
  EXPECT_EQ(fixed_n_duels(0.6, 1e-300, 0.8).error().where, "alpha");  // 1 - alpha is 1
  EXPECT_TRUE(fixed_n_duels(0.6, 1e-15, 0.8).ok());
  EXPECT_EQ(fixed_n_duels(0.6, 0.05, 1).error().where, "power");
  EXPECT_FALSE(fixed_n_duels(std::nan(""), 0.05, 0.8).ok());
  EXPECT_EQ(fixed_n_duels(0.5 + 1e-12, 0.05, 0.8).error().where, "win probability");
}

// z_0.95 = 1.644854. A power of one half needs no share of its own: at p = 1, n = (z/2)^2/(1/2)^2 =
// z^2 = 2.71; at p = 0.6, n = (z/2)^2/0.1^2 = 67.6.
TEST(Planning, takes_the_ends_of_its_ranges) {
  EXPECT_EQ(*fixed_n_duels(1, 0.05, 0.5), 3U);
  EXPECT_EQ(*fixed_n_duels(0.6, 0.05, 0.5), 68U);
  EXPECT_EQ(fixed_n_duels(1.0001, 0.05, 0.8).error().where, "win probability");
  EXPECT_EQ(fixed_n_duels(0.6, 0.5, 0.8).error().where, "alpha");
  EXPECT_EQ(fixed_n_duels(0.6, 0, 0.8).error().where, "alpha");
  EXPECT_EQ(fixed_n_duels(0.6, 0.05, 0.4999).error().where, "power");
  // (1.243/1e-9)^2 = 1.5e18 and (1.243/5e-10)^2 = 6.2e18, with 2^62 = 4.6e18 between them.
  EXPECT_TRUE(fixed_n_duels(0.5 + 1e-9, 0.05, 0.8).ok());
  EXPECT_EQ(fixed_n_duels(0.5 + 5e-10, 0.05, 0.8).error().where, "win probability");
}

// The exact power of the exact test at n = 617 and p = 0.55, by summing binomials: near 0.8.
TEST(Planning, gives_about_the_power_it_promises) {
  constexpr int n = 617;
  const auto tail = [](double p, int from) {
    double sum = 0;
    for (int s = from; s <= n; ++s) {
      sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(s + 1.0) - std::lgamma(n - s + 1.0) +
                      s * std::log(p) + (n - s) * std::log(1 - p));
    }
    return sum;
  };
  int critical = n / 2;
  while (tail(0.5, critical) > 0.05) ++critical;
  EXPECT_NEAR(tail(0.55, critical), 0.8, 0.02);
}

}  // namespace
}  // namespace duel
