// What learners of points there are. Each registers itself from its own source, as policies do.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/continuous/direction_learner.h"
#include "duel/continuous/point_learner.h"
#include "duel/continuous/point_set.h"
#include "duel/core/call_spec.h"
#include "duel/core/options.h"

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
};

// A learner with its options fixed, on a set. Immutable and shared between threads.
class ConfiguredPointLearner {
 public:
  virtual ~ConfiguredPointLearner() = default;
  virtual const LearnerFacts& facts() const = 0;
  // `dbgd(delta=1,gamma=0.01)`: parses back to the same configuration.
  virtual const std::string& canonical() const = 0;
  virtual StepSizes steps() const = 0;
  // REQUIRES: `start` has the set's dimension and finite coordinates.
  virtual std::unique_ptr<PointLearner> make(std::vector<double> start) const = 0;
};

class PointLearnerKind {
 public:
  virtual ~PointLearnerKind() = default;
  virtual const LearnerFacts& facts() const = 0;
  virtual std::vector<OptionFact> options() const = 0;
  // `comparisons` is the default of the option `horizon`; 0 where the run has no number to give.
  virtual Result<std::shared_ptr<const ConfiguredPointLearner>> configure(
      const CallSpec& call, PointSetPtr set, std::uint64_t comparisons) const = 0;
};

// All registered learners, sorted by name.
std::span<const PointLearnerKind* const> point_learner_kinds();
// An unknown name is an error with the nearest spelling.
Result<const PointLearnerKind*> find_point_learner(std::string_view name);
// `dbgd(delta_l=0.8)` on a set, for a run of `comparisons`.
Result<std::shared_ptr<const ConfiguredPointLearner>> configure_point_learner(
    std::string_view text, PointSetPtr set, std::uint64_t comparisons);

// --- for a learner's own source
// -------------------------------------------------------------------

bool register_point_learner(std::unique_ptr<const PointLearnerKind> kind);

template <class Learner>
class ConfiguredDirectionLearner final : public ConfiguredPointLearner {
 public:
  ConfiguredDirectionLearner(const LearnerFacts& facts, std::string canonical,
                             const DirectionOptions& options, StepSizes steps, PointSetPtr set)
      : facts_(facts),
        canonical_(std::move(canonical)),
        options_(options),
        steps_(steps),
        set_(std::move(set)) {}

  const LearnerFacts& facts() const override { return facts_; }
  const std::string& canonical() const override { return canonical_; }
  StepSizes steps() const override { return steps_; }
  std::unique_ptr<PointLearner> make(std::vector<double> start) const override {
    return std::make_unique<Learner>(canonical_ + " on " + set_->to_string(), options_, steps_,
                                     set_, std::move(start));
  }

 private:
  const LearnerFacts& facts_;
  std::string canonical_;
  DirectionOptions options_;
  StepSizes steps_;
  PointSetPtr set_;
};

template <class Learner>
class DirectionLearnerKind final : public PointLearnerKind {
 public:
  explicit DirectionLearnerKind(LearnerFacts facts) : facts_(std::move(facts)) {}

  const LearnerFacts& facts() const override { return facts_; }
  std::vector<OptionFact> options() const override { return direction_options().facts(); }
  Result<std::shared_ptr<const ConfiguredPointLearner>> configure(
      const CallSpec& call, PointSetPtr set, std::uint64_t comparisons) const override {
    const OptionTable<DirectionOptions> table = direction_options();
    DirectionOptions options;
    options.horizon = comparisons;
    DUEL_ASSIGN(options, table.parse(call, options, "learner"));
    auto steps = step_sizes(options, *set);
    if (!steps.ok()) {
      Error error = steps.error();
      error.where = "learner '" + call.name + "'";
      return error;
    }
    if (options.delta && options.gamma) options.horizon = 0;  // not used, so not part of the name
    return std::shared_ptr<const ConfiguredPointLearner>(
        std::make_shared<ConfiguredDirectionLearner<Learner>>(
            facts_, table.canonical(facts_.name, options), options, *steps, std::move(set)));
  }

 private:
  LearnerFacts facts_;
};

// At the end of a learner's source:
//   const bool registered = register_point_learner<Dbgd>({.name = "dbgd", ..});
template <class Learner>
bool register_point_learner(LearnerFacts facts) {
  return register_point_learner(std::make_unique<DirectionLearnerKind<Learner>>(std::move(facts)));
}

}  // namespace duel
