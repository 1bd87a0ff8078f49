// `duel tune` from outside: that it finds and proves a better point, says when it has found none,
// goes on after an interruption, and leaves a log that can be verified.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/judged_directory.h"

namespace duel {
namespace {

constexpr const char* kSpace =
    "# today's weight is 0.2\n"
    "[weight]\nlow = 0.0\nhigh = 1.0\ndefault = 0.2\nstep = 0.01\n";

// Prefers the weight that is closer to 0.7: always, since a noisy one takes longer.
constexpr const char* kCompare =
    "w() { printf '%s' \"$1\" | sed 's/[^0-9.]//g'; }\n"
    "awk -v a=\"$(w \"$1\")\" -v b=\"$(w \"$2\")\" 'BEGIN { x = a - 0.7; y = b - 0.7; "
    "print (x * x < y * y ? \"first\" : \"second\") }'\n";

class TuneCommand : public JudgedDirectory {
 protected:
  TuneCommand() {
    write("space.toml", kSpace);
    script("compare", kCompare);
    script("never", "echo tie\n");
  }
  CommandResult tune(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(), "tune");
    return run_duel(arguments, {.input = input, .directory = directory_.path()});
  }
};

TEST_F(TuneCommand, certifies_a_point_and_leaves_what_can_be_verified) {
  const CommandResult found =
      tune({"--space", "space.toml", "--judge", "./compare", "--max-duels", "400", "--json"});
  ASSERT_EQ(found.exit_code, 0) << found.out << found.err;
  const Json json = Json::parse(found.out);
  EXPECT_EQ(json["status"], "certified");
  EXPECT_EQ(json["certificate"]["kind"], "point");
  EXPECT_TRUE(contains(json["verdict"], "beats the point in use, 'default' (weight 0.2)"));
  const Json tried = json["space"]["tried"];
  ASSERT_FALSE(tried.empty());
  EXPECT_EQ(tried.back()["state"], "certified");
  EXPECT_NEAR(tried.back()["point"]["weight"].get<double>(), 0.7, 0.5);
  EXPECT_EQ(json["arms"], Json::array());

  const CommandResult checked =
      run_duel({"verify", "space.certificate.json", "--log", "space.duel.jsonl", "--replay"},
               {.directory = directory_.path()});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  const CommandResult result =
      run_duel({"result", "space.duel.jsonl", "--json"}, {.directory = directory_.path()});
  EXPECT_EQ(Json::parse(result.out)["certificate"]["kind"], "point") << result.err;
  const CommandResult shown =
      run_duel({"result", "space.duel.jsonl"}, {.directory = directory_.path()});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "beats the point in use")) << shown.out;

  const CommandResult again =
      tune({"--space", "space.toml", "--judge", "./compare", "--max-duels", "400"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(contains(again.err, "was already certified")) << again.err;
}

TEST_F(TuneCommand, a_file_of_its_result_shows_numbers_and_points_and_no_arms) {
  ASSERT_EQ(tune({"--space", "space.toml", "--judge", "./compare", "--max-duels", "400"}).exit_code,
            0);
  const auto result = [&](const std::string& output) {
    return run_duel({"result", "space.duel.jsonl", "-o", output}, {.directory = directory_.path()});
  };
  ASSERT_EQ(result("space.md").exit_code, 0);
  const std::string text = text_of("space.md");
  EXPECT_TRUE(contains(text, "| dimension | in use | best guess | asked about |")) << text;
  EXPECT_TRUE(contains(text, "| weight | 0.2 |")) << text;
  EXPECT_TRUE(contains(text, "| certified |")) << text;
  EXPECT_FALSE(contains(text, "P(best)")) << text;
  EXPECT_FALSE(contains(text, "won against")) << text;
  for (const std::string file : {"space.csv", "space.svg"}) {
    const CommandResult refused = result(file);
    EXPECT_EQ(refused.exit_code, 2) << refused.out;
    EXPECT_TRUE(contains(refused.err, "'" + file +
                                          "' would list or draw arms, and a space has none (its "
                                          "result: a file that ends in .md or .html, or --json)"))
        << refused.err;
    EXPECT_FALSE(std::filesystem::exists(directory_.path() / file));
  }
}

TEST_F(TuneCommand, an_open_file_of_its_result_says_how_far_the_proof_is) {
  ASSERT_EQ(tune({"--space", "space.toml", "--judge", "./never", "--max-duels", "10"}).exit_code,
            3);
  ASSERT_EQ(
      run_duel({"result", "space.duel.jsonl", "-o", "space.md"}, {.directory = directory_.path()})
          .exit_code,
      0);
  EXPECT_TRUE(contains(text_of("space.md"), "The search has the first 20 duels to itself."))
      << text_of("space.md");
}

TEST_F(TuneCommand, a_changed_certificate_is_noticed) {
  ASSERT_EQ(tune({"--space", "space.toml", "--judge", "./compare", "--max-duels", "400"}).exit_code,
            0);
  std::string text = text_of("space.certificate.json");
  const std::size_t at = text.find("\"losses\": ");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 10, "1");
  write("false.json", text);
  const CommandResult checked = run_duel({"verify", "false.json", "--log", "space.duel.jsonl"},
                                         {.directory = directory_.path()});
  EXPECT_EQ(checked.exit_code, 5) << checked.out;
}

