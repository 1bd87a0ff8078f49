#include "duel/inference/certificate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "duel/core/logarithm.h"
#include "duel/core/rng.h"

namespace duel {
namespace {

Certifier certifier(std::size_t num_arms, const CertificateOptions& options) {
  auto made = Certifier::make(num_arms, options);
  EXPECT_TRUE(made.ok());
  return std::move(made).value();
}

void win(Certifier& certifier, Arm winner, Arm loser, int times = 1) {
  for (int k = 0; k < times; ++k) {
    certifier.observe({.first = loser, .second = winner}, Outcome::second_wins);
  }
}

// The number of straight wins after which ln E first reaches the level.
int wins_to(double threshold) {
  const PairEvidence evidence;
  int wins = 0;
  while (evidence.log_evidence(static_cast<std::uint64_t>(wins), 0) < natural_log(threshold)) {
    ++wins;
  }
  return wins;
}

TEST(ErrorBudget, shares_alpha_by_the_rule) {
  const ErrorBudget open(0.05, 4, false);
  EXPECT_DOUBLE_EQ(open.share(0), 0.8 * 0.05 / 4);
  EXPECT_DOUBLE_EQ(open.share(4), 0.2 * 0.05 / 2);   // first added: 1 * 2
  EXPECT_DOUBLE_EQ(open.share(6), 0.2 * 0.05 / 12);  // third added: 3 * 4
  EXPECT_DOUBLE_EQ(open.threshold(0, 0), 1 / (0.9 * 0.01));
  EXPECT_DOUBLE_EQ(open.threshold(0, 1), 2 / (0.1 * 0.01));
  EXPECT_DOUBLE_EQ(open.threshold(4, 3), 12 / (0.1 * 0.005));
  const ErrorBudget fixed(0.05, 4, true);
  EXPECT_DOUBLE_EQ(fixed.share(3), 0.0125);
  EXPECT_DOUBLE_EQ(fixed.threshold(3, 0), 61);                                    // 3/alpha + 1
  EXPECT_DOUBLE_EQ(ErrorBudget(0.05, 3, true).threshold(0, 0), 60);               // K/alpha
  EXPECT_DOUBLE_EQ(ErrorBudget(0.05, 1000, true).threshold(0, 0), 61);            // whatever K
  EXPECT_DOUBLE_EQ(ErrorBudget(0.05, 4, true, false, 0.01).threshold(0, 0), 80);  // K/alpha
  EXPECT_DOUBLE_EQ(ErrorBudget(0.05, 9, true, true).threshold(0, 0), 180);        // K/alpha
}

// Every relation of K <= 5 arms in which a pair is decided either way or even: an arm that l others
// beat or equal is certified with probability at most c^-l. That is the whole sum over false
// claims.
TEST(ErrorBudget, a_fixed_set_spends_no_more_than_alpha_in_any_relation_of_the_arms) {
  for (const double alpha : {0.2, 0.05, 0.001}) {
    for (std::size_t num_arms = 2; num_arms <= 5; ++num_arms) {
      const double c = ErrorBudget(alpha, num_arms, true).threshold(0, 0);
      std::uint64_t relations = 1;
      for (std::size_t pair = 0; pair < num_arms * (num_arms - 1) / 2; ++pair) relations *= 3;
      double worst = 0;
      for (std::uint64_t relation = 0; relation < relations; ++relation) {
        std::vector<int> not_beaten(num_arms, 0);
        std::uint64_t rest = relation;
        for (std::size_t i = 0; i < num_arms; ++i) {
          for (std::size_t j = i + 1; j < num_arms; ++j) {
            if (rest % 3 != 0) ++not_beaten[i];
            if (rest % 3 != 1) ++not_beaten[j];
            rest /= 3;
          }
        }
        double spent = 0;
        for (const int l : not_beaten) spent += l == 0 ? 0 : std::pow(c, -l);
        worst = std::max(worst, spent);
      }
      EXPECT_LE(worst, alpha * (1 + 1e-12)) << num_arms << " arms";
      EXPECT_GT(worst, 0.9 * alpha) << num_arms << " arms";
    }
  }
}

// The worst case for any number of arms: 3 of them fail to beat one other, 2 more fail to beat two,
// 2 more three, and so on.
TEST(ErrorBudget, a_fixed_set_spends_no_more_than_alpha_however_many_arms) {
  for (const double alpha : {0.5, 0.05, 0.001}) {
    const double c = ErrorBudget(alpha, 100'000, true).threshold(0, 0);
    EXPECT_LE(3 / c + 2 / (c * (c - 1)), alpha);
  }
}

TEST(ErrorBudget, never_spends_more_than_alpha) {
  const ErrorBudget budget(0.1, 3, false);
  double shares = 0, edges = 0;
  for (Arm i = 0; i < 2000; ++i) shares += budget.share(i);
  for (Arm i = 0; i < 400; ++i) {
    for (Arm j = 0; j < 400; ++j) {
      if (i != j) edges += 1 / budget.edge_threshold(i, j);
    }
  }
  EXPECT_LE(shares, 0.1);
  EXPECT_GT(shares, 0.0999);
  EXPECT_LE(edges, 0.1);
  EXPECT_GT(edges, 0.0995);
  // Over thresholds: 0.9 alpha_i without retired arms, and sum_r 0.1 alpha_i/(r (r + 1)) with them.
  double spent = 1 / budget.threshold(0, 0);
  for (std::uint64_t r = 1; r < 10000; ++r) spent += 1 / budget.threshold(0, r);
  EXPECT_LE(spent, budget.share(0));
}

TEST(Certificate, comes_with_the_duel_that_brings_the_last_rival_to_the_threshold) {
  auto c = certifier(3, {.alpha = 0.05, .arms_fixed = true});
  const int enough = wins_to(60);  // K/alpha
  win(c, 1, 0, enough + 5);
  win(c, 1, 2, enough - 1);
  EXPECT_FALSE(c.winner());
  win(c, 1, 2);
  ASSERT_TRUE(c.winner());
  EXPECT_EQ(c.winner()->winner, 1U);
  EXPECT_EQ(c.winner()->decisive, static_cast<std::uint64_t>(2 * enough + 5));
  ASSERT_EQ(c.winner()->findings.size(), 2U);
  EXPECT_EQ(c.winner()->findings[1].loser, 2U);
  EXPECT_EQ(c.winner()->findings[1].wins, static_cast<std::uint64_t>(enough));
  EXPECT_DOUBLE_EQ(c.winner()->findings[0].log_threshold, natural_log(1 / (0.05 / 3)));
}

TEST(Certificate, uses_running_maxima_and_stays) {
  auto c = certifier(3, {.alpha = 0.05, .arms_fixed = true});
  const int enough = wins_to(60);
  win(c, 0, 1, enough);
  win(c, 1, 0, 50);  // the present evidence is gone, the maximum is not
  win(c, 0, 2, enough);
  ASSERT_TRUE(c.winner());
  win(c, 2, 0, 500);
  win(c, 2, 1, 500);
  EXPECT_EQ(c.winner()->winner, 0U);
}

TEST(Certificate, moves_on_decisive_answers_only) {
  auto c = certifier(2, {.alpha = 0.05, .arms_fixed = true});
  for (int k = 0; k < 1000; ++k) {
    for (const Outcome outcome : {Outcome::tie, Outcome::both_bad, Outcome::skip, Outcome::none}) {
      c.observe({.first = 0, .second = 1}, outcome);
    }
    c.observe({.first = 1, .second = 1}, Outcome::first_wins);
  }
  EXPECT_EQ(c.decisive(), 0U);
  EXPECT_EQ(c.log_evidence(0, 1), 0);
  win(c, 0, 1, wins_to(40));
  EXPECT_TRUE(c.winner());
}

TEST(Certificate, waits_for_the_least_number_of_decisive_duels) {
  auto c = certifier(2, {.alpha = 0.05, .arms_fixed = true, .min_decisive_per_pair = 100});
  win(c, 0, 1, 90);
  EXPECT_FALSE(c.winner());
  win(c, 1, 0, 9);
  EXPECT_FALSE(c.winner());
  win(c, 1, 0);  // the hundredth, lost by the arm that is certified
  ASSERT_TRUE(c.winner());
  EXPECT_EQ(c.winner()->winner, 0U);
}

TEST(Certificate, asks_more_after_an_arm_was_retired_that_had_played) {
  const CertificateOptions options{.alpha = 0.05};
  const double share = 0.8 * 0.05 / 3;
  auto unplayed = certifier(3, options);
  ASSERT_TRUE(unplayed.retire(2).ok());
  win(unplayed, 0, 1, wins_to(1 / (0.9 * share)));
  EXPECT_TRUE(unplayed.winner());

  auto played = certifier(3, options);
  played.served({.first = 2, .second = 0});
  ASSERT_TRUE(played.retire(2).ok());
  ASSERT_TRUE(played.retire(2).ok());  // a repeat costs nothing
  const int enough = wins_to(2 / (0.1 * share));
  win(played, 0, 1, enough - 1);
  EXPECT_FALSE(played.winner());
  win(played, 0, 1);
  EXPECT_TRUE(played.winner());
}

// Shown first or second, a duel is a duel; one with itself is none.
TEST(Certificate, asks_more_after_a_retired_arm_s_first_duel_with_another_arm) {
  const double share = 0.8 * 0.05 / 3;
  const auto threshold_after = [](const Duel& duel) {
    auto c = certifier(3, {.alpha = 0.05});
    c.served(duel);
    EXPECT_TRUE(c.retire(2).ok());
    return c.log_threshold(0);
  };
  EXPECT_DOUBLE_EQ(threshold_after({.first = 2, .second = 1}), natural_log(2 / (0.1 * share)));
  EXPECT_DOUBLE_EQ(threshold_after({.first = 1, .second = 2}), natural_log(2 / (0.1 * share)));
  EXPECT_DOUBLE_EQ(threshold_after({.first = 2, .second = 2}), natural_log(1 / (0.9 * share)));
  EXPECT_DOUBLE_EQ(threshold_after({.first = 0, .second = 1}), natural_log(1 / (0.9 * share)));
}

// The rival that stood in the way is retired: what was enough against the other one is no more.
TEST(Certificate, asks_more_of_evidence_that_came_before_a_rival_was_retired) {
  const double share = 0.8 * 0.05 / 3;
  const int enough = wins_to(1 / (0.9 * share)), enough_after = wins_to(2 / (0.1 * share));
  ASSERT_LT(enough, enough_after);
  auto c = certifier(3, {.alpha = 0.05});
  win(c, 2, 0);
  win(c, 0, 1, enough);
  EXPECT_TRUE(c.settled(0, 1));
  ASSERT_TRUE(c.retire(2).ok());
  EXPECT_FALSE(c.settled(0, 1));
  EXPECT_FALSE(c.winner());
  win(c, 0, 1, enough_after - enough - 1);
  EXPECT_FALSE(c.winner());
  win(c, 0, 1);
  EXPECT_TRUE(c.winner());
}

// A duel in flight is answered after one of its arms was retired.
TEST(Certificate, takes_no_win_over_a_retired_arm_for_one_over_a_rival) {
  auto c = certifier(3, {.alpha = 0.05});
  c.served({.first = 0, .second = 2});
  ASSERT_TRUE(c.retire(2).ok());
  win(c, 0, 2, 200);
  EXPECT_FALSE(c.winner());
  EXPECT_EQ(c.wins(0, 2), 200U);
  win(c, 2, 1, 200);
  EXPECT_FALSE(c.winner());
}

TEST(Certificate, keeps_what_is_known_of_the_others_when_an_arm_is_added) {
  auto c = certifier(3, {.alpha = 0.05});
  int pair = 0;
  for (const auto& [winner, loser] :
       std::vector<std::pair<Arm, Arm>>{{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}}) {
    win(c, winner, loser, 3 + 2 * pair++);
  }
  const Certifier before = c;
  ASSERT_TRUE(c.add_arm().ok());
  for (Arm i = 0; i < 4; ++i) {
    for (Arm j = 0; j < 4; ++j) {
      if (i == j) continue;
      const bool old = i < 3 && j < 3;
      EXPECT_EQ(c.wins(i, j), old ? before.wins(i, j) : 0U) << i << " " << j;
      EXPECT_EQ(c.log_evidence(i, j), old ? before.log_evidence(i, j) : 0) << i << " " << j;
    }
  }
  EXPECT_EQ(c.num_arms(), 4U);
  EXPECT_TRUE(c.active(3));
  EXPECT_EQ(c.decisive(), before.decisive());
}

TEST(Certificate, is_given_at_once_if_retiring_removes_the_last_rival_in_the_way) {
  auto c = certifier(3, {.alpha = 0.05});
  win(c, 0, 1, 40);
  win(c, 2, 0, 3);
  EXPECT_FALSE(c.winner());
  ASSERT_TRUE(c.retire(2).ok());
  EXPECT_TRUE(c.winner());
}

TEST(Certificate, needs_an_added_arm_to_be_beaten_too_and_gives_it_its_own_share) {
  auto c = certifier(2, {.alpha = 0.05});
  const auto added = c.add_arm();
  ASSERT_TRUE(added.ok());
  EXPECT_EQ(*added, 2U);
  win(c, 0, 1, 40);
  EXPECT_FALSE(c.winner());
  const int enough = wins_to(1 / (0.9 * 0.2 * 0.05 / 2));
  win(c, 2, 0, enough);
  win(c, 2, 1, enough - 1);
  EXPECT_FALSE(c.winner());
  win(c, 2, 1);
  ASSERT_TRUE(c.winner());
  EXPECT_EQ(c.winner()->winner, 2U);
}

TEST(Certificate, is_never_given_without_a_rival) {
  auto c = certifier(2, {.alpha = 0.05});
  ASSERT_TRUE(c.retire(1).ok());
  EXPECT_FALSE(c.winner());
  EXPECT_FALSE(certifier(1, {.alpha = 0.05}).winner());
}

TEST(Certificate, refuses_what_its_thresholds_do_not_cover) {
  auto c = certifier(2, {.alpha = 0.05, .arms_fixed = true});
  EXPECT_FALSE(c.add_arm().ok());
  EXPECT_FALSE(c.retire(0).ok());
  auto open = certifier(2, {.alpha = 0.05});
  EXPECT_EQ(open.retire(2).error().to_string(), "retire: there is no arm 2 (2 arms joined so far)");
  EXPECT_EQ(Certifier::make(2, {.alpha = 1.5}).error().to_string(),
            "option alpha: 1.5 is not an error level (0 < alpha < 1)");
  EXPECT_FALSE(Certifier::make(2, {.alpha = std::nan("")}).ok());
  EXPECT_FALSE(Certifier::make(2, {.alpha = 0}).ok());
  EXPECT_FALSE(Certifier::make(2, {.alpha = 1}).ok());
  EXPECT_FALSE(Certifier::make(2, {.epsilon = 0.5}).ok());
  EXPECT_FALSE(Certifier::make(2, {.epsilon = -0.1}).ok());
  EXPECT_FALSE(Certifier::make(0, {}).ok());
  EXPECT_FALSE(Certifier::make(3, {.winner_exists = true}).ok());
  EXPECT_FALSE(
      Certifier::make(3, {.arms_fixed = true, .epsilon = 0.1, .winner_exists = true}).ok());
}

TEST(Certificate, within_epsilon_comes_sooner_and_says_less) {
  auto exact = certifier(2, {.alpha = 0.05, .arms_fixed = true});
  auto within = certifier(2, {.alpha = 0.05, .arms_fixed = true, .epsilon = 0.1});
  // Even: no arm beats the other, but neither loses by more than 0.1 (2000 duels at 1/2 against
  // 0.4: about 2000 d(.5, .4) = 40 nats).
  for (int k = 0; k < 1000; ++k) {
    for (auto* c : {&exact, &within}) {
      win(*c, 0, 1);
      win(*c, 1, 0);
    }
  }
  EXPECT_FALSE(exact.winner());
  ASSERT_TRUE(within.winner());
  EXPECT_FALSE(within.no_winner());
}

TEST(NoWinner, names_a_cycle_once_every_arm_is_beaten) {
  auto c = certifier(4, {.alpha = 0.05, .arms_fixed = true});
  const int enough = wins_to(12 / 0.05);  // K (K - 1)/alpha
  win(c, 0, 1, enough);
  win(c, 1, 2, enough);
  win(c, 2, 0, enough);
  EXPECT_FALSE(c.no_winner()) << "arm 3 may beat them all";
  win(c, 1, 3, enough - 1);
  EXPECT_FALSE(c.no_winner());
  win(c, 1, 3);
  ASSERT_TRUE(c.no_winner());
  const std::vector<Arm>& cycle = c.no_winner()->cycle;
  ASSERT_EQ(cycle.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ((cycle[k] + 1) % 3, cycle[(k + 1) % 3]);
  EXPECT_EQ(c.no_winner()->findings.size(), 4U);
  EXPECT_FALSE(c.winner());
}

// 0 > 1 > 2 > 0, and arm 3 is beaten by all of them: by arms 1 and 2 with the same evidence, by arm
// 0 with less.
TEST(NoWinner, names_for_each_arm_the_one_with_the_most_evidence_against_it) {
  auto c = certifier(4, {.alpha = 0.05, .arms_fixed = true});
  const int enough = wins_to(12 / 0.05);
  win(c, 0, 3, enough);
  win(c, 1, 3, enough + 2);
  win(c, 2, 3, enough + 2);
  win(c, 0, 1, enough);
  win(c, 1, 2, enough);
  win(c, 2, 0, enough - 1);
  EXPECT_FALSE(c.no_winner());
  win(c, 2, 0);
  ASSERT_TRUE(c.no_winner());
  EXPECT_EQ(c.no_winner()->decisive, static_cast<std::uint64_t>(6 * enough + 4));
  const std::vector<Arm> beaters = {2, 0, 1, 1};
  ASSERT_EQ(c.no_winner()->findings.size(), 4U);
  for (Arm j = 0; j < 4; ++j) {
    const PairFinding& finding = c.no_winner()->findings[j];
    EXPECT_EQ(finding.winner, beaters[j]);
    EXPECT_EQ(finding.loser, j);
    EXPECT_EQ(finding.wins, static_cast<std::uint64_t>(enough + (j == 3 ? 2 : 0)));
    EXPECT_EQ(finding.losses, 0U);
    EXPECT_DOUBLE_EQ(finding.log_threshold, natural_log(12 / 0.05));
    EXPECT_GE(finding.log_evidence, finding.log_threshold);
  }
  const std::vector<Arm>& cycle = c.no_winner()->cycle;
  ASSERT_EQ(cycle.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(beaters[cycle[(k + 1) % 3]], cycle[k]);
}

TEST(NoWinner, speaks_of_active_arms_only) {
  auto c = certifier(4, {.alpha = 0.05});
  win(c, 0, 1, 60);
  win(c, 1, 2, 60);
  win(c, 2, 0, 60);
  EXPECT_FALSE(c.no_winner());
  ASSERT_TRUE(c.retire(3).ok());
  EXPECT_TRUE(c.no_winner());
  auto broken = certifier(3, {.alpha = 0.05});
  win(broken, 0, 1, 60);
  win(broken, 1, 2, 60);
  ASSERT_TRUE(broken.retire(2).ok());
  win(broken, 2, 0, 60);  // a duel in flight: counts for its pair, but 2 is no longer there
  EXPECT_FALSE(broken.no_winner());
  EXPECT_EQ(broken.wins(2, 0), 60U);
}

TEST(WinnerExists, asks_for_less_and_gives_no_other_verdict) {
  auto c = certifier(5, {.alpha = 0.05, .arms_fixed = true, .winner_exists = true});
  auto two = certifier(2, {.alpha = 0.05, .arms_fixed = true, .winner_exists = true});
  auto shared = certifier(
      5, {.alpha = 0.05, .arms_fixed = true, .shared_causes = true, .winner_exists = true});
  EXPECT_DOUBLE_EQ(std::exp(c.log_threshold(0)), 21);       // 1/alpha + 1
  EXPECT_DOUBLE_EQ(std::exp(two.log_threshold(0)), 20);     // (K - 1)/alpha
  EXPECT_DOUBLE_EQ(std::exp(shared.log_threshold(0)), 80);  // (K - 1)/alpha
  // A cycle that would be certified: the assumption is wrong, and the certificate has no word for
  // it.
  auto cycle = certifier(3, {.alpha = 0.05, .arms_fixed = true, .winner_exists = true});
  win(cycle, 0, 1, 60);
  win(cycle, 1, 2, 60);
  win(cycle, 2, 0, 60);
  EXPECT_FALSE(cycle.no_winner());
  EXPECT_FALSE(cycle.winner());
  const int enough = wins_to(21);
  for (Arm j = 1; j < 5; ++j) win(c, 0, j, enough - (j == 4 ? 1 : 0));
  EXPECT_FALSE(c.winner());
  win(c, 0, 4);
  ASSERT_TRUE(c.winner());
  EXPECT_EQ(c.winner()->findings[3].wins_then, static_cast<std::uint64_t>(enough));
}

}  // namespace
}  // namespace duel
