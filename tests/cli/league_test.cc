#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

constexpr const char* kTwoArms = "good,bad\n0.5,0.8\n0.2,0.5\n";
// Nobody beats everybody; the first two are the Copeland winners.
constexpr const char* kCircle =
    "a,b,c,d\n0.5,0.8,0.3,0.9\n0.2,0.5,0.8,0.9\n0.7,0.2,0.5,0.4\n0.1,0.1,0.6,0.5\n";

class LeagueCommand : public testing::Test {
 protected:
  LeagueCommand() {
    std::filesystem::create_directory(place_ / "tiny");
    place_.write("tiny/two.csv", kTwoArms);
    place_.write("tiny/circle.csv", kCircle);
  }
  CommandResult league(const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"league"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    CommandOptions options;
    options.directory = place_.path();
    return run_duel(all, options);
  }

  TemporaryDirectory place_;
};

TEST_F(LeagueCommand, plays_all_policies_on_a_directory_and_writes_its_files) {
  const CommandResult result = league({"--quick", "--matrices", "tiny", "--no-built-in", "--rounds",
                                       "300", "--trials", "4", "--seed", "2", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "circle: 4 arms, no Condorcet winner; copeland regret"));
  EXPECT_TRUE(contains(result.out, "two: 2 arms, Condorcet winner good; average regret"));
  EXPECT_TRUE(contains(result.out, "Ranking over 2 problems"));
  EXPECT_TRUE(contains(result.out, "imed"));
  const std::string csv = content_of(place_ / "out/league.csv");
  EXPECT_EQ(csv.rfind("problem,num_arms,policy,regret,", 0), 0U);
  EXPECT_TRUE(contains(csv, "\ntwo,2,rucb,average,300,4,2,"));
  EXPECT_TRUE(contains(content_of(place_ / "out/ranking.csv"), "\nrucb,"));
  EXPECT_EQ(nlohmann::json::parse(content_of(place_ / "out/league.json"))["problems"].size(), 2U);
  if (has_gnuplot()) {
    EXPECT_EQ(content_of(place_ / "out/league.svg").rfind("<?xml", 0), 0U);
    EXPECT_EQ(content_of(place_ / "out/league.png").rfind("\x89PNG", 0), 0U);
  }
  // The directory is not overwritten by accident.
  const std::vector<std::string> again = {"--matrix", "tiny/two.csv", "--policy", "uniform",
                                          "--rounds", "10",           "-o",       "out"};
  const CommandResult refused = league(again);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(contains(refused.err, "--force to replace")) << refused.err;
}

