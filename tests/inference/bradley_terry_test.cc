#include "duel/inference/bradley_terry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "duel/core/rng.h"

namespace duel {
namespace {

DuelTable traced() {
  DuelTable table(3);
  table.add_wins(0, 1, 3);
  table.add_wins(0, 2, 2);
  table.add_wins(1, 0, 1);
  table.add_wins(1, 2, 2);
  table.add_wins(2, 0, 1);
  table.add_wins(2, 1, 1);
  return table;
}

BradleyTerryFit fitted(const DuelTable& table, TieModel ties = TieModel::halves) {
  auto fit = fit_bradley_terry(table, {.ties = ties});
  EXPECT_TRUE(fit.ok()) << (fit.ok() ? "" : fit.error().to_string());
  return std::move(fit).value();
}

TEST(BradleyTerry, has_the_published_strengths) {
  const BradleyTerryFit fit = fitted(traced());
  EXPECT_NEAR(fit.strength[0], .559438, 1e-6);
  EXPECT_NEAR(fit.strength[1], .256099, 1e-6);
  EXPECT_NEAR(fit.strength[2], .184463, 1e-6);
  EXPECT_EQ(fit.added_wins, 0);
  EXPECT_NEAR(fit.log_strength[0] + fit.log_strength[1] + fit.log_strength[2], 0, 1e-12);
}

// At the maximum expected wins equal the wins: W_i = sum_j n_ij p_ij.
TEST(BradleyTerry, expects_the_wins_that_were_seen) {
  RoundRng rng = Stream(4, 0, Purpose::test, "bradley_terry").at(1);
  DuelTable table(8);
  for (Arm i = 0; i < 8; ++i) {
    for (Arm j = 0; j < 8; ++j) {
      if (i != j) table.add_wins(i, j, static_cast<double>(rng.below(30)));
    }
  }
  const BradleyTerryFit fit = fitted(table);
  for (Arm i = 0; i < 8; ++i) {
    double seen = 0, expected = 0;
    for (Arm j = 0; j < 8; ++j) {
      if (i == j) continue;
      seen += table.won(i, j);
      expected += (table.won(i, j) + table.won(j, i)) * fit.win_probability(i, j);
    }
    EXPECT_NEAR(seen, expected, 1e-8);
  }
}

// Two arms with w and l: u_0 - u_1 = ln(w/l), variance n/(w l).
TEST(BradleyTerry, two_arms_are_a_logarithm_of_odds) {
  DuelTable table(2);
  table.add_wins(0, 1, 30);
  table.add_wins(1, 0, 10);
  const BradleyTerryFit fit = fitted(table);
  EXPECT_NEAR(fit.log_strength[0] - fit.log_strength[1], std::log(3.0), 1e-10);
  const double se = std::sqrt(40.0 / 300.0);
  EXPECT_NEAR(fit.standard_error(0, 1), se, 1e-9);
  EXPECT_NEAR(fit.difference_interval(0, 1, 0.05).upper, std::log(3.0) + 1.959963985 * se, 1e-8);
  EXPECT_FALSE(fit.lack_of_fit) << "no degree of freedom is left";
  // Odds of three to one are 400 log10 3 points.
  EXPECT_NEAR(fit.elo(0, 1500) - fit.elo(1, 1500), 400 * std::log10(3.0), 1e-8);
  EXPECT_NEAR(fit.elo(0, 1500) + fit.elo(1, 1500), 3000, 1e-8);
}

TEST(BradleyTerry, reports_the_wins_it_adds_where_the_likelihood_has_no_maximum) {
  DuelTable table(3);  // 0 beat 1 beat 2: no way back
  table.add_wins(0, 1, 5);
  table.add_wins(1, 2, 5);
  const BradleyTerryFit fit = fitted(table);
  EXPECT_EQ(fit.added_wins, 0.1);
  EXPECT_FALSE(fit.lack_of_fit);
  // A chain: each pair fits alone, with odds 5.1 : 0.1.
  EXPECT_NEAR(fit.log_strength[0] - fit.log_strength[1], std::log(51.0), 1e-9);
  EXPECT_NEAR(fit.log_strength[1] - fit.log_strength[2], std::log(51.0), 1e-9);
}

TEST(BradleyTerry, names_arms_that_nothing_links_and_counts_that_are_none) {
  DuelTable apart(4);
  apart.add_wins(0, 1, 5);
  apart.add_wins(2, 3, 5);
  EXPECT_EQ(fit_bradley_terry(apart).error().message, "no chain of duels links arm 0 and arm 2");
  BradleyTerryOptions named;
  for (std::size_t arm = 0; arm < apart.num_arms; ++arm) {
    named.names.emplace_back(1, static_cast<char>('p' + arm));
  }
  EXPECT_EQ(fit_bradley_terry(apart, named).error().message, "no chain of duels links 'p' and 'r'");
  DuelTable wrong = traced();
  wrong.add_wins(1, 2, -7);
  EXPECT_EQ(fit_bradley_terry(wrong).error().to_string(),
            "arms 1 and 2: -5 is no count (at least 0)");
  EXPECT_FALSE(fit_bradley_terry(DuelTable(1)).ok());
}

// A cycle 9:1 round: by symmetry all strengths are equal, so the statistic is
// 2 * 3 * (9 ln(.9/.5) + 1 ln(.1/.5)) with 3 - 2 degrees of freedom.
TEST(BradleyTerry, lack_of_fit_sees_a_cycle) {
  DuelTable table(3);
  for (Arm i = 0; i < 3; ++i) {
    table.add_wins(i, (i + 1) % 3, 9);
    table.add_wins((i + 1) % 3, i, 1);
  }
  const BradleyTerryFit fit = fitted(table);
  ASSERT_TRUE(fit.lack_of_fit);
  const double statistic = 6 * (9 * std::log(1.8) + std::log(0.2));
  EXPECT_NEAR(fit.lack_of_fit->statistic, statistic, 1e-8);
  EXPECT_EQ(fit.lack_of_fit->degrees, 1U);
  EXPECT_NEAR(fit.lack_of_fit->p_value, std::erfc(std::sqrt(statistic / 2)), 1e-10);
}

TEST(TieModels, have_the_published_chances) {
  const TieChances davidson = davidson_chances(2, 1, 0.5);
  EXPECT_NEAR(davidson.first, .53950, 5e-6);
  EXPECT_NEAR(davidson.second, .26975, 5e-6);
  EXPECT_NEAR(davidson.tie, .19074, 1e-5);
  const TieChances rao = rao_kupper_chances(2, 1, 1.5);
  EXPECT_NEAR(rao.first, .57143, 5e-6);
  EXPECT_NEAR(rao.second, .25, 1e-12);
  EXPECT_NEAR(rao.tie, .17857, 5e-6);
}

// Tables filled with the models' own expected counts: the fit must return the parameters, fit
// perfectly, and a step in any direction must lower the likelihood.
TEST(TieModels, recover_their_parameters_from_expected_counts) {
  const std::vector<double> pi = {0.5, 0.3, 0.15, 0.05};
  for (const TieModel model : {TieModel::davidson, TieModel::rao_kupper}) {
    const double parameter = model == TieModel::davidson ? 0.7 : 1.8;
    DuelTable table(4);
    for (Arm i = 0; i < 4; ++i) {
      for (Arm j = i + 1; j < 4; ++j) {
        const TieChances chances = model == TieModel::davidson
                                       ? davidson_chances(pi[i], pi[j], parameter)
                                       : rao_kupper_chances(pi[i], pi[j], parameter);
        table.add_wins(i, j, 100 * chances.first);
        table.add_wins(j, i, 100 * chances.second);
        table.add_ties(i, j, 100 * chances.tie);
      }
    }
    const BradleyTerryFit fit = fitted(table, model);
    EXPECT_NEAR(fit.tie_parameter, parameter, 1e-8);
    for (Arm i = 0; i < 4; ++i) EXPECT_NEAR(fit.strength[i], pi[i], 1e-8);
    ASSERT_TRUE(fit.lack_of_fit);
    EXPECT_NEAR(fit.lack_of_fit->statistic, 0, 1e-8);
    EXPECT_EQ(fit.lack_of_fit->degrees, 8U);  // 6 pairs, 2 each; 3 strengths and 1 tie parameter
    EXPECT_GT(fit.standard_error(0, 3), 0);
  }
}

// Two arms, Davidson: w : t : l = 8 : 4 : 2 is fitted exactly by odds 4 and nu = t/sqrt(w l) = 1.
// The variance of d = ln(w/l) is 1/w + 1/l. Rao-Kupper: (w+t)(l+t)/(w l) = theta^2 = 12 * 6/16.
TEST(TieModels, fit_two_arms_exactly) {
  DuelTable table(2);
  table.add_wins(0, 1, 8);
  table.add_wins(1, 0, 2);
  table.add_ties(0, 1, 4);
  const BradleyTerryFit davidson = fitted(table, TieModel::davidson);
  EXPECT_NEAR(davidson.tie_parameter, 1, 1e-9);
  EXPECT_NEAR(davidson.log_strength[0] - davidson.log_strength[1], std::log(4.0), 1e-9);
  EXPECT_NEAR(davidson.standard_error(0, 1), std::sqrt(1 / 8.0 + 1 / 2.0), 1e-8);
  const BradleyTerryFit rao = fitted(table, TieModel::rao_kupper);
  EXPECT_NEAR(rao.tie_parameter, std::sqrt(72.0 / 16.0), 1e-9);
  // e^d = sqrt(w (w+t)/(l (l+t))) of counts that are multinomial: by the delta method the variance
  // of d is w D_w^2 + l D_l^2 + t D_t^2 with the derivatives D, since w D_w + l D_l + t D_t = 0.
  EXPECT_NEAR(rao.log_strength[0] - rao.log_strength[1], 0.5 * std::log(8 * 12 / (2 * 6.0)), 1e-9);
  const double by_won = (1 / 8.0 + 1 / 12.0) / 2, by_lost = (1 / 2.0 + 1 / 6.0) / 2;
  const double by_tied = (1 / 12.0 - 1 / 6.0) / 2;
  EXPECT_NEAR(rao.standard_error(0, 1),
              std::sqrt(8 * by_won * by_won + 2 * by_lost * by_lost + 4 * by_tied * by_tied), 1e-8);
}

TEST(TieModels, without_ties_are_plain_bradley_terry) {
  const BradleyTerryFit plain = fitted(traced());
  const BradleyTerryFit davidson = fitted(traced(), TieModel::davidson);
  const BradleyTerryFit rao = fitted(traced(), TieModel::rao_kupper);
  EXPECT_EQ(davidson.strength, plain.strength);
  EXPECT_EQ(rao.strength, plain.strength);
  EXPECT_EQ(davidson.tie_parameter, 0);
  EXPECT_EQ(rao.tie_parameter, 1);
}

// 3 wins and 2 ties, never a loss: odds and ties could grow together for ever.
TEST(TieModels, add_wins_where_ties_alone_lead_back) {
  DuelTable table(2);
  table.add_wins(0, 1, 3);
  table.add_ties(0, 1, 2);
  for (const TieModel model : {TieModel::davidson, TieModel::rao_kupper}) {
    EXPECT_EQ(fitted(table, model).added_wins, 0.1);
  }
  EXPECT_EQ(fitted(table).added_wins, 0);  // halves: 4 to 1
  DuelTable only_ties(2);
  only_ties.add_ties(0, 1, 7);
  for (const TieModel model : {TieModel::davidson, TieModel::rao_kupper}) {
    const BradleyTerryFit fit = fitted(only_ties, model);
    EXPECT_EQ(fit.added_wins, 0.1);
    EXPECT_NEAR(fit.log_strength[0], 0, 1e-9);
  }
}

BradleyTerryFit fitted_with_prior(const DuelTable& table, double shape, double rate = 1,
                                  TieModel ties = TieModel::halves) {
  auto fit = fit_bradley_terry(table, {.ties = ties, .prior = GammaPrior{shape, rate}});
  EXPECT_TRUE(fit.ok()) << (fit.ok() ? "" : fit.error().to_string());
  return std::move(fit).value();
}

// With x = pi_0/(pi_0 + pi_1) the posterior is x^(w + a - 1) (1 - x)^(l + a - 1) and a function of
// the sum alone: odds (w + a - 1)/(l + a - 1), and the variance of their logarithm as of so many
// wins.
TEST(BradleyTerryPrior, two_arms_are_a_logarithm_of_odds_with_wins_added) {
  for (const auto& [won, lost] : std::vector<std::pair<double, double>>{{30, 10}, {7, 0}, {0, 0}}) {
    DuelTable table(2);
    table.add_wins(0, 1, won);
    table.add_wins(1, 0, lost);
    const double a = 1.7;
    const BradleyTerryFit fit = fitted_with_prior(table, a);
    const double w = won + a - 1, l = lost + a - 1;
    EXPECT_NEAR(fit.log_strength[0] - fit.log_strength[1], std::log(w / l), 1e-9);
    EXPECT_NEAR(fit.standard_error(0, 1), std::sqrt((w + l) / (w * l)), 1e-8);
    ASSERT_TRUE(fit.prior);
    EXPECT_EQ(fit.prior->shape, a);
    EXPECT_EQ(fit.added_wins, 0);
    EXPECT_FALSE(fit.lack_of_fit);
    EXPECT_NEAR(fit.log_likelihood,
                won * std::log(w / (w + l)) + (lost > 0 ? lost * std::log(l / (w + l)) : 0), 1e-9);
  }
}

// The posterior as it is written, likelihood times Gamma densities of pi, climbed one strength at a
// time by golden sections: no scale is taken out and no derivative is used.
std::vector<double> brute_force_mode(const DuelTable& table, const GammaPrior& prior) {
  const auto arms = static_cast<Arm>(table.num_arms);
  std::vector<double> u(arms, 0.0);
  const auto value = [&] {
    double sum = 0;
    for (Arm i = 0; i < arms; ++i) {
      sum += (prior.shape - 1) * u[i] - prior.rate * std::exp(u[i]);
      for (Arm j = 0; j < arms; ++j) {
        if (i != j)
          sum -= (table.won(i, j) + table.tied(i, j) / 2) * std::log1p(std::exp(u[j] - u[i]));
      }
    }
    return sum;
  };
  for (int sweep = 0; sweep < 400; ++sweep) {
    for (Arm i = 0; i < arms; ++i) {
      double low = u[i] - 3, high = u[i] + 3;
      const double golden = (std::sqrt(5.0) - 1) / 2;
      while (high - low > 1e-9) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        u[i] = left;
        const double at_left = value();
        u[i] = right;
        if (at_left < value()) {
          low = left;
        } else {
          high = right;
        }
      }
      u[i] = (low + high) / 2;
    }
  }
  return u;
}

// Golden sections see a maximum of height h to sqrt(eps |h|), about 1e-6 here. The rate only sets
// the scale. The last table has an arm that always won, two groups that nothing links, and an arm
// without duels.
TEST(BradleyTerryPrior, is_the_mode_of_the_posterior_by_brute_force) {
  DuelTable apart(6);
  apart.add_wins(0, 1, 5);
  apart.add_wins(1, 2, 4);
  apart.add_wins(2, 1, 1);
  apart.add_wins(3, 4, 3);
  apart.add_ties(3, 4, 2);
  for (const DuelTable& table : {traced(), apart}) {
    for (const GammaPrior prior : {GammaPrior{1.3, 1}, GammaPrior{2, 1}, GammaPrior{4, 0.5}}) {
      const BradleyTerryFit fit = fitted_with_prior(table, prior.shape, prior.rate);
      const std::vector<double> mode = brute_force_mode(table, prior);
      double mean_strength = 0;
      for (Arm i = 0; i < table.num_arms; ++i) {
        mean_strength += std::exp(mode[i]) / static_cast<double>(table.num_arms);
        EXPECT_NEAR(fit.log_strength[i] - fit.log_strength[0], mode[i] - mode[0], 2e-5)
            << prior.shape << " " << i;
      }
      EXPECT_NEAR(mean_strength, (prior.shape - 1) / prior.rate, 1e-4);
    }
  }
}

// The mode moves by O(a - 1): a tenfold smaller weight, a tenfold smaller distance.
TEST(BradleyTerryPrior, tends_to_maximum_likelihood_as_it_vanishes) {
  const BradleyTerryFit plain = fitted(traced());
  double last = 1;
  for (const double weight : {1e-2, 1e-3, 1e-4, 1e-5}) {
    const BradleyTerryFit fit = fitted_with_prior(traced(), 1 + weight);
    double distance = 0;
    for (Arm i = 0; i < 3; ++i) {
      distance = std::max(distance, std::abs(fit.log_strength[i] - plain.log_strength[i]));
    }
    EXPECT_LT(distance, weight);
    EXPECT_LT(distance, 0.12 * last);
    last = distance;
    EXPECT_NEAR(fit.standard_error(0, 2), plain.standard_error(0, 2), weight);
  }
}

// The covariance of differences is that of the whole posterior, scale and all: the inverse of
// H + diag(b pi) at the mode, by central differences of nothing but its definition.
TEST(BradleyTerryPrior, has_the_curvature_of_the_whole_posterior) {
  const double a = 2.5;
  const BradleyTerryFit fit = fitted_with_prior(traced(), a);
  // b = 1: strengths at the mode sum to 3 (a - 1).
  std::vector<double> h(9, 0.0);
  for (Arm i = 0; i < 3; ++i) {
    h[i * 3 + i] += fit.strength[i] * 3 * (a - 1);
    for (Arm j = 0; j < 3; ++j) {
      if (i == j) continue;
      const double n = traced().won(i, j) + traced().won(j, i);
      const double pq = fit.win_probability(i, j) * fit.win_probability(j, i);
      h[i * 3 + i] += n * pq;
      h[i * 3 + j] -= n * pq;
    }
  }
  // Inverse of a symmetric 3 x 3 by cofactors; the variance of u_0 - u_1.
  const double c00 = h[4] * h[8] - h[5] * h[7], c01 = h[5] * h[6] - h[3] * h[8];
  const double c02 = h[3] * h[7] - h[4] * h[6];
  const double c11 = h[0] * h[8] - h[2] * h[6];
  const double det = h[0] * c00 + h[1] * c01 + h[2] * c02;
  EXPECT_NEAR(fit.standard_error(0, 1), std::sqrt((c00 + c11 - 2 * c01) / det), 1e-9);
}

TEST(BradleyTerryPrior, holds_the_models_with_ties) {
  DuelTable table(3);  // never a loss of arm 0, and arm 2 without duels
  table.add_wins(0, 1, 3);
  table.add_ties(0, 1, 2);
  for (const TieModel model : {TieModel::davidson, TieModel::rao_kupper}) {
    const BradleyTerryFit fit = fitted_with_prior(table, 2, 1, model);
    EXPECT_EQ(fit.added_wins, 0);
    EXPECT_GT(fit.log_strength[0], fit.log_strength[2]);
    EXPECT_GT(fit.log_strength[2], fit.log_strength[1]);
    EXPECT_GT(fit.tie_parameter, 0);
    EXPECT_LT(fit.tie_parameter, 100);
    DuelTable only_ties(2);
    only_ties.add_ties(0, 1, 7);
    EXPECT_EQ(fitted_with_prior(only_ties, 2, 1, model).added_wins, 0.1);
    only_ties.add_wins(1, 0, 1);  // one decisive duel is enough
    EXPECT_EQ(fitted_with_prior(only_ties, 2, 1, model).added_wins, 0);
  }
}

TEST(BradleyTerryPrior, refuses_a_prior_without_a_mode) {
  const auto refused = [](double shape, double rate) {
    return fit_bradley_terry(traced(), {.prior = GammaPrior{shape, rate}}).error().to_string();
  };
  EXPECT_EQ(refused(1, 1),
            "option shape: 1 is out of range (above 1, since the strengths have no mode above 0 "
            "otherwise)");
  EXPECT_EQ(refused(2, 0), "option rate: 0 is out of range (above 0)");
}

// Intervals at a fixed number of duels: 300 tables of 3 arms, 100 duels a pair. The 95 % interval
// of u_0 - u_1 covers in 95 % +- 5 sqrt(.05 .95/300) = 6.3 %.
TEST(BradleyTerry, intervals_cover_at_a_fixed_number_of_duels) {
  const std::vector<double> pi = {3, 2, 1};
  int covered = 0;
  for (std::uint32_t trial = 0; trial < 300; ++trial) {
    RoundRng rng = Stream(9, trial, Purpose::test, "coverage").at(1);
    DuelTable table(3);
    for (Arm i = 0; i < 3; ++i) {
      for (Arm j = i + 1; j < 3; ++j) {
        for (int k = 0; k < 100; ++k) {
          const bool first = rng.bernoulli(pi[i] / (pi[i] + pi[j]));
          table.add_wins(first ? i : j, first ? j : i, 1);
        }
      }
    }
    const BradleyTerryFit fit = fitted(table);
    covered += fit.difference_interval(0, 1, 0.05).contains(std::log(1.5)) ? 1 : 0;
  }
  EXPECT_NEAR(covered / 300.0, 0.95, 0.063);
}

}  // namespace
}  // namespace duel
