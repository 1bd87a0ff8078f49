// Learners of rankers by name, as policies are: `dbgd(delta=1,gamma=0.01)`, `mgd(candidates=9)`,
// `pdgd`. Each registers itself from its own source.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duel/continuous/learner_registry.h"
#include "duel/core/catalogue.h"
#include "duel/ranking/learners/ranker_learner.h"

namespace duel {

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
  // Makes a learner at its start; `rng` draws the first direction of those that need one.
  using Make = std::function<std::unique_ptr<RankerLearner>(RoundRng rng)>;
  ConfiguredRankerLearner(std::string canonical, std::string interleave, bool learns_from_duels,
                          Make make)
      : canonical_(std::move(canonical)),
        interleave_(std::move(interleave)),
        learns_from_duels_(learns_from_duels),
        make_(std::move(make)) {}

  // Parses back to the same configuration.
  const std::string& canonical() const { return canonical_; }
  // The method that merges its rankings, or "" where it needs none.
  const std::string& interleave() const { return interleave_; }
  // Whether a duel of two weight vectors is all it needs (RankerLearner::points).
  bool learns_from_duels() const { return learns_from_duels_; }
  std::unique_ptr<RankerLearner> make(RoundRng rng) const { return make_(rng); }

 private:
  std::string canonical_;
  std::string interleave_;
  bool learns_from_duels_;
  Make make_;
};

// Those that only learn rankers.
using RankerLearnerKind =
    CatalogueKind<LearnerFacts, std::shared_ptr<const ConfiguredRankerLearner>,
                  RankerLearnerSetting>;
Catalogue<RankerLearnerKind>& ranker_learner_catalogue();

// Everything that `configure_ranker_learner` takes: the learners of points, then those above.
std::vector<std::string> ranker_learner_names();

// One of these, or a learner of points that needs no more than answers
// (continuous/learner_registry.h), whose points are then the weights of rankers (PairwiseDbgd).
// Errors: unknown names and options with the nearest spelling, a method that does not fit, no
// features.
RankerLearnerKind::Made configure_ranker_learner(const CallSpec& call,
                                                 const RankerLearnerSetting& setting);

// --- for a learner's own source -----------------------------------------------------------------

// To which learner a saved state belongs: `pdgd(eta=0.1) on 136 features`.
std::string identity_of(const std::string& canonical, const RankerLearnerSetting& setting);

}  // namespace duel
