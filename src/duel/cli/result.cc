#include <filesystem>
#include <optional>

#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/cli/gnuplot.h"
#include "duel/cli/goal_options.h"
#include "duel/cli/result_report.h"
#include "duel/cli/view_tables.h"
#include "duel/cli/vote_options.h"
#include "duel/core/described_json.h"
#include "duel/core/json.h"
#include "duel/log/experiment_log.h"
#include "duel/pages/report.h"
#include "duel/pictures/board_picture.h"
#include "duel/store/log_file.h"
#include "duel/verdict/board.h"
#include "duel/verdict/board_file.h"
#include "duel/verdict/experiment_result.h"
#include "duel/verdict/given_reasons.h"
#include "duel/verdict/judge_view.h"
#include "duel/verdict/style_view.h"
#include "duel/verdict/timeline.h"
#include "duel/version_info.h"

namespace duel::cli {
namespace {

struct ResultArguments {
  std::string file;
  std::string log;
  double alpha = 0.05;
  GoalOptions goal;
  std::vector<const Option*> file_options;  // of no use to an experiment of a store
  double prior = 0;                         // shape of the Gamma prior
  const Option* prior_option = nullptr;
  bool position = false;
  std::string ties = "davidson";
  std::string columns;
  std::vector<std::string> slices;  // columns of comparisons
  std::vector<std::string> outputs;
  bool strict = false;
  bool reasons = false;
  bool judges = false;
  std::vector<std::string> covariates;
  ClientOptions client;
};

std::string ending_of(const std::string& file) {
  return std::filesystem::path(file).extension().string();
}

Status check_board_file(const std::string& file) {
  const std::string ending = ending_of(file);
  if (ending == ".csv" || ending == ".md" || names_report(file) || plot_format_of(file).ok()) {
    return Done{};
  }
  return Error::invalid_argument(fmt::format("'{}' does not end in a known format", file),
                                 "--output", "known: .csv, .md, .html, .svg, .pdf, .png");
}

// A file that lists or draws arms has nothing of a space, which has none.
Status check_board_file(const std::string& file, const Ledger& ledger) {
  if (!ledger.parts().space || ending_of(file) == ".md" || names_report(file)) return Done{};
  return Error::invalid_argument(
      fmt::format("'{}' would list or draw arms, and a space has none", file), "--output",
      "its result: a file that ends in .md or .html, or --json");
}

// What was compared, as far as the log holds it: the page names arms by it.
Json payloads_of(const Ledger& ledger) {
  Json payloads = Json::array();
  for (const LedgerArm& arm : ledger.arms()) {
    if (!arm.active || arm.entry.content.is_null()) continue;
    Json one;
    one["arm_id"] = arm.entry.id;
    one["payload"] = arm.entry.content;
    payloads.push_back(std::move(one));
  }
  return payloads;
}

// The page of one file: the result, and how it came about where a log tells.
Result<std::string> report_of(const std::string& source, const ReadAnswers& read,
                              const Board& board) {
  const Ledger& ledger = read.ledger;
  constexpr std::size_t kPoints = 200;
  Json data;
  data["kind"] = "result";
  data["made_by"] = "duel " + std::string(kVersion);
  data["source"] = std::filesystem::path(source).filename().string();
  data["alpha"] = ledger.experiment().stopping.alpha;
  data["policy"] = ledger.experiment().policy;
  data["result"] = described_json(result_of(ledger, board, read.if_wrong));
  data["arms"] = payloads_of(ledger);
  if (looks_like_log(source)) {
    LogFiles files;
    DUEL_ASSIGN(const TimelineSeries series, timeline_of(files, source, kPoints));
    data["timeline"] = described_json(series);
  }
  return report_page(ledger.experiment().experiment_id, data);
}

// What a file holds, by the ending of its name. REQUIRES: check_board_file(file), and with the
// ledger.
Result<std::string> board_content(const std::string& file, const std::string& source,
                                  const ReadAnswers& read, const Board& board) {
  const std::string ending = ending_of(file);
  if (ending == ".csv") return board_csv(read.ledger, board);
  if (ending == ".md") return board_markdown(read.ledger, board);
  if (names_report(file)) return report_of(source, read, board);
  DUEL_ASSIGN(const PlotFormat format, plot_format_of(file));
  return run_gnuplot(board_picture_script(read.ledger, board, format));
}

Result<BySlice> slices_in(const std::string& file, const ResultArguments& arguments,
                          const Goal& goal, const VoteColumns* columns) {
  if (looks_like_log(file)) {
    LogFiles files;
    return by_slice_of_log(files, file);
  }
  if (arguments.slices.empty()) return BySlice();
  DUEL_ASSIGN(ComparisonTable table, read_comparisons(file, columns));
  const bool in_order = sort_by_time(table);
  auto slices = by_slice_of_table(table, arguments.slices, arguments.alpha, in_order, goal);
  if (!slices.ok() && slices.error().where.empty()) {
    Error error = slices.error();
    error.where = "--slice";
    return error;
  }
  return slices;
}

// What is shown beside the result where it is asked for, and enters nothing.
struct Views {
  std::optional<std::vector<GivenReason>> reasons;
  std::optional<JudgeView> judges;
  std::optional<StyleView> style;
};

// `source`: a log, or comparisons.
Result<Views> views_of(const std::string& source, const ResultArguments& arguments,
                       const VoteColumns* columns) {
  Views views;
  const bool is_log = looks_like_log(source);
  if (arguments.reasons) {
    if (!is_log) {
      return Error::invalid_argument("comparisons have no reasons", "--reasons", "it is for a log");
    }
    DUEL_ASSIGN(views.reasons, reasons_in_log(source));
  }
  if (!arguments.judges && arguments.covariates.empty()) return views;
  DUEL_ASSIGN(const ComparisonTable table,
              is_log ? comparisons_of_log(source) : read_comparisons(source, columns));
  const auto named = [](Error error, const char* option) {
    if (error.where.empty()) error.where = option;
    return error;
  };
  if (arguments.judges) {
    std::vector<JudgedPair> pairs = judged_pairs_of(table);
    if (is_log) {
      DUEL_ASSIGN(pairs, judged_pairs_in_log(source));
    }
    auto view = judge_view_of(pairs);
    if (!view.ok()) return named(view.error(), "--judges");
    views.judges = *std::move(view);
  }
  if (!arguments.covariates.empty()) {
    auto view = style_view_of(table, arguments.covariates);
    if (!view.ok()) return named(view.error(), "--covariate");
    views.style = *std::move(view);
  }
  return views;
}

// `json` is the result as it came from a server, which may say more than this version knows.
Result<int> show(const SlicedResult& result, const std::optional<Json>& json, const Views& views,
                 const ResultArguments& arguments, CommandContext& context) {
  if (arguments.client.json) {
    Json all = json ? *json : described_json(result);
    if (views.reasons) all["reasons"] = described_json(*views.reasons);
    if (views.judges) all["judge_view"] = described_json(*views.judges);
    if (views.style) all["style_view"] = described_json(*views.style);
    context.print(all.dump_pretty());
  } else {
    context.print(result_text(result, stdout_paint()) + slices_text(result, stdout_paint()) +
                  (views.judges ? "\n" + judges_text(*views.judges) : "") +
                  (views.style ? "\n" + style_text(*views.style) : "") +
                  (views.reasons ? "\n" + reasons_text(*views.reasons) : ""));
  }
  const bool unhealthy = overall(result.health) == HealthVerdict::failed;
  return arguments.strict && unhealthy ? kExitUnhealthy : kExitDone;
}

Result<int> show_experiment(const ResultArguments& arguments, CommandContext& context) {
  if (const Option* option = first_given(arguments.file_options)) {
    return Error::invalid_argument("is for a log or a file of comparisons", option->name(),
                                   "an experiment has its own");
  }
  return with_client(arguments.client, StoreUse::existing, [&](ApiClient& client) -> Result<int> {
    DUEL_ASSIGN(const Json json, client.get(experiment_target(arguments.file, "/result")));
    DUEL_ASSIGN(const SlicedResult result,
                described_from<SlicedResult>(json, "the server's result"));
    return show(result, json, Views(), arguments, context);
  });
}

Result<int> run_result(const ResultArguments& arguments, CommandContext& context) {
  if (arguments.file.empty() == arguments.log.empty()) {
    return Error::invalid_argument(
        "one experiment, log or file of comparisons is needed", "result",
        "duel result EXPERIMENT, duel result --log LOG, or duel result votes.csv");
  }
  if (arguments.log.empty() && arguments.client.name_experiment(arguments.file)) {
    return show_experiment(arguments, context);
  }
  const std::string& file = arguments.log.empty() ? arguments.file : arguments.log;
  for (const std::string& output : arguments.outputs) {
    DUEL_RETURN_IF_ERROR(check_board_file(output));
    DUEL_RETURN_IF_ERROR(check_output(output));
  }
  BoardOptions options{.position = arguments.position, .ties_are_halves = arguments.ties == "half"};
  if (arguments.prior_option->given()) {
    if (!(arguments.prior > 1 && arguments.prior < 1e6)) {
      return Error::invalid_argument(fmt::format("{} is out of range", arguments.prior), "--prior",
                                     "above 1");
    }
    options.prior = GammaPrior{.shape = arguments.prior};
  }
  DUEL_ASSIGN(const Goal goal, arguments.goal.parse());
  if (looks_like_log(file)) {
    if (!arguments.slices.empty()) {
      return Error::invalid_argument("a log declares its slices", "--slice",
                                     "it is for a file of comparisons");
    }
    if (const Option* option = first_given(arguments.goal.options)) {
      return Error::invalid_argument("a log has a goal of its own", option->name(),
                                     "it is for a file of comparisons");
    }
  }
  DUEL_ASSIGN(const auto columns, columns_option(arguments.columns, looks_like_log(file)));
  std::vector<std::string> notes;
  DUEL_ASSIGN(const ReadAnswers read,
              read_answers(file, arguments.alpha, goal, columns ? &*columns : nullptr, &notes));
  for (const std::string& note : notes) context.note("{}", note);
  for (const std::string& output : arguments.outputs) {
    DUEL_RETURN_IF_ERROR(check_board_file(output, read.ledger));
  }
  const Board board = board_of(read.ledger, options);
  for (const std::string& output : arguments.outputs) {
    DUEL_ASSIGN(const std::string content, board_content(output, file, read, board));
    DUEL_RETURN_IF_ERROR(context.write_output(output, content));
  }
  DUEL_ASSIGN(const Views views, views_of(file, arguments, columns ? &*columns : nullptr));
  DUEL_ASSIGN(BySlice by_slice, slices_in(file, arguments, goal, columns ? &*columns : nullptr));
  return show(sliced(result_of(read.ledger, board, read.if_wrong), std::move(by_slice)),
              std::nullopt, views, arguments, context);
}

}  // namespace

void add_result_command(Command& program) {
  Command& command = program.add_command(
      "result",
      "Shows the result of an experiment, of a log, or of comparisons in a file.\n"
      "The verdict in a sentence, every arm and every pair with intervals that hold whenever you "
      "look, Bradley-Terry strengths, how far each rival is from being beaten, and health checks. "
      "Comparisons may be CSV, TSV, JSON Lines or a JSON array, with the columns model_a, model_b, "
      "winner (or first, second, winner), and judge and tstamp if there are any; the content says "
      "which it is. Of other columns a guess is made and printed (left, right, winner; a column "
      "per judge), and a square of counts is read as wins of rows over columns. Rows are put in "
      "the order of their times; without times the order is unknown, and the certificate rests on "
      "one look at all of them.");
  ResultArguments& arguments = command.runs(run_result);
  command.add("NAME FILE", &arguments.file,
              "Log, or comparisons as CSV, TSV or JSON; or the id of an experiment of the store or "
              "the server.");
  const Option& log =
      command.add("--log FILE", &arguments.log, "Log or comparisons, as an option.");
  const Option& alpha = command.add(
      "--alpha ALPHA", &arguments.alpha,
      "Error level of the certificate of comparisons (default 0.05); a log has its own.");
  add_goal_options(command, arguments.goal, "For comparisons; a log has its own. ");
  arguments.prior_option =
      &command.add("--prior SHAPE", &arguments.prior,
                   "Shape of a Gamma prior on the Bradley-Terry strengths, above 1: Elo is then "
                   "finite for any duels, drawn towards the average arm as by SHAPE - 1 wins each "
                   "way between two. The verdict does not depend on it.");
  const Option& position =
      command.add("--position", &arguments.position,
                  "Also estimate the advantage of being shown first, and remove it from the Elo.");
  const Option& ties = command.add(
      "--ties MODEL", one_of(&arguments.ties, {"davidson", "half"}),
      "How ties enter the Elo: with a probability of their own (davidson, the default), "
      "or as half wins (half), as arenas of language models count them. The verdict "
      "does not depend on it.");
  const Option& columns = add_columns_option(command, arguments.columns);
  const Option& slice = command.add(
      "--slice COLUMN", not_empty(&arguments.slices),
      "Of comparisons: a column that tells them apart, a language or a device. Each of its values "
      "gets a verdict of its own, at --alpha over the number of all values; may be repeated. A log "
      "has declared its slices.");
  const Option& output =
      command.add("-o,--output FILE", not_empty(&arguments.outputs),
                  "Also write the board: arms with ranks, strengths, intervals and counts as .csv "
                  "or .md, strengths and a map of the wins as .svg, .pdf or .png, or a report in "
                  "one file with all charts as .html; may be repeated.");
  const Option& reasons =
      command.add("--reasons", &arguments.reasons,
                  "Also show why judges answered as they did, in their own words, for each answer "
                  "of a log that has a reason.");
  const Option& judges =
      command.add("--judges", &arguments.judges,
                  "Also show how much each judge, voter or model goes by what the others see, and "
                  "the strengths that follow where they are weighed by it. The verdict does not "
                  "depend on it.");
  const Option& covariates = command.add(
      "--covariate NAME", not_empty(&arguments.covariates),
      "Also show what this number explains of who is preferred: what a judge sent with its answers "
      "(features), or two columns; 'length' is first_length and second_length, or length_a and "
      "length_b. May be repeated. The verdict does not depend on it.");
  arguments.file_options = arguments.goal.options;
  for (const Option* option : {&log, &alpha, arguments.prior_option, &position, &ties, &columns,
                               &slice, &output, &reasons, &judges, &covariates}) {
    arguments.file_options.push_back(option);
  }
  add_json_client_options(command, arguments.client);
  command.add("--strict", &arguments.strict, "Exit with 4 if a health check failed.");
  command.footer =
      "Examples:\n  duel result --log prompts.duel.jsonl\n"
      "  duel result --log prompts.duel.jsonl -o report.html\n  duel result logo --server "
      "http://127.0.0.1:7557\n  duel result arena.csv --json\n"
      "  duel result arena.csv --goal order --top 3\n"
      "  duel result votes.csv --columns a=left,b=right,winner=choice --ties half\n"
      "  duel result arena.csv --slice language\n"
      "  duel result arena.csv --covariate length --judges\n"
      "  duel result arena.csv --position -o board.md -o board.svg";
}

}  // namespace duel::cli
