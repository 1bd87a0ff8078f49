// Goals beyond one winner, from outside: `duel run --goal set --top 3` and what belongs to it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/judged_directory.h"

namespace duel {
namespace {

class GoalsCommand : public JudgedDirectory {
 protected:
  using Names = std::vector<std::string>;

  // Of two letters the earlier wins nine times in ten.
  GoalsCommand() {
    script("judge", lot() +
                        "if [ \"$1\" \\< \"$2\" ]; then better=$1 worse=$2; else better=$2 "
                        "worse=$1; fi\n"
                        "[ $((n % 10)) -lt 9 ] && winner=$better || winner=$worse\n" +
                        say_winner());
  }
  CommandResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--arms", "d,b,a,c", "--json"});
    return duel(std::move(arguments));
  }
};

TEST_F(GoalsCommand, finds_a_set_and_verifies_it_from_the_log) {
  const CommandResult result = run({"--goal", "set", "--top", "2", "--name", "x"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["goal"], "set of 2");
  Names named = json["named"].get<Names>();
  std::sort(named.begin(), named.end());
  EXPECT_EQ(named, (Names{"a", "b"}));
  EXPECT_TRUE(json["winner"].is_null());
  EXPECT_EQ(json["policy"], "certify(alpha=0.05,goal=set,k=2)");
  const Json begin = records("x.duel.jsonl").front();
  EXPECT_EQ(begin["goal"], "set");
  EXPECT_EQ(begin["top"], 2);
  EXPECT_FALSE(begin.contains("assume"));
  const CommandResult verified = verify("x.duel.jsonl", {"x.certificate.json"});
  EXPECT_EQ(verified.exit_code, 0) << verified.out;
  // A certificate that names another arm is found out.
  std::string forged = text_of("x.certificate.json");
  const std::size_t at = forged.find("\"named\": [");
  forged.replace(forged.find('"', at + 10), 3, "\"c\"");
  write("forged.json", forged);
  const CommandResult mismatch = verify("x.duel.jsonl", {"forged.json"});
  EXPECT_EQ(mismatch.exit_code, 5);
  EXPECT_NE(mismatch.out.find("named/0: the certificate says \"c\""), std::string::npos)
      << mismatch.out;
}

TEST_F(GoalsCommand, finds_the_order_of_the_first_and_of_all) {
  const CommandResult order = run({"--goal", "order", "--top", "2", "--name", "o"});
  ASSERT_EQ(order.exit_code, 0) << order.err;
  EXPECT_EQ(Json::parse(order.out)["named"].get<Names>(), (Names{"a", "b"}));
  const CommandResult ranking = run({"--goal", "ranking", "--name", "r", "--parallel", "3"});
  ASSERT_EQ(ranking.exit_code, 0) << ranking.err;
  EXPECT_EQ(Json::parse(ranking.out)["named"].get<Names>(), (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(verify("r.duel.jsonl", {"r.certificate.json"}).exit_code, 0);
  EXPECT_EQ(records("r.duel.jsonl").back()["reason"], "certified");
  const CommandResult shown =
      run_duel({"result", "r.duel.jsonl"}, {.directory = directory_.path()});
  EXPECT_TRUE(shown.out.starts_with("The arms in order, the best first, are 'a', 'b', 'c', 'd': "))
      << shown.out;
}

TEST_F(GoalsCommand, writes_what_is_taken_for_granted_into_log_and_certificate) {
  const CommandResult result =
      run({"--goal", "set", "--top", "2", "--assume", "order", "--name", "x"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(records("x.duel.jsonl").front()["assume"], "order");
  const Json certificate = Json::parse(text_of("x.certificate.json"));
  EXPECT_EQ(certificate["rule"]["assume"], "order");
  EXPECT_EQ(certificate["findings"][0]["threshold"], "22");
  EXPECT_NE(certificate["statement"].get<std::string>().find("assumes that the arms have an order"),
            std::string::npos);
  EXPECT_EQ(verify("x.duel.jsonl", {"x.certificate.json"}).exit_code, 0);
  // Without it the log is of another experiment.
  const CommandResult other = run({"--goal", "set", "--top", "2", "--name", "x"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("its goal is set of 2, the arms taken to have an order, not set of 2"),
            std::string::npos)
      << other.err;
}

TEST_F(GoalsCommand, finds_an_arm_that_is_good_enough) {
  const CommandResult result = run({"--goal", "epsilon", "--epsilon", "0.1", "--name", "x"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["winner"], "a");
  EXPECT_EQ(Json::parse(result.out)["certificate"]["kind"], "epsilon");
  EXPECT_EQ(verify("x.duel.jsonl", {"x.certificate.json"}).exit_code, 0);
}

TEST_F(GoalsCommand, ends_undecided_with_what_is_open_and_goes_on) {
  const CommandResult few =
      run({"--goal", "ranking", "--policy", "uniform", "--name", "x", "--max-duels", "45"});
  ASSERT_EQ(few.exit_code, 3) << few.err;
  const Json json = Json::parse(few.out);
  EXPECT_EQ(json["order"]["named"], 4);
  EXPECT_LT(json["order"]["pairs_shown"], 6);
  EXPECT_NE(json["verdict"].get<std::string>().find(" open, so far "), std::string::npos)
      << json["verdict"];
  const CommandResult result = run({"--goal", "ranking", "--policy", "uniform", "--name", "x"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// The last two are even, and all else is clear: one pair of ten stays open.
TEST_F(GoalsCommand, says_which_places_of_an_order_are_certified_while_one_pair_is_open) {
  script("even",
         "case $1$2 in de|ed) echo tie; exit;; esac\n"
         "[ \"$1\" \\< \"$2\" ] && echo first || echo second\n");
  const CommandResult result =
      duel({"--judge", "./even", "--arms", "d,b,a,e,c", "--goal", "ranking", "--name", "x",
            "--policy", "uniform", "--max-duels", "400", "--json"});
  ASSERT_EQ(result.exit_code, 3) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["order"]["certain"], 3);
  EXPECT_EQ(json["order"]["pairs_shown"], 9);
  EXPECT_EQ(json["order"]["pairs_needed"], 10);
  const std::string certified = "1. a, 2. b, 3. c (certified); 4 to 5 open, so far ";
  EXPECT_TRUE(contains(json["verdict"], certified)) << json["verdict"];
  const CommandResult shown =
      run_duel({"result", "x.duel.jsonl", "--json"}, {.directory = directory_.path()});
  EXPECT_EQ(Json::parse(shown.out)["order"]["certain"], 3);
  EXPECT_TRUE(contains(Json::parse(shown.out)["verdict"], certified)) << shown.out;
}

// K/alpha, since tasks reach several pairs; each counts once for a pair.
TEST_F(GoalsCommand, takes_tasks_and_asks_for_more_evidence) {
  std::string tasks;
  for (int k = 0; k < 200; ++k) tasks += "{\"question\":" + std::to_string(k) + "}\n";
  write("tasks.jsonl", tasks);
  const CommandResult result =
      run({"--goal", "order", "--top", "2", "--name", "x", "--tasks", "tasks.jsonl"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json certificate = Json::parse(text_of("x.certificate.json"));
  EXPECT_EQ(certificate["findings"][0]["threshold"], "80");
  EXPECT_EQ(verify("x.duel.jsonl", {"x.certificate.json"}).exit_code, 0);
  write("few.jsonl", "{\"question\":1}\n{\"question\":2}\n");
  const CommandResult few =
      run({"--goal", "order", "--top", "2", "--name", "y", "--tasks", "few.jsonl"});
  EXPECT_EQ(few.exit_code, 3);
  EXPECT_NE(few.err.find("has used every task"), std::string::npos) << few.err;
}

TEST_F(GoalsCommand, says_what_does_not_fit) {
  const auto complaint = [&](std::vector<std::string> arguments) {
    const CommandResult result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_NE(complaint({"--goal", "set"}).find("--top: is missing"), std::string::npos);
  EXPECT_NE(
      complaint({"--goal", "set", "--top", "4"}).find("--top: the top 4 of 4 arms leaves none out"),
      std::string::npos);
  EXPECT_NE(complaint({"--goal", "ranking", "--top", "2"}).find("--top: belongs to"),
            std::string::npos);
  EXPECT_NE(complaint({"--goal", "epsilon"}).find("--epsilon: is missing"), std::string::npos);
  EXPECT_NE(complaint({"--epsilon", "0.1"}).find("--epsilon: belongs to"), std::string::npos);
  EXPECT_NE(complaint({"--goal", "borda", "--assume", "order"}).find("--assume: "),
            std::string::npos);
}

TEST_F(GoalsCommand, plans_leagues_results_and_imports_have_them) {
  const auto out = [&](std::vector<std::string> arguments) {
    const CommandResult result = run_duel(arguments, {.directory = directory_.path()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  const Json plan = Json::parse(out({"plan", "--matrix", "arithmetic(k=4,step=0.1)", "--goal",
                                     "set", "--top", "2", "--trials", "5", "--json"}));
  EXPECT_EQ(plan["goal"], "set");
  EXPECT_EQ(plan["top"], 2);
  EXPECT_EQ(plan["policies"][0]["winner_certified"], 5);
  const Json league =
      Json::parse(out({"league", "--certificates", "--goal", "ranking", "--matrix",
                       "arithmetic(k=3,step=0.2)", "--policy", "auto", "--trials", "3", "--json"}));
  EXPECT_EQ(league["goal"], "ranking");
  std::string rows = "first,second,winner\n";
  for (int k = 0; k < 20; ++k) rows += "x,y,x\ny,x,x\nx,z,x\nz,x,x\ny,z,y\nz,y,y\n";
  write("t.csv", rows);
  EXPECT_TRUE(out({"result", "t.csv", "--goal", "ranking"})
                  .starts_with("The arms in order, the best first, are 'x', 'y', 'z'"));
  out({"import", "t.csv", "-o", "t.jsonl", "--goal", "order", "--top", "1"});
  EXPECT_NE(out({"verify", "--log", "t.jsonl"}).find("The top 1 is 'x'"), std::string::npos);
  const CommandResult twice =
      run_duel({"result", "t.jsonl", "--goal", "ranking"}, {.directory = directory_.path()});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_NE(twice.err.find("a log has a goal of its own"), std::string::npos) << twice.err;
}

}  // namespace
}  // namespace duel
