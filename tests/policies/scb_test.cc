#include "duel/policies/scb.h"

#include <gtest/gtest.h>

#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/scb_twin.h"

namespace duel {
namespace {

const RecordedSignature scb_signature("scb", 0xa874ee4c5b03c663);

TEST(Scb, makes_the_choices_of_its_literal_twin_with_and_without_jumping) {
  std::size_t jumped = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    ScbOptions options;
    options.first = rng.coin() ? 4 : 4 + rng.below(60);
    options.carry = rng.coin();
    options.ties = static_cast<Ties>(rng.below(3));
    options.deterministic_ties = rng.below(4) == 0;
    const std::size_t num_arms = 1 + seed % 6;
    const Round rounds = seed % 10 == 0 ? 8000 : 1500;
    expect_same_choices_as_twin<Scb>(options, num_arms, seed, rounds,
                                     [](const ScbOptions& o, std::size_t k, RoundRng start) {
                                       return ScbTwin(static_cast<double>(o.first), o.carry, o.ties,
                                                      o.deterministic_ties, k, start);
                                     });
    if (testing::Test::HasFatalFailure()) return;
    const Recording run =
        record_trial<Scb>(options, random_matrix(num_arms, seed), seed, 0, rounds, true);
    jumped += num_arms > 1 && run.decisions < rounds ? 1 : 0;
  }
  EXPECT_GT(jumped, 50U);
}

// Epochs of 4, 16, 256, 65536 rounds: they end after rounds 4, 20, 276, 65812.
TEST(Scb, squares_the_length_of_its_epochs) {
  const PreferenceMatrix matrix = resolve_matrix("cyclic").value();
  const Stream stream(3, 0, Purpose::choice);
  Scb policy({}, 4, stream.at(0));
  std::vector<Round> ends;
  for (Round t = 1; t <= 300; ++t) {
    const Duel duel = policy.take(t, stream.at(t));
    if (ends.empty() || policy.walk().end != ends.back()) ends.push_back(policy.walk().end);
    policy.observe(duel, messy_outcome(matrix, duel, 3), stream.at(t));
  }
  EXPECT_EQ(ends, (std::vector<Round>{4, 20, 276, 65812}));
}

// In an epoch of 65536 with two arms delta = ln T/T = 1.69e-4: a sign is settled after n straight
// wins iff 1/2 > sqrt(ln(2 n (n+1) 4/delta)/(2n)), that is n > 2 ln(8 n (n+1)/delta): from n = 36
// (2 ln(8 * 36 * 37/1.692e-4) = 35.9); at n = 35 the right side is 35.8.
TEST(Scb, settles_a_sign_where_hoeffding_says) {
  ScbOptions options;
  options.first = 65536;
  const PreferenceMatrix matrix =
      PreferenceMatrix::create("sure", {"a", "b"}, {0.5, 1.0, 0.0, 0.5}).value();
  const Recording recording = record_trial<Scb>(options, matrix, 3, 0, 60000, true);
  Round informative = 0;
  for (const PlayedPair& pair : recording.pairs) informative += pair.first != pair.second ? 1 : 0;
  EXPECT_EQ(informative, 36U);
  EXPECT_EQ(recording.pairs.back(), (PlayedPair{0, 0}));
  EXPECT_LT(recording.decisions, 40U);
}

// A cycle of three above two others: the winners share the top, and one of them is found.
TEST(Scb, finds_a_copeland_winner_where_there_is_no_condorcet_winner) {
  const PreferenceMatrix matrix =
      PreferenceMatrix::create("NC-5", {"1", "2", "3", "4", "5"},
                               {.5, .7, .3, .7, .7, .3, .5, .7, .7, .7, .7, .3, .5,
                                .7, .7, .3, .3, .3, .5, .7, .3, .3, .3, .3, .5})
          .value();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Recording recording = record_trial<Scb>({}, matrix, seed, 0, 60000, true);
    const PlayedPair& last = recording.pairs.back();
    EXPECT_EQ(last.first, last.second);
    EXPECT_LT(last.first, 3U);
  }
}

}  // namespace
}  // namespace duel
