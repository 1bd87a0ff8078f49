// league.csv, ranking.csv and the JSON of a league.
#include <fmt/format.h>

#include <cmath>

#include "duel/core/csv.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/study/league.h"

namespace duel {
namespace {

// Undefined numbers are empty in CSV and null in JSON, as in results.csv.
std::string field(double value) { return std::isnan(value) ? "" : format_number(value); }

Json to_json(const LeagueTable& table) {
  Json json;
  json["problem"] = table.problem;
  json["num_arms"] = table.num_arms;
  json["condorcet_winner"] = table.condorcet_winner.empty() ? Json() : Json(table.condorcet_winner);
  json["regret"] = to_string(table.regret);
  json["complete"] = table.complete;
  json["policies"] = Json::array();
  for (const LeagueEntry& entry : table.entries) {
    json["policies"].push_back({{"policy", entry.policy},
                                {"rank", entry.rank},
                                {"mean", finite_or_null(entry.regret.mean)},
                                {"se", finite_or_null(entry.regret.se)},
                                {"median", finite_or_null(entry.regret.median)},
                                {"q90", finite_or_null(entry.regret.q90)},
                                {"max", finite_or_null(entry.regret.max)},
                                {"ratio", finite_or_null(entry.ratio)},
                                {"difference", finite_or_null(entry.difference)},
                                {"difference_se", finite_or_null(entry.difference_se)},
                                {"told_apart", entry.told_apart}});
  }
  json["left_out"] = Json::array();
  for (const LeftOut& left_out : table.left_out) {
    json["left_out"].push_back({{"policy", left_out.policy}, {"reason", left_out.reason}});
  }
  return json;
}

Json to_json(const LeagueStanding& standing) {
  return {{"policy", standing.policy},
          {"rank", standing.rank == 0 ? Json() : Json(standing.rank)},
          {"problems", standing.problems},
          {"log_ratio", finite_or_null(standing.log_ratio)},
          {"log_ratio_se", finite_or_null(standing.log_ratio_se)},
          {"difference", finite_or_null(standing.difference)},
          {"difference_se", finite_or_null(standing.difference_se)},
          {"told_apart", standing.told_apart},
          {"best_on", standing.best_on},
          {"worst_problem", standing.worst_problem},
          {"worst_ratio", finite_or_null(standing.worst_ratio)}};
}

}  // namespace

std::string to_league_csv(const LeagueResults& results) {
  std::string text =
      "problem,num_arms,policy,regret,rounds,trials,seed,mean,se,median,q90,max,difference,"
      "difference_se,rank\n";
  for (const LeagueTable& table : results.problems) {
    for (const LeagueEntry& entry : table.entries) {
      const Summary& regret = entry.regret;
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(table.problem),
                      table.num_arms, csv_field(entry.policy), to_string(table.regret),
                      results.rounds, results.trials, results.seed, field(regret.mean),
                      field(regret.se), field(regret.median), field(regret.q90), field(regret.max),
                      field(entry.difference), field(entry.difference_se), entry.rank);
    }
  }
  return text;
}

std::string to_ranking_csv(const LeagueResults& results) {
  std::string text =
      "policy,rank,problems,log_ratio,log_ratio_se,difference,difference_se,best_on,worst_problem,"
      "worst_ratio\n";
  for (const LeagueStanding& standing : results.standings) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(standing.policy),
                        standing.rank == 0 ? "" : std::to_string(standing.rank), standing.problems,
                        field(standing.log_ratio), field(standing.log_ratio_se),
                        field(standing.difference), field(standing.difference_se), standing.best_on,
                        csv_field(standing.worst_problem), field(standing.worst_ratio));
  }
  return text;
}

std::string to_league_json(const LeagueResults& results) {
  Json json;
  json["rounds"] = results.rounds;
  json["trials"] = results.trials;
  json["seed"] = results.seed;
  if (results.interrupted) json["interrupted"] = true;
  json["ranking"] = Json::array();
  for (const LeagueStanding& standing : results.standings) {
    json["ranking"].push_back(to_json(standing));
  }
  json["not_counted"] = results.not_counted;
  json["problems"] = Json::array();
  for (const LeagueTable& table : results.problems) json["problems"].push_back(to_json(table));
  return json.dump_pretty();
}

}  // namespace duel
