// `duel judge check`: a judge beside people, from columns, from a second file, and asked.
#include <gtest/gtest.h>
#include <signal.h>

#include <set>

#include "duel/core/digest.h"
#include "duel/core/whole_file.h"
#include "tests/cli/judged_directory.h"
#include "tests/support/places.h"

namespace duel {
namespace {

class JudgeCheckCommand : public JudgedDirectory {
 protected:
  // People prefer x in three questions of four, wherever it stands. `fond` always does, and
  // `lazy` takes what is shown first.
  JudgeCheckCommand() {
    rows(24);
    const std::string paid = "\necho '{\"cost\": 0.25, \"tokens\": 10}'\n";
    script("fond", "echo x >> asked\n[ \"$1\" = x ] && echo first || echo second" + paid);
    script("lazy", "echo x >> asked\necho first\n");
  }
  void rows(std::size_t count) const {
    std::string text = "num,model_a,model_b,human\n";
    for (std::size_t k = 0; k < count; ++k) {
      const bool x_first = k % 2 == 0;
      const bool for_x = k % 4 != 3;
      text +=
          std::to_string(k) + (x_first ? ",x,y," : ",y,x,") + (for_x == x_first ? "a" : "b") + "\n";
    }
    write("votes.csv", text);
  }
  static std::vector<std::string> arguments(std::vector<std::string> more) {
    more.insert(more.begin(), {"judge", "check", "--votes", "votes.csv"});
    return more;
  }
  CommandResult check(std::vector<std::string> more) const {
    return run_duel(arguments(std::move(more)), {.directory = directory_.path()});
  }
  // Of the only judge.
  Json figures(std::vector<std::string> more) const {
    more.emplace_back("--json");
    const CommandResult result = check(std::move(more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const Json passports = Json::parse(result.out);
    EXPECT_EQ(passports.size(), 1U);
    return passports[0]["figures"];
  }
  std::size_t asked() const {
    if (!std::filesystem::exists(directory_.path() / "asked")) return 0;
    const std::string text = text_of("asked");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(JudgeCheckCommand, asks_a_program_about_every_row) {
  const Json fond = figures({"--judge", "./fond"});
  EXPECT_EQ(fond["answers"], 24);
  EXPECT_EQ(fond["agree"], 18) << "three of four";
  EXPECT_EQ(fond["differ"], 6);
  EXPECT_EQ(fond["first"], 12);
  EXPECT_EQ(fond["pairs"], 1);
  EXPECT_TRUE(fond["reversed"].empty());
  EXPECT_EQ(fond["asked"], 24);
  EXPECT_EQ(fond["cost"], 6.0);
  EXPECT_EQ(fond["tokens"], 240);
  EXPECT_EQ(asked(), 24U);
}

TEST_F(JudgeCheckCommand, asks_in_the_other_order_and_again) {
  const Json fond = figures({"--judge", "./fond", "--order", "both", "--repeats", "2"});
  EXPECT_EQ(fond["asked"], 96) << "as shown, turned, and twice again";
  EXPECT_EQ(fond["both_orders"], 24);
  EXPECT_EQ(fond["flips"], 0);
  EXPECT_EQ(fond["repeats"], 24);
  EXPECT_EQ(fond["repeated_otherwise"], 0);
  const Json lazy = figures({"--judge", "./lazy", "--order", "both"});
  EXPECT_EQ(lazy["flips"], 24);
  EXPECT_EQ(lazy["flip_rate"], 1.0);
  EXPECT_GT(lazy["flip_interval"][0], 0.7);
  // Its second answer to a question is another one than its first.
  script("fickle", "[ -e \"$3\" ] && echo second || echo first\ntouch \"$3\"\n");
  const Json fickle =
      figures({"--judge", "./fickle {first} {second} {task.num}", "--repeats", "1"});
  EXPECT_EQ(fickle["repeats"], 24);
  EXPECT_EQ(fickle["repeated_otherwise"], 24);
  EXPECT_EQ(fickle["repeat_rate"], 1.0);
}

TEST_F(JudgeCheckCommand, shows_several_judges_side_by_side_with_their_prices) {
  const CommandResult both = check({"--judge", "./fond", "--judge", "./lazy", "--order", "both"});
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_TRUE(contains(both.out, "./fond  12 / 12 / 0")) << both.out;
  EXPECT_TRUE(contains(both.out, "./lazy   24 / 0 / 0")) << both.out;
  EXPECT_TRUE(contains(both.out, "./fond: 48 answers cost 12 (480 tokens), 0.25 each."))
      << both.out;
  EXPECT_TRUE(contains(both.out,
                       "./fond: 0 of 24 questions answered otherwise in the other order: "
                       "0.0 % [0.0, "))
      << both.out;
  EXPECT_TRUE(contains(both.out,
                       "./lazy: 24 of 24 questions answered otherwise in the other "
                       "order: 100.0 % ["))
      << both.out;
}

TEST_F(JudgeCheckCommand, reads_judges_from_columns_of_a_second_file) {
  std::string apart = "num,fond,shy\n";
  for (int k = 23; k >= 0; --k) {
    apart += std::to_string(k) + (k % 2 == 0 ? ",a,t\n" : ",b,\n");
  }
  write("llm.csv", apart);
  const CommandResult result =
      check({"--judge-votes", "llm.csv", "--column", "fond", "--column", "shy", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json passports = Json::parse(result.out);
  ASSERT_EQ(passports.size(), 2U);
  EXPECT_EQ(passports[0]["figures"]["agree"], 18);
  EXPECT_EQ(passports[1]["figures"]["ties"], 12);
  EXPECT_EQ(passports[1]["figures"]["missing"], 12);
  EXPECT_EQ(passports[0]["judge_votes_file"], "llm.csv");
  EXPECT_EQ(passports[0]["judge_votes_sha256"], sha256_hex(apart));
  const CommandResult which = check({"--judge-votes", "llm.csv"});
  EXPECT_EQ(which.exit_code, 1);
  EXPECT_TRUE(contains(which.err, "which column has what the judge said: fond, shy?")) << which.err;
}

TEST_F(JudgeCheckCommand, takes_from_a_cache_what_the_judge_has_said_before) {
  const std::vector<std::string> command = {"--judge",   "./fond", "--order", "both",
                                            "--repeats", "1",      "--cache", "answers"};
  const Json first = figures(command);
  EXPECT_EQ(asked(), 72U);
  EXPECT_EQ(first["cached"], 0);
  const Json again = figures(command);
  EXPECT_EQ(asked(), 72U);
  EXPECT_EQ(again["cached"], 72);
  EXPECT_EQ(again["cost"], 0.0);
  for (const char* name : {"answers", "agree", "differ", "first", "flips", "repeats"}) {
    EXPECT_EQ(again[name], first[name]) << name;
  }
}

TEST_F(JudgeCheckCommand, stops_within_its_budget_and_shows_what_is_paid) {
  const std::vector<std::string> command = {"--judge", "./fond",  "--budget", "2.1",
                                            "--json",  "--cache", "answers"};
  const CommandResult some = check(command);
  EXPECT_EQ(some.exit_code, 3) << some.err;
  EXPECT_EQ(asked(), 8U);
  const Json passport = Json::parse(some.out)[0];
  EXPECT_EQ(passport["rows"], 8);
  EXPECT_EQ(passport["figures"]["answers"], 8);
  EXPECT_EQ(passport["figures"]["cost"], 2.0);
  EXPECT_TRUE(contains(some.err, "stopped before --budget 2.1 could be exceeded")) << some.err;
  // Each of two has its half.
  script("glad", text_of("fond") + "# another judge\n");
  const CommandResult two =
      check({"--judge", "./fond", "--judge", "./glad", "--budget", "2.1", "--json"});
  EXPECT_EQ(two.exit_code, 3) << two.err;
  for (const Json& one : Json::parse(two.out)) EXPECT_EQ(one["rows"], 4);
  // The cache goes on where the budget ended.
  EXPECT_EQ(check({"--judge", "./fond", "--cache", "answers"}).exit_code, 0);
  EXPECT_EQ(asked(), 8U + 8U + 16U);
}

TEST_F(JudgeCheckCommand, shows_what_was_answered_before_a_judge_broke) {
  script("breaks",
         "n=$(cat n 2>/dev/null || echo 0)\necho $((n + 1)) > n\n"
         "[ $n -ge 10 ] && exit 1\necho first\n");
  const CommandResult broken = check({"--judge", "./breaks", "--retries", "0", "--max-failures",
                                      "3", "--json", "--passport", "passport.json"});
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_TRUE(contains(broken.err, "no answer to 3 questions in a row")) << broken.err;
  const Json figures = Json::parse(broken.out)[0]["figures"];
  EXPECT_EQ(figures["answers"], 10);
  EXPECT_EQ(figures["missing"], 3);
  EXPECT_EQ(Json::parse(text_of("passport.json"))["rows"], 13);
}

TEST_F(JudgeCheckCommand, writes_a_passport_that_is_bound_to_judge_and_votes) {
  const auto passport = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--passport", "passport.json"});
    EXPECT_EQ(check(std::move(more)).exit_code, 0);
    return Json::parse(text_of("passport.json"));
  };
  const Json one = passport({"--judge", "./fond"});
  EXPECT_EQ(one["command"], "./fond");
  EXPECT_EQ(one["votes_sha256"], sha256_hex(text_of("votes.csv")));
  EXPECT_EQ(one["people"], "human");
  EXPECT_EQ(one["rows"], 24);
  EXPECT_EQ(one["figures"]["agree"], 18);
  EXPECT_FALSE(one.contains("judge_votes_file"));
  write("fond", text_of("fond") + "# another prompt\n");
  EXPECT_NE(passport({"--judge", "./fond"})["command_sha256"], one["command_sha256"]);
  EXPECT_EQ(passport({"--judge", "./fond", "--judge", "./lazy"}).size(), 2U);
}

TEST_F(JudgeCheckCommand, a_run_shows_the_passport_and_refuses_another_judge) {
  ASSERT_EQ(check({"--judge", "./fond", "--judge", "./lazy", "--passport", "both.json"}).exit_code,
            0);
  const auto run = [&](const std::string& judge, const std::string& log) {
    return duel({"--arms", "x,y", "--judge", judge, "--log", log, "--order", "fixed", "--max-duels",
                 "2", "--passport", "both.json", "--json"});
  };
  const CommandResult shown = run("./fond", "one");
  EXPECT_EQ(shown.exit_code, 3) << shown.err;
  EXPECT_TRUE(contains(shown.err, "passport of './fond': agrees with people in 75.0 % ("))
      << shown.err;
  EXPECT_TRUE(contains(shown.err, ") of 24 answers; 0 of 1 pairs are reversed")) << shown.err;
  const Json passports = Json::parse(shown.out)["passports"];
  ASSERT_EQ(passports.size(), 1U);
  EXPECT_EQ(passports[0]["figures"]["agree"], 18);
  const CommandResult unknown = run("./no-other", "two");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "has no judge './no-other'")) << unknown.err;
  write("fond", text_of("fond") + "# another prompt\n");
  const CommandResult changed = run("./fond", "two");
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_TRUE(contains(changed.err, "'./fond' or a file that it names has changed since"))
      << changed.err;
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "two"));
  write("both.json", "{\"command\":1}");
  EXPECT_EQ(run("./fond", "two").exit_code, 1);
}

TEST_F(JudgeCheckCommand, refuses_what_makes_no_sense) {
  const auto error_of = [&](std::vector<std::string> more) { return check(std::move(more)).err; };
  EXPECT_TRUE(contains(error_of({}), "--judge: no judge is given"));
  EXPECT_TRUE(contains(error_of({"--column", "fond"}), "there is no column 'fond'"));
  EXPECT_TRUE(contains(error_of({"--column", "human", "--cache", "c"}), "no program is asked"));
  EXPECT_TRUE(contains(error_of({"--column", "human", "--budget", "1"}), "no program is asked"));
  EXPECT_TRUE(contains(error_of({"--judge", "./no-such-judge"}), "no-such-judge"));
}

TEST_F(JudgeCheckCommand, the_first_interrupt_waits_for_what_is_out_and_shows_all_that_was_paid) {
  rows(400);
  script("slow", "echo x >> asked\nsleep 0.3\necho first\n");
  const std::vector<std::string> command = {"--judge", "./slow",  "--parallel", "4",
                                            "--cache", "answers", "--json"};
  RunningDuel running(arguments(command), {.directory = directory_.path()});
  wait_until([&] { return asked() >= 6; });
  running.send_to_group(SIGINT);
  const CommandResult ended = running.wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.err;
  EXPECT_TRUE(contains(ended.err, "press Ctrl-C again to drop them")) << ended.err;
  const std::size_t paid = asked();
  EXPECT_LT(paid, 400U);
  const Json figures = Json::parse(ended.out)[0]["figures"];
  EXPECT_EQ(figures["answers"], paid);
  EXPECT_EQ(figures["missing"], 0);
  // The same command goes on, and asks nothing twice.
  rows(paid + 3);
  EXPECT_EQ(check(command).exit_code, 0);
  EXPECT_EQ(asked(), paid + 3);
}

TEST_F(JudgeCheckCommand, the_second_interrupt_drops_what_is_out) {
  rows(400);
  script("stuck", "echo x >> asked\n[ $(wc -l < asked) -gt 5 ] && sleep 100\necho first\n");
  RunningDuel running(arguments({"--judge", "./stuck", "--json"}),
                      {.directory = directory_.path()});
  wait_until([&] { return asked() == 6; });
  running.send_to_group(SIGINT);
  wait_until([&] { return contains(running.err_so_far(), "press Ctrl-C again"); });
  running.send_to_group(SIGINT);
  const CommandResult ended = running.wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.err;
  EXPECT_EQ(Json::parse(ended.out)[0]["figures"]["answers"], 5);
}

// What the description of these data states.
TEST_F(JudgeCheckCommand, finds_what_is_known_of_three_models_on_the_arena) {
  const std::string file = shared_dir() + "/data/judges/arena_people_and_judges.csv";
  const auto text = read_whole_file(file, std::size_t{1} << 30);
  if (!text.ok()) {
    GTEST_SKIP() << "NOT CHECKED: the shared data file arena_people_and_judges.csv is absent";
  }
  const auto shown = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"judge", "check", "--votes"});
    return run_duel(more, {.directory = directory_.path()});
  };
  const CommandResult table =
      shown({file, "--column", "gpt4", "--column", "claude3opus", "--column", "gpt35"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  // The columns are: answers, share of what is shown first, agreement, of how many, pairs with
  // opposite signs, of how many.
  std::map<std::string, std::vector<std::string>> words;
  std::istringstream lines(table.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    for (std::string word; fields >> word;) words[name].push_back(word);
  }
  const auto has = [&](const std::string& name, const std::vector<std::string>& expected) {
    const std::vector<std::string>& found = words[name];
    for (const std::string& word : expected) {
      EXPECT_NE(std::find(found.begin(), found.end(), word), found.end())
          << name << " " << word << "\n"
          << table.out;
    }
  };
  has("gpt4", {"5407", "4337", "3728", "55.5", "83.6", "7236", "3", "160"});
  has("claude3opus", {"3722", "5731", "4019", "39.4", "72.3", "6897", "7", "159"});
  has("gpt35", {"11614", "1830", "28", "86.4", "57.6", "9484", "32", "157"});
  // The same from a file of the judge alone, and from one without a number of the battle.
  const CommandResult beside = shown({file, "--column", "gpt4", "--json"});
  Json expected = Json::parse(beside.out)[0]["figures"];
  expected["judge"] = "llm";
  std::string numbered = "num,llm\n", bare = "llm\n";
  std::istringstream rows(*text);
  std::string line;
  std::getline(rows, line);
  while (std::getline(rows, line)) {
    std::vector<std::string> fields;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
    numbered += fields[0] + "," + fields[4] + "\n";
    bare += fields[4] + "\n";
  }
  for (const std::string& content : {numbered, bare}) {
    write("gpt4.csv", content);
    const CommandResult apart = shown({file, "--judge-votes", "gpt4.csv", "--json"});
    EXPECT_EQ(apart.exit_code, 0) << apart.err;
    EXPECT_EQ(Json::parse(apart.out)[0]["figures"], expected);
  }
}

}  // namespace
}  // namespace duel
