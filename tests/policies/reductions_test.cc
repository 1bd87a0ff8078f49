// Sparring, MultiSBM, Doubler and Self-Sparring.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "duel/policies/doubler.h"
#include "duel/policies/multisbm.h"
#include "duel/policies/self_sparring.h"
#include "duel/policies/sparring.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/reductions_twin.h"

namespace duel {
namespace {

const RecordedSignature doubler_signature("doubler", 0x54f475a67331a699);
const RecordedSignature multisbm_signature("multisbm", 0x672b305324e76fd2);
const RecordedSignature self_sparring_signature("self-sparring", 0x95c28e060aa467fd);
const RecordedSignature sparring_ts_signature("sparring-ts", 0x6a4209406bbae397);
const RecordedSignature sparring_ucb_signature("sparring-ucb", 0xdbee6fbd3f9b1dcc);

template <class Options>
Options some_options(std::uint64_t seed) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
  Options options;
  options.ties = static_cast<Ties>(rng.below(3));
  options.deterministic_ties = rng.below(4) == 0;
  if constexpr (requires { options.alpha; }) {
    if (rng.coin()) options.alpha = 4 * rng.uniform() - 1.5;
  }
  if constexpr (requires { options.eta; }) options.eta = 1 + rng.below(3);
  return options;
}

template <class P, class MakeTwin>
void expect_twin_agreement(std::uint64_t first_seed, std::uint64_t problems, MakeTwin make_twin) {
  for (std::uint64_t seed = first_seed; seed < first_seed + problems; ++seed) {
    expect_same_choices_as_twin<P>(some_options<typename P::Options>(seed), 1 + seed % 9, seed,
                                   seed % 50 == 0 ? 2000 : 250, make_twin);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Sparring, with_bounds_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<SparringUcb>(
      1, 1000, [](const UcbBanditOptions& options, std::size_t k, RoundRng) {
        return SparringUcbTwin({k, options.alpha, options.deterministic_ties}, options.ties);
      });
}
TEST(Sparring, with_thompson_sampling_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<SparringTs>(100001, 300,
                                    [](const PolicyOptions& options, std::size_t k, RoundRng) {
                                      return SparringTsTwin(LiteralThompson(k), options.ties);
                                    });
}
TEST(MultiSbm, makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<MultiSbm>(
      200001, 1000, [](const UcbBanditOptions& options, std::size_t k, RoundRng) {
        return MultiSbmTwin(k, options.alpha, options.ties, options.deterministic_ties);
      });
}
TEST(Doubler, makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<Doubler>(
      300001, 1000, [](const UcbBanditOptions& options, std::size_t k, RoundRng rng) {
        return DoublerTwin(k, options.alpha, options.ties, options.deterministic_ties, rng);
      });
}
TEST(SelfSparring, makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<SelfSparring>(
      400001, 300, [](const SelfSparringOptions& options, std::size_t k, RoundRng) {
        return SelfSparringTwin(k, static_cast<double>(options.eta), options.ties);
      });
}

UcbBanditOptions alpha_of_three() {
  UcbBanditOptions options;
  options.alpha = 3;
  options.deterministic_ties = true;
  return options;
}

// After 4 pulls of arm 0 with 3 wins and 1 of arm 1 without: at the sixth pull the bounds are
// 3/4 + sqrt(2.5 ln 6 / 4) = 1.8083 and 0 + sqrt(2.5 ln 6) = 2.1165.
TEST(CardinalBandit, bound_is_the_one_worked_out_by_hand) {
  RoundRng rng = Stream(1, 0, Purpose::test).at(0);
  UcbBandit bandit(alpha_of_three(), 2);
  const std::vector<std::pair<Arm, std::uint32_t>> pulls = {{0, 2}, {1, 0}, {0, 2}, {0, 2}, {0, 0}};
  for (const auto& [arm, reward] : pulls) {
    bandit.pulled(arm);
    bandit.rewarded(arm, reward);
  }
  EXPECT_EQ(bandit.pulls(), 5U);
  EXPECT_EQ(bandit.counts().mean(0), 0.75);
  EXPECT_EQ(bandit.advance(rng), 1U);
  // Another win-less pull of arm 1: sqrt(2.5 ln 7 / 2) = 1.560 < 3/4 + sqrt(2.5 ln 7 / 4) = 1.853.
  bandit.pulled(1);
  bandit.rewarded(1, 0);
  EXPECT_EQ(bandit.advance(rng), 0U);
}

TEST(CardinalBandit, a_pull_that_is_outstanding_narrows_the_bound_and_leaves_the_mean) {
  RoundRng rng = Stream(1, 0, Purpose::test).at(0);
  UcbBandit bandit(alpha_of_three(), 3);
  std::vector<Arm> asked;
  for (int k = 0; k < 6; ++k) {
    asked.push_back(bandit.advance(rng));
    bandit.pulled(asked.back());
  }
  EXPECT_EQ(asked, (std::vector<Arm>{0, 1, 2, 0, 1, 2}));  // nobody answered: all are asked
  bandit.lost(0);
  bandit.lost(0);
  EXPECT_EQ(bandit.advance(rng), 0U);  // as if never pulled
}

TEST(CardinalBandit, recent_plays_cover_the_last_half_to_three_quarters) {
  RoundRng rng = Stream(1, 0, Purpose::test).at(0);
  RecentPlays plays(2);
  for (int t = 1; t <= 63; ++t) plays.played(0, 0);
  for (int t = 64; t <= 160; ++t) plays.played(1, 1);
  EXPECT_EQ(plays.most_played(true, rng), 1U);  // rounds 65 .. 160
}

// The two rewards sum to one: left's wins and right's wins are all the answers.
TEST(Sparring, rewards_of_the_two_sides_sum_to_one) {
  const PreferenceMatrix matrix = random_matrix(4, 3);
  const Stream choices(3, 0, Purpose::choice);
  UcbBanditOptions options;
  options.ties = Ties::half;
  SparringUcb policy(options, 4, choices.at(0));
  for (Round t = 1; t <= 500; ++t) {
    const Duel duel = policy.take(t, choices.at(t));
    policy.observe(duel, messy_outcome(matrix, duel, 3), choices.at(t));
    double wins = 0, answers = 0;
    for (Arm k = 0; k < 4; ++k) {
      wins += policy.left().counts().wins(k) + policy.right().counts().wins(k);
      answers += policy.left().counts().answered(k);
    }
    ASSERT_EQ(wins, answers);
    ASSERT_EQ(answers, static_cast<double>(t));
  }
}

TEST(MultiSbm, changes_exactly_one_machine_in_a_round_and_follows_the_chain) {
  const PreferenceMatrix matrix = random_matrix(5, 4);
  const Stream choices(4, 0, Purpose::choice);
  MultiSbm policy({}, 5, choices.at(0));
  std::vector<std::uint64_t> pulls(5);
  Arm previous = 0;
  for (Round t = 1; t <= 300; ++t) {
    const Duel duel = policy.take(t, choices.at(t));
    policy.observe(duel, messy_outcome(matrix, duel, 4), choices.at(t));
    if (t > 1) {
      ASSERT_EQ(duel.first, previous);
    }
    previous = duel.second;
    ++pulls[duel.first];
    for (Arm k = 0; k < 5; ++k) ASSERT_EQ(policy.machine(k).pulls(), pulls[k]);
  }
}

// Epochs end after rounds 2, 6, 14, 30: there the bandit starts over.
TEST(Doubler, epochs_end_after_2_6_14_30_rounds) {
  const PreferenceMatrix matrix = random_matrix(3, 5);
  const Stream choices(5, 0, Purpose::choice);
  Doubler policy({}, 3, choices.at(0));
  std::vector<Round> ends;
  for (Round t = 1; t <= 40; ++t) {
    const Duel duel = policy.take(t, choices.at(t));
    policy.observe(duel, messy_outcome(matrix, duel, 5), choices.at(t));
    if (policy.machine().pulls() == 0) ends.push_back(t);
  }
  EXPECT_EQ(ends, (std::vector<Round>{2, 6, 14, 30}));
}

// P(both draws choose the same arm) = K (1/K)^2 at t = 1. n = 20000: se = sqrt(.2 .8/n) = .0028.
TEST(SelfSparring, one_first_duel_in_k_is_a_self_duel) {
  const int n = 20000;
  int self = 0;
  for (int k = 0; k < n; ++k) {
    const Stream choices(9, static_cast<std::uint32_t>(k), Purpose::choice);
    const SelfSparring policy({}, 5, choices.at(0));
    self += policy.select(1, choices.at(1)).is_self() ? 1 : 0;
  }
  EXPECT_NEAR(self / static_cast<double>(n), 0.2, 5 * std::sqrt(0.2 * 0.8 / n));
}

// The coin of a self-duel is a reward for Sparring, and nothing for Self-Sparring.
TEST(SelfSparring, self_duels_change_nothing_while_sparring_reads_their_coin) {
  const Stream stream(1, 0, Purpose::choice);
  SelfSparring quiet({}, 1, stream.at(0));
  SparringUcb reading({}, 1, stream.at(0));
  const Duel self = reading.take(1, stream.at(1));
  ASSERT_TRUE(self.is_self());
  reading.observe(self, Outcome::second_wins, stream.at(1));
  EXPECT_EQ(reading.left().counts().wins(0), 0);
  EXPECT_EQ(reading.right().counts().wins(0), 1);
  quiet.observe(self, Outcome::second_wins, stream.at(1));
  EXPECT_EQ(quiet.recommend(stream.at(1)), 0U);
}

}  // namespace
}  // namespace duel
