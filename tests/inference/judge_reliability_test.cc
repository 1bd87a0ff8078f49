#include "duel/inference/judge_reliability.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duel/core/logistic.h"
#include "duel/core/rng.h"

namespace duel {
namespace {

// `count` answers of each judge to each pair, drawn from the model.
std::vector<DuelTable> drawn(const std::vector<double>& strength, const std::vector<double>& gamma,
                             std::size_t count, std::uint64_t seed) {
  std::vector<DuelTable> judges;
  for (std::size_t m = 0; m < gamma.size(); ++m) {
    RoundRng rng = Stream(seed, m, Purpose::answer, "judges").at(1);
    DuelTable& table = judges.emplace_back(strength.size());
    for (Arm i = 0; i < strength.size(); ++i) {
      for (Arm j = i + 1; j < strength.size(); ++j) {
        for (std::size_t k = 0; k < count; ++k) {
          const bool won = rng.uniform() < logistic(gamma[m] * (strength[i] - strength[j]));
          table.add_wins(won ? i : j, won ? j : i, 1);
        }
      }
    }
  }
  return judges;
}

// Expected counts in place of drawn ones: the maximum is what they come from, but for the priors,
// which weigh as hundredths of an answer against thousands.
TEST(JudgeReliability, finds_the_sharpness_of_each_judge) {
  const std::vector<double> strength{1, 0.2, -1.2}, gamma{2, 1, 0.5};  // geometric mean 1
  std::vector<DuelTable> judges;
  for (const double g : gamma) {
    DuelTable& table = judges.emplace_back(3);
    for (Arm i = 0; i < 3; ++i) {
      for (Arm j = 0; j < 3; ++j) {
        if (i != j) table.add_wins(i, j, 1e5 * logistic(g * (strength[i] - strength[j])));
      }
    }
  }
  const auto fit = fit_judge_reliability(judges);
  ASSERT_TRUE(fit.ok()) << fit.error().to_string();
  for (std::size_t m = 0; m < 3; ++m) EXPECT_NEAR(fit->gamma[m], gamma[m], 1e-3) << m;
  for (Arm i = 0; i < 3; ++i) EXPECT_NEAR(fit->strength[i], strength[i], 1e-3) << i;
}

// One of four answers against the others and one by a coin. The intervals of 99.9 % of their gamma
// are below 0 and around 0, those of the others above 0.
TEST(JudgeReliability, tells_who_answers_against_the_others_and_who_by_a_coin) {
  const auto fit = fit_judge_reliability(drawn({1, 0.4, -0.3, -1.1}, {1.2, 0.9, -0.8, 0}, 300, 5));
  ASSERT_TRUE(fit.ok()) << fit.error().to_string();
  EXPECT_GT(fit->interval(0, 0.001).lower, 0);
  EXPECT_GT(fit->interval(1, 0.001).lower, 0);
  EXPECT_LT(fit->interval(2, 0.001).upper, 0);
  EXPECT_TRUE(fit->interval(3, 0.001).contains(0));
  EXPECT_GT(fit->strength[0], fit->strength[3]);
}

// The intervals of 95 % cover what the answers were drawn from in 95 of 100 samples, give or take 4
// standard errors of that share, sqrt(.05 .95 / 400) = .011.
TEST(JudgeReliability, covers_the_truth_as_often_as_it_says) {
  const std::vector<double> gamma{2, 1, 0.5};
  std::vector<std::size_t> covered(3);
  const std::size_t kSamples = 400;
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    const auto fit = fit_judge_reliability(drawn({0.8, 0, -0.8}, gamma, 120, 100 + sample));
    ASSERT_TRUE(fit.ok());
    const double mean = (fit->gamma[0] + fit->gamma[1] + fit->gamma[2]) / 3;
    for (std::size_t m = 0; m < 3; ++m) {
      covered[m] += fit->interval(m, 0.05).contains(gamma[m] / (3.5 / 3) * mean) ? 1 : 0;
    }
  }
  for (const std::size_t one : covered) {
    EXPECT_NEAR(static_cast<double>(one) / kSamples, 0.95, 0.044);
  }
}

TEST(JudgeReliability, is_finite_where_a_judge_never_errs) {
  DuelTable sure(2), other(2);
  sure.add_wins(0, 1, 40);
  other.add_wins(0, 1, 30);
  other.add_wins(1, 0, 10);
  const auto fit = fit_judge_reliability({sure, other});
  ASSERT_TRUE(fit.ok());
  EXPECT_GT(fit->gamma[0], fit->gamma[1]);
  EXPECT_TRUE(std::isfinite(fit->gamma[0]) && std::isfinite(fit->gamma_standard_error[0]));
}

TEST(JudgeReliability, says_what_it_cannot_be_fitted_to) {
  DuelTable one(2), none(2), even(2);
  one.add_wins(0, 1, 5);
  EXPECT_FALSE(fit_judge_reliability({one, none}).ok());
  even.add_wins(0, 1, 50);
  even.add_wins(1, 0, 50);
  EXPECT_FALSE(fit_judge_reliability({even, even}).ok());
}

}  // namespace
}  // namespace duel
