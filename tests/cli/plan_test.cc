#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

class PlanCommand : public testing::Test {
 protected:
  CommandResult plan(const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"plan", "--trials", "20", "--threads", "1"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    CommandOptions options;
    options.directory = place_.path();
    return run_duel(all, options);
  }

  TemporaryDirectory place_;
};

TEST_F(PlanCommand, shows_duels_errors_and_cost_beside_round_robin) {
  const CommandResult result = plan({"--arms", "3", "--gap", "0.3", "--cost-per-duel", "0.5"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "3 arms, gap 0.3"));
  EXPECT_TRUE(contains(result.out, "certify(alpha=0.05)"));
  EXPECT_TRUE(contains(result.out, "round-robin"));
  EXPECT_TRUE(contains(result.out, "cost p50"));
  EXPECT_TRUE(contains(result.out, "the least that any rule of this level needs"));
}

// scb may spend all on the two even arms; the others find the winner within a hundred duels or so.
TEST_F(PlanCommand, warns_of_a_policy_that_leaves_undecided_what_another_decides) {
  const CommandResult result = plan({"--arms", "3", "--gap", "0.3", "--policy", "auto,scb",
                                     "--parallel", "5", "--max-duels", "3000"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "scb")) << result.err;
  EXPECT_TRUE(contains(result.err, "undecided at 3000 duels, certify(alpha=0.05) leaves 0.0 %"))
      << result.err;
  // Where nobody decides, nobody is blamed.
  const CommandResult hopeless =
      plan({"--arms", "3", "--gap", "0.01", "--policy", "auto,scb", "--max-duels", "100"});
  EXPECT_FALSE(contains(hopeless.err, "undecided at")) << hopeless.err;
}

TEST_F(PlanCommand, plans_from_a_pilot_as_json) {
  std::string votes = "model_a,model_b,winner\n";
  for (int n = 0; n < 40; ++n) votes += n % 8 == 0 ? "x,y,model_b\n" : "x,y,model_a\n";
  place_.write("votes.csv", votes);
  const CommandResult result = plan({"--pilot", "votes.csv", "--json", "--alpha", "0.1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["num_arms"], 2);
  EXPECT_EQ(json["policies"][0]["policy"], "certify(alpha=0.1)");
  EXPECT_GT(json["policies"][0]["winner_certified"], 17);
}

TEST_F(PlanCommand, draws_a_picture) {
  if (!has_gnuplot()) GTEST_SKIP() << "NOT CHECKED: gnuplot is not installed";
  const CommandResult result = plan({"--arms", "2", "--gap", "0.3", "-o", "plan.svg"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(run_shell("head -c 5 '" + (place_ / "plan.svg").string() + "'").out, "<?xml");
}

TEST_F(PlanCommand, explains_what_is_wrong) {
  struct Wrong {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Wrong> cases = {
      {{}, "nothing describes the arms (give --matrix, or --pilot, or --arms and --gap)"},
      {{"--arms", "3"}, "--arms and --gap belong together"},
      {{"--arms", "3", "--gap", "0.7"}, "--gap: 0.7 is out of range (0 < gap < 0.5)"},
      {{"--arms", "3", "--gap", "0.2", "--matrix", "arxiv"}, "the arms are described twice"},
      {{"--matrix", "arxiv", "--goal", "copland"}, "did you mean 'copeland'"},
      {{"--matrix", "arxiv", "--alpha", "2"}, "--alpha: 2 is out of range (0 < alpha < 0.5)"},
      {{"--matrix", "arxiv", "-o", "plan.txt"}, "plan.txt"},
  };
  for (const Wrong& wrong : cases) {
    const CommandResult result = plan(wrong.arguments);
    EXPECT_NE(result.exit_code, 0) << wrong.message;
    EXPECT_TRUE(contains(result.err, wrong.message)) << result.err;
  }
}

TEST_F(PlanCommand, plans_a_gate) {
  const CommandResult shown = plan({"--gate", "--tie-rate", "0.8"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "A gate with margin 0.05, error level 0.05, 80 % ties"));
  EXPECT_TRUE(contains(shown.out, "makes no difference")) << shown.out;
  const CommandResult result =
      plan({"--gate", "--tie-rate", "0.95", "--margin", "0.02", "--max-duels", "50", "--json"});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["no_difference"]["mean_score"], 0.5);
  EXPECT_NEAR(json["at_the_margin"]["mean_score"].get<double>(), 0.48, 1e-12);
  EXPECT_EQ(json["no_difference"]["undecided"], 20);
  EXPECT_EQ(json["no_difference"]["p50"], 50);
  EXPECT_EQ(plan({"--gate", "--tie-rate", "0.9", "--quiet"}).exit_code, 0);
  const CommandResult ties = plan({"--gate", "--tie-rate", "0.95"});
  EXPECT_TRUE(contains(ties.err, "--tie-rate: 0.95 is out of range (from 0 to 0.9: ")) << ties.err;
  EXPECT_EQ(plan({"--gate", "--policy", "rucb"}).exit_code, 2);
  EXPECT_EQ(plan({"--arms", "2", "--gap", "0.1", "--margin", "0.1"}).exit_code, 2);
}

}  // namespace
}  // namespace duel
