// An experiment with its store in one hand: `duel run`, `duel vote` and Python stand on it. Every
// call commits what it staged before it returns, and all but serves are on the disk then; a serve
// becomes durable with the next answer, at the latest.
//
// There is no deadline, and no subject but in a panel: a run waits for its judges itself, and a
// person at a terminal is a source of answers. Duels are d1, d2, .. unless the caller names them.
//
// After a write that failed the object is not the fold of the log any more: every further call is
// the same error, and the log has to be opened again. Not to be used by two threads at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/timestamp.h"
#include "duel/experiment/experiment.h"
#include "duel/log/experiment_log.h"

namespace duel {

// The strict reading of a log: the first duel that this version's policy would not have served,
// with its line; nothing where there is none.
Result<std::optional<Error>> replay_log(const std::filesystem::path& file);

// The store of logs in files of their own, whose lines can be found by the ids of their duels.
std::shared_ptr<Store> log_files();

// The subject that somebody's name stands for in a log of this process. Not a secret: a log names
// its voters as the sources of their answers. What matters is that the order of these hashes, in
// which an early panel is taken, has nothing to do with the names.
std::string local_subject(const std::string& experiment_id, std::uint64_t seed,
                          std::string_view name);

class LocalExperiment {
 public:
  using Clock = std::function<std::int64_t()>;
  // Hears of every record after it was applied, also while a log is read.
  using Follower = std::function<void(const Ledger&, const LogEntry&)>;
  struct Options {
    std::shared_ptr<Store> store;
    std::string name;                  // in the store: the path of a log file
    std::vector<std::string> tasks{};  // names of the tasks that the first record counts
    Clock clock = current_time_ms;
    Follower follower{};
    std::string audit_key{};  // where people audit a program
  };

  // In memory, without a log.
  static Result<LocalExperiment> in_memory(const ExperimentRecord& record,
                                           std::vector<std::string> tasks = {},
                                           Follower follower = {}, std::string audit_key = {});
  // A new log. `conflict` if it exists.
  static Result<LocalExperiment> create(Options options, const ExperimentRecord& record);
  // Goes on with a log: loses a last line without its end, and records where this version's policy
  // would have chosen otherwise.
  static Result<LocalExperiment> resume(Options options);

  const Experiment& experiment() const { return *experiment_; }
  const Ledger& ledger() const { return experiment_->ledger(); }
  // Of the line that a kill cut.
  std::uint64_t cut_bytes() const { return experiment_->cut_bytes(); }

  // Every record so far, from the first on.
  Status replay(const RecordSink& sink) const;
  // Everything that is recorded of a duel. REQUIRES: it was served, otherwise an error.
  Result<DuelRecords> find(const std::string& duel_id) { return experiment_->find(duel_id); }
  Result<Offer> serve(const Wish& wish);
  Result<Reported> report(const Report& report);
  // A duel that no answer will come to.
  struct Lost {
    std::string duel_id;
    std::string why;
    std::uint64_t failed_tries = 0;
  };
  // How several duels ended, in one commit with one sync. What comes before one that is refused
  // stays recorded.
  using Ending = std::variant<Report, Lost>;
  Status settle(const std::vector<Ending>& endings);
  // Expires what an earlier process asked and never heard of: asked again, the answers that are
  // slow to come would be drawn until a fast one comes. How many there were.
  Result<std::size_t> give_up_open_duels();
  Status add_arm(const ArmEntry& arm);
  Status retire_arm(const std::string& arm_id);
  Status add_tasks(const TasksAddedRecord& added, std::vector<std::string> names);
  Status close_panel();
  Status miss(const std::vector<std::string>& subjects);
  Status complete(std::string_view why_open_duels_end);
  // Where people audit a program (experiment.h).
  Result<std::optional<Served>> offer(const std::string& duel_id, const std::string& subject);
  Status give_up_audit(const std::string& duel_id);

 private:
  explicit LocalExperiment(Options options) : options_(std::move(options)) {}

  Setting setting() const;
  Moment now() const { return {options_.clock(), StoreAccess::writable}; }
  enum class Durable { yes, with_the_next };
  // Appends what is staged. An error spoils the object.
  Status commit(Durable durable);
  // The result of a change, once it is in the store.
  template <class Change>
  auto committed(const Change& change, Durable durable = Durable::yes) -> decltype(change()) {
    if (failed_) return *failed_;
    auto result = change();
    // A request that is refused may have come after others of its group that were not.
    DUEL_RETURN_IF_ERROR(commit(durable));
    return result;
  }

  Options options_;
  std::unique_ptr<Experiment> experiment_;
  std::optional<Error> failed_;  // the write that spoiled it
};

}  // namespace duel
