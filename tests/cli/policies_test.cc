#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "tests/cli/run_command.h"
#include "tests/support/places.h"

namespace duel {
namespace {

TEST(PoliciesCommand, lists_every_policy_with_its_facts) {
  const CommandResult result = run_duel({"policies"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  for (const char* column : {"policy", "setting", "horizon", "paper", "status"}) {
    EXPECT_TRUE(contains(result.out.substr(0, result.out.find('\n')), column)) << column;
  }
  for (const char* name :
       {"if1", "if2", "btm", "btm-pac", "savage-condorcet", "savage-copeland", "savage-borda",
        "rucb", "rucb-seed", "rmed1", "rmed2", "rmed2fh", "uniform", "epsilon-greedy"}) {
    EXPECT_TRUE(contains("\n" + result.out, "\n" + std::string(name) + " ")) << name;
  }
}

TEST(PoliciesCommand, describes_one_policy_and_its_options) {
  const CommandResult result = run_duel({"policies", "rucb"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* part : {"rucb", "paper", "setting", "guarantee", "departs", "status", "option",
                           "default", "alpha", "0.51", "unplayed", "2 | 1 | inf", "ties"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  }
}

TEST(PoliciesCommand, gives_the_same_as_json) {
  const CommandResult result = run_duel({"policies", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  const auto json = nlohmann::json::parse(result.out);
  std::set<std::string> names;
  for (const auto& policy : json["policies"]) {
    names.insert(policy["name"]);
    for (const char* key : {"title", "paper", "setting", "needs_horizon", "guarantee", "departs",
                            "status", "jumping", "outstanding", "options"}) {
      EXPECT_TRUE(policy.contains(key)) << key;
    }
    EXPECT_TRUE(policy["status"] == "reproduced" || policy["status"] == "tested" ||
                policy["status"] == "experimental")
        << policy["name"];
    const bool has_horizon =
        std::any_of(policy["options"].begin(), policy["options"].end(),
                    [](const auto& option) { return option["name"] == "horizon"; });
    EXPECT_TRUE(has_horizon || !policy["needs_horizon"].get<bool>()) << policy["name"];
  }
  EXPECT_EQ(names.size(), json["policies"].size());

  const auto one = nlohmann::json::parse(run_duel({"policies", "rucb", "--json"}).out);
  EXPECT_EQ(one["name"], "rucb");
  EXPECT_EQ(one["options"][0]["name"], "alpha");
  EXPECT_EQ(one["options"][0]["default"], "0.51");
}

TEST(PoliciesCommand, filters_by_setting) {
  const auto json =
      nlohmann::json::parse(run_duel({"policies", "--setting", "condorcet", "--json"}).out);
  EXPECT_FALSE(json["policies"].empty());
  for (const auto& policy : json["policies"]) {
    std::string setting = policy["setting"];
    std::transform(setting.begin(), setting.end(), setting.begin(), ::tolower);
    EXPECT_TRUE(contains(setting, "condorcet")) << policy["name"];
  }
  const CommandResult none = run_duel({"policies", "--setting", "xyzzy"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(contains(none.err, "no policy has a setting with 'xyzzy'")) << none.err;
  EXPECT_TRUE(contains(none.err, "settings: ")) << none.err;
}

TEST(PoliciesCommand, shows_learners_of_points_beside_the_policies) {
  const auto json =
      nlohmann::json::parse(run_duel({"policies", "--setting", "continuous", "--json"}).out);
  std::set<std::string> names;
  for (const auto& learner : json["policies"]) names.insert(learner["name"]);
  for (const char* name : {"bgd1", "bgd2", "dbgd"}) EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_FALSE(names.contains("rucb"));
  const CommandResult result = run_duel({"policies", "dbgd"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* part : {"Dueling Bandit Gradient Descent", "Yue", "delta", "gamma", "batch"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  }
}

TEST(PoliciesCommand, names_the_nearest_policy) {
  const CommandResult result = run_duel({"policies", "rubc"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(contains(result.err, "duel: error: there is no policy 'rubc' (did you mean 'rucb'?"))
      << result.err;
}

TEST(PoliciesCommand, writes_a_page_with_every_policy) {
  const CommandResult result = run_duel({"policies", "--markdown"});
  EXPECT_EQ(result.exit_code, 0);
  const auto json = nlohmann::json::parse(run_duel({"policies", "--json"}).out);
  for (const auto& policy : json["policies"]) {
    EXPECT_TRUE(contains(result.out, "\n## " + policy["name"].get<std::string>() + "\n")) << policy;
  }
}

// Every line of the page in docs is still written, in this order. A policy that is not on the page
// yet is no reason to fail: a new policy edits nothing.
TEST(PoliciesCommand, still_says_what_the_page_of_the_documents_says) {
  std::istringstream written(run_duel({"policies", "--markdown"}).out);
  std::istringstream page(content_of(source_dir() + "/docs/policies.md"));
  for (std::string expected, line; std::getline(page, expected);) {
    while (std::getline(written, line) && line != expected) {
    }
    ASSERT_TRUE(written) << "not written any more; run: make docs\n" << expected;
  }
}

}  // namespace
}  // namespace duel
