#include "duel/verdict/timeline.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "duel/core/archive_containers.h"
#include "duel/core/timestamp.h"
#include "duel/log/experiment_log.h"
#include "duel/verdict/standing.h"

namespace duel {

Timeline::Point Timeline::now(const Ledger& ledger, std::int64_t time_ms) {
  Point point{.sequence = ledger.sequence(),
              .time_ms = time_ms,
              .served = ledger.served(),
              .decisive = ledger.certifier().decisive(),
              .leader = leader_of(ledger),
              .log_evidence = {},
              .log_threshold = 0,
              .shown = std::vector<std::uint64_t>(ledger.num_arms(), 0)};
  if (point.leader) {
    for (Arm rival = 0; rival < ledger.num_arms(); ++rival) {
      if (rival == *point.leader || !ledger.arms()[rival].active) continue;
      const double evidence = ledger.certifier().log_evidence(*point.leader, rival);
      point.log_evidence = std::min(point.log_evidence.value_or(evidence), evidence);
    }
    point.log_threshold = ledger.certifier().log_threshold(*point.leader);
  }
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = 0; j < ledger.num_arms(); ++j) {
      if (i == j) continue;
      const std::uint64_t served = ledger.shown(i, j).served;
      point.shown[i] += served;
      point.shown[j] += served;
    }
  }
  return point;
}

// A point costs as much as there are pairs of arms. So many records apart, it costs a record next
// to nothing.
std::uint64_t Timeline::least_stride(std::size_t num_arms) {
  constexpr std::size_t kPairsPerRecord = 512;
  return std::bit_ceil(std::max<std::size_t>(1, num_arms * num_arms / kPairsPerRecord));
}

void Timeline::note(const Ledger& ledger, std::int64_t time_ms) {
  stride_ = std::max(stride_, least_stride(ledger.num_arms()));
  if (ledger.sequence() % stride_ != 0) return;
  if (points_.size() == kMostPoints) {
    stride_ *= 2;
    std::erase_if(points_, [&](const Point& point) { return point.sequence % stride_ != 0; });
    if (ledger.sequence() % stride_ != 0) return;
  }
  points_.push_back(now(ledger, time_ms));
}

Json Timeline::json_of(const Ledger& ledger, const Point& point) {
  Json json;
  json["sequence"] = point.sequence;
  json["time"] = format_timestamp(point.time_ms);
  json["served"] = point.served;
  json["decisive"] = point.decisive;
  json["leader"] = point.leader ? Json(ledger.id_of(*point.leader)) : Json();
  if (point.leader) {
    json["log_evidence"] = point.log_evidence;
    json["log_threshold"] = point.log_threshold;
  }
  Json shown = Json::array();
  // None of those that joined later. In a draft there may have been more.
  for (Arm arm = 0; arm < ledger.num_arms(); ++arm) {
    shown.push_back(arm < point.shown.size() ? point.shown[arm] : 0);
  }
  json["shown"] = std::move(shown);
  return json;
}

Json Timeline::to_json(const Ledger& ledger, std::int64_t time_ms, std::size_t points) const {
  Json arms = Json::array();
  for (const LedgerArm& arm : ledger.arms()) arms.push_back(arm.entry.id);
  // Counted from the end, which is the present: it is added where no point was kept of it.
  const bool ends_now = !points_.empty() && points_.back().sequence == ledger.sequence();
  const std::size_t kept = points_.size() - (ends_now ? 1 : 0);
  const std::size_t before = std::max<std::size_t>(points, 1) - 1;
  const std::size_t step =
      before == 0 ? kept + 1 : std::max<std::size_t>(1, (kept + before - 1) / before);
  Json moments = Json::array();
  for (std::size_t k = kept % step; k < kept; k += step) {
    moments.push_back(json_of(ledger, points_[k]));
  }
  moments.push_back(json_of(ledger, ends_now ? points_.back() : now(ledger, time_ms)));
  Json json;
  json["experiment_id"] = ledger.experiment().experiment_id;
  json["arms"] = std::move(arms);
  json["points"] = std::move(moments);
  return json;
}

template <class Archive>
void Timeline::Point::fields(Archive& archive) {
  archive_fields(archive, sequence, time_ms, served, decisive, leader, log_evidence, log_threshold,
                 shown);
}

template <class Archive>
void Timeline::fields(Archive& archive) {
  archive(stride_, points_);
  if constexpr (kReadsState<Archive>) stride_ = std::max<std::uint64_t>(stride_, 1);
}
template void Timeline::fields(StateWriter& archive);
template void Timeline::fields(StateReader& archive);

Result<Json> timeline_of(Store& store, const std::string& experiment_id, std::size_t points) {
  std::optional<Ledger> ledger;
  Timeline timeline;
  std::int64_t time_ms = 0;
  const auto sink = [&](const LogEntry& entry) -> Status {
    time_ms = entry.time_ms;
    if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
      DUEL_ASSIGN(ledger, Ledger::make(*experiment));
      return Done{};
    }
    DUEL_RETURN_IF_ERROR(ledger->apply(entry));
    timeline.note(*ledger, entry.time_ms);
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(read_log(store, experiment_id, sink));
  if (!ledger) return Error::not_found("there is no experiment '" + experiment_id + "'");
  return timeline.to_json(*ledger, time_ms, points);
}

}  // namespace duel
