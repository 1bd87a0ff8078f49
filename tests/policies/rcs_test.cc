#include "duel/policies/rcs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/rcs_twin.h"
#include "tests/policies/two_samples.h"

namespace duel {
namespace {

const RecordedSignature rcs_signature("rcs", 0x4ddae5dc725bd9f0);

TEST(Rcs, makes_the_choices_of_its_literal_twin_when_every_round_is_played) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    RcsOptions options;
    options.alpha = rng.coin() ? 0.501 : 0.1 + 2 * rng.uniform();
    options.ties = static_cast<Ties>(rng.below(3));
    options.deterministic_ties = rng.below(4) == 0;
    const std::size_t num_arms = 1 + seed % 7;
    const Round rounds = seed % 20 == 0 ? 3000 : 250;
    expect_same_choices_as_twin<Rcs>(
        options, num_arms, seed, rounds,
        [](const RcsOptions& given, std::size_t k, RoundRng) {
          return RcsTwin(given.alpha, given.ties, given.deterministic_ties, false, k);
        },
        false);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Rcs, jumping_has_the_law_of_playing_every_round) {
  for (const char* name : {"cyclic", "arithmetic"}) {
    const PreferenceMatrix matrix = resolve_matrix(name).value();
    const LawSample jumped = sample_policy<Rcs>({}, matrix, 1, 800, 1500, true);
    const LawSample played = sample_policy<Rcs>({}, matrix, 2, 800, 1500, false);
    const LawSample beta = sample_twin(
        [&](RoundRng) { return RcsTwin(0.501, Ties::coin, false, true, matrix.num_arms()); },
        matrix, 3, 150, 1500);
    expect_same_law(jumped, played, name);
    expect_same_law(played, beta, std::string(name) + " against Beta draws");
    EXPECT_LT(jumped.decisions, played.decisions);
  }
}

// Without data the tournament is a uniform orientation: some arm beats all with probability
// K/2^(K-1); otherwise the arm that was champion least often is taken. After arm 0 was champion
// once, it is champion again only by winning all: probability 1/2^(K-1).
TEST(Rcs, without_data_has_the_champion_of_a_uniform_orientation) {
  const int n = 20000;
  for (const std::size_t num_arms : {3, 4, 6}) {
    int again = 0;
    for (std::uint32_t trial = 0; trial < n; ++trial) {
      const Stream stream(3, trial, Purpose::choice);
      Rcs policy({}, num_arms, stream.at(0));
      policy.issued({0, 1, 1}, stream.at(1));
      again += policy.select(2, stream.at(2)).first == 0 ? 1 : 0;
    }
    const double p = std::ldexp(1.0, 1 - static_cast<int>(num_arms));
    EXPECT_NEAR(again, n * p, 5 * std::sqrt(n * p)) << num_arms << " arms";
  }
}

// The rounds that a jump passes over count for the champion, as if they had been played.
TEST(Rcs, counts_the_rounds_jumped_over_for_their_champion) {
  const Stream stream(3, 0, Purpose::choice);
  Rcs policy({}, 3, stream.at(0));
  policy.issued({1, 2, 1}, stream.at(1));
  policy.issued({2, 0, 2}, stream.at(2));
  policy.issued({0, 0, 3}, stream.at(3));
  // One each; arm 0 has also reigned in rounds 4 .. 99.
  int fallback = 0;
  for (Round t = 100; t < 400; ++t) {
    const Arm first = policy.select(100, stream.at(t)).first;
    fallback += first == 0 ? 1 : 0;
  }
  // Only by beating both others, 1/4: 75 of 300, standard deviation 7.5; with equal counts it would
  // be 1/4 + 1/4 * 1/3 = 1/3.
  EXPECT_NEAR(fallback, 75, 3 * 7.5);
}

}  // namespace
}  // namespace duel
