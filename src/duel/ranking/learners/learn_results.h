// Measures over the trials of a learning run, as JSON and as tables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/table.h"
#include "duel/ranking/learners/learning_curve.h"

namespace duel {

// A mean over trials; the error is NaN for a single one.
struct Quantity {
  double mean, se;
};

// At a checkpoint.
struct CurveRow {
  std::uint64_t impressions;
  Quantity online;      // NDCG of the lists shown since the row before
  Quantity discounted;  // sum up to here
  Quantity offline;     // NDCG of the ranker
};

struct LearnResults {
  Json settings;
  std::uint64_t impressions = 0;
  Quantity discounted, online, offline, start;
  std::vector<CurveRow> curve;    // as far as all trials came
  std::vector<CurveRow> decades;  // its 1, 10, 100, .. and its end
  struct Trial {
    double discounted, online, offline;
  };
  std::vector<Trial> trials;

  // `at_start` has the offline NDCG of every trial before the first impression.
  // REQUIRES: one trial or more; settings with learner and seed.
  LearnResults(Json settings, std::span<const RecordedTrial> trials,
               std::span<const double> at_start);

  Json to_json() const;
  // learner, impressions, measure, mean, se, trials, seed.
  Table curve_table() const;
};

}  // namespace duel
