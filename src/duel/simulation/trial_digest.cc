#include "duel/simulation/trial_digest.h"

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/check.h"
#include "duel/jobs/jobs.h"
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

namespace {

// The trials of a run, by the number of their job. A list is made only where some are left out.
class TrialsToRun {
 public:
  static Result<TrialsToRun> find(const TrialDigest& digest,
                                  const std::function<bool(std::uint32_t)>& wanted) {
    TrialsToRun trials;
    trials.all_ = digest.num_finished() == 0 && !wanted;
    trials.count_ = digest.num_trials();
    for (std::uint32_t trial = 0; !trials.all_ && trial < digest.num_trials(); ++trial) {
      if (!digest.finished(trial) && (!wanted || wanted(trial))) trials.list_.push_back(trial);
    }
    if (current_ranks() != nullptr) {  // rank 0 alone knows what was finished before
      DUEL_ASSIGN(const std::string all, from_first_rank(trials.all_ ? "all" : ""));
      DUEL_ASSIGN(const std::string bytes, from_first_rank(bytes_of(trials.list_)));
      trials.all_ = !all.empty();
      trials.list_ = values_from<std::uint32_t>(bytes);
    }
    if (!trials.all_) trials.count_ = trials.list_.size();
    return trials;
  }

  std::uint64_t size() const { return count_; }
  std::uint32_t operator[](std::uint64_t number) const {
    return all_ ? static_cast<std::uint32_t>(number) : list_[number];
  }

 private:
  bool all_ = false;
  std::uint64_t count_ = 0;
  std::vector<std::uint32_t> list_;
};

}  // namespace

DigestRecord digest_of(const PolicyRecord& record) {
  const TrialTable& table = record.trials;
  TrialDigest digest(table.num_trials(), table.num_checkpoints(), table.num_regrets());
  TrialTable row(1, table.num_checkpoints(), table.num_regrets());
  for (std::uint32_t trial = 0; trial < table.num_trials(); ++trial) {
    if (!table.finished(trial)) continue;
    row.unpack(0, table.pack(trial));
    digest.add(trial, row);
  }
  return {record.policy, std::move(digest), record.interrupted, record.seconds, record.cpu_seconds};
}

Result<DigestRecord> run_digest(const Simulation& simulation, std::size_t policy,
                                const RunHooks& hooks, TrialDigest known) {
  DigestRecord record{simulation.label(policy), std::move(known)};
  TrialDigest& digest = record.trials;
  DUEL_ASSIGN(const TrialsToRun missing, TrialsToRun::find(digest, hooks.wanted));
  const std::uint32_t given = digest.num_finished();
  const bool is_first = is_first_rank();

  JobHooks job_hooks{hooks.stop, nullptr, hooks.on_tick};
  if (hooks.on_progress) {
    job_hooks.on_progress = [&](std::uint64_t finished) {
      hooks.on_progress(given + static_cast<std::uint32_t>(finished));
    };
  }
  const std::size_t checkpoints = simulation.plan().checkpoints.size();
  const std::size_t regrets = simulation.plan().regrets.size();
  std::mutex mutex;  // guards what follows
  const auto take = [&](std::uint32_t trial, const TrialTable& row) {
    const std::scoped_lock lock(mutex);
    digest.add(trial, row);
    if (hooks.on_trial) hooks.on_trial(row, 0, trial);
  };
  std::map<std::uint64_t, std::string> to_send;  // rows of this rank, until they are packed

  const JobTransfer transfer{.pack =
                                 [&](std::uint64_t number) {
                                   const std::scoped_lock lock(mutex);
                                   const auto row = to_send.find(number);
                                   DUEL_CHECK(row != to_send.end());
                                   std::string bytes = std::move(row->second);
                                   to_send.erase(row);
                                   return bytes;
                                 },
                             .unpack =
                                 [&](std::uint64_t number, std::string_view bytes) {
                                   TrialTable row(1, checkpoints, regrets);
                                   row.unpack(0, bytes);
                                   take(missing[number], row);
                                 },
                             .shared = false};
  DUEL_ASSIGN(const JobsRun jobs,
              run_jobs(
                  missing.size(), simulation.threads(), job_hooks,
                  [&](std::uint64_t number, const std::atomic<bool>& stop) {
                    TrialTable row(1, checkpoints, regrets);
                    if (!simulation.play_into(policy, missing[number], stop, row)) return false;
                    if (is_first) {
                      take(missing[number], row);
                    } else {
                      std::string bytes = row.pack(0);
                      const std::scoped_lock lock(mutex);
                      to_send.emplace(number, std::move(bytes));
                    }
                    return true;
                  },
                  [&](std::uint64_t number) {
                    return fmt::format("{}, trial {}", record.policy, missing[number]);
                  },
                  &transfer));
  record.interrupted = jobs.finished < missing.size();
  record.seconds = jobs.seconds;
  record.cpu_seconds = jobs.cpu_seconds;
  return record;
}

}  // namespace duel
