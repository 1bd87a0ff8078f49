#include <gtest/gtest.h>

#include <set>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

constexpr const char* kHeader =
    "matrix,policy,round,regret,mean,se,median,q10,q90,min,max,trials,accuracy,accuracy_se,"
    "informative,seed\n";

std::string row(const std::string& matrix, const std::string& policy, int round,
                const std::string& regret, int mean, const std::string& se) {
  const std::string value = std::to_string(mean);
  return matrix + ",\"" + policy + "\"," + std::to_string(round) + "," + regret + "," + value +
         "," + se + "," + value + "," + value + "," + value + "," + value + "," + value +
         ",5,1,0,10,1\n";
}

// Two policies, two matrices, two notions, round numbers.
std::string results(const std::string& second_policy = "uniform") {
  std::string text = kHeader;
  for (const std::string matrix : {"one", "two"}) {
    text += row(matrix, "rucb(alpha=0.51)", 10, "average", 1, "0.1");
    text += row(matrix, "rucb(alpha=0.51)", 10, "weak", 0, "0");
    text += row(matrix, "rucb(alpha=0.51)", 100, "average", 5, "0.5");
    text += row(matrix, "rucb(alpha=0.51)", 100, "weak", 2, "3");
    text += row(matrix, second_policy, 10, "average", 2, "0.1");
    text += row(matrix, second_policy, 10, "weak", 1, "0.1");
    text += row(matrix, second_policy, 100, "average", 20, "0.5");
    text += row(matrix, second_policy, 100, "weak", 12, "0.5");
  }
  return text;
}

constexpr const char* kMatrices =
    "matrix,num_arms,condorcet_winner,lower_bound,lower_bound_condorcet_target\n"
    "one,6,r1,1.5,1.5\ntwo,4,,,\n";

class PlotCommand : public testing::Test {
 protected:
  PlotCommand() {
    std::filesystem::create_directory(place_ / "out");
    place_.write("out/results.csv", results());
    place_.write("out/matrices.csv", kMatrices);
  }

