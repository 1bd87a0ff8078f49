// Learners of rankers by name, as policies are: `dbgd(delta=1,gamma=0.01)`, `mgd(candidates=9)`,
// `pdgd`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "duel/continuous/learner_registry.h"
#include "duel/core/call_spec.h"
#include "duel/core/options.h"
#include "duel/core/result.h"
#include "duel/ranking/learners/ranker_learner.h"

namespace duel {

struct RankerLearnerFact {
  LearnerFacts facts;
  std::vector<OptionFact> options;
};

// Those that only learn rankers. `dbgd` is a learner of points (continuous/learner_registry.h) and
// works here as well.
const std::vector<RankerLearnerFact>& ranker_learner_facts();

// What a run tells a learner about itself.
struct RankerLearnerSetting {
  std::size_t num_features = 0;
  std::size_t length = 10;  // documents shown
  // How rankings are compared: team-draft, probabilistic, .. Learners of several candidates take
  // the multileaving of the same name. Empty: team-draft for dbgd and nsgd, probabilistic for mgd
  // and dsp.
  std::string interleave;
  std::uint64_t impressions = 0;  // default of `horizon`
};

// A learner with its options fixed. Immutable and shared between threads.
class ConfiguredRankerLearner {
 public:
  virtual ~ConfiguredRankerLearner() = default;
  // Parses back to the same configuration.
  virtual const std::string& canonical() const = 0;
  // The method that merges its rankings, or "" where it needs none.
  virtual const std::string& interleave() const = 0;
  // Whether a duel of two weight vectors is all it needs (RankerLearner::points).
  virtual bool learns_from_duels() const = 0;
  // A learner at its start; `rng` draws the first direction of those that need one.
  virtual std::unique_ptr<RankerLearner> make(RoundRng rng) const = 0;
};

// Errors: unknown names and options with the nearest spelling, a method that does not fit, no
// features.
Result<std::shared_ptr<const ConfiguredRankerLearner>> configure_ranker_learner(
    const CallSpec& call, const RankerLearnerSetting& setting);

}  // namespace duel
