#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/cli/commands.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/experiment/board.h"
#include "duel/experiment/certificate_file.h"
#include "duel/experiment/comparison_table.h"
#include "duel/experiment/standing.h"
#include "duel/inference/evidence.h"

namespace duel::cli {
namespace {

struct Arguments {
  std::string file;
  std::string log;
  double alpha = 0.05;
  double prior = 0;  // shape of the Gamma prior
  const Option* prior_option = nullptr;
  bool json = false;
  bool strict = false;
};

// A log, or comparisons in a file as an experiment that never was logged.
Result<Ledger> ledger_of(const std::string& file, double alpha) {
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension != ".csv") {
    DUEL_ASSIGN(CheckedLog log, check_log(file));
    return std::move(log.ledger);
  }
  DUEL_ASSIGN(const ComparisonTable table, read_comparisons(file));
  const std::string id = id_from(std::filesystem::path(file).stem().string());
  DUEL_ASSIGN(Ledger ledger, Ledger::make(experiment_of(table, id, alpha)));
  LogEntry entry{.sequence = 1, .time_ms = 0, .record = {}, .hash = ""};
  for (const ComparisonRecord& row : table.rows) {
    ++entry.sequence;
    entry.record = row;
    const auto effect = ledger.apply(entry);
    if (!effect.ok()) return effect.error();
  }
  return ledger;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

class ResultReport {
 public:
  ResultReport(const Ledger& ledger, const std::optional<GammaPrior>& prior)
      : ledger_(ledger), board_(board_of(ledger, prior)), standing_(standing_of(ledger)) {}

  const Board& board() const { return board_; }

  std::string verdict() const {
    if (ledger_.certificate()) return certificate_statement(ledger_);
    if (board_.too_little) {
      return fmt::format("Not enough data: {} has fewer than {} decisive duels.",
                         ledger_.id_of(*board_.too_little), Board::kFewestDecisive);
    }
    std::string text = "Undecided: ";
    if (board_.tied_for_first.empty()) {
      text += fmt::format("{} leads", ledger_.id_of(*board_.leader));
    } else {
      for (std::size_t k = 0; k < board_.tied_for_first.size(); ++k) {
        if (k > 0) text += k + 1 == board_.tied_for_first.size() ? " and " : ", ";
        text += ledger_.id_of(board_.tied_for_first[k]);
      }
      text += " are tied for first";
    }
    return text + (standing_.duels_left
                       ? fmt::format("; about {} more duels.", *standing_.duels_left)
                       : std::string("."));
  }

  std::string to_text() const;
  Json to_json() const;

 private:
  std::string arms_text() const;
  std::string matrix_text() const;
  std::string evidence_text() const;
  std::string notes_text() const;

