#include "duel/verdict/timeline.h"

#include <algorithm>
#include <bit>

#include "duel/log/experiment_log.h"
#include "duel/verdict/standing.h"

namespace duel {

Timeline::Point Timeline::now(const Ledger& ledger, std::int64_t time_ms) {
  Point point{.sequence = ledger.sequence(),
              .time_ms = time_ms,
              .served = ledger.served(),
              .decisive = ledger.certifier().decisive(),
              .leader = leader_of(ledger),
              .shown = {}};
  if (point.leader) {
    for (Arm rival = 0; rival < ledger.num_arms(); ++rival) {
      if (rival == *point.leader || !ledger.arms()[rival].active) continue;
      const double evidence = ledger.certifier().log_evidence(*point.leader, rival);
      point.log_evidence = std::min(point.log_evidence.value_or(evidence), evidence);
    }
    point.log_threshold = ledger.certifier().log_threshold(*point.leader);
  }
  if (ledger.parts().space) return point;  // points come and go
  point.shown.reserve(ledger.num_arms());
  for (Arm i = 0; i < ledger.num_arms(); ++i) point.shown.push_back(ledger.of_arm(i).served);
  return point;
}

// The cost of a point grows with the number of pairs of arms. At this distance its share per
// record is next to nothing.
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

TimelinePoint Timeline::shown_of(const Ledger& ledger, const Point& point) {
  TimelinePoint shown{.sequence = point.sequence,
                      .time = {point.time_ms},
                      .served = point.served,
                      .decisive = point.decisive,
                      .shown = point.shown};
  if (point.leader) {
    shown.leader = ledger.id_of(*point.leader);
    shown.log_evidence.emplace(point.log_evidence);
    shown.log_threshold = point.log_threshold;
  }
  // Arms that joined later have no value. A draft may have had more arms than there are now.
  shown.shown.resize(ledger.parts().space ? 0 : ledger.num_arms());
  return shown;
}

TimelineSeries Timeline::series(const Ledger& ledger, std::int64_t time_ms,
                                std::size_t points) const {
  TimelineSeries series;
  series.experiment_id = ledger.experiment().experiment_id;
  for (const LedgerArm& arm : ledger.arms()) {
    if (!ledger.parts().space) series.arms.push_back(arm.entry.id);
  }
  // Chosen from the end, which is the present: it is added if no point was kept there.
  const bool ends_now = !points_.empty() && points_.back().sequence == ledger.sequence();
  const std::size_t kept = points_.size() - (ends_now ? 1 : 0);
  const std::size_t before = std::max<std::size_t>(points, 1) - 1;
  const std::size_t step =
      before == 0 ? kept + 1 : std::max<std::size_t>(1, (kept + before - 1) / before);
  for (std::size_t k = kept % step; k < kept; k += step) {
    series.points.push_back(shown_of(ledger, points_[k]));
  }
  series.points.push_back(shown_of(ledger, ends_now ? points_.back() : now(ledger, time_ms)));
  return series;
}

Result<TimelineSeries> timeline_of(Store& store, const std::string& experiment_id,
                                   std::size_t points) {
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
  return timeline.series(*ledger, time_ms, points);
}

}  // namespace duel
