#include "duel/policies/interleaved_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "tests/policies/exploration_problems.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/interleaved_filter_twin.h"

namespace duel {
namespace {

const RecordedSignature if1_signature("if1", 0xa160edcea0cf135e);
const RecordedSignature if2_signature("if2", 0xa091bab857f07b11);

static_assert(Policy<InterleavedFilter1> && JumpingPolicy<InterleavedFilter1>);
static_assert(Policy<InterleavedFilter2> && JumpingPolicy<InterleavedFilter2>);

template <class P>
typename P::Options filter_options(Round horizon, FilterInterval ci) {
  typename P::Options options;
  options.horizon = horizon;
  options.ci = ci;
  return options;
}

// A filter whose first candidate is `candidate`.
template <class P>
P starting_with(Arm candidate, std::size_t num_arms, const typename P::Options& options) {
  for (std::uint64_t seed = 0;; ++seed) {
    P policy(options, num_arms, Stream(seed, 0, Purpose::choice).at(0));
    if (policy.explorer().candidate() == candidate) return policy;
  }
}

// Plays one round with the answer that `first_wins` gives.
template <class P>
Duel step(P& policy, Round t, const std::function<bool(const Duel&)>& first_wins) {
  return step(policy, t, Stream(7, 0, Purpose::choice).at(t), first_wins);
}

TEST(InterleavedFilter, log_term_is_the_logarithm_of_t_k_squared) {
  EXPECT_NEAR(interleaved_filter_log_term(2, 100), std::log(400.0), 1e-14);
  EXPECT_NEAR(interleaved_filter_log_term(6, 10000), std::log(36e4), 1e-13);
}

// K = 2, T = 100, the candidate always wins: ln(1/delta) = 5.9915, so c_n <= 1/2 from n = 24 on
// (4 * 5.9915 = 23.97), and from n = 96 with the journal's interval.
TEST(InterleavedFilter, two_arms_end_after_24_duels_or_96) {
  const auto duels_until_settled = [](auto policy) {
    Round t = 0;
    while (!policy.settled()) step(policy, ++t, [](const Duel&) { return true; });
    EXPECT_EQ(policy.explored(), t);
    return t;
  };
  for (const auto& [ci, expected] :
       {std::pair{FilterInterval::colt, 24}, std::pair{FilterInterval::jcss, 96}}) {
    EXPECT_EQ(duels_until_settled(starting_with<InterleavedFilter1>(
                  1, 2, filter_options<InterleavedFilter1>(100, ci))),
              expected);
    EXPECT_EQ(duels_until_settled(starting_with<InterleavedFilter2>(
                  0, 2, filter_options<InterleavedFilter2>(100, ci))),
              expected);
  }
}

TEST(InterleavedFilter, a_candidate_that_always_loses_is_replaced_after_as_many) {
  auto policy = starting_with<InterleavedFilter1>(
      1, 2, filter_options<InterleavedFilter1>(100, FilterInterval::colt));
  for (Round t = 1; t <= 24; ++t) {
    EXPECT_FALSE(policy.settled());
    EXPECT_EQ(policy.recommend(Stream(1, 0, Purpose::recommend).at(t)), 1U);
    step(policy, t, [](const Duel&) { return false; });
  }
  EXPECT_TRUE(policy.settled());
  EXPECT_EQ(policy.recommend(Stream(1, 0, Purpose::recommend).at(1)), 0U);
}

// K = 6, T = 1e4: ln(36e4) = 12.794, four times that is 51.2 and 204.7.
TEST(InterleavedFilter, six_arms_lose_none_before_sweep_52_or_205) {
  for (const auto& [ci, expected] :
       {std::pair{FilterInterval::colt, 52U}, std::pair{FilterInterval::jcss, 205U}}) {
    auto policy =
        starting_with<InterleavedFilter1>(3, 6, filter_options<InterleavedFilter1>(10000, ci));
    Round t = 0;
    for (Round n = 1; n <= expected; ++n) {
      EXPECT_EQ(policy.explorer().active_arms().size(), 5U);
      // Beats arm 0 always, ties in effect with the others.
      for (int k = 0; k < 5; ++k) {
        step(policy, ++t, [&](const Duel& duel) { return duel.second == 0 || n % 2 == 0; });
      }
    }
    EXPECT_EQ(policy.explorer().active_arms(), (std::vector<Arm>{1, 2, 4, 5}));
    EXPECT_EQ(policy.explorer().candidate(), 3U);
  }
}

TEST(InterleavedFilter, every_sweep_plays_each_active_arm_once_in_index_order) {
  auto policy = starting_with<InterleavedFilter1>(
      2, 5, filter_options<InterleavedFilter1>(10000, FilterInterval::colt));
  for (Round sweep = 0; sweep < 10; ++sweep) {
    for (const Arm b : {0U, 1U, 3U, 4U}) {
      const Duel duel =
          step(policy, sweep * 4 + b + 1, [&](const Duel&) { return sweep % 2 == 0; });
      EXPECT_EQ(duel.first, 2U);
      EXPECT_EQ(duel.second, b);
    }
  }
}

// The candidate loses decisively to arm 1 while it has won slightly more than half against arm 2.
TEST(InterleavedFilter, the_second_prunes_who_is_behind_and_the_first_does_not) {
  const auto play = [](auto policy) {
    Round t = 0;
    int wins = 0;
    while (policy.explorer().candidate() == 0 && !policy.settled()) {
      step(policy, ++t, [&](const Duel& duel) { return duel.second == 2 && wins++ % 2 == 0; });
    }
    EXPECT_EQ(policy.explorer().candidate(), 1U);
    return policy;
  };
  // ln(9e3) = 9.105: decided at n = 37, an odd number, so that arm 2 stands at 19/37 > 1/2.
  const auto first = play(starting_with<InterleavedFilter1>(
      0, 3, filter_options<InterleavedFilter1>(1000, FilterInterval::colt)));
  EXPECT_FALSE(first.settled());
  EXPECT_EQ(first.explored(), 74U);
  EXPECT_EQ(first.explorer().active_arms(), (std::vector<Arm>{2}));
  const auto second = play(starting_with<InterleavedFilter2>(
      0, 3, filter_options<InterleavedFilter2>(1000, FilterInterval::colt)));
  EXPECT_TRUE(second.settled());
  EXPECT_EQ(second.explored(), 74U);
}

TEST(InterleavedFilter, an_arm_at_exactly_one_half_is_not_pruned) {
  // ln(9 * 950) = 9.054: decided at n = 37; ln(9 * 1200) = 9.287 at n = 38, an even number.
  auto policy = starting_with<InterleavedFilter2>(
      0, 3, filter_options<InterleavedFilter2>(1200, FilterInterval::colt));
  Round t = 0;
  int wins = 0;
  while (policy.explorer().candidate() == 0) {
    step(policy, ++t, [&](const Duel& duel) { return duel.second == 2 && wins++ % 2 == 0; });
  }
  EXPECT_EQ(policy.explored(), 76U);
  EXPECT_EQ(policy.explorer().active_arms(), (std::vector<Arm>{2}));
}

TEST(InterleavedFilter, the_successor_is_the_arm_that_did_best_then_the_lowest) {
  auto policy = starting_with<InterleavedFilter1>(
      0, 4, filter_options<InterleavedFilter1>(1000, FilterInterval::colt));
  std::map<Arm, int> meetings;
  Round t = 0;
  while (policy.explorer().candidate() == 0) {
    // Arm 1 loses once, arms 2 and 3 never.
    step(policy, ++t,
         [&](const Duel& duel) { return ++meetings[duel.second] == 1 && duel.second == 1; });
  }
  EXPECT_EQ(policy.explorer().candidate(), 2U);
  EXPECT_EQ(policy.explorer().active_arms(), (std::vector<Arm>{1, 3}));
}

TEST(InterleavedFilter, the_horizon_ends_exploration_in_mid_sweep) {
  auto policy = starting_with<InterleavedFilter1>(
      1, 5, filter_options<InterleavedFilter1>(6, FilterInterval::colt));
  for (Round t = 1; t <= 6; ++t) {
    EXPECT_FALSE(policy.settled());
    EXPECT_FALSE(step(policy, t, [](const Duel&) { return true; }).is_self());
  }
  EXPECT_TRUE(policy.settled());
  for (Round t = 7; t <= 12; ++t) {
    const Duel duel = step(policy, t, [](const Duel&) { return false; });
    EXPECT_EQ(duel.first, 1U);
    EXPECT_EQ(duel.second, 1U);
  }
  EXPECT_EQ(policy.explored(), 6U);
}

TEST(InterleavedFilter, the_first_candidate_is_uniform) {
  std::vector<int> count(4);
  const int n = 8000;
  for (int seed = 0; seed < n; ++seed) {
    const InterleavedFilter1 policy(
        filter_options<InterleavedFilter1>(100, FilterInterval::colt), 4,
        Stream(static_cast<std::uint64_t>(seed), 0, Purpose::choice).at(0));
    ++count[policy.explorer().candidate()];
  }
  const double se = std::sqrt(n * 0.25 * 0.75);
  for (const int c : count) EXPECT_NEAR(c, n * 0.25, 5 * se);
}

// The worst case of IF2's candidates is a walk from K that jumps to a uniform lower number until it
// is at 1: it visits number i < K with probability 1/i, so its mean length is 1 + H_{K-1}.
TEST(InterleavedFilter, the_second_has_at_most_as_many_candidates_as_the_random_walk) {
  const std::size_t k = 4;
  const double walk_mean = 1 + 1.0 + 1.0 / 2 + 1.0 / 3;
  RoundRng rng = Stream(3, 0, Purpose::test, "walk").at(0);
  const int walks = 20000;
  double sum = 0;
  double squares = 0;
  for (int walk = 0; walk < walks; ++walk) {
    double steps = 1;
    for (std::uint64_t at = k; at > 1; at = 1 + rng.below(at - 1)) ++steps;
    sum += steps;
    squares += steps * steps;
  }
  const double se = std::sqrt((squares / walks - std::pow(sum / walks, 2)) / walks);
  EXPECT_NEAR(sum / walks, walk_mean, 5 * se);

  const int trials = 400;
  double candidates = 0;
  double candidates_squared = 0;
  for (int trial = 0; trial < trials; ++trial) {
    // p_ij = 1/2 + 0.1 (j - i): total order, transitive, triangle inequality with equality.
    auto policy = starting_with<InterleavedFilter2>(
        3, k, filter_options<InterleavedFilter2>(100000, FilterInterval::jcss));
    const Stream stream(static_cast<std::uint64_t>(trial), 0, Purpose::test, "outcomes");
    double seen = 1;
    for (Round t = 1; !policy.settled(); ++t) {
      const Arm before = policy.explorer().candidate();
      RoundRng draw = stream.at(t);
      step(policy, t, [&](const Duel& duel) {
        return draw.uniform() <
               0.5 + 0.1 * (static_cast<double>(duel.second) - static_cast<double>(duel.first));
      });
      seen += policy.explorer().candidate() != before;
    }
    EXPECT_EQ(policy.explorer().candidate(), 0U);
    candidates += seen;
    candidates_squared += seen * seen;
  }
  const double mean = candidates / trials;
  const double se_candidates = std::sqrt((candidates_squared / trials - mean * mean) / trials);
  EXPECT_LE(mean, walk_mean + 4 * se_candidates);
  EXPECT_GE(mean, 2.0);  // from the worst to the best
}

template <class P>
void expect_same_choices_as_twin(bool prunes) {
  int ended = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const ExplorationProblem problem = random_problem(seed, 4000);
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    auto options = filter_options<P>(problem.horizon,
                                     rng.coin() ? FilterInterval::colt : FilterInterval::jcss);
    options.ties = random_ties(rng);
    options.deterministic_ties = rng.coin();
    const RoundRng start = Stream(seed, 0, Purpose::choice).at(0);
    P policy(options, problem.num_arms, start);
    LiteralExploreThenExploit twin(
        LiteralInterleavedFilter(problem.num_arms, problem.horizon,
                                 options.ci == FilterInterval::colt ? 1 : 4, prunes, start),
        problem.horizon, options.ties);
    ASSERT_EQ(first_difference(policy, twin, problem, problem.horizon + 5), "") << "seed " << seed;
    // How many ended before the horizon, so that the test is not about sweeps alone.
    ended += settles(policy, problem);
  }
  EXPECT_GT(ended, 300);
}

TEST(InterleavedFilter, the_first_chooses_as_its_literal_twin) {
  expect_same_choices_as_twin<InterleavedFilter1>(false);
}

TEST(InterleavedFilter, the_second_chooses_as_its_literal_twin) {
  expect_same_choices_as_twin<InterleavedFilter2>(true);
}

// With duels outstanding the schedule runs ahead; a late answer about the old candidate is nothing.
TEST(InterleavedFilter, ignores_late_answers_about_a_discarded_candidate) {
  auto policy = starting_with<InterleavedFilter1>(
      0, 3, filter_options<InterleavedFilter1>(1000, FilterInterval::colt));
  const Stream stream(7, 0, Purpose::choice);
  std::vector<Duel> late;
  Round t = 0;
  for (t = 1; t <= 4; ++t) late.push_back(policy.take(t, stream.at(t)));
  while (policy.explorer().candidate() == 0) {
    step(policy, ++t, [](const Duel& duel) { return duel.second == 2; });
  }
  EXPECT_EQ(policy.explorer().candidate(), 1U);
  auto undisturbed = policy;
  for (const Duel& duel : late) policy.observe(duel, Outcome::first_wins, stream.at(duel.round));
  while (!policy.settled()) {
    ++t;
    const auto wins = [](const Duel& duel) { return duel.first == 1; };
    EXPECT_EQ(step(policy, t, wins), step(undisturbed, t, wins));
  }
  EXPECT_TRUE(undisturbed.settled());
}

TEST(InterleavedFilter, a_lost_duel_is_asked_again_before_the_sweep_goes_on) {
  auto policy = starting_with<InterleavedFilter1>(
      0, 3, filter_options<InterleavedFilter1>(1000, FilterInterval::colt));
  const Stream stream(7, 0, Purpose::choice);
  for (const Outcome outcome : {Outcome::none, Outcome::skip}) {
    const Duel duel = policy.take(1, stream.at(1));
    EXPECT_EQ(duel.second, 1U);
    policy.observe(duel, outcome, stream.at(1));
  }
  EXPECT_EQ(step(policy, 2, [](const Duel&) { return true; }).second, 1U);
  EXPECT_EQ(step(policy, 3, [](const Duel&) { return true; }).second, 2U);
  EXPECT_EQ(step(policy, 4, [](const Duel&) { return true; }).second, 1U);
}

}  // namespace
}  // namespace duel
