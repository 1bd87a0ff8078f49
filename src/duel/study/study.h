// Runs a study: all policies on all matrices, with progress, interruption, an output directory and
// resumption.
//
// An output directory holds, when the study is complete: spec.toml, results.csv, matrices.csv,
// timing.json, and trials.csv on request. While it runs: spec.toml and progress.csv, the finished
// trials, from which it can be resumed after an interruption or a kill. results.csv is there only
// when all trials are done. The trials of a shard stand in shard-3-of-64.csv, until they are
// merged.
//
// On several ranks (jobs/ranks.h) all of them call the same function. They share the trials; rank 0
// alone reads and writes the directory, and has the whole outcome.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/study/results.h"
#include "duel/study/spec.h"
#include "duel/study/study_files.h"

namespace duel {

struct StudyProgress {
  std::string matrix;
  std::string policy;             // the one that runs now
  std::uint64_t trials_done = 0;  // of all policies and matrices, including resumed ones
  std::uint64_t trials_total = 0;
  std::uint64_t trials_resumed = 0;  // of trials_done, those that an earlier run had finished
  double seconds = 0;                // since the start of this run
  double trials_per_second = 0;      // of this run
  double seconds_left = 0;           // at that rate; NaN before the first trial
};

struct StudyOptions {
  std::filesystem::path output;  // empty: nothing is written
  bool force = false;            // replace what another study left in `output`
  // Runs these trials only and leaves them in `output`, for `merge_study`. `force` replaces what
  // this shard left, never other shards or results.
  std::optional<Shard> shard;
  // Set from any thread or a signal handler to stop soon. May be null.
  const std::atomic<bool>* stop = nullptr;
  // From the thread that runs the study, about ten times a second.
  std::function<void(const StudyProgress&)> progress;
};

struct StudyOutcome {
  StudySpec spec;
  StudyResults results;              // of the finished trials
  std::uint64_t trials_resumed = 0;  // finished by an earlier run
  bool already_complete = false;     // nothing was left to do
  unsigned threads = 1;              // used, by each rank
  unsigned ranks = 1;                // that shared the trials
  double seconds = 0;                // wall time of this run
};

// Everything that can be wrong is said before the work begins: unknown policies and matrices, a
// regret that a matrix does not define, an output that cannot be written or belongs to another
// study. An unfinished run of the same study in `output` is continued (with `force` started over).
// Interrupted: the outcome has results.interrupted, and `output` can be resumed.
Result<StudyOutcome> run_study(const StudySpec& spec, const StudyOptions& options = {});

// Continues the study in `directory`, also what shards left unfinished there (options.output,
// options.force and options.shard are ignored). `threads` other than 0 replaces the spec's.
Result<StudyOutcome> resume_study(const std::filesystem::path& directory,
                                  const StudyOptions& options = {}, unsigned threads = 0);

// Puts the trials of the shards in `directories`, all of one study, together and writes the results
// into `output`, or into the first directory where `output` is empty; the shards in that directory
// are removed then. The results are, byte for byte, those of a run without shards. An error where
// trials are missing; nothing is changed then.
Result<StudyOutcome> merge_study(const std::vector<std::filesystem::path>& directories,
                                 const std::filesystem::path& output = {});

}  // namespace duel
