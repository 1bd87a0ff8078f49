// Tables fit into 80 columns where nothing says how wide the reader's screen is, and what they show
// of a policy can be pasted.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/display_width.h"
#include "duel/policies/registry.h"
#include "tests/cli/run_command.h"

namespace duel {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void expect_narrow(const CommandResult& result) {
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string& line : lines_of(result.out)) {
    EXPECT_LE(display_width(line), 80U) << line;
  }
}

// The first words of the rows between the header and the bound that begin like a policy.
std::vector<std::string> policies_in(const std::string& text, const std::string& end) {
  std::vector<std::string> found;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("policy ")) {
      inside = true;
    } else if (line.starts_with(end) || line.starts_with("LB = ") || line.empty()) {
      inside = false;
    } else if (inside && line[0] != ' ') {
      found.push_back(line.substr(0, line.find(' ')));
    }
  }
  return found;
}

TEST(Width, simulate_shows_whole_policies_in_80_columns) {
  const std::string policies =
      "rucb,imed,if2,savage-condorcet,'dts-plus(alpha=0.7)',rmed2fh,btm,epsilon-greedy";
  for (const std::string regrets : {"average", "average,strong,weak"}) {
    const CommandResult result =
        run_shell("\"$duel\" simulate --policy " + policies +
                  " --matrix arxiv --rounds 1e4 --trials 3 --threads 1 --regret " + regrets);
    expect_narrow(result);
    const std::vector<std::string> shown = policies_in(result.out, "lower bound");
    ASSERT_GE(shown.size(), 8U) << result.out;
    for (const std::string& policy : shown) {
      const auto call = parse_call(policy);
      ASSERT_TRUE(call.ok()) << policy;
      const auto made = configure_policy(*call, {.num_arms = 6, .rounds = 10'000});
      EXPECT_TRUE(made.ok()) << policy;
    }
  }
}

TEST(Width, policies_fit) {
  expect_narrow(run_duel({"policies"}));
  expect_narrow(run_duel({"policies", "rucb"}));
  expect_narrow(run_duel({"policies", "if2"}));
}

TEST(Width, reproductions_fit) {
  expect_narrow(run_duel({"reproduce", "list"}));
  expect_narrow(run_duel({"reproduce", "slides-abc", "--quick", "--threads", "1"}));
}

TEST(Width, the_league_fits) {
  expect_narrow(run_duel({"league", "--policy", "rucb,rmed1,uniform,imed", "--trials", "3",
                          "--rounds", "1000", "--threads", "1", "--quiet"}));
}

// Names that begin and end alike; thirty of them.
TEST(Width, a_board_of_thirty_arms_with_long_names_fits_and_keeps_them_apart) {
  const TemporaryDirectory directory;
  std::string votes = "model_a,model_b,winner\n";
  const auto name = [](int k) {
    return "a-rather-long-name-of-a-prompt-version-" + std::to_string(k) + "-with-a-tail";
  };
  for (int i = 0; i < 30; ++i) {
    for (int j = i + 1; j < 30; ++j) {
      votes += name(i) + "," + name(j) + (i * j % 3 == 0 ? ",model_b\n" : ",model_a\n");
    }
  }
  const CommandResult result = run_duel({"result", directory.write("votes.csv", votes)});
  expect_narrow(result);
  std::vector<std::string> rows;
  for (const std::string& line : lines_of(result.out)) {
    if (line.starts_with("a-")) rows.push_back(line.substr(0, line.find("  ")));
  }
  ASSERT_GE(rows.size(), 30U) << result.out;
  rows.resize(30);
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end()) << result.out;
  // Where there is less room, a name still has what the others do not have.
  const std::string matrix = result.out.substr(result.out.find("\nwon against"));
  for (int k = 0; k < 30; ++k) {
    EXPECT_TRUE(contains(matrix, " …" + std::to_string(k) + "…")) << k << "\n" << matrix;
  }
}

// The final table of `duel run`: compact for many arms, with the winner's text.
TEST(Width, the_final_table_of_a_run_fits_and_shows_the_winners_text) {
  const TemporaryDirectory directory;
  for (int k = 0; k < 20; ++k) {
    const std::string id = std::to_string(10 + k);
    directory.write("prompt-with-a-long-name-" + id + ".txt",
                    "Prompt " + id + " says this.\nAnd more.\n");
  }
  directory.write("judge.sh", "#!/bin/sh\n[ \"$1\" \\< \"$2\" ] && echo first || echo second\n");
  const CommandResult result = run_shell(
      "chmod +x judge.sh && \"$duel\" run --arms 'prompt-*.txt' --judge ./judge.sh --quiet "
      "--log run.jsonl",
      {.directory = directory.path()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_narrow(result);
  EXPECT_TRUE(contains(result.out, "Prompt 10 says this.")) << result.out;
  EXPECT_FALSE(contains(result.out, "And more.")) << result.out;
  EXPECT_TRUE(contains(result.out, "5 more arms and ")) << result.out;
  EXPECT_TRUE(contains(result.out, "not shown; duel result --log run.jsonl has all)"))
      << result.out;
}

}  // namespace
}  // namespace duel
