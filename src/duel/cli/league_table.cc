#include "duel/cli/league_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <vector>

#include "duel/cli/result_table.h"
#include "duel/cli/table.h"
#include "duel/experiment/record.h"

namespace duel::cli {
namespace {

std::string with_decimals(double value, int decimals) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, decimals);
}

std::string problem_text(const LeagueTable& problem, const LeagueResults& results,
                         const Paint& paint) {
  std::string text = paint.bold(problem.problem);
  text +=
      fmt::format(": {} arm{}, {}; {} regret, {} rounds, {} trial{}, seed {}\n\n", problem.num_arms,
                  problem.num_arms == 1 ? "" : "s",
                  problem.condorcet_winner.empty() ? "no Condorcet winner"
                                                   : "Condorcet winner " + problem.condorcet_winner,
                  to_string(problem.regret), round_text(results.rounds), results.trials,
                  results.trials == 1 ? "" : "s", results.seed);
  Table table;
  table.column("rank").column("policy", Align::left).column("mean").column("± se", Align::left);
  table.column("median").column("q90").column("max");
  table.column("to the best").column("± se", Align::left).column("", Align::left);
  for (std::size_t k = 0; k < problem.entries.size(); ++k) {
    const LeagueEntry& entry = problem.entries[k];
    const MeanText mean = mean_text(entry.regret.mean, entry.regret.se);
    std::vector<std::string> cells = {std::to_string(entry.rank),
                                      entry.policy,
                                      mean.mean,
                                      mean.se,
                                      with_decimals(entry.regret.median, mean.decimals),
                                      with_decimals(entry.regret.q90, mean.decimals),
                                      with_decimals(entry.regret.max, mean.decimals)};
    if (k == 0) {
      cells.insert(cells.end(), {"", "", "best"});
    } else {
      const MeanText difference = mean_text(entry.difference, entry.difference_se);
      cells.insert(cells.end(),
                   {difference.mean, difference.se, entry.told_apart ? "" : "not told apart"});
    }
    table.row(std::move(cells));
  }
  text += table.to_string();
  for (const LeftOut& left_out : problem.left_out) {
    text += fmt::format("left out: {}: {}\n", left_out.policy, left_out.reason);
  }
  if (!problem.complete) text += "not finished, so it does not count in the ranking\n";
  return text;
}

std::string ranking_text(const LeagueResults& results, const Paint& paint) {
  std::size_t counted = 0;
  for (const LeagueStanding& standing : results.standings) {
    counted = std::max(counted, standing.problems);
  }
  std::string text = paint.bold("Ranking") +
                     fmt::format(" over {} problem{}\n\n", counted, counted == 1 ? "" : "s");
  Table table;
  table.column("rank").column("policy", Align::left).column("times the best");
  table.column("± se", Align::left).column("to the leader").column("± se", Align::left);
  table.column("", Align::left).column("best on").column("worst").column("on", Align::left);
  for (const LeagueStanding& standing : results.standings) {
    const double ratio = std::exp(standing.log_ratio);
    // The error of exp(x) is exp(x) times that of x.
    const MeanText mean = mean_text(ratio, ratio * standing.log_ratio_se);
    std::vector<std::string> cells = {standing.rank == 0 ? "-" : std::to_string(standing.rank),
                                      standing.policy, mean.mean, mean.se};
    if (standing.rank == 0) {
      cells.insert(cells.end(),
                   {"", "", fmt::format("{} of {} problems", standing.problems, counted)});
    } else if (standing.rank == 1) {
      cells.insert(cells.end(), {"", "", "leads"});
    } else {
      const MeanText difference = mean_text(standing.difference, standing.difference_se);
      cells.insert(cells.end(),
                   {difference.mean, difference.se, standing.told_apart ? "" : "not told apart"});
    }
    cells.insert(cells.end(),
                 {std::to_string(standing.best_on), fmt::format("{:.1f}", standing.worst_ratio),
                  standing.worst_problem});
    table.row(std::move(cells));
  }
  text += table.to_string();
  text +=
      "times the best: geometric mean over the problems of a policy's mean regret divided by that "
      "of "
      "the problem's best policy\n"
      "to the leader: difference of the logarithms, paired by trial; not told apart: less than 2 "
      "of "
      "its standard errors\n"
      "best on: problems on which it is the best or not told apart from it; worst: its largest "
      "ratio\n";
  if (!results.not_counted.empty()) {
    text += fmt::format("not counted, since the best has no regret there: {}\n",
                        fmt::join(results.not_counted, ", "));
  }
  return text;
}

std::string share_text(std::uint64_t count, std::uint64_t of) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(count) / static_cast<double>(of));
}

