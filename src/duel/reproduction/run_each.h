// Independent trials of a reproduction on the threads and ranks of its context.
#pragma once

#include "duel/jobs/jobs.h"
#include "duel/reproduction/reproduction.h"

namespace duel {

// What `play` puts into `out` for each of `count` trials, which must depend on the number alone.
// `T` can be copied as bytes, or is a vector of such. `play` returns false where it gave up because
// `stop` was set. Progress is the share of finished trials, or what `share` says. An error where it
// was stopped.
template <class T>
Result<std::vector<T>> run_each(
    const ReproductionContext& context, std::uint64_t count, const std::string& step,
    const std::function<bool(std::uint64_t trial, const std::atomic<bool>& stop, T& out)>& play,
    const std::function<double()>& share = nullptr) {
  std::vector<T> results(count);
  JobHooks hooks;
  hooks.stop = context.stop;
  hooks.on_progress = [&](std::uint64_t finished) {
    context.report(share ? share() : static_cast<double>(finished) / static_cast<double>(count),
                   step);
  };
  JobTransfer transfer;
  if constexpr (std::is_trivially_copyable_v<T>) {
    transfer = transfer_of(results);
  } else {
    transfer.pack = [&](std::uint64_t trial) { return bytes_of(results[trial]); };
    transfer.unpack = [&](std::uint64_t trial, std::string_view bytes) {
      results[trial] = values_from<typename T::value_type>(bytes);
    };
  }
  DUEL_ASSIGN(const JobsRun ran,
              run_jobs(
                  count, context.threads, hooks,
                  [&](std::uint64_t trial, const std::atomic<bool>& stop) {
                    return play(trial, stop, results[trial]);
                  },
                  [&](std::uint64_t trial) { return fmt::format("{}, trial {}", step, trial); },
                  &transfer));
  if (ran.finished < count) return interrupted_reproduction();
  return results;
}

}  // namespace duel
