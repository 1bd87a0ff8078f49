// A log is about the tasks, the judge and the arms that it began with: changing one of them makes
// another experiment.
#include <gtest/gtest.h>

#include "tests/cli/judged_directory.h"

namespace duel {
namespace {

class JudgeChange : public JudgedDirectory {
 protected:
  JudgeChange() { script("judge", preferring("a", 2)); }

  // Prefers `better` in `times` of 4 duels.
  static std::string preferring(const std::string& better, int times) {
    const std::string other = better == "a" ? "b" : "a";
    return lot() + "[ $((n % 4)) -lt " + std::to_string(times) + " ] && winner=" + better +
           " || winner=" + other + "\n" + say_winner();
  }
  CommandResult with_tasks(const std::string& max_duels, std::vector<std::string> more = {}) {
    more.insert(more.end(),
                {"--arms", "a,b", "--tasks", "tasks", "--log", "log", "--max-duels", max_duels});
    return duel(more);
  }
  void expect_refused(const CommandResult& result, const std::string& why) {
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_TRUE(contains(result.err, "log: this log belongs to another experiment: " + why))
        << result.err;
  }
};

TEST_F(JudgeChange, other_tasks_under_the_same_ids_are_refused) {
  const auto tasks = [](const std::string& question, int count) {
    std::string text;
    for (int k = 0; k < count; ++k) {
      text += R"({"id":"t)" + std::to_string(k) + R"(","question":")" + question + "\"}\n";
    }
    return text;
  };
  write("tasks", tasks("easy", 30));
  ASSERT_EQ(with_tasks("4").exit_code, 3);
  const std::string before = text_of("log");
  write("tasks", tasks("hard", 30));
  expect_refused(with_tasks("8"), "its tasks were different");
  write("tasks", tasks("easy", 29));
  expect_refused(with_tasks("8"), "its tasks were different");
  write("tasks", tasks("hard", 1) + tasks("easy", 31).substr(tasks("easy", 1).size()));
  expect_refused(with_tasks("8"), "its tasks were different");
  write("tasks", tasks("easy", 30));
  expect_refused(with_tasks("8", {"--about", "these-tasks"}), "its statement about is");
  expect_refused(duel({"--arms", "a,b", "--log", "log", "--max-duels", "8"}),
                 "it has tasks, and none are given");
  EXPECT_EQ(text_of("log"), before);
  EXPECT_EQ(with_tasks("8").exit_code, 3);
  EXPECT_EQ(count("log", "outcome"), 8);
}

TEST_F(JudgeChange, tasks_that_come_after_the_certificate_are_not_spoken_of) {
  script("judge", preferring("a", 4));
  const auto tasks = [](int count) {
    std::string text;
    for (int k = 0; k < count; ++k) text += std::to_string(k) + "\n";
    return text;
  };
  write("tasks", tasks(20));
  const CommandResult result = with_tasks("100");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string log = text_of("log");
  write("tasks", tasks(22));
  EXPECT_EQ(with_tasks("100").out, result.out);
  EXPECT_EQ(text_of("log"), log);
  const CommandResult verified = verify("log", {"log.certificate.json"});
  EXPECT_EQ(verified.exit_code, 0);
  EXPECT_TRUE(contains(verified.out, "on tasks like the 20 given")) << verified.out;
}

TEST_F(JudgeChange, another_judge_is_refused) {
  const std::vector<std::string> arguments = {"--arms", "a,b", "--log", "log", "--max-duels", "8"};
  ASSERT_EQ(duel({"--arms", "a,b", "--log", "log", "--max-duels", "4"}).exit_code, 3);
  const std::string before = text_of("log");
  script("judge", preferring("a", 4));  // the same name, another script
  expect_refused(duel(arguments),
                 "the judge './judge {first.id} {second.id} {duel_id}' has changed since");
  script("judge", preferring("a", 2));
  std::vector<std::string> other = arguments;
  other.insert(other.end(), {"--judge", "./judge {first.id} {second.id} {duel_id} --kindly"});
  expect_refused(duel(other), "its judge is './judge {first.id} {second.id} {duel_id}', not './");
  EXPECT_EQ(text_of("log"), before);
  EXPECT_EQ(duel(arguments).exit_code, 3);
  EXPECT_EQ(count("log", "outcome"), 8);
}

TEST_F(JudgeChange, a_file_that_the_judge_names_is_part_of_it) {
  write("prompt.txt", "be strict");
  const std::string judge = "./judge {first.id} {second.id} {duel_id} prompt.txt";
  const auto run = [&](const std::string& most) {
    return duel({"--arms", "a,b", "--log", "log", "--max-duels", most, "--judge", judge});
  };
  ASSERT_EQ(run("4").exit_code, 3);
  write("prompt.txt", "be kind");
  expect_refused(run("8"), "the judge '" + judge + "' has changed since");
}

TEST_F(JudgeChange, several_judges_are_compared_where_they_are_allowed) {
  // 40 duels of a judge that is even, then 40 of one that always says a: chi-squared is about 27
  // with one degree of freedom, and more than 1 + 3 sqrt(2) = 5.2 is a difference.
  const auto run = [&](const std::string& log, const std::string& most) {
    return duel({"--arms", "a,b", "--log", log, "--max-duels", most, "--alpha", "0.000001",
                 "--allow-new-judge", "--parallel", "4", "--json"});
  };
  ASSERT_EQ(run("log", "40").exit_code, 3);
  script("judge", preferring("a", 4));
  const CommandResult result = run("log", "80");
  EXPECT_TRUE(result.exit_code == 3 || result.exit_code == 4) << result.err;
  const Json check = check_named(Json::parse(result.out)["health"], "judges");
  EXPECT_EQ(check["verdict"], "failed") << check;
  EXPECT_TRUE(contains(check["detail"], "they differ about the same pairs")) << check;
  EXPECT_EQ(verify("log").exit_code, 4);
  // One that differs in its text and not in what it says passes.
  script("judge", preferring("a", 2));
  ASSERT_EQ(run("same", "40").exit_code, 3);
  script("judge", "# the same\n" + preferring("a", 2));
  const CommandResult same = run("same", "80");
  EXPECT_EQ(same.exit_code, 3) << same.err;
  EXPECT_EQ(check_named(Json::parse(same.out)["health"], "judges")["verdict"], "passed")
      << same.out;
}

TEST_F(JudgeChange, an_arm_that_is_edited_during_the_run_is_noticed) {
  write("arms/a.txt", "old a");
  write("arms/b.txt", "old b");
  // Edits an arm while it judges the sixth duel.
  script("judge", "[ $3 = d6 ] && echo new > arms/b.txt\n" + preferring("a", 2));
  const std::vector<std::string> arguments = {"--arms", "arms/*.txt",  "--log",
                                              "log",    "--max-duels", "20"};
  const CommandResult result = duel(arguments);
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(
      contains(result.err, "arms/b.txt: the content of arm 'b' has changed while the run went on"))
      << result.err;
  EXPECT_EQ(count("log", "outcome"), 5);  // the answer about the new content is not among them
  expect_refused(duel(arguments), "the content of arm 'b' (arms/b.txt) has changed since");
  // Written again with the same content is no change.
  write("arms/b.txt", "old b");
  script("judge",
         "[ $3 = d3 ] && sleep 0.02 && printf 'old b' > arms/b.txt\n" + preferring("a", 2));
  EXPECT_EQ(duel({"--arms", "arms/*.txt", "--log", "log2", "--max-duels", "6"}).exit_code, 3);
  EXPECT_EQ(count("log2", "outcome"), 6);
}

}  // namespace
}  // namespace duel
