// Bradley-Terry with the effect of places.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "duel/core/rng.h"
#include "duel/inference/bradley_terry.h"

namespace duel {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// Two arms in both orders: ln(w/l) of the two tables are d + g and -d + g, so that both are known
// in closed form, with variance (V1 + V2)/4, V = 1/w + 1/l.
TEST(PositionEffect, of_two_arms_is_half_the_sum_of_two_logarithms_of_odds) {
  ShownTable table(2);
  table.add(0, 1, 60, 20, 0);
  table.add(1, 0, 30, 50, 0);
  const auto fit = fit_bradley_terry_with_position(table);
  ASSERT_TRUE(fit.ok()) << fit.error().to_string();
  const double shown_first = std::log(60.0 / 20), shown_second = std::log(30.0 / 50);
  ASSERT_TRUE(fit->position);
  EXPECT_NEAR(fit->position->log_odds, (shown_first + shown_second) / 2, 1e-9);
  EXPECT_NEAR(fit->log_strength[0] - fit->log_strength[1], (shown_first - shown_second) / 2, 1e-9);
  const double se = std::sqrt(1.0 / 60 + 1.0 / 20 + 1.0 / 30 + 1.0 / 50) / 2;
  EXPECT_NEAR(fit->position->standard_error, se, 1e-8);
  EXPECT_NEAR(fit->standard_error(0, 1), se, 1e-8);
  EXPECT_NEAR(fit->position->first_wins_against_equal(), logistic((shown_first + shown_second) / 2),
              1e-9);
  EXPECT_NEAR(fit->position->interval(0.05).upper - fit->position->log_odds, 1.959964 * se, 1e-6);
}

// Where each arm was shown first as often as second with the same answers, places do nothing and
// the strengths are those of the fit without them.
TEST(PositionEffect, of_balanced_answers_is_zero) {
  ShownTable shown(3);
  DuelTable table(3);
  constexpr std::array<std::array<double, 4>, 3> kPairs = {
      {{0, 1, 12, 5}, {0, 2, 20, 6}, {1, 2, 9, 8}}};
  for (const auto& [i, j, won, lost] : kPairs) {
    const auto a = static_cast<Arm>(i), b = static_cast<Arm>(j);
    shown.add(a, b, won, lost, 2);
    shown.add(b, a, lost, won, 2);
    table.add_wins(a, b, 2 * won);
    table.add_wins(b, a, 2 * lost);
    table.add_ties(a, b, 4);
  }
  for (const TieModel ties : {TieModel::halves, TieModel::davidson, TieModel::rao_kupper}) {
    const auto with = fit_bradley_terry_with_position(shown, {.ties = ties});
    const auto without = fit_bradley_terry(table, {.ties = ties});
    ASSERT_TRUE(with.ok() && without.ok());
    EXPECT_NEAR(with->position->log_odds, 0, 1e-9);
    EXPECT_NEAR(with->tie_parameter, without->tie_parameter, 1e-8);
    for (Arm i = 0; i < 3; ++i) {
      EXPECT_NEAR(with->log_strength[i], without->log_strength[i], 1e-9);
      for (Arm j = 0; j < 3; ++j) {
        EXPECT_NEAR(with->standard_error(i, j), without->standard_error(i, j), 1e-8);
      }
    }
  }
}

struct World {
  std::vector<double> u;
  double effect = 0;
};

ShownTable played(const World& world, std::uint64_t duels, std::uint64_t trial) {
  RoundRng rng = Stream(11, static_cast<std::uint32_t>(trial), Purpose::test, "position").at(1);
  ShownTable table(world.u.size());
  for (std::uint64_t k = 0; k < duels; ++k) {
    const auto i = static_cast<Arm>(rng.below(world.u.size()));
    auto j = static_cast<Arm>(rng.below(world.u.size() - 1));
    if (j >= i) ++j;
    const bool first = rng.bernoulli(logistic(world.u[i] - world.u[j] + world.effect));
    table.add(i, j, first ? 1 : 0, first ? 0 : 1, 0);
  }
  return table;
}

// The interval of 95 % covers the known effect in so many of 400 trials: 380 on average, standard
// error sqrt(400 * .05 * .95) = 4.36. An error of a factor of 1.3 in the width would cover 87.5 or
// 98.9 %, outside of 5 standard errors at the first and barely inside at the second; the mean's own
// spread against the stated standard error settles that side.
TEST(PositionEffect, is_found_with_honest_intervals_in_simulated_duels) {
  const World world{.u = {0.8, 0.3, 0, -0.2, -0.9}, .effect = 0.35};
  constexpr int kTrials = 400;
  int covered = 0;
  double sum = 0, sum_of_squares = 0, stated = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto fit = fit_bradley_terry_with_position(played(world, 600, trial));
    ASSERT_TRUE(fit.ok()) << fit.error().to_string();
    covered += fit->position->interval(0.05).contains(world.effect) ? 1 : 0;
    sum += fit->position->log_odds;
    sum_of_squares += std::pow(fit->position->log_odds - world.effect, 2);
    stated += fit->position->standard_error;
  }
  const double n = kTrials;
  const double se = stated / n;
  EXPECT_NEAR(covered / n, 0.95, 5 * std::sqrt(0.95 * 0.05 / n));
  // The estimate's bias is of the order 1/duels, below a tenth of its standard error.
  EXPECT_NEAR(sum / n, world.effect, (5 / std::sqrt(n) + 0.1) * se);
  // A standard deviation of n normal values is known to a part of 1/sqrt(2 n).
  EXPECT_NEAR(std::sqrt(sum_of_squares / n) / se, 1, 5 / std::sqrt(2 * n));
}

