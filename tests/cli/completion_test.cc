// The scripts are tried in bash, which every test machine has; those for zsh and fish are checked
// by their shells where these are installed.
#include <gtest/gtest.h>

#include "tests/cli/run_command.h"

namespace duel::test {
namespace {

// What bash would offer for the last word of the line, one a line.
std::string offered(const std::vector<std::string>& words, const std::string& directory = "") {
  std::string line;
  for (const std::string& word : words) line += " '" + word + "'";
  const std::string script =
      "bash --norc -c 'source <(\"$duel\" completion bash); COMP_WORDS=(\"$@\"); "
      "COMP_CWORD=$(($# - 1)); _duel; printf \"%s\\n\" \"${COMPREPLY[@]}\"' "
      "bash" +
      line;
  const CommandResult result = run_shell(script, {.directory = directory});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return "\n" + result.out;
}

TEST(CompletionCommand, offers_commands) {
  const std::string all = offered({"duel", ""});
  for (const char* name :
       {"simulate", "policies", "plot", "demo", "version", "completion", "matrix"}) {
    EXPECT_TRUE(contains(all, "\n" + std::string(name) + "\n")) << name;
  }
  EXPECT_EQ(offered({"duel", "sim"}), "\nsimulate\n");
  EXPECT_TRUE(contains(offered({"duel", "matrix", ""}), "\nshow\n"));
}

TEST(CompletionCommand, offers_options_of_the_command) {
  EXPECT_EQ(offered({"duel", "simulate", "--che"}), "\n--checkpoints\n");
  EXPECT_TRUE(contains(offered({"duel", "--"}), "\n--version\n"));
  EXPECT_FALSE(contains(offered({"duel", "policies", "--"}), "--rounds"));
}

TEST(CompletionCommand, offers_policies_and_matrices_also_within_lists) {
  EXPECT_TRUE(contains(offered({"duel", "simulate", "--policy", "ru"}), "\nrucb\n"));
  EXPECT_TRUE(contains(offered({"duel", "simulate", "--policy", "rmed1,ru"}), "\nrmed1,rucb\n"));
  EXPECT_TRUE(contains(offered({"duel", "simulate", "--matrix", "ar"}), "\narxiv\n"));
  EXPECT_TRUE(contains(offered({"duel", "simulate", "--regret", "average,w"}), "average,weak\n"));
  EXPECT_TRUE(contains(offered({"duel", "policies", "ru"}), "\nrucb\n"));
  EXPECT_EQ(offered({"duel", "completion", "f"}), "\nfish\n");
}

TEST(CompletionCommand, offers_files_and_directories) {
  const TemporaryDirectory place;
  place.write("my matrix.csv", "");
  std::filesystem::create_directory(place / "results");
  const std::string directory = place.path().string();
  EXPECT_TRUE(contains(offered({"duel", "plot", "res"}, directory), "\nresults\n"));
  EXPECT_TRUE(
      contains(offered({"duel", "simulate", "--matrix", "my"}, directory), "\nmy matrix.csv\n"));
  EXPECT_FALSE(contains(offered({"duel", "plot", ""}, directory), "matrix.csv"));
}

TEST(CompletionCommand, scripts_are_accepted_by_their_shells) {
  EXPECT_EQ(run_shell("\"$duel\" completion bash | bash -n").exit_code, 0);
  EXPECT_EQ(run_shell("! command -v zsh >/dev/null || \"$duel\" completion zsh | zsh -n").exit_code,
            0);
  EXPECT_EQ(
      run_shell("! command -v fish >/dev/null || \"$duel\" completion fish | fish -n").exit_code,
      0);
}

TEST(CompletionCommand, every_option_is_in_every_script) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const CommandResult result = run_duel({"completion", shell});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    for (const char* word : {"horizon-per-checkpoint", "simulate", "rmed1", "arxiv", "markdown"}) {
      EXPECT_TRUE(contains(result.out, word)) << shell << " " << word;
    }
  }
}

}  // namespace
}  // namespace duel::test
