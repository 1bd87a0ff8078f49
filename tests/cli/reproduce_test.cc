#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

class ReproduceCommand : public testing::Test {
 protected:
  CommandResult reproduce(const std::vector<std::string>& arguments,
                          const std::map<std::string, std::optional<std::string>>& variables = {}) {
    std::vector<std::string> all = {"reproduce"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    CommandOptions options;
    options.directory = place_.path();
    options.variables = variables;
    return run_duel(all, options);
  }

  TemporaryDirectory place_;
};

TEST_F(ReproduceCommand, lists_what_there_is) {
  const CommandResult result = reproduce({"list"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "if-walk"));
  EXPECT_TRUE(contains(result.out, "rmed-sushi takes --matrix sushi=FILE"));
  const auto json = nlohmann::json::parse(reproduce({"list", "--json"}).out);
  ASSERT_GT(json.size(), 5U);
  EXPECT_TRUE(json[0].contains("needs"));
}

TEST_F(ReproduceCommand, runs_one_and_writes_its_files) {
  const CommandResult result = reproduce({"if-walk", "--quick", "--seed", "3", "-o", "out", "-q"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "\nPASS  nodes of the  1 + H_3 = "));
  EXPECT_EQ(content_of(place_ / "out/if-walk/lengths.csv").rfind("arms,mean,se,trials,seed,", 0),
            0U);
  const auto json = nlohmann::json::parse(content_of(place_ / "out/if-walk/findings.json"));
  EXPECT_EQ(json["settings"]["seed"], 3);
  EXPECT_EQ(json["settings"]["quick"], true);
  EXPECT_EQ(json["findings"][0]["verdict"], "pass");
  if (has_gnuplot()) {
    EXPECT_EQ(content_of(place_ / "out/if-walk/lengths.svg").rfind("<?xml", 0), 0U);
    EXPECT_EQ(content_of(place_ / "out/if-walk/lengths.png").rfind("\x89PNG", 0), 0U);
  }
  const CommandResult report = reproduce({"report", "out", "-o", "report.md"});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  const std::string text = content_of(place_ / "report.md");
  EXPECT_TRUE(contains(text, "### `if-walk`"));
  EXPECT_TRUE(contains(text, "| nodes of the walk, K = 2 | 1 + H_1 = 2.0000 | printed | 2 |"));
}

TEST_F(ReproduceCommand, gives_the_same_numbers_on_any_number_of_threads) {
  const auto findings = [&](const char* threads) {
    const CommandResult result =
        reproduce({"if-matches", "--quick", "--threads", threads, "--json", "-q"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out)[0]["findings"];
  };
  EXPECT_EQ(findings("1"), findings("3"));
}

TEST_F(ReproduceCommand, writes_numbers_without_gnuplot) {
  const CommandResult result =
      reproduce({"if-walk", "--quick", "-o", "out", "-q"}, {{"PATH", place_.path().string()}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "no pictures: gnuplot is not installed")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(place_ / "out/if-walk/lengths.svg"));
  EXPECT_TRUE(std::filesystem::exists(place_ / "out/if-walk/findings.json"));
}

TEST_F(ReproduceCommand, explains_what_is_wrong) {
  std::filesystem::create_directory(place_ / "empty");
  std::filesystem::create_directories(place_ / "bad/one");
  place_.write("bad/one/findings.json", "{\"name\": ");
  struct Wrong {
    std::vector<std::string> arguments;
    int exit_code;
    std::string message;
  };
  const std::vector<Wrong> cases = {
      {{}, 2, "no reproduction is named ('duel reproduce list' lists them)"},
      {{"if-wlak"}, 2, "there is no reproduction 'if-wlak' (did you mean 'if-walk'?"},
      {{"lsit"}, 2, "did you mean 'list'?"},
      {{"if-walk", "--matrix", "sushi=none.csv"}, 2, "--matrix"},
      {{"if-walk", "--data", "none.txt"}, 1, "none.txt: there is no such file"},
      {{"if-walk", "--qiuck"}, 2, "did you mean '--quick'?"},
      {{"report", "none"}, 1, "none: cannot read the directory"},
      {{"report", "empty"}, 1, "there is no NAME/findings.json in the directory"},
      {{"report", "bad"}, 1, "bad/one/findings.json: these are not the findings"}};
  for (const Wrong& wrong : cases) {
    const CommandResult result = reproduce(wrong.arguments);
    EXPECT_EQ(result.exit_code, wrong.exit_code) << wrong.message << "\n" << result.err;
    EXPECT_TRUE(contains(result.err, wrong.message)) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

// A circle for the sushi panel, which needs a winner.
TEST_F(ReproduceCommand, says_what_a_given_matrix_lacks) {
  place_.write("circle.csv", "a,b,c\n0.5,0.8,0.2\n0.2,0.5,0.8\n0.8,0.2,0.5\n");
  const CommandResult result =
      reproduce({"rmed-sushi", "--quick", "--matrix", "sushi=circle.csv", "-q"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "the panel needs a Condorcet winner")) << result.err;
}

TEST_F(ReproduceCommand, keeps_what_is_complete_when_interrupted_and_goes_on_from_there) {
  CommandOptions options;
  options.directory = place_.path();
  // The first is done at once, the second takes minutes.
  RunningDuel running({"reproduce", "if-walk", "if-error", "-q", "-o", "out"}, options);
  for (int wait = 0; wait < 600 && !std::filesystem::exists(place_ / "out/if-error"); ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  running.send(SIGINT);
  const CommandResult result = running.wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_TRUE(contains(result.err, "interrupted: 1 of 2 reproductions are complete")) << result.err;
  EXPECT_TRUE(std::filesystem::exists(place_ / "out/if-walk/findings.json"));
  EXPECT_FALSE(std::filesystem::exists(place_ / "out/if-error/findings.json"));
}

// Were one of them run again, the numbers forged here would not come out, and it would take
// minutes.
TEST_F(ReproduceCommand, all_passes_over_what_is_complete_with_the_same_settings) {
  ASSERT_EQ(reproduce({"if-walk", "--quick", "-o", "out", "-q"}).exit_code, 0);
  auto forged = nlohmann::json::parse(content_of(place_ / "out/if-walk/findings.json"));
  forged["findings"][0]["ours"] = "forged";
  const auto list = nlohmann::json::parse(reproduce({"list", "--json"}).out);
  for (const auto& entry : list) {
    const std::string name = entry["name"];
    forged["name"] = name;
    std::filesystem::create_directories(place_ / ("out/" + name));
    place_.write("out/" + name + "/findings.json", forged.dump());
  }
  const CommandResult result = reproduce({"all", "--quick", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "rmed-arxiv is complete in out")) << result.err;
  EXPECT_TRUE(contains(result.out, "forged"));
  // One that failed makes the whole fail.
  forged["name"] = "if-walk";
  forged["findings"][0]["verdict"] = "fail";
  place_.write("out/if-walk/findings.json", forged.dump());
  EXPECT_EQ(reproduce({"all", "--quick", "-o", "out", "-q"}).exit_code, 1);
  // A single name is always run.
  const CommandResult again = reproduce({"if-walk", "--quick", "-o", "out", "-q"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_FALSE(contains(again.out, "forged"));
}

}  // namespace
}  // namespace duel
