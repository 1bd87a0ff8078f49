#include "duel/policies/imed.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/imed_twin.h"

namespace duel {
namespace {

const RecordedSignature imed_signature("imed", 0x41827f17020ba0d5);

void expect_twin_agreement(bool target, std::uint64_t first_seed) {
  for (std::uint64_t seed = first_seed; seed < first_seed + 1000; ++seed) {
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    ImedOptions options;
    options.c = rng.coin() ? 0.65 : 1.2 * rng.uniform();
    options.kappa = rng.coin() ? 0.25 : rng.uniform();
    options.target = target;
    options.ties = static_cast<Ties>(rng.below(3));
    options.deterministic_ties = rng.below(4) == 0;
    const std::size_t num_arms = 1 + seed % 8;
    const Round rounds = seed % 20 == 0 ? 5000 : 400;
    expect_same_choices_as_twin<Imed>(
        options, num_arms, seed, rounds, [](const ImedOptions& o, std::size_t k, RoundRng) {
          return ImedTwin({o.c, o.kappa, o.target, o.ties, o.deterministic_ties}, k);
        });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Imed, makes_the_choices_of_its_literal_twin_with_and_without_jumping) {
  expect_twin_agreement(false, 1);
}

TEST(Imed, with_targets_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement(true, 20001);
}

// Two arms, the first always wins: after n duels h = n ln 2 + c ln n, so duel n + 1 is in the first
// round t with ln t >= h, that is t_n = ceil(2^n n^c), and at once for n = 0. With c = .65:
// 2, 4 * 1.569 = 6.3, 8 * 2.042 = 16.3, 16 * 2.462 = 39.4, 32 * 2.846 = 91.1.
TEST(Imed, meets_a_sure_loser_at_the_rounds_worked_out_by_hand) {
  const PreferenceMatrix matrix =
      PreferenceMatrix::create("sure", {"a", "b"}, {0.5, 1.0, 0.0, 0.5}).value();
  const Recording recording = record_trial<Imed>({}, matrix, 3, 0, 100, true);
  std::vector<Round> informative;
  for (std::size_t t = 1; t <= recording.pairs.size(); ++t) {
    const PlayedPair& pair = recording.pairs[t - 1];
    if (pair.first != pair.second) {
      informative.push_back(t);
    } else {
      EXPECT_EQ(pair.first, 0U);
    }
  }
  EXPECT_EQ(informative, (std::vector<Round>{1, 2, 7, 17, 40, 92}));
}

// Arms 1 and 2 both lost to 0, and 2 also lost to 1: kappa gives back what the second loss adds.
TEST(Imed, takes_kappa_back_for_each_opponent_beyond_the_first) {
  const auto first_round = [](double kappa) {
    ImedOptions options;
    options.kappa = kappa;
    const Stream stream(1, 0, Purpose::choice);
    Imed policy(options, 3, stream.at(0));
    const auto tell = [&](Arm winner, Arm loser, int times) {
      for (int k = 0; k < times; ++k) {
        policy.observe({winner, loser, 0, true}, Outcome::first_wins, stream.at(0));
      }
    };
    tell(0, 1, 9);
    tell(0, 2, 3);
    tell(1, 2, 1);
    return policy.jump(2, 1'000'000, stream.at(2)).idle_until;
  };
  // I_2 = 3 ln 2 + ln 2: h_2 = 4 ln 2 - kappa + .65 ln 3, at least 3 ln 2 + .65 ln 3.
  EXPECT_EQ(first_round(0), static_cast<Round>(std::ceil(16 * std::pow(3, .65))));
  EXPECT_EQ(first_round(0.25),
            static_cast<Round>(std::ceil(16 * std::pow(3, .65) * std::exp(-.25))));
  EXPECT_EQ(first_round(5), static_cast<Round>(std::ceil(8 * std::pow(3, .65))));
}

// An arm that never met the champion is met at once.
TEST(Imed, meets_every_arm_early) {
  const PreferenceMatrix matrix = resolve_matrix("arithmetic").value();
  const Recording recording = record_trial<Imed>({}, matrix, 1, 0, 200, false);
  std::vector<int> met(8);
  for (const PlayedPair& pair : recording.pairs) {
    if (pair.first == pair.second) continue;
    ++met[pair.first];
    ++met[pair.second];
  }
  for (const int count : met) EXPECT_GT(count, 0);
}

TEST(Imed, does_not_repeat_one_pair_while_its_outcomes_are_outstanding) {
  const Stream stream(5, 0, Purpose::choice);
  Imed policy({}, 5, stream.at(0));
  for (Arm j = 1; j < 5; ++j) {
    policy.observe({0, j, 0, true}, Outcome::first_wins, stream.at(0));
  }
  std::vector<int> met(5);
  for (Round t = 1000; t < 1004; ++t) {
    const Duel duel = policy.select(t, stream.at(t));
    policy.issued(duel, stream.at(t));
    EXPECT_EQ(duel.first, 0U);
    ++met[duel.second];
  }
  EXPECT_EQ(met, (std::vector<int>{0, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace duel
