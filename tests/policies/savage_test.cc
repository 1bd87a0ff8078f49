#include "duel/policies/parts/savage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "duel/policies/savage_borda.h"
#include "duel/policies/savage_condorcet.h"
#include "duel/policies/savage_copeland.h"
#include "tests/policies/exploration_problems.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/savage_twin.h"

namespace duel {
namespace {

const RecordedSignature savage_borda_signature("savage-borda", 0xf7ed971c4d266ac9);
const RecordedSignature savage_condorcet_signature("savage-condorcet", 0x870b9c535f5128aa);
const RecordedSignature savage_copeland_signature("savage-copeland", 0x4ab6faf7934ac733);

static_assert(Policy<SavageCondorcet> && JumpingPolicy<SavageCondorcet>);
static_assert(Policy<SavageCopeland> && JumpingPolicy<SavageCopeland>);
static_assert(Policy<SavageBordaPairs> && JumpingPolicy<SavageBordaPairs>);
static_assert(Policy<SavageBordaArms> && JumpingPolicy<SavageBordaArms>);

template <class P>
typename P::Options savage_options(Round horizon) {
  typename P::Options options;
  options.horizon = horizon;
  return options;
}

RoundRng at(Round t) { return Stream(13, 0, Purpose::choice).at(t); }

template <class P>
Duel step(P& policy, Round t, const std::function<bool(const Duel&)>& first_wins) {
  return step(policy, t, at(t), first_wins);
}

template <class P>
Round duels_until_settled(P policy, Arm expected_winner) {
  Round t = 0;
  while (!policy.settled()) step(policy, ++t, lower_index_wins);
  EXPECT_EQ(policy.recommend(at(0)), expected_winner);
  return t;
}

TEST(SavageRadius, logarithm_of_eta_over_delta) {
  SavageOptions options;
  options.horizon = 100;
  // K = 2: N_v = 1, eta = 2 T, delta = 1/T.
  EXPECT_NEAR(SavageRadius(options, 1).log_term(5), std::log(2e4), 1e-13);
  EXPECT_NEAR(SavageRadius(options, 1)(5), std::sqrt(std::log(2e4) / 10), 1e-14);
  options.delta = 0.05;
  EXPECT_NEAR(SavageRadius(options, 15).log_term(5), std::log(30 * 100 / 0.05), 1e-13);
  options.bound = SavageBound::anytime;
  EXPECT_NEAR(SavageRadius(options, 15).log_term(7),
              std::log(std::acos(-1.0) * std::acos(-1.0) * 15 * 49 / 3 / 0.05), 1e-13);
}

// K = 2, T = 100, delta = 1/T, arm 0 always wins: ln(2e4) = 9.9035, and the radius is below 1/2 for
// n > 2 * 9.9035 = 19.8.
TEST(Savage, two_arms_end_after_20_duels) {
  EXPECT_EQ(duels_until_settled(SavageCondorcet(savage_options<SavageCondorcet>(100), 2, at(0)), 0),
            20U);
  EXPECT_EQ(duels_until_settled(SavageCopeland(savage_options<SavageCopeland>(100), 2, at(0)), 0),
            20U);
  EXPECT_EQ(
      duels_until_settled(SavageBordaPairs(savage_options<SavageBordaPairs>(100), 2, at(0)), 0),
      20U);
}

// Without a horizon: ln(pi^2 n^2/3 / delta) with delta = 0.01 is below n/2 from n = 25 on:
// n = 24: 1.1908 + 6.3561 + 4.6052 = 12.152 > 12; n = 25: 12.234 < 12.5.
TEST(Savage, two_arms_end_after_25_duels_with_the_anytime_bound) {
  auto options = savage_options<SavageCondorcet>(100);
  options.bound = SavageBound::anytime;
  EXPECT_EQ(duels_until_settled(SavageCondorcet(options, 2, at(0)), 0), 25U);
}

// K = 6, T = 1e4: ln(30 * 1e8) = 21.822, so the first arm can go when a pair has 44 duels.
TEST(Savage, six_arms_lose_none_before_44_duels_of_a_pair) {
  SavageCondorcet policy(savage_options<SavageCondorcet>(10000), 6, at(0));
  Round t = 0;
  while (policy.explorer().live().size() == 15) step(policy, ++t, lower_index_wins);
  // 43 sweeps over 15 pairs, then (0, 1): arm 1 is out with its five pairs.
  EXPECT_EQ(t, 43U * 15 + 1);
  EXPECT_EQ(policy.explorer().counts().duels(0, 1), 44);
  EXPECT_EQ(policy.explorer().live().size(), 10U);
  EXPECT_FALSE(policy.explorer().live().contains(1, 4));
}

TEST(Savage, counts_of_live_pairs_differ_by_one_at_most) {
  const auto check = [](auto policy, std::uint64_t seed) {
    const ExplorationProblem problem = random_problem(seed, 4000);
    const std::size_t k = problem.num_arms;
    const Stream nature(seed, 0, Purpose::test, "nature");
    for (Round t = 1; t <= 3000 && !policy.settled(); ++t) {
      const Duel duel = policy.take(t, at(t));
      RoundRng draw = nature.at(t);
      policy.observe(duel, problem.answer(duel, draw), at(t));
      double least = 1e9;
      double most = 0;
      for (Arm i = 0; i < k; ++i) {
        for (Arm j = i + 1; j < k; ++j) {
          if (!policy.explorer().live().contains(i, j)) continue;
          least = std::min(least, policy.explorer().counts().duels(i, j));
          most = std::max(most, policy.explorer().counts().duels(i, j));
        }
      }
      ASSERT_LE(most, least + 1);
    }
  };
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::size_t k = random_problem(seed, 4000).num_arms;
    check(SavageCondorcet(savage_options<SavageCondorcet>(3000), k, at(0)), seed);
    check(SavageCopeland(savage_options<SavageCopeland>(3000), k, at(0)), seed);
  }
}

// A cycle 0 > 1 > 2 > 0 and everyone beats 3: the three tie with two victories each. Copeland stops
// on one of them, once it has surely as many as the others can have; Condorcet names the last arm
// that is not out.
TEST(Savage, a_cycle_without_condorcet_winner_ends_all_the_same) {
  const auto cycle = [](const Duel& duel) {
    if (duel.first == 3 || duel.second == 3) return duel.second == 3;
    return (duel.first + 1) % 3 == duel.second;
  };
  SavageCopeland copeland(savage_options<SavageCopeland>(10000), 4, at(0));
  Round t = 0;
  while (!copeland.settled()) step(copeland, ++t, cycle);
  EXPECT_LT(copeland.recommend(at(0)), 3U);
  EXPECT_LT(t, 10000U);

  SavageCondorcet condorcet(savage_options<SavageCondorcet>(10000), 4, at(0));
  t = 0;
  while (!condorcet.settled()) step(condorcet, ++t, cycle);
  EXPECT_LT(t, 10000U);
  EXPECT_LT(condorcet.recommend(at(0)), 3U);
}

// A horizon of 30 comes before any sign is settled (ln(6 * 900) = 8.6, n > 17), and each arm of the
// cycle has one empirical victory.
TEST(Savage, equal_copeland_winners_are_named_alike_often) {
  const auto cycle = [](const Duel& duel) { return (duel.first + 1) % 3 == duel.second; };
  std::vector<int> named(3);
  const int n = 3000;
  for (int seed = 0; seed < n; ++seed) {
    SavageCopeland policy(savage_options<SavageCopeland>(30), 3, at(0));
    const Stream answers(static_cast<std::uint64_t>(seed), 0, Purpose::answer);
    for (Round t = 1; !policy.settled(); ++t) {
      const Duel duel = policy.take(t, at(t));
      policy.observe(duel, cycle(duel) ? Outcome::first_wins : Outcome::second_wins, answers.at(t));
    }
    ++named[policy.recommend(at(0))];
  }
  const double se = std::sqrt(n * (1.0 / 3) * (2.0 / 3));
  for (const int count : named) EXPECT_NEAR(count, n / 3.0, 5 * se);
}

// Arm 0 beats each of 1, 2, 3 with 0.6; arm 1 loses to 0 but beats 2 and 3 with 0.95: Condorcet and
// Copeland winner 0, Borda winner 1 (0.6 against 0.7667).
TEST(Savage, each_criterion_names_its_own_winner) {
  ExplorationProblem problem;
  problem.num_arms = 4;
  problem.p = {.5, .6, .6, .6, .4, .5, .95, .95, .4, .05, .5, .5, .4, .05, .5, .5};
  const auto winner = [&](auto policy, std::uint64_t seed) {
    const Stream nature(seed, 0, Purpose::test, "nature");
    Round t = 0;
    while (!policy.settled()) {
      ++t;
      const Duel duel = policy.take(t, at(t));
      RoundRng draw = nature.at(t);
      policy.observe(duel, problem.answer(duel, draw), at(t));
    }
    EXPECT_LT(t, 100000U);
    return policy.recommend(at(0));
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(winner(SavageCondorcet(savage_options<SavageCondorcet>(100000), 4, at(0)), seed), 0U);
    EXPECT_EQ(winner(SavageCopeland(savage_options<SavageCopeland>(100000), 4, at(0)), seed), 0U);
    const auto options = savage_options<SavageBordaPairs>(100000);
    EXPECT_EQ(winner(SavageBordaPairs(options, 4, at(0)), seed), 1U);
    EXPECT_EQ(winner(SavageBordaArms(options, 4, at(0)), seed), 1U);
  }
}

// sampling=arms, K = 2, T = 100, arm 0 always wins: N_v = 2, ln(2 * 2 * 100 * 100) = 10.597. Arm 1
// goes when c(n_1) < 1 - c(n_0): c(21) = 0.5023, c(22) = 0.4908, so when arm 0 has 22 and arm 1 21.
TEST(Savage, two_arms_sampled_as_arms_end_after_43_duels) {
  EXPECT_EQ(duels_until_settled(SavageBordaArms(savage_options<SavageBordaArms>(100), 2, at(0)), 0),
            43U);
}

// All pairs at 1/2 exactly: without epsilon it explores to the horizon, with epsilon = 0.1 it stops
// when c <= 0.1: n >= 50 ln(6 * 1e10) = 1240.9 per pair.
TEST(Savage, the_relaxed_stop_ends_a_draw) {
  for (const double epsilon : {0.0, 0.1}) {
    auto options = savage_options<SavageCondorcet>(100000);
    options.epsilon = epsilon;
    options.ties = Ties::half;
    SavageCondorcet policy(options, 3, at(0));
    Round t = 0;
    while (!policy.settled() && t < 10000) {
      ++t;
      const Duel duel = policy.take(t, at(t));
      policy.observe(duel, Outcome::tie, at(t));
    }
    EXPECT_EQ(policy.settled(), epsilon > 0);
    if (epsilon > 0) {
      EXPECT_EQ(t, 3U * 1241);
    }
  }
}

template <class P, class Explore>
void expect_same_choices_as_twin(Criterion criterion, int problems, Round most_rounds) {
  int ended = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(problems); ++seed) {
    const ExplorationProblem problem = random_problem(seed, most_rounds);
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    auto options = savage_options<P>(problem.horizon);
    if (rng.coin()) options.delta = 0.01 + 0.5 * rng.uniform();
    if (rng.coin()) options.bound = SavageBound::anytime;
    if (rng.below(3) == 0) options.epsilon = 0.4 * rng.uniform();
    options.ties = random_ties(rng);
    options.deterministic_ties = rng.coin();
    const double log_horizon = natural_log(static_cast<double>(problem.horizon));
    const SavageRule rule{
        .criterion = criterion,
        .anytime = options.bound == SavageBound::anytime,
        .horizon = static_cast<double>(problem.horizon),
        .minus_log_delta = options.delta ? -natural_log(*options.delta) : log_horizon,
        .epsilon = options.epsilon,
        .lowest = options.deterministic_ties};
    LiteralExploreThenExploit twin(Explore(problem.num_arms, rule), problem.horizon, options.ties);
    P policy(options, problem.num_arms, at(0));
    ASSERT_EQ(first_difference(policy, twin, problem, problem.horizon + 5), "") << "seed " << seed;
    ended += settles(policy, problem);
  }
  EXPECT_GT(ended, problems / 10);
}

