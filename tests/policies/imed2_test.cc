#include "duel/policies/imed2.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "duel/core/divergence.h"
#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/imed2_twin.h"

namespace duel {
namespace {

const RecordedSignature imed2_signature("imed2", 0xd9a93956bdfbcf94);

Imed2Options drawn_options(std::uint64_t seed) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
  Imed2Options options;
  if (rng.coin()) options.c = 1.5 * rng.uniform();
  if (rng.coin()) options.n0 = static_cast<double>(rng.below(3)) * 20;
  if (rng.coin()) options.ag = 2 * rng.uniform();
  if (rng.coin()) options.slack = 2 * rng.uniform();
  if (rng.coin()) options.slack_h = 2 * rng.uniform();
  if (rng.coin()) options.start = static_cast<double>(rng.below(3));
  if (rng.coin()) options.credit = static_cast<double>(rng.below(3)) * 3;
  options.safe = rng.below(5) == 0;
  options.ties = static_cast<Ties>(rng.below(3));
  options.deterministic_ties = rng.below(4) == 0;
  return options;
}

TEST(Imed2, makes_the_choices_of_its_literal_twin_with_and_without_jumping) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const std::size_t num_arms = 1 + seed % 8;
    const Round rounds = seed % 20 == 0 ? 5000 : 400;
    expect_same_choices_as_twin<Imed2>(
        drawn_options(seed), num_arms, seed, rounds,
        [](const Imed2Options& o, std::size_t k, RoundRng) { return Imed2Twin(o, k); });
    if (HasFatalFailure()) return;
  }
}

// Answers that come late, out of order or never: the twin counts what is out duel by duel.
TEST(Imed2, makes_the_choices_of_its_literal_twin_with_many_duels_outstanding) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Imed2Options options = drawn_options(seed);
    const std::size_t num_arms = 2 + seed % 7;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    const TrialStreams streams(seed, 0, "outstanding");
    Imed2 policy(options, num_arms, streams.choice.at(0));
    Imed2Twin twin(options, num_arms);
    RoundRng delays = Stream(seed, 0, Purpose::test, "delays").at(0);
    std::vector<Duel> out;
    const std::size_t most = 1 + delays.below(20);
    for (Round t = 1; t <= 400; ++t) {
      const Duel duel = policy.take(t, streams.choice.at(t));
      ASSERT_EQ(duel, twin.next(t, streams.choice.at(t))) << "seed " << seed << ", t " << t;
      ASSERT_EQ(policy.recommend(streams.recommend.at(t)), twin.champion());
      out.push_back(duel);
      while (out.size() >= most) {
        std::swap(out[delays.below(out.size())], out.back());
        const Duel answered = out.back();
        out.pop_back();
        const Outcome outcome =
            delays.below(20) == 0 ? Outcome::none : messy_outcome(matrix, answered, seed);
        policy.observe(answered, outcome, streams.answer.at(answered.round));
        twin.tell(answered, outcome, streams.answer.at(answered.round));
      }
    }
  }
}

}  // namespace
}  // namespace duel
