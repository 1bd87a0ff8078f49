#include "duel/service/imported_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <set>
#include <variant>

#include "duel/core/check.h"
#include "duel/core/digest.h"
#include "duel/core/timestamp.h"
#include "duel/experiment/bounds.h"
#include "duel/experiment/experiment.h"
#include "duel/experiment/live_experiment.h"
#include "duel/experiment/refused.h"
#include "duel/experiment/served_work.h"
#include "duel/log/experiment_log.h"
#include "duel/store/line.h"

namespace duel {
namespace {

std::string line_place(std::uint64_t line) { return fmt::format("line {}", line); }

Error not_servable(std::string_view field, const std::string& message) {
  return Error::invalid_data(fmt::format("{} {}", field, message));
}

template <class Number>
Status check_bound(std::string_view field, const Between& bound, Number value) {
  const Status status = bound(static_cast<double>(value));
  if (status.ok()) return Done{};
  return not_servable(field, status.error().message);
}

// Tasks in the log are given to callers with the duel, so their ids must be valid and distinct. A
// log without `items` only counts its tasks: they are files on the machine of the run.
Status check_recorded_tasks(const TaskSet& tasks) {
  if (tasks.items.is_null()) return Done{};
  if (!tasks.items.is_array()) return not_servable("tasks.items", "is not an array");
  std::set<std::string> known;
  for (const Json& item : tasks.items.items()) {
    const std::string field = fmt::format("tasks.items[{}]", known.size());
    if (!item.is_object()) return not_servable(field, "is not an object");
    const Json* id = item.find("task_id");
    if (id == nullptr || !id->is_string()) return not_servable(field, "has no `task_id`");
    const std::string task_id = id->get<std::string>();
    if (const Status status = check_id("a task", task_id); !status.ok()) {
      return not_servable(field, status.error().message);
    }
    if (!known.insert(task_id).second) {
      return not_servable(field, fmt::format("is the task '{}' a second time", task_id));
    }
  }
  if (!known.empty() && known.size() != tasks.count) {
    return not_servable(
        "tasks.items", fmt::format("has {} tasks, and the count is {}", known.size(), tasks.count));
  }
  return Done{};
}

Status check_recorded_pages(const InterleaveRule& rule) {
  DUEL_RETURN_IF_ERROR(check_bound("interleave.length", kPageLengths, rule.length));
  for (const auto& [action, weight] : rule.actions) {
    if (is_action_weight(weight)) continue;
    return not_servable("interleave.actions",
                        fmt::format("gives '{}' no weight between 0 and 1e6", action));
  }
  return Done{};
}

// Folds the records of a log as the server will. Errors name the line.
class Folding {
 public:
  Folding(const std::string& experiment_id, const ImportLimits& limits)
      : experiment_id_(experiment_id), limits_(limits) {}

  Status take(const LogEntry& entry) {
    Status status = take_unplaced(entry);
    if (status.ok()) return Done{};
    Error error = status.error();
    error.code = ErrorCode::invalid_data;
    if (!error.where.empty()) error.message = error.where + ": " + error.message;
    error.where = line_place(entry.sequence);
    return error;
  }

 private:
  Status take_unplaced(const LogEntry& entry) {
    DUEL_RETURN_IF_ERROR(check_time(entry.time_ms));
    if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
      if (experiment->experiment_id != experiment_id_) {
        return Error::invalid_data(
            fmt::format("the log is of the experiment '{}'", experiment->experiment_id));
      }
      DUEL_RETURN_IF_ERROR(check_arms(experiment->arms.size()));
      DUEL_RETURN_IF_ERROR(check_servable(*experiment));
      DUEL_ASSIGN(live_, LiveExperiment::make(*experiment));
      return check_work(*experiment, experiment->arms.size());
    }
    if (std::holds_alternative<ArmAddedRecord>(entry.record)) {
      const std::size_t arms = live_->ledger().num_arms() + 1;
      DUEL_RETURN_IF_ERROR(check_arms(arms));
      DUEL_RETURN_IF_ERROR(check_work(live_->ledger().experiment(), arms));
    } else if (const auto* configured = std::get_if<ConfiguredRecord>(&entry.record)) {
      DUEL_RETURN_IF_ERROR(check_servable(configured->feedback, configured->guardrails));
    } else if (std::holds_alternative<TasksAddedRecord>(entry.record) &&
               !live_->ledger().tasks().items.items().empty()) {
      // The record gives a number and no tasks. A pair that has met all named tasks would then be
      // promised one that does not exist.
      return not_servable("tasks_added", "says nothing of the tasks that callers are to be given");
    }
    DUEL_RETURN_IF_ERROR(live_->apply(entry));
    return Done{};
  }

  // Recorded time never goes back. After a record from the future every serve would carry its time,
  // and nothing would expire until the clock gets there.
  Status check_time(std::int64_t time_ms) const {
    if (time_ms <= limits_.now_ms + limits_.most_ahead.count()) return Done{};
    return not_servable(
        "time", fmt::format("is {}, and this server's clock says {}", format_timestamp(time_ms),
                            format_timestamp(limits_.now_ms)));
  }

  Status check_arms(std::size_t arms) const {
    if (arms <= limits_.most_arms) return Done{};
    return not_servable("arms", too_many_arms(arms, limits_.most_arms));
  }

