#include "duel/policies/rucb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/rucb_twin.h"

namespace duel {
namespace {

const RecordedSignature rucb_signature("rucb", 0x4d5db104d2d7e5a7);
const RecordedSignature rucb_seed_signature("rucb-seed", 0xace091626756d6cd);

using RucbIcml = Rucb<RucbForm::icml>;
using RucbSeed = Rucb<RucbForm::seed>;

PreferenceMatrix sure_win() {
  return PreferenceMatrix::create("sure", {"a", "b"}, {0.5, 1.0, 0.0, 0.5}).value();
}

double unplayed_value(UnplayedBound bound) {
  if (bound == UnplayedBound::two) return 2;
  if (bound == UnplayedBound::one) return 1;
  return std::numeric_limits<double>::infinity();
}

// Options drawn from the seed, so that thousands of problems cover their combinations.
RucbOptions some_options(std::uint64_t seed) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
  RucbOptions options;
  options.alpha = rng.coin() ? 0.51 : 0.2 + 2 * rng.uniform();
  options.unplayed = static_cast<UnplayedBound>(rng.below(3));
  options.ties = static_cast<Ties>(rng.below(3));
  options.deterministic_ties = rng.below(4) == 0;
  return options;
}

template <class P>
void expect_twin_agreement(bool icml, std::uint64_t first_seed) {
  for (std::uint64_t seed = first_seed; seed < first_seed + 1000; ++seed) {
    const std::size_t num_arms = 2 + seed % 7;
    const Round rounds = seed % 10 == 0 ? 5000 : 600;
    expect_same_choices_as_twin<P>(some_options(seed), num_arms, seed, rounds,
                                   [icml](const RucbOptions& options, std::size_t k, RoundRng) {
                                     return RucbTwin(icml, options.alpha,
                                                     unplayed_value(options.unplayed), options.ties,
                                                     options.deterministic_ties, k);
                                   });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Rucb, icml_form_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<RucbIcml>(true, 1);
}

TEST(Rucb, seed_form_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<RucbSeed>(false, 100001);
}

// With two arms and a sure winner the informative rounds are t = 1 and
// t_n = ceil(exp(n/2.04)), n = 1, 2, ..
TEST(Rucb, meets_a_sure_loser_at_the_rounds_worked_out_by_hand) {
  const Recording recording = record_trial<RucbIcml>({}, sure_win(), 3, 0, 60, true);
  std::vector<Round> informative;
  for (std::size_t t = 1; t <= recording.pairs.size(); ++t) {
    const PlayedPair& pair = recording.pairs[t - 1];
    if (pair.first != pair.second) {
      informative.push_back(t);
    } else {
      EXPECT_EQ(pair.first, 0U);
    }
  }
  EXPECT_EQ(informative, (std::vector<Round>{1, 2, 3, 5, 8, 12, 19, 31, 51}));
}

TEST(Rucb, jumps_a_billion_rounds_in_a_few_decisions) {
  const PreferenceMatrix matrix = sure_win();
  const TrialStreams streams(1, 0, "rucb");
  const auto ranks = ranks_by_index(2);
  MatrixArena arena(matrix, ranks, OutcomeStream(1, 0));
  RucbIcml policy({}, 2, streams.choice.at(0));
  const std::vector<Round> checkpoints = {1'000'000'000};
  struct Counting {
    std::uint64_t decisions = 0;
    void played(const Duel&) { ++decisions; }
    void jumped(Arm, Round, Round) {}
  } counting;
  IgnoreCheckpoints observer;
  EXPECT_TRUE(play_trial(policy, arena, streams, {checkpoints}, observer, counting));
  // ln 1e9 = 20.72, so n < 2.04 * 20.72 = 42.3: 43 informative rounds, at most one idle decision
  // each.
  EXPECT_EQ(arena.informative(), 43U);
  EXPECT_LE(counting.decisions, 86U);
  EXPECT_EQ(arena.tally().plays[0] + arena.tally().plays[1], 2'000'000'000U);
}

TEST(Rucb, first_round_never_plays_an_arm_against_itself) {
  for (std::size_t num_arms = 2; num_arms < 10; ++num_arms) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Stream stream(seed, 0, Purpose::choice);
      const RucbIcml policy({}, num_arms, stream.at(0));
      EXPECT_FALSE(policy.select(1, stream.at(1)).is_self());
    }
  }
}

// n = 100, w = 40: u >= 1/2 from t = 8; n = 20, w = 4: from t = 35.
TEST(Rucb, bound_crosses_one_half_at_the_rounds_worked_out_by_hand) {
  const auto first_round_awake = [](int wins, int duels) {
    RucbOptions options;
    const Stream stream(1, 0, Purpose::choice);
    RucbIcml policy(options, 2, stream.at(0));
    for (int k = 0; k < duels; ++k) {
      // Arm 1 won `wins` of its duels against arm 0.
      policy.observe({0, 1, 0, true}, k < wins ? Outcome::second_wins : Outcome::first_wins,
                     stream.at(0));
    }
    Round t = 1;
    while (policy.select(t, stream.at(t)).is_self()) ++t;
    EXPECT_EQ(policy.jump(1, 1'000'000, stream.at(1)).idle_until, t);
    return t;
  };
  EXPECT_EQ(first_round_awake(40, 100), 8U);
  EXPECT_EQ(first_round_awake(4, 20), 35U);
}

TEST(Rucb, does_not_repeat_one_pair_while_its_outcomes_are_outstanding) {
  const Stream stream(5, 0, Purpose::choice);
  RucbIcml policy({}, 4, stream.at(0));
  // Every pair once, all even: then twelve selections without an answer spread over the pairs.
  for (Arm i = 0; i < 4; ++i) {
    for (Arm j = i + 1; j < 4; ++j) {
      policy.observe({i, j, 0, true}, Outcome::first_wins, stream.at(0));
      policy.observe({i, j, 0, true}, Outcome::second_wins, stream.at(0));
    }
  }
  std::vector<int> issued(16);
  for (Round t = 100; t < 112; ++t) {
    const Duel duel = policy.select(t, stream.at(t));
    policy.issued(duel, stream.at(t));
    ASSERT_FALSE(duel.is_self());
    ++issued[std::min(duel.first, duel.second) * 4 + std::max(duel.first, duel.second)];
  }
  EXPECT_LE(*std::max_element(issued.begin(), issued.end()), 4);
}

TEST(Rucb, recommends_by_copeland_then_by_the_sum_of_means) {
  const Stream stream(1, 0, Purpose::choice);
  RucbIcml policy({}, 3, stream.at(0));
  const auto tell = [&](Arm winner, Arm loser, int times) {
    for (int k = 0; k < times; ++k) {
      policy.observe({winner, loser, 0, true}, Outcome::first_wins, stream.at(0));
    }
  };
  tell(0, 1, 3);  // a cycle: one victory each
  tell(1, 0, 2);
  tell(1, 2, 4);
  tell(2, 1, 1);
  tell(2, 0, 3);
  tell(0, 2, 2);
  // Sums: arm 0 .6 + .4 = 1.0, arm 1 .4 + .8 = 1.2, arm 2 .2 + .6 = .8.
  EXPECT_EQ(policy.recommend(stream.at(1)), 1U);
}

}  // namespace
}  // namespace duel
