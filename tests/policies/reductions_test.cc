// Sparring, MultiSBM, Doubler and Self-Sparring.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
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

SelfSparringOptions showing(std::uint64_t m, std::uint64_t eta = 1) {
  SelfSparringOptions options;
  options.m = m;
  options.eta = eta;
  options.deterministic_ties = true;
  return options;
}

// A choice between two is a duel, and a set of two is the pair of a duel, on the same keys.
TEST(SelfSparring, shows_with_two_arms_what_it_shows_in_duels) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::size_t num_arms = 2 + seed % 6;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    const Stream stream(seed, 0, Purpose::choice);
    SelfSparring duels(showing(2, 1 + seed % 3), num_arms, stream.at(0));
    SelfSparring sets = duels;
    for (Round t = 1; t <= 500; ++t) {
      const Duel duel = duels.take(t, stream.at(t));
      const auto shown = sets.select_set(t, 5, stream.at(t));
      if (duel.is_self()) {
        ASSERT_EQ(shown, std::vector<Arm>{duel.first});
        continue;
      }
      ASSERT_EQ(shown, (std::vector<Arm>{duel.first, duel.second}));
      RoundRng nature = Stream(seed, 0, Purpose::test, "nature").at(t);
      const bool first_wins = nature.bernoulli(matrix(duel.first, duel.second));
      duels.observe(duel, first_wins ? Outcome::first_wins : Outcome::second_wins, stream.at(t));
      sets.observe_choice(shown, first_wins ? duel.first : duel.second, stream.at(t));
    }
  }
}

// Of {1, 2, 4} arm 2 is chosen: one win for it, one loss for each of the others, nothing for 0 and
// 3. Then 2 loses to 1, and both have one of each; counted pair by pair, 2 would have two wins.
TEST(SelfSparring, a_choice_is_one_win_and_a_loss_for_everybody_else) {
  const Stream stream(1, 0, Purpose::choice);
  SelfSparring policy(showing(3), 5, stream.at(0));
  const std::vector<Arm> shown = {1, 2, 4};
  policy.observe_choice(shown, 2, stream.at(1));
  EXPECT_EQ(policy.recommend(stream.at(0)), 2U);
  policy.observe({1, 2, 2}, Outcome::first_wins, stream.at(2));
  EXPECT_EQ(policy.recommend(stream.at(0)), 1U) << "1 and 2 are even, 1 is the first of them";
  policy.observe({4, 0, 3}, Outcome::first_wins, stream.at(3));
  policy.observe({4, 0, 4}, Outcome::first_wins, stream.at(4));
  EXPECT_EQ(policy.recommend(stream.at(0)), 4U) << "two wins and the one loss";
  const std::vector<Arm> alone = {3};
  SelfSparring before = policy;
  policy.observe_choice(alone, 3, stream.at(5));
  EXPECT_EQ(policy.recommend(stream.at(0)), before.recommend(stream.at(0)));
}

TEST(SelfSparring, a_set_has_different_arms_and_the_best_one_first) {
  const Stream stream(1, 0, Purpose::choice);
  SelfSparring policy(showing(3), 6, stream.at(0));
  for (Round t = 1; t <= 50; ++t) {
    const auto shown = policy.select_set(t, 20, stream.at(t));
    EXPECT_EQ(std::set<Arm>(shown.begin(), shown.end()).size(), 3U);
  }
  EXPECT_EQ(policy.select_set(1, 2, stream.at(1)).size() <= 2, true) << "no more than fit";
  EXPECT_EQ(SelfSparring(showing(9), 4, stream.at(0)).select_set(1, 9, stream.at(1)).size(), 4U);
  // All draws of arm 5 are above those of the others: it is drawn again ten times, and then the
  // next best stands beside it.
  for (int k = 0; k < 2000; ++k) {
    policy.observe({5, static_cast<Arm>(k % 5), 0, true}, Outcome::first_wins, stream.at(0));
  }
  for (Round t = 1; t <= 50; ++t) {
    const auto shown = policy.select_set(t, 20, stream.at(t));
    EXPECT_EQ(shown[0], 5U);
    EXPECT_EQ(std::set<Arm>(shown.begin(), shown.end()).size(), 3U);
  }
}

// The set as the header has it, drawn with a list of S and F.
TEST(SelfSparring, shows_the_sets_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::size_t num_arms = 3 + seed % 5;
    const std::size_t size = std::min<std::size_t>(num_arms, 3 + seed % 3);
    const Stream stream(seed, 0, Purpose::choice);
    SelfSparring policy(showing(3 + seed % 3), num_arms, stream.at(0));
    std::vector<double> s(num_arms), f(num_arms);
    for (Round t = 1; t <= 300; ++t) {
      RoundRng keys = stream.at(t);
      Xoshiro draws(keys);
      std::vector<Arm> expected;
      while (expected.size() < size) {
        std::vector<std::pair<double, Arm>> order;
        for (int times = 0; times < 11; ++times) {
          order.clear();
          for (Arm arm = 0; arm < num_arms; ++arm) {
            order.emplace_back(draw_beta(s[arm] + 1, f[arm] + 1, draws), arm);
          }
          std::sort(order.rbegin(), order.rend());
          if (std::count(expected.begin(), expected.end(), order[0].second) == 0) break;
        }
        for (const auto& [drawn, arm] : order) {
          if (std::count(expected.begin(), expected.end(), arm) != 0) continue;
          expected.push_back(arm);
          break;
        }
      }
      const auto shown = policy.select_set(t, 10, stream.at(t));
      ASSERT_EQ(shown, expected) << "seed " << seed << ", t " << t;
      RoundRng nature = Stream(seed, 0, Purpose::test, "nature").at(t);
      // The arm with the lowest number is chosen more often.
      const Arm chosen = nature.bernoulli(0.6) ? *std::min_element(shown.begin(), shown.end())
                                               : shown[nature.below(shown.size())];
      policy.observe_choice(shown, chosen, stream.at(t));
      for (const Arm arm : shown) (arm == chosen ? s : f)[arm] += 1;
    }
  }
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