TEST_F(TuneCommand, says_that_nothing_better_was_found) {
  const CommandResult found =
      tune({"--space", "space.toml", "--judge", "./never", "--max-duels", "60"});
  EXPECT_EQ(found.exit_code, 3) << found.err;
  EXPECT_TRUE(contains(found.err, "nothing better than the point in use was found")) << found.err;
  EXPECT_FALSE(contains(found.out, "better")) << found.out;
}

TEST_F(TuneCommand, goes_on_where_it_was) {
  const std::vector<std::string> command = {"--space", "space.toml", "--judge", "./compare"};
  auto first = command, second = command;
  first.insert(first.end(), {"--max-duels", "25"});
  second.insert(second.end(), {"--max-duels", "400", "--name", "space", "--json"});
  ASSERT_EQ(tune(first).exit_code, 3);
  const CommandResult whole = tune(second);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_TRUE(contains(whole.err, "continuing space.duel.jsonl: 25 duels so far")) << whole.err;
  const auto pieces = text_of("space.duel.jsonl");
  EXPECT_EQ(run_duel({"verify", "--log", "space.duel.jsonl", "--replay"},
                     {.directory = directory_.path()})
                .exit_code,
            0);
}

TEST_F(TuneCommand, takes_votes_from_lines) {
  std::string lines;
  for (int k = 0; k < 30; ++k) lines += k % 3 == 0 ? "t\n" : "1\n";
  const CommandResult voted =
      tune({"--space", "space.toml", "--vote", "--voter", "ann", "--max-duels", "30"}, lines);
  EXPECT_EQ(voted.exit_code, 3) << voted.err;
  EXPECT_EQ(count("space.duel.jsonl", "outcome"), 30);
}

TEST_F(TuneCommand, takes_every_learner) {
  for (const std::string learner : {"dbgd", "halving", "random", "kernel-ts(trust=1)"}) {
    const CommandResult ran =
        tune({"--space", "space.toml", "--judge", "./compare", "--max-duels", "40", "--learner",
              learner, "--name", "of-" + learner.substr(0, 4)});
    EXPECT_TRUE(ran.exit_code == 0 || ran.exit_code == 3) << learner << ran.err;
  }
  const CommandResult unknown =
      tune({"--space", "space.toml", "--judge", "./compare", "--learner", "kernel"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "--learner")) << unknown.err;
}

