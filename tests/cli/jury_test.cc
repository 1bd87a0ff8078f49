// Several judges in one run: the mean of all, or one drawn for each duel.
#include "tests/cli/judged_directory.h"

namespace duel {
namespace {

class JuryRun : public JudgedDirectory {
 protected:
  JuryRun() {
    script("keen", "[ \"$1\" = a ] && echo first || echo second\n");
    script("mild", "[ \"$1\" = a ] && echo score 0.75 || echo score 0.25\n");
    script("contrary", "[ \"$1\" = b ] && echo first || echo second\n");
    script("lazy", "echo first\n");
    script("broken", "exit 1\n");
  }
  CommandResult run(const std::vector<std::string>& judges, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--arms", "a,b", "--log", "log", "--retries", "0"});
    for (const std::string& judge : judges) {
      more.insert(more.end(), {"--judge", "./" + judge + " {first.id} {second.id}"});
    }
    return duel(std::move(more));
  }
  std::vector<Json> outcomes() const {
    std::vector<Json> found;
    for (const Json& record : records("log")) {
      if (record["record"] == "outcome") found.push_back(record);
    }
    return found;
  }
  Json result() const {
    return Json::parse(
        run_duel({"result", "--log", "log", "--json"}, {.directory = directory_.path()}).out);
  }
  static std::string name_of(const Json& judge) {
    const std::string id = judge.get<std::string>();
    return id.substr(0, id.find('@'));
  }
};

TEST_F(JuryRun, the_mean_of_all_is_one_graded_answer_and_each_is_in_the_log) {
  const CommandResult certified = run({"keen", "mild"});
  EXPECT_EQ(certified.exit_code, 0) << certified.err;
  const Json begun = records("log").front();
  EXPECT_EQ(begun["judge"]["command"].get<std::string>().substr(0, 15), "mean of: ./keen");
  for (const Json& record : outcomes()) {
    EXPECT_EQ(record["result"], "graded");
    ASSERT_EQ(record["judgements"].size(), 2U) << record;
    EXPECT_EQ(name_of(record["judgements"][0]["judge"]), "keen");
    EXPECT_EQ(name_of(record["judgements"][1]["judge"]), "mild");
    const bool a_first = record["judgements"][0]["first"] == "a";
    EXPECT_EQ(record["score"], a_first ? 0.875 : 0.125);
    EXPECT_NE(record["source"]["id"].get<std::string>().find("+mild@"), std::string::npos);
  }
  EXPECT_EQ(verify("log").exit_code, 0);
  const Json judging = result()["judging"];
  ASSERT_EQ(judging["judges"].size(), 2U);
  EXPECT_EQ(judging["judges"][0]["answers"], outcomes().size());
  ASSERT_EQ(judging["agreements"].size(), 1U);
  EXPECT_EQ(judging["agreements"][0]["agree"], outcomes().size());
  EXPECT_EQ(judging["agreements"][0]["agreement"], 1.0);
  const std::string text =
      run_duel({"result", "--log", "log"}, {.directory = directory_.path()}).out;
  EXPECT_NE(text.find("name the same arm in"), std::string::npos) << text;
}

TEST_F(JuryRun, a_judge_that_fails_is_left_out_of_the_mean) {
  const CommandResult certified = run({"broken", "keen"}, {"--max-duels", "4"});
  EXPECT_EQ(certified.exit_code, 3) << certified.err;
  ASSERT_EQ(outcomes().size(), 4U);
  for (const Json& record : outcomes()) {
    EXPECT_EQ(record["result"], "win");
    EXPECT_EQ(record["winner"], "a");
    ASSERT_EQ(record["judgements"].size(), 1U);
    EXPECT_EQ(name_of(record["judgements"][0]["judge"]), "keen");
    EXPECT_EQ(record["failed_tries"], 1);
  }
  EXPECT_EQ(verify("log").exit_code, 0);
}

TEST_F(JuryRun, in_both_orders_the_flips_of_each_judge_are_told_apart) {
  EXPECT_EQ(run({"keen", "lazy"}, {"--order", "both", "--max-duels", "6"}).exit_code, 3);
  for (const Json& record : outcomes()) {
    EXPECT_EQ(record["judgements"].size(), 4U);
    // One says a twice, the other takes what is shown first.
    const bool a_first = record["judgements"][0]["first"] == "a";
    EXPECT_EQ(record["score"], a_first ? 0.75 : 0.25);
  }
  EXPECT_EQ(verify("log").exit_code, 0);
  const Json judges = result()["judging"]["judges"];
  ASSERT_EQ(judges.size(), 2U);
  EXPECT_EQ(name_of(judges[0]["judge"]), "keen");
  EXPECT_EQ(judges[0]["flip_rate"], 0.0);
  EXPECT_EQ(judges[1]["both_orders"], 6);
  EXPECT_EQ(judges[1]["flip_rate"], 1.0);
  EXPECT_EQ(judges[1]["first_share"], 1.0);
}

TEST_F(JuryRun, a_markdown_file_says_how_each_answers_and_whether_they_agree) {
  EXPECT_EQ(run({"keen", "mild", "lazy"}, {"--order", "both", "--max-duels", "6"}).exit_code, 3);
  ASSERT_EQ(run_duel({"result", "--log", "log", "-o", "jury.md"}, {.directory = directory_.path()})
                .exit_code,
            0);
  const std::string text = text_of("jury.md");
  EXPECT_NE(text.find("| judge | answers | for the first, % | flips, % |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| lazy@"), std::string::npos) << text;
  EXPECT_NE(text.find("| 100.0 ["), std::string::npos) << text;
  EXPECT_NE(text.find(" name the same arm in "), std::string::npos) << text;
  // (1 + 0.75 + 0.5) / 3 of each: won in part.
  EXPECT_NE(text.find("| a |  | 75 % of 6 |"), std::string::npos) << text;
}

TEST_F(JuryRun, one_is_drawn_for_each_duel_and_named_as_its_source) {
  EXPECT_EQ(run({"keen", "contrary"}, {"--jury", "drawn", "--max-duels", "60", "--alpha", "0.001"})
                .exit_code,
            3);
  std::map<std::string, int> answers;
  for (const Json& record : outcomes()) {
    EXPECT_FALSE(record.contains("judgements"));
    const std::string name = name_of(record["source"]["id"]);
    EXPECT_EQ(record["winner"], name == "keen" ? "a" : "b");
    ++answers[name];
  }
  // 60 fair draws: outside of this less than once in 10 000.
  EXPECT_GT(answers["keen"], 14);
  EXPECT_GT(answers["contrary"], 14);
  EXPECT_EQ(answers["keen"] + answers["contrary"], 60);
  // That they differ is what the mixture is about.
  const Json check = check_named(result()["health"], "judges");
  EXPECT_EQ(check["verdict"], "passed") << check;
  EXPECT_NE(check["detail"].get<std::string>().find("they differ"), std::string::npos) << check;
  // The same draws in the next run.
  std::filesystem::rename(directory_.path() / "log", directory_.path() / "before");
  EXPECT_EQ(run({"keen", "contrary"}, {"--jury", "drawn", "--max-duels", "60", "--alpha", "0.001"})
                .exit_code,
            3);
  std::map<std::string, int> again;
  for (const Json& record : outcomes()) ++again[name_of(record["source"]["id"])];
  EXPECT_EQ(again, answers);
}

TEST_F(JuryRun, a_log_goes_on_with_the_same_judges_only) {
  ASSERT_EQ(run({"keen", "mild"}, {"--max-duels", "2"}).exit_code, 3);
  EXPECT_EQ(run({"keen", "mild"}, {"--max-duels", "4"}).exit_code, 3);
  for (const auto& other : {run({"keen"}), run({"keen", "mild"}, {"--jury", "drawn"})}) {
    EXPECT_NE(other.err.find("its judge is 'mean of: "), std::string::npos) << other.err;
  }
}

TEST_F(JuryRun, what_cannot_be_a_jury_is_refused) {
  const CommandResult twice = run({"keen", "keen"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_NE(twice.err.find("--votes 2 asks one judge twice"), std::string::npos) << twice.err;
  const CommandResult goal = run({"keen", "mild"}, {"--goal", "borda"});
  EXPECT_EQ(goal.exit_code, 2);
  EXPECT_NE(goal.err.find("does not take the mean of several judges"), std::string::npos)
      << goal.err;
  const CommandResult votes = run({"keen"}, {"--goal", "borda", "--votes", "3"});
  EXPECT_EQ(votes.exit_code, 2);
  EXPECT_NE(votes.err.find("--votes: the goal borda does not take the mean of several votes"),
            std::string::npos)
      << votes.err;
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "log"));
}

}  // namespace
}  // namespace duel
