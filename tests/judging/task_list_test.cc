#include "duel/judging/task_list.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

class TaskLists : public ::testing::Test {
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

TEST_F(TaskLists, names_tasks_by_their_id_or_their_line_and_content) {
  const TaskList tasks = read("{\"task_id\":\"t1\"}\n{\"id\":7}\n\n\"say hi\"\n").value();
  ASSERT_EQ(tasks.size(), 3);
  EXPECT_EQ(tasks[0].reference, "t1");
  EXPECT_EQ(tasks[1].reference, "7");
  EXPECT_TRUE(tasks[2].reference.starts_with("4:"));
  EXPECT_EQ(tasks[2].reference.size(), 10);
  EXPECT_EQ(tasks.find("t1"), &tasks[0]);
  EXPECT_EQ(tasks.find("t2"), nullptr);
}

TEST_F(TaskLists, refuses_with_file_and_line) {
  const std::string file = (directory_ / "tasks").string();
  EXPECT_TRUE(read("1\n{oops\n").error().to_string().starts_with(file + ":2: '{oops' is not JSON"));
  EXPECT_EQ(read("{\"id\":\"x\"}\n{\"id\":\"x\"}\n").error().to_string(),
            file + ":2: the task 'x' is a duplicate");
  EXPECT_EQ(read("\n").error().to_string(), file + ": there is no task in it");
}

// The order in which a pair meets all tasks.
std::string order_of(const TaskList& tasks, std::uint64_t seed, Arm i, Arm j) {
  std::set<std::string> met;
  std::string order;
  for (std::uint64_t seen = 0; seen < tasks.size(); ++seen) {
    const Task& task =
        tasks.draw(seed, i, j, seen, [&](const std::string& name) { return !met.contains(name); });
    EXPECT_TRUE(met.insert(task.reference).second);
    order += task.content.get<std::string>();
  }
  return order;
}

TEST_F(TaskLists, shows_a_pair_a_task_again_only_when_none_is_fresh) {
  const TaskList tasks = letters(7);
  EXPECT_EQ(order_of(tasks, 1, 2, 5).size(), 7);
  const auto none = [](const std::string&) { return false; };
  std::set<std::string> any;
  for (std::uint64_t seen = 7; seen < 200; ++seen) {
    any.insert(tasks.draw(1, 2, 5, seen, none).reference);
  }
  EXPECT_EQ(any.size(), 7);
}

TEST_F(TaskLists, draws_the_same_for_the_same_log_and_otherwise_anew) {
  const TaskList tasks = letters(20);
  EXPECT_EQ(order_of(tasks, 1, 0, 1), order_of(tasks, 1, 1, 0));  // a pair has no sides
  EXPECT_NE(order_of(tasks, 1, 0, 1), order_of(tasks, 1, 0, 2));
  EXPECT_NE(order_of(tasks, 1, 0, 1), order_of(tasks, 2, 0, 1));
}

TEST_F(TaskLists, has_no_favourite_order) {
  // All 6 orders of 3 tasks over n seeds: each count is Binomial(n, 1/6). Five standard errors: a
  // false alarm has a chance below 1e-5; a shuffle that draws from all places each time
  // (probabilities 4/27 and 5/27) is off by 0.0185 n, 12 standard errors.
  const TaskList tasks = letters(3);
  constexpr int kSeeds = 60'000;
  std::map<std::string, int> counts;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) ++counts[order_of(tasks, seed, 0, 1)];
  ASSERT_EQ(counts.size(), 6);
  const double p = 1.0 / 6;
  const double se = std::sqrt(kSeeds * p * (1 - p));
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, kSeeds * p, 5 * se) << order;
}

TEST_F(TaskLists, draws_any_task_anew_for_every_duel_with_equal_chances) {
  const TaskList tasks = letters(5);
  constexpr int kDuels = 50'000;
  std::map<std::string, int> counts;
  for (std::uint64_t ordinal = 0; ordinal < kDuels; ++ordinal) {
    ++counts[tasks.draw_any(9, ordinal).reference];
  }
  ASSERT_EQ(counts.size(), 5);
  const double se = std::sqrt(kDuels * 0.2 * 0.8);
  for (const auto& [task, count] : counts) EXPECT_NEAR(count, kDuels * 0.2, 5 * se) << task;
}

TEST_F(TaskLists, hash_covers_every_line_and_that_of_the_first_ones_does_not_see_the_rest) {
  const TaskList few = letters(3), more = letters(5);
  EXPECT_NE(few.sha256(), more.sha256());
  EXPECT_EQ(more.sha256_of_first(3), few.sha256());
}

}  // namespace
}  // namespace duel
