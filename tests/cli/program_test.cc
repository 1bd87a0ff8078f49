// What holds for every command: help, spelling, exit codes, streams.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

const std::vector<std::vector<std::string>> kCommands = {{"demo"},
                                                         {"experiment"},
                                                         {"experiment", "new"},
                                                         {"experiment", "list"},
                                                         {"experiment", "show"},
                                                         {"experiment", "start"},
                                                         {"experiment", "arms"},
                                                         {"experiment", "arms", "add"},
                                                         {"next"},
                                                         {"report"},
                                                         {"token"},
                                                         {"token", "create"},
                                                         {"store"},
                                                         {"store", "check"},
                                                         {"store", "backup"},
                                                         {"store", "import"},
                                                         {"simulate"},
                                                         {"plot"},
                                                         {"policies"},
                                                         {"matrix"},
                                                         {"matrix", "show"},
                                                         {"matrix", "check"},
                                                         {"version"},
                                                         {"completion"},
                                                         {"interleave"},
                                                         {"league"},
                                                         {"reproduce"},
                                                         {"reproduce", "list"},
                                                         {"reproduce", "report"}};

TEST(Program, prints_help_with_an_example_for_every_command) {
  for (const auto& command : kCommands) {
    for (const std::string flag : {"--help", "-h"}) {
      std::vector<std::string> arguments = command;
      arguments.push_back(flag);
      const CommandResult result = run_duel(arguments);
      EXPECT_EQ(result.exit_code, 0) << command.back();
      EXPECT_EQ(result.err, "");
      EXPECT_TRUE(contains(result.out, "Usage: duel " + command.front())) << result.out;
      EXPECT_TRUE(contains(result.out, "Example")) << result.out;
      EXPECT_TRUE(contains(result.out, "--quiet")) << result.out;
    }
  }
}

