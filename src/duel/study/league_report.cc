// What a league writes: league.csv, ranking.csv and JSON; of certificates also certificates.csv and
// certificates.md. A column of CSV is the member of JSON that bears its name.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duel/core/table.h"
#include "duel/log/record.h"
#include "duel/study/league.h"
#include "duel/study/league_certificates.h"

namespace duel {
namespace {

constexpr std::string_view kRankingColumns =
    "policy,rank,problems,log_ratio,log_ratio_se,difference,difference_se,best_on,worst_problem,"
    "worst_ratio";

// --- JSON ---------------------------------------------------------------------------------------

template <class Item>
Json list_of(const std::vector<Item>& items, Json (*to_json)(const Item&)) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(to_json(item));
  return list;
}

// `numbers` is what else is known of it.
Json to_json(const LeagueStanding& standing, const Json& numbers) {
  Json json = {{"policy", standing.policy},
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
  json.update(numbers);
  return json;
}

Json to_json(const LeagueStanding& standing) {
  return to_json(standing, {{"trials", standing.trials}, {"wrong", standing.wrong}});
}

Json to_json(const CertificateStanding& standing) {
  return to_json(standing.league, {{"experiments", standing.experiments},
                                   {"undecided", standing.undecided},
                                   {"wrong", standing.wrong},
                                   {"far", standing.far},
                                   {"wrong_rate_limit", finite_or_null(standing.wrong_limit)}});
}

Json to_json(const LeftOut& left_out) {
  return {{"policy", left_out.policy}, {"reason", left_out.reason}};
}

// `numbers` is what the policy is compared by.
Json to_json(const LeagueEntry& entry, const Json& numbers) {
  Json json = {{"policy", entry.policy}, {"rank", entry.rank == 0 ? Json() : Json(entry.rank)}};
  json.update(numbers);
  json.update({{"ratio", finite_or_null(entry.ratio)},
               {"difference", finite_or_null(entry.difference)},
               {"difference_se", finite_or_null(entry.difference_se)},
               {"told_apart", entry.told_apart}});
  return json;
}

Json to_json(const LeagueEntry& entry) {
  return to_json(entry, {{"mean", finite_or_null(entry.regret.mean)},
                         {"se", finite_or_null(entry.regret.se)},
                         {"median", finite_or_null(entry.regret.median)},
                         {"q90", finite_or_null(entry.regret.q90)},
                         {"max", finite_or_null(entry.regret.max)},
                         {"wrong", entry.wrong}});
}

Json to_json(const LeagueTable& problem) {
  const std::string& winner = problem.condorcet_winner;
  return {{"problem", problem.problem},
          {"num_arms", problem.num_arms},
          {"condorcet_winner", winner.empty() ? Json() : Json(winner)},
          {"regret", to_string(problem.regret)},
          {"complete", problem.complete},
          {"policies", list_of(problem.entries, to_json)},
          {"left_out", list_of(problem.left_out, to_json)}};
}

Json to_json(const CertificateTable& problem) {
  Json policies = Json::array();
  for (std::size_t k = 0; k < problem.entries.size(); ++k) {
    const PlanEntry& entry = problem.entries[k];
    policies.push_back(
        to_json(problem.league.entries[k], {{"mean", entry.mean},
                                            {"se", finite_or_null(entry.mean_se)},
                                            {"p10", entry.p10},
                                            {"p50", entry.p50},
                                            {"p90", entry.p90},
                                            {"p99", entry.p99},
                                            {"winner_certified", entry.winners},
                                            {"no_winner_certified", entry.no_winners},
                                            {"undecided", entry.undecided},
                                            {"wrong", entry.wrong},
                                            {"far", entry.far}}));
  }
  return {{"problem", problem.league.problem},
          {"num_arms", problem.league.num_arms},
          {"winners", problem.winners},
          {"least_duels", problem.least ? Json(*problem.least) : Json()},
          {"complete", problem.league.complete},
          {"policies", std::move(policies)},
          {"left_out", list_of(problem.league.left_out, to_json)}};
}

}  // namespace

Json to_json(const LeagueResults& results) {
  Json json = {{"rounds", results.rounds},
               {"trials", results.trials},
               {"seed", results.seed},
               {"max_wrong", results.max_wrong}};
  if (results.interrupted) json["interrupted"] = true;
  json["ranking"] = list_of<LeagueStanding>(results.standings, to_json);
  if (!results.condorcet_standings.empty()) {
    json["condorcet_ranking"] = list_of<LeagueStanding>(results.condorcet_standings, to_json);
  }
  json["not_counted"] = results.not_counted;
  json["problems"] = list_of(results.problems, to_json);
  return json;
}

Json to_json(const CertificateLeagueResults& results) {
  Json json = {{"goal", describe(results.goal)},
               {"alpha", results.alpha},
               {"max_duels", results.max_duels},
               {"trials", results.trials},
               {"seed", results.seed}};
  if (results.own_stop) json["own_stop"] = true;
  if (results.interrupted) json["interrupted"] = true;
  json["ranking"] = list_of(results.standings, to_json);
  json["problems"] = list_of(results.problems, to_json);
  return json;
}

namespace {

// --- Markdown -----------------------------------------------------------------------------------

double share(std::uint64_t count, std::uint64_t of) {
  return static_cast<double>(count) / static_cast<double>(of);
}

std::string difference_text(const LeagueStanding& standing) {
  if (standing.rank == 0) return fmt::format("{} problems", standing.problems);
  if (standing.rank == 1) return "leads";
  return fmt::format("{:.3f} ± {:.3f}{}", standing.difference, standing.difference_se,
                     standing.told_apart ? "" : " (=)");
}

Table shown_ranking(const CertificateLeagueResults& results) {
  Table table;
  table.column("rank").column("policy", Align::left).column("times the best");
  table.column("to the leader (ln)").column("worst").column("on", Align::left);
  table.column("undecided").column("wrong");
  for (const CertificateStanding& standing : results.standings) {
    const LeagueStanding& league = standing.league;
    const double ratio = std::exp(league.log_ratio);
    table.row({league.rank == 0 ? Cell() : Cell(league.rank), league.policy,
               fmt::format("{:.2f} ± {:.2f}", ratio, ratio * league.log_ratio_se),
               difference_text(league), fmt::format("{:.1f}", league.worst_ratio),
               league.worst_problem,
               fmt::format("{:.1f} %", 100 * share(standing.undecided, standing.experiments)),
               fmt::format("{} of {}", standing.wrong, standing.experiments) +
                   (results.own_stop ? fmt::format(", {} by > {}", standing.far, kFar) : "")});
  }
  return table;
}

std::string duels_text(const PlanEntry& entry, const CertificateLeagueResults& results) {
  const auto cap = static_cast<double>(results.max_duels);
  const auto duels = [&](double value) {
    return value >= cap ? fmt::format(">{}", results.max_duels) : fmt::format("{:.0f}", value);
  };
  std::string text =
      fmt::format("{} / {} / {}", duels(entry.p50), duels(entry.p90), duels(entry.p99));
  if (entry.undecided > 0) {
    text += fmt::format(" ({:.0f} %)", 100 * share(entry.undecided, results.trials));
  }
  if (entry.wrong > 0) text += fmt::format(" {} wrong", entry.wrong);
  return text;
}

Table shown_problems(const CertificateLeagueResults& results) {
  const bool with_least = std::ranges::any_of(
      results.problems, [](const CertificateTable& problem) { return problem.least.has_value(); });
  Table table;
  table.column("problem", Align::left).column("arms");
  if (with_least) table.column("least");
  for (const auto& standing : results.standings) table.column(standing.league.policy);
  for (const CertificateTable& problem : results.problems) {
    if (!problem.league.complete) continue;
    std::vector<Cell> cells = {problem.league.problem, problem.league.num_arms};
    if (with_least) cells.emplace_back(problem.least.value_or(kUndefined), 0);
    for (const CertificateStanding& standing : results.standings) {
      const auto entry =
          std::ranges::find(problem.entries, standing.league.policy, &PlanEntry::policy);
      cells.push_back(entry == problem.entries.end() ? Cell() : duels_text(*entry, results));
    }
    table.row(std::move(cells));
  }
  return table;
}

}  // namespace

std::string to_league_csv(const LeagueResults& results) {
  const Json json = to_json(results);
  Table table(
      "problem,num_arms,policy,regret,rounds,trials,seed,mean,se,median,q90,max,difference,"
      "difference_se,rank,wrong");
  for (const Json& problem : json["problems"].items()) {
    for (const Json& entry : problem["policies"].items()) table.row_of({&entry, &problem, &json});
  }
  return table.to_csv();
}

std::string to_ranking_csv(const LeagueResults& results) {
  Table table(kRankingColumns);
  table.column("trials").column("wrong");
  for (const LeagueStanding& standing : results.standings) {
    const Json json = to_json(standing);
    table.row_of({&json});
  }
  return table.to_csv();
}

std::string to_certificates_csv(const CertificateLeagueResults& results) {
  const Json json = to_json(results);
  Table table(
      "problem,num_arms,policy,goal,alpha,max_duels,trials,seed,least,mean,se,p50,p90,p99,"
      "undecided,wrong,difference,difference_se,rank");
  for (const Json& problem : json["problems"].items()) {
    const Json least = {{"least", problem["least_duels"]}};
    for (const Json& entry : problem["policies"].items()) {
      table.row_of({&entry, &problem, &least, &json});
    }
  }
  return table.to_csv();
}

std::string to_certificate_ranking_csv(const CertificateLeagueResults& results) {
  Table table(kRankingColumns);
  table.column("experiments").column("undecided").column("wrong").column("wrong_limit");
  for (const CertificateStanding& standing : results.standings) {
    const Json json = to_json(standing);
    const Json limit = {{"wrong_limit", json["wrong_rate_limit"]}};
    table.row_of({&json, &limit});
  }
  return table.to_csv();
}

std::string to_certificates_markdown(const CertificateLeagueResults& results) {
  return shown_ranking(results).to_markdown() + "\n" + shown_problems(results).to_markdown();
}

}  // namespace duel
