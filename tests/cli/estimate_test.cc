#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using Json = nlohmann::json;
using Strings = std::vector<std::string>;

const char* const kData = "synthetic(queries=8,documents=6,features=3,grades=3,seed=2)";

class EstimateCommand : public ::testing::Test {
 protected:
  CommandResult run(Strings arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(), "estimate");
    return run_duel(arguments, {.input = input, .directory = place_.path()});
  }
  TemporaryDirectory place_;
};

TEST_F(EstimateCommand, writes_a_matrix_that_the_other_commands_read) {
  const CommandResult result =
      run({"--data", kData, "--comparisons", "200", "-o", "m.csv", "--pairs", "pairs.csv"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "3 rankers, 8 queries, lists of 10 by probabilistic"));
  EXPECT_TRUE(contains(result.out, "3 pairs, 200 comparisons each"));
  const std::string pairs = content_of(place_ / "pairs.csv");
  EXPECT_TRUE(
      pairs.starts_with("first,second,comparisons,first_wins,second_wins,ties,no_feedback,"
                        "no_contest,probability,standard_error\nf1,f2,200,"))
      << pairs;
  const CommandResult shown = run_duel({"matrix", "show", place_ / "m.csv", "--json"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(Json::parse(shown.out)["arms"], (Strings{"f1", "f2", "f3"}));
}

TEST_F(EstimateCommand, prints_the_matrix_where_no_file_is_named) {
  const CommandResult result = run({"--data", kData, "--interleave", "team-draft", "--exact"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("f1,f2,f3\n0.5,")) << result.out;
}

TEST_F(EstimateCommand, json_holds_counts_errors_and_judged_quality) {
  const CommandResult result = run({"--data", kData, "--comparisons", "300", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["queries"], 8);
  EXPECT_EQ(json["comparisons"], 300);
  EXPECT_EQ(json["clicks"], "navigational");
  EXPECT_EQ(json["rankers"].size(), 3U);
  EXPECT_GT(json["rankers"][0]["ndcg"], 0.0);
  ASSERT_EQ(json["pairs"].size(), 3U);
  const Json& pair = json["pairs"][0];
  const double wins = pair["first_wins"], losses = pair["second_wins"];
  EXPECT_EQ(wins + losses + pair["ties"].get<double>() + pair["no_feedback"].get<double>() +
                pair["no_contest"].get<double>(),
            300);
  EXPECT_DOUBLE_EQ(pair["probability"], 0.5 + (wins - losses) / 600);
  EXPECT_DOUBLE_EQ(json["matrix"][0][1], pair["probability"]);
  EXPECT_GT(pair["standard_error"], 0.0);
}

TEST_F(EstimateCommand, ties_may_be_dropped) {
  const Strings common = {"--data", kData, "--comparisons", "300", "--json"};
  Strings arguments = common;
  arguments.insert(arguments.end(), {"--ties", "drop"});
  const CommandResult result = run(arguments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json pair = Json::parse(result.out)["pairs"][0];
  const double wins = pair["first_wins"], losses = pair["second_wins"];
  EXPECT_DOUBLE_EQ(pair["probability"], wins / (wins + losses));
}

TEST_F(EstimateCommand, results_depend_on_the_seed_and_not_on_the_threads) {
  const auto estimate = [&](const std::string& seed, const std::string& threads) {
    return run({"--data", kData, "--comparisons", "100", "--seed", seed, "--threads", threads}).out;
  };
  EXPECT_EQ(estimate("1", "1"), estimate("1", "5"));
  EXPECT_NE(estimate("1", "1"), estimate("2", "1"));
}

TEST_F(EstimateCommand, reads_files_and_standard_input_and_linear_rankers) {
  const std::string letor = "1 qid:1 1:2 2:1\n0 qid:1 1:1 2:2\n0 qid:2 1:1 2:3\n1 qid:2 1:0 2:1\n";
  place_.write("data.txt", letor);
  place_.write("rankers.txt", "up 1:1\ndown -1 0\nother 2:1\n");
  const Strings rest = {"--rankers", "rankers.txt", "--interleave", "team-draft", "--exact"};
  Strings arguments = {"--data", "data.txt"};
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  const CommandResult file = run(arguments);
  ASSERT_EQ(file.exit_code, 0) << file.err;
  EXPECT_TRUE(file.out.starts_with("up,down,other\n"));
  arguments[1] = "-";
  EXPECT_EQ(run(arguments, letor).out, file.out);
}

TEST_F(EstimateCommand, warns_of_rankers_that_are_hardly_told_apart) {
  place_.write("twins.txt", "a 1:1\nb 1:2\n");
  const CommandResult result =
      run({"--data", kData, "--rankers", "twins.txt", "--comparisons", "50", "-o", "m.csv"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(
      result.err, "1 of 1 pairs of rankers show lists that can distinguish them in less than 30 %"))
      << result.err;
  EXPECT_EQ(content_of(place_ / "m.csv"), "a,b\n0.5,0.5\n0.5,0.5\n");
}

TEST_F(EstimateCommand, answers_bad_input) {
  place_.write("broken.txt", "1 qid:1 1:2\nx qid:1 1:3\n");
  place_.write("short.txt", "a 1:1\nb 7:1\n");
  struct Case {
    Strings arguments;
    int exit_code;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{}, 2, "the option --data is missing"},
      {{"--data", "absent.txt"}, 1, "--data: absent.txt: there is no such file"},
      {{"--data", "broken.txt"}, 1, "broken.txt:2"},
      {{"--data", "synthetic(queris=3)"}, 2, "(did you mean 'queries'?"},
      {{"--data", kData, "--clicks", "perfct"}, 2, "(did you mean 'perfect'?"},
      {{"--data", kData, "--interleave", "balancd"}, 2, "(did you mean 'balanced'?"},
      {{"--data", kData, "--rankers", "absent.txt"}, 1, "--rankers: "},
      {{"--data", kData, "--rankers", "short.txt"}, 1, "short.txt:2"},
      {{"--data", kData, "--rankers", "feature(index=1)"}, 2, "there is only one ranker"},
      {{"--data", kData, "--comparisons", "0"}, 2, "--comparisons: "},
      {{"--data", kData, "--length", "-1"}, 2, "--length: "},
      {{"--data", kData, "--ties", "both"}, 2, "--ties: "},
      {{"--data", kData, "--grades", "2"}, 2, "--grades: the data has 3 grades"},
      {{"--data", kData, "-o", "absent/m.csv"}, 1, "absent/m.csv: cannot be written"},
      {{"--data", kData, "--pairs", "-"}, 2, "--pairs: standard output is already in use"},
      {{"--data", "synthetic(documents=30,features=2)", "--exact"}, 1, "--exact: f1 against f2: "},
  };
  for (const Case& wrong : cases) {
    const CommandResult result = run(wrong.arguments);
    EXPECT_EQ(result.exit_code, wrong.exit_code) << wrong.message << '\n' << result.err;
    EXPECT_EQ(result.out, "") << wrong.message;
    EXPECT_TRUE(contains(result.err, wrong.message)) << wrong.message << '\n' << result.err;
  }
}

TEST_F(EstimateCommand, shows_no_raw_bytes_of_a_binary_file) {
  place_.write("data.bin", "\x89PNG\xff\xfe\x1b[2J data\n\x80\x81\n");
  const CommandResult result = run({"--data", "data.bin"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(contains(result.err, "\\x89PNG\\xff\\xfe\\x1b[2J")) << result.err;
  for (const char c : result.err) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << result.err;
}

TEST_F(EstimateCommand, an_interrupted_run_writes_nothing) {
  const CommandResult result = run_interrupted(
      {"estimate", "--data", "synthetic(queries=50,features=30)", "--comparisons", "1e8", "-o",
       place_ / "m.csv"},
      {}, [](const CommandResult& ended) { return contains(ended.err, "interrupted after "); });
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_TRUE(contains(result.err, "interrupted after ")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(place_ / "m.csv"));
}

TEST_F(EstimateCommand, merges_all_rankers_at_once_by_a_multileaver) {
  const CommandResult result = run({"--data", kData, "--interleave", "team-draft-multileave",
                                    "--comparisons", "3000", "-o", "m.csv", "--length", "4"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "team-draft-multileave")) << result.out;
}

}  // namespace
}  // namespace duel
