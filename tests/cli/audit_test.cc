// `duel run` where people audit the judge, and judges that say how much, from outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using Json = nlohmann::json;

class AuditedRun : public ::testing::Test {
 protected:
  AuditedRun() {
    script("judge", "[ \"$1\" = b ] && echo first || echo second\n");   // always b
    script("person", "[ \"$1\" = a ] && echo first || echo second\n");  // always a
  }
  void script(const std::string& name, const std::string& body) {
    const std::string path = directory_.write(name, "#!/bin/sh\n" + body);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  CommandResult duel(std::vector<std::string> arguments) {
    return run_duel(std::move(arguments), {.directory = directory_.path()});
  }
  std::vector<Json> records(const std::string& log) const {
    std::vector<Json> all;
    std::istringstream lines(content_of(directory_.path() / log));
    for (std::string line; std::getline(lines, line);) all.push_back(Json::parse(line));
    return all;
  }

  TemporaryDirectory directory_;
};

TEST_F(AuditedRun, names_what_people_prefer_and_what_the_judge_would_have_said) {
  const CommandResult result =
      duel({"run", "--arms", "a,b", "--judge", "./judge", "--audit", "./person", "--audits", "0.5",
            "--audit-from-seed", "--json", "--quiet"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["winner"], "a");
  EXPECT_EQ(json["audit"]["program_winner"], "b");
  EXPECT_EQ(json["audit"]["says_the_same"], false);
  EXPECT_EQ(json["audit"]["agreed"], 0);
  EXPECT_EQ(json["audit"]["differing"].size(), 1U);
  const CommandResult verified =
      duel({"verify", "duel.certificate.json", "--log", "duel.duel.jsonl"});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
  EXPECT_NE(verified.out.find("draws for people"), std::string::npos) << verified.out;
  const Json draws =
      Json::parse(duel({"verify", "--log", "duel.duel.jsonl", "--json"}).out)["draws"];
  EXPECT_GT(draws["checked"], 0);
  EXPECT_EQ(draws["unchecked"], 0);
  const std::vector<Json> all = records("duel.duel.jsonl");
  EXPECT_EQ(all.front()["audit"]["share"], 0.5);
  EXPECT_EQ(all.back()["record"], "completed");
  EXPECT_EQ(all.back()["audit_key"].get<std::string>().size(), 64U);
}

TEST_F(AuditedRun, asks_the_person_at_the_terminal_while_the_judge_goes_on) {
  std::string always;
  for (int k = 0; k < 200; ++k) always += "1\n";
  const std::vector<std::string> arguments = {
      "run",  "--arms",   "a,b", "--judge",           "./judge", "--parallel", "4",     "--audit",
      "vote", "--audits", "0.5", "--audit-from-seed", "--order", "fixed",      "--json"};
  // Without answers nothing is certified, and what waits is asked again.
  const CommandResult nobody = run_duel(arguments, {.input = "", .directory = directory_.path()});
  EXPECT_EQ(nobody.exit_code, 3) << nobody.err;
  EXPECT_TRUE(Json::parse(nobody.out)["audit"]["answers"] == 0) << nobody.out;
  const CommandResult result =
      run_duel(arguments, {.input = always, .directory = directory_.path()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["winner"], "a");
  EXPECT_EQ(json["audit"]["program_winner"], "b");
  const std::vector<Json> all = records("duel.duel.jsonl");
  EXPECT_EQ(all.back()["record"], "completed");
  EXPECT_EQ(all.back()["audit_key"].get<std::string>().size(), 64U);
  EXPECT_EQ(duel({"verify", "duel.certificate.json", "--log", "duel.duel.jsonl"}).exit_code, 0);
}

TEST_F(AuditedRun, results_of_its_log_tell_of_the_judge_everywhere) {
  ASSERT_EQ(duel({"run", "--arms", "a,b", "--judge", "./judge", "--audit", "./person", "--audits",
                  "0.5", "--audit-from-seed", "--quiet"})
                .exit_code,
            0);
  const std::string says = "The judge alone would have certified 'b', and not 'a'.";
  const CommandResult shown =
      duel({"result", "--log", "duel.duel.jsonl", "-o", "r.md", "-o", "r.html"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  std::string text = shown.out;  // whose lines are broken
  std::ranges::replace(text, '\n', ' ');
  EXPECT_NE(text.find(says), std::string::npos) << shown.out;
  EXPECT_NE(content_of(directory_.path() / "r.md").find(says), std::string::npos);
  EXPECT_NE(content_of(directory_.path() / "r.html").find("would have certified"),
            std::string::npos);
  const CommandResult json = duel({"result", "--log", "duel.duel.jsonl", "--json"});
  EXPECT_EQ(Json::parse(json.out)["audit"]["differing"][0]["first"], "a");
}

TEST_F(AuditedRun, keeps_the_key_where_the_owner_alone_can_read_it) {
  ASSERT_EQ(duel({"run", "--arms", "a,b", "--judge", "./judge", "--audit", "./person",
                  "--max-duels", "3", "--quiet"})
                .exit_code,
            3);
  const auto file = directory_.path() / "duel.duel.jsonl.audit-key";
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(file).permissions(), perms::owner_read | perms::owner_write);
  const std::string key = content_of(file);
  for (const Json& record : records("duel.duel.jsonl")) {
    EXPECT_EQ(record.dump().find(key.substr(0, 64)), std::string::npos);
  }
  // Without it another one draws, and the log says so.
  std::filesystem::remove(file);
  ASSERT_EQ(duel({"run", "--arms", "a,b", "--judge", "./judge", "--audit", "./person",
                  "--max-duels", "6", "--quiet"})
                .exit_code,
            3);
  bool told = false;
  for (const Json& record : records("duel.duel.jsonl")) told |= record["record"] == "audit_key";
  EXPECT_TRUE(told);
}

TEST_F(AuditedRun, asks_again_what_a_person_did_not_answer) {
  // Every other time nobody answers.
  script("person",
         "n=$(cat n 2>/dev/null || echo 0); n=$((n + 1)); echo $n > n\n"
         "[ $((n % 2)) = 0 ] || exit 1\n[ \"$1\" = a ] && echo first || echo second\n");
  const CommandResult result =
      duel({"run", "--arms", "a,b", "--judge", "./judge", "--audit", "./person", "--audits", "1",
            "--audit-from-seed", "--retries", "0", "--quiet", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["winner"], "a");
  EXPECT_EQ(json["audit"]["lost"], 0);
  std::uint64_t offers = 0, answers = 0;
  for (const Json& record : records("duel.duel.jsonl")) {
    offers += record["record"] == "offer" ? 1 : 0;
    answers += record["record"] == "outcome" && record["source"]["type"] == "human" ? 1 : 0;
  }
  EXPECT_GE(offers, 2 * answers);
}

TEST_F(AuditedRun, refuses_what_makes_no_sense) {
  EXPECT_EQ(duel({"run", "--arms", "a,b", "--judge", "./judge", "--audits", "0.5"}).exit_code, 2);
  for (const std::string option : {"--audit-give-up", "--auditor"}) {
    const CommandResult idle = duel({"run", "--arms", "a,b", "--judge", "./judge", option, "3"});
    EXPECT_EQ(idle.exit_code, 2);
    EXPECT_NE(idle.err.find(option + ": nobody audits"), std::string::npos) << idle.err;
  }
  EXPECT_EQ(duel({"run", "--arms", "a,b", "--judge", "./judge", "--audit", "./person", "--goal",
                  "copeland"})
                .exit_code,
            1);
}

TEST_F(AuditedRun, plans_what_audits_cost) {
  const CommandResult plan =
      duel({"plan", "--arms", "2", "--gap", "0.2", "--judge-agreement", "0.9", "--audits", "0.2",
            "--trials", "50", "--json", "--quiet"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  const Json json = Json::parse(plan.out);
  EXPECT_LT(json["policies"][0]["people"]["p50"], json["people_alone"][0]["duels"]["p50"]);
}

TEST_F(AuditedRun, takes_scores_with_their_cost_and_reason) {
  script("judge",
         "[ \"$1\" = a ] && echo 'score 0.8' || echo 'score 0.2'\n"
         "echo '{\"cost\": 0.5, \"tokens\": 12, \"reason\": \"clearer\"}'\n");
  const CommandResult result =
      duel({"run", "--arms", "a,b", "--judge", "./judge", "--quiet", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["winner"], "a");
  EXPECT_EQ(duel({"verify", "duel.certificate.json", "--log", "duel.duel.jsonl"}).exit_code, 0);
  for (const Json& record : records("duel.duel.jsonl")) {
    if (record["record"] != "outcome") continue;
    EXPECT_EQ(record["result"], "graded");
    EXPECT_EQ(record["cost"], 0.5);
    EXPECT_EQ(record["tokens"], 12);
    EXPECT_EQ(record["reason"], "clearer");
  }
  const Json certificate = Json::parse(content_of(directory_.path() / "duel.certificate.json"));
  EXPECT_NE(certificate["statement"].get<std::string>().find("graded above it on average"),
            std::string::npos);
  EXPECT_EQ(certificate["findings"][0]["logs"].size(), 8U);
}

TEST_F(AuditedRun, says_what_is_wrong_with_a_score) {
  script("judge", "echo 'score 1.5'\n");
  const CommandResult result =
      duel({"run", "--arms", "a,b", "--judge", "./judge", "--retries", "0", "--max-failures", "1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("its score is 1.5"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace duel
