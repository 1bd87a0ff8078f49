#include "duel/verdict/experiment_result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "duel/log/experiment_log.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/regret_estimate.h"
#include "duel/verdict/verdict.h"

namespace duel {
namespace {

Json id_or_null(const Ledger& ledger, const std::optional<Arm>& arm) {
  return arm ? Json(ledger.id_of(*arm)) : Json();
}

Json or_null(const std::optional<Interval>& interval) {
  return interval ? Json{interval->lower, interval->upper} : Json();
}

Json arm_json(const Ledger& ledger, const Standing& standing, const BoardArm& arm) {
  Json json;
  json["arm_id"] = ledger.id_of(arm.arm);
  json["name"] = ledger.name_of(arm.arm);
  json["rank"] = arm.rank;
  json["rank_range"] = arm.rank_range ? Json{arm.rank_range->best, arm.rank_range->worst} : Json();
  json["wins"] = arm.counts.first_wins;
  json["losses"] = arm.counts.second_wins;
  json["ties"] = arm.counts.ties;
  json["both_bad"] = arm.counts.both_bad;
  json["rate"] = arm.rate;
  json["probability_best"] = arm.probability_best;
  json["elo"] = arm.elo;
  json["elo_interval"] = or_null(arm.elo_interval);
  const ArmStanding& place = standing.arms[arm.arm];
  if (place.beaten) {
    const Arm leader = *standing.leader;
    json["log_evidence"] = ledger.certifier().log_evidence(leader, arm.arm);
    json["log_threshold"] = ledger.certifier().log_threshold(leader);
    json["duels_left"] = place.duels_left;
  }
  if (place.score) json["score"] = or_null(place.score);
  return json;
}

Json pair_json(const Ledger& ledger, const BoardPair& pair) {
  return {{"first", ledger.id_of(pair.first)},
          {"second", ledger.id_of(pair.second)},
          {"counts", to_json(pair.counts)},
          {"rate", pair.rate},
          {"interval", or_null(pair.interval)}};
}

Json strengths_json(const Board& board) {
  Json json;
  json["ties"] = board.tie_model == TieModel::davidson ? "davidson" : "halves";
  if (!board.strengths) {
    json["error"] = board.no_strengths;
    return json;
  }
  json["added_wins"] = board.strengths->added_wins;
  json["prior_shape"] = board.strengths->prior ? Json(board.strengths->prior->shape) : Json();
  json["tie_parameter"] = board.strengths->tie_parameter;
  if (const auto& position = board.strengths->position) {
    const Interval interval = position->interval(Board::kDelta);
    json["position"] = {{"log_odds", position->log_odds},
                        {"interval", {interval.lower, interval.upper}},
                        {"elo", elo_points(position->log_odds)},
                        {"elo_interval", {elo_points(interval.lower), elo_points(interval.upper)}},
                        {"first_wins_against_equal", position->first_wins_against_equal()}};
  } else if (!board.no_position.empty()) {
    json["position"] = {{"error", board.no_position}};
  }
  if (const auto& fit = board.strengths->lack_of_fit) {
    json["lack_of_fit"] = {
        {"statistic", fit->statistic}, {"degrees", fit->degrees}, {"p_value", fit->p_value}};
  }
  return json;
}

Json regret_json(const Ledger& ledger, const Standing& standing) {
  const auto estimate = estimated_regret(ledger, standing);
  if (!estimate) return {};
  return {{"against", ledger.id_of(estimate->against)},
          {"estimate", estimate->regret},
          {"lower_bound", estimate->lower_bound}};
}

Json certificate_json(const Ledger& ledger) {
  const auto& given = ledger.certificate();
  if (!given) return {};
  Json json = {{"kind", std::string(to_word(given->kind))},
               {"winner", id_or_null(ledger, given->winner)},
               {"sequence", given->sequence}};
  if (!given->arms.empty()) {
    json["named"] = Json::array();
    for (const Arm arm : given->arms) json["named"].push_back(ledger.id_of(arm));
  }
  return json;
}

}  // namespace

Json to_json(const Ledger& ledger, const OrderStanding& order) {
  Json arms = Json::array();
  for (const Arm arm : order.arms) arms.push_back(ledger.id_of(arm));
  Json open = Json::array();
  for (const NeededPair& pair : order.needed) {
    if (pair.shown) continue;
    open.push_back({{"first", ledger.id_of(pair.first)},
                    {"second", ledger.id_of(pair.second)},
                    {"log_evidence", ledger.certifier().log_evidence(pair.first, pair.second)},
                    {"log_threshold", ledger.orders()->log_threshold()},
                    {"duels_left", pair.duels_left}});
  }
  return {{"arms", std::move(arms)},      {"named", order.named},
          {"certain", order.certain},     {"pairs_needed", order.needed.size()},
          {"pairs_shown", order.shown()}, {"open", std::move(open)}};
}

Result<Ledger> read_ledger(const std::string& file, double alpha, const Goal& goal) {
  if (looks_like_log(file)) {
    DUEL_ASSIGN(CheckedLog log, check_log(file));
    return std::move(log.ledger);
  }
  DUEL_ASSIGN(ComparisonTable table, read_comparisons(file));
  const bool in_order = sort_by_time(table);
  return ledger_of(table, id_from(std::filesystem::path(file).stem().string()), alpha, in_order,
                   goal);
}

Result<Ledger> ledger_of(const ComparisonTable& table, const std::string& experiment_id,
                         double alpha, bool in_order, const Goal& goal) {
  DUEL_ASSIGN(Ledger ledger,
              Ledger::make(experiment_of(table, experiment_id, alpha, in_order, goal)));
  LogEntry entry{.sequence = 1, .time_ms = 0, .record = {}, .hash = ""};
  for (const ComparisonRecord& row : table.rows) {
    ++entry.sequence;
    entry.record = row;
    const auto effect = ledger.apply(entry);
    if (!effect.ok()) return effect.error();
  }
  return ledger;
}

Json to_json(const ShownCounts& counts) {
  return {{"served", counts.served},           {"first_wins", counts.first_wins},
          {"second_wins", counts.second_wins}, {"ties", counts.ties},
          {"both_bad", counts.both_bad},       {"skips", counts.skips},
          {"invalid", counts.invalid},         {"expired", counts.expired},
          {"pending", counts.pending()},       {"failed_tries", counts.failed_tries}};
}

Json to_json(const std::vector<HealthCheck>& checks) {
  Json json = Json::array();
  for (const HealthCheck& check : checks) {
    json.push_back({{"name", check.name},
                    {"verdict", std::string(to_word(check.verdict))},
                    {"detail", check.detail}});
  }
  return json;
}

Json result_json(const Ledger& ledger, const Board& board) {
  const Standing& standing = board.standing;
  const bool too_little = standing.too_little && !ledger.certificate();
  Json json;
  json["experiment_id"] = ledger.experiment().experiment_id;
  json["verdict"] = verdict_of(ledger, standing);
  json["state"] = ledger.certificate() ? "certified" : too_little ? "not_enough_data" : "undecided";
  json["goal"] = describe(ledger.experiment().goal);
  json["leader"] = too_little ? Json() : id_or_null(ledger, standing.leader);
  json["not_ruled_out"] = Json::array();
  for (const Arm arm : board.not_ruled_out) json["not_ruled_out"].push_back(ledger.id_of(arm));
  if (standing.order) json["order"] = to_json(ledger, *standing.order);
  json["expected_duels_left"] = standing.duels_left;
  json["regret"] = regret_json(ledger, standing);
  json["excluded_share"] = ledger.excluded_share();
  json["one_look"] = ledger.experiment().one_look_after > 0;
  json["duels"] = to_json(ledger.total());
  json["arms"] = Json::array();
  for (const BoardArm& arm : board.arms) {
    json["arms"].push_back(arm_json(ledger, standing, arm));
  }
  json["pairs"] = Json::array();
  for (const BoardPair& pair : board.pairs) json["pairs"].push_back(pair_json(ledger, pair));
  json["bradley_terry"] = strengths_json(board);
  json["probability_no_winner"] = board.posterior.no_winner;
  json["certificate"] = certificate_json(ledger);
  json["health"] = to_json(board.health);
  return json;
}

}  // namespace duel
