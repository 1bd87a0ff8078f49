#include <gtest/gtest.h>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

TEST(DemoCommand, shows_the_comparison_and_writes_results_and_pictures) {
  const TemporaryDirectory place;
  const CommandResult result = run_duel({"demo"}, {.directory = place.path()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"\nrucb(alpha=0.51) ", "\nrmed1 ", "\nif2(", "\nbtm(",
                           "\nsavage-condorcet(", "\nuniform ", "\nlower bound LB ln T ", "± se",
                           "Next:", "duel-demo/regret.svg", "duel-demo/results.csv"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  }
  for (const char* file : {"results.csv", "spec.toml", "regret.svg", "regret.png"}) {
    EXPECT_GT(std::filesystem::file_size(place / ("duel-demo/" + std::string(file))), 100U) << file;
  }
  // A second time replaces the first, with the same numbers.
  const std::string before = read_text(place / "duel-demo/results.csv");
  EXPECT_EQ(run_duel({"demo", "-q"}, {.directory = place.path()}).exit_code, 0);
  EXPECT_EQ(read_text(place / "duel-demo/results.csv"), before);
}

TEST(DemoCommand, does_without_gnuplot_and_does_not_touch_another_study) {
  const TemporaryDirectory place;
  const CommandResult result =
      run_duel({"demo", "-o", place / "shown"}, {.variables = {{"PATH", "/nowhere"}}});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.err, "warning: gnuplot is not installed")) << result.err;
  EXPECT_FALSE(contains(result.out, "regret.svg"));
  EXPECT_FALSE(std::filesystem::exists(place / "shown/regret.svg"));

  ASSERT_EQ(run_duel({"simulate", "--policy", "uniform", "--matrix", "cyclic", "--rounds", "10",
                      "--trials", "2", "-o", place / "mine"})
                .exit_code,
            0);
  const std::string before = read_text(place / "mine/results.csv");
  const CommandResult refused = run_duel({"demo", "-o", place / "mine"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(contains(refused.err, "another directory")) << refused.err;
  EXPECT_EQ(read_text(place / "mine/results.csv"), before);
}

TEST(DemoCommand, explains_an_output_that_cannot_be_written) {
  const CommandResult result = run_duel({"demo", "-o", "/proc/demo"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "/proc/demo: the directory cannot be created")) << result.err;
  EXPECT_EQ(run_duel({"demo", "-o", ""}).exit_code, 2);
}

}  // namespace
}  // namespace duel
