// Independent jobs on all cores: trials of a policy, pairs of rankers. Threads and an atomic
// counter; what a job computes must depend on its number alone, so that results do not depend on
// the threads. Where the program runs on several ranks (jobs/ranks.h), jobs whose results can be
// sent are shared among them.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "duel/core/check.h"
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

// How the result of a job gets to another rank. Results are bytes in the machine's own form: all
// ranks run the same program.
struct JobTransfer {
  // The result of a job that returned true. Called by the thread that did it, right afterwards, and
  // where results are `shared` once more at the end, by the thread that called `run_jobs`.
  std::function<std::string(std::uint64_t number)> pack;
  // Puts a result that another rank packed where the job would have put it. Called by the thread
  // that called `run_jobs`, while jobs run.
  std::function<void(std::uint64_t number, std::string_view bytes)> unpack;
  // Whether all ranks have all results in the end, or rank 0 alone.
  bool shared = true;
};

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::vector<T> values_from(std::string_view bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  DUEL_CHECK(bytes.size() % sizeof(T) == 0);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// For jobs whose result is one element of `results`, which can be copied as bytes or is a vector of
// such.
template <class T>
JobTransfer transfer_of(std::vector<T>& results) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    return {[&results](std::uint64_t number) { return bytes_of(std::vector<T>{results[number]}); },
            [&results](std::uint64_t number, std::string_view bytes) {
              results[number] = values_from<T>(bytes).at(0);
            }};
  } else {
    return {[&results](std::uint64_t number) { return bytes_of(results[number]); },
            [&results](std::uint64_t number, std::string_view bytes) {
              results[number] = values_from<typename T::value_type>(bytes);
            }};
  }
}

struct JobsRun {
  std::uint64_t finished = 0;  // jobs that returned true, on all ranks
  double seconds = 0;          // wall time
  double cpu_seconds = 0;      // summed over the threads of all ranks
};

// Runs jobs 0 .. count - 1 on at most `threads` threads (0: one per core). An exception of a job,
// such as an overflow or want of memory, ends the run with an Error whose place is
// `name_of(number)`; a failed DUEL_CHECK is thrown on.
//
// On several ranks, all of them have to call it with the same count. With a `transfer` each does
// some of the jobs, `threads` at a time, and all get the same JobsRun or Error; hooks but `stop`
// are called on rank 0 alone. Without one, each rank does all jobs.
Result<JobsRun> run_jobs(std::uint64_t count, unsigned threads, const JobHooks& hooks,
                         const Job& job, const std::function<std::string(std::uint64_t)>& name_of,
                         const JobTransfer* transfer = nullptr);

// `threads`; for 0 one per core, or on several ranks one, since there is commonly a rank per core.
unsigned resolve_threads(unsigned threads);

// The CPU time of the thread that asks.
double thread_cpu_seconds();

// What an exception of a job means for the user. A failed DUEL_CHECK is thrown on.
Error error_of_job(const std::exception_ptr& exception, const std::string& name);

}  // namespace duel
