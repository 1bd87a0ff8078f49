// What a judge has said is not paid for twice, and is no evidence twice.
#include "duel/judging/answer_cache.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/judging/asked_interview.h"
#include "tests/judging/counting_judges.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

class Remembered : public ::testing::Test {
 protected:
  AnswerCache cache(const std::string& judge = "judge") {
    return AnswerCache::open(folder(), judge, {},
                             [this](const std::string& text) { told.push_back(text); })
        .value();
  }
  std::string folder() const { return (directory_.path() / "answers").string(); }

  static Question question(const std::string& first, const std::string& second,
                           const std::string& task = "1 + 1") {
    return {.duel_id = "d1",
            .first = {.arm_id = first, .path = "", .payload = Json(first)},
            .second = {.arm_id = second, .path = "", .payload = Json(second)},
            .task = Json(task),
            .evidence = false};
  }

  TemporaryDirectory directory_;
  std::vector<std::string> told;
};

TEST_F(Remembered, answers_stay_with_their_reason_and_cost_nothing_again) {
  Said said(Outcome::second_wins);
  said.reason = "clearer";
  said.cost = 0.5;
  said.tokens = 7;
  cache().keep(question("a", "b"), said);
  AnswerCache later = cache();
  const auto found = later.find(question("a", "b"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->outcome, Outcome::second_wins);
  EXPECT_EQ(found->reason, "clearer");
  EXPECT_EQ(found->cost, 0);
  EXPECT_EQ(found->tokens, 0U);
  EXPECT_TRUE(found->cached);
  EXPECT_TRUE(told.empty());
}

TEST_F(Remembered, every_kind_of_answer_stays_what_it_is) {
  AnswerCache kept = cache();
  std::vector<Said> all = {Outcome::first_wins, Outcome::second_wins, Outcome::tie,
                           Outcome::both_bad, Outcome::skip};
  all.emplace_back();
  all.back().score = 0.8;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Question asked = question("a", "b", std::to_string(k));
    kept.keep(asked, all[k]);
    const auto found = kept.find(asked);
    ASSERT_TRUE(found.has_value()) << k;
    EXPECT_EQ(found->outcome, all[k].outcome) << k;
    EXPECT_EQ(found->score, all[k].score) << k;
  }
  kept.keep(question("a", "b", "nonsense"), Outcome::none);
  EXPECT_FALSE(kept.find(question("a", "b", "nonsense")));
}

TEST_F(Remembered, another_judge_order_task_content_or_vote_is_another_question) {
  cache().keep(question("a", "b"), Outcome::first_wins);
  EXPECT_FALSE(cache("other").find(question("a", "b")));
  AnswerCache same = cache();
  EXPECT_FALSE(same.find(question("b", "a")));
  EXPECT_FALSE(same.find(question("a", "b", "2 + 2")));
  EXPECT_FALSE(same.find(question("a", "c")));
  Question second_vote = question("a", "b");
  second_vote.vote = 1;
  EXPECT_FALSE(same.find(second_vote));
  Question renamed = question("a", "b");
  renamed.first.arm_id = "x";
  EXPECT_TRUE(same.find(renamed)) << "the content is the same";
  Question both = question("b", "a");
  EXPECT_FALSE(same.knows(both));
  both.both_orders = true;
  EXPECT_TRUE(same.knows(both));
}

TEST_F(Remembered, files_that_were_spoilt_are_passed_over_with_a_word_and_written_again) {
  cache().keep(question("a", "b"), Outcome::first_wins);
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    file = entry.path().string();
  }
  for (const char* spoilt : {"", "{\"question\":", "[]", "{\"result\":\"tie\"}"}) {
    directory_.write("answers/" + std::filesystem::path(file).filename().string(), spoilt);
    told.clear();
    AnswerCache kept = cache();
    EXPECT_FALSE(kept.find(question("a", "b"))) << spoilt;
    EXPECT_FALSE(kept.find(question("a", "b")));
    ASSERT_EQ(told.size(), 1U) << spoilt;
    EXPECT_NE(told[0].find(file), std::string::npos) << told[0];
    kept.keep(question("a", "b"), Outcome::tie);
    EXPECT_EQ(kept.find(question("a", "b"))->outcome, Outcome::tie);
  }
}

// An answer that is to be evidence is asked for, whatever is in the memory.
TEST_F(Remembered, only_what_is_no_evidence_is_answered_from_memory) {
  CountingJudges judges(1);
  AnswerCache kept = cache();
  CachedJudges remembering(judges, kept);
  Question fresh = question("a", "b");
  fresh.evidence = true;
  for (int asked = 1; asked <= 2; ++asked) {
    ASSERT_EQ(remembering.free(), 1U);
    remembering.ask(fresh);
    EXPECT_EQ(remembering.wait(std::chrono::milliseconds(0)).size(), 1U);
    EXPECT_EQ(judges.turns, static_cast<std::size_t>(asked));
  }
  remembering.ask(question("a", "b"));
  EXPECT_EQ(remembering.free(), 0U) << "its place is taken until it was told";
  const auto told_of = remembering.wait(std::chrono::milliseconds(0));
  ASSERT_EQ(told_of.size(), 1U);
  EXPECT_TRUE(told_of[0].outcome->cached);
  EXPECT_EQ(judges.turns, 2U);
  EXPECT_EQ(remembering.remembered(), 1U);
}

}  // namespace
}  // namespace duel
