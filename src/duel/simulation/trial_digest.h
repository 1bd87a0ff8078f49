// What many trials of one policy showed at every checkpoint, without the trials: for studies of so
// many that a TrialTable of them would not fit into memory. Takes one bit per trial, and per
// checkpoint what a ValueDigest takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/result.h"
#include "duel/simulation/simulation.h"
#include "duel/simulation/value_digest.h"

namespace duel {

// Studies of up to so many trials keep every trial and have exact quantiles; above, a TrialDigest
// stands in for them.
inline constexpr std::uint32_t kMostKeptTrials = 100'000;

class TrialDigest {
 public:
  struct Checkpoint {
    std::vector<ValueDigest> regrets;
    std::uint64_t correct = 0;
    ExactSum informative;
  };

  TrialDigest(std::uint32_t trials, std::size_t checkpoints, std::size_t regrets);

  std::uint32_t num_trials() const { return static_cast<std::uint32_t>(finished_.size()); }
  std::uint32_t num_finished() const { return num_finished_; }
  bool finished(std::uint32_t trial) const { return finished_[trial]; }
  const std::vector<Checkpoint>& checkpoints() const { return checkpoints_; }

  // Takes in one trial, the only one of `row`. A trial that is finished already is passed over.
  void add(std::uint32_t trial, const TrialTable& row);

 private:
  std::vector<bool> finished_;
  std::uint32_t num_finished_ = 0;
  std::vector<Checkpoint> checkpoints_;
};

using DigestRecord = TrialRecord<TrialDigest>;

// The digest of trials that were kept.
DigestRecord digest_of(const PolicyRecord& record);

// As Simulation::run, without keeping the trials. `on_trial` gets a table with the one trial that
// is finished, in row 0; it may be called from several threads, one at a time. On several ranks
// only rank 0 has the digest.
Result<DigestRecord> run_digest(const Simulation& simulation, std::size_t policy,
                                const RunHooks& hooks, TrialDigest known);

}  // namespace duel
