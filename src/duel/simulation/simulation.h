// The engine: trials of policies on one matrix, in parallel, with results that are the same bits
// for any number of threads.
//
//   DUEL_ASSIGN(const Simulation simulation, Simulation::create(plan));
//   for (std::size_t i = 0; i < simulation.num_policies(); ++i) {
//     DUEL_ASSIGN(const PolicyRecord record, simulation.run(i));
//     ...record.trials.value(trial, checkpoint, regret)...
//   }
//
// Policies run one after the other, the trials of each side by side, so that a policy's wall time
// means something. Draws depend on (seed, trial, purpose, policy name) alone: adding a policy, a
// checkpoint or a thread leaves all other numbers as they were, and the policies of a trial meet
// the same outcomes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/duel.h"
#include "duel/core/feature_rows.h"
#include "duel/core/result.h"
#include "duel/core/trial_arena.h"
#include "duel/jobs/jobs.h"
#include "duel/policies/delayed_trial.h"
#include "duel/policies/registry.h"
#include "duel/truth/preference_matrix.h"
#include "duel/truth/regret.h"
#include "duel/truth/round_problem.h"
#include "duel/truth/strengths.h"

namespace duel {

// From round `from` on another matrix, with as many arms, is in force.
struct MatrixChange {
  Round from = 0;
  const PreferenceMatrix* matrix = nullptr;
};

struct SimulationPlan {
  const PreferenceMatrix* matrix = nullptr;  // must outlive the Simulation
  // In place of the matrix, where it has more arms than a matrix has room for; must outlive the
  // Simulation. Not together with `changes`, `outcomes` or `right_arms`.
  const Strengths* strengths = nullptr;
  // In place of both, where a round is more than a duel; must outlive the Simulation. Not together
  // with `changes`, `outcomes`, `right_arms`, batches or delays.
  const RoundProblem* by_round = nullptr;
  // What policies are told of the arms, one row each; null: nothing.
  std::shared_ptr<const FeatureRows> features;
  // Ascending, each after round 1; the matrices must outlive the Simulation. Regret is counted
  // against the matrix in force, and what is right to recommend is judged by it. (Von Neumann
  // regret is then the sum over the stretches between changes.)
  std::vector<MatrixChange> changes;
  // If set, answers the duels of a trial in place of coins with the matrix's probabilities.
  std::function<std::unique_ptr<OutcomeSource>(std::uint64_t seed, std::uint32_t trial)> outcomes;
  // If set, the matrix is not the truth but a stand-in: every regret is undefined (NaN), and these
  // arms are right to recommend. Not together with `changes`.
  std::optional<std::vector<Arm>> right_arms;
  std::vector<CallSpec> policies;
  std::vector<Round> checkpoints;  // ascending, not empty; the last one ends the run
  std::uint32_t trials = 1;
  std::uint64_t seed = 0;
  std::vector<RegretNotion> regrets = {RegretNotion::average};
  unsigned threads = 0;  // 0: one per core
  // Policies that need a horizon, and were not given one, are run afresh for every checkpoint with
  // that checkpoint as the horizon, as the papers' figures are made. The same for one policy:
  // `rmed2fh(horizon=checkpoint)`.
  bool horizon_per_checkpoint = false;
  // When answers are heard; refused for policies that ask one duel after the other.
  Feedback feedback;
  // Whether the table of all trials has to fit into memory (simulation/trial_digest.h needs none).
  bool keeps_trials = true;

  std::size_t num_arms() const {
    return by_round ? by_round->num_arms() : strengths ? strengths->num_arms() : matrix->num_arms();
  }
};

// What every trial of one policy showed at every checkpoint. One flat array each; trials that did
// not finish have no values.
class TrialTable {
 public:
  TrialTable(std::uint32_t trials, std::size_t checkpoints, std::size_t regrets);

  std::uint32_t num_trials() const { return num_trials_; }
  std::size_t num_checkpoints() const { return num_checkpoints_; }
  std::size_t num_regrets() const { return num_regrets_; }

  bool finished(std::uint32_t trial) const { return finished_[trial] != 0; }
  std::uint32_t num_finished() const;

  double value(std::uint32_t trial, std::size_t checkpoint, std::size_t regret) const {
    return values_[cell(trial, checkpoint) * num_regrets_ + regret];
  }
  // Whether the recommended arm was right: the Condorcet winner, or where there is none, an arm of
  // the Copeland set.
  bool correct(std::uint32_t trial, std::size_t checkpoint) const {
    return correct_[cell(trial, checkpoint)] != 0;
  }
  // Duels between different arms so far.
  std::uint64_t informative(std::uint32_t trial, std::size_t checkpoint) const {
    return informative_[cell(trial, checkpoint)];
  }

  void set(std::uint32_t trial, std::size_t checkpoint, std::size_t regret, double value) {
    values_[cell(trial, checkpoint) * num_regrets_ + regret] = value;
  }
  void set_facts(std::uint32_t trial, std::size_t checkpoint, bool correct,
                 std::uint64_t informative) {
    correct_[cell(trial, checkpoint)] = correct ? 1 : 0;
    informative_[cell(trial, checkpoint)] = informative;
  }
  void finish(std::uint32_t trial) { finished_[trial] = 1; }

  // One finished trial as bytes, for another rank, and back.
  std::string pack(std::uint32_t trial) const;
  void unpack(std::uint32_t trial, std::string_view bytes);
  // Takes in one trial, the only one of `row`. A trial that is finished already is passed over.
  void add(std::uint32_t trial, const TrialTable& row) {
    if (!finished(trial)) unpack(trial, row.pack(0));
  }

