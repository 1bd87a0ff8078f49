// What judging costs, and what of it need not be paid twice: `--cache`, reasons and totals.
#include "tests/cli/judged_directory.h"

namespace duel {
namespace {

// Prefers a, says why, and writes a line to `asked` each time.
class JudgingCosts : public JudgedDirectory {
 protected:
  JudgingCosts() {
    script("judge",
           "echo x >> asked\n"
           "[ \"$1\" = a ] && echo first || echo second\n"
           "echo '{\"cost\": 0.5, \"tokens\": 3, \"reason\": \"because of '\"$3\"'\"}'\n");
    std::string tasks;
    for (int k = 0; k < 5; ++k) tasks += "{\"q\":" + std::to_string(k) + "}\n";
    write("tasks.jsonl", tasks);
  }
  // A run over the tasks, with a log of its own.
  CommandResult run(const std::string& log, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--arms", "a,b", "--tasks", "tasks.jsonl", "--log", log, "--judge",
                               "./judge {first.id} {second.id} {task.q}", "--order", "fixed"});
    return duel(std::move(more));
  }
  std::size_t asked() const {
    const std::string text = text_of("asked");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::vector<Json> of_kind(const std::string& log, const std::string& kind) const {
    std::vector<Json> found;
    for (const Json& record : records(log)) {
      if (record["record"] == kind) found.push_back(record);
    }
    return found;
  }
};

TEST_F(JudgingCosts, a_cache_saves_questions_and_makes_no_evidence_of_them) {
  const CommandResult first = run("one", {"--cache", "answers"});
  EXPECT_EQ(first.exit_code, 3) << first.err;
  EXPECT_EQ(asked(), 5U);
  for (const Json& record : of_kind("one", "outcome")) EXPECT_FALSE(record.contains("cached"));
  const CommandResult again = run("two", {"--cache", "answers", "--json"});
  EXPECT_EQ(again.exit_code, 3) << again.err;
  EXPECT_EQ(asked(), 5U);
  EXPECT_NE(again.err.find("5 answers from answers: they help to choose, and are no evidence"),
            std::string::npos)
      << again.err;
  EXPECT_EQ(Json::parse(again.out)["judge"]["cached"], 5);
  const auto serves = of_kind("two", "serve"), outcomes = of_kind("two", "outcome");
  ASSERT_EQ(serves.size(), 5U);
  ASSERT_EQ(outcomes.size(), 5U);
  for (const Json& record : serves) EXPECT_EQ(record["evidence"], false);
  for (const Json& record : outcomes) {
    EXPECT_EQ(record["cached"], true);
    EXPECT_FALSE(record.contains("cost"));
    EXPECT_TRUE(record["reason"].get<std::string>().starts_with("because of "));
  }
  EXPECT_EQ(verify("two").exit_code, 0);
  // They are given once, also when the run goes on.
  EXPECT_EQ(run("two", {"--cache", "answers"}).exit_code, 3);
  EXPECT_EQ(of_kind("two", "serve").size(), 5U);
  // More tasks: they alone are asked, and are evidence.
  write("tasks.jsonl", text_of("tasks.jsonl") + "{\"q\":5}\n{\"q\":6}\n");
  EXPECT_EQ(run("three", {"--cache", "answers"}).exit_code, 3);
  EXPECT_EQ(asked(), 7U);
  std::size_t evidence = 0;
  for (const Json& record : of_kind("three", "serve")) {
    evidence += record.value("evidence", true) ? 1 : 0;
  }
  EXPECT_EQ(evidence, 2U);
}

TEST_F(JudgingCosts, a_changed_judge_is_asked_again) {
  ASSERT_EQ(run("one", {"--cache", "answers"}).exit_code, 3);
  write("judge", text_of("judge") + "# another prompt\n");
  EXPECT_EQ(run("two", {"--cache", "answers"}).exit_code, 3);
  EXPECT_EQ(asked(), 10U);
}

TEST_F(JudgingCosts, a_spoilt_file_of_the_cache_is_passed_over_with_a_message) {
  ASSERT_EQ(run("one", {"--cache", "answers"}).exit_code, 3);
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path() / "answers")) {
    write("answers/" + entry.path().filename().string(), "torn");
  }
  const CommandResult again = run("two", {"--cache", "answers"});
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_EQ(asked(), 10U);
  EXPECT_NE(again.err.find("is no use and is passed over: it holds no JSON object"),
            std::string::npos)
      << again.err;
}

