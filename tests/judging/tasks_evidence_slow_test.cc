// The rate of false certificates about tasks, over thousands of lists of tasks.
#include <gtest/gtest.h>

#include <string>

#include "tests/judging/task_worlds.h"

namespace duel {
namespace {

constexpr std::uint32_t kRuns = 2000;

void expect_few(const TaskCase& one) {
  const auto count = false_certificates(one, kRuns);
  ::testing::Test::RecordProperty("about_" + std::string(to_word(one.about)) + "_judging_" +
                                      std::to_string(static_cast<int>(one.judging)) + "_arms_" +
                                      std::to_string(one.num_arms),
                                  std::to_string(count));
  EXPECT_LE(static_cast<double>(count), most_false_certificates(kRuns))
      << to_word(one.about) << ", judging " << static_cast<int>(one.judging) << ", " << one.num_arms
      << " arms: " << count << " of " << kRuns;
}

TEST(TasksEvidenceSlow, even_arms_are_certified_no_more_often_than_alpha_on_tasks_like_these) {
  for (const std::size_t arms : {2, 3}) {
    for (const Judging judging : kJudgings) expect_few({.judging = judging, .num_arms = arms});
  }
}

TEST(TasksEvidenceSlow, even_arms_are_certified_no_more_often_than_alpha_on_a_list_that_grows) {
  for (const Judging judging : kJudgings) expect_few({.judging = judging, .grows = true});
}

TEST(TasksEvidenceSlow, even_arms_are_certified_no_more_often_than_alpha_on_these_very_tasks) {
  for (const Judging judging : kJudgings) {
    expect_few({.about = TaskScope::these_tasks,
                .tasks = Tasks::even_as_they_are,
                .judging = judging,
                .max_duels = 1000});
  }
}

}  // namespace
}  // namespace duel
