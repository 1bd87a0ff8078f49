#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "duel/cli/commands.h"
#include "duel/cli/gnuplot.h"
#include "duel/cli/progress.h"
#include "duel/core/directory.h"
#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/core/spelling.h"
#include "duel/core/table.h"
#include "duel/core/whole_file.h"
#include "duel/jobs/ranks.h"
#include "duel/reproduction/record.h"
#include "duel/study/league.h"
#include "duel/study/spec.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/version_info.h"

namespace duel::cli {
namespace {

constexpr const char* kAll = "all";
constexpr std::size_t kMaxRecordBytes = 100'000'000;
constexpr std::uint64_t kProgressSteps = 1000;  // of one reproduction

struct ReproduceArguments {
  std::vector<std::string> names;
  bool quick = false;
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;
  std::vector<std::string> matrices;
  std::vector<std::string> data;
  std::string output;
  bool json = false;
};

// What is written last in the directory of a reproduction: with it the directory is complete.
std::string record_in(const std::filesystem::path& directory) {
  return (directory / "findings.json").string();
}

// --- list ---------------------------------------------------------------------------------------

std::string list_json() {
  auto list = Json::array();
  for (const ReproductionKind& kind : reproduction_catalogue()) {
    const ReproductionFacts& facts = kind.facts;
    list.push_back({{"name", facts.name},
                    {"paper", facts.paper},
                    {"what", facts.what},
                    {"description", facts.description},
                    {"needs", facts.needs}});
  }
  return list.dump_pretty();
}

Result<int> list(bool json, CommandContext& context) {
  if (json) return context.done(list_json());
  Table table;
  table.column("name", Align::left).column("paper", Align::left, Fold::words);
  table.column("what", Align::left, Fold::words).column("what it shows", Align::left, Fold::words);
  std::string needs;
  for (const ReproductionKind& kind : reproduction_catalogue()) {
    const ReproductionFacts& facts = kind.facts;
    table.row({facts.name, facts.paper, facts.what, facts.description});
    if (!facts.needs.empty()) {
      needs += wrapped(fmt::format("{} takes {}", facts.name, facts.needs), report_width() - 2, 2) +
               "\n";
    }
  }
  context.print(table.to_string(report_width()));
  if (!needs.empty()) context.print("\n" + needs);
  return kExitDone;
}

// --- report -------------------------------------------------------------------------------------

Result<std::vector<ReproductionRecord>> read_records(const std::string& directory) {
  DUEL_ASSIGN(const auto entries, directory_entries(directory));
  std::vector<std::string> files;
  for (const std::filesystem::path& entry : entries) {
    const std::string file = record_in(entry);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) files.push_back(file);
  }
  if (files.empty()) {
    return Error::not_found("there is no NAME/findings.json in the directory", directory,
                            "write them with duel reproduce all -o " + shell_word(directory));
  }
  std::vector<ReproductionRecord> records;
  for (const std::string& file : files) {
    DUEL_ASSIGN(const std::string text, read_whole_file(file, kMaxRecordBytes));
    DUEL_ASSIGN(ReproductionRecord record, parse_record(text, file));
    records.push_back(std::move(record));
  }
  return records;
}

Result<int> report(const std::string& directory, const std::string& output,
                   CommandContext& context) {
  DUEL_ASSIGN(const auto records, read_records(directory));
  DUEL_RETURN_IF_ERROR(context.write_output(output, report_markdown(records)));
  return kExitDone;
}

// --- what is asked for --------------------------------------------------------------------------

Result<std::vector<const ReproductionKind*>> chosen_kinds(const std::vector<std::string>& names) {
  std::vector<const ReproductionKind*> kinds;
  const auto add = [&](const ReproductionKind* kind) {
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  };
  for (const std::string& name : names) {
    if (name == kAll) {
      for (const ReproductionKind& kind : reproduction_catalogue()) add(&kind);
      continue;
    }
    const auto kind = reproduction_catalogue().find(name);
    if (!kind.ok()) {
      std::vector<std::string> known = reproduction_catalogue().names();
      known.insert(known.end(), {kAll, "list", "report"});
      Error error = kind.error();
      error.hint = spelling_hint(name, known);
      return error;
    }
    add(*kind);
  }
  return kinds;
}

// NAME=PATH, or what `duel simulate --matrix` takes, or a directory of matrices.
Status add_matrices(const std::string& text, std::vector<GivenMatrix>& matrices) {
  std::error_code ignored;
  if (std::filesystem::is_directory(text, ignored)) {
    DUEL_ASSIGN(const auto problems, league_problems({}, {text}));
    for (const LeagueProblem& problem : problems) {
      matrices.push_back({problem.name, problem.matrix});
    }
    return Done{};
  }
  std::string name;
  std::string path = text;
  const auto equals = text.find('=');
  // `random-condorcet(k=10)` is a call, and a file may have '=' in its name.
  if (equals != std::string::npos && text.find('(') > equals &&
      !std::filesystem::exists(text, ignored)) {
    name = text.substr(0, equals);
    path = text.substr(equals + 1);
  }
  DUEL_ASSIGN(PreferenceMatrix matrix, resolve_matrix(path));
  if (name.empty()) name = matrix.name();
  matrices.push_back(
      {std::move(name), std::make_shared<const PreferenceMatrix>(std::move(matrix))});
  return Done{};
}

Result<ReproductionContext> context_of(const ReproduceArguments& arguments) {
  ReproductionContext given;
  given.quick = arguments.quick;
  given.seed = arguments.seed;
  given.threads = static_cast<unsigned>(arguments.threads);
  given.data = arguments.data;
  for (const std::string& path : arguments.data) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      return Error::not_found("there is no such file", path);
    }
  }
  for (const std::string& text : arguments.matrices) {
    if (const Status status = add_matrices(text, given.matrices); !status.ok()) {
      return usage_error("--matrix", status.error());
    }
  }
  return given;
}