TEST(Program, help_names_every_command_in_a_line) {
  const CommandResult result = run_duel({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  for (const auto& command : kCommands) {
    EXPECT_TRUE(contains(result.out, "\n  " + command.front() + " ")) << command.front();
  }
  EXPECT_TRUE(contains(result.out, "-V, --version"));
  EXPECT_FALSE(contains(result.out, "__complete"));
}

TEST(Program, gives_help_to_those_who_ask_in_another_way) {
  const std::string page = run_duel({"--help"}).out;
  EXPECT_TRUE(page.starts_with("Duel finds the best of several arms")) << page;
  for (const auto& arguments : {std::vector<std::string>{}, std::vector<std::string>{"help"}}) {
    const CommandResult result = run_duel(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, page);
  }
  EXPECT_EQ(run_duel({"help", "matrix", "show"}).out, run_duel({"matrix", "show", "--help"}).out);
}

TEST(Program, help_shows_every_spelling_of_an_option) {
  EXPECT_TRUE(
      contains(run_duel({"simulate", "--help"}).out, "--matrix, --environment MATRIX-LIST"));
  EXPECT_TRUE(contains(run_duel({"plan", "--help"}).out, "--cost-per-duel PRICE"));
}

TEST(Program, help_lines_fit_a_hundred_columns) {
  for (const auto& command : kCommands) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const std::string out = run_duel(arguments).out;
    std::size_t begin = 0;
    while (begin < out.size()) {
      const std::size_t end = std::min(out.find('\n', begin), out.size());
      EXPECT_LE(end - begin, 100U) << out.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST(Program, prints_its_version) {
  const CommandResult longer = run_duel({"--version"});
  const CommandResult shorter = run_duel({"-V"});
  EXPECT_EQ(longer.exit_code, 0);
  EXPECT_EQ(longer.out.rfind("duel ", 0), 0U);
  EXPECT_EQ(longer.out, shorter.out);
}

TEST(Program, version_command_says_what_it_was_built_from) {
  const CommandResult text = run_duel({"version"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_TRUE(contains(text.out, "compiler"));
  const CommandResult result = run_duel({"version", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  const auto json = nlohmann::json::parse(result.out);
  for (const char* key : {"version", "commit", "compiler", "build_type", "platform"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ("duel " + json["version"].get<std::string>() + "\n", run_duel({"--version"}).out);
}

struct WrongUsage {
  std::vector<std::string> arguments;
  std::string message;
};

TEST(Program, explains_wrong_usage_and_exits_with_2) {
  const std::vector<WrongUsage> cases = {
      {{"-q"}, "'duel' needs a command (known: demo, "},
      {{"help", "simulte"}, "'duel' has no command 'simulte' (did you mean 'simulate'?"},
      {{"simulte"}, "'duel' has no command 'simulte' (did you mean 'simulate'?"},
      {{"simulte", "--policy", "rucb"}, "did you mean 'simulate'?"},
      {{"frobnicate"}, "'duel' has no command 'frobnicate' (known: demo, "},
      {{"--hlep"}, "'duel' has no option '--hlep' (did you mean '--help'?)"},
      {{"simulate", "--polciy", "rucb"},
       "'duel simulate' has no option '--polciy' (did you mean '--policy'?)"},
      {{"simulate", "--polciy=rucb"}, "no option '--polciy' (did you mean '--policy'?)"},
      {{"simulate", "--rounds"}, "--rounds needs a value"},
      {{"simulate", "--rounds", "1", "--rounds", "2"}, "--rounds is given more than once"},
      {{"policies", "rucb", "extra"}, "'duel policies' does not expect the argument 'extra'"},
      {{"policies", "--json", "--markdown"}, "--json cannot be given with --markdown"},
      {{"plot"}, "DIR is missing"},
      {{"plot", "out"}, "the option --output is missing"},
      {{"completion"}, "SHELL is missing"},
      {{"completion", "tcsh"}, "there is no completion for the shell 'tcsh'"},
      {{"completion", "bahs"}, "did you mean 'bash'?"},
      {{"matrix"}, "'duel matrix' needs a command (known: "},
      {{"matrix", "shwo"}, "'duel matrix' has no command 'shwo' (did you mean 'show'?"},
  };
  for (const WrongUsage& wrong : cases) {
    const CommandResult result = run_duel(wrong.arguments);
    EXPECT_EQ(result.exit_code, 2) << wrong.message;
    EXPECT_EQ(result.out, "") << wrong.message;
    EXPECT_EQ(result.err.rfind("duel: error: ", 0), 0U) << result.err;
    EXPECT_TRUE(contains(result.err, wrong.message)) << wrong.message << "\n" << result.err;
  }
}

TEST(Program, wrong_usage_names_the_help_page) {
  EXPECT_TRUE(contains(run_duel({"simulate", "--x"}).err, "Try 'duel simulate --help'."));
  EXPECT_TRUE(contains(run_duel({"x"}).err, "Try 'duel --help'."));
}

TEST(Program, colours_only_where_it_may) {
  const std::string escape = "\033[";
  EXPECT_FALSE(contains(run_duel({"x"}).err, escape));
  EXPECT_TRUE(contains(run_duel({"x"}, {.variables = {{"CLICOLOR_FORCE", "1"}}}).err, escape));
  EXPECT_FALSE(contains(run_duel({"x"}, {.variables = {{"CLICOLOR_FORCE", "0"}}}).err, escape));
  EXPECT_FALSE(contains(
      run_duel({"x"}, {.variables = {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}}).err, escape));
  const CommandResult detail =
      run_duel({"policies", "uniform"}, {.variables = {{"CLICOLOR_FORCE", "1"}}});
  EXPECT_TRUE(contains(detail.out, escape));
}

TEST(Program, ends_quietly_when_its_reader_goes_away) {
  // The pipe is closed before anything is written, whatever the timing.
  const CommandResult result = run_shell(
      "exec 3>&1; { { sleep 0.2; \"$duel\" policies --markdown; echo \"code $?\" >&3; } | true; }");
  EXPECT_EQ(result.out, "code 1\n");
  EXPECT_EQ(result.err, "");
}

TEST(Program, says_when_its_output_cannot_be_written) {
  const CommandResult result = run_shell("\"$duel\" policies > /dev/full");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "duel: error: standard output: cannot be written: No space"))
      << result.err;
}

TEST(Program, a_closed_output_is_a_failure_and_never_a_file) {
  const CommandResult closed = run_shell("\"$duel\" policies >&-");
  EXPECT_EQ(closed.exit_code, 1);
  EXPECT_TRUE(contains(closed.err, "standard output: cannot be written")) << closed.err;
  EXPECT_EQ(run_shell("\"$duel\" nonsense 2>&-").exit_code, 2);

  const TemporaryDirectory place;
  const CommandResult study = run_shell(
      "\"$duel\" simulate --policy uniform --matrix cyclic --rounds 10 --trials 2 -o out >&-",
      {.directory = place.path()});
  EXPECT_EQ(study.exit_code, 1);
  EXPECT_EQ(content_of(place / "out/results.csv").rfind("matrix,policy,", 0), 0U);
  EXPECT_FALSE(contains(content_of(place / "out/results.csv"), "average regret"));
}

}  // namespace
}  // namespace duel
