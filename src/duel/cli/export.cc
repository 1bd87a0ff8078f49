#include "duel/cli/export.h"

#include <fmt/format.h>

#include <memory>
#include <string>

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

void add_export_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "export",
      "Writes the answered comparisons of a log for other programs.\n"
      "What duel import reads is written without loss: names, ties, voters, times and every other "
      "column.");
  command->add_option("LOG", arguments->log, "Log to read.")->required();
  command->add_option("--format", arguments->format, "jsonl, csv or arena (default jsonl).")
      ->type_name("FORMAT");
  command->add_option("-o,--output", arguments->output, "File to write (default: standard output).")
      ->type_name("FILE");
  command->footer("Example:\n  duel export prompts.jsonl --format arena -o prompts.csv");
  context.on(command, [arguments, &context] { return run(*arguments, context); });
}

}  // namespace duel::cli
