#include "duel/judging/task_list.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/study/temporary_directory.h"

namespace duel {
namespace {

class TaskListTest : public ::testing::Test {
 protected:
  Result<TaskList> read(const std::string& text) {
    write_content(directory_ / "tasks", text);
    return TaskList::read((directory_ / "tasks").string());
  }
  TaskList letters(std::size_t count) {
    std::string text;
    for (std::size_t k = 0; k < count; ++k) text += "\"" + std::string(1, char('a' + k)) + "\"\n";
    return read(text).value();
  }
  TemporaryDirectory directory_;
};

TEST_F(TaskListTest, names_tasks_by_their_id_or_their_line_and_content) {
  const TaskList tasks = read("{\"task_id\":\"t1\"}\n{\"id\":7}\n\n\"say hi\"\n").value();
  ASSERT_EQ(tasks.size(), 3);
  EXPECT_EQ(tasks[0].reference, "t1");
  EXPECT_EQ(tasks[1].reference, "7");
  EXPECT_TRUE(tasks[2].reference.starts_with("4:"));
  EXPECT_EQ(tasks[2].reference.size(), 10);
  EXPECT_EQ(tasks.find("t1"), &tasks[0]);
  EXPECT_EQ(tasks.find("t2"), nullptr);
}

TEST_F(TaskListTest, refuses_with_file_and_line) {
  const std::string file = (directory_ / "tasks").string();
  EXPECT_TRUE(read("1\n{oops\n").error().to_string().starts_with(file + ":2: '{oops' is no JSON"));
  EXPECT_EQ(read("{\"id\":\"x\"}\n{\"id\":\"x\"}\n").error().to_string(),
            file + ":2: the task 'x' was there before");
  EXPECT_EQ(read("\n").error().to_string(), file + ": there is no task in it");
}

TEST_F(TaskListTest, shows_a_pair_a_task_again_only_when_it_has_seen_all) {
  const TaskList tasks = letters(7);
  for (std::uint64_t pass = 0; pass < 20; ++pass) {
    std::set<std::string> seen;
    for (std::uint64_t k = 0; k < 7; ++k) seen.insert(tasks.draw(1, 2, 5, 7 * pass + k).reference);
    EXPECT_EQ(seen.size(), 7) << pass;
  }
}

TEST_F(TaskListTest, draws_the_same_for_the_same_log_and_otherwise_anew) {
  const TaskList tasks = letters(20);
  const auto order = [&](std::uint64_t seed, Arm i, Arm j, std::uint64_t pass) {
    std::string text;
    for (std::uint64_t k = 0; k < 20; ++k)
      text += tasks.draw(seed, i, j, 20 * pass + k).content.get<std::string>();
    return text;
  };
  EXPECT_EQ(order(1, 0, 1, 0), order(1, 1, 0, 0));  // a pair has no sides
  EXPECT_NE(order(1, 0, 1, 0), order(1, 0, 2, 0));
  EXPECT_NE(order(1, 0, 1, 0), order(2, 0, 1, 0));
  EXPECT_NE(order(1, 0, 1, 0), order(1, 0, 1, 1));
}

TEST_F(TaskListTest, has_no_favourite_order) {
  // All 6 orders of 3 tasks over n passes: each count is Binomial(n, 1/6). Five standard errors: a
  // false alarm has a chance below 1e-5; a shuffle that draws from all places each time
  // (probabilities 4/27 and 5/27) is off by 0.0185 n, 12 standard errors.
  const TaskList tasks = letters(3);
  constexpr int kPasses = 60'000;
  std::map<std::string, int> counts;
  for (std::uint64_t pass = 0; pass < kPasses; ++pass) {
    std::string order;
    for (std::uint64_t k = 0; k < 3; ++k)
      order += tasks.draw(3, 0, 1, 3 * pass + k).content.get<std::string>();
    ++counts[order];
  }
  ASSERT_EQ(counts.size(), 6);
  const double p = 1.0 / 6;
  const double se = std::sqrt(kPasses * p * (1 - p));
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, kPasses * p, 5 * se) << order;
}

}  // namespace
}  // namespace duel
