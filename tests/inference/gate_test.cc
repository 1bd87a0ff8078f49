// A gate: the traces, and how often it passes and fails.
#include "duel/inference/gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duel/core/rng.h"

namespace duel {
namespace {

TEST(Gate, follows_the_traces) {
  using enum Outcome;
  // Margin .05; worked out with the C library's logarithm, to nine digits.
  const std::vector<Outcome> answers = {tie, tie,        first_wins, second_wins,
                                        tie, first_wins, tie,        tie};
  const std::vector<double> better = {1,          1,          1.3323,     .799367145,
                                      .799367145, .988848388, .988848388, .988848388};
  const std::vector<double> not_worse = {1.03356566, 1.06917838, 1.48505513, .911874814,
                                         .937498991, 1.23473488, 1.27816706, 1.324209};
  const std::vector<double> worse = {1,          1,          .6677,      .799367145,
                                     .799367145, .609885902, .609885902, .609885902};
  const std::vector<double> beyond = {.969790909, .941239941, .644238322, .743600128,
                                      .728714157, .571936383, .564258945, .556811519};
  Gate gate(GateRule{});
  for (std::size_t t = 0; t < answers.size(); ++t) {
    gate.observe(answers[t]);
    EXPECT_NEAR(std::exp(gate.log_evidence(GateClaim::better)) / better[t], 1, 1e-8) << t;
    EXPECT_NEAR(std::exp(gate.log_evidence(GateClaim::not_worse)) / not_worse[t], 1, 1e-8) << t;
    EXPECT_NEAR(std::exp(gate.log_evidence(GateClaim::worse)) / worse[t], 1, 1e-8) << t;
    EXPECT_NEAR(std::exp(gate.log_evidence(GateClaim::beyond_margin)) / beyond[t], 1, 1e-8) << t;
  }
  EXPECT_EQ(gate.answers(), 8U);
  EXPECT_EQ(gate.ties(), 5U);
  EXPECT_DOUBLE_EQ(gate.mean_score().value(), (2 + 5 * 0.5) / 8);
}

TEST(Gate, counts_ties_and_not_what_says_nothing) {
  Gate gate(GateRule{});
  for (const Outcome outcome : {Outcome::skip, Outcome::none}) gate.observe(outcome);
  EXPECT_EQ(gate.answers(), 0U);
  gate.observe(Outcome::both_bad);
  EXPECT_EQ(gate.ties(), 1U);
}

TEST(Gate, better_is_never_shown_before_not_worse) {
  for (std::uint32_t run = 0; run < 50; ++run) {
    RoundRng rng = Stream(1, run, Purpose::test).at(1);
    Gate gate({.alpha = 1e-9});
    for (int t = 0; t < 200; ++t) {
      const double u = rng.uniform();
      gate.observe(u < 0.3 ? Outcome::tie : u < 0.7 ? Outcome::first_wins : Outcome::second_wins);
      EXPECT_LE(gate.log_evidence(GateClaim::better),
                gate.log_evidence(GateClaim::not_worse) + 1e-9);
    }
  }
}

TEST(Gate, knows_how_many_wrong_answers_would_reverse_a_statement) {
  using enum GateClaim;
  const std::vector<double> answers = {1, 1, 1, 0, 0, 1, -1, 1};  // the sum is 4, of 8
  EXPECT_EQ(fewest_to_reverse(better, 0.05, answers), 2U);
  // Of the margin .05 come 8 times .1: 4.8 is above 2 * 2.
  EXPECT_EQ(fewest_to_reverse(not_worse, 0.05, answers), 3U);
  EXPECT_EQ(fewest_to_reverse(worse, 0.05, answers), 0U);
  std::vector<double> turned;
  for (const double y : answers) turned.push_back(-y);
  EXPECT_EQ(fewest_to_reverse(worse, 0.05, turned), 2U);
  EXPECT_EQ(fewest_to_reverse(beyond_margin, 0.05, turned), 2U);  // 3.2
  // A tie stays what it is.
  EXPECT_EQ(fewest_to_reverse(not_worse, 0.05, std::vector<double>(10, 0.0)), std::nullopt);
  // Of graded answers the largest first: .9 + .5 + .4 - .2 = 1.6.
  EXPECT_EQ(fewest_to_reverse(better, 0, std::vector<double>{0.4, 0.9, -0.2, 0.5}), 1U);
  EXPECT_EQ(fewest_to_reverse(better, 0, std::vector<double>{0.4, 0.3, 0.5}), 2U);
}

// Of ties and even answers otherwise, how many answers until the gate passes: the median.
std::uint64_t median_to_pass(double ties, int runs) {
  std::vector<std::uint64_t> answers;
  for (int run = 0; run < runs; ++run) {
    RoundRng rng = Stream(2, static_cast<std::uint32_t>(run), Purpose::test).at(1);
    Gate gate(GateRule{});
    while (gate.end() == GateEnd::open && gate.answers() < 20'000) {
      const double u = rng.uniform();
      gate.observe(u < ties                    ? Outcome::tie
                   : u < ties + (1 - ties) / 2 ? Outcome::first_wins
                                               : Outcome::second_wins);
    }
    answers.push_back(gate.end() == GateEnd::passed ? gate.answers() : 1'000'000);
  }
  std::ranges::sort(answers);
  return answers[answers.size() / 2];
}

TEST(Gate, passes_a_harmless_change_the_sooner_the_more_ties_there_are) {
  // The exact medians are 684, 147 and 65. The standard error of a median of 200 is below 12 %
  // here; the bounds are three of them.
  EXPECT_NEAR(static_cast<double>(median_to_pass(0.8, 200)), 147, 0.36 * 147);
  EXPECT_NEAR(static_cast<double>(median_to_pass(0.95, 200)), 65, 0.36 * 65);
}

TEST(Gate, passes_what_is_worse_by_more_than_the_margin_hardly_ever) {
  // At the boundary, E y = -m: at most alpha = .05; three standard errors of 300 runs are .038.
  constexpr int kRuns = 300;
  for (const double ties : {0.0, 0.8}) {
    int passed = 0;
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      RoundRng rng = Stream(3, run, Purpose::test).at(1);
      // "Not worse" alone: what is worse fails, too, and that must not hide it.
      Gate gate({.fail = GateClaim::beyond_margin});
      for (int t = 0; t < 600 && !gate.shown(GateClaim::not_worse); ++t) {
        const double u = rng.uniform();
        const double win = (1 - ties - 0.1) / 2;
        gate.observe(u < ties         ? Outcome::tie
                     : u < ties + win ? Outcome::first_wins
                                      : Outcome::second_wins);
      }
      if (gate.shown(GateClaim::not_worse)) ++passed;
    }
    EXPECT_LE(passed / static_cast<double>(kRuns), 0.05 + 0.038) << ties;
  }
}

}  // namespace
}  // namespace duel
