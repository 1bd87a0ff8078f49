// REX3 and Versatile-DB.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "duel/policies/rex3.h"
#include "duel/policies/versatile_db.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/adversarial_twin.h"

namespace duel {
namespace {

const RecordedSignature rex3_signature("rex3", 0x6bc4173ee0f0706d);
const RecordedSignature versatile_db_signature("versatile-db", 0x7313b19fb48eca6e);

TEST(Rex3, makes_the_choices_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    Rex3Options options;
    options.ties = static_cast<Ties>(rng.below(3));
    options.horizon = 1 + rng.below(5000);
    if (rng.below(3) == 0) options.gamma = 0.5 * rng.uniform_open();
    options.anytime = rng.below(3) == 0;
    expect_same_choices_as_twin<Rex3>(options, 1 + seed % 9, seed, seed % 50 == 0 ? 5000 : 300,
                                      [](const Rex3Options& given, std::size_t k, RoundRng) {
                                        return Rex3Twin(k, static_cast<double>(given.horizon),
                                                        given.gamma, given.anytime, given.ties);
                                      });
    if (HasFatalFailure()) return;
  }
}

// K = 2, gamma = 1/2, arm 1 beats 2: w = (e^(1/4), e^(-1/4)).
TEST(Rex3, follows_the_trace_worked_out_by_hand) {
  Rex3Options options;
  options.horizon = 1000;
  options.gamma = 0.5;
  const Stream stream(1, 0, Purpose::choice);
  Round t = 1;
  Rex3 policy(options, 2, stream.at(0));
  Duel duel = policy.take(t, stream.at(t));
  while (duel.is_self()) {
    policy.observe(duel, Outcome::first_wins, stream.at(t));
    ++t;
    duel = policy.take(t, stream.at(t));
  }
  policy.observe(duel, duel.first == 0 ? Outcome::first_wins : Outcome::second_wins, stream.at(t));
  EXPECT_DOUBLE_EQ(policy.log_weight(0), 0.25);
  EXPECT_DOUBLE_EQ(policy.log_weight(1), -0.25);
  const double w0 = std::exp(0.25), w1 = std::exp(-0.25);
  EXPECT_NEAR(policy.probability(0, t), 0.5 * w0 / (w0 + w1) + 0.25, 1e-15);
}

TEST(Rex3, gamma_is_tuned_to_the_horizon_or_the_clock) {
  Rex3Options options;
  options.horizon = 100000;
  const Stream stream(1, 0, Purpose::choice);
  const double spread = 6 * std::log(6.0);
  EXPECT_NEAR(Rex3(options, 6, stream.at(0)).gamma(1), std::sqrt(spread / (std::exp(1.0) * 1e5)),
              1e-15);
  options.anytime = true;
  EXPECT_NEAR(Rex3(options, 6, stream.at(0)).gamma(1), std::sqrt(spread / 1e4), 1e-15);
  EXPECT_NEAR(Rex3(options, 6, stream.at(0)).gamma(1000000), std::sqrt(spread / 1e6), 1e-15);
  options.anytime = false;
  options.horizon = 2;
  EXPECT_EQ(Rex3(options, 6, stream.at(0)).gamma(1), 0.5);
}

// An arm that always wins, for so long that plain weights would overflow a thousand times over, and
// then never again: probabilities stay a law and the other arm takes over.
TEST(Rex3, weights_survive_long_runs_and_a_turn_of_fortune) {
  Rex3Options options;
  options.horizon = 1;
  options.gamma = 0.5;
  const Stream stream(2, 0, Purpose::choice);
  Rex3 policy(options, 3, stream.at(0));
  const Round rounds = 400000;
  for (Round t = 1; t <= 2 * rounds; ++t) {
    const Duel duel = policy.take(t, stream.at(t));
    const Arm strong = t <= rounds ? 0 : 2;
    policy.observe(duel, duel.first == strong ? Outcome::first_wins : Outcome::second_wins,
                   stream.at(t));
    if (t == rounds) {
      EXPECT_GT(policy.log_weight(0), 20000);
    }
    if (t % 1000 == 0) {
      double sum = 0;
      for (Arm arm = 0; arm < 3; ++arm) {
        ASSERT_GE(policy.probability(arm, t), 0.5 / 3);
        sum += policy.probability(arm, t);
      }
      ASSERT_NEAR(sum, 1, 1e-12);
    }
  }
  EXPECT_GT(policy.log_weight(2), policy.log_weight(0));
  EXPECT_EQ(policy.recommend(stream.at(0)), 2U);
}

TEST(VersatileDb, makes_the_choices_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    VersatileDbOptions options;
    options.ties = static_cast<Ties>(rng.below(3));
    if (rng.below(3) == 0) options.form = VersatileForm::two;
    if (rng.below(3) == 0) options.estimator = VersatileEstimator::reduced;
    expect_same_choices_as_twin<VersatileDb>(
        options, 1 + seed % 9, seed, seed % 100 == 0 ? 2000 : 100,
        [](const VersatileDbOptions& given, std::size_t k, RoundRng) {
          return VersatileTwin(k, given.form == VersatileForm::two,
                               given.estimator == VersatileEstimator::reduced, given.ties);
        });
    if (HasFatalFailure()) return;
  }
}

