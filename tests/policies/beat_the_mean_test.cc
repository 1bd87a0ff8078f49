#include "duel/policies/beat_the_mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "tests/policies/exploration_problems.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/beat_the_mean_twin.h"

namespace duel {
namespace {

const RecordedSignature btm_signature("btm", 0x70fab0e5cdde5952);
const RecordedSignature btm_pac_signature("btm-pac", 0x8d078c509e1e0c1e);

static_assert(Policy<BeatTheMean> && JumpingPolicy<BeatTheMean>);
static_assert(Policy<BeatTheMeanPac> && JumpingPolicy<BeatTheMeanPac>);

BeatTheMeanOptions mean_options(Round horizon) {
  BeatTheMeanOptions options;
  options.horizon = horizon;
  return options;
}

RoundRng at(Round t) { return Stream(11, 0, Purpose::choice).at(t); }

template <class P>
Duel step(P& policy, Round t, const std::function<bool(const Duel&)>& first_wins) {
  return step(policy, t, at(t), first_wins);
}

TEST(BeatTheMean, formulas) {
  EXPECT_NEAR(beat_the_mean_log_term(2, 100), std::log(400.0), 1e-14);
  EXPECT_NEAR(beat_the_mean_log_term(10, 1000), std::log(2e4), 1e-13);
  EXPECT_EQ(beat_the_mean_width(1, MeanRadius::automatic), 1);
  EXPECT_EQ(beat_the_mean_width(2, MeanRadius::automatic), 12);
  EXPECT_EQ(beat_the_mean_width(2, MeanRadius::tight), 1);
  EXPECT_EQ(beat_the_mean_width(1, MeanRadius::general), 3);
  EXPECT_EQ(beat_the_mean_radius(1, 9, 0), 1);
  EXPECT_EQ(beat_the_mean_radius(3, 9, 4), 4.5);
}

// K = 2, T = 100, arm 0 always wins: ln(1/delta) = 5.9915. The tight radius is at most 1/2 from
// n* = 24 on, that is at duel 48.
TEST(BeatTheMean, two_arms_end_at_duel_48_with_the_tight_radius) {
  for (const MeanRadius radius : {MeanRadius::automatic, MeanRadius::tight}) {
    BeatTheMeanOptions options = mean_options(100);
    options.radius = radius;
    BeatTheMean policy(options, 2, at(0));
    for (Round t = 1; t <= 48; ++t) {
      EXPECT_FALSE(policy.settled());
      step(policy, t, lower_index_wins);
    }
    EXPECT_TRUE(policy.settled());
    EXPECT_EQ(policy.explored(), 48U);
    EXPECT_EQ(policy.recommend(at(0)), 0U);
  }
}

// With 3 gamma^2, gamma = 1: n* = 216, duel 432. ln(1/delta) is that of T = 100, but the horizon
// of 100 comes first; with T = 432 (ln 1728 = 7.4547) it is 36 * 7.4547 = 268.4, duel 538 > 432.
TEST(BeatTheMean, the_general_radius_takes_nine_times_as_long) {
  BeatTheMeanOptions options = mean_options(100);
  options.radius = MeanRadius::general;
  BeatTheMean policy(options, 2, at(0));
  for (Round t = 1; t <= 100; ++t) {
    EXPECT_FALSE(policy.settled());
    step(policy, t, lower_index_wins);
  }
  EXPECT_TRUE(policy.settled());  // by the horizon
  EXPECT_EQ(policy.explorer().working_set().size(), 2U);
  EXPECT_EQ(policy.recommend(at(0)), 0U);

  BeatTheMeanExplorer explorer({.width = 3,
                                .log_term = std::log(400.0),
                                .limit = 1e18,
                                .literal_self = false,
                                .deterministic_ties = false},
                               2);
  int duels = 0;
  while (!explorer.finished()) {
    ++duels;
    RoundRng rng = at(static_cast<Round>(duels));
    const auto choice = explorer.choose(static_cast<Round>(duels), rng);
    explorer.commit(choice);
    explorer.answered(choice.duel, choice.duel.first == 0 ? Points{2, 0} : Points{0, 2}, rng);
  }
  EXPECT_EQ(duels, 432);
}

TEST(BeatTheMean, counts_stay_within_one_until_an_arm_goes_and_add_up_afterwards) {
  const std::size_t k = 6;
  int removals = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    BeatTheMean policy(mean_options(5000), k, at(0));
    const Stream nature(seed, 0, Purpose::test, "nature");
    const Stream choices(seed, 0, Purpose::choice);
    std::vector<Duel> history;
    std::size_t size = k;
    for (Round t = 1; t <= 5000 && !policy.settled(); ++t) {
      const Duel duel = policy.take(t, choices.at(t));
      RoundRng draw = nature.at(t);
      const double win = 0.5 + 0.08 * (double(duel.second) - double(duel.first));
      policy.observe(duel, draw.uniform() < win ? Outcome::first_wins : Outcome::second_wins,
                     choices.at(t));
      history.push_back(duel);
      const auto& working = policy.explorer().working_set();
      std::uint64_t sum = 0;
      std::uint64_t least = ~0ULL;
      std::uint64_t most = 0;
      for (const Arm b : working) {
        sum += policy.explorer().duels(b);
        least = std::min(least, policy.explorer().duels(b));
        most = std::max(most, policy.explorer().duels(b));
      }
      if (working.size() == k) {
        EXPECT_LE(most - least, 1U);
      }
      if (working.size() == size) continue;
      EXPECT_EQ(working.size(), size - 1);
      size = working.size();
      ++removals;
      const std::set<Arm> in(working.begin(), working.end());
      const auto inside = std::count_if(history.begin(), history.end(), [&](const Duel& past) {
        return in.contains(past.first) && in.contains(past.second);
      });
      EXPECT_EQ(sum, static_cast<std::uint64_t>(inside));
    }
  }
  EXPECT_GT(removals, 60);
}

TEST(BeatTheMean, the_opponents_record_is_not_updated) {
  BeatTheMean policy(mean_options(1000), 3, at(0));
  const Duel duel = step(policy, 1, lower_index_wins);
  EXPECT_EQ(policy.explorer().duels(duel.first), 1U);
  EXPECT_EQ(policy.explorer().duels(duel.second), 0U);
}

TEST(BeatTheMean, opponents_are_uniform_and_an_arm_meets_itself_only_where_asked) {
  for (const bool literal_self : {false, true}) {
    BeatTheMeanOptions options = mean_options(1000000);
    options.literal_self = literal_self;
    BeatTheMean policy(options, 4, at(0));
    std::map<std::pair<Arm, Arm>, int> count;
    const int n = 40000;
    for (Round t = 1; t <= n; ++t) {
      const Duel duel = policy.take(t, at(t));
      RoundRng draw = Stream(5, 0, Purpose::test, "coins").at(t);
      policy.observe(duel, draw.coin() ? Outcome::first_wins : Outcome::second_wins, at(t));
      ++count[{duel.first, duel.second}];
    }
    const double p = literal_self ? 1.0 / 16 : 1.0 / 12;
    const double se = std::sqrt(n * p * (1 - p));
    for (Arm i = 0; i < 4; ++i) {
      for (Arm j = 0; j < 4; ++j) {
        const double expected = i == j && !literal_self ? 0 : n * p;
        EXPECT_NEAR((count[{i, j}]), expected, i == j && !literal_self ? 0 : 5 * se);
      }
    }
  }
}

// N = 73496 for K = 10, gamma = 1, epsilon = delta = 0.1, and the radius there is epsilon/(2
// gamma).
TEST(BeatTheMeanPac, the_limit_solves_its_equation) {
  EXPECT_EQ(beat_the_mean_pac_limit(10, 1, 0.1, 0.1), 73496);
  for (const double gamma : {1.0, 1.3, 2.0}) {
    for (const double epsilon : {0.05, 0.2, 0.5}) {
      const double limit = beat_the_mean_pac_limit(5, gamma, epsilon, 0.05);
      if (limit < 1e7) {
        EXPECT_EQ(limit, literal_pac_limit(5, gamma, epsilon, 0.05));
      }
      const double log_term = beat_the_mean_pac_log_term(5, limit, 0.05);
      const double radius = beat_the_mean_radius(3 * gamma * gamma, log_term, limit);
      EXPECT_NEAR(radius, epsilon / (2 * gamma), 1e-3 * epsilon);
      EXPECT_LE(radius, epsilon / (2 * gamma) * (1 + 1e-12));
    }
  }
  EXPECT_EQ(beat_the_mean_pac_limit(5, 1e6, 1e-9, 0.05), 0x1p62);
}

TEST(BeatTheMeanPac, stops_when_every_arm_has_n_duels) {
  BeatTheMeanPacOptions options;
  options.epsilon = 0.5;
  options.delta = 0.5;
  const double limit = beat_the_mean_pac_limit(3, 1, 0.5, 0.5);
  BeatTheMeanPac policy(options, 3, at(0));
  Round t = 0;
  // Answers alternate, so that no arm stands out.
  std::map<Arm, int> asked;
  while (!policy.settled()) {
    step(policy, ++t, [&](const Duel& duel) { return asked[duel.first]++ % 2 == 0; });
  }
  EXPECT_EQ(t, static_cast<Round>(3 * limit));
  EXPECT_TRUE(policy.select(t + 1, at(t + 1)).is_self());
}

TEST(BeatTheMeanPac, finds_the_best_arm_of_an_easy_problem) {
  BeatTheMeanPacOptions options;
  options.epsilon = 0.5;
  BeatTheMeanPac policy(options, 3, at(0));
  Round t = 0;
  while (!policy.settled()) step(policy, ++t, lower_index_wins);
  EXPECT_EQ(policy.recommend(at(0)), 0U);
}

TEST(BeatTheMean, chooses_as_its_literal_twin) {
  int reduced = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    const bool general = rng.below(4) == 0;
    const ExplorationProblem problem = random_problem(seed, general ? 6000 : 2500, general ? 3 : 8);
    BeatTheMeanOptions options = mean_options(problem.horizon);
    options.gamma = rng.coin() ? 1.0 : 1.3;
    options.radius =
        general ? MeanRadius::general : (rng.coin() ? MeanRadius::tight : MeanRadius::automatic);
    options.literal_self = rng.coin();
    options.ties = random_ties(rng);
    options.deterministic_ties = rng.below(3) == 0;
    const bool tight = options.radius == MeanRadius::tight ||
                       (options.radius == MeanRadius::automatic && options.gamma == 1);
    LiteralExploreThenExploit twin(
        LiteralBeatTheMean(problem.num_arms,
                           {.factor = tight ? 1 : 3 * (options.gamma * options.gamma),
                            .log_1_delta = natural_log(2.0) + natural_log(double(problem.horizon)) +
                                           natural_log(double(problem.num_arms)),
                            .limit = 1e300,
                            .literal_self = options.literal_self,
                            .lowest = options.deterministic_ties}),
        problem.horizon, options.ties);
    BeatTheMean policy(options, problem.num_arms, at(0));
    ASSERT_EQ(first_difference(policy, twin, problem, problem.horizon + 5), "") << "seed " << seed;
    const Stream choices(seed, 0, Purpose::choice);
    const Stream nature(seed, 0, Purpose::test, "nature");
    const Stream answers(seed, 0, Purpose::answer);
    for (Round t = 1; t <= problem.horizon && !policy.settled(); ++t) {
      const Duel duel = policy.take(t, choices.at(t));
      RoundRng draw = nature.at(t);
      policy.observe(duel, problem.answer(duel, draw), answers.at(t));
    }
    reduced += policy.explorer().working_set().size() < problem.num_arms;
  }
  EXPECT_GT(reduced, 500);
}

