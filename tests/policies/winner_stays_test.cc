#include "duel/policies/winner_stays.h"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <vector>

#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/winner_stays_twin.h"

namespace duel {
namespace {

const RecordedSignature ws_s_signature("ws-s", 0xfbc3c7f17d6f4486);
const RecordedSignature ws_w_signature("ws-w", 0x2ab22273d4c33de3);

template <class Options>
Options some_options(std::uint64_t seed) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
  Options options;
  options.ties = static_cast<Ties>(rng.below(3));
  options.deterministic_ties = rng.below(4) == 0;
  // Not a value whose powers lie at an integer: the twin takes them by std::pow.
  if constexpr (requires { options.beta; }) options.beta = rng.coin() ? 1.1 : 1.01 + rng.uniform();
  return options;
}

template <class P>
void expect_twin_agreement(std::uint64_t first_seed) {
  for (std::uint64_t seed = first_seed; seed < first_seed + 1000; ++seed) {
    const std::size_t num_arms = 1 + seed % 9;
    expect_same_choices_as_twin<P>(
        some_options<typename P::Options>(seed), num_arms, seed, seed % 10 == 0 ? 5000 : 600,
        [](const typename P::Options& options, std::size_t k, RoundRng) {
          std::optional<double> beta;
          if constexpr (requires { options.beta; }) beta = options.beta;
          return WinnerStaysTwin(k, beta, options.ties, options.deterministic_ties);
        });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(WinnerStays, weak_form_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<WinnerStaysWeak>(1);
}
TEST(WinnerStays, strong_form_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<WinnerStaysStrong>(100001);
}

// K = 3, beta = 1.1. Deterministic ties begin with (1,2); 1 wins; (1,3): 3 wins; (3,1):
// 3 wins, the round is over; one (3,3); then (3,1).
TEST(WinnerStays, strong_form_follows_the_trace_worked_out_by_hand) {
  WinnerStaysStrongOptions options;
  options.deterministic_ties = true;
  const Stream stream(1, 0, Purpose::choice);
  WinnerStaysStrong policy(options, 3, stream.at(0));
  const std::vector<PlayedPair> expected = {{0, 1}, {0, 2}, {2, 0}, {2, 2}, {2, 0}};
  const std::vector<Outcome> outcomes = {Outcome::first_wins, Outcome::second_wins,
                                         Outcome::first_wins, Outcome::first_wins,
                                         Outcome::first_wins};
  const std::vector<std::vector<std::int64_t>> scores = {
      {1, -1, 0}, {0, -1, 1}, {-1, -1, 2}, {-1, -1, 2}, {-2, -1, 3}};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const Round t = k + 1;
    const Duel duel = policy.take(t, stream.at(t));
    EXPECT_EQ((PlayedPair{duel.first, duel.second}), expected[k]) << "round " << t;
    policy.observe(duel, outcomes[k], stream.at(t));
    for (Arm i = 0; i < 3; ++i) EXPECT_EQ(policy.tournament().score(i), scores[k][i]);
  }
}

// Scores sum to 0, nobody falls below -l, and a round ends with the survivor at l (K - 1).
TEST(WinnerStays, scores_keep_their_invariants) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::size_t num_arms = 2 + seed % 6;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    const Stream choices(seed, 0, Purpose::choice);
    WinnerStaysWeak policy({}, num_arms, choices.at(0));
    std::uint64_t round = 1;
    for (Round t = 1; t <= 2000; ++t) {
      const Duel duel = policy.take(t, choices.at(t));
      ASSERT_FALSE(duel.is_self());
      policy.observe(duel, messy_outcome(matrix, duel, seed), choices.at(t));
      std::int64_t sum = 0, best = 0;
      const auto l = static_cast<std::int64_t>(policy.tournament().round());
      for (Arm i = 0; i < num_arms; ++i) {
        const std::int64_t score = policy.tournament().score(i);
        ASSERT_GE(score, -l);
        sum += score;
        best = std::max(best, score);
      }
      ASSERT_EQ(sum, 0);
      if (policy.tournament().round() > round) {
        ASSERT_EQ(best, static_cast<std::int64_t>(round * (num_arms - 1)));
        round = policy.tournament().round();
      }
    }
  }
}

// 1.1^1 .. 1.1^8 have the floors 1 1 1 1 1 1 1 2: where arm 0 always wins, round l is K - 1 duels.
TEST(WinnerStays, strong_form_plays_blocks_of_floor_beta_to_the_l) {
  const PreferenceMatrix sure =
      PreferenceMatrix::create("sure", {"a", "b"}, {0.5, 1.0, 0.0, 0.5}).value();
  const Recording recording = record_trial<WinnerStaysStrong>({}, sure, 3, 0, 400, true);
  std::vector<int> blocks;
  for (const PlayedPair& pair : recording.pairs) {
    if (pair.first != pair.second) {
      blocks.push_back(0);
    } else {
      ++blocks.back();
    }
  }
  const std::vector<int> first_blocks(blocks.begin(), blocks.begin() + 16);
  EXPECT_EQ(first_blocks, (std::vector<int>{1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4}));
  EXPECT_LT(recording.decisions, 120U);
}

// Late answers of a contest that is over change nothing: the survivor is not judged again.
TEST(WinnerStays, ignores_answers_that_come_after_the_contest_was_decided) {
  const Stream stream(1, 0, Purpose::choice);
  WinnerStaysWeakOptions options;
  options.deterministic_ties = true;
  WinnerStaysWeak policy(options, 3, stream.at(0));
  const Duel first = policy.take(1, stream.at(1));
  const Duel second = policy.take(2, stream.at(2));
  EXPECT_EQ(first.first, second.first);
  EXPECT_EQ(first.second, second.second);
  policy.observe(first, Outcome::first_wins, stream.at(1));
  policy.observe(second, Outcome::second_wins, stream.at(2));
  EXPECT_EQ(policy.tournament().score(0), 1);
  EXPECT_EQ(policy.tournament().score(1), -1);
  EXPECT_EQ(policy.take(3, stream.at(3)).second, 2U);
}

TEST(WinnerStays, foreign_duels_move_nobody) {
  const Stream stream(1, 0, Purpose::choice);
  WinnerStaysWeak policy({}, 2, stream.at(0));
  const Duel duel = policy.take(1, stream.at(1));
  policy.observe({duel.first, duel.second, 1, true}, Outcome::first_wins, stream.at(1));
  EXPECT_EQ(policy.tournament().score(0), 0);
}

TEST(WinnerStays, one_arm_is_played_against_itself_forever) {
  const PreferenceMatrix matrix = PreferenceMatrix::create("one", {"a"}, {0.5}).value();
  const Recording recording = record_trial<WinnerStaysStrong>({}, matrix, 1, 0, 1000, true);
  EXPECT_EQ(recording.pairs.size(), 1000U);
  EXPECT_EQ(recording.decisions, 1U);
}

}  // namespace
}  // namespace duel