// Unless places are taken into account, an arm that was always shown first seems strong.
TEST(PositionEffect, leaves_the_strengths_to_the_arms) {
  ShownTable table(3);
  RoundRng rng = Stream(12, 0, Purpose::test, "position").at(1);
  for (int k = 0; k < 30000; ++k) {
    const auto i = static_cast<Arm>(rng.below(3));
    auto j = static_cast<Arm>(rng.below(2));
    if (j >= i) ++j;
    if (j == 0 && rng.bernoulli(0.8)) continue;  // arm 0 is mostly shown first
    const bool first = rng.bernoulli(logistic(0.6));
    table.add(i, j, first ? 1 : 0, first ? 0 : 1, 0);
  }
  DuelTable blind(3);
  for (Arm i = 0; i < 3; ++i) {
    for (Arm j = 0; j < 3; ++j) {
      blind.add_wins(i, j, table.first_wins[i * 3 + j]);
      blind.add_wins(j, i, table.second_wins[i * 3 + j]);
    }
  }
  const auto without = fit_bradley_terry(blind);
  const auto with = fit_bradley_terry_with_position(table);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_GT(without->difference_interval(0, 1, 1e-6).lower, 0) << "arms are equal in truth";
  EXPECT_NEAR(with->log_strength[0] - with->log_strength[1], 0, 5 * with->standard_error(0, 1));
  EXPECT_NEAR(with->position->log_odds, 0.6, 5 * with->position->standard_error);
}

// The literal twin of the criterion: the likelihood of tiny tables is maximised on a grid, and
// where the best point lies on the edge of a large box or is not alone, it is not determined.
bool determined_by_search(const ShownTable& table) {
  const auto value = [&](double d, double g) {
    double sum = 0;
    const auto add = [&](double count, double x) {
      if (count > 0) sum += count * std::log(logistic(x));
    };
    add(table.first_wins[1], d + g);
    add(table.second_wins[1], -d - g);
    add(table.first_wins[2], -d + g);
    add(table.second_wins[2], d - g);
    return sum;
  };
  // On every ray from the origin the value must fall in the end; by concavity that is enough.
  for (int k = 0; k < 360; ++k) {
    const double angle = k * 3.14159265358979 / 180;
    const double d = std::cos(angle), g = std::sin(angle);
    if (value(30 * d, 30 * g) >= value(20 * d, 20 * g) - 1e-7) return false;
  }
  return true;
}

TEST(PositionEffect, says_exactly_when_the_duels_do_not_determine_it) {
  for (int bits = 0; bits < 16; ++bits) {
    ShownTable table(2);
    table.add(0, 1, bits & 1 ? 3 : 0, bits & 2 ? 2 : 0, 0);
    table.add(1, 0, bits & 4 ? 4 : 0, bits & 8 ? 1 : 0, 0);
    if (bits == 0) continue;
    const auto fit = fit_bradley_terry_with_position(table);
    if (determined_by_search(table)) {
      ASSERT_TRUE(fit.ok()) << bits;
      EXPECT_EQ(fit->added_wins, 0) << bits;
    } else if (fit.ok()) {
      EXPECT_GT(fit->added_wins, 0) << bits;
    } else {
      EXPECT_EQ(fit.error().where, "position") << fit.error().to_string();
    }
  }
}

TEST(PositionEffect, of_a_fixed_order_of_two_arms_is_refused) {
  ShownTable table(2);
  table.add(0, 1, 30, 12, 0);
  const auto fit = fit_bradley_terry_with_position(table);
  ASSERT_FALSE(fit.ok());
  EXPECT_EQ(fit.error().to_string(),
            "position: the duels do not determine the effect of places (some pairs must be shown "
            "in both orders, ideally at random)");
  // A prior holds the strengths together, so that the rest is the places'.
  EXPECT_TRUE(fit_bradley_terry_with_position(table, {.prior = GammaPrior{}}).ok());
}

}  // namespace
}  // namespace duel