  const Ledger& ledger_;
  Board board_;
  Standing standing_;
};

std::string ResultReport::arms_text() const {
  Table table;
  table.column("arm", Align::left).column("won").column("lost").column("tied").column("both bad");
  table.column("rate").column("Elo").column("95 %").column("P(best)");
  for (const BoardArm& arm : board_.arms) {
    table.row({ledger_.id_of(arm.arm), fmt::format("{}", arm.counts.first_wins),
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
  for (const BoardArm& arm : board_.arms) table.column(ledger_.id_of(arm.arm));
  for (const BoardArm& row : board_.arms) {
    std::vector<std::string> cells = {ledger_.id_of(row.arm)};
    for (const BoardArm& column : board_.arms) {
      const Arm low = std::min(row.arm, column.arm), high = std::max(row.arm, column.arm);
      const auto found = std::find_if(
          board_.pairs.begin(), board_.pairs.end(),
          [&](const BoardPair& pair) { return pair.first == low && pair.second == high; });
      if (row.arm == column.arm || found == board_.pairs.end()) {
        cells.emplace_back(row.arm == column.arm ? "" : "-");
        continue;
      }
      const bool mirrored = row.arm == high;
      const Interval p = mirrored ? Interval{1 - found->interval.upper, 1 - found->interval.lower}
                                  : found->interval;
      const double rate = mirrored ? 1 - found->rate : found->rate;
      const std::uint64_t ties = found->counts.ties + found->counts.both_bad;
      std::string cell = fmt::format("{:.2f} [{:.2f} {:.2f}]", rate, p.lower, p.upper);
      if (ties > 0) {
        cell += fmt::format(" {:.0f}%", 100 * static_cast<double>(ties) /
                                            static_cast<double>(ties + found->counts.decisive()));
      }
      cells.push_back(std::move(cell));
    }
    table.row(std::move(cells));
  }
  return table.to_string();
}

std::string ResultReport::evidence_text() const {
  if (ledger_.certificate() || !standing_.leader || ledger_.scores()) return "";
  Table table;
  table.column("rival", Align::left).column("evidence").column("needed").column("duels left");
  const Arm leader = *standing_.leader;
  const Certifier& certifier = ledger_.certifier();
  for (const ArmStanding& rival : standing_.arms) {
    if (!rival.beaten) continue;
    table.row({ledger_.id_of(rival.arm), format_evidence(certifier.log_evidence(leader, rival.arm)),
               format_evidence(certifier.log_threshold(leader)),
               rival.duels_left ? fmt::format("{}", *rival.duels_left) : "?"});
  }
  if (table.num_rows() == 0) return "";
  return fmt::format("\nEvidence that {} beats its rivals\n{}", ledger_.id_of(leader),
                     table.to_string());
}

std::string ResultReport::notes_text() const {
  const Paint paint(wants_color(STDOUT_FILENO));
  std::string text = "\nHealth\n";
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
  return text + "\n";
}

std::string ResultReport::to_text() const {
  const Paint paint(wants_color(STDOUT_FILENO));
  const ShownCounts all = ledger_.total();
  std::string text = paint.bold(verdict()) + "\n\n";
  text += fmt::format(
      "{} duels: {} decisive, {} ties, {} both bad, {} skipped, {} invalid, {} expired, {} "
      "pending\n\n",
      all.served, all.decisive(), all.ties, all.both_bad, all.skips, all.invalid, all.expired,
      all.pending());
  text += arms_text();
  text += "\nShare won, [95 % at any time], ties\n" + matrix_text();
  text += evidence_text();
  return text + notes_text();
}

Json counts_json(const ShownCounts& counts) {
  return {{"served", counts.served},           {"first_wins", counts.first_wins},
          {"second_wins", counts.second_wins}, {"ties", counts.ties},
          {"both_bad", counts.both_bad},       {"skips", counts.skips},
          {"invalid", counts.invalid},         {"expired", counts.expired},
          {"pending", counts.pending()}};
}

Json ResultReport::to_json() const {
  Json json;
  json["experiment_id"] = ledger_.experiment().experiment_id;
  json["verdict"] = verdict();
  json["state"] = ledger_.certificate() ? "certified"
                  : board_.too_little   ? "not_enough_data"
                                        : "undecided";
  json["leader"] =
      board_.leader && !board_.too_little ? Json(ledger_.id_of(*board_.leader)) : Json();
  Json tied = Json::array();
  for (const Arm arm : board_.tied_for_first) tied.push_back(ledger_.id_of(arm));
  json["tied_for_first"] = std::move(tied);
  json["expected_duels_left"] = standing_.duels_left ? Json(*standing_.duels_left) : Json();
  json["duels"] = counts_json(ledger_.total());
  Json arms = Json::array();
  for (const BoardArm& arm : board_.arms) {
    Json entry;
    entry["arm_id"] = ledger_.id_of(arm.arm);
    entry["wins"] = arm.counts.first_wins;
    entry["losses"] = arm.counts.second_wins;
    entry["ties"] = arm.counts.ties;
    entry["both_bad"] = arm.counts.both_bad;
    entry["rate"] = arm.rate;
    entry["probability_best"] = arm.probability_best;
    entry["elo"] = arm.elo ? Json(*arm.elo) : Json();
    entry["elo_interval"] =
        arm.elo_interval ? Json{arm.elo_interval->lower, arm.elo_interval->upper} : Json();
    const ArmStanding& standing = standing_.arms[arm.arm];
    if (standing.beaten) {
      const Arm leader = *standing_.leader;
      entry["log_evidence"] = ledger_.certifier().log_evidence(leader, arm.arm);
      entry["log_threshold"] = ledger_.certifier().log_threshold(leader);
      entry["duels_left"] = standing.duels_left ? Json(*standing.duels_left) : Json();
    }
    if (standing.score) entry["score"] = Json{standing.score->lower, standing.score->upper};
    arms.push_back(std::move(entry));
  }
  json["arms"] = std::move(arms);
  Json pairs = Json::array();
  for (const BoardPair& pair : board_.pairs) {
    pairs.push_back({{"first", ledger_.id_of(pair.first)},
                     {"second", ledger_.id_of(pair.second)},
                     {"counts", counts_json(pair.counts)},
                     {"rate", pair.rate},
                     {"interval", Json{pair.interval.lower, pair.interval.upper}}});
  }
  json["pairs"] = std::move(pairs);
  Json strengths;
  strengths["ties"] = board_.tie_model == TieModel::davidson ? "davidson" : "halves";
  if (board_.strengths) {
    strengths["added_wins"] = board_.strengths->added_wins;
    strengths["prior_shape"] =
        board_.strengths->prior ? Json(board_.strengths->prior->shape) : Json();
    strengths["tie_parameter"] = board_.strengths->tie_parameter;
    if (const auto& fit = board_.strengths->lack_of_fit) {
      strengths["lack_of_fit"] = {
          {"statistic", fit->statistic}, {"degrees", fit->degrees}, {"p_value", fit->p_value}};
    }
  } else {
    strengths["error"] = board_.no_strengths;
  }
  json["bradley_terry"] = std::move(strengths);
  json["probability_no_winner"] = board_.posterior.no_winner;
  if (const auto& given = ledger_.certificate()) {
    json["certificate"] = {{"kind", std::string(to_word(given->kind))},
                           {"winner", given->winner ? Json(ledger_.id_of(*given->winner)) : Json()},
                           {"sequence", given->sequence}};
  } else {
    json["certificate"] = Json();
  }
  Json health = Json::array();
  for (const HealthCheck& check : board_.health) {
    health.push_back({{"name", check.name},
                      {"verdict", std::string(to_word(check.verdict))},
                      {"detail", check.detail}});
  }
  json["health"] = std::move(health);
  return json;
}

Result<int> run(const Arguments& arguments, CommandContext& context) {
  if (arguments.file.empty() == arguments.log.empty()) {
    return Error::invalid_argument("one log or file of comparisons is needed", "result",
                                   "duel result --log LOG, or duel result FILE.csv");
  }
  const std::string& file = arguments.log.empty() ? arguments.file : arguments.log;
  std::optional<GammaPrior> prior;
  if (arguments.prior_option->given()) {
    if (!(arguments.prior > 1 && arguments.prior < 1e6)) {
      return Error::invalid_argument(fmt::format("{} is out of range", arguments.prior), "--prior",
                                     "above 1");
    }
    prior = GammaPrior{.shape = arguments.prior};
  }
  DUEL_ASSIGN(const Ledger ledger, ledger_of(file, arguments.alpha));
  const ResultReport report(ledger, prior);
  context.print(arguments.json ? report.to_json().dump_pretty() : report.to_text());
  const bool failed = overall(report.board().health) == HealthVerdict::failed;
  return arguments.strict && failed ? kExitUnhealthy : kExitDone;
}

}  // namespace

void add_result_command(Command& program) {
  Command& command = program.add_command(
      "result",
      "Shows the result of an experiment from its log, or of comparisons in a CSV file.\n"
      "The verdict in a sentence, every arm and every pair with intervals that hold whenever one "
      "looks, Bradley-Terry strengths, how far each rival is from being beaten, and health checks. "
      "The rows of a CSV file are taken in the order in which they stand.");
  Arguments& arguments = command.runs(run);
  command.add("FILE", &arguments.file, "Log, or comparisons as CSV (*.csv).");
  command.add("--log FILE", &arguments.log, "The same, as an option.");
  command.add("--alpha ALPHA", &arguments.alpha,
              "Error level of the certificate of a CSV file (default 0.05); a log has its own.");
  arguments.prior_option =
      &command.add("--prior SHAPE", &arguments.prior,
                   "Shape of a Gamma prior on the Bradley-Terry strengths, above 1: Elo is then "
                   "finite for any duels, drawn towards the average arm as by SHAPE - 1 wins each "
                   "way between two. The verdict does not depend on it.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.add("--strict", &arguments.strict, "End with 4 if a health check failed.");
  command.footer = "Examples:\n  duel result --log prompts.jsonl\n  duel result arena.csv --json";
}

}  // namespace duel::cli
