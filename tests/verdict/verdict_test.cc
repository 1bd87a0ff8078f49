#include "duel/verdict/verdict.h"

#include <gtest/gtest.h>

#include "duel/verdict/experiment_result.h"
#include "tests/experiment/played_log.h"

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
  const ExperimentResult result = result_of(ledger, board_of(ledger), {});
  EXPECT_EQ(result.state, "not_enough_data");
  EXPECT_FALSE(result.leader);
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
  const ExperimentResult result = result_of(ledger, board_of(ledger), {});
  EXPECT_EQ(result.leader, "a");
  EXPECT_EQ(result.verdict, text);
}

TEST(Verdict, says_that_nothing_more_is_asked_once_the_limit_is_reached) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c"}, "uniform");
  experiment.stopping.max_duels = 60;
  PlayedLog log(experiment);
  play(log, {.gap = 0.15}, 60);
  const std::string text = verdict(log);
  EXPECT_NE(text.find("; max_duels = 60 is reached, and no more are asked: about "),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with(" more duels would be needed if the rates stay as they are.")) << text;
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

TEST(Verdict, shows_the_certified_part_of_an_order_and_what_is_open) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c", "d"}, "uniform");
  experiment.goal = Goal::ranking;
  PlayedLog log(experiment);
  const auto text = [&](OrderStanding order) { return order_text(log.live().ledger(), order); };
  OrderStanding order{.arms = {1, 0, 3, 2}, .named = 4, .certain = 2, .needed = {}};
  order.needed.resize(6);
  order.needed[0].shown = true;
  EXPECT_EQ(text(order),
            "1. b, 2. a (certified); 3 to 4 open, so far d, c; 1 of 6 pairs are shown");
  order.certain = 0;
  EXPECT_EQ(text(order), "1 to 4 open, so far b, a, d, c; 1 of 6 pairs are shown");
  order.certain = 4;
  EXPECT_EQ(text(order), "1. b, 2. a, 3. d, 4. c (certified)");
}

TEST(Verdict, of_an_undecided_order_names_what_is_certain) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c"}, "auto");
  experiment.goal = Goal::ranking;
  PlayedLog log(experiment);
  play(log, {.gap = 0.2}, 40);
  const Ledger& ledger = log.live().ledger();
  ASSERT_FALSE(ledger.certificate());
  const std::string undecided = verdict(log);
  EXPECT_NE(undecided.find(" open, so far "), std::string::npos) << undecided;
  const ExperimentResult so_far = result_of(ledger, board_of(ledger), {});
  EXPECT_EQ(so_far.goal, "ranking");
  EXPECT_EQ(so_far.order->named, 3U);
  EXPECT_EQ(so_far.order->pairs_needed, 3U);
  while (!log.live().done()) play(log, {.gap = 0.2}, 10);
  EXPECT_TRUE(verdict(log).starts_with("The arms in order, the best first, are ")) << verdict(log);
  const ExperimentResult done = result_of(ledger, board_of(ledger), {});
  EXPECT_EQ(done.order->certain, 3U);
  EXPECT_EQ(done.certificate->named.size(), 3U);
}

TEST(Verdict, of_an_undecided_set_says_how_many_pairs_are_shown) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c"}, "uniform");
  experiment.goal = Goal(Goal::set, 2);
  PlayedLog log(experiment);
  play(log, {.gap = 0.02}, 150);
  ASSERT_FALSE(log.live().ledger().certificate());
  EXPECT_NE(verdict(log).find(" are in front; "), std::string::npos) << verdict(log);
  EXPECT_NE(verdict(log).find(" of 2 pairs are shown"), std::string::npos) << verdict(log);
}

}  // namespace
}  // namespace duel
