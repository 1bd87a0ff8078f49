#include "duel/simulation/trial_digest.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "duel/core/check.h"
#include "duel/jobs/ranks.h"

namespace duel {

TrialDigest::TrialDigest(std::uint32_t trials, std::size_t checkpoints, std::size_t regrets)
    : finished_(trials), checkpoints_(checkpoints) {
  for (Checkpoint& checkpoint : checkpoints_) checkpoint.regrets.resize(regrets);
}

void TrialDigest::add(std::uint32_t trial, const TrialTable& row) {
  DUEL_CHECK(row.num_trials() == 1 && row.num_checkpoints() == checkpoints_.size());
  if (finished_[trial]) return;
  finished_[trial] = true;
  ++num_finished_;
  for (std::size_t c = 0; c < checkpoints_.size(); ++c) {
    Checkpoint& checkpoint = checkpoints_[c];
    for (std::size_t r = 0; r < checkpoint.regrets.size(); ++r) {
      checkpoint.regrets[r].add(row.value(0, c, r));
    }
    checkpoint.correct += row.correct(0, c) ? 1 : 0;
    checkpoint.informative.add(static_cast<double>(row.informative(0, c)));
  }
}

DigestRecord digest_of(const PolicyRecord& record) {
  const TrialTable& table = record.trials;
  TrialDigest digest(table.num_trials(), table.num_checkpoints(), table.num_regrets());
  TrialTable row(1, table.num_checkpoints(), table.num_regrets());
  for (std::uint32_t trial = 0; trial < table.num_trials(); ++trial) {
    if (!table.finished(trial)) continue;
    row.unpack(0, table.pack(trial));
    digest.add(trial, row);
  }
  return {record.policy,      std::move(digest), record.trials_run,
          record.interrupted, record.seconds,    record.cpu_seconds};
}

Result<DigestRecord> run_digest(const Simulation& simulation, std::size_t policy,
                                const RunHooks& hooks, TrialDigest known) {
  const bool is_first = is_first_rank();
  const std::size_t checkpoints = simulation.plan().checkpoints.size();
  const std::size_t regrets = simulation.plan().regrets.size();
  std::mutex mutex;                              // guards what follows, and `known`
  std::map<std::uint64_t, std::string> to_send;  // rows of this rank, until they are packed
  const auto take = [&](std::uint64_t number, const TrialTable& row) {
    const auto trial = static_cast<std::uint32_t>(number);
    const std::scoped_lock lock(mutex);
    known.add(trial, row);
    if (hooks.on_trial) hooks.on_trial(row, 0, trial);
  };
  DUEL_ASSIGN(
      const Simulation::MissingRun ran,
      simulation.run_missing(
          policy, hooks, known.num_finished(),
          [&](std::uint32_t trial) { return known.finished(trial); },
          [&](std::uint64_t trial, const std::atomic<bool>& stop) {
            TrialTable row(1, checkpoints, regrets);
            if (!simulation.play_into(policy, static_cast<std::uint32_t>(trial), stop, row)) {
              return false;
            }
            if (is_first) {
              take(trial, row);
            } else {
              std::string bytes = row.pack(0);
              const std::scoped_lock lock(mutex);
              to_send.emplace(trial, std::move(bytes));
            }
            return true;
          },
          {.pack =
               [&](std::uint64_t trial) {
                 const std::scoped_lock lock(mutex);
                 const auto row = to_send.extract(trial);
                 DUEL_CHECK(!row.empty());
                 return std::move(row.mapped());
               },
           .unpack =
               [&](std::uint64_t trial, std::string_view bytes) {
                 TrialTable row(1, checkpoints, regrets);
                 row.unpack(0, bytes);
                 take(trial, row);
               },
           .shared = false}));
  return DigestRecord{simulation.label(policy), std::move(known), ran.trials,
                      ran.interrupted,          ran.seconds,      ran.cpu_seconds};
}

}  // namespace duel
