#include "duel/pictures/plot.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "duel/cli/commands.h"
#include "duel/cli/gnuplot.h"
#include "duel/core/json.h"
#include "duel/core/whole_file.h"
#include "duel/pages/report.h"
#include "duel/study/results.h"
#include "duel/study/study_files.h"
#include "duel/truth/regret.h"
#include "duel/version_info.h"

namespace duel::cli {
namespace {

struct PlotArguments {
  std::string directory;
  std::string output;
  std::string format;
  std::string regret;
  std::vector<std::string> matrices;
  std::string title;
};

// The format that `--format` or the output's name says; nothing for the script itself.
Result<std::optional<PlotFormat>> format_of(const PlotArguments& arguments) {
  if (!arguments.format.empty()) {
    if (arguments.format == "gnuplot") return std::optional<PlotFormat>();
    const auto format = plot_format_of("." + arguments.format);
    if (format.ok()) return std::optional<PlotFormat>(*format);
    return Error::invalid_argument(fmt::format("'{}' is not a known format", arguments.format),
                                   "--format", "known: svg, pdf, png, html, gnuplot");
  }
  if (arguments.output == "-") {
    return Error::invalid_argument("standard output has no name that tells the format", "--output",
                                   "add --format svg, pdf, png, html or gnuplot");
  }
  const auto format = plot_format_of(arguments.output);
  if (!format.ok()) return usage_error("--output", format.error());
  return std::optional<PlotFormat>(*format);
}

// A league's directory holds its results as JSON, which is what its page shows.
Result<std::optional<Json>> league_of(const std::string& directory) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  const std::filesystem::path file = std::filesystem::path(directory) / "league.json";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::optional<Json>();
  DUEL_ASSIGN(const std::string text, read_whole_file(file, kMostBytes));
  auto json = Json::parse(text);
  if (!json) return Error::invalid_data("is not JSON", file.string());
  return json;
}

Result<int> write_report(const PlotArguments& arguments, CommandContext& context) {
  const std::filesystem::path directory = arguments.directory;
  std::string name = directory.filename().string();
  if (name.empty()) name = directory.parent_path().filename().string();
  const std::string title = arguments.title.empty() ? name : arguments.title;
  Json data;
  data["made_by"] = "duel " + std::string(kVersion);
  data["title"] = title;
  DUEL_ASSIGN(const std::optional<Json> league, league_of(arguments.directory));
  if (league) {
    data["kind"] = "league";
    data["league"] = *league;
  } else {
    DUEL_ASSIGN(StudyResults results, read_results(arguments.directory));
    if (!arguments.matrices.empty()) {
      const auto& wanted = arguments.matrices;
      std::erase_if(results.runs, [&](const MatrixResult& run) {
        return std::ranges::find(wanted, run.facts.matrix) == wanted.end();
      });
      if (results.runs.empty()) {
        return Error::invalid_argument("the results hold none of these matrices", "--matrix");
      }
    }
    Json json = to_json(results);
    data["kind"] = "study";
    data["runs"] = json.contains("runs") ? json.at("runs") : Json(Json::Array{json});
  }
  DUEL_ASSIGN(const std::string page, report_page(title, data));
  DUEL_RETURN_IF_ERROR(context.write_output(arguments.output, page));
  return kExitDone;
}

Result<int> run_plot(const PlotArguments& arguments, CommandContext& context) {
  const bool html =
      arguments.format.empty() ? names_report(arguments.output) : arguments.format == "html";
  if (html) return write_report(arguments, context);
  DUEL_ASSIGN(const std::optional<PlotFormat> format, format_of(arguments));
  PlotOptions options;
  if (!arguments.regret.empty()) {
    const auto regret = parse_regret_notion(arguments.regret);
    if (!regret.ok()) return usage_error("--regret", regret.error());
    options.regret = *regret;
  }
  options.matrices = arguments.matrices;
  options.title = arguments.title;
  const auto read = read_results(arguments.directory);
  if (!read.ok()) {
    Error error = read.error();
    std::error_code ignored;
    if (std::filesystem::exists(StudyFiles(arguments.directory).progress(), ignored)) {
      error.hint =
          "the study is not finished: duel simulate --resume " + shell_word(arguments.directory);
    }
    return error;
  }
  const StudyResults& results = *read;
  if (!format) {
    DUEL_ASSIGN(const std::string script, gnuplot_script(results, options));
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.output, script));
    return kExitDone;
  }
  options.format = *format;
  return draw(results, options, arguments.output, context);
}

}  // namespace

void add_plot_command(Command& program) {
  Command& command = program.add_command(
      "plot",
      "Draws the results of a study as SVG, PDF or PNG, or as a report in one HTML "
      "file.\nCumulative regret over rounds, both logarithmic: a line per policy with a band of "
      "two standard errors on each side, and the asymptotic lower bound as a black dashed line. "
      "Several matrices become panels. The drawing is done by gnuplot. The report shows the same "
      "curves and more, and opens in a browser without a server; DIR can also be the output of "
      "'duel league'.");
  PlotArguments& arguments = command.runs(run_plot);
  command.add_required("DIR", &arguments.directory,
                       "Directory that 'duel simulate -o DIR' wrote, or a results.csv.");
  command.add_required(
      "-o,--output FILE", not_empty(&arguments.output),
      "Picture to write: name.svg, name.pdf, name.png or name.html; - is standard output.");
  command.add_configurable(
      "--format svg|pdf|png|html|gnuplot", &arguments.format,
      "Format, whatever the name of the file; gnuplot gives the script itself.");
  command.add_configurable("--regret REGRET", &arguments.regret,
                           "Regret notion to draw; by default the first one of the results.");
  command.add("--matrix MATRIX", &arguments.matrices, "Draw only this matrix; may be repeated.");
  command.add("--title TEXT", &arguments.title, "Title above the picture.");
  command.footer =
      "Example:\n"
      "  duel simulate --policy rucb,rmed1 --matrix arxiv -o out\n"
      "  duel plot out -o regret.svg\n"
      "  duel plot out -o report.html";
}

}  // namespace duel::cli
