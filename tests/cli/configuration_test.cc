// flag > study file > DUEL_* variable > ./duel.toml > $XDG_CONFIG_HOME/duel/config.toml
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

class Configuration : public testing::Test {
 protected:
  Configuration() { std::filesystem::create_directories(place_ / "config/duel"); }

  void project(const std::string& text) { place_.write("duel.toml", text); }
  void user(const std::string& text) { place_.write("config/duel/config.toml", text); }

  CommandResult run(std::vector<std::string> arguments,
                    std::map<std::string, std::optional<std::string>> variables = {}) {
    variables.try_emplace("XDG_CONFIG_HOME", place_ / "config");
    return run_duel(arguments, {.directory = place_.path(), .variables = variables});
  }
  // The JSON of a tiny study with `more` arguments.
  nlohmann::json simulate(const std::vector<std::string>& more,
                          const std::map<std::string, std::optional<std::string>>& variables = {}) {
    std::vector<std::string> arguments = {"simulate", "--policy", "uniform",
                                          "--matrix", "arxiv",    "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = run(arguments, variables);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }

  TemporaryDirectory place_;
};

TEST_F(Configuration, each_place_is_overruled_by_the_next) {
  user("[simulate]\nrounds = 11\ntrials = 2\nseed = 5\n");
  EXPECT_EQ(simulate({})["rounds"], 11);
  project("[simulate]\nrounds = 22\n");
  EXPECT_EQ(simulate({})["rounds"], 22);
  EXPECT_EQ(simulate({})["trials"], 2) << "what duel.toml does not say comes from the user's file";
  EXPECT_EQ(simulate({}, {{"DUEL_ROUNDS", "33"}})["rounds"], 33);
  const std::string study = place_.write("study.toml", "rounds = 44\n");
  EXPECT_EQ(simulate({study}, {{"DUEL_ROUNDS", "33"}})["rounds"], 44);
  EXPECT_EQ(simulate({study, "--rounds", "55"}, {{"DUEL_ROUNDS", "33"}})["rounds"], 55);
  EXPECT_EQ(simulate({"--rounds", "55"}, {{"DUEL_ROUNDS", "33"}})["rounds"], 55);
  EXPECT_EQ(simulate({}, {{"DUEL_ROUNDS", ""}})["rounds"], 22) << "an empty variable is not set";
}

TEST_F(Configuration, every_plain_option_of_simulate_has_a_variable) {
  const std::map<std::string, std::optional<std::string>> variables = {
      {"DUEL_POLICY", "rmed2fh,uniform"},
      {"DUEL_MATRIX", "cyclic"},
      {"DUEL_ROUNDS", "1e2"},
      {"DUEL_TRIALS", "3"},
      {"DUEL_SEED", "9"},
      {"DUEL_CHECKPOINTS", "10,50"},
      {"DUEL_REGRET", "weak,average"},
      {"DUEL_THREADS", "1"},
      {"DUEL_HORIZON_PER_CHECKPOINT", "1"},
      {"DUEL_TRIALS_CSV", "true"}};
  const CommandResult result = run({"simulate", "--json", "-o", "out"}, variables);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["matrix"], "cyclic");
  EXPECT_EQ(json["rounds"], 100);
  EXPECT_EQ(json["trials"], 3);
  EXPECT_EQ(json["seed"], 9);
  ASSERT_EQ(json["policies"].size(), 2U);
  EXPECT_TRUE(contains(json["policies"][0]["policy"].get<std::string>(), "horizon=checkpoint"));
  const auto& checkpoints = json["policies"][0]["checkpoints"];
  ASSERT_EQ(checkpoints.size(), 3U);
  EXPECT_EQ(checkpoints[0]["round"], 10);
  EXPECT_TRUE(checkpoints[0]["regret"].contains("weak"));
  EXPECT_TRUE(std::filesystem::exists(place_ / "out/trials.csv"));
}

TEST_F(Configuration, files_take_numbers_texts_lists_and_flags) {
  project(
      "[simulate]\nrounds = 1e2\ntrials = \"4\"\ncheckpoints = [10, \"2e1\"]\n"
      "regret = [\"average\", \"weak\"]\nhorizon-per-checkpoint = false\nthreads = 1\n");
  const auto json = simulate({});
  EXPECT_EQ(json["rounds"], 100);
  EXPECT_EQ(json["trials"], 4);
  EXPECT_EQ(json["policies"][0]["checkpoints"].size(), 3U);
  EXPECT_TRUE(json["policies"][0]["checkpoints"][0]["regret"].contains("weak"));
}

TEST_F(Configuration, the_users_file_is_found_in_the_home_directory) {
  std::filesystem::create_directories(place_ / "home/.config/duel");
  place_.write("home/.config/duel/config.toml", "[simulate]\nrounds = 77\ntrials = 2\n");
  const auto json = simulate({}, {{"XDG_CONFIG_HOME", std::nullopt}, {"HOME", place_ / "home"}});
  EXPECT_EQ(json["rounds"], 77);
}

TEST_F(Configuration, plot_reads_its_own_table) {
  ASSERT_EQ(run({"simulate", "--policy", "uniform", "--matrix", "arxiv", "--rounds", "100",
                 "--trials", "2", "--regret", "average,weak", "-o", "out"})
                .exit_code,
            0);
  project("[plot]\nregret = \"weak\"\nformat = \"gnuplot\"\n");
  EXPECT_TRUE(contains(run({"plot", "out", "-o", "-"}).out, "cumulative regret (weak)"));
  EXPECT_TRUE(contains(run({"plot", "out", "-o", "-", "--regret", "average"}).out,
                       "cumulative regret (average)"));
}

TEST_F(Configuration, mistakes_name_their_place_and_the_nearest_spelling) {
  struct Mistake {
    std::string file;  // content of duel.toml
    std::map<std::string, std::optional<std::string>> variables;
    std::string message;
  };
  const std::vector<Mistake> cases = {
      {"", {{"DUEL_ROUNDS", "0"}}, "duel: error: DUEL_ROUNDS: 0 is not possible here"},
      {"",
       {{"DUEL_POLICY", "rubc"}},
       "DUEL_POLICY: there is no policy 'rubc' (did you mean 'rucb'?"},
      {"", {{"DUEL_TRIALS_CSV", "perhaps"}}, "DUEL_TRIALS_CSV: 'perhaps' is not a value"},
      {"[simulate]\ntrials = 5\nrounds = -1\n", {}, "duel.toml:3: rounds: -1 is not possible here"},
      {"[simulate]\nronds = 5\n",
       {},
       "duel.toml:2: ronds: 'duel simulate' has no such setting (did "
       "you mean 'rounds'?"},
      {"[simulate]\nthreads = {a = 1}\n", {}, "duel.toml:2: threads: is not a text, a number"},
      {"[simulte]\nrounds = 5\n",
       {},
       "duel.toml:1: there is no command 'simulte' (did you mean "
       "'simulate'?"},
      {"rounds = 5\n",
       {},
       "duel.toml:1: 'rounds' is outside a table (settings live in the table "
       "of a command, such as [simulate])"},
      {"[simulate\n", {}, "duel.toml:1: "},
      {"[[[\n", {}, "duel.toml:1: "},
      {"[simulate]\nründs = 5\n", {}, "duel.toml:2: "},
      {"[simulate]\n\"ründs\" = 5\n", {}, "duel.toml:2: ründs: 'duel simulate' has no such"},
      {"[simulate]\npolicy = \"\xff\"\n", {}, "duel.toml:2: the text is not UTF-8"},
  };
  for (const Mistake& mistake : cases) {
    project(mistake.file);
    std::vector<std::string> arguments = {"simulate", "--matrix", "arxiv"};
    if (!mistake.variables.contains("DUEL_POLICY")) {
      arguments.insert(arguments.end(), {"--policy", "uniform"});
    }
    const CommandResult result = run(arguments, mistake.variables);
    EXPECT_EQ(result.exit_code, 2) << mistake.message;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contains(result.err, mistake.message)) << mistake.message << "\n" << result.err;
  }
}

