// Jobs that several ranks share. Rank 0 deals them out in pieces that get smaller towards the end,
// takes in the results as they are finished, and in the end tells all ranks how it went.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "duel/core/result.h"
#include "duel/jobs/jobs.h"
#include "duel/jobs/ranks.h"

namespace duel {

// Whether a flag that may be null is set.
inline bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

// `run_jobs` on ranks; see there.
Result<JobsRun> run_jobs_on_ranks(Ranks& ranks, std::uint64_t count, unsigned threads,
                                  const JobHooks& hooks, const Job& job,
                                  const std::function<std::string(std::uint64_t)>& name_of,
                                  const JobTransfer& transfer);

// How many of `left` jobs go to a rank with `threads` threads of `all_threads`: guided
// self-scheduling (Polychronopoulos and Kuck, 1987) with a quarter of a fair share, and at least
// one job per thread. The last pieces are small, so that ranks end at about the same time.
std::uint64_t piece_of(std::uint64_t left, std::uint64_t threads, std::uint64_t all_threads);

}  // namespace duel