// L = 0: q is uniform and z = 2 sqrt(K)/eta = sqrt(K c).
TEST(VersatileDb, normaliser_of_equal_losses_is_known) {
  const std::vector<double> level(7, 0.0);
  EXPECT_DOUBLE_EQ(tsallis_normaliser(level, 9.0, 1.0), 3 * std::sqrt(7.0));
}

// Whatever the losses and wherever the search begins, the probabilities sum to 1 within 1e-12.
TEST(VersatileDb, normaliser_makes_a_law_of_any_losses) {
  RoundRng rng = Stream(1, 0, Purpose::test).at(0);
  for (int k = 0; k < 5000; ++k) {
    std::vector<double> gaps(1 + rng.below(12));
    const double size = std::exp(40 * rng.uniform() - 10);
    for (double& gap : gaps) gap = size * rng.uniform();
    gaps[rng.below(gaps.size())] = 0;
    const double c = std::exp(20 * rng.uniform());
    const double z = tsallis_normaliser(gaps, c, std::exp(20 * rng.uniform() - 5));
    double sum = 0;
    for (const double gap : gaps) sum += c / ((gap + z) * (gap + z));
    ASSERT_NEAR(sum, 1, 1e-12);
  }
}

// K = 3, t = 1, a = 1 beats b = 2: L = (0, 1.5, 0), since 1/(2 q) = 1.5. A self-duel
// adds 1.5 in all, whatever the coin.
TEST(VersatileDb, first_losses_are_those_worked_out_by_hand) {
  for (std::uint32_t trial = 0; trial < 30; ++trial) {
    const Stream stream(1, trial, Purpose::choice);
    VersatileDb policy({}, 3, stream.at(0));
    for (Arm arm = 0; arm < 3; ++arm) EXPECT_NEAR(policy.probability(arm, 1), 1.0 / 3, 1e-15);
    const Duel duel = policy.take(1, stream.at(1));
    policy.observe(duel, Outcome::first_wins, stream.at(1));
    for (Arm arm = 0; arm < 3; ++arm) {
      EXPECT_NEAR(policy.loss(arm), arm == duel.second ? 1.5 : 0.0, 1e-12);
    }
  }
}

// K = 3, t = 1: without an answer both lose 1/2, and 1/2 over 2 q is 0.75.
TEST(VersatileDb, an_arm_gains_nothing_by_going_unanswered) {
  for (std::uint32_t trial = 0; trial < 30; ++trial) {
    const Stream stream(1, trial, Purpose::choice);
    VersatileDbOptions options;
    options.ties = Ties::half;
    VersatileDb lost(options, 3, stream.at(0)), tied(options, 3, stream.at(0));
    const Duel duel = lost.take(1, stream.at(1));
    tied.take(1, stream.at(1));
    lost.observe(duel, Outcome::none, stream.at(1));
    tied.observe(duel, Outcome::tie, stream.at(1));
    for (Arm arm = 0; arm < 3; ++arm) {
      EXPECT_EQ(lost.loss(arm), tied.loss(arm));
      const bool met = arm == duel.first || arm == duel.second;
      EXPECT_NEAR(lost.loss(arm), !met ? 0.0 : duel.is_self() ? 1.5 : 0.75, 1e-12);
    }
  }
}

// An answer that comes late is divided by the probability of its own round.
TEST(VersatileDb, late_answers_use_the_probabilities_of_their_round) {
  const Stream stream(1, 0, Purpose::choice);
  VersatileDb policy({}, 3, stream.at(0));
  const Duel first = policy.take(1, stream.at(1));
  const Duel second = policy.take(2, stream.at(2));
  policy.observe(second, Outcome::first_wins, stream.at(2));
  const double before = policy.loss(first.second);
  policy.observe(first, Outcome::first_wins, stream.at(1));
  EXPECT_NEAR(policy.loss(first.second) - before, 1.5, 1e-12);
}

}  // namespace
}  // namespace duel