// --- showing ------------------------------------------------------------------------------------

std::string verdict_text(FindingVerdict verdict, const Paint& paint) {
  if (verdict == FindingVerdict::pass) return paint.green("PASS");
  if (verdict == FindingVerdict::fail) return paint.red("FAIL");
  if (verdict == FindingVerdict::shown) return paint.dim("shown");
  return paint.yellow(verdict == FindingVerdict::skipped ? "skipped" : "unclear");
}

std::string record_text(const ReproductionRecord& record, const Paint& paint) {
  std::string text =
      wrapped(fmt::format("{}: {}, {}; {}, seed {}, {}", paint.bold(record.name), record.paper,
                          record.what, record.settings.quick ? "quick" : "full",
                          record.settings.seed, format_duration(record.seconds)),
              report_width()) +
      "\n" + wrapped(record.description, report_width()) + "\n\n";
  Table table;
  table.column("", Align::left).column("claim", Align::left, Fold::words);
  table.column("published", Align::left, Fold::words).column("source", Align::left, Fold::words);
  table.column("ours", Align::left, Fold::words).column("trials");
  table.column("asked", Align::left, Fold::words);
  for (const Finding& finding : record.findings) {
    table.row({verdict_text(finding.verdict, paint), finding.claim, finding.published,
               finding.source, finding.ours,
               finding.value.trials == 0 ? "" : fmt::format("{}", finding.value.trials),
               finding.tolerance});
  }
  const std::size_t width = report_width();
  text += table.to_string(width);
  for (const Finding& finding : record.findings) {
    if (finding.note.empty()) continue;
    text += "\n" + wrapped(fmt::format("{}: {}", finding.claim, finding.note), width - 2, 2) + "\n";
  }
  for (const std::string& remark : record.remarks) text += "\n" + wrapped(remark, width) + "\n";
  return text;
}

std::string summary_text(const std::vector<ReproductionRecord>& records, const Paint& paint) {
  Table table;
  table.column("", Align::left).column("reproduction", Align::left);
  table.column("pass").column("fail").column("unclear").column("shown").column("skipped");
  table.column("time");
  for (const ReproductionRecord& record : records) {
    const auto count = [&](FindingVerdict verdict) {
      return fmt::format("{}", std::ranges::count(record.findings, verdict, &Finding::verdict));
    };
    table.row({record.passed() ? paint.green("PASS") : paint.red("FAIL"), record.name,
               count(FindingVerdict::pass), count(FindingVerdict::fail),
               count(FindingVerdict::unclear), count(FindingVerdict::shown),
               count(FindingVerdict::skipped), format_duration(record.seconds)});
  }
  return table.to_string();
}

// --- running ------------------------------------------------------------------------------------

class Runner {
 public:
  Runner(const ReproduceArguments& arguments, ReproductionContext given, CommandContext& context)
      : arguments_(arguments), given_(std::move(given)), context_(context) {
    given_.stop = &guard_.stop();
  }

