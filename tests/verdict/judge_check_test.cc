#include "duel/verdict/judge_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "duel/core/whole_file.h"
#include "duel/inference/confidence_sequence.h"
#include "tests/support/places.h"

namespace duel {
namespace {

constexpr const char* kVotes =
    "num,model_a,model_b,human,program\n"
    "1,x,y,a,a\n"
    "2,y,x,b,x\n"
    "3,x,y,b,model_a\n"
    "4,x,y,tie (bothbad),b\n"
    "5,x,z,z,t\n"
    "6,x,y,a,\n";

JudgedVotes votes() { return read_judged_votes(kVotes, "votes.csv", "human", {"program"}).value(); }

TEST(JudgeCheck, counts_agreement_where_both_lean_to_one_side) {
  JudgeCheck check("program", 2);
  for (const JudgedRow& row : votes().rows) check.add(row, row.judges[0]);
  const JudgeFigures figures = check.figures();
  EXPECT_EQ(figures.answers, 5U);
  EXPECT_EQ(figures.missing, 1U);
  EXPECT_EQ(figures.first, 2U);   // rows 1 and 3
  EXPECT_EQ(figures.second, 2U);  // row 2, where x stands second, and row 4
  EXPECT_EQ(figures.ties, 1U);
  EXPECT_EQ(figures.agree, 2U);
  EXPECT_EQ(figures.differ, 1U);
  EXPECT_DOUBLE_EQ(figures.agreement.value(), 2.0 / 3);
  EXPECT_TRUE(figures.agreement_interval.contains(2.0 / 3));
  // x against y: people 3 : 1, the program 3 : 1. x against z has too few answers.
  EXPECT_EQ(figures.pairs, 1U);
  EXPECT_TRUE(figures.reversed.empty());
}

TEST(JudgeCheck, names_pairs_that_are_seen_the_other_way_round) {
  JudgeCheck check("contrary", 2);
  for (JudgedRow row : votes().rows) check.add(row, mirrored(row.people));
  const JudgeFigures figures = check.figures();
  ASSERT_EQ(figures.reversed.size(), 1U);
  const ReversedPair& pair = figures.reversed[0];
  EXPECT_EQ(pair.first + pair.second, "xy");
  EXPECT_EQ(pair.people_first, 3U);
  EXPECT_EQ(pair.people_second, 1U);
  EXPECT_EQ(pair.judge_first, 1U);
  EXPECT_EQ(pair.judge_second, 3U);
  EXPECT_EQ(pair.people_evidence, pair.judge_evidence);
}

TEST(JudgeCheck, counts_what_contradicts_itself) {
  JudgeCheck check("judge", 1);
  check.add_turned(Outcome::first_wins, Outcome::first_wins);
  check.add_turned(Outcome::first_wins, Outcome::second_wins);
  check.add_turned(Outcome::tie, Outcome::second_wins);
  check.add_turned(Outcome::tie, Outcome::none);
  check.add_repeats(Outcome::tie, {Outcome::tie});
  check.add_repeats(Outcome::tie, {Outcome::tie, Outcome::both_bad, Outcome::first_wins});
  check.add_repeats(Outcome::tie, {Outcome::none});
  check.add_repeats(Outcome::none, {Outcome::tie});
  const JudgeFigures figures = check.figures();
  EXPECT_EQ(figures.both_orders, 3U) << "where an answer is missing nothing is compared";
  EXPECT_EQ(figures.flips, 2U);
  EXPECT_EQ(figures.repeats, 2U) << "a question counts once, however often it is asked again";
  EXPECT_EQ(figures.repeated_otherwise, 1U);
  EXPECT_DOUBLE_EQ(figures.flip_rate.value(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(figures.repeat_rate.value(), 0.5);
  // The interval of one success in two has its ends where evidence against p reaches 20.
  EXPECT_TRUE(figures.repeat_interval.contains(0.5));
  const Interval two_of_three = beta_binomial_sequence(2, 1, 0.05);
  EXPECT_EQ(figures.flip_interval.lower, two_of_three.lower);
  EXPECT_EQ(figures.flip_interval.upper, two_of_three.upper);
}

TEST(JudgeCheck, says_nothing_of_what_was_not_asked) {
  const JudgeFigures figures = JudgeCheck("judge", 1).figures();
  EXPECT_EQ(figures.flip_rate, std::nullopt);
  EXPECT_EQ(figures.repeat_rate, std::nullopt);
  EXPECT_EQ(figures.flip_interval.lower, 0.0);
  EXPECT_EQ(figures.flip_interval.upper, 1.0);
}

TEST(JudgeCheck, adds_up_what_answers_cost) {
  JudgeCheck check("judge", 1);
  check.add_price(0.5, 100, false);
  check.add_price(0.25, 60, false);
  check.add_price(0, 0, true);
  const JudgeFigures figures = check.figures();
  EXPECT_EQ(figures.asked, 3U);
  EXPECT_EQ(figures.cached, 1U);
  EXPECT_EQ(figures.cost, 0.75);
  EXPECT_EQ(figures.tokens, 160U);
}

// The answers of a judge in a file of its own, by the rows of `kVotes`.
std::vector<Outcome> of_file(const char* text, const std::vector<std::string>& columns = {}) {
  JudgedVotes votes = read_judged_votes(kVotes, "votes.csv", "human", {"program"}).value();
  const Status added = add_judge_votes(votes, text, "judge.csv", columns);
  EXPECT_TRUE(added.ok()) << added.error().to_string();
  std::vector<Outcome> answers;
  for (const JudgedRow& row : votes.rows) answers.push_back(row.judges.back());
  EXPECT_EQ(votes.rows[1].judges.front(), Outcome::second_wins) << "the column beside people's";
  EXPECT_EQ(votes.judges.size(), 2U);
  return answers;
}

TEST(JudgeVotes, are_found_by_the_columns_that_both_files_have) {
  // In another order, without row 3, and with one that people have not answered. Row 2 names the
  // two the other way round.
  const std::vector<Outcome> answers =
      of_file("num,model_a,model_b,llm\n6,x,y,b\n1,x,y,a\n2,x,y,a\n4,x,y,t\n5,x,z,z\n9,u,v,a\n");
  EXPECT_EQ(answers,
            (std::vector<Outcome>{Outcome::first_wins, Outcome::second_wins, Outcome::none,
                                  Outcome::tie, Outcome::second_wins, Outcome::second_wins}));
  EXPECT_EQ(of_file("num,llm\n2,y\n3,b\n"),
            (std::vector<Outcome>{Outcome::none, Outcome::first_wins, Outcome::second_wins,
                                  Outcome::none, Outcome::none, Outcome::none}))
      << "names are those of the votes where the file has none";
}

TEST(JudgeVotes, are_found_line_by_line_where_the_files_have_nothing_in_common) {
  EXPECT_EQ(of_file("llm,why\na,..\nb,..\nt,..\na,..\nz,..\n,..\n", {"llm"}),
            (std::vector<Outcome>{Outcome::first_wins, Outcome::second_wins, Outcome::tie,
                                  Outcome::first_wins, Outcome::second_wins, Outcome::none}));
}

TEST(JudgeVotes, that_do_not_fit_are_refused) {
  const auto error_of = [](const char* text, const std::vector<std::string>& columns = {}) {
    JudgedVotes votes = read_judged_votes(kVotes, "votes.csv", "human", {}).value();
    const Status added = add_judge_votes(votes, text, "judge.csv", columns);
    return added.ok() ? std::string() : added.error().to_string();
  };
  EXPECT_NE(error_of("num,llm,other\n1,a,b\n").find("which column"), std::string::npos);
  EXPECT_NE(error_of("num\n1\n").find("no column with what a judge said"), std::string::npos);
  EXPECT_NE(error_of("num,llm\n1,a\n", {"lmm"}).find("there is no column 'lmm'"),
            std::string::npos);
  EXPECT_NE(error_of("num,llm\n1,a\n1,b\n").find("judge.csv:3"), std::string::npos);
  EXPECT_NE(error_of("num,llm\n7,a\n").find("no row has the num"), std::string::npos);
  EXPECT_NE(error_of("num,llm\n1,perhaps\n").find("'perhaps' is no answer"), std::string::npos);
  EXPECT_NE(error_of("num,model_a,model_b,llm\n1,x,z,a\n").find("'x' against 'z', where"),
            std::string::npos);
  EXPECT_NE(error_of("llm\na\nb\n").find("2 rows, where the votes have 6"), std::string::npos);
  JudgedVotes twice =
      read_judged_votes("num,model_a,model_b,human\n1,x,y,a\n1,x,y,b\n", "v", "human", {}).value();
  EXPECT_NE(add_judge_votes(twice, "num,llm\n1,a\n", "judge.csv", {})
                .error()
                .to_string()
                .find("two with the same num"),
            std::string::npos);
}

TEST(JudgeCheck, says_where_a_file_makes_no_sense) {
  const auto error_of = [](const char* text, const char* people) {
    return read_judged_votes(text, "votes.csv", people, {}).error().to_string();
  };
  EXPECT_NE(error_of("", "human").find("empty"), std::string::npos);
  EXPECT_NE(error_of("model_a,model_b,hunam\nx,y,a\n", "human").find("hunam"), std::string::npos);
  EXPECT_NE(error_of("model_a,human\nx,a\n", "human").find("second of the two"), std::string::npos);
  EXPECT_NE(error_of("model_a,model_b,human\nx,y,c\n", "human").find("votes.csv:2"),
            std::string::npos);
  EXPECT_NE(error_of("model_a,model_b,human\nx,x,a\n", "human").find("no comparison"),
            std::string::npos);
}

// What the description of these data states.
TEST(JudgeCheck, finds_what_is_known_of_three_models_on_the_arena) {
  const std::string file = shared_dir() + "/data/judges/arena_people_and_judges.csv";
  const auto text = read_whole_file(file, std::size_t{1} << 30);
  if (!text.ok()) {
    GTEST_SKIP() << "NOT CHECKED: the shared data file arena_people_and_judges.csv is absent";
  }
  const auto arena = read_judged_votes(*text, file, "human", {"gpt4", "claude3opus", "gpt35"});
  ASSERT_TRUE(arena.ok()) << arena.error().to_string();
  struct Known {
    std::uint64_t first, second, ties, compared, reversed, pairs;
    double first_share, agreement;  // percent, to one digit
  };
  const std::vector<Known> known = {{5407, 4337, 3728, 7236, 3, 160, 55.5, 83.6},
                                    {3722, 5731, 4019, 6897, 7, 159, 39.4, 72.3},
                                    {11614, 1830, 28, 9484, 32, 157, 86.4, 57.6}};
  for (std::size_t k = 0; k < known.size(); ++k) {
    JudgeCheck check(arena->judges[k], 20);
    for (const JudgedRow& row : arena->rows) check.add(row, row.judges[k]);
    const JudgeFigures figures = check.figures();
    SCOPED_TRACE(figures.judge);
    EXPECT_EQ(figures.first, known[k].first);
    EXPECT_EQ(figures.second, known[k].second);
    EXPECT_EQ(figures.ties, known[k].ties);
    EXPECT_EQ(figures.agree + figures.differ, known[k].compared);
    EXPECT_EQ(figures.reversed.size(), known[k].reversed);
    EXPECT_EQ(figures.pairs, known[k].pairs);
    EXPECT_NEAR(100 * figures.first_share.value(), known[k].first_share, 0.05);
    EXPECT_NEAR(100 * figures.agreement.value(), known[k].agreement, 0.05);
    EXPECT_FALSE(figures.first_share_interval.contains(0.5)) << "all three favour a place";
  }
}

}  // namespace
}  // namespace duel
