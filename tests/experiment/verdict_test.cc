#include "duel/experiment/verdict.h"

#include <gtest/gtest.h>

#include "duel/experiment/experiment_result.h"
#include "played_log.h"

namespace duel {
namespace {

std::string verdict(const PlayedLog& log) {
  const Ledger& ledger = log.live().ledger();
  return verdict_of(ledger, standing_of(ledger));
}

TEST(Verdict, says_that_nothing_is_known_before_the_first_decisive_answer) {
  const PlayedLog log(experiment_of({"a", "b"}));
  EXPECT_EQ(verdict(log), "Undecided after 0 duels: no decisive answer yet.");
}

TEST(Verdict, shows_no_order_while_an_open_arm_has_hardly_been_seen) {
  PlayedLog log(experiment_of({"a", "b", "c"}, "uniform"));
  play(log, {.gap = 0.3}, 6);
  EXPECT_TRUE(verdict(log).starts_with("Not enough data after 6 duels: ")) << verdict(log);
  const Ledger& ledger = log.live().ledger();
  const Json json = result_json(ledger, board_of(ledger));
  EXPECT_EQ(json["state"], "not_enough_data");
  EXPECT_TRUE(json["leader"].is_null());
}

TEST(Verdict, names_the_rivals_that_are_not_ruled_out) {
  PlayedLog log(experiment_of({"a", "b", "c"}, "uniform"));
  play(log, {.gap = 0.15}, 60);
  const Ledger& ledger = log.live().ledger();
  const Standing standing = standing_of(ledger);
  ASSERT_EQ(standing.leader, Arm{0});
  ASSERT_TRUE(standing.duels_left);
  const std::string text = verdict(log);
  EXPECT_TRUE(text.starts_with("Undecided after 60 duels: a leads; not ruled out yet: ")) << text;
  EXPECT_TRUE(text.ends_with(" more duels if the rates stay as they are.")) << text;
  const Json json = result_json(ledger, board_of(ledger));
  EXPECT_EQ(json["leader"], "a");
  EXPECT_EQ(json["verdict"], text);
}

TEST(Verdict, of_a_certified_experiment_is_the_statement_of_its_certificate) {
  PlayedLog log(experiment_of({"a", "b"}, "uniform"));
  play(log, {.gap = 0.45}, 60);
  ASSERT_TRUE(log.live().ledger().certificate());
  EXPECT_EQ(verdict(log).find("Undecided"), std::string::npos);
  EXPECT_NE(verdict(log).find("'a'"), std::string::npos) << verdict(log);
}

TEST(Verdict, counts_approximately) {
  EXPECT_EQ(approximate_count(0), "0");
  EXPECT_EQ(approximate_count(99), "99");
  EXPECT_EQ(approximate_count(1234), "1 200");
  EXPECT_EQ(approximate_count(1'250'000), "1 300 000");
}

}  // namespace
}  // namespace duel
