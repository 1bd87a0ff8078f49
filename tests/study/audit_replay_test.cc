#include "duel/study/audit_replay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "duel/inference/evidence.h"

namespace duel {
namespace {

RoundRng rng_of(std::uint32_t trial) { return Stream(7, trial, Purpose::test, "replay").at(0); }

TEST(AuditReplay, of_people_alone_ends_when_their_evidence_reaches_the_threshold) {
  const std::vector<JudgedBattle> all_for_first = {{1, -1}};
  std::uint64_t wins = 0;
  while (PairEvidence().log_evidence(wins, 0) < std::log(40.0)) ++wins;
  const AuditReplay replay = replay_audits(all_for_first, {}, rng_of(0));
  EXPECT_EQ(replay.sign, 1);
  EXPECT_EQ(replay.people, wins);
  EXPECT_EQ(replay.duels, wins);
  const std::vector<JudgedBattle> all_for_second = {{-1, 1}};
  EXPECT_EQ(replay_audits(all_for_second, {}, rng_of(0)).sign, -1);
}

TEST(AuditReplay, counts_ties_as_answers_of_people) {
  const std::vector<JudgedBattle> half = {{1, 0}, {0, 0}};
  const std::vector<JudgedBattle> whole = {{1, 0}};
  double ties = 0;
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    const AuditReplay replay = replay_audits(half, {}, rng_of(trial));
    ties += static_cast<double>(replay.people) -
            static_cast<double>(replay_audits(whole, {}, rng_of(trial)).people);
  }
  // As many ties as wins on average, of which there are 9: the standard error is .3.
  EXPECT_NEAR(ties / 200, 9, 1.5);
}

TEST(AuditReplay, asks_people_about_the_share_that_is_drawn_and_no_more_than_it_may) {
  // People are indifferent, and nothing can be certified soon.
  const std::vector<JudgedBattle> even = {{1, 1}, {-1, -1}};
  const AuditReplay replay =
      replay_audits(even, {.share = 0.1, .threshold = 1e9, .most_people = 500}, rng_of(1));
  EXPECT_EQ(replay.sign, 0);
  EXPECT_EQ(replay.people, 500U);
  // The 500th of draws at .1 comes after 5000 +- 212.
  EXPECT_NEAR(static_cast<double>(replay.duels), 5000, 5 * 212);
}

TEST(AuditReplay, needs_fewer_people_with_a_judge_who_agrees_with_them) {
  std::vector<JudgedBattle> agreeing, unrelated;
  for (int k = 0; k < 100; ++k) {
    const double people = k < 65 ? 1 : -1;
    agreeing.push_back({people, people});
    unrelated.push_back({people, k % 2 == 0 ? 1.0 : -1.0});
  }
  std::uint64_t with_judge = 0, alone = 0, in_vain = 0;
  for (std::uint32_t trial = 0; trial < 60; ++trial) {
    with_judge += replay_audits(agreeing, {.share = 0.1}, rng_of(trial)).people;
    in_vain += replay_audits(unrelated, {.share = 0.1}, rng_of(trial)).people;
    alone += replay_audits(agreeing, {}, rng_of(trial)).people;
  }
  EXPECT_LT(2 * with_judge, alone);
  EXPECT_GT(5 * in_vain, 4 * alone) << "who knows nothing saves nothing";
}

TEST(AuditReplay, takes_the_pairs_with_the_most_battles_first_and_turns_answers_to_the_first_arm) {
  const JudgedVotes votes = read_judged_votes(
                                "model_a,model_b,human,llm\n"
                                "v,u,a,b\n"
                                "y,x,b,a\n"
                                "x,y,a,t\n"
                                "x,y,tie (bothbad),a\n",
                                "votes.csv", "human", {"llm"})
                                .value();
  const std::vector<VotedPair> pairs = voted_pairs(votes, 0);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].first + pairs[0].second, "xy");
  ASSERT_EQ(pairs[0].battles.size(), 3U);
  EXPECT_EQ(pairs[0].battles[0].people, 1);
  EXPECT_EQ(pairs[0].battles[0].judge, -1);
  EXPECT_EQ(pairs[0].lead(), 2);
  EXPECT_EQ(pairs[0].lead_of_judge(), 0);
  EXPECT_EQ(pairs[1].first + pairs[1].second, "uv");
  EXPECT_EQ(pairs[1].lead(), -1);
  EXPECT_EQ(pairs[1].lead_of_judge(), 1);
}

}  // namespace
}  // namespace duel
