// An experiment together with its log: what is recorded is checked, appended, applied, and the
// caller hears of it when it is durable. `duel run`, `duel vote` and Python stand on it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/live_experiment.h"
#include "duel/log/experiment_log.h"

namespace duel {

// The strict reading of a log: the first duel that this version's policy would not have served,
// with its line; nothing where there is none.
Result<std::optional<Error>> replay_log(const std::filesystem::path& file);

class RecordedExperiment {
 public:
  // A new log, under its name in the store. An error if it exists.
  static Result<RecordedExperiment> create(std::shared_ptr<Store> store, const std::string& name,
                                           const ExperimentRecord& experiment,
                                           std::int64_t time_ms);
  // Replays the log and goes on from there.
  static Result<RecordedExperiment> resume(std::shared_ptr<Store> store, const std::string& name);

  // The same of a log in a file of its own.
  static Result<RecordedExperiment> create(const std::filesystem::path& file,
                                           const ExperimentRecord& experiment,
                                           std::int64_t time_ms);
  static Result<RecordedExperiment> resume(const std::filesystem::path& file);

  // The next duel to serve (live_experiment.h); record it before it is shown.
  std::optional<ServeRecord> next(const std::string& duel_id = {}) const {
    return experiment_.next(duel_id);
  }

  // Checks, writes and applies one after the other; answers in a row are written as one group.
  // All but serves are on disk when this returns; a serve becomes durable with the group that
  // answers it, at the latest. What comes before a record that is refused stays recorded and
  // applied; of a group that cannot be written nothing does. Where the policy diverged from the log
  // (live_experiment.h) a record of its new beginning comes first.
  Result<std::vector<Effect>> record(std::span<const Record> records, std::int64_t time_ms);
  Result<Effect> record(Record record, std::int64_t time_ms);

  const LiveExperiment& experiment() const { return experiment_; }
  const Ledger& ledger() const { return experiment_.ledger(); }
  const ExperimentLog& log() const { return log_; }

 private:
  RecordedExperiment(ExperimentLog log, LiveExperiment experiment)
      : log_(std::move(log)), experiment_(std::move(experiment)) {}

  // Checks and appends; `written` holds what got into the log, also before a record refused.
  Status write(std::span<const Record> records, std::int64_t time_ms,
               std::vector<LogEntry>& written);

  ExperimentLog log_;
  LiveExperiment experiment_;
};

}  // namespace duel
