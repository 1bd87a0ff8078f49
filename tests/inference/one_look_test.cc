// Answers whose order is unknown: one look at all of them, after which their order cannot matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "duel/core/rng.h"
#include "duel/inference/certificate.h"
#include "duel/inference/score_certificate.h"

namespace duel {
namespace {

using Wins = std::vector<std::pair<Arm, Arm>>;  // winner, loser

Certifier looked_at(std::size_t num_arms, const Wins& wins, double alpha = 0.05) {
  Certifier certifier =
      Certifier::make(num_arms, {.alpha = alpha, .arms_fixed = true, .one_look = true}).value();
  for (const auto& [winner, loser] : wins) {
    certifier.observe({.first = winner, .second = loser}, Outcome::first_wins);
    EXPECT_FALSE(certifier.winner() || certifier.no_winner());  // nothing before the look
  }
  certifier.look();
  return certifier;
}

Wins even_and_sorted_by_winner(int of_each) {
  Wins wins;
  for (int k = 0; k < of_each; ++k) wins.emplace_back(0, 1);
  for (int k = 0; k < of_each; ++k) wins.emplace_back(1, 0);
  return wins;
}

TEST(OneLook, an_even_table_that_is_sorted_by_winner_certifies_nothing) {
  const Wins wins = even_and_sorted_by_winner(500);
  const Certifier once = looked_at(2, wins);
  EXPECT_FALSE(once.winner().has_value());
  EXPECT_FALSE(once.no_winner().has_value());
  // Taken for the order of serving it would have certified the arm that stands first.
  Certifier in_order = Certifier::make(2, {.alpha = 0.05, .arms_fixed = true}).value();
  for (const auto& [winner, loser] : wins) {
    in_order.observe({.first = winner, .second = loser}, Outcome::first_wins);
  }
  ASSERT_TRUE(in_order.winner().has_value());
  EXPECT_EQ(in_order.winner()->winner, Arm{0});
}

TEST(OneLook, what_comes_after_it_counts_for_nothing) {
  Certifier certifier = looked_at(2, even_and_sorted_by_winner(20));
  for (int k = 0; k < 500; ++k) certifier.observe({.first = 0, .second = 1}, Outcome::first_wins);
  EXPECT_FALSE(certifier.winner().has_value());
  EXPECT_EQ(certifier.decisive(), 40);
  auto scores = ScoreCertifier::make(2, Score::copeland, 0.05, 0, Looks::once).value();
  scores.observe(0, 1);
  scores.look();
  for (int k = 0; k < 500; ++k) scores.observe(0, 1);
  EXPECT_FALSE(scores.winner().has_value());
  EXPECT_EQ(scores.decisive(), 1);
}

// Four arms with clear pairs, even ones and sometimes a circle; each set of answers in many orders.
TEST(OneLook, the_same_counts_in_any_order_give_the_same_result) {
  std::size_t winners = 0, circles = 0, nothing = 0;
  for (std::uint32_t trial = 0; trial < 60; ++trial) {
    RoundRng rng = Stream(31, trial, Purpose::test, "one look").at(1);
    constexpr Arm kArms = 4;
    Wins wins;
    for (Arm i = 0; i < kArms; ++i) {
      for (Arm j = i + 1; j < kArms; ++j) {
        double p = trial % 3 == 0 ? 0.9 : trial % 3 == 1 ? 0.6 : 0.5;
        if (trial % 6 == 3 && i == 0 && j == 3) p = 0.1;  // 0 > 1 > 2 > 3 > 0
        const auto n = 40 + rng.below(20);
        for (std::uint64_t k = 0; k < n; ++k) {
          wins.push_back(rng.bernoulli(p) ? std::pair{i, j} : std::pair{j, i});
        }
      }
    }
    const auto result = [](const Wins& some) {
      const Certifier certifier = looked_at(kArms, some);
      auto scores = ScoreCertifier::make(kArms, Score::copeland, 0.05, 0, Looks::once).value();
      for (const auto& [winner, loser] : some) scores.observe(winner, loser);
      scores.look();
      std::vector<double> evidence;
      for (Arm i = 0; i < kArms; ++i) {
        for (Arm j = 0; j < kArms; ++j) {
          if (i != j) evidence.push_back(certifier.log_evidence(i, j));
        }
      }
      return std::make_tuple(
          certifier.winner() ? std::optional(certifier.winner()->winner) : std::nullopt,
          certifier.no_winner() ? certifier.no_winner()->cycle : std::vector<Arm>(),
          scores.winner(), evidence);
    };
    const auto expected = result(wins);
    winners += std::get<0>(expected) ? 1 : 0;
    circles += std::get<1>(expected).empty() ? 0 : 1;
    nothing += !std::get<0>(expected) && std::get<1>(expected).empty() ? 1 : 0;
    std::sort(wins.begin(), wins.end());
    EXPECT_EQ(result(wins), expected);
    std::reverse(wins.begin(), wins.end());
    EXPECT_EQ(result(wins), expected);
    for (int shuffle = 0; shuffle < 3; ++shuffle) {
      for (std::size_t k = wins.size(); k > 1; --k) std::swap(wins[k - 1], wins[rng.below(k)]);
      EXPECT_EQ(result(wins), expected);
    }
  }
  // Every kind of result was compared.
  EXPECT_GT(winners, 5);
  EXPECT_GT(circles, 2);
  EXPECT_GT(nothing, 5);
}

// ln P(Binomial(n, p) = s).
double log_binomial(int n, int s, double p) {
  return std::lgamma(n + 1.0) - std::lgamma(s + 1.0) - std::lgamma(n - s + 1.0) + s * std::log(p) +
         (n - s) * std::log1p(-p);
}

// Exact, for two arms and a number of duels that was fixed before: every count of wins with its
// probability. At 1/2 either certificate is false; below it only that of arm 0.
TEST(OneLook, is_false_with_probability_at_most_alpha_for_every_number_of_duels) {
  for (const double alpha : {0.05, 0.3}) {
    double worst = 0;
    for (int n = 1; n <= 400; n += n < 60 ? 1 : 17) {
      double even = 0, behind = 0;
      for (int s = 0; s <= n; ++s) {
        Wins wins(static_cast<std::size_t>(s), {0, 1});
        wins.resize(static_cast<std::size_t>(n), {1, 0});
        const Certifier certifier = looked_at(2, wins, alpha);
        ASSERT_FALSE(certifier.no_winner().has_value());
        if (!certifier.winner()) continue;
        ASSERT_EQ(certifier.winner()->winner, s > n - s ? Arm{0} : Arm{1});
        even += std::exp(log_binomial(n, s, 0.5));
        if (certifier.winner()->winner == 0) behind += std::exp(log_binomial(n, s, 0.49));
      }
      EXPECT_LE(even, alpha) << n;
      EXPECT_LE(behind, alpha / 2) << n;
      worst = std::max(worst, even);
    }
    EXPECT_GT(worst, 0);  // some number of duels can certify at all
  }
}

// The same rule in a table that is sorted, and in the order of a referee who saw each answer once:
// looking after every duel and keeping the maximum gives more than alpha for the sorted table.
TEST(OneLook, the_maximum_over_a_sorted_table_would_be_false_nearly_always) {
  double by_maximum = 0;
  constexpr int kDuels = 100;
  for (int s = 0; s <= kDuels; ++s) {
    Certifier certifier = Certifier::make(2, {.alpha = 0.05, .arms_fixed = true}).value();
    for (int k = 0; k < kDuels; ++k) {
      certifier.observe({.first = 0, .second = 1},
                        k < s ? Outcome::first_wins : Outcome::second_wins);
    }
    if (certifier.winner()) by_maximum += std::exp(log_binomial(kDuels, s, 0.5));
  }
  EXPECT_GT(by_maximum, 0.99);
}

}  // namespace
}  // namespace duel
