// A trial of learning that is measured on its way: its learning curve.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/ranking/learners/learning_run.h"

namespace duel {

struct CurvePoint {
  std::uint64_t impressions = 0;
  double online_sum = 0;  // LearningTrial::online_sum
  double discounted = 0;  // LearningTrial::discounted_ndcg
  double offline = 0;     // mean_ndcg of the weights on the judged queries

  template <class Archive>
  void fields(Archive& archive) {
    archive(impressions, online_sum, discounted, offline);
  }
};

// The mean NDCG of the lists shown since `before`. REQUIRES: more impressions than `before`.
double online_since(const CurvePoint& before, const CurvePoint& point);

class RecordedTrial {
 public:
  // `judged` measures the weights; it must outlive the trial.
  RecordedTrial(const LearningSetting& setting, std::uint32_t trial, const JudgedQueries& judged);

  // Plays up to the last checkpoint and measures at each. Points of an earlier call that are not
  // checkpoints of this one are dropped, so that a run in pieces leaves the curve of a run in one.
  // False if it was stopped before. A checkpoint that a restored trial had passed
  // without measuring stays out. REQUIRES: checkpoints ascend.
  bool play(std::span<const std::uint64_t> checkpoints, const std::atomic<bool>& stop);

  const LearningTrial& trial() const { return trial_; }
  std::span<const CurvePoint> curve() const { return curve_; }
  // The NDCG of the present weights.
  double offline_ndcg() const;

  std::string save() const;
  Status restore(std::string_view saved);

 private:
  LearningTrial trial_;
  const JudgedQueries* judged_;
  std::size_t length_;
  std::vector<CurvePoint> curve_;
};

}  // namespace duel