TEST(BeatTheMeanPac, chooses_as_its_literal_twin) {
  int settled = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const ExplorationProblem problem = random_problem(seed, 2, 4);
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    BeatTheMeanPacOptions options;
    options.epsilon = 0.5;
    options.delta = 0.1 + 0.8 * rng.uniform();
    options.gamma = rng.coin() ? 1.0 : 1.05;
    options.literal_self = rng.coin();
    options.ties = random_ties(rng);
    options.deterministic_ties = rng.coin();
    const double limit =
        literal_pac_limit(problem.num_arms, options.gamma, options.epsilon, options.delta);
    LiteralExploreThenExploit twin(
        LiteralBeatTheMean(problem.num_arms,
                           {.factor = 3 * (options.gamma * options.gamma),
                            .log_1_delta = 3 * natural_log(double(problem.num_arms)) +
                                           natural_log(limit) - natural_log(options.delta),
                            .limit = limit,
                            .literal_self = options.literal_self,
                            .lowest = options.deterministic_ties}),
        std::nullopt, options.ties);
    const BeatTheMeanPac policy(options, problem.num_arms, at(0));
    ASSERT_EQ(first_difference(policy, twin, problem, 6000), "") << "seed " << seed;
    ++settled;
  }
  EXPECT_EQ(settled, 150);
}

