#include "duel/experiment/recorded_experiment.h"

#include <fmt/format.h>

#include <utility>

#include "duel/store/log_file.h"

namespace duel {

Result<std::optional<Error>> replay_log(const std::filesystem::path& file) {
  std::optional<LiveExperiment> live;
  std::optional<Error> divergence;
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
      DUEL_ASSIGN(live, LiveExperiment::make(*experiment));
      return Done{};
    }
    DUEL_RETURN_IF_ERROR(live->apply(entry));
    if (live->divergence() && !divergence) {
      divergence = *live->divergence();
      divergence->where = fmt::format("{}:{}", file.string(), entry.sequence);
    }
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(read_log(file, sink));
  return divergence;
}

Result<RecordedExperiment> RecordedExperiment::create(std::shared_ptr<Store> store,
                                                      const std::string& name,
                                                      const ExperimentRecord& experiment,
                                                      std::int64_t time_ms) {
  // The state first: nothing is written that could not be read again.
  DUEL_ASSIGN(LiveExperiment live, LiveExperiment::make(experiment));
  DUEL_ASSIGN(ExperimentLog log,
              ExperimentLog::create(std::move(store), name, experiment, time_ms));
  return RecordedExperiment(std::move(log), std::move(live));
}

Result<RecordedExperiment> RecordedExperiment::create(const std::filesystem::path& file,
                                                      const ExperimentRecord& experiment,
                                                      std::int64_t time_ms) {
  return create(std::make_shared<LogFiles>(), file.string(), experiment, time_ms);
}

Result<RecordedExperiment> RecordedExperiment::resume(const std::filesystem::path& file) {
  return resume(std::make_shared<LogFiles>(), file.string());
}

Result<RecordedExperiment> RecordedExperiment::resume(std::shared_ptr<Store> store,
                                                      const std::string& name) {
  std::optional<LiveExperiment> live;
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
      DUEL_ASSIGN(live, LiveExperiment::make(*experiment));
      return Done{};
    }
    const auto effect = live->apply(entry);
    if (!effect.ok()) return effect.error();
    return Done{};
  };
  DUEL_ASSIGN(ExperimentLog log, ExperimentLog::resume(std::move(store), name, sink));
  return RecordedExperiment(std::move(log), std::move(*live));
}

Result<Effect> RecordedExperiment::record(Record record, std::int64_t time_ms) {
  const std::vector<Record> one{std::move(record)};
  DUEL_ASSIGN(const std::vector<Effect> effects, this->record(one, time_ms));
  return effects.front();
}

Result<std::vector<Effect>> RecordedExperiment::record(std::span<const Record> records,
                                                       std::int64_t time_ms) {
  if (experiment_.divergence()) {
    DUEL_ASSIGN(const LogEntry rebuilt,
                log_.append(PolicyRebuiltRecord{experiment_.divergence()->message}, time_ms));
    DUEL_RETURN_IF_ERROR(experiment_.apply(rebuilt));
  }
  std::vector<Effect> effects;
  for (std::size_t begin = 0; begin < records.size();) {
    // Answers do not depend on each other and share one sync; any other record is checked against
    // the state that those before it leave.
    std::size_t end = begin + 1;
    if (std::holds_alternative<OutcomeRecord>(records[begin])) {
      while (end < records.size() && std::holds_alternative<OutcomeRecord>(records[end])) ++end;
    }
    std::vector<LogEntry> written;
    const Status status = write(records.subspan(begin, end - begin), time_ms, written);
    for (const LogEntry& entry : written) {
      DUEL_ASSIGN(const Effect effect, experiment_.apply(entry));
      effects.push_back(effect);
    }
    if (!written.empty() && !std::holds_alternative<ServeRecord>(records[begin])) {
      DUEL_RETURN_IF_ERROR(log_.sync());
    }
    if (!status.ok()) return status.error();
    begin = end;
  }
  return effects;
}

Status RecordedExperiment::write(std::span<const Record> records, std::int64_t time_ms,
                                 std::vector<LogEntry>& written) {
  Status status = Done{};
  for (const Record& record : records) {
    status = experiment_.check(record);
    if (status.ok()) status = log_.stage(record, time_ms);
    if (!status.ok()) break;
  }
  DUEL_ASSIGN(written, log_.commit());
  return status;
}

}  // namespace duel
