#include "duel/policies/ccb.h"

#include <gtest/gtest.h>

#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/ccb_twin.h"

namespace duel {
namespace {

const RecordedSignature ccb_signature("ccb", 0xa337b76f36499d7a);

TEST(Ccb, makes_the_choices_of_its_literal_twin_with_and_without_jumping) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
    CcbOptions options;
    options.alpha = rng.coin() ? 0.51 : 0.1 + rng.uniform();
    options.ties = static_cast<Ties>(rng.below(3));
    options.deterministic_ties = rng.below(4) == 0;
    const std::size_t num_arms = 1 + seed % 7;
    const Round rounds = seed % 20 == 0 ? 5000 : 400;
    expect_same_choices_as_twin<Ccb>(options, num_arms, seed, rounds,
                                     [](const CcbOptions& o, std::size_t k, RoundRng) {
                                       return CcbTwin(o.alpha, o.ties, o.deterministic_ties, k);
                                     });
    if (testing::Test::HasFatalFailure()) return;
  }
}

// With a Condorcet winner found, L = 0 and every arm has at most one believed conqueror.
TEST(Ccb, keeps_one_conqueror_for_each_arm_once_a_condorcet_winner_is_found) {
  const PreferenceMatrix matrix = resolve_matrix("arithmetic").value();
  const Stream stream(3, 0, Purpose::choice);
  Ccb policy({}, 8, stream.at(0));
  std::size_t found = 0;
  for (Round t = 1; t <= 20000; ++t) {
    const auto choice = policy.choose(t, stream.at(t));
    policy.commit(choice);
    policy.observe(choice.duel, messy_outcome(matrix, choice.duel, 3), stream.at(t));
    if (!choice.changed || choice.changed->losses != 0) continue;
    ++found;
    for (const auto& list : choice.changed->conquerors) EXPECT_LE(list.size(), 1U);
  }
  EXPECT_GT(found, 0U);
}

TEST(Ccb, jumps_when_the_winner_is_settled) {
  const PreferenceMatrix matrix =
      PreferenceMatrix::create("sure", {"a", "b", "c"}, {.5, 1, 1, 0, .5, 1, 0, 0, .5}).value();
  const Recording recording = record_trial<Ccb>({}, matrix, 3, 0, 20000, true);
  EXPECT_LT(recording.decisions, 300U);
}

}  // namespace
}  // namespace duel
