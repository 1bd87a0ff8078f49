#include "duel/ranking/click_credit/credited_votes.h"

#include <gtest/gtest.h>

#include <string>

#include "duel/core/whole_file.h"
#include "duel/ranking/click_credit/impression_lines.h"
#include "tests/ranking/interleaving/laws.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

// A win of either, a tie, no click and a page that cannot tell them apart.
CreditedLog log_of_every_outcome() {
  std::string impressions;
  for (const char* id : {"q1", "q,2", "q3", "q4"}) {
    impressions += std::string(R"({"query_id":")") + id +
                   R"(","user_id":"u","rankings":["A","B, \"2\""],"items":[)"
                   R"({"object_id":"a","team":"A"},{"object_id":"b","team":"B, \"2\""}]})"
                   "\n";
  }
  impressions += R"({"query_id":"q5","rankings":["A","B, \"2\""],"items":[]})"
                 "\n";
  CreditSpec spec;
  spec.in_order = true;
  ImpressionLines lines = ImpressionLines::of_text("impressions", impressions);
  ClickEvents events = taken(ClickEvents::read_text(
      "clicks", "query_id,object_id\nq1,a\n\"q,2\",b\nq3,a\nq3,b\n", spec.rule));
  return taken(credit_log(lines, events, spec));
}

TEST(CreditedVotes, only_a_win_has_a_winner_and_what_is_no_answer_is_skipped) {
  const CreditedLog log = log_of_every_outcome();
  ASSERT_EQ(log.impressions.size(), 5U);
  EXPECT_EQ(vote_of(log, 0).result, "win");
  EXPECT_EQ(vote_of(log, 0).winner, "A");
  EXPECT_EQ(vote_of(log, 1).result, "win");
  EXPECT_EQ(vote_of(log, 1).winner, "B, \"2\"");
  EXPECT_EQ(vote_of(log, 2).result, "tie");
  EXPECT_EQ(vote_of(log, 3).result, "skip");
  EXPECT_EQ(vote_of(log, 3).outcome, ClickOutcome::no_feedback);
  EXPECT_EQ(vote_of(log, 4).result, "skip");
  EXPECT_EQ(vote_of(log, 4).outcome, ClickOutcome::no_contest);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(vote_of(log, k).winner.has_value(), k < 2) << k;
    EXPECT_EQ(vote_of(log, k).serving_order, k + 1);
  }
}

TEST(CreditedVotes, a_file_has_the_answers_or_every_impression) {
  const CreditedLog log = log_of_every_outcome();
  const TemporaryDirectory directory;
  const auto written = [&](bool skips) {
    const auto file = directory / "votes.csv";
    EXPECT_TRUE(write_votes(log, file, skips).ok());
    return taken(read_whole_file(file.string(), 10'000));
  };
  const std::string answers =
      "first,second,result,winner,source_type,source_id,made_at,query_id,presentation,"
      "serving_order,evidence,outcome,first_credit,second_credit\n"
      "A,\"B, \"\"2\"\"\",win,A,user,u,,q1,interleaved,1,true,first,1,0\n"
      "A,\"B, \"\"2\"\"\",win,\"B, \"\"2\"\"\",user,u,,\"q,2\",interleaved,2,false,second,0,1\n"
      "A,\"B, \"\"2\"\"\",tie,,user,u,,q3,interleaved,3,false,tie,1,1\n";
  EXPECT_EQ(written(false), answers);
  EXPECT_EQ(written(true),
            answers +
                "A,\"B, \"\"2\"\"\",skip,,user,u,,q4,interleaved,4,false,no_feedback,0,0\n"
                "A,\"B, \"\"2\"\"\",skip,,,,,q5,interleaved,5,true,no_contest,0,0\n");
}

}  // namespace
}  // namespace duel