  CommandResult plot(const std::vector<std::string>& arguments, CommandOptions options = {}) {
    std::vector<std::string> all = {"plot"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    options.directory = place_.path();
    return run_duel(all, options);
  }
  // The script that gnuplot gets.
  std::string script(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-o", "-", "--format", "gnuplot"});
    const CommandResult result = plot(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }

  TemporaryDirectory place_;
};

TEST_F(PlotCommand, writes_each_format) {
  if (!has_gnuplot()) GTEST_SKIP() << "NOT CHECKED: gnuplot is not installed";
  const std::vector<std::pair<std::string, std::string>> beginnings = {
      {"regret.svg", "<?xml"}, {"regret.pdf", "%PDF-"}, {"regret.png", "\x89PNG"}};
  for (const auto& [name, beginning] : beginnings) {
    const CommandResult result = plot({"out", "-o", name});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "");
    const std::string picture = content_of(place_ / name);
    EXPECT_EQ(picture.rfind(beginning, 0), 0U) << name;
    EXPECT_GT(picture.size(), 2000U) << name;
  }
  EXPECT_TRUE(contains(content_of(place_ / "regret.svg"), "</svg>"));
  EXPECT_EQ(names_in(place_.path()),
            (std::set<std::string>{"out", "regret.pdf", "regret.png", "regret.svg"}));
}

TEST_F(PlotCommand, the_picture_names_axes_policies_bands_and_the_lower_bound) {
  if (!has_gnuplot()) GTEST_SKIP() << "NOT CHECKED: gnuplot is not installed";
  const CommandResult result =
      plot({"out", "-o", "-", "--format", "svg", "--title", "It's <a> test & more"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* text :
       {"round", "cumulative regret (average)", "rucb(alpha=0.51)", "uniform",
        "lower bound LB ln t (asymptotic)", "one, 6 arms, 5 trials", "two, 4 arms, 5 trials",
        "mean ± 2 standard errors", "It's &lt;a> test &amp; more"}) {
    EXPECT_TRUE(contains(result.out, text)) << text;
  }
}

TEST_F(PlotCommand, draws_bands_of_two_standard_errors) {
  const std::string text = script({"out", "--matrix", "one"});
  EXPECT_TRUE(contains(text, "\n10 1 0.8 1.2\n100 5 4 6\n")) << text;
  EXPECT_TRUE(contains(text, "1.5 * log(x)")) << text;
  EXPECT_FALSE(contains(text, "two"));
}

TEST_F(PlotCommand, leaves_out_zeros_and_keeps_bands_above_zero) {
  const std::string text = script({"out", "--matrix", "one", "--regret", "weak"});
  EXPECT_TRUE(contains(text, "<< END\n100 2 0.002 8\nEND")) << text;
  EXPECT_TRUE(contains(text, "cumulative regret (weak)"));
  EXPECT_FALSE(contains(text, "log(x)")) << "the bound is one of average regret";
}

TEST_F(PlotCommand, policies_differ_in_colour_dash_and_marker) {
  const std::string text = script({"out", "--matrix", "one"});
  std::set<std::string> styles;
  std::size_t at = 0;
  while ((at = text.find("with linespoints ", at)) != std::string::npos) {
    at += 17;
    styles.insert(text.substr(at, text.find(" ps ", at) - at));
  }
  EXPECT_EQ(styles.size(), 2U);
  EXPECT_TRUE(contains(text, "#0072B2"));
  EXPECT_TRUE(contains(text, "#D55E00"));
  EXPECT_TRUE(contains(text, "lc rgb '#000000' lw 1.6 dt (7,5)"));
}

TEST_F(PlotCommand, reads_a_results_file_and_a_directory_without_matrices) {
  EXPECT_TRUE(contains(script({"out/results.csv"}), "one"));
  std::filesystem::remove(place_ / "out/matrices.csv");
  const std::string text = script({"out"});
  EXPECT_TRUE(contains(text, "one, 5 trials"));
  EXPECT_FALSE(contains(text, "log(x)"));
}

TEST_F(PlotCommand, names_cannot_leave_their_quotes) {
  place_.write("out/results.csv", results("a'; system \"\"touch hacked\"\""));
  const std::string text = script({"out"});
  EXPECT_TRUE(contains(text, "a''; system")) << text;
  if (has_gnuplot()) {
    plot({"out", "-o", "x.svg"});
    EXPECT_FALSE(std::filesystem::exists(place_ / "hacked"));
  }
}

TEST_F(PlotCommand, explains_bad_input_and_writes_nothing) {
  place_.write("out/broken.csv", "matrix,policy\nx,y\n");
  place_.write("out/zero.csv", kHeader + row("one", "uniform", 10, "average", 0, "0"));
  struct Bad {
    std::vector<std::string> arguments;
    int exit_code;
    std::string message;
  };
  const std::vector<Bad> cases = {
      {{"missing", "-o", "x.svg"}, 1, "missing"},
      {{".", "-o", "x.svg"}, 1, "results.csv"},
      {{"out/broken.csv", "-o", "x.svg"}, 1, "out/broken.csv"},
      {{"out/zero.csv", "-o", "x.svg"},
       1,
       "there is nothing to draw: every average regret is zero"},
      {{"out", "-o", "x.jpg"},
       2,
       "--output: 'x.jpg' does not end in a known picture format (known: "
       ".svg, .pdf, .png)"},
      {{"out", "-o", "x"}, 2, "does not end in a known picture format"},
      {{"out", "-o", ""}, 2, "--output: it is empty"},
      {{"out", "-o", "-"},
       2,
       "standard output has no name that tells the format (add --format svg"},
      {{"out", "-o", "x.svg", "--format", "gif"}, 2, "--format: 'gif' is not a known format"},
      {{"out", "-o", "x.svg", "--regret", "borda"},
       2,
       "the results have no borda regret (they "
       "have: average, weak)"},
      {{"out", "-o", "x.svg", "--regret", "weka"},
       2,
       "--regret: unknown regret notion 'weka' (did "
       "you mean 'weak'?"},
      {{"out", "-o", "x.svg", "--matrix", "on"},
       2,
       "the results have no matrix 'on' (did you mean "
       "'one'?"},
      {{"out", "-o", "/proc/x.svg"}, 1, "/proc/x.svg: cannot be written"},
      {{"out", "-o", "nowhere/x.svg"}, 1, "nowhere/x.svg: cannot be written"},
  };
  const auto before = names_in(place_.path());
  for (const Bad& bad : cases) {
    const CommandResult result = plot(bad.arguments);
    EXPECT_EQ(result.exit_code, bad.exit_code) << bad.message << "\n" << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.rfind("duel: error: ", 0), 0U) << result.err;
    EXPECT_TRUE(contains(result.err, bad.message)) << bad.message << "\n" << result.err;
    EXPECT_EQ(names_in(place_.path()), before) << bad.message;
  }
}

TEST_F(PlotCommand, an_unfinished_study_names_the_way_to_finish_it) {
  std::filesystem::create_directory(place_ / "half done");
  place_.write("half done/progress.csv", "");
  const CommandResult result = plot({"half done", "-o", "x.svg"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "the study is not finished: duel simulate --resume 'half done'"))
      << result.err;
}

TEST_F(PlotCommand, says_so_where_gnuplot_is_missing) {
  const CommandResult result = plot({"out", "-o", "x.svg"}, {.variables = {{"PATH", "/nowhere"}}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err,
                       "gnuplot is not installed; it draws the pictures (on Debian: "
                       "apt-get install gnuplot-nox)"))
      << result.err;
  EXPECT_FALSE(std::filesystem::exists(place_ / "x.svg"));
}

TEST_F(PlotCommand, a_failing_gnuplot_leaves_the_old_picture) {
  std::filesystem::create_directory(place_ / "bin");
  place_.write("bin/gnuplot",
               "#!/bin/sh\necho half a picture\necho 'line 3: undefined' >&2\nexit 1\n");
  std::filesystem::permissions(place_ / "bin/gnuplot", std::filesystem::perms::owner_all);
  place_.write("x.svg", "old");
  const CommandResult result =
      plot({"out", "-o", "x.svg"}, {.variables = {{"PATH", place_ / "bin"}}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "gnuplot failed: line 3: undefined")) << result.err;
  EXPECT_EQ(content_of(place_ / "x.svg"), "old");
}

}  // namespace
}  // namespace duel
