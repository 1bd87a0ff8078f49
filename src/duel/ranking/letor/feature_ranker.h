// A ranker by one feature: `feature(index=3)`, and one of each for `features`.
#pragma once

#include <cstdint>

#include "duel/ranking/letor/ranker.h"

namespace duel {

// Scores by one feature, the higher the better. Named f1, f2, ..
class FeatureRanker final : public Ranker {
 public:
  explicit FeatureRanker(std::uint32_t feature);  // 0-based

  void score(const JudgedQueries& queries, std::size_t query,
             std::span<double> scores) const override;

 private:
  std::uint32_t feature_;
};

}  // namespace duel
