// certificates.csv, ranking.csv, certificates.json and certificates.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "duel/core/csv.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/experiment/record.h"
#include "duel/study/league_certificates.h"

namespace duel {
namespace {

// Undefined numbers are empty in CSV and null in JSON, as in league.csv.
std::string field(double value) { return std::isnan(value) ? "" : format_number(value); }

Json rank_of(std::size_t rank) { return rank == 0 ? Json() : Json(rank); }

double share(std::uint64_t count, std::uint64_t of) {
  return static_cast<double>(count) / static_cast<double>(of);
}

Json to_json(const CertificateTable& table) {
  Json json;
  json["problem"] = table.league.problem;
  json["num_arms"] = table.league.num_arms;
  json["winners"] = table.winners;
  json["least_duels"] = table.least ? Json(*table.least) : Json();
  json["complete"] = table.league.complete;
  json["policies"] = Json::array();
  for (std::size_t k = 0; k < table.entries.size(); ++k) {
    const LeagueEntry& rank = table.league.entries[k];
    const PlanEntry& entry = table.entries[k];
    json["policies"].push_back({{"policy", rank.policy},
                                {"rank", rank.rank},
                                {"mean", entry.mean},
                                {"se", finite_or_null(entry.mean_se)},
                                {"p10", entry.p10},
                                {"p50", entry.p50},
                                {"p90", entry.p90},
                                {"p99", entry.p99},
                                {"winner_certified", entry.winners},
                                {"no_winner_certified", entry.no_winners},
                                {"undecided", entry.undecided},
                                {"wrong", entry.wrong},
                                {"ratio", finite_or_null(rank.ratio)},
                                {"difference", finite_or_null(rank.difference)},
                                {"difference_se", finite_or_null(rank.difference_se)},
                                {"told_apart", rank.told_apart}});
  }
  json["left_out"] = Json::array();
  for (const LeftOut& left_out : table.league.left_out) {
    json["left_out"].push_back({{"policy", left_out.policy}, {"reason", left_out.reason}});
  }
  return json;
}

// A policy's name may hold the bar that ends a cell.
std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

std::string ranking_rows(const CertificateLeagueResults& results) {
  std::string text =
      "| rank | policy | times the best | to the leader (ln) | worst | on | undecided | wrong |\n"
      "|--:|---|--:|--:|--:|---|--:|--:|\n";
  for (const CertificateStanding& standing : results.standings) {
    const LeagueStanding& league = standing.league;
    const double ratio = std::exp(league.log_ratio);
    std::string difference = "leads";
    if (league.rank == 0) {
      difference = fmt::format("{} problems", league.problems);
    } else if (league.rank > 1) {
      difference = fmt::format("{:.3f} ± {:.3f}{}", league.difference, league.difference_se,
                               league.told_apart ? "" : " (=)");
    }
    text += fmt::format("| {} | {} | {:.2f} ± {:.2f} | {} | {:.1f} | {} | {:.1f} % | {} of {} |\n",
                        league.rank == 0 ? "–" : std::to_string(league.rank),
                        markdown_cell(league.policy), ratio, ratio * league.log_ratio_se,
                        difference, league.worst_ratio, markdown_cell(league.worst_problem),
                        100 * share(standing.undecided, standing.experiments), standing.wrong,
                        standing.experiments);
  }
  return text;
}

std::string cell_of(const PlanEntry& entry, const CertificateLeagueResults& results) {
  const auto cap = static_cast<double>(results.max_duels);
  const auto duels = [&](double value) {
    return value >= cap ? fmt::format(">{}", results.max_duels) : fmt::format("{:.0f}", value);
  };
  std::string cell =
      fmt::format("{} / {} / {}", duels(entry.p50), duels(entry.p90), duels(entry.p99));
  if (entry.undecided > 0) {
    cell += fmt::format(" ({:.0f} %)", 100 * share(entry.undecided, results.trials));
  }
  if (entry.wrong > 0) cell += fmt::format(" {} wrong", entry.wrong);
  return cell;
}

}  // namespace

std::string to_certificates_csv(const CertificateLeagueResults& results) {
  std::string text =
      "problem,num_arms,policy,goal,alpha,max_duels,trials,seed,least,mean,se,p50,p90,p99,"
      "undecided,wrong,difference,difference_se,rank\n";
  for (const CertificateTable& table : results.problems) {
    for (std::size_t k = 0; k < table.entries.size(); ++k) {
      const LeagueEntry& rank = table.league.entries[k];
      const PlanEntry& entry = table.entries[k];
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                          csv_field(table.league.problem), table.league.num_arms,
                          csv_field(rank.policy), to_word(results.goal), field(results.alpha),
                          results.max_duels, results.trials, results.seed,
                          table.least ? field(*table.least) : "", field(entry.mean),
                          field(entry.mean_se), field(entry.p50), field(entry.p90),
                          field(entry.p99), entry.undecided, entry.wrong, field(rank.difference),
                          field(rank.difference_se), rank.rank);
    }
  }
  return text;
}

