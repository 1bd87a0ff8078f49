#include <fmt/format.h>

#include <string>
#include <vector>

#include "duel/cli/commands.h"
#include "duel/experiment/comparison_table.h"

namespace duel::cli {
namespace {

struct Arguments {
  std::string log;
  std::string format = "jsonl";
  std::string output = "-";
};

Result<int> run(const Arguments& arguments, CommandContext& context) {
  const auto format = parse_comparison_format(arguments.format);
  if (!format.ok()) return usage_error("--format", format.error());
  DUEL_ASSIGN(const ComparisonTable table, comparisons_of_log(arguments.log));
  DUEL_RETURN_IF_ERROR(context.write_output(arguments.output, to_text(table, *format)));
  for (const std::string& what : table.left_out) {
    context.note(fmt::format("left out: {}", what));
  }
  return kExitDone;
}

}  // namespace

void add_export_command(Command& program) {
  Command& command = program.add_command(
      "export",
      "Writes the answered comparisons of a log for other programs.\n"
      "What duel import reads is written without loss: names, ties, voters, times and every other "
      "column.");
  Arguments& arguments = command.runs(run);
  command.add_required("LOG", &arguments.log, "Log to read.");
  command.add("--format FORMAT", &arguments.format, "jsonl, csv or arena (default jsonl).").offers =
      [] { return std::vector<std::string>{"jsonl", "csv", "arena"}; };
  command.add("-o,--output FILE", &arguments.output, "File to write (default: standard output).");
  command.footer = "Example:\n  duel export prompts.duel.jsonl --format arena -o prompts.csv";
}

}  // namespace duel::cli
