#include "duel/judging/task_list.h"

#include <gtest/gtest.h>

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

TEST_F(TaskLists, hash_covers_every_line_and_that_of_the_first_ones_does_not_see_the_rest) {
  const TaskList few = letters(3), more = letters(5);
  EXPECT_NE(few.sha256(), more.sha256());
  EXPECT_EQ(more.sha256_of_first(3), few.sha256());
}

}  // namespace
}  // namespace duel
