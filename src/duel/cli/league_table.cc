#include "duel/cli/league_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duel/cli/result_table.h"
#include "duel/core/display_width.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/log/record.h"

namespace duel::cli {
namespace {

using Cells = std::vector<Cell>;

// Marks a difference to the best of less than 2 standard errors.
constexpr const char* kIndistinguishable = "=";

// Wrong too often: in place of a difference that would be negative.
constexpr const char* kWrongTooOften = "unranked";

// Above a table, in as many lines as it takes.
std::string heading(const std::string& text) {
  return wrapped(text, report_width() - 2, 2) + "\n\n";
}

// Policies by rank: a value with its error, `more`, and the paired difference to the first.
Table places(const char* value, std::initializer_list<const char*> more, const char* difference) {
  Table table;
  table.column("rank").column("policy", Align::left, Fold::above);
  table.column(value).column("± se", Align::left);
  for (const char* name : more) table.column(name);
  table.column(difference).column("± se", Align::left).column("", Align::left, Fold::words);
  return table;
}

// A row of it. `words` stand for the difference where there are any.
template <class Entry>
Cells place(const Entry& entry, const MeanText& value, const Cells& more,
            const std::string& words) {
  Cells cells = {entry.rank == 0 ? Cell() : Cell(entry.rank), entry.policy, value.mean, value.se};
  cells.insert(cells.end(), more.begin(), more.end());
  const MeanText difference = mean_text(entry.difference, entry.difference_se);
  constexpr std::size_t kShort = 8;  // as wide as a difference
  if (words.empty()) {
    cells.insert(cells.end(),
                 {difference.mean, difference.se, entry.told_apart ? "" : kIndistinguishable});
  } else if (words.size() <= kShort) {
    cells.insert(cells.end(), {words, "", ""});
  } else {
    cells.insert(cells.end(), {"", "", words});
  }
  return cells;
}

// --- one problem ---------------------------------------------------------------------------------

std::string notes_on(const LeagueTable& problem) {
  std::string text;
  for (const LeftOut& left_out : problem.left_out) {
    text += wrapped(fmt::format("left out: {}: {}", left_out.policy, left_out.reason),
                    report_width() - 2, 2) +
            "\n";
  }
  if (!problem.complete) text += "not finished, so it does not count in the ranking\n";
  return text;
}

std::string problem_text(const LeagueTable& problem, const LeagueResults& results,
                         const Paint& paint) {
  std::string text = heading(
      paint.bold(problem.problem) +
      fmt::format(": {}, {}; {} regret, {} rounds, {}, seed {}", counted(problem.num_arms, "arm"),
                  problem.condorcet_winner.empty() ? "no Condorcet winner"
                                                   : "Condorcet winner " + problem.condorcet_winner,
                  to_string(problem.regret), round_text(results.rounds),
                  counted(results.trials, "trial"), results.seed));
  Table table = places("mean", {"median", "q90", "max", "wrong"}, "behind");
  for (const LeagueEntry& entry : problem.entries) {
    const Summary& regret = entry.regret;
    const MeanText mean = mean_text(regret.mean, regret.se);
    const int decimals = mean.decimals;
    const std::string words = table.num_rows() == 0                     ? "best"
                              : entry.rank == 0 && entry.difference < 0 ? kWrongTooOften
                                                                        : "";
    table.row(place(entry, mean,
                    {Cell(regret.median, decimals), Cell(regret.q90, decimals),
                     Cell(regret.max, decimals), Cell(entry.wrong)},
                    words));
  }
  return text + table.to_string(report_width()) + notes_on(problem);
}

std::string problem_text(const CertificateTable& problem, const CertificateLeagueResults& results,
                         const Paint& paint) {
  const LeagueTable& league = problem.league;
  const auto duels = [&](double value) { return capped_duels(value, results.max_duels); };
  std::string text = heading(
      paint.bold(league.problem) +
      fmt::format(
          ": {}, {} {}; level {}, {} of at most {}, seed {}", counted(league.num_arms, "arm"),
          describe(results.goal) + (results.goal.is_order() ? ":" : " winner"),
          problem.winners.empty() ? "none" : fmt::format("{}", fmt::join(problem.winners, ", ")),
          results.alpha, counted(results.trials, "experiment"), counted(results.max_duels, "duel"),
          results.seed));
  Table table = places("mean", {"p50", "p90", "p99", "undecided", "wrong"}, "behind");
  for (std::size_t k = 0; k < problem.entries.size(); ++k) {
    const PlanEntry& entry = problem.entries[k];
    table.row(place(league.entries[k], mean_text(entry.mean, entry.mean_se),
                    {duels(entry.p50), duels(entry.p90), duels(entry.p99),
                     share_text(entry.undecided, results.trials),
                     entry.far > 0 ? Cell(fmt::format("{} ({} far)", entry.wrong, entry.far))
                                   : Cell(entry.wrong)},
                    k == 0 ? "best" : ""));
  }
  text += table.to_string(report_width());
  if (problem.least) {
    text += fmt::format("{:.0f} duels: the least that any rule of this level needs on average\n",
                        *problem.least);
  }
  return text + notes_on(league);
}

// --- the ranking ---------------------------------------------------------------------------------

constexpr const char* kBehind =
    "behind: difference of the logarithms to the leader's, paired by trial; =: indistinguishable "
    "from it, less than 2 standard errors";

std::string legend(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += wrapped(line, report_width() - 2, 2) + "\n";
  return text;
}

// The error of exp(x) is exp(x) times that of x.
MeanText ratio_text(const LeagueStanding& standing) {
  const double ratio = std::exp(standing.log_ratio);
  return mean_text(ratio, ratio * standing.log_ratio_se);
}

// `problems`: those that count, on all of which the ranked ones played.
Cells ranking_cells(const LeagueStanding& standing, const MeanText& ratio, std::size_t problems) {
  std::string words;
  if (standing.rank == 0) {
    words = standing.problems < problems
                ? fmt::format("{} of {} problems", standing.problems, problems)
                : kWrongTooOften;
  }
  if (standing.rank == 1) words = "leads";
  Cells cells = place(standing, ratio, {}, words);
  cells.emplace_back(standing.best_on);
  return cells;
}

std::string wrong_text(const LeagueStanding& standing) {
  if (standing.trials == 0) return "";
  return share_text(standing.wrong, standing.trials);
}

// The table of one of the rankings, without a legend.
std::string ranking_table(const std::vector<LeagueStanding>& standings, const std::string& over,
                          const Paint& paint) {
  std::size_t problems = 0;
  for (const auto& standing : standings) problems = std::max(problems, standing.problems);
  const auto ranking = [&](bool with_worst_problem) {
    // Times the best; in a narrow table the words would be wider than the numbers.
    Table table = places(with_worst_problem ? "times the best" : "ratio", {}, "behind");
    table.column("best on").column("wrong").column("worst");
    if (with_worst_problem) table.column("on", Align::left);
    for (const LeagueStanding& standing : standings) {
      Cells cells = ranking_cells(standing, ratio_text(standing), problems);
      cells.emplace_back(wrong_text(standing));
      cells.emplace_back(fmt::format("{:.1f}", standing.worst_ratio));
      if (with_worst_problem) cells.emplace_back(standing.worst_problem);
      table.row(std::move(cells));
    }
    return table;
  };
  std::string text = paint.bold("Ranking");
  text += fmt::format(" over {}{}\n\n", counted(problems, "problem"), over);
  if (const Table whole = ranking(true); whole.width() <= report_width()) {
    text += whole.to_string();
  } else {
    // The names of problems are long and cannot be cut: they follow the table.
    text += ranking(false).to_string(report_width()) + "\n";
    for (const LeagueStanding& standing : standings) {
      text += wrapped(fmt::format("{}: worst on {}", standing.policy, standing.worst_problem),
                      report_width() - 2, 2) +
              "\n";
    }
    text += "\n";
  }
  return text;
}

std::string ranking_text(const LeagueResults& results, const Paint& paint) {
  std::string text = ranking_table(results.standings, "", paint);
  if (!results.condorcet_standings.empty()) {
    text += "\n" + ranking_table(results.condorcet_standings, " with a Condorcet winner", paint);
  }
  text += legend(
      {"times the best: geometric mean over the problems of a policy's mean regret divided by that "
       "of the problem's best policy",
       kBehind,
       fmt::format("wrong: trials that end with a wrong recommendation; who is wrong in more than "
                   "{:g} % of them (and in more than one) has no rank, and is not the best that "
                   "others are compared with. Where preferences change or arms have features it "
                   "bars nobody",
                   100 * results.max_wrong),
       "best on: problems on which it is the best or indistinguishable from it; worst: its largest "
       "ratio"});
  if (!results.not_counted.empty()) {
    text += legend({fmt::format("not counted, since the best has no regret there: {}",
                                fmt::join(results.not_counted, ", "))});
  }
  return text;
}

std::string ranking_text(const CertificateLeagueResults& results, const Paint& paint) {
  std::size_t problems = 0;
  for (const CertificateStanding& standing : results.standings) {
    problems = std::max(problems, standing.league.problems);
  }
  Table table = places("times the best", {}, "behind");
  table.column("best on").column("worst").column("undecided");
  table.column("wrong", Align::left, Fold::words);
  for (const CertificateStanding& standing : results.standings) {
    Cells cells = ranking_cells(standing.league, ratio_text(standing.league), problems);
    cells.emplace_back(fmt::format("{:.1f}", standing.league.worst_ratio));
    cells.emplace_back(share_text(standing.undecided, standing.experiments));
    cells.emplace_back(fmt::format("{} of {} (rate <= {:.2g})", standing.wrong,
                                   standing.experiments, standing.wrong_limit));
    table.row(std::move(cells));
  }
  std::string text = paint.bold("Ranking");
  text += fmt::format(" by duels to {} over {}\n\n{}",
                      results.own_stop ? "a certificate or the policy's own stop" : "a certificate",
                      counted(problems, "problem"), table.to_string(report_width()));
  text += legend(
      {"times the best: geometric mean over the problems of a policy's mean duels divided by those "
       "of the problem's best policy; worst: its largest ratio",
       kBehind,
       fmt::format("undecided: at {} duels, which is what such an experiment counts; wrong: 95 % "
                   "upper limit of the rate",
                   results.max_duels)});
  if (results.own_stop) {
    text += legend({fmt::format(
        "a policy that stops by itself is wrong where it names anything but what it looks for "
        "(duel policies NAME); far: the arm loses to another by more than {}",
        kFar)});
  }
  return text;
}

template <class Results>
std::string text_of(const Results& results, const Paint& paint) {
  std::string text;
  for (const auto& problem : results.problems) {
    if (!problem.entries.empty()) text += problem_text(problem, results, paint) + "\n";
  }
  if (!results.standings.empty()) text += ranking_text(results, paint);
  return text;
}

}  // namespace

std::string league_text(const CertificateLeagueResults& results, const Paint& paint) {
  return text_of(results, paint);
}

std::string league_text(const LeagueResults& results, const Paint& paint) {
  return text_of(results, paint);
}

}  // namespace duel::cli
