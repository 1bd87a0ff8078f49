#include "duel/continuous/preference_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "duel/continuous/cosine_features.h"
#include "duel/core/archive.h"
#include "duel/core/rng.h"
#include "duel/core/turns.h"

namespace duel {
namespace {

using Numbers = std::vector<double>;

TEST(Turns, agree_with_the_library_over_many_turns) {
  const double two_pi = 6.283185307179586;
  for (int k = -4000; k <= 4000; ++k) {
    const double t = k / 1000.0;
    EXPECT_NEAR(cosine_of_turns(t), std::cos(two_pi * t), 1e-13) << t;
    EXPECT_NEAR(sine_of_turns(t), std::sin(two_pi * t), 1e-13) << t;
  }
  EXPECT_EQ(cosine_of_turns(0.25), 0);
  EXPECT_EQ(cosine_of_turns(7), cosine_of_turns(0));
}

TEST(CosineFeatures, have_length_one_and_are_alike_where_points_are) {
  const CosineFeatures features =
      CosineFeatures::drawn(2, 4096, 0.5, Stream(1, 0, Purpose::test).at(1));
  const auto product = [&](const Numbers& a, const Numbers& b) {
    const Numbers x = features.at(a), y = features.at(b);
    double sum = 0;
    for (std::size_t m = 0; m < x.size(); ++m) sum += x[m] * y[m];
    return sum;
  };
  EXPECT_NEAR(product({0.3, 0.7}, {0.3, 0.7}), 1, 1e-12);
  // exp(-|x - y|^2 / (2 l^2)) with |x - y| = 0.5; the mean of 4096 cosines, each of variance below
  // 1/2, has a standard error below 0.0111: five of them.
  EXPECT_NEAR(product({0.2, 0.1}, {0.5, 0.5}), std::exp(-0.5), 0.056);
}

// The trace of the specification: one dimension, two frequencies, three steps an answer.
struct Traced {
  CosineFeatures features{1, {0.5, 1.25}};
  PreferenceFit fit = make();

