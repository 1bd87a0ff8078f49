// The results of a study: in memory, as CSV, as JSON. Everything that shows or draws reads this.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/policies/delayed_trial.h"
#include "duel/simulation/aggregate.h"
#include "duel/simulation/simulation.h"
#include "duel/simulation/trial_digest.h"
#include "duel/truth/preference_matrix.h"
#include "duel/truth/regret.h"

namespace duel {

struct Problem;

// Undefined numbers (the standard error of one trial, the lower bound without a Condorcet winner,
// unknown times) are NaN here, empty in CSV and null in JSON.

struct CheckpointResult {
  Round round = 0;
  std::vector<Summary> regrets;  // parallel to StudyResults::regrets
  double accuracy = kUndefined;  // share of trials whose recommended arm was right
  double accuracy_se = kUndefined;
  double informative = kUndefined;  // mean number of duels between different arms
};

struct PolicyResult {
  std::string policy;        // canonical string
  std::uint32_t trials = 0;  // finished ones
  std::vector<CheckpointResult> checkpoints;
  double seconds = kUndefined;      // wall time of all its trials
  double cpu_seconds = kUndefined;  // summed over threads
};

// What is known of a matrix itself.
struct MatrixFacts {
  std::string matrix;  // its name, or as the spec has it where two names are equal
  std::size_t num_arms = 0;
  std::string condorcet_winner;     // name of the arm; empty where there is none
  double lower_bound = kUndefined;  // coefficient of ln T in the asymptotic bound, average regret
  double lower_bound_condorcet_target = kUndefined;  // the form whose best opponent is the winner
};

struct MatrixResult {
  MatrixFacts facts;
  std::vector<PolicyResult> policies;  // those with at least one finished trial
  std::vector<std::string> not_run;    // the others, after an interruption
};

struct StudyResults {
  std::string name;
  Round rounds = 0;
  std::uint32_t trials = 0;  // asked for
  std::uint64_t seed = 0;
  std::vector<RegretNotion> regrets;
  std::vector<MatrixResult> runs;  // one per matrix
  Feedback feedback;               // not in the CSV files
  bool interrupted = false;
};

MatrixFacts facts_of(const PreferenceMatrix& matrix, std::string label);
// Without the lower bound, which takes all pairs.
MatrixFacts facts_of(const Strengths& strengths, std::string label);
// Of what may change, or be more than a matrix.
MatrixFacts facts_of(const Problem& problem, const std::string& label);

// The finished trials of `record`, in trial order. No checkpoints where none is finished.
PolicyResult summarize_policy(const PolicyRecord& record, const std::vector<Round>& checkpoints);
PolicyResult summarize_policy(const DigestRecord& record, const std::vector<Round>& checkpoints);

// --- results.csv and matrices.csv (docs/simulation_formats.md) ----------------------------------

std::string to_results_csv(const StudyResults& results);
std::string to_matrices_csv(const StudyResults& results);

// `source` names the text in errors. Neither knows the times; the first knows of a matrix only its
// name.
Result<StudyResults> parse_results_csv(std::string_view text, const std::string& source);
Result<std::vector<MatrixFacts>> parse_matrices_csv(std::string_view text,
                                                    const std::string& source);

// results.csv of a directory, with what matrices.csv adds where it is there; or a results.csv
// itself.
Result<StudyResults> read_results(const std::filesystem::path& directory_or_file);

// --- JSON ---------------------------------------------------------------------------------------

// One matrix: {"matrix":.., "rounds":.., "trials":.., "seed":.., "lower_bound":..,
// "policies":[..]}. Several: {"runs":[..]} of such objects. After an interruption an object has
// "interrupted":true, "trials" is the smallest number of finished trials among its policies,
// "trials_asked" what was asked, and "not_run" lists the policies without a finished trial.
Json to_json(const StudyResults& results);

}  // namespace duel