  Result<int> run(const std::vector<const ReproductionKind*>& kinds, bool resumes) {
    const Paint paint = stdout_paint();
    std::vector<ReproductionRecord> records;
    bool broken = false;
    for (const ReproductionKind* kind : kinds) {
      auto record = resumes ? finished(kind->facts) : std::nullopt;
      DUEL_ASSIGN(const std::string is_complete, from_first_rank(record ? "complete" : ""));
      if (!is_first_rank() && !is_complete.empty()) continue;  // rank 0 shows it
      if (record) {
        context_.note("{} is complete in {}", record->name, arguments_.output);
      } else {
        auto ran = run_one(*kind);
        if (guard_.interrupted()) break;
        if (!ran.ok() && kinds.size() == 1) return ran.error();
        if (!ran.ok()) {
          context_.warn("{}: {}", kind->facts.name, ran.error().to_string());
          broken = true;
          continue;
        }
        record = *std::move(ran);
      }
      if (!arguments_.json) context_.print(record_text(*record, paint) + "\n");
      records.push_back(*std::move(record));
    }
    if (arguments_.json) {
      auto all = Json::array();
      for (const auto& record : records) all.push_back(Json::parse(to_json(record)).value());
      context_.print(all.dump_pretty());
    } else if (kinds.size() > 1) {
      context_.print(summary_text(records, paint));
    }
    if (guard_.interrupted()) {
      context_.warn("interrupted: {} of {} reproductions are complete", records.size(),
                    kinds.size());
      return guard_.exit_code();
    }
    const bool passed = !broken && std::ranges::all_of(records, &ReproductionRecord::passed);
    return passed ? kExitDone : kExitFailure;
  }

 private:
  std::filesystem::path directory_of(const ReproductionFacts& facts) const {
    return std::filesystem::path(arguments_.output) / facts.name;
  }

  // What an earlier run with the same settings left.
  std::optional<ReproductionRecord> finished(const ReproductionFacts& facts) const {
    if (arguments_.output.empty() || !is_first_rank()) return std::nullopt;
    const std::string file = record_in(directory_of(facts));
    const auto text = read_whole_file(file, kMaxRecordBytes);
    if (!text.ok()) return std::nullopt;
    auto record = parse_record(*text, file);
    const auto settings = settings_of(facts, given_, std::string(kVersion));
    if (!record.ok() || record->settings != settings) return std::nullopt;
    return *std::move(record);
  }

  Result<ReproductionRecord> run_one(const ReproductionKind& kind) {
    const std::filesystem::path directory = directory_of(kind.facts);
    const std::string file = record_in(directory);
    const bool writes = !arguments_.output.empty() && is_first_rank();
    if (writes) {
      DUEL_RETURN_IF_ERROR(make_directory(directory));
      DUEL_RETURN_IF_ERROR(check_output(file));
      // Without it the directory counts as not complete.
      std::error_code ignored;
      std::filesystem::remove(file, ignored);
    }
    Progress progress("steps", kProgressSteps, context_.quiet);
    ReproductionContext given = given_;
    given.progress = [&](double share, std::string_view step) {
      const double steps = std::clamp(share, 0.0, 1.0) * static_cast<double>(kProgressSteps);
      progress.update(static_cast<std::uint64_t>(steps),
                      fmt::format("{}: {}", kind.facts.name, step));
    };
    const auto begin = std::chrono::steady_clock::now();
    auto ran = kind.run(given);
    progress.finish();
    if (!ran.ok()) return ran.error();
    if (guard_.interrupted()) return interrupted_reproduction();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const ReproductionRecord record = record_of(
        kind.facts, settings_of(kind.facts, given_, std::string(kVersion)), *ran, seconds);
    if (writes) DUEL_RETURN_IF_ERROR(write(directory, *ran, record));
    return record;
  }

  Status write(const std::filesystem::path& directory, const Reproduction& reproduction,
               const ReproductionRecord& record) {
    for (const TidyTable& table : reproduction.tables) {
      DUEL_RETURN_IF_ERROR(
          context_.write_output((directory / (table.name() + ".csv")).string(), table.to_csv()));
    }
    for (const Figure& figure : reproduction.figures) DUEL_RETURN_IF_ERROR(draw(directory, figure));
    return context_.write_output(record_in(directory), to_json(record));
  }