  PreferenceFit make() const {
    Numbers prior = features.at(Numbers{0.5});
    for (double& value : prior) value *= 2;
    return PreferenceFit(prior);
  }
  void answer(double first, double second, double y) {
    fit.add(features.difference(Numbers{first}, Numbers{second}), y, 3);
  }
  double mean(double x) const {
    const Numbers phi = features.at(Numbers{x});
    double sum = 0;
    for (std::size_t m = 0; m < phi.size(); ++m) sum += phi[m] * fit.theta()[m];
    return sum;
  }
};

TEST(PreferenceFit, follows_the_trace_worked_out_elsewhere) {
  Traced traced;
  struct Step {
    double first, second, y;
    std::array<double, 4> theta, diagonal;
  };
  const std::vector<Step> steps = {{.20,
                                    .80,
                                    1,
                                    {.368576505, -1.227792807, 1.414213562, -.772207193},
                                    {1.152065210, 1.046030302, 1.000000000, 1.042148302}},
                                   {.25,
                                    .50,
                                    1,
                                    {.554302232, -1.020217258, 1.290215294, -.151947214},
                                    {1.170380152, 1.053363761, 1.003480539, 1.132531890}},
                                   {.10,
                                    .30,
                                    0,
                                    {.503604885, -1.186235375, 1.349777830, -.142263398},
                                    {1.175022857, 1.133452583, 1.011617569, 1.132593550}},
                                   {.30,
                                    .70,
                                    .5,
                                    {.393950633, -1.006171675, 1.349330286, -.287651069},
                                    {1.219094699, 1.184741755, 1.011675593, 1.167190911}},
                                   {.25,
                                    .50,
                                    1,
                                    {.484956376, -.857897087, 1.277666533, .088009584},
                                    {1.242021057, 1.194062408, 1.015085823, 1.261531651}}};
  for (const Step& step : steps) {
    traced.answer(step.first, step.second, step.y);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(traced.fit.theta()[k], step.theta[k], 6e-10);
      EXPECT_NEAR(traced.fit.factor()[k * 4 + k], step.diagonal[k], 6e-10);
    }
  }
  EXPECT_NEAR(traced.mean(0), -.263708905, 6e-10);
  EXPECT_NEAR(traced.mean(0.5), 1.288390421, 6e-10);
  const auto gap = traced.fit.gap(traced.features.difference(Numbers{.25}, Numbers{.5}));
  EXPECT_NEAR(gap.mean, -.117438655, 6e-10);
  EXPECT_NEAR(gap.deviation, .926058681, 6e-10);
  Numbers draw = {.5, -1, .25, 1};
  traced.fit.draw(draw);
  const Numbers expected = {.491542297, -1.629178574, 1.585099405, .880696791};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(draw[k], expected[k], 6e-10);
}

// The twin: the same posterior mode by Newton's method with a dense curvature and Gaussian
// elimination, to convergence.
Numbers mode_of(const Numbers& prior, const std::vector<Numbers>& differences,
                const Numbers& answers) {
  const std::size_t m = prior.size();
  Numbers theta = prior;
  for (int iteration = 0; iteration < 60; ++iteration) {
    std::vector<Numbers> a(m, Numbers(m + 1));
    for (std::size_t i = 0; i < m; ++i) {
      a[i][i] = 1;
      a[i][m] = prior[i] - theta[i];
    }
    for (std::size_t t = 0; t < answers.size(); ++t) {
      double x = 0;
      for (std::size_t i = 0; i < m; ++i) x += differences[t][i] * theta[i];
      const double p = 1 / (1 + std::exp(-x));
      for (std::size_t i = 0; i < m; ++i) {
        a[i][m] += (answers[t] - p) * differences[t][i];
        for (std::size_t j = 0; j < m; ++j) {
          a[i][j] += p * (1 - p) * differences[t][i] * differences[t][j];
        }
      }
    }
    for (std::size_t k = 0; k < m; ++k) {  // the curvature is positive: no pivoting is needed
      for (std::size_t i = k + 1; i < m; ++i) {
        const double factor = a[i][k] / a[k][k];
        for (std::size_t j = k; j <= m; ++j) a[i][j] -= factor * a[k][j];
      }
    }
    for (std::size_t k = m; k-- > 0;) {
      for (std::size_t j = k + 1; j < m; ++j) a[k][m] -= a[k][j] * a[j][m];
      a[k][m] /= a[k][k];
      theta[k] += a[k][m];
    }
  }
  return theta;
}

TEST(PreferenceFit, stays_at_the_mode_of_the_posterior) {
  const CosineFeatures features =
      CosineFeatures::drawn(3, 6, 0.4, Stream(2, 0, Purpose::test).at(1));
  const Numbers prior = features.at(Numbers{0.5, 0.5, 0.5});
  PreferenceFit fit(prior);
  std::vector<Numbers> differences;
  Numbers answers;
  RoundRng rng = Stream(3, 0, Purpose::test).at(1);
  for (int n = 1; n <= 200; ++n) {
    Numbers a(3), b(3);
    for (double& x : a) x = rng.uniform();
    for (double& x : b) x = rng.uniform();
    differences.push_back(features.difference(a, b));
    answers.push_back(0.5 * static_cast<double>(rng.below(3)));
    fit.add(differences.back(), answers.back(), 3);
    if (n % 20 != 0) continue;
    const Numbers mode = mode_of(prior, differences, answers);
    for (std::size_t k = 0; k < mode.size(); ++k) {
      // The kept factor is not the curvature at the mode, so steps converge by a factor, here of a
      // few hundredths, three times an answer.
      EXPECT_NEAR(fit.theta()[k], mode[k], 2e-3) << n;
    }
  }
}

TEST(PreferenceFit, keeps_the_factor_of_the_curvature) {
  const CosineFeatures features =
      CosineFeatures::drawn(2, 4, 0.4, Stream(4, 0, Purpose::test).at(1));
  PreferenceFit fit(Numbers(features.size(), 0.0));
  const std::size_t m = fit.size();
  std::vector<Numbers> differences;
  RoundRng rng = Stream(5, 0, Purpose::test).at(1);
  // 8 answers: the factor was made anew with the weights after one step, and nothing was added.
  for (int n = 1; n <= 8; ++n) {
    const Numbers a = {rng.uniform(), rng.uniform()}, b = {rng.uniform(), rng.uniform()};
    differences.push_back(features.difference(a, b));
    fit.add(differences.back(), rng.coin() ? 1 : 0, 0);
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      double product = 0, curvature = i == j ? 1 : 0;
      for (std::size_t k = 0; k <= std::min(i, j); ++k) {
        product += fit.factor()[k * m + i] * fit.factor()[k * m + j];
      }
      // Before the one step of that answer theta was 0, so that every weight was 1/4.
      for (const Numbers& d : differences) curvature += 0.25 * d[i] * d[j];
      EXPECT_NEAR(product, curvature, 1e-12);
    }
  }
}