TEST(BeatTheMean, a_lost_duel_gives_the_arm_its_turn_back) {
  BeatTheMeanOptions options = mean_options(1000);
  options.deterministic_ties = true;
  BeatTheMean policy(options, 3, at(0));
  EXPECT_EQ(policy.take(1, at(1)).first, 0U);
  const Duel second = policy.take(2, at(2));
  EXPECT_EQ(second.first, 1U);
  EXPECT_EQ(policy.take(3, at(3)).first, 2U);
  policy.observe(second, Outcome::none, at(2));
  EXPECT_EQ(policy.take(4, at(4)).first, 1U);
  EXPECT_EQ(policy.take(5, at(5)).first, 0U);
}

TEST(BeatTheMean, late_answers_about_a_removed_arm_are_ignored) {
  BeatTheMeanOptions options = mean_options(1000);
  options.deterministic_ties = true;
  BeatTheMean policy(options, 3, at(0));
  std::vector<Duel> late;
  Round t = 0;
  for (t = 1; t <= 30; ++t) late.push_back(policy.take(t, at(t)));
  while (policy.explorer().working_set().size() == 3) step(policy, ++t, lower_index_wins);
  EXPECT_EQ(policy.explorer().working_set(), (std::vector<Arm>{0, 1}));
  for (const Duel& duel : late) {
    if (duel.first != 2 && duel.second != 2) continue;
    auto told = policy;
    told.observe(duel, Outcome::first_wins, at(duel.round));
    for (const Arm b : {0U, 1U}) {
      EXPECT_EQ(told.explorer().duels(b), policy.explorer().duels(b));
    }
    EXPECT_EQ(told.select(t + 1, at(t + 1)), policy.select(t + 1, at(t + 1)));
  }
}

}  // namespace
}  // namespace duel
