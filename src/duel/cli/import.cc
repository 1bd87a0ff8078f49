#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "duel/cli/commands.h"
#include "duel/cli/goal_options.h"
#include "duel/experiment/comparison_table.h"
#include "duel/experiment/experiment_log.h"
#include "duel/experiment/ledger.h"
#include "duel/experiment/timestamp.h"

namespace duel::cli {
namespace {

struct Arguments {
  std::string file;
  std::string output;
  std::string id;
  double alpha = 0.05;
  std::string goal = "condorcet";
  std::uint64_t top = 0;
  double epsilon = 0;
  std::string assume = "none";
};

Result<int> run(const Arguments& arguments, CommandContext& context) {
  if (std::filesystem::exists(arguments.output)) {
    return Error::invalid_argument("the file exists", arguments.output,
                                   "a log is never written over; choose another name");
  }
  DUEL_ASSIGN(ComparisonTable table, read_comparisons(arguments.file));
  const bool in_order = sort_by_time(table);
  const std::string id = arguments.id.empty()
                             ? id_from(std::filesystem::path(arguments.file).stem().string())
                             : arguments.id;
  DUEL_ASSIGN(const Goal goal,
              parse_goal(arguments.goal, arguments.top, arguments.epsilon, arguments.assume));
  const ExperimentRecord experiment = experiment_of(table, id, arguments.alpha, in_order, goal);
  if (const auto ledger = Ledger::make(experiment); !ledger.ok()) return ledger.error();
  // The whole log in memory, so that it is there as a whole or not at all.
  const std::int64_t now = current_time_ms();
  std::string head(kHexDigits, '0');
  Sha256 sha;
  std::uint64_t sequence = 1;
  DUEL_ASSIGN(std::string text, log_line(sequence, now, experiment, head, sha));
  for (const ComparisonRecord& row : table.rows) {
    DUEL_ASSIGN(const std::string line, log_line(++sequence, now, row, head, sha));
    text += line;
  }
  DUEL_RETURN_IF_ERROR(write_file_atomically(arguments.output, text));
  for (const ArmEntry& arm : table.arms) {
    if (!arm.payload.empty()) {
      context.note(fmt::format("'{}' is called '{}' in the log", arm.payload, arm.id));
    }
  }
  context.note(fmt::format("{}: {} comparisons of {} arms, {}", arguments.output, table.rows.size(),
                           table.arms.size(),
                           in_order ? "in the order of their times"
                                    : "of unknown order: a certificate rests on one look at all"));
  return kExitDone;
}

}  // namespace

void add_import_command(Command& program) {
  Command& command = program.add_command(
      "import",
      "Makes a log of comparisons that were made elsewhere.\n"
      "Reads arena CSV (model_a,model_b,winner,judge,tstamp), plain CSV (first,second,winner), the "
      "same with tabs, JSON Lines and a JSON array; columns it does not know are kept. All rows "
      "are taken or none. Rows with times are put in that order; without times the order is unknown, "
      "and a certificate rests on one look at all of them.");
  Arguments& arguments = command.runs(run);
  command.add_required("FILE", &arguments.file, "Comparisons to read.");
  command.add_required("-o,--output LOG", &arguments.output, "Log to write.");
  command.add("--id ID", &arguments.id, "Id of the experiment (default: from the file's name).");
  command.add("--alpha ALPHA", &arguments.alpha, "Error level of its certificate (default 0.05).");
  add_goal_options(command,
                   {&arguments.goal, &arguments.top, &arguments.epsilon, &arguments.assume});
  command.footer = "Example:\n  duel import arena.csv -o arena.duel.jsonl";
}

}  // namespace duel::cli
