#include "duel/server/timeline.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "duel/experiment/experiment_log.h"
#include "duel/experiment/ledger.h"
#include "duel/experiment/standing.h"
#include "duel/experiment/timestamp.h"

namespace duel {
namespace {

Json moment_of(const Ledger& ledger, std::int64_t time_ms) {
  const Standing standing = standing_of(ledger);
  Json moment;
  moment["sequence"] = ledger.sequence();
  moment["time"] = format_timestamp(time_ms);
  moment["served"] = ledger.served();
  moment["decisive"] = ledger.certifier().decisive();
  moment["leader"] = standing.leader ? Json(ledger.id_of(*standing.leader)) : Json();
  if (standing.leader) {
    std::optional<double> least;
    for (Arm rival = 0; rival < ledger.num_arms(); ++rival) {
      if (rival == *standing.leader || !ledger.arms()[rival].active) continue;
      const double evidence = ledger.certifier().log_evidence(*standing.leader, rival);
      least = std::min(least.value_or(evidence), evidence);
    }
    moment["log_evidence"] = least;
    moment["log_threshold"] = ledger.certifier().log_threshold(*standing.leader);
  }
  Json shown = Json::array();
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    std::uint64_t count = 0;
    for (Arm j = 0; j < ledger.num_arms(); ++j) {
      if (i != j) count += ledger.shown(i, j).served + ledger.shown(j, i).served;
    }
    shown.push_back(count);
  }
  moment["shown"] = std::move(shown);
  return moment;
}

}  // namespace

Result<Json> timeline_of(Store& store, const std::string& experiment_id, std::size_t points) {
  DUEL_ASSIGN(const Head head, store.head(experiment_id));
  if (head.sequence == 0) {
    return Error::not_found("there is no experiment '" + experiment_id + "'");
  }
  const std::uint64_t step = std::max<std::uint64_t>(1, head.sequence / points);
  std::optional<Ledger> ledger;
  Json moments = Json::array();
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
      DUEL_ASSIGN(ledger, Ledger::make(*experiment));
      return Done{};
    }
    DUEL_RETURN_IF_ERROR(ledger->apply(entry));
    const bool last = entry.sequence == head.sequence;
    if (entry.sequence % step == 0 || last) moments.push_back(moment_of(*ledger, entry.time_ms));
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(read_log(store, experiment_id, sink));
  Json arms = Json::array();
  for (const LedgerArm& arm : ledger->arms()) arms.push_back(arm.entry.id);
  Json json;
  json["experiment_id"] = experiment_id;
  json["arms"] = std::move(arms);
  json["points"] = std::move(moments);
  return json;
}

}  // namespace duel
