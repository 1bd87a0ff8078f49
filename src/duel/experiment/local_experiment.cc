#include "duel/experiment/local_experiment.h"

#include <fmt/format.h>

#include <utility>

#include "duel/core/secrets.h"
#include "duel/log/experiment_log.h"
#include "duel/log/record_reader.h"
#include "duel/store/log_file.h"
#include "duel/store/memory_store.h"

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

std::shared_ptr<Store> log_files() {
  const auto key_of_line = [reader = std::make_shared<RecordReader>()](std::string_view line) {
    LogEntry entry;
    return reader->read(line, entry).ok() ? Experiment::key_of(entry.record) : std::string();
  };
  return std::make_shared<LogFiles>(std::filesystem::path(), Disk::real(), key_of_line);
}

std::string local_subject(const std::string& experiment_id, std::uint64_t seed,
                          std::string_view name) {
  return hmac_sha256_hex(fmt::format("{}/{}", experiment_id, seed), name).substr(0, 24);
}

Setting LocalExperiment::setting() const {
  return {.store = options_.store,
          .name = options_.name,
          .audit_key = options_.audit_key,
          .deadlines = false,
          .tasks = options_.tasks,
          .follower = options_.follower};
}

Status LocalExperiment::replay(const RecordSink& sink) const {
  DUEL_RETURN_IF_ERROR(read_log(*options_.store, options_.name, sink));
  return Done{};
}

Result<LocalExperiment> LocalExperiment::in_memory(const ExperimentRecord& record,
                                                   std::vector<std::string> tasks,
                                                   Follower follower, std::string audit_key) {
  return create({.store = std::make_shared<MemoryStore>(),
                 .name = record.experiment_id,
                 .tasks = std::move(tasks),
                 .follower = std::move(follower),
                 .audit_key = std::move(audit_key)},
                record);
}

Result<LocalExperiment> LocalExperiment::create(Options options, const ExperimentRecord& record) {
  LocalExperiment local(std::move(options));
  // The state first: nothing is written that could not be read again.
  DUEL_ASSIGN(local.experiment_,
              Experiment::create(local.setting(), record, local.options_.clock()));
  DUEL_RETURN_IF_ERROR(local.options_.store->create(local.options_.name));
  DUEL_RETURN_IF_ERROR(local.commit(Durable::yes));
  return local;
}

Result<LocalExperiment> LocalExperiment::resume(Options options) {
  LocalExperiment local(std::move(options));
  DUEL_RETURN_IF_ERROR(local.options_.store->own(local.options_.name));
  DUEL_ASSIGN(local.experiment_, Experiment::load(local.setting(), local.options_.name,
                                                  local.options_.clock(), false));
  DUEL_RETURN_IF_ERROR(
      local.committed([&] { return local.experiment_->renew_audit_key(local.now()); }));
  return local;
}

Status LocalExperiment::commit(Durable durable) {
  if (!experiment_->has_staged()) return Done{};
  const Status appended = options_.store->append_to(options_.name, experiment_->stored_head(),
                                                    experiment_->staged_lines());
  if (appended.ok()) experiment_->committed();
  const Status synced =
      appended.ok() && durable == Durable::yes ? options_.store->sync() : Status(Done{});
  if (!appended.ok()) failed_ = appended.error();
  if (!synced.ok()) failed_ = synced.error();
  return failed_ ? Status(*failed_) : Status(Done{});
}

Result<Offer> LocalExperiment::serve(const Wish& wish) {
  return committed([&] { return experiment_->serve(wish, now()); }, Durable::with_the_next);
}

Result<Reported> LocalExperiment::report(const Report& report) {
  return committed([&] { return experiment_->report(report, now()); });
}

Status LocalExperiment::settle(const std::vector<Ending>& endings) {
  const auto end = [&](const Ending& ending) -> Status {
    if (const auto* lost = std::get_if<Lost>(&ending)) {
      return experiment_->lose(lost->duel_id, lost->why, lost->failed_tries, now());
    }
    DUEL_RETURN_IF_ERROR(experiment_->report(std::get<Report>(ending), now()));
    return Done{};
  };
  return committed([&]() -> Status {
    for (const Ending& ending : endings) DUEL_RETURN_IF_ERROR(end(ending));
    return Done{};
  });
}

Result<std::size_t> LocalExperiment::give_up_open_duels() {
  std::vector<Ending> lost;
  for (const std::string& duel_id : ledger().pending()) {
    // A person can still be asked, who has not seen it.
    if (ledger().find_open(duel_id)->audit.waits()) continue;
    lost.emplace_back(Lost{duel_id, "the run that asked it ended before the answer"});
  }
  DUEL_RETURN_IF_ERROR(settle(lost));
  return lost.size();
}

Status LocalExperiment::add_arm(const ArmEntry& arm) {
  return committed([&]() -> Status {
    DUEL_RETURN_IF_ERROR(experiment_->add_arm(arm, now()));
    return Done{};
  });
}

Status LocalExperiment::retire_arm(const std::string& arm_id) {
  return committed([&] { return experiment_->retire_arm(arm_id, now()); });
}

Status LocalExperiment::add_tasks(const TasksAddedRecord& added, std::vector<std::string> names) {
  return committed([&] { return experiment_->add_tasks(added, std::move(names), now()); });
}

Status LocalExperiment::close_panel() {
  return committed([&] { return experiment_->close_panel(now()); });
}

Status LocalExperiment::miss(const std::vector<std::string>& subjects) {
  return committed([&] { return experiment_->miss(subjects, now()); });
}

Result<std::optional<Served>> LocalExperiment::offer(const std::string& duel_id,
                                                     const std::string& subject) {
  return committed([&] { return experiment_->offer(duel_id, subject, now()); });
}

Status LocalExperiment::give_up_audit(const std::string& duel_id) {
  return committed([&] { return experiment_->give_up_audit(duel_id, now()); });
}

Status LocalExperiment::complete(std::string_view why_open_duels_end) {
  return committed([&] { return experiment_->complete(why_open_duels_end, now()); });
}

}  // namespace duel