TEST_F(JudgingCosts, a_cache_needs_tasks_that_are_a_sample) {
  const CommandResult none = duel({"--arms", "a,b", "--judge", "./judge", "--cache", "answers"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("without tasks every duel of a pair is one question"), std::string::npos)
      << none.err;
  const CommandResult exactly = run("one", {"--cache", "answers", "--about", "these-tasks"});
  EXPECT_EQ(exactly.exit_code, 2);
  EXPECT_NE(exactly.err.find("over exactly these tasks"), std::string::npos) << exactly.err;
}

TEST_F(JudgingCosts, the_result_says_what_was_paid) {
  ASSERT_EQ(run("one", {"--cache", "answers"}).exit_code, 3);
  const auto result = [&](const std::string& log, std::vector<std::string> more) {
    more.insert(more.begin(), {"result", "--log", log});
    return run_duel(more, {.directory = directory_.path()}).out;
  };
  EXPECT_NE(result("one", {}).find("Judging cost 2.5 (15 tokens) for 5 answers."),
            std::string::npos)
      << result("one", {});
  const Json paid = Json::parse(result("one", {"--json"}))["judging"];
  EXPECT_EQ(paid["cost"], 2.5);
  EXPECT_EQ(paid["cost_per_decision"], nullptr);
  EXPECT_FALSE(paid.contains("judges"));
  ASSERT_EQ(run("two", {"--cache", "answers"}).exit_code, 3);
  EXPECT_NE(result("two", {}).find("5 answers from the cache, which are no evidence."),
            std::string::npos)
      << result("two", {});
  EXPECT_NE(result("two", {}).find("answers to them came from a"), std::string::npos)
      << result("two", {});
  // 30 answers for a are a certificate: one pair is decided.
  std::string tasks;
  for (int k = 0; k < 30; ++k) tasks += "{\"q\":" + std::to_string(k) + "}\n";
  write("tasks.jsonl", tasks);
  ASSERT_EQ(run("three").exit_code, 0);
  const Json decided = Json::parse(result("three", {"--json"}))["judging"];
  EXPECT_EQ(decided["cost_per_decision"], decided["cost"]);
  EXPECT_GT(decided["cost"], 2.5);
}

TEST_F(JudgingCosts, sums_of_prices_are_not_exact_and_are_shown_without_the_difference) {
  script("judge", "echo first\necho '{\"cost\": 0.01}'\n");
  // 0.06 - 5 x 0.01 is a little less than 0.01, and six of them are a little more than 0.06.
  const CommandResult six = duel({"--arms", "a,b", "--judge", "./judge", "--order", "random",
                                  "--log", "log", "--budget", "0.06"});
  EXPECT_EQ(six.exit_code, 3) << six.err;
  EXPECT_EQ(of_kind("log", "outcome").size(), 6U);
  EXPECT_NE(six.err.find("cost 0.06 (0.06 in this run"), std::string::npos) << six.err;
  const CommandResult seven = duel({"--arms", "a,b", "--judge", "./judge", "--order", "random",
                                    "--log", "log", "--budget", "0.07"});
  EXPECT_EQ(of_kind("log", "outcome").size(), 7U) << seven.err;
  EXPECT_NE(seven.err.find("cost 0.07 (0.01 in this run"), std::string::npos) << seven.err;
  const CommandResult shown =
      run_duel({"result", "--log", "log"}, {.directory = directory_.path()});
  EXPECT_NE(shown.out.find("Judging cost 0.07 for 7 answers"), std::string::npos) << shown.out;
}

// A judge whose answers cost 0.5 each; `more` says how often each duel is asked and how.
class Budget : public JudgingCosts {
 protected:
  Budget() { script("judge", "echo x >> asked\necho first\necho '{\"cost\": 0.5}'\n"); }
  CommandResult run(const std::string& budget, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--arms", "a,b", "--judge", "./judge", "--log", "log", "--alpha",
                               "0.001", "--budget", budget});
    return duel(std::move(more));
  }
  double cost() const {
    double sum = 0;
    for (const Json& record : of_kind("log", "outcome")) sum += record.value("cost", 0.0);
    return sum;
  }
};