  // Bytes of such a table.
  static double bytes(std::uint32_t trials, std::size_t checkpoints, std::size_t regrets);

 private:
  std::size_t cell(std::uint32_t trial, std::size_t checkpoint) const {
    return std::size_t{trial} * num_checkpoints_ + checkpoint;
  }

  std::uint32_t num_trials_;
  std::size_t num_checkpoints_;
  std::size_t num_regrets_;
  std::vector<double> values_;
  std::vector<std::uint64_t> informative_;
  std::vector<std::uint8_t> correct_;
  std::vector<std::uint8_t> finished_;
};

// What a run of one policy gives back; `Trials` is a TrialTable or a TrialDigest.
template <class Trials>
struct TrialRecord {
  std::string policy;  // as `Simulation::label`
  Trials trials;
  std::uint32_t trials_run = 0;  // by this call, without those it was given
  bool interrupted = false;      // stopped before all (wanted) trials were finished
  double seconds = 0;            // wall time of this call
  double cpu_seconds = 0;        // summed over its threads
};
using PolicyRecord = TrialRecord<TrialTable>;

// What a run tells while it goes, and is told. All callbacks but `on_trial` come from the thread
// that called `run`. On several ranks (jobs/ranks.h) they come on rank 0 alone. `on_progress` tells
// the trials of this policy finished so far, including those it was given.
struct RunHooks : JobHooks {
  // If set, only these trials are run, and the others stay as they were given.
  std::function<bool(std::uint32_t trial)> wanted;
  // A trial is finished and stands in this row of the table, which is its own number where all
  // trials are kept. Called from the worker that ran it, several at a time.
  std::function<void(const TrialTable& table, std::uint32_t row, std::uint32_t trial)> on_trial;
};

class Simulation {
 public:
  // Configures the policies, and checks that every asked regret is defined on the matrix and that
  // the results fit in memory.
  static Result<Simulation> create(const SimulationPlan& plan);

  const SimulationPlan& plan() const { return plan_; }
  std::size_t num_policies() const { return policies_.size(); }
  // The canonical string: `rucb(alpha=0.51)`, `rmed2fh(horizon=checkpoint)`.
  const std::string& label(std::size_t policy) const { return policies_[policy].label; }
  unsigned threads() const { return threads_; }

  TrialTable empty_table() const;
  // All (wanted) trials of one policy that `known` has not finished. On several ranks rank 0's
  // `known` says what is finished, and all ranks get the trials that are run. An exception of a
  // policy (an overflown count, no memory) ends the run with an Error; a failed DUEL_CHECK is
  // thrown on.
  Result<PolicyRecord> run(std::size_t policy, const RunHooks& hooks, TrialTable known) const;
  Result<PolicyRecord> run(std::size_t policy, const RunHooks& hooks = {}) const {
    return run(policy, hooks, empty_table());
  }
  // Plays one trial and puts it into `row`, a table of one trial. False where it was stopped.
  bool play_into(std::size_t policy, std::uint32_t trial, const std::atomic<bool>& stop,
                 TrialTable& row) const {
    return play(policies_[policy], trial, stop, row, 0);
  }

  struct MissingRun {
    std::uint32_t trials = 0;
    bool interrupted = false;
    double seconds = 0;
    double cpu_seconds = 0;
  };
  // What is common to all ways of keeping the trials of a run: finds those (wanted) ones that are
  // not finished, of which there are `given`, and runs them as jobs. Unlike elsewhere, `play` and
  // `transfer` get the number of the trial in place of the job's.
  Result<MissingRun> run_missing(std::size_t policy, const RunHooks& hooks, std::uint32_t given,
                                 const std::function<bool(std::uint32_t trial)>& is_finished,
                                 const Job& play, const JobTransfer& transfer) const;

 private:
  // One configuration for the whole run, or one per checkpoint.
  struct Entry {
    std::string label;
    std::vector<std::shared_ptr<const ConfiguredPolicy>> configured;
  };

  // What one matrix means for regret.
  struct Judgement {
    const PreferenceMatrix* matrix = nullptr;
    std::vector<RegretMeter> meters;
    std::vector<std::uint32_t> merit_ranks;
    std::vector<std::uint8_t> is_right;  // per arm: would recommending it be right
  };
  class Recorder;

  Simulation() = default;
  static Result<Judgement> judgement(const PreferenceMatrix& matrix, const SimulationPlan& plan);
  static Result<Judgement> judgement(const Strengths& strengths, const SimulationPlan& plan);
  static Status check_round_problem(const SimulationPlan& plan);
  static Status check_memory(const SimulationPlan& plan, const std::vector<Entry>& policies);
  bool play(const Entry& entry, std::uint32_t trial, const std::atomic<bool>& stop,
            TrialTable& table, std::uint32_t row) const;
  bool play_rounds(const ConfiguredPolicy& policy, std::uint32_t trial,
                   std::span<const Round> checkpoints, std::size_t first,
                   const std::atomic<bool>& stop, TrialTable& table, std::uint32_t row) const;
  static Result<Entry> configure(const CallSpec& call, const SimulationPlan& plan);
  static Status check_feedback(const SimulationPlan& plan, const std::vector<Entry>& policies);

  SimulationPlan plan_;
  std::vector<Entry> policies_;
  std::vector<Judgement> judgements_;  // of the matrix, then of each change
  unsigned threads_ = 1;
};

}  // namespace duel
