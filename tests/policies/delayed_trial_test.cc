#include "duel/policies/delayed_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "duel/truth/arena.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/regret.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

std::shared_ptr<const ConfiguredPolicy> configured(const std::string& text, std::size_t num_arms,
                                                   Round rounds) {
  return configure_policy(parse_call(text).value(), {num_arms, rounds}).value();
}

// What the arena and the policy showed at every checkpoint.
class Seen : public TrialObserver {
 public:
  void at_checkpoint(std::size_t, const TrialArena& arena, Arm recommended) override {
    tallies.push_back(arena.tally().plays);
    tallies.push_back(arena.tally().better);
    tallies.push_back({arena.informative(), recommended});
  }
  std::vector<std::vector<std::uint64_t>> tallies;
};

std::vector<std::vector<std::uint64_t>> play(const ConfiguredPolicy& policy,
                                             const PreferenceMatrix& matrix, std::uint32_t trial,
                                             Round rounds, const Feedback* feedback,
                                             bool jumping = true) {
  const auto ranks = merit_ranks(matrix);
  MatrixArena arena(matrix, ranks, OutcomeStream(4, trial));
  const TrialStreams streams(4, trial, policy.facts().name);
  std::vector<Round> checkpoints;
  for (Round t = rounds / 20; t <= rounds; t += rounds / 20) checkpoints.push_back(t);
  Seen seen;
  const TrialPlan plan{checkpoints, jumping};
  EXPECT_TRUE(feedback != nullptr ? play_delayed(policy, arena, streams, plan, *feedback, seen)
                                  : policy.play(arena, streams, plan, seen));
  return seen.tallies;
}

double mean_regret(const std::string& policy, const std::string& matrix_text,
                   const Feedback& feedback) {
  constexpr Round kRounds = 20'000;
  constexpr std::uint32_t kTrials = 40;
  const PreferenceMatrix matrix = resolve_matrix(matrix_text).value();
  const RegretMeter meter = RegretMeter::create(RegretNotion::average, matrix).value();
  const auto made = configured(policy, matrix.num_arms(), kRounds);
  double sum = 0;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    const auto seen = play(*made, matrix, trial, kRounds, &feedback);
    sum += meter.total({seen[seen.size() - 3], seen[seen.size() - 2]}) / kTrials;
  }
  return sum;
}

TEST(Feedback, says_after_which_round_an_answer_is_heard) {
  EXPECT_TRUE(Feedback{}.at_once());
  EXPECT_EQ(Feedback{}.heard_after(7), 7U);
  const Feedback batches{.batch = 10};
  EXPECT_EQ(batches.heard_after(1), 10U);
  EXPECT_EQ(batches.heard_after(10), 10U);
  EXPECT_EQ(batches.heard_after(11), 20U);
  EXPECT_EQ((Feedback{.batch = 10, .delay = 3}).heard_after(10), 13U);
  EXPECT_EQ(Feedback{.delay = 5}.heard_after(2), 7U);
}

TEST(DelayedTrial, is_the_usual_one_bit_for_bit_where_answers_are_heard_at_once) {
  const Feedback at_once;
  for (const std::string& name : policy_names()) {
    for (const char* text : {"arxiv", "cyclic"}) {
      const PreferenceMatrix matrix = resolve_matrix(text).value();
      const auto policy = configured(name, matrix.num_arms(), 2000);
      ASSERT_EQ(play(*policy, matrix, 1, 2000, &at_once), play(*policy, matrix, 1, 2000, nullptr))
          << name << " on " << text;
    }
  }
}

TEST(DelayedTrial, jumps_change_nothing_where_they_are_exact) {
  const PreferenceMatrix matrix = resolve_matrix("cyclic").value();
  for (const Feedback& feedback : {Feedback{.batch = 25}, Feedback{.batch = 4, .delay = 7}}) {
    for (const char* name : {"imed", "rucb", "rmed1", "savage-condorcet"}) {
      const auto policy = configured(name, matrix.num_arms(), 4000);
      for (std::uint32_t trial = 0; trial < 5; ++trial) {
        ASSERT_EQ(play(*policy, matrix, trial, 4000, &feedback, true),
                  play(*policy, matrix, trial, 4000, &feedback, false))
            << name << ", trial " << trial;
      }
    }
  }
}

// Nothing is heard before the batch has gone out: what a policy plays in it does not depend on the
// answers, whatever the matrix.
TEST(DelayedTrial, asks_a_batch_before_anything_of_it_is_heard) {
  const Feedback batch{.batch = 100};
  const PreferenceMatrix one = resolve_matrix("arithmetic(k=6,step=0.1)").value();
  const PreferenceMatrix other = resolve_matrix("bradley-terry(k=6,seed=9,spread=1)").value();
  for (const std::string& name : policy_names()) {
    const auto policy = configured(name, 6, 100);
    const auto plays_of = [&](const PreferenceMatrix& matrix) {
      return play(*policy, matrix, 3, 100, &batch)[19 * 3];
    };
    ASSERT_EQ(plays_of(one), plays_of(other)) << name;
  }
}

// Pairs of the first batch of `size` duels of 6 arms.
std::size_t distinct_pairs(const std::string& name, Round size) {
  const auto made = configured(name, 6, 100'000);
  const TrialStreams streams(4, 0, made->facts().name);
  const auto policy = made->make(streams.choice.at(0));
  std::set<std::pair<Arm, Arm>> pairs;
  for (Round t = 1; t <= size; ++t) {
    const Duel duel = policy->select(t, streams.choice.at(t));
    policy->issued(duel, streams.choice.at(t));
    if (!duel.is_self()) pairs.insert(std::minmax(duel.first, duel.second));
  }
  return pairs.size();
}

// At least half as many as there can be. Those in the list play bouts and matches of one pair at a
// time, or the pairs of one arm: they repeat them until they hear of them.
TEST(DelayedTrial, spreads_the_first_batch_over_the_pairs) {
  const std::set<std::string> repeat = {
      "btw",      "btwr",      "cw-rmed",       "ecw-rmed",         "if1",     "if2",   "iir",
      "knockout", "merge-dts", "merge-rucb",    "noisy-tournament", "opt-max", "plpac", "pocowista",
      "scb",      "select",    "seq-eliminate", "tra-pocowista",    "ws-s",    "ws-w"};
  for (const std::string& name : policy_names()) {
    if (repeat.contains(name)) continue;
    EXPECT_GE(distinct_pairs(name, 30), 8U) << name;
  }
  // Index policies count what is out as evidence of no more than itself: they ask every pair.
  for (const char* name : {"imed", "rucb", "rmed1", "certify", "pcomp"}) {
    EXPECT_EQ(distinct_pairs(name, 10), 10U) << name;
  }
}

// A delay of D rounds costs at most about what is played in the dark before each arm is told from
// the best: K D gap, the gap being 0.11 on arxiv. Waiting must cost something, too.
TEST(DelayedTrial, costs_no_more_than_what_is_played_in_the_dark) {
  for (const char* name : {"imed", "dts", "rucb"}) {
    const double at_once = mean_regret(name, "arxiv", {});
    const double late = mean_regret(name, "arxiv", {.delay = 200});
    const double batched = mean_regret(name, "arxiv", {.batch = 200});
    EXPECT_LT(late, at_once + 6 * 200 * 0.11) << name;
    EXPECT_LT(batched, at_once + 6 * 200 * 0.11) << name;
    EXPECT_GT(late, at_once) << name;
  }
}

}  // namespace
}  // namespace duel
