#include <sstream>

#include "duel/cli/commands.h"
#include "duel/cli/matrix_report.h"
#include "duel/cli/option_report.h"
#include "duel/core/call_spec.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/options_json.h"
#include "duel/core/table.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/matrix_description.h"
#include "duel/truth/matrix_reader.h"
#include "duel/truth/rankings.h"

namespace duel::cli {
namespace {

constexpr int kExitCheckFailed = 4;

void add_matrix_argument(Command& command, std::string* matrix) {
  command.add_required("MATRIX", matrix, "A file, - for standard input, or a name such as arxiv.");
}

// show -------------------------------------------------------------------------------------------

struct MatrixArguments {
  std::string matrix;
  std::vector<std::string> require;  // of check
  bool json = false;
};

Result<int> show_matrix(const MatrixArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const PreferenceMatrix matrix, resolve_matrix(arguments.matrix));
  const MatrixDescription facts(matrix);
  return context.done(arguments.json ? facts.to_json().dump_pretty()
                                     : matrix_text(facts, stdout_paint()));
}

void add_show(Command& parent) {
  Command& command = parent.add_command(
      "show",
      "Describes a matrix: winners, gaps, which assumptions hold and the worst case where one "
      "does not, and the lower bound on regret.");
  MatrixArguments& arguments = command.runs(show_matrix);
  add_matrix_argument(command, &arguments.matrix);
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n  duel matrix show arxiv\n  duel matrix show preferences.csv --json\n"
      "  duel matrix show 'bradley-terry(k=64,seed=1,spread=1)'";
}

// check ------------------------------------------------------------------------------------------

std::vector<std::string> split_at_commas(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');) {
      words.emplace_back(trimmed(word));
    }
  }
  return words;
}

Result<int> check_matrix(const MatrixArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const PreferenceMatrix matrix, resolve_matrix(arguments.matrix));
  DUEL_ASSIGN(const std::vector<AssumptionVerdict> verdicts,
              check_requirements(matrix, split_at_commas(arguments.require)));
  context.print(arguments.json ? to_json(matrix, verdicts).dump_pretty()
                               : verdicts_text(matrix, verdicts, stdout_paint()));
  return all_hold(verdicts) ? kExitDone : kExitCheckFailed;
}

void add_check(Command& parent) {
  Command& command = parent.add_command(
      "check",
      "Checks that a file holds a preference matrix, and that it meets the given requirements. The "
      "exit code is 0 if so and 4 if a requirement fails.");
  MatrixArguments& arguments = command.runs(check_matrix);
  add_matrix_argument(command, &arguments.matrix);
  command
      .add("--require LIST", &arguments.require,
           "What must hold, separated by commas: condorcet, total-order, wst, sst, sti.")
      .offers = requirement_names;
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer = "Example:\n  duel matrix check preferences.csv --require condorcet,sst";
}

// generate ---------------------------------------------------------------------------------------

struct GenerateArguments {
  std::string name;
  std::string output = "-";
  bool list = false;
  bool json = false;
};

Json catalogue_json() {
  Json json;
  json["matrices"] = Json::array();
  for (const MatrixKind& kind : matrix_catalogue()) {
    json["matrices"].push_back({{"name", kind.facts.name},
                                {"doc", kind.facts.doc},
                                {"source", kind.facts.source},
                                {"example", kind.facts.example},
                                {"options", described_json(kind.options)}});
  }
  return json;
}

std::string catalogue_text() {
  Table names("matrix,what it is,source", Align::left);
  Table options = options_table();
  for (const MatrixKind& kind : matrix_catalogue()) {
    names.row({kind.facts.example, kind.facts.doc, kind.facts.source});
    add_options(options, kind.facts.name, kind.options);
  }
  return names.to_string() + "\n" + options.to_string();
}

Result<int> run_generate(const GenerateArguments& arguments, CommandContext& context) {
  if (arguments.list) {
    return context.done(arguments.json ? catalogue_json().dump_pretty() : catalogue_text());
  }
  if (arguments.name.empty()) {
    return Error::invalid_argument("a name is missing")
        .with_hint("such as 'bradley-terry(k=16)'; --list shows all");
  }
  DUEL_ASSIGN(const CallSpec call, parse_call(arguments.name));
  DUEL_ASSIGN(const PreferenceMatrix matrix, generate_matrix(call));
  std::ostringstream csv;
  write_matrix_csv(matrix, csv);
  DUEL_RETURN_IF_ERROR(context.write_output(arguments.output, csv.str()));
  if (arguments.output != "-") {
    context.note("{}: {}, written to {}", matrix.name(), counted(matrix.num_arms(), "arm"),
                 arguments.output);
  }
  return kExitDone;
}

