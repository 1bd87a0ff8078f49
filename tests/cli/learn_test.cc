#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using nlohmann::json;

const std::string kData = "synthetic(queries=30,documents=12,features=6)";

TEST(LearnCommand, reports_online_and_offline_ndcg_with_standard_errors) {
  const CommandResult result =
      run_duel({"learn", "--data", kData, "--learner", "dbgd(delta=1,gamma=0.05)", "--interleave",
                "team-draft", "--clicks", "perfect", "--impressions", "2e3", "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* part :
       {"dbgd(delta=1,gamma=0.05)", "30 queries", "6 features", "2000 impressions", "team-draft",
        "perfect users", "NDCG@10", "online, discounted by 0.9995", "online, mean",
        "offline, on the training queries", "offline at the start", "±"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  }
}

TEST(LearnCommand, shows_the_learning_curve) {
  const TemporaryDirectory directory;
  const std::string place = (directory.path() / "out").string();
  const std::vector<std::string> arguments = {
      "learn",         "--data", kData,      "--learner", "pdgd", "-q",
      "--impressions", "200",    "--trials", "4",         "-o",   place};
  const CommandResult text = run_duel(arguments);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* part : {"impressions  online since the line above", "\n         10  ",
                           "\n        100  ", "\n        200  "}) {
    EXPECT_TRUE(contains(text.out, part)) << part << "\n" << text.out;
  }
  EXPECT_FALSE(contains(text.out, "\n         50  ")) << text.out;

  const json summary = json::parse(content_of(place + "/learn.json"));
  const json& curve = summary["curve"];
  std::vector<int> impressions;
  double online = 0;
  for (const json& row : curve) {
    const int before = impressions.empty() ? 0 : impressions.back();
    impressions.push_back(row["impressions"]);
    online += row["online_ndcg"]["mean"].get<double>() * (impressions.back() - before) / 200;
  }
  EXPECT_EQ(impressions, (std::vector<int>{1, 2, 5, 10, 20, 50, 100, 200}));
  // The stretches add up to the whole, and the curve ends where the run does.
  EXPECT_NEAR(online, summary["online_mean_ndcg"]["mean"].get<double>(), 1e-12);
  EXPECT_EQ(curve.back()["offline_ndcg"], summary["offline_ndcg"]);
  EXPECT_EQ(curve.back()["online_discounted_ndcg"], summary["online_discounted_ndcg"]);
  EXPECT_GT(curve.back()["offline_ndcg"]["mean"], curve.front()["offline_ndcg"]["mean"]);
  EXPECT_GT(curve.front()["offline_ndcg"]["standard_error"], 0.0);

  const std::string csv = content_of(place + "/curve.csv");
  EXPECT_TRUE(csv.starts_with("learner,impressions,measure,mean,se,trials,seed\npdgd,1,online,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 3 * 8);
  EXPECT_TRUE(contains(csv, "\npdgd,200,offline,"));
}

TEST(LearnCommand, gives_the_same_on_any_number_of_threads) {
  for (const char* learner : {"dbgd(delta=1,gamma=0.05)", "mgd(candidates=3)", "nsgd", "pdgd"}) {
    const std::vector<std::string> arguments = {
        "learn",    "--data", kData,      "--learner",    learner,         "--json", "-q",
        "--trials", "3",      "--clicks", "navigational", "--impressions", "300"};
    auto one = arguments, many = arguments;
    one.insert(one.end(), {"--threads", "1"});
    many.insert(many.end(), {"--threads", "3"});
    const CommandResult first = run_duel(one), second = run_duel(many);
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_EQ(first.out, second.out) << learner;
    const json parsed = json::parse(first.out);
    EXPECT_EQ(parsed["trials"].size(), 3U);
    EXPECT_GT(parsed["offline_ndcg"]["mean"], 0.0);
    EXPECT_GE(parsed["offline_ndcg"]["standard_error"], 0.0);
  }
}

TEST(LearnCommand, follows_the_protocol_of_the_paper) {
  const CommandResult result =
      run_duel({"learn", "--data", kData, "--heldout", "synthetic(queries=20,features=6,seed=2)",
                "--compare", "ndcg-logistic", "--batch", "10", "--impressions", "500", "-q"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part :
       {"batch=10", "10 x NDCG@10 through the logistic link", "offline, on the held-out queries"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  }
}

TEST(LearnCommand, saves_the_model_and_goes_on_with_it) {
  const TemporaryDirectory directory;
  const std::string place = (directory.path() / "model").string();
  const std::vector<std::string> common = {"learn",  "--data",       kData, "--learner",
                                           "pdgd",   "--trials",     "2",   "-q",
                                           "--json", "--impressions"};
  auto part = common, whole = common;
  part.insert(part.end(), {"300", "-o", place});
  whole.emplace_back("700");
  ASSERT_EQ(run_duel(part).exit_code, 0);
  const json model = json::parse(content_of(place + "/model.json"));
  EXPECT_EQ(model["weights"].size(), 6U);
  EXPECT_EQ(model["learner"], "pdgd");
  std::ifstream weights(place + "/weights.txt");
  for (const json& weight : model["weights"]) {
    double value = 0;
    ASSERT_TRUE(weights >> value);
    EXPECT_EQ(value, weight.get<double>());
  }
  // The rankers can be compared as any others.
  EXPECT_EQ(run_duel({"estimate", "--data", kData, "--rankers", place + "/rankers.txt",
                      "--comparisons", "10", "-q"})
                .exit_code,
            0);
  const CommandResult resumed =
      run_duel({"learn", "--resume", place, "--impressions", "700", "--json", "-q"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(resumed.out, run_duel(whole).out);

  EXPECT_TRUE(contains(run_duel({"learn", "--resume", place, "--impressions", "300"}).err,
                       "700 impressions were played already"));
  EXPECT_TRUE(contains(run_duel({"learn", "--resume", place, "--seed", "4"}).err,
                       "--seed is taken from the saved run"));
  std::ofstream(place + "/states.bin") << "cut";
  EXPECT_TRUE(contains(run_duel({"learn", "--resume", place, "--impressions", "900"}).err,
                       "states.bin: the saved state is damaged or incomplete"));
  std::ofstream(place + "/learn.json") << "{}";
  EXPECT_TRUE(contains(run_duel({"learn", "--resume", place}).err,
                       "this is not the summary of a learning run"));
}

TEST(LearnCommand, compares_with_a_ranking_svm) {
  const TemporaryDirectory directory;
  const std::string place = (directory.path() / "svm").string();
  const CommandResult result =
      run_duel({"learn", "--data", kData, "--learner", "ranking-svm(c=0.1)", "-o", place, "-q"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"ranking-svm(c=0.1)", "sees the grades", "offline NDCG@10"}) {
    EXPECT_TRUE(contains(result.out, part)) << result.out;
  }
  const json model = json::parse(content_of(place + "/model.json"));
  EXPECT_EQ(model["weights"].size(), 6U);
  EXPECT_GT(model["offline_ndcg"], 0.7);
  EXPECT_TRUE(
      contains(run_duel({"learn", "--data", kData, "--learner", "ranking-svm", "--batch", "3"}).err,
               "learns from grades, not from duels"));
}

TEST(LearnCommand, leaves_a_state_to_resume_when_interrupted) {
  const TemporaryDirectory directory;
  const std::string place = (directory.path() / "model").string();
  const CommandResult stopped = run_interrupted(
      {"learn", "--data", kData, "--impressions", "1e10", "-o", place, "-q"}, {},
      [&](const CommandResult&) { return std::filesystem::exists(place + "/states.bin"); });
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_TRUE(contains(stopped.err, "continue with: duel learn --resume")) << stopped.err;
  EXPECT_TRUE(std::filesystem::exists(place + "/states.bin"));
}

TEST(LearnCommand, says_what_is_wrong) {
  const TemporaryDirectory directory;
  const auto error_of = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "learn");
    const CommandResult result = run_duel(arguments);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const auto file = [&](const std::string& text) {
    const std::string path = (directory.path() / "data.txt").string();
    std::ofstream(path) << text;
    return path;
  };
  EXPECT_TRUE(contains(error_of({}), "--data: there is no data to learn from"));
  EXPECT_TRUE(contains(error_of({"--data", file("1 qid:1 1:nan\n")}), "features must be finite"));
  EXPECT_TRUE(contains(error_of({"--data", file("1 qid:1 1:0.5 2")}), "'2' is not a feature"));
  EXPECT_TRUE(contains(error_of({"--data", file("")}), "--data"));
  EXPECT_TRUE(contains(error_of({"--data", kData, "--heldout", "synthetic(features=9)"}),
                       "--heldout: its documents have 9 features, those to learn from 6"));
  EXPECT_TRUE(contains(error_of({"--data", kData, "--learner", "pdgb"}), "did you mean 'pdgd'?"));
  EXPECT_TRUE(contains(error_of({"--data", kData, "--learner", "pdgd", "--interleave", "balanced"}),
                       "--interleave: pdgd merges no rankings (leave interleave out)"));
  EXPECT_TRUE(
      contains(error_of({"--data", kData, "--learner", "mgd", "--compare", "ndcg-logistic"}),
               "it needs a learner of duels: dbgd"));
  EXPECT_TRUE(contains(error_of({"--data", kData, "--discount", "1.5"}), "--discount"));
  EXPECT_TRUE(contains(error_of({"--data", kData, "--learner", "dbgd(batch=2)", "--batch", "3"}),
                       "the learner has a batch already"));
  EXPECT_TRUE(contains(error_of({"--data", kData, "--grades", "2"}), "the data has 5 grades"));
  EXPECT_TRUE(contains(error_of({"--data", kData, "--clicks", "perfct"}), "perfect"));
  EXPECT_TRUE(
      contains(error_of({"--resume", (directory.path() / "nowhere").string()}), "learn.json"));
}

TEST(LearnCommand, takes_queries_of_one_document_and_equal_scores) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "data.txt").string();
  std::ofstream(path) << "1 qid:1 1:0.5\n1 qid:2 1:2\n0 qid:2 1:2\n0 qid:3 1:1\n";
  for (const char* learner :
       {"dbgd(delta=1,gamma=0.1)", "mgd(candidates=2)", "dsp", "nsgd", "pdgd"}) {
    const CommandResult result = run_duel(
        {"learn", "--data", path, "--learner", learner, "--impressions", "100", "--json", "-q"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    // 1 for the first query, the mean of both orders for the second, 0 without a relevant document.
    EXPECT_NEAR(json::parse(result.out)["offline_ndcg"]["mean"].get<double>(),
                (1 + 0.5 * (1 + 1 / std::log2(3))) / 3, 1e-12)
        << learner;
  }
}

}  // namespace
}  // namespace duel
