#include "duel/experiment/point_proof.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "duel/study/tuning_trial.h"
#include "tests/experiment/false_proofs.h"

namespace duel {
namespace {

void answer(PointProof& proof, Outcome outcome, int times = 1) {
  for (; times > 0; --times) proof.answered(proof.served(), outcome);
}

TEST(PointProof, shares_alpha_among_all_candidates_that_may_come) {
  const PointProof proof(0.05, false);
  EXPECT_NEAR(proof.level(1), 0.025, 1e-15);
  double sum = 0;
  for (std::uint64_t m = 1; m <= 100'000; ++m) sum += proof.level(m);
  EXPECT_NEAR(sum, 0.05, 1e-6);  // the rest is alpha / 100 001
}

TEST(PointProof, halves_alpha_for_every_generation) {
  PointProof proof(0.08, true);
  EXPECT_NEAR(proof.level(1), 0.02, 1e-15);  // 1/2 of alpha, of which the first has a half
  proof.take();
  answer(proof, Outcome::first_wins, 40);
  ASSERT_TRUE(proof.certified());
  proof.adopt();
  EXPECT_EQ(proof.generation(), 2);
  EXPECT_NEAR(proof.level(1), 0.01, 1e-15);
  EXPECT_FALSE(proof.certified());
  EXPECT_TRUE(proof.ever_certified());
}

TEST(PointProof, certifies_when_the_evidence_reaches_the_threshold) {
  PointProof proof(0.05, false);
  proof.take();
  const PairEvidence evidence;
  std::uint64_t wins = 0;
  while (!proof.certified()) {
    answer(proof, Outcome::first_wins);
    ++wins;
    EXPECT_EQ(proof.certified(), evidence.log_evidence(wins, 0) >= std::log(40.0));
  }
  EXPECT_EQ(proof.certified_log_evidence(), evidence.log_evidence(wins, 0));
  answer(proof, Outcome::second_wins, 30);
  EXPECT_TRUE(proof.certified()) << "what was certified stays so";
}

TEST(PointProof, counts_answers_in_serving_order_only) {
  PointProof proof(0.05, false);
  proof.take();
  const std::uint64_t open = proof.served();
  answer(proof, Outcome::first_wins, 40);
  EXPECT_EQ(proof.wins(), 0);
  EXPECT_FALSE(proof.certified());
  proof.answered(open, Outcome::none);
  EXPECT_TRUE(proof.certified());
}

TEST(PointProof, turns_answers_to_the_candidate) {
  PointProof proof(0.05, false);
  proof.take();
  proof.answered(proof.served(true), Outcome::first_wins);
  proof.answered(proof.served(false), Outcome::second_wins);
  proof.answered(proof.served(false), Outcome::first_wins);
  answer(proof, Outcome::tie);
  EXPECT_EQ(proof.wins(), 2);
  EXPECT_EQ(proof.losses(), 1);
}

TEST(PointProof, begins_each_candidate_at_one_and_hears_no_late_answer_of_the_last) {
  PointProof proof(0.05, false);
  proof.take();
  answer(proof, Outcome::first_wins, 5);
  const std::uint64_t late = proof.served();
  proof.give_up();
  proof.take();
  EXPECT_EQ(proof.candidate(), 2);
  EXPECT_EQ(proof.log_evidence(), 0);
  proof.answered(late, Outcome::first_wins);
  EXPECT_EQ(proof.wins(), 0);
  EXPECT_NEAR(proof.level(2), 0.05 / 6, 1e-15);
}

TEST(PointProof, proves_nothing_false_too_often_under_an_adversary) {
  TuningTrialOptions options{.duels = 600, .alpha = 0.05};
  options.give_up.below = 0.5;
  constexpr std::uint64_t kRuns = 400;
  const double most = most_false_proofs(options.alpha, kRuns);
  EXPECT_LE(static_cast<double>(false_proofs("dbgd", 2, kRuns, options)), most);
  options.give_up = {.every = 40};
  EXPECT_LE(static_cast<double>(false_proofs("halving", 2, kRuns, options)), most);
}

TEST(PointProof, ends_with_a_certified_point_that_is_better) {
  const SpacePtr space = unit_cube(2);
  const auto tuner = configure_tuner("kernel-ts(features=32)", 2, 600).value();
  int proved = 0;
  for (std::uint32_t run = 0; run < 4; ++run) {
    const TuningProblem problem(Landscape::bowl, 2, run, 0.85);
    const TuningTrial trial =
        play_tuning(*tuner, space, problem, {.duels = 600, .seed = 4, .trial = run});
    if (!trial.certified_after) continue;
    ++proved;
    EXPECT_GT(trial.certified_worth, 0.5);
  }
  EXPECT_GE(proved, 3);
}

}  // namespace
}  // namespace duel
