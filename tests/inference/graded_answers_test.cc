// Answers that say how much: units between -1 and 1 beside wins and losses.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "duel/core/logarithm.h"
#include "duel/core/rng.h"
#include "duel/inference/certificate.h"
#include "duel/inference/contest.h"
#include "duel/inference/evidence.h"
#include "duel/inference/gate.h"

namespace duel {
namespace {

AnswerUnit graded(double y) { return {.unit = y, .reverse = -y, .lead = y, .decisive = y != 0}; }

// To nine digits, as the traces are given.
std::string digits(double log_evidence) { return format_evidence(log_evidence); }

TEST(GradedAnswers, have_the_evidence_of_the_trace) {
  // win, score .8, tie, loss, score .3, win, win; E_ij and E_ji after each.
  const std::vector<std::string> forth = {"1.3323",      "1.65205971", "1.65205971", "0.913055891",
                                          "0.815061764", "1.00897103", "1.29710905"};
  const std::vector<std::string> back = {"0.6677",      "0.588699713", "0.588699713", "0.685678399",
                                         "0.739269267", "0.582362717", "0.496229358"};
  const std::vector<double> scores = {1, 0.8, 0.5, 0, 0.3, 1, 1};
  const PairEvidence evidence;
  std::uint64_t wins = 0, losses = 0;
  PairEvidence::Logs forth_logs{}, back_logs{};
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const double y = 2.0 * scores[t] - 1.0;
    if (y == 1) {
      ++wins;
    } else if (y == -1) {
      ++losses;
    } else if (y != 0) {
      evidence.add(forth_logs, y);
      evidence.add(back_logs, -y);
    }
    EXPECT_EQ(digits(evidence.log_evidence(wins, losses, forth_logs)), forth[t]) << t;
    EXPECT_EQ(digits(evidence.log_evidence(losses, wins, back_logs)), back[t]) << t;
  }
}

TEST(GradedAnswers, of_a_certifier_have_that_evidence_too) {
  Certifier certifier = Certifier::make(2, {.arms_fixed = true}).value();
  const Duel shown{.first = 0, .second = 1}, turned{.first = 1, .second = 0};
  certifier.observe(shown, Outcome::first_wins);
  certifier.observe(turned, graded(-(2.0 * 0.8 - 1.0)));
  EXPECT_EQ(digits(certifier.log_evidence(0, 1)), "1.65205971");
  certifier.observe(shown, Outcome::tie);
  certifier.observe(shown, Outcome::second_wins);
  certifier.observe(shown, graded(2.0 * 0.3 - 1.0));
  certifier.observe(turned, Outcome::second_wins);
  certifier.observe(shown, Outcome::first_wins);
  EXPECT_EQ(digits(certifier.log_evidence(0, 1)), "1.65205971");  // the largest so far
  EXPECT_EQ(digits(certifier.log_evidence(1, 0)), "1");
  EXPECT_EQ(certifier.wins(0, 1), 3U);
  EXPECT_EQ(certifier.wins(1, 0), 1U);
  EXPECT_EQ(certifier.decisive(0, 1), 6U);
  EXPECT_NEAR(certifier.lead(0, 1), 2.2, 1e-12);
  EXPECT_NEAR(certifier.lead(1, 0), -2.2, 1e-12);
  ASSERT_NE(certifier.units(0, 1), nullptr);
  EXPECT_EQ(certifier.units(0, 1)->count, 2U);
  EXPECT_NEAR(certifier.units(0, 1)->score_sum, 1.1, 1e-12);
  EXPECT_NEAR(certifier.units(1, 0)->score_sum, 0.9, 1e-12);
  // What a certificate says of the pair can be worked out from it alone.
  const PairFinding finding = certifier.finding(0, 1, 1);
  EXPECT_EQ(
      PairEvidence().log_evidence(finding.wins_then, finding.losses_then, finding.units->logs_then),
      finding.log_evidence);
}

TEST(GradedAnswers, certify_at_the_first_answer_that_reaches_the_threshold) {
  Certifier certifier = Certifier::make(2, {.arms_fixed = true, .shared_causes = true}).value();
  const PairEvidence evidence;
  PairEvidence::Logs logs{};
  int answers = 0;
  while (!certifier.winner()) {
    certifier.observe({.first = 1, .second = 0}, graded(0.4));
    evidence.add(logs, 0.4);
    ++answers;
    ASSERT_EQ(certifier.winner().has_value(),
              evidence.log_evidence(0, 0, logs) >= natural_log(2 / 0.05));
  }
  EXPECT_EQ(certifier.winner()->winner, 1U);
  EXPECT_EQ(certifier.winner()->decisive, static_cast<std::uint64_t>(answers));
}

TEST(GradedAnswers, count_towards_the_least_number_of_decisive_ones_unless_they_are_ties) {
  Certifier certifier =
      Certifier::make(2, {.arms_fixed = true, .min_decisive_per_pair = 100}).value();
  for (int k = 0; k < 99; ++k) certifier.observe({.first = 0, .second = 1}, graded(0.9));
  for (int k = 0; k < 50; ++k) certifier.observe({.first = 0, .second = 1}, graded(0));
  EXPECT_FALSE(certifier.winner());
  certifier.observe({.first = 0, .second = 1}, graded(0.1));
  EXPECT_TRUE(certifier.winner());
}

TEST(GradedAnswers, decide_who_leads_a_contest) {
  Certifier certifier = Certifier::make(2, {.arms_fixed = true}).value();
  certifier.observe({.first = 0, .second = 1}, graded(0.1));
  certifier.observe({.first = 0, .second = 1}, graded(0.1));
  certifier.observe({.first = 0, .second = 1}, graded(-0.3));
  EXPECT_EQ(closest_contest(certifier)->leader, 1U);
}

// A mean of 0 that is -1 rarely and little above 0 mostly; the reverse; and spread out evenly.
// Measured over 4000 runs .029, .022 and .029.
TEST(GradedAnswers, without_a_preference_certify_no_more_often_than_allowed) {
  constexpr int kRuns = 400;
  const auto skewed = [](RoundRng& rng) { return rng.bernoulli(1.0 / 11) ? -1.0 : 0.1; };
  const auto mirrored = [&](RoundRng& rng) { return -skewed(rng); };
  const auto uniform = [](RoundRng& rng) { return 2.0 * rng.uniform() - 1.0; };
  const auto false_ones = [&](const auto& draw, const char* name) {
    const PairEvidence evidence;
    int count = 0;
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      RoundRng rng = Stream(31, run, Purpose::test, name).at(1);
      PairEvidence::Logs logs{};
      std::uint64_t wins = 0, losses = 0;
      for (int t = 0; t < 1000; ++t) {
        const double y = draw(rng);
        if (y == 1) {
          ++wins;
        } else if (y == -1) {
          ++losses;
        } else {
          evidence.add(logs, y);
        }
        if (evidence.log_evidence(wins, losses, logs) < natural_log(20)) continue;
        ++count;
        break;
      }
    }
    return count;
  };
  // P(more than 37 of 400 | .05) < .0003.
  EXPECT_LE(false_ones(skewed, "skewed"), 37);
  EXPECT_LE(false_ones(mirrored, "mirrored"), 37);
  EXPECT_LE(false_ones(uniform, "uniform"), 37);
}

TEST(GradedAnswers, of_a_gate_that_are_ties_or_wins_are_that_to_nine_digits) {
  const GateRule rule;
  Gate whole(rule), in_parts(rule);
  for (const double y : {0.0, 0.0, 1.0, -1.0, 0.0, 1.0}) {
    whole.observe(y == 1 ? Outcome::first_wins : y == 0 ? Outcome::tie : Outcome::second_wins);
    in_parts.observe(y);
  }
  for (const GateClaim claim :
       {GateClaim::better, GateClaim::not_worse, GateClaim::worse, GateClaim::beyond_margin}) {
    EXPECT_EQ(digits(whole.log_evidence(claim)), digits(in_parts.log_evidence(claim)));
  }
  EXPECT_EQ(whole.mean_score(), in_parts.mean_score());
  EXPECT_EQ(in_parts.answers(), 6U);
}

}  // namespace
}  // namespace duel
