#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/cli/commands.h"
#include "duel/cli/gnuplot.h"
#include "duel/cli/goal_options.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/experiment/board.h"
#include "duel/experiment/board_file.h"
#include "duel/experiment/experiment_log.h"
#include "duel/experiment/experiment_result.h"
#include "duel/experiment/verdict.h"
#include "duel/pages/report.h"
#include "duel/pictures/board_picture.h"
#include "duel/server/timeline.h"
#include "duel/store/log_file.h"
#include "duel/version_info.h"

namespace duel::cli {
namespace {

struct Arguments {
  std::string file;
  std::string log;
  double alpha = 0.05;
  std::string goal = "condorcet";
  std::uint64_t top = 0;
  double epsilon = 0;
  std::string assume = "none";
  std::vector<const Option*> goal_options;
  double prior = 0;  // shape of the Gamma prior
  const Option* prior_option = nullptr;
  bool position = false;
  std::vector<std::string> outputs;
  bool json = false;
  bool strict = false;
};

// What a file holds, by the ending of its name.
enum class BoardFormat { csv, markdown, report, picture };

Result<BoardFormat> board_format_of(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".csv") return BoardFormat::csv;
  if (ending == ".md") return BoardFormat::markdown;
  if (names_report(file)) return BoardFormat::report;
  if (plot_format_of(file).ok()) return BoardFormat::picture;
  return Error::invalid_argument(fmt::format("'{}' does not end in a known format", file),
                                 "--output", "known: .csv, .md, .html, .svg, .pdf, .png");
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// An e-value for people, who compare it with a threshold of at most some thousands; the JSON has
// its logarithm.
std::string short_evidence(double log_evidence) {
  constexpr double kMost = 1e6;
  if (log_evidence > std::log(kMost)) return "> 1 000 000";
  const double evidence = std::exp(log_evidence);
  return evidence < 99.5 ? fmt::format("{:.2g}", evidence) : fmt::format("{:.0f}", evidence);
}

// The page of one file: the result, and how it came about where a log tells.
Result<std::string> report_of(const std::string& source, const Ledger& ledger, const Board& board) {
  constexpr std::size_t kPoints = 200;
  Json data;
  data["kind"] = "result";
  data["made_by"] = "duel " + std::string(kVersion);
  data["source"] = std::filesystem::path(source).filename().string();
  data["alpha"] = ledger.experiment().stopping.alpha;
  data["policy"] = ledger.experiment().policy;
  data["result"] = result_json(ledger, board);
  if (looks_like_log(source)) {
    LogFiles files;
    DUEL_ASSIGN(data["timeline"], timeline_of(files, source, kPoints));
  }
  return report_page(ledger.experiment().experiment_id, data);
}

Status write_board(const std::string& file, const std::string& source, const Ledger& ledger,
                   const Board& board, CommandContext& context) {
  DUEL_ASSIGN(const BoardFormat format, board_format_of(file));
  switch (format) {
    case BoardFormat::csv:
      return context.write_output(file, board_csv(ledger, board));
    case BoardFormat::markdown:
      return context.write_output(file, board_markdown(ledger, board));
    case BoardFormat::report: {
      DUEL_ASSIGN(const std::string page, report_of(source, ledger, board));
      return context.write_output(file, page);
    }
    case BoardFormat::picture:
      break;
  }
  DUEL_ASSIGN(const PlotFormat picture, plot_format_of(file));
  DUEL_ASSIGN(const std::string drawn, run_gnuplot(board_picture_script(ledger, board, picture)));
  return context.write_output(file, drawn);
}

// In words, with the interval.
std::string position_text(const Board& board) {
  if (!board.no_position.empty()) {
    return fmt::format("\nThe effect of being shown first was not fitted: {}.\n",
                       board.no_position);
  }
  if (!board.strengths || !board.strengths->position) return "";
  const PositionEffect& effect = *board.strengths->position;
  const Interval interval = effect.interval(Board::kDelta);
  return fmt::format(
      "\nBeing shown first is worth {:+.0f} Elo [{:+.0f} .. {:+.0f}]: of two equal arms, the one "
      "shown first\nwins {:.1f} % of the decisive duels. The Elo above is net of this effect.\n",
      elo_points(effect.log_odds), elo_points(interval.lower), elo_points(interval.upper),
      100 * effect.first_wins_against_equal());
}

class ResultReport {
 public:
  ResultReport(const Ledger& ledger, const BoardOptions& options)
      : ledger_(ledger), board_(board_of(ledger, options)) {}

