#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

std::vector<std::string> study_into(const std::string& directory,
                                    const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {
      "simulate", "--policy", "rucb,uniform", "--matrix", "arxiv", "--rounds", "1e3",
      "--trials", "5",        "--seed",       "1",        "-o",    directory};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(MergeCommand, gives_the_results_of_one_run_from_shards_in_any_order) {
  const TemporaryDirectory directory;
  ASSERT_EQ(run_duel(study_into(directory / "whole")).exit_code, 0);
  for (const char* shard : {"3/3", "1/3"}) {
    const CommandResult result = run_duel(study_into(directory / "out", {"--shard", shard}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contains(result.err, "once all 3 are: duel merge")) << result.err;
  }
  const std::string out = directory / "out";
  const CommandResult early = run_duel({"merge", out});
  EXPECT_NE(early.exit_code, 0);
  EXPECT_TRUE(contains(early.err, "3 of 10 trials are missing; not finished: shard 2/3"))
      << early.err;

  ASSERT_EQ(run_duel(study_into(directory / "out", {"--shard", "2/3"})).exit_code, 0);
  const CommandResult merged = run_duel({"merge", out});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_TRUE(contains(merged.out, "rucb(alpha=0.51)")) << merged.out;
  EXPECT_EQ(content_of(directory / "out/results.csv"), content_of(directory / "whole/results.csv"));
  EXPECT_FALSE(std::filesystem::exists(directory / "out/shard-1-of-3.csv"));
}

TEST(MergeCommand, says_what_is_wrong_with_a_shard) {
  const TemporaryDirectory directory;
  const CommandResult zero = run_duel(study_into(directory / "out", {"--shard", "0/3"}));
  EXPECT_EQ(zero.exit_code, 2);
  EXPECT_TRUE(contains(zero.err, "'0/3' is not a shard")) << zero.err;
  EXPECT_TRUE(contains(zero.err, "numbered 1 to 3")) << zero.err;
  const CommandResult nowhere =
      run_duel({"simulate", "--policy", "rucb", "--matrix", "arxiv", "--shard", "1/3"});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_TRUE(contains(nowhere.err, "add -o DIR")) << nowhere.err;
}

}  // namespace
}  // namespace duel
