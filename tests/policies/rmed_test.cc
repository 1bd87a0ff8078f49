#include "duel/policies/rmed.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/rmed_twin.h"

namespace duel {
namespace {

const RecordedSignature rmed1_signature("rmed1", 0xd04ee36706371dd2);
const RecordedSignature rmed2_signature("rmed2", 0xfa0cbb36907d7720);
const RecordedSignature rmed2fh_signature("rmed2fh", 0xf1dde0f6a5d5cd3c);

using Rmed1 = Rmed<RmedVariant::one>;
using Rmed2 = Rmed<RmedVariant::two>;
using Rmed2Fh = Rmed<RmedVariant::fixed_horizon>;

PreferenceMatrix sure_win() {
  return PreferenceMatrix::create("sure", {"a", "b"}, {0.5, 1.0, 0.0, 0.5}).value();
}

template <class P>
typename P::Options some_options(std::uint64_t seed, Round rounds) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
  typename P::Options options;
  options.ties = static_cast<Ties>(rng.below(3));
  options.deterministic_ties = rng.below(4) == 0;
  if (rng.coin()) options.f_scale = rng.uniform();
  if constexpr (requires { options.alpha; }) {
    if (rng.coin()) options.alpha = 0.5 + 4 * rng.uniform();
    if (rng.coin()) options.clamp = 0.01;
  }
  if constexpr (requires { options.horizon; })
    options.horizon = rng.coin() ? rounds : 1 + rounds / 7;
  return options;
}

template <class Options>
RmedTwin twin_of(int variant, const Options& options, std::size_t num_arms) {
  RmedTwinOptions twin;
  twin.variant = variant;
  twin.f_scale = options.f_scale;
  twin.f_power = options.f_power;
  if constexpr (requires { options.alpha; }) {
    twin.alpha = options.alpha;
    twin.clamp = options.clamp;
  }
  if constexpr (requires { options.horizon; }) {
    twin.horizon = static_cast<double>(options.horizon);
  }
  twin.ties = options.ties;
  twin.lowest = options.deterministic_ties;
  return RmedTwin(twin, num_arms);
}

template <class P>
void expect_twin_agreement(int variant, std::uint64_t first_seed) {
  for (std::uint64_t seed = first_seed; seed < first_seed + 1000; ++seed) {
    const std::size_t num_arms = 2 + seed % 7;
    const Round rounds = seed % 10 == 0 ? 5000 : 500;
    expect_same_choices_as_twin<P>(some_options<P>(seed, rounds), num_arms, seed, rounds,
                                   [&](const typename P::Options& options, std::size_t k,
                                       RoundRng) { return twin_of(variant, options, k); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Rmed, rmed1_makes_the_choices_of_its_literal_twin) { expect_twin_agreement<Rmed1>(1, 1); }
TEST(Rmed, rmed2_makes_the_choices_of_its_literal_twin) { expect_twin_agreement<Rmed2>(2, 100001); }
TEST(Rmed, rmed2fh_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<Rmed2Fh>(3, 200001);
}

// K = 2, arm 1 always wins, f = .6042.
TEST(Rmed, rmed1_follows_the_trace_worked_out_by_hand) {
  const Recording recording = record_trial<Rmed1>({}, sure_win(), 1, 0, 11, true);
  EXPECT_EQ(
      recording.pairs,
      (std::vector<PlayedPair>{
          {0, 1}, {0, 0}, {1, 0}, {0, 0}, {1, 0}, {0, 0}, {1, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0}}));
}

TEST(Rmed, rmed2fh_plays_every_pair_eight_times_first_at_a_horizon_of_1e5) {
  Rmed2FhOptions options;
  options.horizon = 100000;  // ceil(3 ln ln 1e5) = ceil(7.33) = 8
  const PreferenceMatrix matrix = random_matrix(4, 5);
  const Recording recording = record_trial<Rmed2Fh>(options, matrix, 1, 0, 48, true);
  std::vector<int> plays(16);
  for (const PlayedPair& pair : recording.pairs) ++plays[pair.first * 4 + pair.second];
  for (Arm i = 0; i < 4; ++i) {
    for (Arm j = i + 1; j < 4; ++j) EXPECT_EQ(plays[i * 4 + j], 8) << i << ' ' << j;
  }
}

// Feeds a policy the counts of a known matrix as foreign duels, scaled to `plays` per pair.
// cyclic with exact means: arm 2 is best met by 4, 3 by 2, 4 by 3 (1-based).
TEST(Rmed, rmed2_sends_arms_of_the_cyclic_problem_to_their_cheapest_opponents) {
  const PreferenceMatrix cyclic =
      PreferenceMatrix::create("cyclic", {"1", "2", "3", "4"},
                               {.5, .6, .6, .6, .4, .5, .9, .1, .4, .1, .5, .9, .4, .9, .1, .5})
          .value();
  Rmed2Options options;
  options.f_scale = 1000;  // every arm stays in the list
  Rmed2 policy = told_the_truth<Rmed2>(options, cyclic, 100);
  const Stream stream(1, 0, Purpose::choice);
  std::vector<PlayedPair> pairs;
  for (Round t = 1'000'000; pairs.size() < 10; ++t) {
    const Duel duel = policy.take(t, stream.at(t));
    pairs.push_back({duel.first, duel.second});
    policy.observe(duel, Outcome::tie, stream.at(t));
  }
  // Six pairs of the initial phase, then the loop over all arms.
  EXPECT_EQ(pairs[6], (PlayedPair{0, 0}));
  EXPECT_EQ(pairs[7], (PlayedPair{1, 3}));
  EXPECT_EQ(pairs[8], (PlayedPair{2, 1}));
  EXPECT_EQ(pairs[9], (PlayedPair{3, 2}));
}

TEST(Rmed, one_arm_is_played_against_itself_forever) {
  const PreferenceMatrix matrix = PreferenceMatrix::create("one", {"a"}, {0.5}).value();
  const Recording recording = record_trial<Rmed2>({}, matrix, 1, 0, 1000, true);
  EXPECT_EQ(recording.pairs.size(), 1000U);
  EXPECT_LT(recording.decisions, 20U);
}

TEST(Rmed, log_log_is_zero_before_round_three) {
  EXPECT_EQ(log_log_round(1), 0);
  EXPECT_EQ(log_log_round(2), 0);
  EXPECT_NEAR(log_log_round(3), std::log(std::log(3.0)), 1e-14);
  EXPECT_NEAR(3 * log_log_round(100000), 7.33, 0.005);
}

// An answer that never comes is asked for again in the initial phase, and does not end the main
// one.
TEST(Rmed, asks_again_for_a_lost_answer_of_the_initial_phase) {
  const Stream stream(1, 0, Purpose::choice);
  Rmed1 policy({}, 3, stream.at(0));
  const Duel first = policy.take(1, stream.at(1));
  policy.observe(first, Outcome::none, stream.at(1));
  const Duel again = policy.take(2, stream.at(2));
  EXPECT_EQ(again.first, first.first);
  EXPECT_EQ(again.second, first.second);
}

TEST(Rmed, goes_on_with_many_duels_outstanding) {
  const Stream stream(1, 0, Purpose::choice);
  Rmed2 policy({}, 5, stream.at(0));
  std::vector<Duel> outstanding;
  for (Round t = 1; t <= 200; ++t) {
    const Duel duel = policy.select(t, stream.at(t));
    policy.issued(duel, stream.at(t));
    ASSERT_LT(duel.first, 5U);
    ASSERT_LT(duel.second, 5U);
    outstanding.push_back(duel);
  }
  // All answered at the end, last first.
  while (!outstanding.empty()) {
    const Duel duel = outstanding.back();
    outstanding.pop_back();
    policy.observe(duel, duel.first < duel.second ? Outcome::first_wins : Outcome::second_wins,
                   stream.at(duel.round));
  }
  EXPECT_EQ(policy.recommend(stream.at(0)), 0U);
}

}  // namespace
}  // namespace duel
