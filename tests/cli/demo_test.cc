#include <gtest/gtest.h>
#include <signal.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/cli/run_command.h"
#include "tests/cli/served_store.h"

namespace duel {
namespace {

double number_after(const std::string& text, const std::string& label) {
  std::smatch found;
  const std::regex pattern(label + R"( +([0-9.]+)\n)");
  return std::regex_search(text, found, pattern) ? std::stod(found[1]) : -1;
}

TEST(DemoCommand, a_server_and_its_users_find_the_best_ranker_at_little_regret) {
  const TemporaryDirectory place;
  const CommandResult result =
      run_duel({"demo"}, {.directory = place.path(), .variables = {{"TMPDIR", place / "."}}});
  // On a machine that is busy elsewhere the time may not suffice for a winner.
  ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 3) << result.err;
  EXPECT_TRUE(contains(
      result.out, result.exit_code == 0 ? "Arm 'hybrid-50' beats each of the 5 " : "Undecided"))
      << result.out;
  EXPECT_TRUE(contains(result.out, "http://127.0.0.1:")) << result.out;
  const double regret = number_after(result.out, "Regret of Duel");
  const double split = number_after(result.out, "of an A/B/n split of the same traffic");
  const double bound = number_after(result.out, "lower bound, LB ln T");
  EXPECT_GT(regret, 0) << result.out;
  EXPECT_GT(bound, 0) << result.out;
  // The split pays for five worse rankers on every page, Duel while it learns: 16 to 20 times less.
  if (result.exit_code == 0) {
    EXPECT_LT(4 * regret, split) << result.out;
  }
  EXPECT_TRUE(names_in(place.path()).empty());  // the store went with it
}

TEST(DemoCommand, stays_up_until_it_is_interrupted) {
  RunningDuel demo({"demo", "--serve"});
  wait_for([&] { return contains(demo.out_so_far(), "--server http"); });
  const std::string out = demo.out_so_far();
  const std::size_t begin = out.find("http://");
  const std::string url = out.substr(begin, out.find(' ', begin) - begin);
  const CommandResult listed = run_duel({"experiment", "list", "--server", url});
  EXPECT_TRUE(contains(listed.out, "\nrankers  ")) << listed.out << listed.err;
  demo.send(SIGINT);
  EXPECT_EQ(demo.wait().exit_code, 130);
}

TEST(DemoCommand, names_options_that_do_not_go_together) {
  EXPECT_EQ(run_duel({"demo", "-o", "x"}).exit_code, 2);
  EXPECT_EQ(run_duel({"demo", "--policies", "--serve"}).exit_code, 2);
}

TEST(DemoCommand, shows_the_comparison_and_writes_results_and_pictures) {
  const TemporaryDirectory place;
  const CommandResult result = run_duel({"demo", "--policies"}, {.directory = place.path()});
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
  const std::string before = content_of(place / "duel-demo/results.csv");
  EXPECT_EQ(run_duel({"demo", "--policies", "-q"}, {.directory = place.path()}).exit_code, 0);
  EXPECT_EQ(content_of(place / "duel-demo/results.csv"), before);
}

TEST(DemoCommand, does_without_gnuplot_and_does_not_touch_another_study) {
  const TemporaryDirectory place;
  const CommandResult result = run_duel({"demo", "--policies", "-o", place / "shown"},
                                        {.variables = {{"PATH", "/nowhere"}}});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.err, "warning: gnuplot is not installed")) << result.err;
  EXPECT_FALSE(contains(result.out, "regret.svg"));
  EXPECT_FALSE(std::filesystem::exists(place / "shown/regret.svg"));

  ASSERT_EQ(run_duel({"simulate", "--policy", "uniform", "--matrix", "cyclic", "--rounds", "10",
                      "--trials", "2", "-o", place / "mine"})
                .exit_code,
            0);
  const std::string before = content_of(place / "mine/results.csv");
  const CommandResult refused = run_duel({"demo", "--policies", "-o", place / "mine"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(contains(refused.err, "another directory")) << refused.err;
  EXPECT_EQ(content_of(place / "mine/results.csv"), before);
}

TEST(DemoCommand, explains_an_output_that_cannot_be_written) {
  const CommandResult result = run_duel({"demo", "--policies", "-o", "/proc/demo"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "/proc/demo: the directory cannot be created")) << result.err;
  EXPECT_EQ(run_duel({"demo", "--policies", "-o", ""}).exit_code, 2);
}

}  // namespace
}  // namespace duel