TEST(Savage, condorcet_chooses_as_its_literal_twin) {
  expect_same_choices_as_twin<SavageCondorcet, LiteralSavage>(Criterion::condorcet, 2000, 2500);
}

TEST(Savage, copeland_chooses_as_its_literal_twin) {
  expect_same_choices_as_twin<SavageCopeland, LiteralSavage>(Criterion::copeland, 1000, 2500);
}

TEST(Savage, borda_chooses_as_its_literal_twin) {
  expect_same_choices_as_twin<SavageBordaPairs, LiteralSavage>(Criterion::borda, 1000, 2500);
}

TEST(Savage, borda_by_arms_chooses_as_its_literal_twin) {
  expect_same_choices_as_twin<SavageBordaArms, LiteralBordaArms>(Criterion::borda, 2000, 2500);
}

TEST(Savage, a_lost_duel_is_asked_again_first) {
  SavageCondorcet policy(savage_options<SavageCondorcet>(1000), 3, at(0));
  const Duel first = policy.take(1, at(1));
  const Duel second = policy.take(2, at(2));
  policy.observe(first, Outcome::none, at(1));
  const Duel again = policy.take(3, at(3));
  EXPECT_EQ(again.first, first.first);
  EXPECT_EQ(again.second, first.second);
  policy.observe(second, Outcome::first_wins, at(2));
  const Duel third = policy.take(4, at(4));
  EXPECT_EQ(third.first, 1U);
  EXPECT_EQ(third.second, 2U);
}

TEST(Savage, a_thousand_arms_play) {
  for (const char* const call :
       {"savage-condorcet", "savage-copeland", "savage-borda", "savage-borda(sampling=arms)"}) {
    auto policy = make_policy(call, 1000, 1000000, 1);
    for (Round t = 1; t <= 2000; ++t) {
      const Duel duel = policy->select(t, at(t));
      EXPECT_FALSE(duel.is_self());
      policy->issued(duel, at(t));
      policy->observe(duel, Outcome::first_wins, at(t));
    }
  }
}

}  // namespace
}  // namespace duel
