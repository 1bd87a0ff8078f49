// The loop at an experiment of this process. tests/client/remote_questions_test.cc has it at a
// server's.
#include "duel/judging/judge_loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <tuple>

#include "duel/experiment/local_questions.h"
#include "duel/store/memory_store.h"
#include "tests/judging/counting_judges.h"

namespace duel {
namespace {

class LocalRun {
 public:
  explicit LocalRun(Placement order, std::uint64_t max_duels = 0) {
    ExperimentRecord record;
    record.experiment_id = "e";
    record.arms = {{.id = "a", .payload = "", .sha256 = "", .content = {}},
                   {.id = "b", .payload = "", .sha256 = "", .content = {}}};
    record.policy = "uniform";
    record.stopping.alpha = 0.2;
    record.order = order;
    experiment_ = LocalExperiment::create({.store = store_, .name = "e"}, record).value();
    questions_.emplace(*experiment_,
                       QuestionContents{.arm =
                                            [](const std::string& id) {
                                              return ShownArm{
                                                  .arm_id = id, .path = "", .payload = id};
                                            }},
                       max_duels);
  }
  Questions& questions() { return *questions_; }
  Fates fates() const {
    Fates fates;
    store_
        ->read("e", 0,
               [&](std::string_view line) -> Status {
                 fates.add(line);
                 return Done{};
               })
        .value();
    return fates;
  }

 private:
  std::shared_ptr<MemoryStore> store_ = std::make_shared<MemoryStore>();
  std::optional<LocalExperiment> experiment_;
  std::optional<LocalQuestions> questions_;
};

class JudgeLoopEnds : public ::testing::TestWithParam<std::tuple<EndedBy, Placement>> {};

TEST_P(JudgeLoopEnds, with_all_that_was_asked_in_the_log) {
  const auto [by, order] = GetParam();
  end_at_every_step(by, order == Placement::both ? 2 : 1, "expired", [&](const auto& play) {
    LocalRun run(order);
    play(run.questions());
    // With nothing out, a certified experiment is over.
    EXPECT_EQ(run.fates().completed, run.fates().certified);
    return run.fates();
  });
}

INSTANTIATE_TEST_SUITE_P(
    Local, JudgeLoopEnds,
    ::testing::Combine(::testing::Values(EndedBy::certificate, EndedBy::first_interrupt,
                                         EndedBy::broken_judge, EndedBy::second_interrupt),
                       ::testing::Values(Placement::random, Placement::both)));

Stopping never() { return Stopping::no; }

TEST(JudgeLoopCase, answers_without_sense_end_it_when_there_are_too_many_in_a_row) {
  LocalRun run(Placement::random);
  CountingJudges judges(3);
  judges.wrong_from = 4;
  JudgeLoopOptions options = counting_options();
  options.max_failures = 2;
  JudgeLoop loop(run.questions(), judges, options);
  EXPECT_EQ(loop.run(never, [] {}).error().message, "no answer to 2 in a row");
  // The third place was at work when the second answer came.
  std::map<std::string, int> counts;
  for (const auto& [duel_id, fate] : run.fates().of) ++counts[fate];
  EXPECT_EQ(counts, (std::map<std::string, int>{{"win", 3}, {"invalid", 4}}));
  EXPECT_EQ(loop.answered(), 3U);
  EXPECT_EQ(loop.failed(), 4U);
}

TEST(JudgeLoopCase, ends_undecided_when_the_duels_are_used_up_and_all_are_answered) {
  LocalRun run(Placement::random, 5);
  CountingJudges judges(3);
  JudgeLoop loop(run.questions(), judges, counting_options());
  EXPECT_EQ(loop.run(never, [] {}).value(), RunEnding::undecided);
  EXPECT_EQ(run.fates().of.size(), 5U);
  EXPECT_EQ(loop.answered(), 5U);
}

TEST(JudgeLoopCase, asks_one_question_at_a_time_until_it_is_known_what_answers_cost) {
  for (const double dearest : {0.0, 0.25}) {
    LocalRun run(Placement::random, 5);
    CountingJudges judges(3);
    JudgeLoopOptions options = counting_options();
    options.budget = 1;
    options.dearest_duel = dearest;
    JudgeLoop loop(run.questions(), judges, options);
    std::vector<std::uint64_t> out;
    EXPECT_EQ(loop.run(never, [&] { out.push_back(loop.in_flight()); }).value(),
              RunEnding::undecided);
    // One of those that were out is answered in each turn. Answers that cost nothing are no reason
    // to go on one by one.
    const std::vector<std::uint64_t> begin(out.begin(), out.begin() + 2);
    EXPECT_EQ(begin, (std::vector<std::uint64_t>{dearest > 0 ? 2U : 0U, 2U}));
    EXPECT_FALSE(loop.money_is_out());
    EXPECT_EQ(loop.answered(), 5U);
  }
}

// What it must not do when nothing more can be recorded: ask on, or wait for answers in vain.
class FullDisk final : public Questions {
 public:
  explicit FullDisk(Questions& questions) : questions_(questions) {}
  Result<Next> next() override { return questions_.next(); }
  Result<Taken> answer(std::vector<Given>) override { return Error::io("the disk is full"); }
  Result<Taken> flush() override { return questions_.flush(); }
  QuestionsProgress progress() const override { return questions_.progress(); }

 private:
  Questions& questions_;
};

TEST(JudgeLoopCase, ends_at_once_when_nothing_can_be_recorded) {
  LocalRun run(Placement::random);
  FullDisk full(run.questions());
  CountingJudges judges(3);
  JudgeLoop loop(full, judges, counting_options());
  EXPECT_EQ(loop.run(never, [] {}).error().message, "the disk is full");
  EXPECT_EQ(judges.turns, 1U);
  EXPECT_EQ(judges.asked.size(), 3U);
}

}  // namespace
}  // namespace duel
