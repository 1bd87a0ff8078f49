// The scripts are tried in bash, which every test machine has; those for zsh and fish are checked
// by their shells where these are installed.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

// What bash would offer for the last word of the line, one a line.
std::string offered(const std::vector<std::string>& words, const std::string& directory = "") {
  std::string line;
  for (const std::string& word : words) line += " '" + word + "'";
  const std::string script =
      "bash --norc -c 'source <(\"$duel\" completion bash); COMP_WORDS=(\"$duel\" \"$@\"); "
      "COMP_CWORD=$#; _duel; printf \"%s\\n\" \"${COMPREPLY[@]}\"' bash" +
      line;
  const CommandResult result = run_shell(script, {.directory = directory});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return "\n" + result.out;
}

TEST(CompletionCommand, offers_commands) {
  const std::string all = offered({""});
  for (const char* name :
       {"simulate", "policies", "plot", "demo", "version", "completion", "matrix"}) {
    EXPECT_TRUE(contains(all, "\n" + std::string(name) + "\n")) << name;
  }
  EXPECT_FALSE(contains(all, "__complete"));
  EXPECT_EQ(offered({"sim"}), "\nsimulate\n");
  EXPECT_TRUE(contains(offered({"matrix", ""}), "\nshow\n"));
  EXPECT_EQ(offered({"reproduce", "li"}), "\nlist\n");
}

TEST(CompletionCommand, offers_options_of_the_command) {
  EXPECT_EQ(offered({"simulate", "--che"}), "\n--checkpoints\n");
  EXPECT_TRUE(contains(offered({"--"}), "\n--version\n"));
  EXPECT_TRUE(contains(offered({"demo", "-"}), "\n-o\n--output\n"));
  EXPECT_FALSE(contains(offered({"policies", "--"}), "--rounds"));
}

TEST(CompletionCommand, the_value_of_an_option_is_no_command) {
  EXPECT_EQ(offered({"plot", "--title", "demo", "--for"}), "\n--format\n");
  EXPECT_EQ(offered({"simulate", "--rounds", ""}), "\n\n");
}

TEST(CompletionCommand, offers_policies_and_matrices_also_within_lists) {
  EXPECT_TRUE(contains(offered({"simulate", "--policy", "ru"}), "\nrucb\n"));
  EXPECT_TRUE(contains(offered({"simulate", "--policy", "rmed1,ru"}), "\nrmed1,rucb\n"));
  EXPECT_TRUE(contains(offered({"simulate", "--policy", "rucb(alpha=1),rmed1"}),
                       "\nrucb(alpha=1),rmed1\n"));
  EXPECT_TRUE(contains(offered({"simulate", "--matrix", "ar"}), "\narxiv\n"));
  EXPECT_TRUE(contains(offered({"simulate", "--environment", "ar"}), "\narxiv\n"));
  EXPECT_TRUE(contains(offered({"simulate", "--regret", "average,w"}), "average,weak\n"));
  EXPECT_TRUE(contains(offered({"policies", "ru"}), "\nrucb\n"));
}

TEST(CompletionCommand, offers_the_words_and_names_that_an_option_takes) {
  EXPECT_EQ(offered({"completion", "f"}), "\nfish\n");
  EXPECT_EQ(offered({"run", "--goal", "co"}), "\ncondorcet\ncopeland\n");
  EXPECT_EQ(offered({"plan", "--goal", "bo"}), "\nborda\n");
  EXPECT_EQ(offered({"export", "--format", "a"}), "\narena\n");
  EXPECT_EQ(offered({"matrix", "check", "--require", "sst,w"}), "\nsst,wst\n");
  EXPECT_EQ(offered({"matrix", "generate", "arx"}), "\narxiv\n");
  EXPECT_EQ(offered({"learn", "--learner", "pd"}), "\npdgd\n");
  EXPECT_EQ(offered({"learn", "--learner", "db"}), "\ndbgd\n");  // one of points
  EXPECT_EQ(offered({"learn", "--clicks", "navi"}), "\nnavigational\n");
  EXPECT_EQ(offered({"estimate", "--interleave", "bal"}), "\nbalanced\n");
  EXPECT_EQ(offered({"reproduce", "rmed-ar"}), "\nrmed-arithmetic\nrmed-arxiv\n");
  EXPECT_TRUE(contains(offered({"reproduce", "a"}), "\nall\n"));
}

TEST(CompletionCommand, understands_an_option_with_an_equals_sign) {
  // bash makes three words of `--goal=co`.
  EXPECT_EQ(offered({"run", "--goal", "=", "co"}), "\ncondorcet\ncopeland\n");
  EXPECT_TRUE(contains(offered({"run", "--goal", "="}), "\nborda\n"));
  EXPECT_EQ(offered({"run", "--goal", "=", "borda", "--jud"}), "\n--judge\n--judge-protocol\n");
}

TEST(CompletionCommand, offers_files_and_directories) {
  const TemporaryDirectory place;
  place.write("my matrix.csv", "");
  std::filesystem::create_directory(place / "results");
  const std::string directory = place.path().string();
  EXPECT_TRUE(contains(offered({"plot", "res"}, directory), "\nresults\n"));
  EXPECT_TRUE(contains(offered({"simulate", "--matrix", "my"}, directory), "\nmy matrix.csv\n"));
  EXPECT_EQ(offered({"export", "my"}, directory), "\nmy matrix.csv\n");
  EXPECT_EQ(offered({"run", "--arms", "my"}, directory), "\nmy matrix.csv\n");
  EXPECT_FALSE(contains(offered({"plot", ""}, directory), "matrix.csv"));
}

TEST(CompletionCommand, scripts_are_accepted_by_their_shells) {
  EXPECT_EQ(run_shell("\"$duel\" completion bash | bash -n").exit_code, 0);
  EXPECT_EQ(run_shell("! command -v zsh >/dev/null || \"$duel\" completion zsh | zsh -n").exit_code,
            0);
  EXPECT_EQ(
      run_shell("! command -v fish >/dev/null || \"$duel\" completion fish | fish -n").exit_code,
      0);
}

TEST(CompletionCommand, every_command_and_option_of_the_help_pages_is_offered) {
  std::istringstream commands(run_duel({"__complete", ""}).out);
  int found = 0;
  for (std::string command; std::getline(commands, command);) {
    const std::string name = command.substr(0, command.find('\t'));
    const CommandResult help = run_duel({name, "--help"});
    const CommandResult options = run_duel({"__complete", name, "-"});
    EXPECT_EQ(options.exit_code, 0);
    EXPECT_EQ(options.err, "");
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) {
      const auto begin = line.find("--");
      if (begin != 6) continue;  // not the beginning of an entry
      // Of two spellings, "--matrix, --environment", the first.
      const std::string option = line.substr(begin, line.find_first_of(", ", begin) - begin);
      EXPECT_TRUE(contains("\n" + options.out, "\n" + option + "\t")) << name << " " << option;
      ++found;
    }
  }
  EXPECT_GT(found, 150);
}

}  // namespace
}  // namespace duel
