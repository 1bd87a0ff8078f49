#include <optional>

#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/core/whole_file.h"
#include "duel/experiment/comparison_table.h"

namespace duel::cli {
namespace {

struct ExportArguments : NamedLog {
  std::string what = "duels";
  std::string format = "jsonl";
  const Option* what_option = nullptr;
};

// Piece by piece to standard output; into a file the whole or nothing.
Result<int> export_experiment(const ExportArguments& arguments, CommandContext& context) {
  return with_client(arguments.client, StoreUse::existing, [&](ApiClient& client) -> Result<int> {
    const bool prints = arguments.output == "-";
    DUEL_RETURN_IF_ERROR(check_output(arguments.output));
    std::optional<AtomicFile> file;
    if (!prints) {
      DUEL_ASSIGN(AtomicFile begun, AtomicFile::create(arguments.output));
      file.emplace(std::move(begun));
    }
    Status written = Done{};
    DUEL_ASSIGN(const HttpResponse response,
                client.stream(experiment_target(arguments.name,
                                                fmt::format("/export?what={}&format={}",
                                                            arguments.what, arguments.format)),
                              [&](std::string_view piece) {
                                if (prints) {
                                  context.print(piece);
                                } else {
                                  written = file->write(piece);
                                }
                                return written.ok();
                              }));
    if (response.status >= 400) return client.content_of(response).error();
    if (!written.ok()) return written.error();
    if (file) DUEL_RETURN_IF_ERROR(file->commit());
    return kExitDone;
  });
}

Result<int> run_export(const ExportArguments& arguments, CommandContext& context) {
  const auto format = parse_comparison_format(arguments.format);
  if (!format.ok()) return usage_error("--format", format.error());
  if (arguments.what != "duels" && arguments.format != "jsonl") {
    return Error::invalid_argument(fmt::format("{} are exported as jsonl", arguments.what),
                                   "--format");
  }
  if (arguments.client.name_experiment(arguments.name)) {
    return export_experiment(arguments, context);
  }
  if (arguments.what_option->given()) {
    return Error::invalid_argument("is for an experiment of a store or server", "--what",
                                   "a log is the whole already");
  }
  DUEL_ASSIGN(const ComparisonTable table, comparisons_of_log(arguments.name));
  DUEL_RETURN_IF_ERROR(context.write_output(arguments.output, to_text(table, *format)));
  for (const std::string& what : left_out_of(table, *format)) {
    context.note("left out: {}", what);
  }
  return kExitDone;
}

}  // namespace

void add_export_command(Command& program) {
  Command& command = program.add_command(
      "export",
      "Writes the answered comparisons of an experiment or a log for other programs.\nKeeps "
      "everything that 'duel import' reads: names, ties, voters, times and every other column. "
      "With --what audit it writes the whole log of an experiment, which 'duel verify' checks and "
      "'duel import' reads.");
  ExportArguments& arguments = command.runs(run_export);
  arguments.what_option = &command.add(
      "--what WHAT", one_of(&arguments.what, {"duels", "nonvotes", "events", "audit"}),
      "Of an experiment: duels (default: the answered comparisons), nonvotes (skips, both-bad, "
      "invalid and expired ones), events (clicks) or audit (every record).");
  command
      .add("--format FORMAT", &arguments.format,
           "jsonl, csv or arena (default jsonl). An arena file holds wins, ties and "
           "both-bad; skipped and invalid comparisons are left out.")
      .offers = [] { return std::vector<std::string>{"jsonl", "csv", "arena"}; };
  add_named_log(command, arguments);
  command.footer =
      "Examples:\n"
      "  duel export prompts.duel.jsonl --format arena -o prompts.csv\n"
      "  duel export logo --what audit -o logo.duel.jsonl --server http://127.0.0.1:7557";
}

}  // namespace duel::cli
