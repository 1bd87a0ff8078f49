#include "duel/inference/panel_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "duel/core/rng.h"

namespace duel {
namespace {

// Twelve members, of whom these are the first.
TEST(PanelEvidence, follows_the_trace_worked_by_hand) {
  const std::vector<int> answers = {1, 1, 0, 1, -1, 1, 1};
  const std::vector<double> forth = {1.3323,    1.97181943, 2.20808812, 3.94643563,
                                     1.6380506, 2.78976756, 6.82599952};
  const std::vector<double> back = {.6677,      .536032855, .523724014, .453724534,
                                    .475846877, .421897077, .38147119};
  PanelEvidence for_first(12), for_second(12);
  for (std::size_t t = 0; t < answers.size(); ++t) {
    for_first.observe(answers[t]);
    for_second.observe(-answers[t]);
    EXPECT_NEAR(std::exp(for_first.log_evidence()) / forth[t], 1, 5e-9) << t;
    EXPECT_NEAR(std::exp(for_second.log_evidence()) / back[t], 1, 5e-9) << t;
  }
  for_second.observe(-1);
  EXPECT_NEAR(std::exp(for_second.log_evidence()), .349505656, 5e-10);
}

// With w_k and gap_k of the mixture, literally.
double literal_evidence(const std::vector<int>& answers, std::uint64_t members) {
  double evidence = 0;
  for (const auto& [gap, weight] : PairEvidence::kComponents) {
    double product = weight, sum = 0, left = static_cast<double>(members);
    for (const int answer : answers) {
      const double mean = -sum / left;
      if (left - sum > 0) product *= 1 + 2 * gap * ((answer - mean) / (1 + mean));
      sum += answer;
      left -= 1;
    }
    evidence += product;
  }
  return evidence;
}

TEST(PanelEvidence, is_what_the_formula_says) {
  RoundRng rng(7, 0, 1);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t members = 2 + rng.below(40);
    std::vector<int> answers;
    PanelEvidence evidence(members);
    for (std::uint64_t t = 0; t < members; ++t) {
      answers.push_back(static_cast<int>(rng.below(3)) - 1);
      evidence.observe(answers.back());
      EXPECT_NEAR(evidence.log_evidence(), std::log(literal_evidence(answers, members)), 1e-9);
    }
  }
}

// A member with three tasks says as much as their mean, whole answers as much as without tasks.
TEST(PanelEvidence, takes_the_mean_over_tasks) {
  PanelEvidence whole(30), by_task(30, 4), half(30, 4);
  for (const int answer : {1, 1, 0, -1, 1}) {
    whole.observe(answer);
    by_task.observe(4 * answer);
    EXPECT_DOUBLE_EQ(whole.log_evidence(), by_task.log_evidence());
  }
  half.observe(2);
  double expected = 0;
  for (const auto& [gap, weight] : PairEvidence::kComponents) expected += weight * (1 + gap);
  EXPECT_NEAR(half.log_evidence(), std::log(expected), 1e-12);
}

// In all orders of a panel that does not prefer i, E is expected never to grow, and it reaches c in
// at most a share 1/c of them: exactly, by counting orders.
TEST(PanelEvidence, is_rarely_large_where_it_should_not_be) {
  const std::vector<std::vector<int>> panels = {
      {1, 1, 1, -1, -1, -1},    {1, 1, -1, -1, 0, 0}, {1, 1, 1, 1, -1, -1, -1, -1},
      {1, 1, 1, -1, -1, -1, 0}, {1, -1, -1, 0, 0, 0}, {1, 1, 1, -1, -1, -1, -1, 0}};
  for (std::vector<int> panel : panels) {
    ASSERT_LE(std::accumulate(panel.begin(), panel.end(), 0), 0);
    std::ranges::sort(panel);
    const std::vector<double> levels = {1.5, 2, 3, 5, 10, 20};
    std::vector<std::uint64_t> reached(levels.size());
    std::vector<double> means(panel.size());
    std::uint64_t orders = 0;
    do {
      ++orders;
      PanelEvidence evidence(panel.size());
      for (std::size_t t = 0; t < panel.size(); ++t) {
        evidence.observe(panel[t]);
        means[t] += std::exp(evidence.log_evidence());
      }
      for (std::size_t k = 0; k < levels.size(); ++k) {
        if (evidence.log_maximum() >= std::log(levels[k])) ++reached[k];
      }
    } while (std::ranges::next_permutation(panel).found);
    for (std::size_t k = 0; k < levels.size(); ++k) {
      EXPECT_LE(static_cast<double>(reached[k]) * levels[k], static_cast<double>(orders));
    }
    for (const double mean : means) EXPECT_LE(mean / static_cast<double>(orders), 1 + 1e-12);
  }
}

// An order that depends on the answers breaks it: those who prefer i come first.
TEST(PanelEvidence, needs_the_drawn_order) {
  PanelEvidence evidence(40);
  for (int k = 0; k < 20; ++k) evidence.observe(1);
  EXPECT_GT(evidence.log_maximum(), std::log(1000));
}

// Whoever is absent is taken as if they had answered against both arms, which can only lower E.
TEST(PanelEvidence, an_answer_against_it_never_raises_it) {
  RoundRng rng(11, 0, 1);
  for (int round = 0; round < 200; ++round) {
    PanelEvidence evidence(30);
    for (int t = 0; t < 25; ++t) {
      PanelEvidence lower = evidence;
      const int answer = static_cast<int>(rng.below(3)) - 1;
      lower.observe(-1);
      evidence.observe(answer);
      EXPECT_LE(lower.log_evidence(), evidence.log_evidence() + 1e-12);
    }
  }
}

}  // namespace
}  // namespace duel
