// People audit three language models on the votes of a public arena, which people have cast too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "duel/core/whole_file.h"
#include "duel/study/audit_replay.h"
#include "tests/support/places.h"

namespace duel {
namespace {

constexpr std::uint32_t kRuns = 200;

class Arena : public testing::Test {
 protected:
  void load(std::size_t judge) {
    const std::string file = shared_dir() + "/data/judges/arena_people_and_judges.csv";
    const auto text = read_whole_file(file, std::size_t{1} << 30);
    if (!text.ok()) {
      GTEST_SKIP() << "NOT CHECKED: the shared data file arena_people_and_judges.csv is absent";
    }
    auto votes = read_judged_votes(*text, file, "human", {"gpt4", "claude3opus", "gpt35"});
    ASSERT_TRUE(votes.ok()) << votes.error().to_string();
    name_ = votes->judges[judge];
    pairs_ = voted_pairs(*votes, judge);
  }
  AuditReplay play(const VotedPair& pair, const AuditReplayOptions& options,
                   std::uint32_t run) const {
    return replay_audits(pair.battles, options,
                         Stream(20, run, Purpose::test, pair.first + pair.second + name_).at(0));
  }

  std::string name_;
  std::vector<VotedPair> pairs_;
};

class ArenaAudits : public Arena, public testing::WithParamInterface<std::size_t> {
 protected:
  void SetUp() override { load(GetParam()); }
};

// Of each pair and direction a false certificate has a probability of at most 1/40. Nearly all
// pairs are far from even, so that there are much fewer: with each model and share at most 7 of
// 12 000 runs (`duel reproduce audits`, 2026-11-19, seed 0), nearly all of the pair that is even.
TEST_P(ArenaAudits, keep_the_verdicts_of_people) {
  for (const double share : {0.05, 0.1, 0.2}) {
    std::uint64_t certified = 0, wrong = 0;
    for (std::size_t k = 0; k < 20; ++k) {
      const VotedPair& pair = pairs_[k];
      for (std::uint32_t run = 0; run < kRuns; ++run) {
        const AuditReplay replay = play(pair, {.share = share, .most_people = 1000}, run);
        certified += replay.sign != 0 ? 1 : 0;
        wrong += replay.sign * pair.lead() < 0 ? 1 : 0;
      }
    }
    RecordProperty(std::to_string(share),
                   std::to_string(wrong) + " of " + std::to_string(certified));
    EXPECT_GT(certified, 17 * kRuns);
    EXPECT_LE(static_cast<double>(wrong), 0.01 * static_cast<double>(certified)) << share;
  }
}

INSTANTIATE_TEST_SUITE_P(Judges, ArenaAudits, testing::Values(0U, 1U, 2U));

class ArenaAuditsOfGpt35 : public Arena {
 protected:
  void SetUp() override { load(2); }
};

// Eight pairs that the model sees the other way round, with a lead of a tenth of the battles or
// more on either side: the model alone certifies the arm that people do not prefer, and audited it
// does not.
TEST_F(ArenaAuditsOfGpt35, correct_it_where_it_prefers_the_other_arm) {
  std::uint64_t reversed = 0;
  for (const VotedPair& pair : pairs_) {
    const auto battles = static_cast<double>(pair.battles.size());
    if (battles < 20 || pair.lead() * pair.lead_of_judge() >= 0) continue;
    if (std::min(std::abs(pair.lead()), std::abs(pair.lead_of_judge())) < 0.1 * battles) continue;
    ++reversed;
    std::vector<JudgedBattle> judge_alone;
    for (const JudgedBattle& battle : pair.battles) judge_alone.push_back({battle.judge, 0});
    std::uint64_t wrong = 0, wrong_alone = 0;
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      const auto is_wrong = [&](const AuditReplay& replay) {
        return replay.sign * pair.lead() < 0 ? 1U : 0U;
      };
      wrong += is_wrong(play(pair, {.share = 0.1, .most_people = 1000}, run));
      wrong_alone +=
          is_wrong(replay_audits(judge_alone, {.most_people = 20'000},
                                 Stream(20, run, Purpose::test, pair.first + pair.second).at(1)));
    }
    // At most 1/40 of the runs, and five standard errors.
    EXPECT_LE(wrong, kRuns / 40 + 11) << pair.first << " against " << pair.second;
    EXPECT_GT(wrong_alone, 9 * kRuns / 10) << pair.first << " against " << pair.second;
  }
  EXPECT_EQ(reversed, 8U);
}

}  // namespace
}  // namespace duel
