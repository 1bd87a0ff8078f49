#include "duel/policies/watch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "duel/inference/evidence.h"
#include "duel/policies/imed.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature watch_signature("watch", 0x872778d84828432c);

static_assert(Policy<Watch> && JumpingPolicy<Watch>);

WatchOptions watching(const std::string& inner, std::size_t num_arms, double rate, double arl) {
  WatchOptions options;
  options.inner = inner;
  options.rate = rate;
  options.arl = arl;
  options.configured = configure_policy(parse_call(inner).value(), {num_arms, 100'000}).value();
  return options;
}

PreferenceMatrix two_arms(double p) {
  return PreferenceMatrix::create("two", {"a", "b"}, {0.5, p, 1 - p, 0.5}).value();
}

TEST(Watch, is_its_inner_policy_bit_for_bit_without_probes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::size_t num_arms = 2 + seed % 5;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    const auto alone = record_trial<Imed>({}, matrix, seed, 0, 3000, true);
    for (const bool jumping : {true, false}) {
      const auto watched =
          record_trial<Watch>(watching("imed", num_arms, 0, 1e12), matrix, seed, 0, 3000, jumping);
      ASSERT_EQ(watched.pairs, alone.pairs) << "seed " << seed;
    }
  }
}

// After n straight wins a component is sum_{m=1}^{n} (1 + 2g)^m = ((1+2g)^(n+1) - (1+2g))/(2g).
TEST(Watch, adds_up_straight_wins_as_worked_out_by_hand) {
  const Stream stream(1, 0, Purpose::choice);
  // `uniform` recommends the arm with the larger share of wins, told by foreign duels.
  Watch policy(watching("imed", 2, 1, 1e12), 2, stream.at(0));
  for (int k = 0; k < 50; ++k) policy.observe({0, 1, 0, true}, Outcome::first_wins, stream.at(0));
  double expected = 0;
  for (int n = 1; n <= 6; ++n) {
    const Round t = static_cast<Round>(n);
    const Duel duel = policy.take(t, stream.at(t));
    ASSERT_EQ(duel.first, 1U) << "the rival";
    ASSERT_EQ(duel.second, 0U) << "the champion";
    policy.observe(duel, Outcome::first_wins, stream.at(t));
    expected = 0;
    for (const auto& [gap, weight] : PairEvidence::kComponents) {
      expected += weight * (std::pow(1 + 2 * gap, n + 1) - (1 + 2 * gap)) / (2 * gap);
    }
    EXPECT_NEAR(policy.level(1), expected, 1e-9 * expected) << n << " wins";
  }
}

// Two even arms, every round a probe: M - n is a martingale, so that the mean number of duels to
// the alarm is at least arl = 50. A statistic that started at arl's share of the arms would alarm
// sooner. The number is roughly geometric (standard deviation about its mean), so that over 400
// runs the mean is below 40 with probability under 1e-4.
TEST(Watch, gives_a_false_alarm_no_sooner_than_promised) {
  double sum = 0;
  for (std::uint32_t run = 0; run < 400; ++run) {
    const Stream choices(run, 0, Purpose::choice);
    const Stream nature(run, 0, Purpose::test, "nature");
    Watch policy(watching("imed", 2, 1, 50), 2, choices.at(0));
    // Fixes the champion: nothing that the probes show outweighs it.
    for (int k = 0; k < 2000; ++k)
      policy.observe({0, 1, 0, true}, Outcome::first_wins, choices.at(0));
    Round t = 0;
    while (policy.restarts() == 0) {
      ++t;
      const Duel duel = policy.take(t, choices.at(t));
      RoundRng draw = nature.at(t);
      policy.observe(duel, draw.coin() ? Outcome::first_wins : Outcome::second_wins, choices.at(t));
      ASSERT_LT(t, 100'000U);
    }
    sum += static_cast<double>(t);
  }
  EXPECT_GT(sum / 400, 40);
}

// Arm 0 wins 0.8 of its duels for 20 000 rounds and 0.2 afterwards. By then imed alone has hundreds
// of wins of arm 0 to forget, and in most runs does not; watched it always follows.
TEST(Watch, follows_a_change_that_its_inner_policy_sleeps_through) {
  int followed = 0, slept = 0;
  for (std::uint32_t run = 0; run < 20; ++run) {
    const auto play = [&](double rate) {
      const TrialStreams streams(run, 0, "watch test");
      const auto ranks = ranks_by_index(2);
      Watch policy(watching("imed", 2, rate, 1e4), 2, streams.choice.at(0));
      const Stream nature(run, 0, Purpose::test, "nature");
      for (Round t = 1; t <= 26'000; ++t) {
        const Duel duel = policy.take(t, streams.choice.at(t));
        RoundRng draw = nature.at(t);
        const double p = t <= 20'000 ? 0.8 : 0.2;
        const bool zero_wins = draw.uniform() < (duel.is_self() ? 0.5 : p);
        policy.observe(duel,
                       zero_wins == (duel.first == 0) ? Outcome::first_wins : Outcome::second_wins,
                       streams.answer.at(t));
      }
      return policy.recommend(streams.recommend.at(0));
    };
    followed += play(0.02) == 1 ? 1 : 0;
    slept += play(0) == 0 ? 1 : 0;
  }
  EXPECT_EQ(followed, 20);
  EXPECT_GT(slept, 10);
}

// Jumps hold in law: the number of duels between different arms, its mean over 200 trials.
TEST(Watch, jumps_without_a_change_in_law) {
  const PreferenceMatrix matrix = two_arms(0.7);
  double sums[2] = {0, 0}, squares[2] = {0, 0};
  for (const bool jumping : {false, true}) {
    for (std::uint32_t trial = 0; trial < 200; ++trial) {
      const auto run = record_trial<Watch>(watching("imed", 2, 0.01, 1e4), matrix, jumping ? 1 : 2,
                                           trial, 3000, jumping);
      double duels = 0;
      for (const PlayedPair& pair : run.pairs) duels += pair.first != pair.second ? 1 : 0;
      sums[jumping] += duels / 200;
      squares[jumping] += duels * duels / 200;
    }
  }
  const double se =
      std::sqrt((squares[0] - sums[0] * sums[0] + squares[1] - sums[1] * sums[1]) / 200);
  EXPECT_NEAR(sums[0], sums[1], 5 * se);
  EXPECT_GT(sums[0], 30) << "a hundredth of the rounds are probes";
}

}  // namespace
}  // namespace duel