TEST_F(Budget, is_kept_where_each_duel_is_asked_in_both_orders) {
  const CommandResult ended = run("1.7", {"--order", "both"});
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_EQ(cost(), 1.0) << "another duel would cost 1";
  EXPECT_NE(ended.err.find("stopped before --budget 1.7 could be exceeded"), std::string::npos)
      << ended.err;
  EXPECT_EQ(run("2", {"--order", "both"}).exit_code, 3);
  EXPECT_EQ(cost(), 2.0);
}

TEST_F(Budget, is_kept_where_each_duel_is_asked_several_times) {
  EXPECT_EQ(run("4.4", {"--votes", "3", "--order", "random"}).exit_code, 3);
  EXPECT_EQ(cost(), 3.0) << "each duel costs 1.5";
  EXPECT_EQ(run("6.1", {"--votes", "3", "--order", "random"}).exit_code, 3);
  EXPECT_EQ(cost(), 6.0);
}

TEST_F(Budget, is_kept_by_many_duels_at_a_time) {
  EXPECT_EQ(run("1.2", {"--parallel", "8", "--order", "random"}).exit_code, 3);
  EXPECT_EQ(cost(), 1.0);
}

TEST_F(Budget, is_kept_after_a_resume_by_what_answers_have_cost_so_far) {
  ASSERT_EQ(run("1", {"--order", "both"}).exit_code, 3);
  ASSERT_EQ(cost(), 1.0);
  const CommandResult too_little = run("1.9", {"--order", "both", "--parallel", "8"});
  EXPECT_EQ(too_little.exit_code, 3);
  EXPECT_EQ(cost(), 1.0) << "0.9 are left, and a duel costs 1";
  EXPECT_NE(too_little.err.find("stopped before --budget"), std::string::npos) << too_little.err;
  EXPECT_EQ(run("3.9", {"--order", "both", "--parallel", "8"}).exit_code, 3);
  EXPECT_EQ(cost(), 3.0);
}

TEST_F(Budget, does_not_end_a_run_that_is_certified) {
  ASSERT_EQ(
      duel({"--arms", "a,b", "--judge", "./judge {first.id}", "--log", "other", "--order", "fixed"})
          .exit_code,
      0);
  double all = 0;
  for (const Json& record : of_kind("other", "outcome")) all += record.value("cost", 0.0);
  const CommandResult certified =
      duel({"--arms", "a,b", "--judge", "./judge {first.id}", "--log", "log", "--order", "fixed",
            "--budget", std::to_string(all)});
  EXPECT_EQ(certified.exit_code, 0) << certified.err;
  EXPECT_EQ(cost(), all);
  EXPECT_EQ(certified.err.find("--budget"), std::string::npos) << certified.err;
}

// Votes of one judge on each duel: the first is `first`, the second `$second`, the third a score.
class Votes : public JudgingCosts {
 protected:
  void judge(const std::string& second) {
    script("judge",
           "echo x >> asked\n"
           "n=$(($(cat n.$1 2>/dev/null || echo 0) + 1)); echo $n > n.$1\n"
           "case $n in 1) echo first;; 2) " +
               second +
               ";; *) echo score 0.8;; esac\n"
               "echo '{\"cost\": 0.5, \"tokens\": 3, \"reason\": \"vote '$n'\"}'\n");
  }
  CommandResult run(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--arms", "a,b", "--judge", "./judge {duel_id}", "--log", "log",
                               "--order", "fixed", "--votes", "3", "--retries", "0"});
    return duel(std::move(more));
  }
};

TEST_F(Votes, are_one_answer_with_their_mean) {
  judge("echo second");
  const CommandResult ended = run({"--max-duels", "2"});
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_EQ(asked(), 6U);
  const auto outcomes = of_kind("log", "outcome");
  ASSERT_EQ(outcomes.size(), 2U);
  for (const Json& record : outcomes) {
    EXPECT_EQ(record["result"], "graded");
    EXPECT_DOUBLE_EQ(record["score"].get<double>(), 0.6) << "(1 + 0 + 0.8)/3";
    EXPECT_EQ(record["cost"], 1.5);
    EXPECT_EQ(record["tokens"], 9);
    EXPECT_EQ(record["reason"], "vote 1\nvote 2\nvote 3");
    EXPECT_FALSE(record.contains("failed_tries"));
  }
  EXPECT_EQ(verify("log").exit_code, 0);
  const Json pair =
      Json::parse(run_duel({"result", "--log", "log", "--json"}, {.directory = directory_.path()})
                      .out)["judging"];
  EXPECT_EQ(pair["cost"], 3.0);
}

