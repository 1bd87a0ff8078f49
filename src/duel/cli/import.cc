#include <filesystem>

#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/cli/goal_options.h"
#include "duel/cli/log_import.h"
#include "duel/cli/vote_options.h"
#include "duel/core/numbers.h"
#include "duel/core/timestamp.h"
#include "duel/core/whole_file.h"
#include "duel/experiment/comparison_table.h"
#include "duel/experiment/ledger.h"
#include "duel/log/experiment_log.h"

namespace duel::cli {
namespace {

struct ImportArguments {
  std::string file;
  std::string output;
  std::string id;
  std::string columns;
  double alpha = 0.05;
  GoalOptions goal;
  ClientOptions client;
};

// A log of comparisons that were made elsewhere.
struct MadeLog {
  std::string experiment_id;
  std::string text;
  bool in_order = true;
  ComparisonTable table;
};

Result<MadeLog> log_of_comparisons(const ImportArguments& arguments) {
  DUEL_ASSIGN(const auto columns, columns_option(arguments.columns, false));
  DUEL_ASSIGN(ComparisonTable table,
              read_comparisons(arguments.file, columns ? &*columns : nullptr));
  const bool in_order = sort_by_time(table);
  const std::string id = arguments.id.empty()
                             ? id_from(std::filesystem::path(arguments.file).stem().string())
                             : arguments.id;
  DUEL_ASSIGN(const Goal goal, arguments.goal.parse());
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
  return MadeLog{id, std::move(text), in_order, std::move(table)};
}

void tell(const MadeLog& log, const std::string& where, const CommandContext& context) {
  for (const std::string& note : notes_of(log.table)) context.note("{}", note);
  for (const ArmEntry& arm : log.table.arms) {
    if (!arm.payload.empty()) {
      context.note("'{}' is called '{}' in the log", arm.payload, arm.id);
    }
  }
  context.note("{}: {} of {}, {}", where, counted(log.table.rows.size(), "comparison"),
               counted(log.table.arms.size(), "arm"),
               log.in_order ? "in the order of their times"
                            : "of unknown order: a certificate rests on one look at all");
}

// A log becomes an experiment of the store or the server.
Result<int> send(const std::string& experiment_id, const std::string& text,
                 const ImportArguments& arguments, CommandContext& context) {
  return with_client(arguments.client, StoreUse::created, [&](ApiClient& client) -> Result<int> {
    DUEL_RETURN_IF_ERROR(import_log(client, experiment_id, text));
    return context.done("{} is imported\n", experiment_id);
  });
}

Result<int> import_existing_log(const ImportArguments& arguments, CommandContext& context) {
  if (!arguments.id.empty()) {
    return Error::invalid_argument("a log has an id of its own", "--id",
                                   "it is for a file of comparisons");
  }
  DUEL_ASSIGN(const std::string text, read_whole_file(arguments.file, kMostBytesOfLog));
  DUEL_ASSIGN(const std::string id, experiment_of_log(text, arguments.file));
  return send(id, text, arguments, context);
}

Result<int> run_import(const ImportArguments& arguments, CommandContext& context) {
  if (arguments.output.empty()) {
    if (looks_like_log(arguments.file)) return import_existing_log(arguments, context);
    DUEL_ASSIGN(const MadeLog log, log_of_comparisons(arguments));
    DUEL_ASSIGN(const int code, send(log.experiment_id, log.text, arguments, context));
    if (code == kExitDone) tell(log, log.experiment_id, context);
    return code;
  }
  if (std::filesystem::exists(arguments.output)) {
    return Error::invalid_argument("the file exists", arguments.output,
                                   "a log is never overwritten; choose another name");
  }
  DUEL_ASSIGN(const MadeLog log, log_of_comparisons(arguments));
  DUEL_RETURN_IF_ERROR(write_file_atomically(arguments.output, log.text));
  tell(log, arguments.output, context);
  return kExitDone;
}

}  // namespace

void add_import_command(Command& program) {
  Command& command = program.add_command(
      "import",
      "Creates an experiment or a log from comparisons made elsewhere.\nWith -o it writes a log; "
      "otherwise it creates an experiment in the store or on the server, also from a log that "
      "'duel run' or 'duel export --what audit' wrote. Reads arena CSV "
      "(model_a,model_b,winner,judge,tstamp), plain CSV (first,second,winner), the same with tabs, "
      "JSON Lines and a JSON array; unknown columns are kept. Of tables with other columns a guess "
      "is made and printed. Either all rows are imported or "
      "none. Rows with times are put in that order; without times the order is unknown, and a "
      "certificate rests on one look at all of them.");
  ImportArguments& arguments = command.runs(run_import);
  command.add_required("FILE", &arguments.file, "Comparisons, or a log, to read.");
  command.add("-o,--output LOG", not_empty(&arguments.output),
              "Log to write, in place of the store or the server.");
  add_columns_option(command, arguments.columns);
  command.add("--id ID", &arguments.id, "Id of the experiment (default: from the file's name).");
  command.add("--alpha ALPHA", &arguments.alpha, "Error level of its certificate (default 0.05).");
  add_goal_options(command, arguments.goal);
  add_client_options(command, arguments.client);
  command.footer =
      "Examples:\n"
      "  duel import arena.csv -o arena.duel.jsonl\n"
      "  duel import prompts.duel.jsonl --server http://127.0.0.1:7557";
}

}  // namespace duel::cli
