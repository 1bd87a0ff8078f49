#include "duel/policies/certify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "duel/inference/certificate.h"
#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/certify_twin.h"

namespace duel {
namespace {

const RecordedSignature certify_signature("certify", 0xb64edc810e293ab7);

TEST(Certify, makes_the_choices_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    CertifyOptions options;
    options.certificate_alpha = rng.coin() ? 0.05 : 0.5 * rng.uniform_open();
    options.ties = static_cast<Ties>(rng.below(3));
    options.deterministic_ties = rng.below(4) == 0;
    const std::size_t num_arms = 1 + seed % 8;
    expect_same_choices_as_twin<Certify>(
        options, num_arms, seed, 300, [](const CertifyOptions& o, std::size_t k, RoundRng) {
          return CertifyTwin(o.certificate_alpha, o.ties, o.deterministic_ties, k);
        });
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Arm 0 has beaten arm 1 (12 wins of 12) and leads in every draw worth the name; arms 2 and 3 are
// left.
TEST(Certify, meets_an_arm_no_more_that_the_leader_has_beaten) {
  const Stream stream(3, 0, Purpose::choice);
  Certify policy({}, 4, stream.at(0));
  const auto tell = [&](Arm winner, Arm loser, int times) {
    for (int k = 0; k < times; ++k) {
      policy.observe({winner, loser, 0, true}, Outcome::first_wins, stream.at(0));
    }
  };
  tell(0, 1, 12);
  tell(0, 2, 7);
  tell(0, 3, 7);
  std::vector<int> met(4);
  for (Round t = 1; t <= 1000; ++t) {
    const Duel duel = policy.select(t, stream.at(t));
    if (duel.first == 0) ++met[duel.second];
  }
  EXPECT_GT(met[2] + met[3], 900);
  EXPECT_EQ(met[1], 0);
}

TEST(Certify, spreads_a_burst_over_the_rivals) {
  const Stream stream(5, 0, Purpose::choice);
  Certify policy({}, 5, stream.at(0));
  for (Arm j = 1; j < 5; ++j) {
    for (int k = 0; k < 6; ++k) {
      policy.observe({0, j, 0, true}, Outcome::first_wins, stream.at(0));
    }
  }
  std::vector<int> met(5);
  for (Round t = 1; t <= 40; ++t) {
    const Duel duel = policy.select(t, stream.at(t));
    policy.issued(duel, stream.at(t));
    ++met[duel.second];
    ++met[duel.first];
  }
  for (Arm j = 1; j < 5; ++j) EXPECT_GE(met[j], 4) << j;
}

std::uint64_t duels_to_a_certificate(const PreferenceMatrix& matrix, std::uint32_t trial,
                                     bool no_winner, std::uint64_t most) {
  const auto ranks = ranks_by_index(matrix.num_arms());
  MatrixArena arena(matrix, ranks, OutcomeStream(6, trial));
  const TrialStreams streams(6, trial, "certify");
  Certify policy({}, matrix.num_arms(), streams.choice.at(0));
  Certifier certifier = Certifier::make(matrix.num_arms(), {.arms_fixed = true}).value();
  for (Round t = 1; t <= most; ++t) {
    const Duel duel = policy.take(t, streams.choice.at(t));
    const Outcome outcome = arena.meet(duel);
    policy.observe(duel, outcome, streams.answer.at(t));
    certifier.observe(duel, outcome);
    if (no_winner ? certifier.no_winner().has_value() : certifier.winner().has_value()) return t;
  }
  return most;
}

// 30 trials each. What was measured over 200 trials: means 2440 and 242 with standard deviations of
// 700 and 60, so that the bounds stand 4 standard errors and more above them.
TEST(Certify, leads_to_the_certificate_of_a_winner_and_of_none) {
  std::vector<double> gaps(64, 0.5);
  for (std::size_t j = 1; j < 8; ++j) {
    gaps[j] = 0.6;
    gaps[8 * j] = 0.4;
  }
  const PreferenceMatrix even_rest =
      PreferenceMatrix::create("even rest", {"a", "b", "c", "d", "e", "f", "g", "h"}, gaps).value();
  const PreferenceMatrix none = resolve_matrix("no-condorcet(k=5,seed=1)").value();
  double with = 0, without = 0;
  for (std::uint32_t trial = 0; trial < 30; ++trial) {
    with += static_cast<double>(duels_to_a_certificate(even_rest, trial, false, 30000)) / 30;
    without += static_cast<double>(duels_to_a_certificate(none, trial, true, 30000)) / 30;
  }
  EXPECT_LT(with, 3000);
  EXPECT_LT(without, 300);
}

}  // namespace
}  // namespace duel
