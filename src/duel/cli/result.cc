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
#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/experiment/board.h"
#include "duel/experiment/board_file.h"
#include "duel/experiment/experiment_log.h"
#include "duel/experiment/experiment_result.h"
#include "duel/experiment/verdict.h"
#include "duel/pictures/board_picture.h"

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
enum class BoardFormat { csv, markdown, picture };

Result<BoardFormat> board_format_of(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".csv") return BoardFormat::csv;
  if (ending == ".md") return BoardFormat::markdown;
  if (plot_format_of(file).ok()) return BoardFormat::picture;
  return Error::invalid_argument(fmt::format("'{}' does not end in a known format", file),
                                 "--output", "known: .csv, .md, .svg, .pdf, .png");
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

Status write_board(const std::string& file, const Ledger& ledger, const Board& board,
                   CommandContext& context) {
  DUEL_ASSIGN(const BoardFormat format, board_format_of(file));
  switch (format) {
    case BoardFormat::csv:
      return context.write_output(file, board_csv(ledger, board));
    case BoardFormat::markdown:
      return context.write_output(file, board_markdown(ledger, board));
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
  return "\n" +
         wrapped(
             fmt::format(
                 "Being shown first is worth {:+.0f} Elo [{:+.0f} .. {:+.0f}]: of two equal arms, the one "
                 "shown first wins {:.1f} % of the decisive duels. The Elo above is net of this effect.",
                 elo_points(effect.log_odds), elo_points(interval.lower),
                 elo_points(interval.upper), 100 * effect.first_wins_against_equal()),
             report_width()) +
         "\n";
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

  // An arm's name, cut inside where it is longer.
  std::string name_of(Arm arm, std::size_t most) const {
    return shortened_inside(ledger_.name_of(arm), most);
  }
  // A table of so many columns of names, which `make(most)` cuts to `most`, in the report's width.
  template <class Make>
  std::string with_names_that_fit(std::size_t columns_of_names, const Make& make) const {
    std::size_t longest = kLeastName;
    for (const BoardArm& arm : board_.arms) {
      longest = std::max(longest, display_width(ledger_.name_of(arm.arm)));
    }
    Table table = make(longest);
    while (table.width() > report_width() && longest > kLeastName) {
      const std::size_t excess = table.width() - report_width();
      const std::size_t cut = std::max<std::size_t>(1, excess / columns_of_names);
      longest = longest > kLeastName + cut ? longest - cut : kLeastName;
      table = make(longest);
    }
    return table.to_string();
  }
  static constexpr std::size_t kLeastName = 12;

  enum class CellOf { intervals, percents };
  Table matrix_of(CellOf cells, std::size_t columns, std::size_t name) const;

  const Ledger& ledger_;
  Board board_;
};

std::string ResultReport::arms_text() const {
  const ShownCounts all = ledger_.total();
  return with_names_that_fit(1, [&](std::size_t name) {
    Table table;
    table.column("arm", Align::left).column("won").column("lost");
    if (all.ties > 0) table.column("tied");
    if (all.both_bad > 0) table.column("both bad");
    table.column("rate").column("Elo").column("95 %").column("P(best)");
    for (const BoardArm& arm : board_.arms) {
      std::vector<Cell> cells = {name_of(arm.arm, name), arm.counts.first_wins,
                                 arm.counts.second_wins};
      if (all.ties > 0) cells.emplace_back(arm.counts.ties);
      if (all.both_bad > 0) cells.emplace_back(arm.counts.both_bad);
      cells.insert(cells.end(),
                   {percent(arm.rate), arm.elo ? fmt::format("{:+.0f}", *arm.elo) : "",
                    arm.elo_interval ? fmt::format("{:+.0f} .. {:+.0f}", arm.elo_interval->lower,
                                                   arm.elo_interval->upper)
                                     : "",
                    fmt::format("{:.3f}", arm.probability_best)});
      table.row(std::move(cells));
    }
    return table;
  });
}

// Rows against columns: the share of decisive duels that the row won, with the interval that holds
// whenever you look and the share of ties, or in percent alone.
Table ResultReport::matrix_of(CellOf kind, std::size_t columns, std::size_t name) const {
  Table table;
  table.column("won against", Align::left);
  for (std::size_t c = 0; c < columns; ++c) {
    table.column(kind == CellOf::intervals ? ledger_.name_of(board_.arms[c].arm)
                                           : fmt::format("{}", c + 1));
  }
  for (std::size_t r = 0; r < board_.arms.size(); ++r) {
    const Arm row = board_.arms[r].arm;
    std::vector<std::string> cells = {kind == CellOf::intervals
                                          ? name_of(row, name)
                                          : fmt::format("{:>2} {}", r + 1, name_of(row, name))};
    for (std::size_t c = 0; c < columns; ++c) {
      const Arm column = board_.arms[c].arm;
      const auto pair = pair_of(board_, row, column);
      if (!pair) {
        cells.emplace_back(row == column ? "" : "-");
        continue;
      }
      if (kind == CellOf::percents) {
        cells.push_back(pair->counts.decisive() == 0 ? "-"
                                                     : fmt::format("{:.0f}", 100 * pair->rate));
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
  return table;
}

// With intervals where all of it fits, otherwise in percent under numbers, as many as fit.
std::string ResultReport::matrix_text() const {
  const std::string when =
      ledger_.experiment().one_look_after > 0 ? "[95 %]" : "[95 % at any time]";
  const std::size_t all = board_.arms.size();
  constexpr std::size_t kWhole = 1000;
  if (matrix_of(CellOf::intervals, all, kWhole).width() <= report_width()) {
    return fmt::format("\nShare won, {}, ties\n", when) +
           matrix_of(CellOf::intervals, all, kWhole).to_string();
  }
  std::size_t columns = all;
  while (columns > 1 && matrix_of(CellOf::percents, columns, 24).width() > report_width()) {
    --columns;
  }
  std::string text = fmt::format(
      "\nShare of decisive duels won, in percent; {}\n",
      columns == all ? "columns as rows" : fmt::format("the first {} opponents", columns));
  text += matrix_of(CellOf::percents, columns, 24).to_string();
  return text + "(--json has all pairs with intervals and ties; -o board.svg draws them)\n";
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
  const std::string table = with_names_that_fit(2, [&](std::size_t name) {
    Table pairs;
    pairs.column("arm", Align::left).column("over", Align::left);
    pairs.column("evidence").column("needed").column("duels left");
    for (std::size_t k = 0; k < std::min(open.size(), kMostRows); ++k) {
      const NeededPair& pair = open[k];
      pairs.row({name_of(pair.first, name), name_of(pair.second, name),
                 short_evidence(certifier.log_evidence(pair.first, pair.second)),
                 short_evidence(ledger_.orders()->log_threshold()),
                 pair.duels_left ? fmt::format("{}", *pair.duels_left) : "?"});
    }
    return pairs;
  });
  if (open.empty()) return "";
  std::string text = fmt::format("\nPairs that are still open\n{}", table);
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
  if (rivals.empty()) return "";
  const std::string table = with_names_that_fit(1, [&](std::size_t name) {
    Table evidence;
    evidence.column("rival", Align::left).column("won").column("95 %");
    evidence.column("evidence").column("needed").column("duels left");
    for (const ArmStanding& rival : rivals) {
      const auto pair = pair_of(board_, leader, rival.arm);
      evidence.row({name_of(rival.arm, name),
                    pair && pair->counts.decisive() > 0 ? percent(pair->rate) : "-",
                    pair ? fmt::format("{:.0f} .. {:.0f} %", 100 * pair->interval.lower,
                                       100 * pair->interval.upper)
                         : "-",
                    short_evidence(certifier.log_evidence(leader, rival.arm)),
                    short_evidence(certifier.log_threshold(leader)),
                    rival.duels_left ? fmt::format("{}", *rival.duels_left) : "?"});
    }
    return evidence;
  });
  return fmt::format("\nEvidence that {} beats its rivals\n{}", name_of(leader, 48), table);
}

std::string ResultReport::notes_text() const {
  const Paint paint(wants_color(STDOUT_FILENO));
  std::string text;
  if (ledger_.experiment().one_look_after > 0 && !ledger_.certificate()) {
    text +=
        "\n" +
        wrapped(
            "The order of the rows is unknown, because not every two of a pair have times of their "
            "own: evidence is what all of them together say, not the most that it ever was.",
            report_width()) +
        "\n";
  }
  constexpr std::size_t kDetail = 28;  // where the words of a check begin
  text += "\nHealth\n";
  for (const HealthCheck& check : board_.health) {
    const std::string word(to_word(check.verdict));
    const std::string padded = fmt::format("{:<8}", word);
    text += fmt::format("  {}{:<18}{}\n",
                        check.verdict == HealthVerdict::failed   ? paint.red(padded)
                        : check.verdict == HealthVerdict::passed ? paint.green(padded)
                                                                 : paint.dim(padded),
                        check.name, wrapped(check.detail, report_width() - kDetail, kDetail));
  }
  if (!board_.strengths) {
    text += fmt::format("\nNo Bradley-Terry strengths: {}\n", board_.no_strengths);
    return text;
  }
  std::string about = fmt::format(
      "Elo is a Bradley-Terry fit{}{}{}; a view, not the verdict.",
      board_.tie_model == TieModel::davidson ? " with ties (Davidson)" : "",
      board_.strengths->prior ? fmt::format(", with a Gamma prior of shape {} on the strengths",
                                            format_number(board_.strengths->prior->shape))
                              : std::string(),
      board_.strengths->added_wins > 0
          ? fmt::format(", with {} wins added to each pair because some arms never "
                        "lost",
                        format_number(board_.strengths->added_wins))
          : std::string());
  if (const auto& fit = board_.strengths->lack_of_fit) {
    about += fmt::format(
        " Lack of fit: p = {:.3g}{}.", fit->p_value,
        fit->p_value < 0.01 ? ", so strengths alone do not explain who beats whom" : "");
  }
  return text + "\n" + wrapped(about, report_width()) + "\n" + position_text(board_);
}

std::string ResultReport::to_text() const {
  const Paint paint(wants_color(STDOUT_FILENO));
  const ShownCounts all = ledger_.total();
  std::string text =
      paint.bold(wrapped(verdict_of(ledger_, board_.standing), report_width())) + "\n\n";
  text += wrapped(fmt::format(
                      "{}: {} decisive, {}, {} both bad, {} skipped, {} invalid, {} expired, {} "
                      "pending",
                      counted(all.served, "duel"), all.decisive(), counted(all.ties, "tie"),
                      all.both_bad, all.skips, all.invalid, all.expired, all.pending()),
                  report_width()) +
          "\n\n";
  text += arms_text();
  text += matrix_text();
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
    DUEL_RETURN_IF_ERROR(write_board(output, ledger, report.board(), context));
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
      "The verdict in a sentence, every arm and every pair with intervals that hold whenever you "
      "look, Bradley-Terry strengths, how far each rival is from being beaten, and health checks. "
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
      ".md, strengths and a map of the wins as .svg, .pdf or .png; may be repeated.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.add("--strict", &arguments.strict, "End with 4 if a health check failed.");
  command.footer =
      "Examples:\n  duel result --log prompts.duel.jsonl\n  duel result arena.csv --json\n"
      "  duel result arena.csv --goal order --top 3\n"
      "  duel result arena.csv --position -o board.md -o board.svg";
}

}  // namespace duel::cli