TEST_F(Votes, that_fail_are_left_out_of_the_mean) {
  judge("exit 1");
  const CommandResult ended = run({"--max-duels", "2", "--on-failure", "stop"});
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  const auto outcomes = of_kind("log", "outcome");
  ASSERT_EQ(outcomes.size(), 2U) << "what is paid is not given up";
  for (const Json& record : outcomes) {
    EXPECT_DOUBLE_EQ(record["score"].get<double>(), 0.9) << "(1 + 0.8)/2";
    EXPECT_EQ(record["cost"], 1.0);
    EXPECT_EQ(record["failed_tries"], 1);
  }
  EXPECT_EQ(verify("log").exit_code, 0);
}

TEST_F(Votes, that_all_fail_are_no_answer) {
  script("judge", "echo x >> asked\nexit 1\n");
  const CommandResult ended = run({"--max-failures", "2"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("no answer to 2 duels in a row"), std::string::npos) << ended.err;
  EXPECT_EQ(asked(), 6U);
  EXPECT_EQ(of_kind("log", "expired").size(), 2U);
  EXPECT_TRUE(of_kind("log", "outcome").empty());
}

TEST_F(Votes, in_both_orders_are_one_answer_each) {
  judge("echo second");  // of the first order; all of the second say 0.8 of what is shown first
  ASSERT_EQ(duel({"--arms", "a,b", "--judge", "./judge {duel_id}", "--log", "log", "--order",
                  "both", "--votes", "3", "--max-duels", "1"})
                .exit_code,
            3);
  EXPECT_EQ(asked(), 6U);
  const auto outcomes = of_kind("log", "outcome");
  ASSERT_EQ(outcomes.size(), 1U);
  ASSERT_EQ(outcomes[0]["judgements"].size(), 2U);
  EXPECT_DOUBLE_EQ(outcomes[0]["score"].get<double>(), 0.4) << "(0.6 + 1 - 0.8)/2";
  EXPECT_EQ(outcomes[0]["cost"], 3.0);
}

TEST_F(JudgingCosts, a_budget_is_a_number_above_zero) {
  for (const std::string budget : {"0", "-1", "nan", "inf", "much"}) {
    const CommandResult refused =
        duel({"--arms", "a,b", "--judge", "./judge", "--budget", budget, "--log", "log"});
    EXPECT_EQ(refused.exit_code, 2) << budget;
    EXPECT_NE(refused.err.find("--budget: '" + budget + "' is out of range (allowed: > 0)"),
              std::string::npos)
        << refused.err;
  }
}

TEST_F(JudgingCosts, reasons_are_shown_and_cannot_move_the_cursor) {
  script("judge", "echo first\nprintf '{\"reason\":\"it is \\\\u001b[31mred\"}\\n'\n");
  ASSERT_EQ(duel({"--arms", "a,b", "--judge", "./judge", "--order", "fixed", "--log", "log",
                  "--max-duels", "2"})
                .exit_code,
            3);
  const auto result = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"result", "--log", "log"});
    return run_duel(more, {.directory = directory_.path()});
  };
  const CommandResult shown = result({"--reasons"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find("d1: a over b, judge@"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("'it is ?[31mred'"), std::string::npos) << shown.out;
  EXPECT_EQ(result({}).out.find("it is"), std::string::npos);
  const Json json = Json::parse(result({"--reasons", "--json"}).out);
  ASSERT_EQ(json["reasons"].size(), 2U);
  EXPECT_EQ(json["reasons"][1]["winner"], "a");
  EXPECT_EQ(json["reasons"][1]["reason"], "it is \x1b[31mred");
  EXPECT_FALSE(Json::parse(result({"--json"}).out).contains("reasons"));
  write("votes.csv", "model_a,model_b,winner\na,b,model_a\n");
  const CommandResult votes =
      run_duel({"result", "votes.csv", "--reasons"}, {.directory = directory_.path()});
  EXPECT_EQ(votes.exit_code, 2);
  EXPECT_NE(votes.err.find("comparisons have no reasons"), std::string::npos) << votes.err;
}

}  // namespace
}  // namespace duel
