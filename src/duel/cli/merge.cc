#include <filesystem>

#include "duel/cli/commands.h"
#include "duel/cli/study_runner.h"

namespace duel::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> directories;
  std::string output;
  bool json = false;
};

Result<int> run_merge(const MergeArguments& arguments, CommandContext& context) {
  const std::vector<std::filesystem::path> directories(arguments.directories.begin(),
                                                       arguments.directories.end());
  DUEL_ASSIGN(const StudyOutcome outcome, merge_study(directories, arguments.output));
  print_results(outcome.results, arguments.json, context);
  note_results(arguments.output.empty() ? arguments.directories.front() : arguments.output,
               context);
  return kExitDone;
}

}  // namespace

void add_merge_command(Command& program) {
  Command& command = program.add_command(
      "merge",
      "Puts the shards of a study together.\n"
      "Reads the trials that runs of 'duel simulate --shard K/N -o DIR' left, checks that none is "
      "missing, and writes the results: the same, byte for byte, as those of one run without "
      "shards. Shards that are not finished are named; run them again, and they go on where they "
      "ended.");
  MergeArguments& arguments = command.runs(run_merge);
  command.add_required("DIRS DIR", &arguments.directories,
                       "Directories with shards, all of one study.");
  command.add(
      "-o,--output DIR", not_empty(&arguments.output),
      "Directory for the results; by default the first DIR, whose shards are removed then.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Example:\n"
      "  parallel duel simulate study.toml -o out --shard {}/8 ::: 1 2 3 4 5 6 7 8\n"
      "  duel merge out";
}

}  // namespace duel::cli
