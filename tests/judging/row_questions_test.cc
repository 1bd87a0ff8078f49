#include "duel/judging/row_questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "duel/judging/judge_loop.h"
#include "tests/judging/counting_judges.h"

namespace duel {
namespace {

std::vector<JudgedRow> rows_of(std::size_t count) {
  std::string text = "num,model_a,model_b,human,text_a,text_b\n";
  for (std::size_t k = 0; k < count; ++k) {
    text += std::to_string(k) + (k % 2 == 0 ? ",x,y,a,one,two\n" : ",y,x,b,two,one\n");
  }
  return read_judged_votes(text, "votes.csv", "human", {}).value().rows;
}

Question next_of(RowQuestions& questions) { return std::get<Question>(questions.next().value()); }

// What a judge that is asked nothing else says.
Given given(Question question, Said said) {
  return {.question = std::move(question), .judgements = {std::move(said)}};
}

TEST(RowQuestions, asks_each_row_as_shown_then_turned_then_again) {
  const auto rows = rows_of(2);
  RowQuestions questions(rows, {.turned = true, .repeats = 2, .from_cache = true});
  EXPECT_EQ(questions.all(), 8U);
  std::vector<std::string> shown;
  std::vector<std::uint64_t> votes;
  for (std::size_t k = 0; k < questions.all(); ++k) {
    const Question question = next_of(questions);
    EXPECT_FALSE(question.both_orders) << "a failure in one order must not cost the other";
    EXPECT_FALSE(question.evidence) << "the cache may answer";
    shown.push_back(question.first.arm_id + question.first.payload->get<std::string>());
    votes.push_back(question.vote);
    EXPECT_EQ(question.task->at("num").get<std::string>(), std::to_string(k / 4));
  }
  EXPECT_EQ(shown, (std::vector<std::string>{"xone", "ytwo", "xone", "xone", "ytwo", "xone", "ytwo",
                                             "ytwo"}));
  EXPECT_EQ(votes, (std::vector<std::uint64_t>{0, 0, 1, 2, 0, 0, 1, 2}));
  EXPECT_TRUE(std::holds_alternative<Questions::Over>(questions.next().value()));
}

TEST(RowQuestions, has_figures_of_what_is_answered_so_far) {
  const auto rows = rows_of(3);
  RowQuestions questions(rows, {.turned = true, .repeats = 1});
  std::vector<Question> asked;
  for (std::size_t k = 0; k < questions.all(); ++k) asked.push_back(next_of(questions));
  Said dear(Outcome::first_wins);
  dear.cost = 0.5;
  dear.tokens = 7;
  // Row 1 as shown, turned (the same arm), and again (another one); row 2 as shown alone; of row 3
  // nothing but the turned question.
  ASSERT_TRUE(
      questions
          .answer({given(asked[0], dear), given(asked[1], Outcome::second_wins),
                   given(asked[2], Outcome::tie), given(asked[3], dear), given(asked[7], dear)})
          .ok());
  EXPECT_EQ(questions.answered(), 5U);
  EXPECT_EQ(questions.rows(), 2U);
  const JudgeFigures figures = questions.figures("judge", 1);
  EXPECT_EQ(figures.answers, 2U);
  EXPECT_EQ(figures.agree, 1U) << "row 1";
  EXPECT_EQ(figures.differ, 1U) << "row 2, where people say b";
  EXPECT_EQ(figures.both_orders, 1U);
  EXPECT_EQ(figures.flips, 0U);
  EXPECT_EQ(figures.repeats, 1U);
  EXPECT_EQ(figures.repeated_otherwise, 1U);
  EXPECT_EQ(figures.asked, 5U);
  EXPECT_EQ(figures.cost, 1.5) << "also of the third row";
  EXPECT_EQ(figures.tokens, 21U);
}

TEST(RowQuestions, that_get_no_answer_are_missing) {
  const auto rows = rows_of(2);
  RowQuestions questions(rows, {});
  const Question first = next_of(questions), second = next_of(questions);
  ASSERT_TRUE(questions.answer({Given{.question = first}, given(second, Outcome::none)}).ok());
  const JudgeFigures figures = questions.figures("judge", 1);
  EXPECT_EQ(figures.missing, 2U);
  EXPECT_EQ(figures.answers, 0U);
}

// However a loop ends, what was answered is in the figures.
TEST(RowQuestions, lose_no_answer_that_came) {
  const auto rows = rows_of(20);
  for (const EndedBy by : {EndedBy::first_interrupt, EndedBy::broken_judge}) {
    for (std::size_t step = 1; step < 30; ++step) {
      RowQuestions questions(rows, {.turned = true});
      CountingJudges judges(4);
      if (by == EndedBy::broken_judge) judges.breaks_at = step;
      JudgeLoop loop(questions, judges, counting_options());
      const auto ended = loop.run(
          [&] {
            const bool stops = by == EndedBy::first_interrupt && judges.turns >= step;
            return stops ? Stopping::after_answers : Stopping::no;
          },
          [] {});
      EXPECT_EQ(ended.ok(), by == EndedBy::first_interrupt);
      EXPECT_LT(questions.answered(), questions.all());
      EXPECT_EQ(questions.answered(), judges.asked.size()) << "nothing is left in flight";
      const JudgeFigures figures = questions.figures("judge", 1);
      EXPECT_EQ(figures.asked, judges.asked.size());
      EXPECT_GE(figures.answers + figures.missing, step / 2);
    }
  }
}

}  // namespace
}  // namespace duel
