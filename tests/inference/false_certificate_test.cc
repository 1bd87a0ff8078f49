#include <gtest/gtest.h>

#include <cstdint>

#include "duel/core/logarithm.h"
#include "duel/inference/evidence.h"
#include "duel/inference/fixed_n_interval.h"
#include "tests/inference/null_problems.h"

namespace duel {
namespace {

constexpr double kAlpha = 0.1;
constexpr std::uint32_t kProblems = 1000;

// The 99.9 % upper confidence limit of the rate (one-sided, hence 0.002 in two tails).
double upper_limit(std::uint64_t count, std::uint64_t problems) {
  return fixed_n_clopper_pearson(count, problems, 0.002).upper;
}

// At a true rate of 0.06 the limit stands at 0.06 + 3.1 sqrt(0.06 0.94/1000) = 0.083, so that the
// test has room where the rule holds, and fails for rates above 0.073. The exact rates are below
// that: thresholds are 2/alpha and more, and evidence overshoots them.
TEST(FalseCertificates, are_rarer_than_alpha_with_a_look_after_every_duel) {
  for (const NullProblem& problem : null_problems()) {
    for (const Chooser chooser : kChoosers) {
      const std::uint64_t count = false_certificates(problem, chooser, kAlpha, kProblems);
      EXPECT_LE(upper_limit(count, kProblems), kAlpha)
          << problem.name << ", chooser " << static_cast<int>(chooser) << ": " << count;
    }
  }
}

// Every registered policy chooses. 40 problems of each kind and policy see what is grossly wrong in
// one policy; together there are some 1400 of each kind, of which the test fails for rates above
// 0.076.
TEST(FalseCertificates, are_rarer_than_alpha_whatever_policy_chooses) {
  for (NullProblem problem : null_problems()) {
    problem.duels = 150;
    std::uint64_t count = 0, problems = 0;
    for (const std::string& policy : policy_names()) {
      if (too_slow_for_many_problems(policy)) continue;
      std::uint64_t of_policy = 0;
      for (std::uint32_t trial = 0; trial < 40; ++trial) {
        of_policy += policy_certifies_falsely(problem, policy, kAlpha, 19, trial) ? 1 : 0;
      }
      EXPECT_LE(of_policy, 14U) << problem.name << ", " << policy;  // P(> 14 | 40, 0.1) = 3e-6
      count += of_policy;
      problems += 40;
    }
    EXPECT_LE(upper_limit(count, problems), kAlpha) << problem.name << ": " << count;
  }
}

// The wrong way that the rule exists for: with losses of the lower arm 20 duels late, its first
// answers are all wins, and counting them as they come certifies it almost at once.
TEST(FalseCertificates, abound_if_answers_count_as_they_arrive) {
  NullProblem problem{.name = "answers that depend on the outcome come late", .slow_answers = 20};
  problem.arrival_order = true;
  const std::uint64_t count = false_certificates(problem, Chooser::uniform, kAlpha, 300);
  EXPECT_GT(fixed_n_clopper_pearson(count, 300, 0.002).lower, kAlpha);
  EXPECT_GT(count, 150U);
}

// The other wrong way: an interval made for one fixed n, looked at after every duel of a fair coin.
TEST(FalseCertificates, abound_if_a_fixed_n_interval_is_peeked_at) {
  std::uint64_t exact = 0, wilson = 0, honest = 0;
  const PairEvidence evidence;
  constexpr std::uint32_t kCoins = 300;
  for (std::uint32_t trial = 0; trial < kCoins; ++trial) {
    RoundRng rng = Stream(23, trial, Purpose::test, "peeking").at(1);
    bool exact_missed = false, wilson_missed = false, honest_missed = false;
    std::uint64_t wins = 0;
    for (std::uint64_t n = 1; n <= 600; ++n) {
      wins += rng.coin() ? 1 : 0;
      if (n < 10) continue;
      wilson_missed = wilson_missed || !fixed_n_wilson(wins, n, kAlpha).contains(0.5);
      exact_missed = exact_missed || !fixed_n_clopper_pearson(wins, n, kAlpha).contains(0.5);
      const double log_level = natural_log(2 / kAlpha);
      honest_missed = honest_missed || evidence.log_evidence(wins, n - wins) >= log_level ||
                      evidence.log_evidence(n - wins, wins) >= log_level;
    }
    exact += exact_missed ? 1 : 0;
    wilson += wilson_missed ? 1 : 0;
    honest += honest_missed ? 1 : 0;
  }
  EXPECT_GT(fixed_n_clopper_pearson(exact, kCoins, 0.002).lower, 2 * kAlpha);
  EXPECT_GT(fixed_n_clopper_pearson(wilson, kCoins, 0.002).lower, 2 * kAlpha);
  EXPECT_LE(fixed_n_clopper_pearson(honest, kCoins, 0.002).lower, kAlpha);
}

// "No winner" where arm 0 beats every other, barely: p_0j = 0.501, the others a cycle of 1/2 + 0.2.
TEST(FalseCertificates, of_no_winner_are_rarer_than_alpha) {
  std::uint64_t count = 0;
  constexpr std::uint32_t kRuns = 1000;
  for (std::uint32_t trial = 0; trial < kRuns; ++trial) {
    RoundRng rng = Stream(29, trial, Purpose::test, "no winner").at(1);
    auto made = Certifier::make(4, {.alpha = kAlpha, .arms_fixed = true});
    Certifier certifier = std::move(made).value();
    for (int t = 0; t < 600 && !certifier.no_winner(); ++t) {
      const auto i = static_cast<Arm>(rng.below(4));
      const auto j = static_cast<Arm>((i + 1 + rng.below(3)) % 4);
      const double p = i == 0 ? 0.501 : j == 0 ? 0.499 : i % 3 + 1 == j ? 0.7 : 0.3;
      certifier.observe({.first = i, .second = j},
                        rng.bernoulli(p) ? Outcome::first_wins : Outcome::second_wins);
    }
    count += certifier.no_winner() ? 1 : 0;
  }
  EXPECT_LE(upper_limit(count, kRuns), kAlpha) << count;
}

// Two arms, p = 0.6, alpha 0.05.
TEST(TrueCertificates, come_for_a_real_winner_and_later_than_the_lower_bound) {
  int right = 0, wrong = 0;
  double duels = 0;
  constexpr int kRuns = 40;
  for (std::uint32_t trial = 0; trial < kRuns; ++trial) {
    RoundRng rng = Stream(31, trial, Purpose::test, "winner").at(1);
    auto made = Certifier::make(2, {.alpha = 0.05, .arms_fixed = true});
    Certifier certifier = std::move(made).value();
    while (!certifier.winner() && certifier.decisive() < 20000) {
      certifier.observe({.first = 0, .second = 1},
                        rng.bernoulli(0.6) ? Outcome::first_wins : Outcome::second_wins);
    }
    ASSERT_TRUE(certifier.winner());
    ++(certifier.winner()->winner == 0 ? right : wrong);
    duels += static_cast<double>(certifier.decisive()) / kRuns;
  }
  EXPECT_LE(wrong, 5);      // at most 5 % of 40 are expected; 6 or more has probability 0.01
  EXPECT_GT(duels, 148.8);  // ln(1/delta)/d(.6, 1/2), no test of level delta is faster
  EXPECT_LT(duels, 3 * 148.8);
}

}  // namespace
}  // namespace duel