std::string to_certificate_ranking_csv(const CertificateLeagueResults& results) {
  std::string text =
      "policy,rank,problems,log_ratio,log_ratio_se,difference,difference_se,best_on,worst_problem,"
      "worst_ratio,experiments,undecided,wrong,wrong_limit\n";
  for (const CertificateStanding& standing : results.standings) {
    const LeagueStanding& league = standing.league;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(league.policy),
                    league.rank == 0 ? "" : std::to_string(league.rank), league.problems,
                    field(league.log_ratio), field(league.log_ratio_se), field(league.difference),
                    field(league.difference_se), league.best_on, csv_field(league.worst_problem),
                    field(league.worst_ratio), standing.experiments, standing.undecided,
                    standing.wrong, field(standing.wrong_limit));
  }
  return text;
}

std::string to_certificates_json(const CertificateLeagueResults& results) {
  Json json;
  json["goal"] = to_word(results.goal);
  json["alpha"] = results.alpha;
  json["max_duels"] = results.max_duels;
  json["trials"] = results.trials;
  json["seed"] = results.seed;
  if (results.interrupted) json["interrupted"] = true;
  json["ranking"] = Json::array();
  for (const CertificateStanding& standing : results.standings) {
    const LeagueStanding& league = standing.league;
    json["ranking"].push_back({{"policy", league.policy},
                               {"rank", rank_of(league.rank)},
                               {"problems", league.problems},
                               {"log_ratio", finite_or_null(league.log_ratio)},
                               {"log_ratio_se", finite_or_null(league.log_ratio_se)},
                               {"difference", finite_or_null(league.difference)},
                               {"difference_se", finite_or_null(league.difference_se)},
                               {"told_apart", league.told_apart},
                               {"best_on", league.best_on},
                               {"worst_problem", league.worst_problem},
                               {"worst_ratio", finite_or_null(league.worst_ratio)},
                               {"experiments", standing.experiments},
                               {"undecided", standing.undecided},
                               {"wrong", standing.wrong},
                               {"wrong_rate_limit", finite_or_null(standing.wrong_limit)}});
  }
  json["problems"] = Json::array();
  for (const CertificateTable& table : results.problems) {
    json["problems"].push_back(to_json(table));
  }
  return json.dump_pretty();
}

std::string to_certificates_markdown(const CertificateLeagueResults& results) {
  std::string text = ranking_rows(results) + "\n| problem | arms |";
  std::string rule = "\n|---|--:|";
  const bool with_least =
      std::any_of(results.problems.begin(), results.problems.end(),
                  [](const CertificateTable& table) { return table.least.has_value(); });
  if (with_least) {
    text += " least |";
    rule += "--:|";
  }
  for (const CertificateStanding& standing : results.standings) {
    text += " " + markdown_cell(standing.league.policy) + " |";
    rule += "--:|";
  }
  text += rule + "\n";
  for (const CertificateTable& table : results.problems) {
    if (!table.league.complete) continue;
    text += fmt::format("| {} | {} |", markdown_cell(table.league.problem), table.league.num_arms);
    if (with_least) text += table.least ? fmt::format(" {:.0f} |", *table.least) : " – |";
    for (const CertificateStanding& standing : results.standings) {
      const auto entry =
          std::find_if(table.entries.begin(), table.entries.end(),
                       [&](const PlanEntry& one) { return one.policy == standing.league.policy; });
      text += entry == table.entries.end() ? " – |" : " " + cell_of(*entry, results) + " |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace duel
