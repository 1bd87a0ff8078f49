#include "duel/policies/copeland_rmed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "duel/core/divergence.h"
#include "duel/policies/parts/copeland_allocation.h"
#include "duel/policies/registry.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"
#include "tests/policies/twins/copeland_rmed_twin.h"

namespace duel {
namespace {

const RecordedSignature cw_rmed_signature("cw-rmed", 0xef0b260908e6db7c);
const RecordedSignature ecw_rmed_signature("ecw-rmed", 0x906fe44d21053883);

using Efficient = EcwRmed;
using Exact = CwRmed;

CopelandRmedOptions some_options(std::uint64_t seed) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "options").at(0);
  CopelandRmedOptions options;
  options.ties = static_cast<Ties>(rng.below(3));
  options.deterministic_ties = rng.below(4) == 0;
  // Little exploration leaves more to the lists.
  if (rng.coin()) options.alpha = 0.2 + 2 * rng.uniform();
  if (rng.coin()) options.beta = 0.1 * rng.uniform();
  return options;
}

template <class P>
void expect_twin_agreement(std::uint64_t first_seed, std::uint64_t problems, std::size_t most_arms,
                           Round rounds) {
  for (std::uint64_t seed = first_seed; seed < first_seed + problems; ++seed) {
    const std::size_t num_arms = 1 + seed % most_arms;
    expect_same_choices_as_twin<P>(some_options(seed), num_arms, seed, rounds,
                                   [](const CopelandRmedOptions& options, std::size_t k, RoundRng) {
                                     return CopelandRmedTwin(
                                         std::is_same_v<P, Exact>, options.alpha, options.beta,
                                         options.ties, options.deterministic_ties, k);
                                   });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(CopelandRmed, efficient_form_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<Efficient>(1, 1000, 8, 400);
}
TEST(CopelandRmed, efficient_form_makes_the_choices_of_its_literal_twin_over_long_runs) {
  expect_twin_agreement<Efficient>(5001, 40, 7, 5000);
}
TEST(CopelandRmed, exact_form_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<Exact>(100001, 25, 5, 200);
}

template <class P>
std::set<std::pair<Arm, Arm>> candidates_of(P policy, Round round) {
  std::set<std::pair<Arm, Arm>> pairs;
  for (const Duel& duel : policy.candidates(round)) pairs.insert({duel.first, duel.second});
  return pairs;
}

// With a Condorcet winner and all others losing only to it, the candidates are the
// pairs of the winner with n d < ln t, and its self-pair. Here n = 100 and the winner wins 60, 70,
// 80 in 100: n d = 2.014, 8.228, 19.27.
TEST(CopelandRmed, candidates_with_a_condorcet_winner_are_its_own_unsettled_pairs) {
  const PreferenceMatrix matrix =
      PreferenceMatrix::create("cw", {"a", "b", "c", "d"},
                               {.5, .6, .7, .8, .4, .5, .6, .6, .3, .4, .5, .6, .2, .4, .4, .5})
          .value();
  const auto policy = told_the_truth<Efficient>({}, matrix, 100);
  using Pairs = std::set<std::pair<Arm, Arm>>;
  EXPECT_EQ(candidates_of(policy, 7), (Pairs{{0, 0}}));             // ln 7 = 1.95
  EXPECT_EQ(candidates_of(policy, 8), (Pairs{{0, 0}, {0, 1}}));     // ln 8 = 2.08
  EXPECT_EQ(candidates_of(policy, 3742), (Pairs{{0, 0}, {0, 1}}));  // 8.2274
  EXPECT_EQ(candidates_of(policy, 3746), (Pairs{{0, 0}, {0, 1}, {0, 2}}));
}

// Three arms in a cycle, each with one loss: to show that arm 0 wins, (a) its win over 1 must be
// settled; (b) for i2 = 1, one loss to others than 0: there is none. For i2 = 2, its loss to 1.
TEST(CopelandRmed, candidates_in_a_cycle_are_what_the_definition_says) {
  const PreferenceMatrix matrix =
      PreferenceMatrix::create("cycle", {"a", "b", "c"}, {.5, .7, .2, .3, .5, .6, .8, .4, .5})
          .value();
  // n d: (0,1) 8.228, (1,2) 2.014, (0,2) 19.27. All regrets are 0, so that every winner costs 0;
  // with ties at random any may be taken; each asks for (1,2) or (0,1) or (0,2) only.
  const auto policy = told_the_truth<Efficient>({}, matrix, 100);
  const auto found = candidates_of(policy, 8);
  // Arm 0: (a) (0,1) 8.2 settled, (b) i2 = 2: superiors of 2 without 0: arm 1 at 2.014 < 2.08.
  // Arm 1: (a) (1,2) 2.014 is not settled. Arm 2: (a) (2,0) settled; (b) i2 = 1: superiors of 1
  // without 2: arm 0 at 8.2; i2 = 0: superiors of 0 are 2 alone. So arm 2 is sure.
  EXPECT_EQ(found, (std::set<std::pair<Arm, Arm>>{{2, 2}}));
  // At ln t = 9 arm 2 is not sure any more.
  EXPECT_NE(candidates_of(policy, 8104), (std::set<std::pair<Arm, Arm>>{{2, 2}}));
}

// a over b over c and a over c, all equally clear. For b, with one loss, turning (a, b) is enough:
// it counts twice. For c, with two, it takes (a, c), which counts twice, and one of (a, b), (b, c);
// so y_ac + y_bc >= 1, and (a, c) is the cheaper of the two: r_ac = 2/4, r_bc = 3/4.
TEST(CopelandRmed, exact_allocation_is_the_one_worked_out_by_hand) {
  const double d = divergence_from_half(0.4);
  const std::vector<std::uint32_t> losses = {0, 1, 2};
  const std::vector<std::int64_t> evidence = {0, -5, -7, 5, 0, -6, 7, 6, 0};
  const std::vector<double> divergence(9, d);
  std::vector<double> q(9);
  const AllocationProblem problem{3, 0, losses, evidence, divergence};
  const auto cost = static_cast<double>(AllocationSolver().solve(problem, q));
  EXPECT_NEAR(q[1], 1 / d, 1e-6);
  EXPECT_NEAR(q[2], 1 / d, 1e-6);
  EXPECT_NEAR(q[5], 0, 1e-6);
  EXPECT_NEAR(cost * 0x1p-20, 0.75 / d, 1e-3);
  // Evidence: turning (a, b) has 5; for c, (a, c) and the lighter of (a, b), (b, c) have 12.
  EXPECT_EQ(least_alternative(problem, 1000), 5);
}

TEST(CopelandRmed, exact_form_refuses_more_than_eight_arms_and_names_the_other) {
  const auto refused = configure_policy({"cw-rmed", {}}, {9, 1000});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().to_string().find("ecw-rmed"), std::string::npos);
  EXPECT_TRUE(configure_policy({"cw-rmed", {}}, {8, 1000}).ok());
}

TEST(CopelandRmed, one_arm_is_played_against_itself_forever) {
  const PreferenceMatrix matrix = PreferenceMatrix::create("one", {"a"}, {0.5}).value();
  EXPECT_LT(record_trial<Efficient>({}, matrix, 1, 0, 1000, true).decisions, 5U);
}

// A long run on an easy problem is mostly jumped.
TEST(CopelandRmed, jumps_over_most_of_a_long_run) {
  const PreferenceMatrix matrix =
      PreferenceMatrix::create("easy", {"a", "b", "c"}, {.5, .8, .9, .2, .5, .8, .1, .2, .5})
          .value();
  const Recording recording = record_trial<Efficient>({}, matrix, 1, 0, 1000000, true);
  EXPECT_EQ(recording.pairs.size(), 1000000U);
  EXPECT_LT(recording.decisions, 1500U);
}

}  // namespace
}  // namespace duel
