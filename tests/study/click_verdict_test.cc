#include "duel/study/click_verdict.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "duel/core/rng.h"
#include "duel/ranking/click_credit/impression_lines.h"

namespace duel {
namespace {

CreditedLog log_of(const std::string& impressions, const std::string& clicks,
                   const CreditSpec& spec) {
  ImpressionLines lines = ImpressionLines::of_text("impressions", impressions);
  ClickEvents events = ClickEvents::read_text("clicks", clicks, spec.rule).value();
  return credit_log(lines, events, spec).value();
}

TEST(ClickVerdict, puts_every_pair_the_same_way_round) {
  const std::string impressions =
      R"({"query_id":"1","timestamp":1790000001,"lists":{"a":["x"],"b":["y"]}})"
      "\n"
      R"({"query_id":"2","timestamp":1790000002,"lists":{"b":["y"],"a":["x"]}})"
      "\n"
      R"({"query_id":"3","timestamp":1790000003,"lists":{"c":["z"],"b":["y"]}})"
      "\n"
      R"({"query_id":"4","timestamp":1790000004,"lists":{"a":["x"],"b":["x"]}})"
      "\n";
  const CreditedLog log = log_of(impressions, "query_id,object_id\n1,x\n2,x\n3,y\n4,x\n", {});
  const ClickVerdict verdict = click_verdict(log, {}).value();
  ASSERT_EQ(verdict.pairs.size(), 2U);
  EXPECT_EQ(verdict.answers, 3U);
  EXPECT_EQ(log.rankers[verdict.pairs[0].first], "a");
  EXPECT_EQ(verdict.pairs[0].delta.wins, 2U) << "whichever list came first";
  EXPECT_EQ(verdict.pairs[0].no_contest, 1U);
  EXPECT_EQ(log.rankers[verdict.pairs[1].first], "b");
  EXPECT_EQ(verdict.pairs[1].delta.wins, 1U);
  EXPECT_TRUE(verdict.sentence.has_value());
}

TEST(ClickVerdict, has_no_sentence_without_an_answer) {
  const CreditedLog log =
      log_of(R"({"query_id":"1","lists":{"a":["x"],"b":["y"]}})", "query_id,object_id\n", {});
  const ClickVerdict verdict = click_verdict(log, {}).value();
  EXPECT_EQ(verdict.answers, 0U);
  EXPECT_FALSE(verdict.sentence.has_value());
  EXPECT_EQ(verdict.pairs[0].no_feedback, 1U);
}

// Even rankers, 50 users who each like one of them, 20 impressions each. The users are what was
// drawn; taken for 1000 independent impressions they certify a winner that is none.
TEST(ClickVerdict, clusters_keep_the_level_of_the_certificate_where_impressions_do_not) {
  constexpr int kStudies = 150, kUsers = 50, kRounds = 20;
  int by_user = 0, by_impression = 0;
  for (int study = 0; study < kStudies; ++study) {
    RoundRng rng = Stream(6, 0, Purpose::test, "click_verdict").at(static_cast<Round>(study));
    std::vector<bool> likes_first(kUsers);
    for (std::size_t user = 0; user < kUsers; ++user) likes_first[user] = rng.coin();
    std::string impressions, clicks = "query_id,object_id\n";
    for (int k = 0; k < kUsers * kRounds; ++k) {
      const auto user = static_cast<std::size_t>(k % kUsers);
      impressions += fmt::format(
          R"({{"query_id":"{}","user_id":"u{}","timestamp":{},"lists":{{"a":["x"],"b":["y"]}}}})",
          k, user, 1'790'000'000 + k);
      impressions += '\n';
      const bool first = rng.bernoulli(0.95) == likes_first[user];
      clicks += fmt::format("{},{}\n", k, first ? "x" : "y");
    }
    const auto certified = [&](ClusterBy cluster) {
      CreditSpec spec;
      spec.cluster = cluster;
      const ClickVerdict verdict =
          click_verdict(log_of(impressions, clicks, spec), {.delta = {.resamples = 2}}).value();
      return verdict.sentence->find("Undecided") == std::string::npos;
    };
    by_user += certified(ClusterBy::user) ? 1 : 0;
    by_impression += certified(ClusterBy::impression) ? 1 : 0;
  }
  // At most .05 of 150, 7.5, and five standard errors of 2.7.
  EXPECT_LE(by_user, 20);
  EXPECT_GE(by_impression, 50);
}

}  // namespace
}  // namespace duel
