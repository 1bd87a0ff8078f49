// How an experiment went, as series for plots: a bounded number of moments, evenly spaced over the
// records. A fold over the records, as the ledger is, so that it can be kept with the state and
// asked for at any time without the log.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/archive_containers.h"
#include "duel/core/described.h"
#include "duel/core/result.h"
#include "duel/core/timestamp.h"
#include "duel/experiment/ledger.h"
#include "duel/store/store.h"

namespace duel {

struct TimelinePoint {
  std::uint64_t sequence = 0;
  Timestamp time;
  std::uint64_t served = 0, decisive = 0;
  std::optional<std::string> leader{};
  std::optional<std::optional<double>> log_evidence{};
  std::optional<double> log_threshold{};
  std::vector<std::uint64_t> shown;

  static constexpr std::string_view schema = "TimelinePoint";
  static constexpr FieldList fields{
      required("sequence", &TimelinePoint::sequence),
      required("time", &TimelinePoint::time),
      required("served", &TimelinePoint::served),
      required("decisive", &TimelinePoint::decisive),
      required("leader", &TimelinePoint::leader),
      optional("log_evidence", &TimelinePoint::log_evidence,
               "the leader's smallest against a rival; null where it has none"),
      optional("log_threshold", &TimelinePoint::log_threshold, "what that has to reach"),
      required("shown", &TimelinePoint::shown, "how often each arm was shown")};
};

struct TimelineSeries {
  std::string experiment_id;
  std::vector<std::string> arms;
  std::vector<TimelinePoint> points;

  static constexpr std::string_view schema = "Timeline";
  static constexpr FieldList fields{required("experiment_id", &TimelineSeries::experiment_id),
                                    required("arms", &TimelineSeries::arms),
                                    required("points", &TimelineSeries::points)};
};

class Timeline {
 public:
  // Every `stride` records a moment is kept. When there would be more than this, every second one
  // is forgotten and the stride doubles. So which moments are left depends only on the number of
  // the last record, and every fold of a log gives the same.
  static constexpr std::size_t kMostPoints = 256;

  // To be called after the record was applied to the ledger.
  void note(const Ledger& ledger, std::int64_t time_ms);

  // At most `points` moments, the last of which is the present.
  TimelineSeries series(const Ledger& ledger, std::int64_t time_ms, std::size_t points) const;

  std::size_t size() const { return points_.size(); }

  // The state between two records (core/archive.h).
  template <class Archive>
  void fields(Archive& archive) {
    archive(stride_, points_);
    if constexpr (kReadsState<Archive>) stride_ = std::max<std::uint64_t>(stride_, 1);
  }

 private:
  struct Point {
    std::uint64_t sequence = 0;
    std::int64_t time_ms = 0;
    std::uint64_t served = 0;
    std::uint64_t decisive = 0;
    std::optional<Arm> leader;
    std::optional<double> log_evidence{};
    double log_threshold = 0;
    std::vector<std::uint64_t> shown;

    void fields(auto& archive) {
      archive_fields(archive, sequence, time_ms, served, decisive, leader, log_evidence,
                     log_threshold, shown);
    }
  };
  static std::uint64_t least_stride(std::size_t num_arms);
  static Point now(const Ledger& ledger, std::int64_t time_ms);
  static TimelinePoint shown_of(const Ledger& ledger, const Point& point);

  std::uint64_t stride_ = 1;
  std::vector<Point> points_;
};

// The series of a log, which is read once.
Result<TimelineSeries> timeline_of(Store& store, const std::string& experiment_id,
                                   std::size_t points);

}  // namespace duel
