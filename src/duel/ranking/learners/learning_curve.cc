#include "duel/ranking/learners/learning_curve.h"

#include <algorithm>
#include <cmath>

#include "duel/core/archive.h"

namespace duel {

double online_since(const CurvePoint& before, const CurvePoint& point) {
  return (point.online_sum - before.online_sum) /
         static_cast<double>(point.impressions - before.impressions);
}

RecordedTrial::RecordedTrial(const LearningSetting& setting, std::uint32_t trial,
                             const JudgedQueries& judged)
    : trial_(setting, trial), judged_(&judged), length_(setting.length) {}

double RecordedTrial::offline_ndcg() const {
  return mean_ndcg(*judged_, trial_.weights(), length_);
}

bool RecordedTrial::play(std::span<const std::uint64_t> checkpoints,
                         const std::atomic<bool>& stop) {
  std::erase_if(curve_, [&](const CurvePoint& point) {
    return !std::binary_search(checkpoints.begin(), checkpoints.end(), point.impressions);
  });
  for (const std::uint64_t checkpoint : checkpoints) {
    if (!curve_.empty() && checkpoint <= curve_.back().impressions) continue;
    if (!trial_.play(checkpoint, stop)) return false;
    if (trial_.impressions() != checkpoint) continue;  // a state that skipped it
    curve_.push_back({checkpoint, trial_.online_sum(), trial_.discounted_ndcg(), offline_ndcg()});
  }
  return true;
}

std::string RecordedTrial::save() const {
  StateWriter writer;
  writer(trial_.save(), curve_);
  return writer.finish();
}

Status RecordedTrial::restore(std::string_view saved) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  std::string trial;
  std::vector<CurvePoint> curve;
  reader(trial, curve);
  std::uint64_t last = 0;
  bool sound = reader.complete();
  for (const CurvePoint& point : curve) {
    sound = sound && point.impressions > last && std::isfinite(point.online_sum) &&
            std::isfinite(point.discounted) && std::isfinite(point.offline);
    last = point.impressions;
  }
  if (!sound) {
    return Error::invalid_data("the saved state does not fit a learning run");
  }
  DUEL_RETURN_IF_ERROR(trial_.restore(trial));
  curve_ = std::move(curve);
  return Done{};
}

}  // namespace duel