TEST_F(Configuration, the_table_of_a_command_holds_for_the_commands_below_it) {
  project("[experiment]\nstore = \"mine.db\"\n[token]\nstore = \"mine.db\"\n");
  const std::map<std::string, std::optional<std::string>> elsewhere = {
      {"XDG_STATE_HOME", place_ / "state"}};
  ASSERT_EQ(run({"experiment", "new", "logo", "--arms", "a,b"}, elsewhere).exit_code, 0);
  EXPECT_TRUE(contains(run({"experiment", "list"}, elsewhere).out, "logo"));
  EXPECT_TRUE(contains(run({"experiment", "arms", "list", "logo"}, elsewhere).out, "active"));
  ASSERT_EQ(run({"token", "create", "--scope", "admin"}, elsewhere).exit_code, 0);
  EXPECT_TRUE(contains(run({"token", "list"}, elsewhere).out, "admin"));
  EXPECT_TRUE(std::filesystem::exists(place_ / "mine.db"));
  EXPECT_FALSE(std::filesystem::exists(place_ / "state/duel/duel.db"))
      << "a token of another store lets nobody in";
}

TEST_F(Configuration, the_table_of_a_command_overrules_those_of_the_commands_above_it) {
  project("[token]\nstore = \"all.db\"\n[token.create]\nstore = \"made.db\"\n");
  ASSERT_EQ(run({"token", "create", "--scope", "admin"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(place_ / "made.db"));
  EXPECT_EQ(run({"token", "list"}).exit_code, 1) << "there is no store all.db";
  // What holds for some of the commands below only is of no use to the others.
  project("[experiment.new]\nstore = \"made.db\"\n");
  EXPECT_TRUE(contains(run({"experiment", "list"}, {{"XDG_STATE_HOME", place_ / "state"}}).err,
                       "there is no store"));
}

TEST_F(Configuration, a_setting_that_no_command_takes_is_a_mistake_whichever_command_runs) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[token]\nstor = \"x.db\"\n",
       "duel.toml:2: stor: 'duel token' has no such setting (did you mean 'store'?"},
      {"[experiment]\nstore = \"x.db\"\n[experiment.nwe]\nstore = \"y.db\"\n",
       "duel.toml:3: nwe: 'duel experiment' has no such setting (did you mean 'new'?"},
      {"[experiment.arms.add]\nserve = \"http://127.0.0.1:1\"\n",
       "duel.toml:2: serve: 'duel experiment arms add' has no such setting (did you mean "
       "'server'?"},
      {"[tokens]\nstore = \"x.db\"\n",
       "duel.toml:1: there is no command 'tokens' (did you mean 'token'?"},
      {"[plot]\nregrte = \"weak\"\n",
       "duel.toml:2: regrte: 'duel plot' has no such setting (did you mean 'regret'?"},
  };
  for (const auto& [file, message] : cases) {
    project(file);
    const CommandResult result = run({"token", "create", "--scope", "admin"});
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contains(result.err, message)) << message << "\n" << result.err;
  }
}

TEST_F(Configuration, commands_without_settings_do_not_read_the_files) {
  project("not toml at all");
  EXPECT_EQ(run({"version"}).exit_code, 0);
  EXPECT_EQ(run({"policies"}).exit_code, 0);
}

}  // namespace
}  // namespace duel