  const Board& board() const { return board_; }

  std::string to_text() const;

 private:
  std::string arms_text() const;
  std::string matrix_text() const;
  std::string evidence_text() const;
  std::string open_pairs_text() const;
  std::string notes_text() const;

  const Ledger& ledger_;
  Board board_;
};

std::string ResultReport::arms_text() const {
  Table table;
  table.column("arm", Align::left).column("won").column("lost").column("tied").column("both bad");
  table.column("rate").column("Elo").column("95 %").column("P(best)");
  for (const BoardArm& arm : board_.arms) {
    table.row({ledger_.name_of(arm.arm), fmt::format("{}", arm.counts.first_wins),
               fmt::format("{}", arm.counts.second_wins), fmt::format("{}", arm.counts.ties),
               fmt::format("{}", arm.counts.both_bad), percent(arm.rate),
               arm.elo ? fmt::format("{:+.0f}", *arm.elo) : "",
               arm.elo_interval ? fmt::format("{:+.0f} .. {:+.0f}", arm.elo_interval->lower,
                                              arm.elo_interval->upper)
                                : "",
               fmt::format("{:.3f}", arm.probability_best)});
  }
  return table.to_string();
}

// Rows against columns: the share of decisive duels that the row won, and the interval that holds
// whenever one looks.
std::string ResultReport::matrix_text() const {
  Table table;
  table.column("won against", Align::left);
  for (const BoardArm& arm : board_.arms) table.column(ledger_.name_of(arm.arm));
  for (const BoardArm& row : board_.arms) {
    std::vector<std::string> cells = {ledger_.name_of(row.arm)};
    for (const BoardArm& column : board_.arms) {
      const auto pair = pair_of(board_, row.arm, column.arm);
      if (!pair) {
        cells.emplace_back(row.arm == column.arm ? "" : "-");
        continue;
      }
      const std::uint64_t ties = pair->counts.ties + pair->counts.both_bad;
      std::string cell = fmt::format("{:.2f} [{:.2f} {:.2f}]", pair->rate, pair->interval.lower,
                                     pair->interval.upper);
      if (ties > 0) {
        cell += fmt::format(" {:.0f}%", 100 * static_cast<double>(ties) /
                                            static_cast<double>(ties + pair->counts.decisive()));
      }
      cells.push_back(std::move(cell));
    }
    table.row(cells);
  }
  return table.to_string();
}

// The pairs that the arms in front still have to show, the ones with the least evidence first.
std::string ResultReport::open_pairs_text() const {
  constexpr std::size_t kMostRows = 20;
  const Certifier& certifier = ledger_.certifier();
  std::vector<NeededPair> open;
  for (const NeededPair& pair : board_.standing.order->needed) {
    if (!pair.shown) open.push_back(pair);
  }
  std::stable_sort(open.begin(), open.end(), [&](const NeededPair& a, const NeededPair& b) {
    return certifier.log_evidence(a.first, a.second) < certifier.log_evidence(b.first, b.second);
  });
  Table table;
  table.column("arm", Align::left).column("over", Align::left);
  table.column("evidence").column("needed").column("duels left");
  for (std::size_t k = 0; k < std::min(open.size(), kMostRows); ++k) {
    const NeededPair& pair = open[k];
    table.row({ledger_.name_of(pair.first), ledger_.name_of(pair.second),
               short_evidence(certifier.log_evidence(pair.first, pair.second)),
               short_evidence(ledger_.orders()->log_threshold()),
               pair.duels_left ? fmt::format("{}", *pair.duels_left) : "?"});
  }
  if (open.empty()) return "";
  std::string text = fmt::format("\nPairs that are still open\n{}", table.to_string());
  if (open.size() > kMostRows) text += fmt::format("and {} more\n", open.size() - kMostRows);
  return text;
}

// The rivals of the leader, the one with the least evidence against it first.
std::string ResultReport::evidence_text() const {
  const Standing& standing = board_.standing;
  if (ledger_.certificate() || !standing.leader || ledger_.scores()) return "";
  if (standing.order) return open_pairs_text();
  const Arm leader = *standing.leader;
  const Certifier& certifier = ledger_.certifier();
  std::vector<ArmStanding> rivals;
  for (const ArmStanding& rival : standing.arms) {
    if (rival.beaten) rivals.push_back(rival);
  }
  std::stable_sort(rivals.begin(), rivals.end(), [&](const ArmStanding& a, const ArmStanding& b) {
    return certifier.log_evidence(leader, a.arm) < certifier.log_evidence(leader, b.arm);
  });
  Table table;
  table.column("rival", Align::left).column("evidence").column("needed").column("duels left");
  for (const ArmStanding& rival : rivals) {
    table.row({ledger_.name_of(rival.arm),
               short_evidence(certifier.log_evidence(leader, rival.arm)),
               short_evidence(certifier.log_threshold(leader)),
               rival.duels_left ? fmt::format("{}", *rival.duels_left) : "?"});
  }
  if (table.num_rows() == 0) return "";
  return fmt::format("\nEvidence that {} beats its rivals\n{}", ledger_.name_of(leader),
                     table.to_string());
}

std::string ResultReport::notes_text() const {
  const Paint paint(wants_color(STDOUT_FILENO));
  std::string text;
  if (ledger_.experiment().one_look_after > 0 && !ledger_.certificate()) {
    text +=
        "\nThe order of the rows is unknown, as not every two of a pair have times of their own: evidence is what all of them "
        "together say, not the most that it ever was.\n";
  }
  text += "\nHealth\n";
  for (const HealthCheck& check : board_.health) {
    const std::string word(to_word(check.verdict));
    const std::string padded = fmt::format("{:<8}", word);
    text += fmt::format("  {}{:<18}{}\n",
                        check.verdict == HealthVerdict::failed   ? paint.red(padded)
                        : check.verdict == HealthVerdict::passed ? paint.green(padded)
                                                                 : paint.dim(padded),
                        check.name, check.detail);
  }
  if (!board_.strengths) {
    text += fmt::format("\nNo Bradley-Terry strengths: {}\n", board_.no_strengths);
    return text;
  }
  text += fmt::format("\nElo is a Bradley-Terry fit{}{}{}; a view, not the verdict.",
                      board_.tie_model == TieModel::davidson ? " with ties (Davidson)" : "",
                      board_.strengths->prior
                          ? fmt::format(", with a Gamma prior of shape {} on the strengths",
                                        format_number(board_.strengths->prior->shape))
                          : std::string(),
                      board_.strengths->added_wins > 0
                          ? fmt::format(", with {} wins added to each pair because some arms never "
                                        "lost",
                                        format_number(board_.strengths->added_wins))
                          : std::string());
  if (const auto& fit = board_.strengths->lack_of_fit) {
    text += fmt::format(
        " Lack of fit: p = {:.3g}{}.", fit->p_value,
        fit->p_value < 0.01 ? ", so strengths alone do not explain who beats whom" : "");
  }
  return text + "\n" + position_text(board_);
}

std::string ResultReport::to_text() const {
  const Paint paint(wants_color(STDOUT_FILENO));
  const ShownCounts all = ledger_.total();
  std::string text = paint.bold(verdict_of(ledger_, board_.standing)) + "\n\n";
  text += fmt::format(
      "{}: {} decisive, {}, {} both bad, {} skipped, {} invalid, {} expired, {} pending\n\n",
      counted(all.served, "duel"), all.decisive(), counted(all.ties, "tie"), all.both_bad,
      all.skips, all.invalid, all.expired, all.pending());
  text += arms_text();
  text += fmt::format("\nShare won, [95 %{}], ties\n",
                      ledger_.experiment().one_look_after > 0 ? "" : " at any time") +
          matrix_text();
  text += evidence_text();
  return text + notes_text();
}

Result<int> run(const Arguments& arguments, CommandContext& context) {
  if (arguments.file.empty() == arguments.log.empty()) {
    return Error::invalid_argument("one log or file of comparisons is needed", "result",
                                   "duel result --log LOG, or duel result votes.csv");
  }
  const std::string& file = arguments.log.empty() ? arguments.file : arguments.log;
  for (const std::string& output : arguments.outputs) {
    DUEL_RETURN_IF_ERROR(board_format_of(output));
    DUEL_RETURN_IF_ERROR(check_output(output));
  }
  BoardOptions options{.position = arguments.position};
  if (arguments.prior_option->given()) {
    if (!(arguments.prior > 1 && arguments.prior < 1e6)) {
      return Error::invalid_argument(fmt::format("{} is out of range", arguments.prior), "--prior",
                                     "above 1");
    }
    options.prior = GammaPrior{.shape = arguments.prior};
  }
  DUEL_ASSIGN(const Goal goal,
              parse_goal(arguments.goal, arguments.top, arguments.epsilon, arguments.assume));
  if (looks_like_log(file)) {
    for (const Option* option : arguments.goal_options) {
      if (!option->given()) continue;
      return Error::invalid_argument("a log has a goal of its own", option->name(),
                                     "it is for a file of comparisons");
    }
  }
  DUEL_ASSIGN(const Ledger ledger, read_ledger(file, arguments.alpha, goal));
  const ResultReport report(ledger, options);
  for (const std::string& output : arguments.outputs) {
    DUEL_RETURN_IF_ERROR(write_board(output, file, ledger, report.board(), context));
  }
  context.print(arguments.json ? result_json(ledger, report.board()).dump_pretty()
                               : report.to_text());
  const bool failed = overall(report.board().health) == HealthVerdict::failed;
  return arguments.strict && failed ? kExitUnhealthy : kExitDone;
}

}  // namespace

void add_result_command(Command& program) {
  Command& command = program.add_command(
      "result",
      "Shows the result of an experiment from its log, or of comparisons in a file.\n"
      "The verdict in a sentence, every arm and every pair with intervals that hold whenever one "
      "looks, Bradley-Terry strengths, how far each rival is from being beaten, and health checks. "
      "Comparisons may be CSV, TSV, JSON Lines or a JSON array, with the columns model_a, model_b, "
      "winner (or first, second, winner), and judge and tstamp if there are any; the content says "
      "which it is. Rows are put in the order of their times; without times the order is unknown, "
      "and the certificate rests on one look at all of them.");
  Arguments& arguments = command.runs(run);
  command.add("FILE", &arguments.file, "Log, or comparisons as CSV, TSV or JSON.");
  command.add("--log FILE", &arguments.log, "The same, as an option.");
  command.add("--alpha ALPHA", &arguments.alpha,
              "Error level of the certificate of comparisons (default 0.05); a log has its own.");
  arguments.goal_options = add_goal_options(
      command, {&arguments.goal, &arguments.top, &arguments.epsilon, &arguments.assume},
      "Of comparisons; a log has its own. ");
  arguments.prior_option =
      &command.add("--prior SHAPE", &arguments.prior,
                   "Shape of a Gamma prior on the Bradley-Terry strengths, above 1: Elo is then "
                   "finite for any duels, drawn towards the average arm as by SHAPE - 1 wins each "
                   "way between two. The verdict does not depend on it.");
  command.add("--position", &arguments.position,
              "Fit what being shown first is worth as well, so that Elo is net of it.");
  command.add(
      "-o,--output FILE", not_empty(&arguments.outputs),
      "Write the board as well: arms with ranks, strengths, intervals and counts as .csv or "
      ".md, strengths and a map of the wins as .svg, .pdf or .png, or a report in one file with all "
      "charts as .html; may be repeated.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.add("--strict", &arguments.strict, "End with 4 if a health check failed.");
  command.footer =
      "Examples:\n  duel result --log prompts.duel.jsonl\n"
      "  duel result --log prompts.duel.jsonl -o report.html\n  duel result arena.csv --json\n"
      "  duel result arena.csv --goal order --top 3\n"
      "  duel result arena.csv --position -o board.md -o board.svg";
}

}  // namespace duel::cli
