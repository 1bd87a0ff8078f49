// A learner of a linear ranker from clicks: it shows a list for a query and is told what was
// clicked.
//
//   std::span<const Document> list = learner.show(documents, round, streams);
//   learner.observe(clicks);
//
// It sees features, never grades. Equal scores are put in a new random order in every impression,
// so that a ranker that knows nothing shows no preference.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/continuous/point_learner.h"
#include "duel/core/result.h"
#include "duel/core/rng.h"
#include "duel/ranking/learners/scoring.h"

namespace duel {

// The randomness of a learner in one trial.
struct LearnerStreams {
  LearnerStreams(std::uint64_t seed, std::uint32_t trial, const std::string& owner)
      : choice(seed, trial, Purpose::choice, owner),
        list(seed, trial, Purpose::choice, owner + "/list") {}

  Stream choice;  // directions
  Stream list;    // the list that is shown, ties
};

class RankerLearner {
 public:
  virtual ~RankerLearner() = default;

  // The list for a query, at most `length` documents, best first; it lives until the next call.
  // REQUIRES: at least one document with the learner's number of features, all finite; the `round`s
  // ascend. Every list is observed, perhaps without clicks, before the next is asked for.
  virtual std::span<const Document> show(const QueryDocuments& documents, Round round,
                                         const LearnerStreams& streams) = 0;
  // Clicked positions, ascending. `documents` of the last `show` must still live.
  virtual void observe(std::span<const Position> clicks) = 0;

  virtual std::span<const double> weights() const = 0;
  // The learner of points behind it, where a duel of two weight vectors is all it needs.
  virtual PointLearner* points() { return nullptr; }

  virtual std::string save() const = 0;
  // A state of another learner or dimension is refused and changes nothing.
  virtual Status restore(std::string_view saved) = 0;
};

// Weights, how far the step has decayed, what a learner remembers of earlier impressions, and whose
// they are: the state that is saved.
struct WeightState {
  std::string identity;
  std::vector<double> weights;
  double step = 0;
  std::vector<double> memory;  // whole vectors of the weights' size, one after the other

  std::string save() const;
  Status restore(std::string_view saved);
};

}  // namespace duel