TEST_F(LeagueCommand, prints_json) {
  const CommandResult result =
      league({"--quick", "--matrix", "tiny/two.csv,arithmetic(k=3,step=0.1)", "--policy",
              "rucb,uniform", "--rounds", "100", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["trials"], 20);
  EXPECT_EQ(json["rounds"], 100);
  EXPECT_EQ(json["problems"][1]["problem"], "arithmetic(k=3,step=0.1)");
  EXPECT_EQ(json["ranking"][0]["rank"], 1);
}

TEST_F(LeagueCommand, ranks_by_duels_to_a_certificate_and_writes_its_files) {
  const CommandResult result =
      league({"--certificates", "--matrices", "tiny", "--no-built-in", "--policy", "auto,uniform",
              "--trials", "5", "--max-duels", "2e4", "--seed", "2", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "two: 2 arms, condorcet winner good; level 0.05"));
  EXPECT_TRUE(contains(result.out, "circle: 4 arms, condorcet winner none; level 0.05"));
  EXPECT_TRUE(contains(result.out, "Ranking by duels to a certificate over 2 problems"));
  EXPECT_TRUE(contains(result.out, "round-robin"));
  const std::string csv = content_of(place_ / "out/certificates.csv");
  EXPECT_EQ(csv.rfind("problem,num_arms,policy,goal,alpha,", 0), 0U);
  EXPECT_TRUE(contains(csv, "\ntwo,2,auto,condorcet,0.05,20000,5,2,")) << csv;
  EXPECT_TRUE(contains(content_of(place_ / "out/ranking.csv"), "\nauto,"));
  EXPECT_TRUE(contains(content_of(place_ / "out/certificates.md"), "| problem | arms |"));
  EXPECT_EQ(nlohmann::json::parse(content_of(place_ / "out/certificates.json"))["problems"].size(),
            2U);
  // Neither kind of league overwrites the other's directory by accident.
  const CommandResult refused =
      league({"--matrix", "tiny/two.csv", "--policy", "uniform", "--rounds", "10", "-o", "out"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(contains(refused.err, "--force to replace")) << refused.err;
}

TEST_F(LeagueCommand, certifies_the_winner_of_the_goal) {
  const CommandResult result =
      league({"--certificates", "--quick", "--goal", "borda", "--alpha", "0.1", "--matrix",
              "tiny/circle.csv", "--policy", "uniform", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["goal"], "borda");
  EXPECT_EQ(json["alpha"], 0.1);
  EXPECT_EQ(json["trials"], 20);
  EXPECT_EQ(json["max_duels"], 10000);
  // Sums against the others: a 2.0, b 1.9, c 1.3, d 0.8.
  EXPECT_EQ(json["problems"][0]["winners"], nlohmann::json::array({"a"}));
}

TEST_F(LeagueCommand, plays_policies_that_stop_by_themselves_until_they_do) {
  const CommandResult result =
      league({"--identification", "--matrices", "tiny", "--no-built-in", "--policy",
              "certify,select,noisy-tournament", "--trials", "4", "--seed", "1", "--alpha", "0.1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "noisy-tournament")) << result.out;
  EXPECT_TRUE(contains(result.out, "certify")) << result.out;
  EXPECT_TRUE(contains(result.out, "own stop")) << result.out;
}

TEST_F(LeagueCommand, plays_where_preferences_change) {
  const CommandResult result = league({"--changes", "0,2", "--matrix", "arxiv", "--policy",
                                       "imed,watch", "--rounds", "300", "--trials", "3", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["problems"].size(), 2U);
  EXPECT_EQ(json["problems"][0]["problem"], "arxiv");
  EXPECT_TRUE(contains(json["problems"][1]["problem"].get<std::string>(), "changes=2"));
  // Problems and policies of its own.
  const CommandResult field = league({"--changes", "1", "--rounds", "60", "--trials", "2"});
  EXPECT_EQ(field.exit_code, 0) << field.err;
  EXPECT_TRUE(contains(field.out, "sparring-exp3s")) << field.out;
  EXPECT_TRUE(contains(field.out, "Ranking over 4 problems")) << field.out;
}

TEST_F(LeagueCommand, plays_on_arms_with_features_and_on_contexts) {
  const CommandResult result =
      league({"--features", "--matrix",
              "linear(k=4,d=2,seed=1,scale=5),linear(k=4,d=2,seed=1,scale=5,fresh=true)",
              "--rounds", "60", "--trials", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "utility regret")) << result.out;
  EXPECT_TRUE(contains(result.out, "lin-maxinp(width=0.25)")) << result.out;
  EXPECT_TRUE(contains(result.out, "Ranking over 2 problems")) << result.out;
}

TEST_F(LeagueCommand, plays_in_batches) {
  const CommandResult result = league({"--batch", "1,50", "--matrix", "tiny/two.csv", "--policy",
                                       "imed,pcomp", "--rounds", "300", "--trials", "3", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["problems"].size(), 2U);
  EXPECT_EQ(json["problems"][1]["problem"], "two in batches of 50");
  const CommandResult certificates =
      league({"--certificates", "--batch", "10", "--matrix", "tiny/two.csv", "--policy", "uniform",
              "--trials", "3", "--max-duels", "2000"});
  EXPECT_EQ(certificates.exit_code, 0) << certificates.err;
}

TEST_F(LeagueCommand, ranks_nobody_who_is_wrong_too_often) {
  const std::vector<std::string> run = {"--matrix", "arxiv", "--policy", "uniform",
                                        "--rounds", "20",    "--trials", "30"};
  const CommandResult strict = league(run);
  EXPECT_EQ(strict.exit_code, 0) << strict.err;
  EXPECT_FALSE(contains(strict.out, "leads")) << strict.out;
  EXPECT_TRUE(contains(strict.out, "unranked")) << strict.out;
  std::vector<std::string> lenient = run;
  lenient.insert(lenient.end(), {"--max-wrong", "1"});
  const CommandResult all = league(lenient);
  EXPECT_TRUE(contains(all.out, "leads")) << all.out;
  EXPECT_FALSE(contains(all.out, "unranked")) << all.out;
}

TEST_F(LeagueCommand, explains_what_is_wrong) {
  std::filesystem::create_directory(place_ / "empty");
  std::filesystem::create_directory(place_ / "bad");
  place_.write("bad/broken.csv", "a,b\n0.5,0.7\n");
  struct Wrong {
    std::vector<std::string> arguments;
    int exit_code;
    std::string message;
  };
  const std::vector<Wrong> cases = {
      {{"--matrices", "none"}, 1, "none: cannot read the directory: No such file or directory"},
      {{"--matrices", "empty"}, 1, "empty: there is no matrix (*.csv) in the directory"},
      {{"--matrices", "bad"}, 1, "bad/broken.csv"},
      {{"--matrix", "arxvi"}, 2, "did you mean 'arxiv'?"},
      {{"--policy", "rubc"}, 2, "did you mean 'rucb'?"},
      {{"--policy", "rucb,"}, 2, "--policy"},
      {{"--no-built-in"}, 2, "add --matrices DIR"},
      {{"--force"}, 2, "add -o DIR"},
      {{"--rounds", "0"}, 2, "--rounds"},
      {{"--goal", "borda"}, 2, "add --certificates"},
      {{"--certificates", "--goal", "bordo"}, 2, "did you mean 'borda'?"},
      {{"--certificates", "--rounds", "10"}, 2, "--max-duels"},
      {{"--certificates", "--alpha", "0.7"}, 2, "0 < alpha < 0.5"},
      {{"--certificates", "--identification"}, 2, "--identification"},
      {{"--max-wrong", "2"}, 2, "--max-wrong"},
      {{"--certificates", "--max-wrong", "0.1"}, 2, "ranks by duels alone"},
      {{"--certificates", "--changes", "1"}, 2, "what changes has no winner"},
      {{"--certificates", "--features"}, 2, "takes no features"},
      {{"--identification", "--batch", "10"}, 2, "one duel at a time"},
      {{"--changes", "1", "--matrix", "linear(k=4,d=2,seed=1)"}, 1, "cannot exchange their places"},
      {{"--identification", "--goal", "borda"}, 2, "its own goal"},
      {{"--identification", "--rounds", "10"}, 2, "--max-duels"}};
  for (const Wrong& wrong : cases) {
    const CommandResult result = league(wrong.arguments);
    EXPECT_EQ(result.exit_code, wrong.exit_code) << wrong.message << "\n" << result.err;
    EXPECT_TRUE(contains(result.err, wrong.message)) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(LeagueCommand, shows_what_is_finished_when_interrupted) {
  CommandOptions options;
  options.directory = place_.path();
  // The first policy jumps to the end at once, the second would play for an hour.
  const CommandResult result =
      run_interrupted({"league", "--matrix", "tiny/two.csv", "--policy", "rmed1,sparring-ucb",
                       "--rounds", "1e10", "--trials", "2", "-q", "-o", "out"},
                      options, [&](const CommandResult&) {
                        return contains(content_of(place_ / "out/league.csv"), "rmed1");
                      });
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_TRUE(contains(result.err, "interrupted: showing only what finished")) << result.err;
  EXPECT_TRUE(contains(result.out, "not finished, so it does not count")) << result.out;
  const std::string csv = content_of(place_ / "out/league.csv");
  EXPECT_TRUE(contains(csv, "\ntwo,2,rmed1,average,10000000000,2,0,")) << csv;
  EXPECT_FALSE(contains(csv, "sparring"));
}

}  // namespace
}  // namespace duel
