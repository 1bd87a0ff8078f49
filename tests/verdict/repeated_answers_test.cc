#include "duel/verdict/repeated_answers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "duel/core/rng.h"

namespace duel {
namespace {

// A log that is told record by record.
class Log {
 public:
  explicit Log(std::uint64_t tasks = 0) {
    ExperimentRecord experiment;
    experiment.experiment_id = "fresh";
    experiment.tasks.count = tasks;
    take(experiment);
  }

  void serve(const std::string& first, const std::string& second, const std::string& subject = "") {
    ServeRecord serve;
    serve.duel_id = fmt::format("d{}", ++served_);
    serve.first = first;
    serve.second = second;
    serve.subject = subject;
    take(serve);
  }
  void answer(Answer answer) {
    OutcomeRecord outcome;
    outcome.duel_id = fmt::format("d{}", served_);
    outcome.answer = std::move(answer);
    take(outcome);
  }
  void wins(const std::string& first, const std::string& second, const std::string& winner) {
    serve(first, second);
    answer({.result = Answered::win, .winner = winner});
  }
  void graded(const std::string& first, const std::string& second, double score) {
    serve(first, second);
    answer({.result = Answered::graded, .winner = "", .score = score});
  }
  void expire() {
    ExpiredRecord expired;
    expired.duel_id = fmt::format("d{}", served_);
    take(expired);
  }

  HealthCheck check() const { return answers_.check(); }
  std::uint64_t exact_repeats() const { return answers_.exact_repeats(); }

 private:
  void take(Record record) { answers_.take({++sequence_, 0, std::move(record), "h"}); }

  RepeatedAnswers answers_;
  std::uint64_t sequence_ = 0;
  std::uint64_t served_ = 0;
};

bool begins(const HealthCheck& check, const std::string& words) {
  return check.detail.rfind(words, 0) == 0;
}

TEST(RepeatedAnswers, tells_a_judge_that_always_says_the_same_about_a_pair) {
  Log log;
  // The winner is the same in either order, which is as much of a repetition.
  for (int k = 0; k < 3; ++k) {
    log.wins("a", "b", "a");
    log.wins("b", "a", "a");
  }
  EXPECT_TRUE(begins(log.check(), "nothing says")) << "four repetitions come about by chance";
  log.wins("a", "b", "a");
  const HealthCheck check = log.check();
  EXPECT_EQ(check.verdict, HealthVerdict::unknown);
  EXPECT_TRUE(begins(check, "all 5 repeated answers were the same")) << check.detail;
  EXPECT_EQ(log.exact_repeats(), 5u);
  log.wins("a", "b", "b");
  EXPECT_EQ(log.exact_repeats(), 0u);
  EXPECT_TRUE(begins(log.check(), "nothing says"));
}

TEST(RepeatedAnswers, takes_scores_that_differ_for_different_answers) {
  Log log;
  RoundRng rng = Stream(1, 0, Purpose::test, "scores").at(1);
  for (int k = 0; k < 40; ++k) log.graded("a", "b", 0.1 + 0.8 * rng.uniform());
  const HealthCheck check = log.check();
  EXPECT_EQ(check.verdict, HealthVerdict::unknown);
  EXPECT_TRUE(begins(check, "nothing says")) << check.detail;
}

TEST(RepeatedAnswers, tells_a_judge_whose_scores_repeat_exactly) {
  Log log;
  for (int k = 0; k < 6; ++k) log.graded("a", "b", 0.7);
  EXPECT_TRUE(begins(log.check(), "all 5 repeated answers were the same")) << log.check().detail;
}

TEST(RepeatedAnswers, does_not_take_a_grade_for_both_bad) {
  Log log;
  for (int k = 0; k < 6; ++k) {
    log.graded("a", "b", 0.7);
    log.serve("a", "b");
    log.answer({.result = Answered::both_bad, .winner = ""});
  }
  EXPECT_FALSE(begins(log.check(), "all")) << log.check().detail;
}

TEST(RepeatedAnswers, finds_answers_that_go_in_a_circle) {
  // Seven questions, one after the other, by wins and by scores.
  for (const bool grades : {false, true}) {
    Log log;
    for (int k = 0; k < 60; ++k) {
      const int question = k % 7;
      const bool first = question == 0 || question == 2 || question == 3;
      if (grades) {
        log.graded("a", "b", 0.1 + 0.1 * question);
      } else {
        log.wins("a", "b", first ? "a" : "b");
      }
    }
    const HealthCheck check = log.check();
    EXPECT_EQ(check.verdict, HealthVerdict::failed);
    EXPECT_TRUE(begins(check, "the answers repeat every 7 duels")) << check.detail;
  }
}

TEST(RepeatedAnswers, finds_no_circle_in_coins) {
  Log log;
  RoundRng rng = Stream(2, 0, Purpose::test, "coins").at(1);
  for (int k = 0; k < 400; ++k) log.wins("a", "b", rng.coin() ? "a" : "b");
  EXPECT_EQ(log.check().verdict, HealthVerdict::unknown);
}

TEST(RepeatedAnswers, has_nothing_to_ask_where_tasks_or_people_are_named) {
  Log about_tasks(3);
  for (int k = 0; k < 9; ++k) about_tasks.wins("a", "b", "a");
  EXPECT_EQ(about_tasks.check().verdict, HealthVerdict::passed);
  EXPECT_EQ(about_tasks.exact_repeats(), 0u);
  Log of_people;
  of_people.serve("a", "b", "somebody");
  of_people.answer({.result = Answered::win, .winner = "a"});
  EXPECT_EQ(of_people.check().verdict, HealthVerdict::passed);
}

TEST(RepeatedAnswers, counts_neither_what_is_no_answer_nor_an_arm_against_itself) {
  Log log;
  for (int k = 0; k < 9; ++k) {
    log.serve("a", "b");
    log.answer({.result = Answered::skip, .winner = ""});
    log.serve("a", "b");
    log.answer({.result = Answered::invalid, .winner = ""});
    log.serve("a", "b");
    log.expire();
    log.serve("a", "a");
    log.answer({.result = Answered::tie, .winner = ""});
  }
  EXPECT_TRUE(begins(log.check(), "nothing says")) << log.check().detail;
}

}  // namespace
}  // namespace duel
