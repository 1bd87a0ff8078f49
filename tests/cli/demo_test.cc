#include <gtest/gtest.h>
#include <signal.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/cli/on_terminal.h"
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

TEST(DemoCommand, a_shop_tunes_its_hybrid_ranker_from_clicks) {
  const TemporaryDirectory place;
  const CommandResult result = run_duel(
      {"demo", "--tune"}, {.directory = place.path(), .variables = {{"TMPDIR", place / "."}}});
  // On a machine that is busy elsewhere the time may not suffice for a proof.
  ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 3) << result.err;
  // Against itself a weight wins half of the simulated pages, give or take their standard error.
  std::smatch in_use, guess;
  ASSERT_TRUE(std::regex_search(result.out, in_use, std::regex(R"(0\.00 +in use +(0\.\d+))")))
      << result.out;
  EXPECT_NEAR(std::stod(in_use[1]), 0.5, 0.02);
  ASSERT_TRUE(
      std::regex_search(result.out, guess, std::regex(R"([01]\.\d+ +the best guess +(0\.\d+))")))
      << result.out;
  if (result.exit_code == 0) {
    EXPECT_GT(std::stod(guess[1]), 0.55) << result.out;
    EXPECT_TRUE(std::regex_search(result.out, std::regex(R"([01]\.\d+ +certified +0\.[6-9])")))
        << result.out;
  }
  EXPECT_TRUE(names_in(place.path()).empty());  // the store went with it
}

// At a terminal the server is there until the person has looked.
class DemoOnTerminal : public OnTerminal {};

TEST_F(DemoOnTerminal, stays_until_enter) {
  start_program({duel_binary(), "demo", "--tune"});
  const std::string shown = shown_up_to("stays until you press Enter.");
  const std::size_t begin = shown.find("http://");
  const std::string url = shown.substr(begin, shown.find(' ', begin) - begin);
  EXPECT_TRUE(contains(run_duel({"experiment", "list", "--server", url}).out, "hybrid-weight"));
  press("\n");
  shown_up_to("duel tune --help");
  status();
  EXPECT_NE(run_duel({"experiment", "list", "--server", url}).exit_code, 0);
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