TEST(PreferenceFit, draws_from_its_posterior) {
  Traced traced;
  traced.answer(.2, .8, 1);
  traced.answer(.1, .3, 0);
  const Numbers difference = traced.features.difference(Numbers{.2}, Numbers{.8});
  const auto gap = traced.fit.gap(difference);
  RoundRng rng = Stream(6, 0, Purpose::test).at(1);
  constexpr int kDraws = 20'000;
  double sum = 0, squares = 0;
  for (int n = 0; n < kDraws; ++n) {
    Numbers z(4);
    for (double& x : z) x = normal_by_turns(rng);
    traced.fit.draw(z);
    double value = 0;
    for (std::size_t k = 0; k < 4; ++k) value += difference[k] * z[k];
    sum += value;
    squares += (value - gap.mean) * (value - gap.mean);
  }
  // Five standard errors of a mean, and of a variance: sd sqrt(1/n), sd^2 sqrt(2/n).
  EXPECT_NEAR(sum / kDraws, gap.mean, 5 * gap.deviation / std::sqrt(kDraws));
  const double variance = gap.deviation * gap.deviation;
  EXPECT_NEAR(squares / kDraws, variance, 5 * variance * std::sqrt(2.0 / kDraws));
}

// Answers by a known utility, of points drawn at random.
struct KnownUtility {
  CosineFeatures features = CosineFeatures::drawn(1, 8, 0.3, Stream(2, 0, Purpose::test).at(1));
  RoundRng rng = Stream(3, 0, Purpose::test, "answers").at(1);

  void next(std::vector<PreferenceFit*> fits) {
    const double a = rng.uniform(), b = rng.uniform();
    const auto utility = [](double x) { return 2 - 8 * (x - 0.6) * (x - 0.6); };
    const double p = 1 / (1 + std::exp(utility(b) - utility(a)));
    const double y = rng.bernoulli(p) ? 1 : 0;
    for (PreferenceFit* fit : fits) {
      fit->add(features.difference(Numbers{a}, Numbers{b}), y, 1);
    }
  }
  PreferenceFit fit(std::size_t most_kept) const {
    return PreferenceFit(Numbers(features.size()), most_kept);
  }
};

TEST(PreferenceFit, with_the_older_half_folded_is_about_the_fit_of_all_answers) {
  KnownUtility heard;
  PreferenceFit all = heard.fit(PreferenceFit::kMostKept), folds = heard.fit(128);
  for (int n = 1; n < 128; ++n) {
    heard.next({&all, &folds});
    ASSERT_TRUE(std::ranges::equal(all.theta(), folds.theta())) << n;
    ASSERT_TRUE(std::ranges::equal(all.factor(), folds.factor())) << n;
  }
  for (int n = 128; n <= 2'000; ++n) {
    heard.next({&all, &folds});
    ASSERT_LT(folds.kept(), 128U);
  }
  EXPECT_EQ(folds.answers(), 2'000U);
  EXPECT_EQ(all.kept(), 2'000U);
  // What a fold leaves out is of the order of one answer's share: a fraction of the deviation of
  // what is believed. A fit of the last answers alone has twice the deviation and more.
  for (double x = 0; x <= 1; x += 0.1) {
    const Numbers difference = heard.features.difference(Numbers{x}, Numbers{0.5});
    const PreferenceFit::Gap one = all.gap(difference), other = folds.gap(difference);
    EXPECT_NEAR(one.mean, other.mean, 0.5 * one.deviation + 1e-9) << x;
    EXPECT_NEAR(one.deviation, other.deviation, 0.1 * one.deviation + 1e-9) << x;
  }
}

TEST(PreferenceFit, goes_on_after_a_fold_from_its_saved_state) {
  KnownUtility heard;
  PreferenceFit fit = heard.fit(64);
  for (int n = 0; n < 150; ++n) heard.next({&fit});
  StateWriter writer;
  fit.fields(writer);
  const std::string bytes = writer.finish();
  PreferenceFit again = heard.fit(64);
  StateReader reader = std::move(StateReader::open(bytes)).value();
  again.fields(reader);
  ASSERT_TRUE(again.restored(heard.features.size()));
  for (int n = 0; n < 100; ++n) heard.next({&fit, &again});
  EXPECT_TRUE(std::ranges::equal(fit.theta(), again.theta()));
  EXPECT_TRUE(std::ranges::equal(fit.factor(), again.factor()));
}

}  // namespace
}  // namespace duel
