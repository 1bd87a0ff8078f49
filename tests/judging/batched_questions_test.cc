#include "duel/judging/batched_questions.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace duel {
namespace {

// Gives so many questions, named 0, 1, .., and remembers what came back.
class Numbered final : public Questions {
 public:
  explicit Numbered(int count) : count_(count) {}
  Result<Next> next() override {
    if (asked_ == count_) return Next(Over{RunEnding::undecided});
    Question question;
    question.duel_id = std::to_string(asked_++);
    return Next(std::move(question));
  }
  Result<Taken> answer(std::vector<Given> given) override {
    for (const Given& one : given) {
      (one.judgements.empty() ? lost : answered).push_back(one.question.duel_id);
    }
    return Taken{};
  }
  Result<Taken> flush() override { return Taken{.unsent = unsent}; }
  QuestionsProgress progress() const override { return {.certified = certified}; }
  int asked() const { return asked_; }
  std::vector<std::string> answered, lost;
  std::uint64_t unsent = 0;
  bool certified = false;

 private:
  int count_;
  int asked_ = 0;
};

std::string next_of(BatchedQuestions& questions) {
  const Questions::Next next = questions.next().value();
  if (std::holds_alternative<Questions::Later>(next)) return "later";
  if (std::holds_alternative<Questions::Over>(next)) return "over";
  return std::get<Question>(next).duel_id;
}

void answer(BatchedQuestions& questions, const std::string& duel_id) {
  Given given;
  given.question.duel_id = duel_id;
  given.judgements = {Outcome::first_wins};
  ASSERT_TRUE(questions.answer({given}).ok());
}

TEST(BatchedQuestions, asks_the_next_batch_when_all_of_the_last_are_answered) {
  Numbered inner(5);
  BatchedQuestions batches(inner, 3);
  EXPECT_EQ(next_of(batches), "0");
  EXPECT_EQ(inner.asked(), 3);  // chosen together, before any of them is answered
  EXPECT_EQ(next_of(batches), "1");
  answer(batches, "0");
  EXPECT_EQ(next_of(batches), "2");
  EXPECT_EQ(next_of(batches), "later");
  answer(batches, "2");
  EXPECT_EQ(next_of(batches), "later");
  EXPECT_EQ(inner.asked(), 3);
  answer(batches, "1");
  EXPECT_EQ(next_of(batches), "3");  // a shorter one, as there are no more
  EXPECT_EQ(next_of(batches), "4");
  answer(batches, "3");
  EXPECT_EQ(next_of(batches), "later");
  answer(batches, "4");
  EXPECT_EQ(next_of(batches), "over");
  EXPECT_EQ(inner.answered, (std::vector<std::string>{"0", "2", "1", "3", "4"}));
}

TEST(BatchedQuestions, asks_no_more_of_a_batch_after_the_certificate) {
  Numbered inner(5);
  BatchedQuestions batches(inner, 4);
  EXPECT_EQ(next_of(batches), "0");
  inner.certified = true;
  answer(batches, "0");
  EXPECT_EQ(next_of(batches), "over");
  ASSERT_TRUE(batches.give_up({"judge", "j"}).ok());
  EXPECT_EQ(inner.lost, (std::vector<std::string>{"1", "2", "3"}));
}

TEST(BatchedQuestions, chooses_none_before_all_answers_are_known) {
  Numbered inner(5);
  BatchedQuestions batches(inner, 1);
  EXPECT_EQ(next_of(batches), "0");
  answer(batches, "0");
  inner.unsent = 1;  // on its way to a server
  EXPECT_EQ(next_of(batches), "later");
  EXPECT_EQ(inner.asked(), 1);
  inner.unsent = 0;
  EXPECT_EQ(next_of(batches), "1");
}

TEST(BatchedQuestions, does_not_take_an_audit_for_an_answer_to_the_batch) {
  Numbered inner(5);
  BatchedQuestions batches(inner, 1);
  EXPECT_EQ(next_of(batches), "0");
  Given audited;
  audited.question.duel_id = "7";
  audited.question.audit = true;
  ASSERT_TRUE(batches.answer({audited}).ok());
  EXPECT_EQ(next_of(batches), "later");
}

TEST(BatchedQuestions, gives_up_what_was_chosen_and_never_asked) {
  Numbered inner(5);
  BatchedQuestions batches(inner, 4);
  EXPECT_EQ(next_of(batches), "0");
  EXPECT_EQ(next_of(batches), "1");
  answer(batches, "0");
  ASSERT_TRUE(batches.give_up({"judge", "j"}).ok());
  EXPECT_EQ(inner.lost, (std::vector<std::string>{"2", "3"}));
  answer(batches, "1");
  EXPECT_EQ(inner.answered, (std::vector<std::string>{"0", "1"}));
}

}  // namespace
}  // namespace duel
