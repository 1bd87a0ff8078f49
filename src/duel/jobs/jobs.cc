#include "duel/jobs/jobs.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "duel/core/check.h"
#include "duel/jobs/rank_jobs.h"
#include "duel/jobs/ranks.h"

namespace duel {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);
// A stop is looked for more often than progress is told: who presses Ctrl-C waits for it.
constexpr int kLooks = 5;

// The first thing that went wrong, in the order of jobs.
struct Failure {
  std::uint64_t number = 0;
  std::exception_ptr exception;
};

}  // namespace

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Error error_of_job(const std::exception_ptr& exception, const std::string& name) {
  Error error{ErrorCode::unsupported, "", name, ""};
  try {
    std::rethrow_exception(exception);
  } catch (const CheckFailure&) {
    throw;  // our bug, not the user's doing
  } catch (const std::bad_alloc&) {
    error.message = "there is not enough memory";
    error.hint = "fewer threads or arms";
  } catch (const std::exception& other) {
    error.message = other.what();
  }
  return error;
}

unsigned resolve_threads(unsigned threads) {
  if (threads != 0) return threads;
  if (current_ranks() != nullptr) return 1;
  return std::max(1U, std::thread::hardware_concurrency());
}

Result<JobsRun> run_jobs(std::uint64_t count, unsigned threads, const JobHooks& hooks,
                         const Job& job, const std::function<std::string(std::uint64_t)>& name_of,
                         const JobTransfer* transfer) {
  if (Ranks* ranks = current_ranks(); ranks != nullptr && transfer != nullptr) {
    return run_jobs_on_ranks(*ranks, count, threads, hooks, job, name_of, *transfer);
  }
  const auto start = std::chrono::steady_clock::now();
  const auto workers =
      static_cast<unsigned>(std::min<std::uint64_t>(resolve_threads(threads), count));

  std::atomic<bool> stop{is_set(hooks.stop)};
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> finished{0};
  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  unsigned working = workers;
  double cpu_seconds = 0;
  std::optional<Failure> failure;

  const auto work = [&] {
    const double cpu_start = thread_cpu_seconds();
    std::uint64_t number = 0;
    try {
      while (!stop.load(std::memory_order_relaxed) && !is_set(hooks.stop)) {
        number = next.fetch_add(1, std::memory_order_relaxed);
        if (number >= count || !job(number, stop)) break;
        finished.fetch_add(1, std::memory_order_relaxed);
      }
    } catch (...) {
      stop = true;
      const std::scoped_lock lock(mutex);
      if (!failure || number < failure->number) {
        failure = Failure{number, std::current_exception()};
      }
    }
    const std::scoped_lock lock(mutex);
    cpu_seconds += thread_cpu_seconds() - cpu_start;
    --working;
    changed.notify_one();
  };

  Status tick_status = Done{};
  const auto tick = [&] {
    if (is_set(hooks.stop)) stop = true;
    if (hooks.on_progress) hooks.on_progress(finished.load(std::memory_order_relaxed));
    if (hooks.on_tick && tick_status.ok()) {
      tick_status = hooks.on_tick();
      if (!tick_status.ok()) stop = true;
    }
  };
  {
    std::vector<std::jthread> pool;
    std::unique_lock lock(mutex, std::defer_lock);
    try {
      pool.reserve(workers);
      for (unsigned i = 0; i < workers; ++i) pool.emplace_back(work);
    } catch (const std::exception&) {  // the system gives no more threads: go on with those we have
      lock.lock();
      working -= workers - static_cast<unsigned>(pool.size());
      lock.unlock();
    }
    if (workers > 0 && pool.empty()) {
      return Error::unsupported("the system gives no thread to work on");
    }
    lock.lock();
    for (int look = 1; !changed.wait_for(lock, kTick / kLooks, [&] { return working == 0; });
         ++look) {
      lock.unlock();
      if (is_set(hooks.stop)) stop = true;
      if (look % kLooks == 0) tick();
      lock.lock();
    }
  }  // joins
  if (failure) return error_of_job(failure->exception, name_of(failure->number));
  tick();
  if (!tick_status.ok()) return tick_status.error();
  return JobsRun{finished,
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                 cpu_seconds};
}

}  // namespace duel
