// Independent jobs on all cores: trials of a policy, pairs of rankers. Threads and an atomic
// counter; what a job computes must depend on its number alone, so that results do not depend on
// the threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "duel/core/result.h"

namespace duel {

struct JobHooks {
  // Set from any thread or a signal handler to stop soon. May be null.
  const std::atomic<bool>* stop = nullptr;
  // Both are called by the thread that called `run_jobs`, about ten times a second and once at the
  // end. An error of `on_tick` ends the run with it.
  std::function<void(std::uint64_t finished)> on_progress;
  std::function<Status()> on_tick;
};

// One job. Returns false if it gave up because `stop` was set. Several run at a time.
using Job = std::function<bool(std::uint64_t number, const std::atomic<bool>& stop)>;

struct JobsRun {
  std::uint64_t finished = 0;  // jobs that returned true
  double seconds = 0;          // wall time
  double cpu_seconds = 0;      // summed over the threads
};

// Runs jobs 0 .. count - 1 on at most `threads` threads (0: one per core). An exception of a job,
// such as an overflow or want of memory, ends the run with an Error whose place is
// `name_of(number)`; a failed DUEL_CHECK is thrown on.
Result<JobsRun> run_jobs(std::uint64_t count, unsigned threads, const JobHooks& hooks,
                         const Job& job, const std::function<std::string(std::uint64_t)>& name_of);

// `threads`, or one per core for 0.
unsigned resolve_threads(unsigned threads);

}  // namespace duel
