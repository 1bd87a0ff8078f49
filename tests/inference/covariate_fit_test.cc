#include "duel/inference/covariate_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duel/core/logistic.h"
#include "duel/core/rng.h"

namespace duel {
namespace {

double uniform_of(RoundRng& rng) { return rng.uniform(); }
Arm arm(std::size_t number) { return static_cast<Arm>(number % 3); }

// Two arms and no covariate: the strengths are half the log-odds of the share each way, and with
// each answer a cluster of its own the standard error is that of a share, by the delta method.
TEST(CovariateFit, of_two_arms_is_the_log_odds_of_their_share) {
  std::vector<CovariateAnswer> answers;
  const std::size_t n = 4000;
  for (std::size_t k = 0; k < n; ++k) {
    answers.push_back(
        {.first = static_cast<Arm>(k % 2), .second = static_cast<Arm>(1 - k % 2), .cluster = k});
    const bool zero_wins = k % 10 < 7;
    answers.back().share = zero_wins == (k % 2 == 0) ? 1 : 0;
  }
  const auto fit = fit_with_covariates(2, {}, answers);
  ASSERT_TRUE(fit.ok()) << fit.error().to_string();
  // A prior of a hundredth of an answer moves it by about .01 / (n p (1 - p)).
  EXPECT_NEAR(fit->strength[0] - fit->strength[1], std::log(0.7 / 0.3), 1e-4);
  EXPECT_NEAR(fit->strength[0] + fit->strength[1], 0, 1e-9);
  EXPECT_NEAR(fit->standard_error(0, 1), 1 / std::sqrt(n * 0.21) * std::sqrt(n / (n - 1.0)), 1e-5);
}

// What an answer repeats is no news: every answer twice in its cluster leaves the errors as they
// are, and twice as clusters of their own makes them smaller by the square root of two.
TEST(CovariateFit, counts_a_cluster_once) {
  std::vector<CovariateAnswer> once, together, apart;
  RoundRng rng = Stream(1, 0, Purpose::answer, "covariates").at(1);
  for (std::size_t k = 0; k < 600; ++k) {
    const double x = 2 * uniform_of(rng) - 1;
    CovariateAnswer answer{.first = arm(k), .second = arm(k + 1), .differences = {x}, .cluster = k};
    answer.share = uniform_of(rng) < logistic(0.3 + x) ? 1 : 0;
    once.push_back(answer);
    for (int copy = 0; copy < 2; ++copy) {
      together.push_back(answer);
      apart.push_back(answer);
      apart.back().cluster = 2 * k + static_cast<std::size_t>(copy);
    }
  }
  const auto one = fit_with_covariates(3, {"x"}, once),
             two = fit_with_covariates(3, {"x"}, together),
             both = fit_with_covariates(3, {"x"}, apart);
  ASSERT_TRUE(one.ok() && two.ok() && both.ok());
  EXPECT_NEAR(two->effect_standard_error(0) / one->effect_standard_error(0), 1, 1e-3);
  EXPECT_NEAR(both->effect_standard_error(0) / one->effect_standard_error(0), std::sqrt(0.5), 2e-3);
}

// Answers drawn from the model: what was put in comes out, and intervals of 95 % cover it in 95 of
// 100 samples. The bound is 4 standard errors of that share, sqrt(.05 .95 / 400) = .011.
TEST(CovariateFit, finds_what_answers_were_drawn_from) {
  const std::vector<double> strength{0.8, 0, -0.8};
  const double beta = 0.7;
  std::size_t covered_effect = 0, covered_strength = 0;
  const std::size_t kSamples = 400;
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    RoundRng rng = Stream(7, sample, Purpose::answer, "covariates").at(1);
    std::vector<CovariateAnswer> answers;
    for (std::size_t k = 0; k < 900; ++k) {
      CovariateAnswer answer{.first = arm(k), .second = arm(k + 1 + (k / 3) % 2), .cluster = k};
      const double x = 20 * (uniform_of(rng) - 0.5);
      answer.differences = {x};
      // A uniform number of width 20 has a root mean square of 20 / sqrt(12).
      const double odds =
          strength[answer.first] - strength[answer.second] + beta * x / (20 / std::sqrt(12.0));
      answer.share = uniform_of(rng) < logistic(odds) ? 1 : 0;
      answers.push_back(std::move(answer));
    }
    const auto fit = fit_with_covariates(3, {"length"}, answers);
    ASSERT_TRUE(fit.ok());
    covered_effect += fit->effect_interval(0, 0.05).contains(beta) ? 1 : 0;
    covered_strength += fit->difference_interval(0, 2, 0.05).contains(1.6) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(covered_effect) / kSamples, 0.95, 0.044);
  EXPECT_NEAR(static_cast<double>(covered_strength) / kSamples, 0.95, 0.044);
}

// The judge prefers what is longer, and arm 1 is longer: without the covariate arm 1 is ahead, with
// it nobody is.
TEST(CovariateFit, takes_from_an_arm_what_its_length_explains) {
  std::vector<CovariateAnswer> plain, styled;
  for (std::size_t k = 0; k < 2000; ++k) {
    RoundRng rng = Stream(3, 0, Purpose::answer, "covariates").at(k + 1);
    const double longer = 100 + 200 * (uniform_of(rng) - 0.5);  // arm 1 over arm 0
    CovariateAnswer answer{.first = 0, .second = 1, .cluster = k};
    answer.share = uniform_of(rng) < logistic(-longer / 100) ? 1 : 0;
    plain.push_back(answer);
    answer.differences = {-longer};
    styled.push_back(answer);
  }
  const auto without = fit_with_covariates(2, {}, plain),
             with = fit_with_covariates(2, {"length"}, styled);
  ASSERT_TRUE(without.ok() && with.ok());
  EXPECT_GT(without->difference_interval(1, 0, 0.001).lower, 0);
  EXPECT_TRUE(with->difference_interval(1, 0, 0.001).contains(0));
  EXPECT_GT(with->effect_interval(0, 0.001).lower, 0);
}

TEST(CovariateFit, is_finite_where_every_answer_goes_one_way) {
  std::vector<CovariateAnswer> answers;
  for (std::size_t k = 0; k < 50; ++k) {
    answers.push_back({.first = 0, .second = 1, .share = 1, .differences = {1.0}, .cluster = k});
  }
  const auto fit = fit_with_covariates(2, {"length"}, answers);
  ASSERT_TRUE(fit.ok());
  EXPECT_TRUE(std::isfinite(fit->strength[0]) && std::isfinite(fit->standard_error(0, 1)));
  EXPECT_GT(fit->strength[0], fit->strength[1]);
}

TEST(CovariateFit, says_what_it_cannot_be_fitted_to) {
  const std::vector<CovariateAnswer> one{{.first = 0, .second = 1, .share = 1, .differences = {1}}};
  EXPECT_FALSE(fit_with_covariates(2, {"length"}, one).ok());
  std::vector<CovariateAnswer> flat{{.first = 0, .second = 1, .share = 1, .differences = {0.0}},
                                    {.first = 0, .second = 1, .differences = {0.0}, .cluster = 1}};
  const auto fit = fit_with_covariates(2, {"length"}, flat);
  ASSERT_FALSE(fit.ok());
  EXPECT_NE(fit.error().message.find("'length' never differs"), std::string::npos);
}

}  // namespace
}  // namespace duel