void add_generate(Command& parent) {
  Command& command = parent.add_command(
      "generate",
      "Writes a named matrix as CSV: one printed in a paper, or a generator with options.");
  GenerateArguments& arguments = command.runs(run_generate);
  command.add("NAME", &arguments.name, "The matrix, such as arxiv or 'mallows(k=8,phi=0.5)'.")
      .offers = [] { return matrix_catalogue().names(); };
  command.add("-o,--output FILE", &arguments.output, "File to write; - is standard output.");
  const Option& list =
      command.add("--list", &arguments.list, "List all names with their options instead.");
  command.add("--json", &arguments.json, "Print the list as JSON.").needs = &list;
  command.footer =
      "Examples:\n  duel matrix generate 'bradley-terry(k=64,seed=1,spread=1)' -o bt64.csv\n"
      "  duel matrix generate --list";
}

// from-rankings ----------------------------------------------------------------------------------

struct RankingsArguments {
  std::string file;
  std::string unranked = "ignore";
  std::string output;
  std::string counts;
  bool json = false;
};

void tell_of_rankings(const RankingCounts& counts, const CommandContext& context) {
  context.note("{}: {} voters, {} different ballots, {} alternatives", counts.name, counts.voters,
               counts.ballots, counts.alternatives.size());
  if (counts.declared_voters && *counts.declared_voters != counts.voters) {
    context.warn(
        "{}: the header announces {} voters, the ballots hold {}; is the file "
        "complete?",
        counts.name, *counts.declared_voters, counts.voters);
  }
  if (counts.unmet_pairs > 0) {
    context.warn("{}: {} never compared, and 1/2 is assumed", counts.name,
                 counted(counts.unmet_pairs, "pair was", "pairs were"));
  }
}

Result<int> run_from_rankings(const RankingsArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const Unranked unranked, parse_unranked(arguments.unranked));
  const bool matrix_to_stdout =
      arguments.output == "-" || (arguments.output.empty() && !arguments.json);
  const int printed =
      (matrix_to_stdout ? 1 : 0) + (arguments.counts == "-" ? 1 : 0) + (arguments.json ? 1 : 0);
  if (printed > 1 || (!arguments.counts.empty() && arguments.counts == arguments.output)) {
    return Error::invalid_argument("two results would go to the same place")
        .with_hint("give -o and --counts files of their own");
  }
  DUEL_ASSIGN(const RankingCounts counts,
              read_rankings_file(arguments.file, {.unranked = unranked}));
  DUEL_ASSIGN(const PreferenceMatrix matrix, matrix_from_counts(counts));
  tell_of_rankings(counts, context);
  if (!arguments.counts.empty()) {
    std::ostringstream csv;
    write_counts_csv(counts, csv);
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.counts, csv.str()));
  }
  if (matrix_to_stdout || !arguments.output.empty()) {
    std::ostringstream csv;
    write_matrix_csv(matrix, csv);
    DUEL_RETURN_IF_ERROR(
        context.write_output(matrix_to_stdout ? "-" : arguments.output, csv.str()));
  }
  if (arguments.json) context.print(to_json(counts, matrix).dump_pretty());
  return kExitDone;
}

void add_from_rankings(Command& parent) {
  Command& command = parent.add_command(
      "from-rankings",
      "Turns a PrefLib file of rankings (soc, soi, toc, toi) into a preference matrix: the share "
      "of voters who put one alternative above the other. Alternatives tied in a ballot are not "
      "compared.");
  RankingsArguments& arguments = command.runs(run_from_rankings);
  command.add_required("FILE", &arguments.file, "The PrefLib file; - is standard input.");
  command.add("--unranked ignore|last", &arguments.unranked,
              "Alternatives that a ballot leaves out: ignore them (the default), or rank them "
              "last, below every ranked one, as is usual in elections.");
  command.add("-o,--output FILE", &arguments.output,
              "File for the matrix; - is standard output, the default without --json.");
  command.add("--counts FILE", &arguments.counts,
              "Also write how many voters put each alternative above each other.");
  command.add("--json", &arguments.json, "Print counts and matrix as JSON.");
  command.footer =
      "Example:\n  duel matrix from-rankings 00008-00000009.soi --unranked last -o govan.csv";
}

}  // namespace

void add_matrix_command(Command& program) {
  Command& command = program.add_command(
      "matrix",
      "Describes, checks and generates preference matrices, also from rankings.\nA matrix is a "
      "file of probabilities (docs/formats.md) or a name such as arxiv or 'bradley-terry(k=64)'.");
  command.needs_command = true;
  command.footer =
      "Examples:\n  duel matrix show arxiv\n  duel matrix check preferences.csv --require sst\n"
      "  duel matrix generate --list";
  add_show(command);
  add_check(command);
  add_generate(command);
  add_from_rankings(command);
}

}  // namespace duel::cli