  Status draw(const std::filesystem::path& directory, const Figure& figure) {
    for (const PlotFormat format : {PlotFormat::svg, PlotFormat::png}) {
      if (no_pictures_) return Done{};
      DUEL_ASSIGN(const std::string script, chart_script(figure.chart, format));
      const auto picture = run_gnuplot(script);
      if (!picture.ok()) {  // the numbers are there; a missing picture is no reason to fail
        context_.warn("no pictures: " + picture.error().to_string());
        no_pictures_ = picture.error().code == ErrorCode::not_found;
        return Done{};
      }
      const std::string name = figure.name + "." + to_string(format);
      DUEL_RETURN_IF_ERROR(context_.write_output((directory / name).string(), *picture));
    }
    return Done{};
  }

  const ReproduceArguments& arguments_;
  ReproductionContext given_;
  CommandContext& context_;
  const InterruptGuard guard_;
  bool no_pictures_ = false;
};

Result<int> run_reproduce(const ReproduceArguments& arguments, CommandContext& context) {
  if (arguments.names.empty()) {
    return Error::invalid_argument("no reproduction is named")
        .with_hint("'duel reproduce list' lists them");
  }
  DUEL_ASSIGN(const auto kinds, chosen_kinds(arguments.names));
  DUEL_ASSIGN(ReproductionContext given, context_of(arguments));
  if (!arguments.output.empty() && is_first_rank()) {
    DUEL_RETURN_IF_ERROR(make_directory(arguments.output));
  }
  const bool resumes = std::ranges::find(arguments.names, kAll) != arguments.names.end();
  Runner runner(arguments, std::move(given), context);
  return runner.run(kinds, resumes);
}

}  // namespace

void add_reproduce_command(Command& program) {
  Command& command = program.add_command(
      "reproduce",
      "Reruns published figures and tables and shows each published number beside ours.\nThe "
      "source says whether a number is printed, read from a figure, worked out from what is "
      "printed, or from another implementation that was run again. PASS and FAIL compare our "
      "number with the tolerance in its row. A number without a tolerance is only shown, one that "
      "needs data you did not give is skipped, and one outside its tolerance in a --quick run is "
      "unclear, because tolerances are meant for the full size. Results depend on the seed alone, "
      "never on the number of threads. The exit code is 1 if something fails. An interrupted run "
      "(Ctrl-C) keeps what is complete, and 'duel reproduce all -o DIR' continues from there.");
  ReproduceArguments& arguments = command.runs(run_reproduce);
  command.add("NAME", &arguments.names, "What to reproduce, or 'all'; see 'duel reproduce list'.")
      .offers = [] {
    std::vector<std::string> names = reproduction_catalogue().names();
    names.emplace_back(kAll);
    return names;
  };
  command.add("--quick", &arguments.quick, "Fewer trials and rounds, for a first look.");
  command.add_seed(&arguments.seed);
  command.add_threads(&arguments.threads);
  command.add(
      "--matrix MATRIX", not_empty(&arguments.matrices),
      "A preference matrix, or NAME=MATRIX, for reproductions whose data may not be shipped; "
      "or a directory of matrices. May be repeated.");
  command.add("--data FILE", not_empty(&arguments.data),
              "Judged queries and documents as LETOR text; may be repeated.");
  command.add("-o,--output DIR", not_empty(&arguments.output),
              "Directory for NAME/*.csv, NAME/*.svg, NAME/*.png and NAME/findings.json; created if "
              "missing.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n"
      "  duel reproduce list\n"
      "  duel reproduce rmed-arxiv --quick\n"
      "  duel reproduce all -o reproduction\n"
      "  duel reproduce report reproduction -o reproduction.md";

  Command& list_command = command.add_command("list", "Lists what can be reproduced.");
  bool& list_as_json = list_command.keep<bool>();
  list_command.add("--json", &list_as_json, "Print JSON.");
  list_command.footer = "Example:\n  duel reproduce list --json";
  list_command.action = [&](CommandContext& context) { return list(list_as_json, context); };

  Command& report_command = command.add_command(
      "report",
      "Writes a report in Markdown of what a directory holds.\n"
      "Every published number, ours, what is asked, the verdict, and what does not match and why.");
  auto& report_from = report_command.keep<std::string>();
  auto& report_to = report_command.keep<std::string>();
  report_to = "-";
  report_command.add_required("DIR", &report_from,
                              "Directory that 'duel reproduce all -o DIR' wrote.");
  report_command.add("-o,--output FILE", not_empty(&report_to),
                     "File to write (default: standard output).");
  report_command.footer = "Example:\n  duel reproduce report reproduction -o reproduction.md";
  report_command.action = [&](CommandContext& context) {
    return report(report_from, report_to, context);
  };
}

}  // namespace duel::cli
