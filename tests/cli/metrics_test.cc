#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using Json = nlohmann::json;
using Strings = std::vector<std::string>;

// Query 1 by feature 1: grades 1, 0, 2; by feature 2: 2, 1, 0. Query 2 has nothing relevant.
class MetricsCommand : public ::testing::Test {
 protected:
  MetricsCommand() {
    place_.write("data.txt",
                 "1 qid:1 1:3 2:2\n0 qid:1 1:2 2:1\n2 qid:1 1:1 2:3\n0 qid:2 1:1 2:1\n");
    place_.write("zero.txt",
                 "1 qid:1 0:3 1:2\n0 qid:1 0:2 1:1\n2 qid:1 0:1 1:3\n0 qid:2 0:1 1:1\n");
    place_.write("log.csv", "user,ranks\nann,2;5\nbob,1\n");
  }
  CommandResult run(Strings arguments) const {
    arguments.insert(arguments.begin(), "metrics");
    return run_duel(arguments, {.input = "", .directory = place_.path()});
  }
  Json json(Strings arguments) const {
    arguments.emplace_back("--json");
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out);
  }

  TemporaryDirectory place_;
};

TEST_F(MetricsCommand, measures_rankers_by_hand) {
  const Json all = json({"--data", "data.txt"});
  EXPECT_EQ(all["queries"], 2);
  const Json& first = all["rankers"][0];
  EXPECT_EQ(first["name"], "f1");
  // DCG 1 + 3/2 over the ideal 3 + 1/log2 3, and 0 for the query without relevant documents.
  const double ndcg = 2.5 / (3 + std::log(2.0) / std::log(3.0));
  EXPECT_NEAR(first["NDCG@10"]["mean"], ndcg / 2, 1e-12);
  EXPECT_NEAR(first["NDCG@10"]["standard_error"], ndcg / 2, 1e-12);
  EXPECT_NEAR(first["MAP"]["mean"], (1 + 2.0 / 3) / 2 / 2, 1e-12);
  EXPECT_NEAR(first["MRR"]["mean"], 0.5, 1e-12);
  // ERR: 1/4 stops at rank 1, then 3/4 x 3/4 at rank 3.
  EXPECT_NEAR(first["ERR@10"]["mean"], (0.25 + 0.75 * 0.75 / 3) / 2, 1e-12);
  EXPECT_NEAR(first["P@10"]["mean"], 0.2 / 2, 1e-12);
  EXPECT_NEAR(all["rankers"][1]["NDCG@10"]["mean"], 0.5, 1e-12);

  const Json skipped = json({"--data", "data.txt", "--no-relevant", "skip", "--discount", "letor",
                             "--gain", "linear", "--k", "2", "--relevant", "2"});
  EXPECT_EQ(skipped["queries"], 1);
  EXPECT_EQ(skipped["skipped"], 1);
  EXPECT_NEAR(skipped["rankers"][0]["NDCG@2"]["mean"], 1.0 / 3, 1e-12);
  EXPECT_NEAR(skipped["rankers"][0]["MRR"]["mean"], 1.0 / 3, 1e-12);
  EXPECT_EQ(skipped["rankers"][0]["MRR"]["standard_error"], nullptr);
  const CommandResult text = run({"--data", "data.txt"});
  EXPECT_TRUE(contains(text.out, "NDCG@10")) << text.out;
  EXPECT_LT(text.out.find("f2"), text.out.find("f1")) << "the best first";
}

TEST_F(MetricsCommand, reads_features_that_are_numbered_from_0) {
  EXPECT_EQ(json({"--data", "letor(file=zero.txt,zero-based=true)"})["rankers"],
            json({"--data", "data.txt"})["rankers"]);
  const CommandResult refused = run({"--data", "zero.txt"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(contains(refused.err, "letor(file=FILE,zero-based=true)")) << refused.err;
}

TEST_F(MetricsCommand, gives_the_absolute_metrics_of_a_click_log) {
  const Json log = json({"--clicks", "log.csv"});
  EXPECT_EQ(log["queries"], 2);
  for (const Json& metric : log["metrics"]) {
    if (metric["name"] == "mean-reciprocal-rank") {
      EXPECT_NEAR(metric["by_query"]["mean"], (0.35 + 1) / 2, 1e-12);
    }
    if (metric["name"] == "summed-reciprocal-rank") {
      EXPECT_NEAR(metric["by_query"]["mean"], (0.7 + 1) / 2, 1e-12);
    }
    if (metric["name"] == "time-to-first-click") {
      EXPECT_EQ(metric["by_query"], nullptr);
    }
  }
  EXPECT_TRUE(contains(run({"--clicks", "log.csv"}).out, "abandonment-rate"));
}

TEST_F(MetricsCommand, bad_input_is_answered_with_an_error) {
  for (const auto& [arguments, message] : std::vector<std::pair<Strings, std::string>>{
           {{}, "there is nothing to measure"},
           {{"--data", "data.txt", "--clicks", "log.csv"}, "one at a time"},
           {{"--data", "none.txt"}, "none.txt"},
           {{"--data", "letor(zero-based=true)"}, "has no file"},
           {{"--data", "letor(fil=data.txt)"}, "has no option 'fil'"},
           {{"--data", "data.txt", "--k", "0"}, "--k"},
           {{"--data", "data.txt", "--discount", "ln"}, "--discount"},
           {{"--data", "data.txt", "--gain", "lineer"},
            "--gain: 'lineer' is not known (did you mean 'linear'? known: exponential, linear)"},
           {{"--clicks", "log.csv", "--session-gap", "0"}, "--session-gap"},
           {{"--clicks", "data.txt"}, "data.txt:1"}}) {
    const CommandResult result = run(arguments);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_TRUE(contains(result.err, message)) << result.err;
  }
}

}  // namespace
}  // namespace duel