std::string certificate_problem_text(const CertificateTable& problem,
                                     const CertificateLeagueResults& results, const Paint& paint) {
  const LeagueTable& league = problem.league;
  const auto cap = static_cast<double>(results.max_duels);
  // At least the cap: the rest of the experiment was not waited for.
  const auto duels = [&](double value) {
    return value >= cap ? fmt::format(">{:.0f}", cap) : fmt::format("{:.0f}", value);
  };
  std::string text = paint.bold(league.problem);
  text += fmt::format(
      ": {} arms, {} winner {}; level {}, {} experiment{} of at most {} duels, seed {}\n\n",
      league.num_arms, to_word(results.goal),
      problem.winners.empty() ? "none" : fmt::format("{}", fmt::join(problem.winners, ", ")),
      results.alpha, results.trials, results.trials == 1 ? "" : "s", results.max_duels,
      results.seed);
  Table table;
  table.column("rank").column("policy", Align::left).column("mean").column("± se", Align::left);
  table.column("p50").column("p90").column("p99").column("undecided").column("wrong");
  table.column("to the best").column("± se", Align::left).column("", Align::left);
  for (std::size_t k = 0; k < problem.entries.size(); ++k) {
    const LeagueEntry& rank = league.entries[k];
    const PlanEntry& entry = problem.entries[k];
    const MeanText mean = mean_text(entry.mean, entry.mean_se);
    std::vector<std::string> cells = {std::to_string(rank.rank),
                                      rank.policy,
                                      mean.mean,
                                      mean.se,
                                      duels(entry.p50),
                                      duels(entry.p90),
                                      duels(entry.p99),
                                      share_text(entry.undecided, results.trials),
                                      std::to_string(entry.wrong)};
    if (k == 0) {
      cells.insert(cells.end(), {"", "", "best"});
    } else {
      const MeanText difference = mean_text(rank.difference, rank.difference_se);
      cells.insert(cells.end(),
                   {difference.mean, difference.se, rank.told_apart ? "" : "not told apart"});
    }
    table.row(std::move(cells));
  }
  text += table.to_string();
  if (problem.least) {
    text += fmt::format("{:.0f} duels: the least that any rule of this level needs on average\n",
                        *problem.least);
  }
  for (const LeftOut& left_out : league.left_out) {
    text += fmt::format("left out: {}: {}\n", left_out.policy, left_out.reason);
  }
  if (!league.complete) text += "not finished, so it does not count in the ranking\n";
  return text;
}

std::string certificate_ranking_text(const CertificateLeagueResults& results, const Paint& paint) {
  std::size_t counted = 0;
  for (const CertificateStanding& standing : results.standings) {
    counted = std::max(counted, standing.league.problems);
  }
  std::string text =
      paint.bold("Ranking") + fmt::format(" by duels to a certificate over {} problem{}\n\n",
                                          counted, counted == 1 ? "" : "s");
  Table table;
  table.column("rank").column("policy", Align::left).column("times the best (worst)");
  table.column("± se", Align::left).column("to the leader").column("± se", Align::left);
  table.column("", Align::left).column("best on").column("undecided").column("wrong", Align::left);
  for (const CertificateStanding& standing : results.standings) {
    const LeagueStanding& league = standing.league;
    const double ratio = std::exp(league.log_ratio);
    const MeanText mean = mean_text(ratio, ratio * league.log_ratio_se);
    std::vector<std::string> cells = {
        league.rank == 0 ? "-" : std::to_string(league.rank), league.policy,
        fmt::format("{} ({:.1f})", mean.mean, league.worst_ratio), mean.se};
    if (league.rank == 0) {
      cells.insert(cells.end(),
                   {"", "", fmt::format("{} of {} problems", league.problems, counted)});
    } else if (league.rank == 1) {
      cells.insert(cells.end(), {"", "", "leads"});
    } else {
      const MeanText difference = mean_text(league.difference, league.difference_se);
      cells.insert(cells.end(),
                   {difference.mean, difference.se, league.told_apart ? "" : "not told apart"});
    }
    cells.insert(cells.end(), {std::to_string(league.best_on),
                               share_text(standing.undecided, standing.experiments),
                               fmt::format("{} of {} (rate <= {:.2g})", standing.wrong,
                                           standing.experiments, standing.wrong_limit)});
    table.row(std::move(cells));
  }
  text += table.to_string();
  text +=
      "times the best: geometric mean over the problems of a policy's mean duels divided by those "
      "of the problem's best policy; in brackets its largest ratio\n"
      "to the leader: difference of the logarithms, paired by trial; not told apart: less than 2 "
      "of its standard errors\n";
  text += fmt::format(
      "undecided: at {} duels, which is what such an experiment counts; wrong: 95 % upper limit of "
      "the rate\n",
      results.max_duels);
  return text;
}

}  // namespace

std::string certificate_league_text(const CertificateLeagueResults& results, const Paint& paint) {
  std::string text;
  for (const CertificateTable& problem : results.problems) {
    if (problem.entries.empty()) continue;
    text += certificate_problem_text(problem, results, paint) + "\n";
  }
  if (!results.standings.empty()) text += certificate_ranking_text(results, paint);
  return text;
}

std::string league_text(const LeagueResults& results, const Paint& paint) {
  std::string text;
  for (const LeagueTable& problem : results.problems) {
    if (problem.entries.empty()) continue;
    text += problem_text(problem, results, paint) + "\n";
  }
  if (!results.standings.empty()) text += ranking_text(results, paint);
  return text;
}

}  // namespace duel::cli