  static Status check_work(const ExperimentRecord& experiment, std::size_t arms) {
    const Status status = check_served_work(experiment, arms);
    if (status.ok()) return Done{};
    return not_servable(status.error().field, status.error().message);
  }

  const std::string& experiment_id_;
  ImportLimits limits_;
  std::optional<LiveExperiment> live_;
};

}  // namespace

Result<bool> is_half_imported(Store& store, const std::string& experiment_id) {
  DUEL_ASSIGN(const std::optional<std::string> mark, store.get(kHalfImportedSpace, experiment_id));
  return mark.has_value();
}

Status append_imported(Store& store, World& world, const std::string& experiment_id,
                       std::string_view text, const std::vector<LineMark>& marks) {
  constexpr std::size_t kLinesAtOnce = 200;
  constexpr std::size_t kBytesAtOnce = std::size_t{256} << 10;
  DUEL_ASSIGN(const Head stored, store.head(experiment_id));
  const auto from_another = [&] {
    return refused(
        Reason::exists,
        fmt::format("there is an experiment '{}' already, half imported from another log",
                    experiment_id));
  };
  if (stored.sequence > marks.size()) return from_another();
  const bool at_once = marks.size() <= kLinesAtOnce && text.size() <= kBytesAtOnce;
  if (!at_once) DUEL_RETURN_IF_ERROR(store.put(kHalfImportedSpace, experiment_id, ""));
  Head head{0, std::string(kHexDigits, '0')};
  std::vector<Line> lines;
  std::size_t bytes = 0;
  for (const LineMark& mark : marks) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const Head at{head.sequence + lines.size() + 1, std::string(split_line(line)->hash)};
    if (at.sequence <= stored.sequence) {  // appended by an import that was cut short
      if (at.sequence == stored.sequence && at != stored) return from_another();
      head = at;
      continue;
    }
    lines.push_back({line, mark.key, mark.tag});
    bytes += line.size();
    const bool last = at.sequence == marks.size();
    if (!last && lines.size() < kLinesAtOnce && bytes < kBytesAtOnce) continue;
    const auto begun = world.now();
    if (const Status done = store.append_to(experiment_id, head, lines); !done.ok()) {
      // Without a line the name is free.
      if (!at_once && head.sequence == 0) (void)store.erase(kHalfImportedSpace, experiment_id);
      return done;
    }
    head = at;
    lines.clear();
    bytes = 0;
    // As long as this took, the store is left to others: they wait for it, and a mutex is not fair.
    const auto took = world.now() - begun;
    if (!last) world.pause(std::chrono::ceil<std::chrono::microseconds>(took));
  }
  if (!at_once) DUEL_RETURN_IF_ERROR(store.erase(kHalfImportedSpace, experiment_id));
  return Done{};
}

std::string too_many_arms(std::size_t arms, std::size_t most_arms) {
  return fmt::format("would be {} arms, and this server takes {}", arms, most_arms);
}

Status check_servable(const FeedbackRule& feedback, const Guardrails& guardrails) {
  DUEL_RETURN_IF_ERROR(check_bound("feedback.timeout_s", kTimeouts, feedback.timeout_s));
  DUEL_RETURN_IF_ERROR(check_bound("guardrails.explore_floor", kShares, guardrails.explore_floor));
  return check_bound("guardrails.max_pending", kPendingDuels, guardrails.max_pending);
}

Status check_servable(const ExperimentRecord& experiment) {
  const ServiceRule& service = experiment.service;
  DUEL_RETURN_IF_ERROR(check_servable(service.feedback, service.guardrails));
  DUEL_RETURN_IF_ERROR(check_recorded_pages(service.interleave));
  DUEL_RETURN_IF_ERROR(check_recorded_tasks(experiment.tasks));
  if (service.mode == Mode::interleave && experiment.order == Placement::both) {
    return not_servable("order", "cannot be `both` where clicks decide");
  }
  const auto is_default = [&](const ArmEntry& arm) { return arm.id == service.default_arm; };
  if (!service.default_arm.empty() && std::ranges::none_of(experiment.arms, is_default)) {
    return not_servable("default_arm", fmt::format("names no arm: '{}'", service.default_arm));
  }
  return Done{};
}

Result<std::vector<LineMark>> check_imported(const std::string& experiment_id,
                                             std::string_view text, const ImportLimits& limits) {
  std::vector<LineMark> marks;
  Folding folding(experiment_id, limits);
  try {
    const auto sink = [&](const LogEntry& entry) -> Status {
      DUEL_RETURN_IF_ERROR(folding.take(entry));
      marks.push_back({Experiment::key_of(entry.record), Experiment::tag_of(entry.record)});
      return Done{};
    };
    const auto extent = read_log_text(text, "body", sink);
    if (!extent.ok()) {
      // The reader names places as "file:line"; here there is no file.
      Error error = extent.error();
      if (error.where.starts_with("body:")) error.where = "line " + error.where.substr(5);
      return error;
    }
    if (extent->cut_bytes > 0 || extent->records == 0) {
      return Error::invalid_data("the log is empty or its last line is cut");
    }
  } catch (const CheckFailure&) {
    return Error::invalid_data("the record makes no sense", line_place(marks.size() + 1));
  } catch (const std::exception& error) {
    // A log can say what no program of ours would: a broken precondition of the fold is the log's
    // fault here.
    return Error::invalid_data(fmt::format("the record makes no sense: {}", error.what()),
                               line_place(marks.size() + 1));
  }
  return marks;
}

}  // namespace duel
