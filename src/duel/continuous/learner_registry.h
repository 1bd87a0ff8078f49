// What learners of points there are. Each registers itself from its own source, as policies do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "duel/continuous/point_learner.h"
#include "duel/continuous/point_set.h"
#include "duel/core/catalogue.h"

namespace duel {

struct LearnerFacts {
  std::string name;
  std::string title;
  std::string paper;      // authors, venue, year, algorithm
  std::string setting;    // "continuous: .." or "learning to rank: .."
  std::string guarantee;  // the bound, or "none"
  std::string departs;    // differences from the paper, or "nowhere"
  std::string status;     // reproduced | tested | experimental
  bool needs_horizon = false;
  bool sees_probability = false;  // needs PointAnswer::probability_first_wins
  bool sees_grades = false;       // trained on judged queries, without duels
};

// A learner with its options fixed, on a set. Immutable and shared between threads.
class ConfiguredPointLearner {
 public:
  using Make = std::function<std::unique_ptr<PointLearner>(std::vector<double> start)>;
  ConfiguredPointLearner(std::string canonical, StepSizes steps, Make make)
      : canonical_(std::move(canonical)), steps_(steps), make_(std::move(make)) {}

  // `dbgd(delta=1,gamma=0.01)`: parses back to the same configuration.
  const std::string& canonical() const { return canonical_; }
  StepSizes steps() const { return steps_; }
  // REQUIRES: `start` has the set's dimension and finite coordinates.
  std::unique_ptr<PointLearner> make(std::vector<double> start) const {
    return make_(std::move(start));
  }

 private:
  std::string canonical_;
  StepSizes steps_;
  Make make_;
};

// Configured on a set for a number of comparisons, which is the default of the option `horizon`; 0
// where the run has no number to give.
using PointLearnerKind = CatalogueKind<LearnerFacts, std::shared_ptr<const ConfiguredPointLearner>,
                                       PointSetPtr, std::uint64_t>;
Catalogue<PointLearnerKind>& point_learner_catalogue();

// `dbgd(delta_l=0.8)` on a set, for a run of `comparisons`.
PointLearnerKind::Made configure_point_learner(std::string_view text, const PointSetPtr& set,
                                               std::uint64_t comparisons);

// --- for a learner's own source -----------------------------------------------------------------

// At the end of a learner's source:
//   const bool registered = register_point_learner({.name = "dbgd", ..}, dbgd_step);
bool register_point_learner(LearnerFacts facts, PointStep step);

}  // namespace duel