TEST_F(TuneCommand, names_what_is_wrong_with_a_space) {
  write("bad.toml", "[weight]\nlow = 1\nhigh = 0\ndefault = 0.5\n");
  CommandResult refused = tune({"--space", "bad.toml", "--judge", "./compare"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_TRUE(contains(refused.err, "bad.toml: weight")) << refused.err;
  write("loose.toml", "low = 1\n");
  refused = tune({"--space", "loose.toml", "--judge", "./compare"});
  EXPECT_TRUE(contains(refused.err, "loose.toml:1")) << refused.err;
  EXPECT_EQ(tune({"--judge", "./compare"}).exit_code, 2);
  EXPECT_EQ(tune({"--space", "space.toml"}).exit_code, 2);
  EXPECT_EQ(tune({"--space", "space.toml", "--vote", "--judge", "./compare"}).exit_code, 2);
}

TEST_F(TuneCommand, another_space_does_not_go_on_with_a_log) {
  ASSERT_EQ(tune({"--space", "space.toml", "--judge", "./never", "--max-duels", "5"}).exit_code, 3);
  write("other.toml", "[weight]\nlow = 0.0\nhigh = 2.0\ndefault = 0.2\n");
  const CommandResult refused =
      tune({"--space", "other.toml", "--name", "space", "--judge", "./never", "--max-duels", "5"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_TRUE(contains(refused.err, "its space is another one")) << refused.err;
}

TEST_F(TuneCommand, proves_on_tasks_of_its_own) {
  std::string tasks;
  for (int k = 0; k < 300; ++k) tasks += "{\"query\":\"q" + std::to_string(k) + "\"}\n";
  write("queries.jsonl", tasks);
  script("compare-task", "shift 0\n" + std::string(kCompare));
  const CommandResult found =
      tune({"--space", "space.toml", "--judge", "./compare-task {first} {second} {task}", "--tasks",
            "queries.jsonl", "--max-duels", "400", "--json"});
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_TRUE(contains(Json::parse(found.out)["verdict"], "on tasks like the 300 given"));
}

TEST_F(TuneCommand, ends_with_the_code_for_later_when_the_judge_stays_busy) {
  script("busy", "exit 75\n");
  const CommandResult result = tune({"--space", "space.toml", "--judge", "./busy",
                                     "--busy-patience", "0.2", "--retry-delay", "0.001"});
  EXPECT_EQ(result.exit_code, 75) << result.out;
  EXPECT_TRUE(contains(result.err, "the judge stayed busy for 0.2 s")) << result.err;
  EXPECT_TRUE(contains(result.err, "to continue: duel tune")) << result.err;
}

TEST_F(TuneCommand, stops_before_its_budget_is_exceeded) {
  script("dear", "echo tie; echo '{\"cost\": 0.5}'\n");
  const std::vector<std::string> arguments = {"--space", "space.toml", "--judge",
                                              "./dear",  "--budget",   "3"};
  const CommandResult result = tune(arguments);
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_TRUE(contains(result.err, "stopped before --budget 3 could be exceeded")) << result.err;
  EXPECT_EQ(count("space.duel.jsonl", "outcome"), 6U);
  EXPECT_EQ(tune(arguments).exit_code, 3);
  EXPECT_EQ(count("space.duel.jsonl", "outcome"), 6U);
}

TEST_F(TuneCommand, searches_by_what_a_judge_has_said_before) {
  std::string tasks;
  for (int k = 0; k < 60; ++k) tasks += "{\"query\":\"q" + std::to_string(k) + "\"}\n";
  write("queries.jsonl", tasks);
  script("compare-task", "echo x >> asked\n" + std::string(kCompare));
  const auto asked = [&] {
    const std::string text = text_of("asked");
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto run = [&](const std::string& log) {
    return tune({"--space", "space.toml", "--judge", "./compare-task {first} {second} {task}",
                 "--tasks", "queries.jsonl", "--max-duels", "15", "--cache", "answers", "--log",
                 log});
  };
  EXPECT_EQ(run("one").exit_code, 3);
  EXPECT_EQ(asked(), 15);
  const CommandResult again = run("two");
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_EQ(asked(), 15);
  EXPECT_TRUE(contains(again.err, "15 answers from answers: they help to choose, and are no"))
      << again.err;
  EXPECT_EQ(verify("two").exit_code, 0);
  EXPECT_EQ(tune({"--space", "space.toml", "--judge", "./compare", "--cache", "answers"}).exit_code,
            2);
}

}  // namespace
}  // namespace duel
