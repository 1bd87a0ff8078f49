#include "duel/judging/interview.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "duel/core/check.h"
#include "duel/core/descriptor.h"
#include "duel/core/digest.h"
#include "duel/core/numbers.h"
#include "duel/core/whole_file.h"
#include "duel/experiment/audit_coin.h"
#include "duel/judging/log_mismatch.h"

namespace duel {
namespace {

// The tasks of the log, and more after them.
bool adds_tasks(const InterviewPlan& plan, const TaskSet& logged) {
  return plan.tasks && logged.like_these() && plan.experiment.tasks.about == logged.about &&
         plan.tasks->size() > logged.count &&
         plan.tasks->sha256_of_first(logged.count) == logged.sha256;
}

std::vector<std::string> names_of(const std::optional<TaskList>& tasks) {
  std::vector<std::string> names;
  for (std::size_t k = 0; tasks && k < tasks->size(); ++k) names.push_back((*tasks)[k].reference);
  return names;
}

Status write_secret_file(const std::string& file, std::string_view text) {
  const Descriptor descriptor(
      open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
  // A file that was there keeps its mode otherwise.
  if (descriptor.get() < 0 || fchmod(descriptor.get(), S_IRUSR | S_IWUSR) != 0 ||
      !write_fully(descriptor.get(), text) || fsync(descriptor.get()) != 0) {
    return system_error("cannot be written", file, errno);
  }
  return Done{};
}

// The key that draws duels for people, beside the log: a program that is audited must not read it.
// Without it the log goes on with a new one, and says so.
Result<std::string> audit_key_beside(const InterviewPlan& plan) {
  const ExperimentRecord& experiment = plan.experiment;
  if (!plan.audit_key.empty()) return plan.audit_key;
  if (experiment.audit.from_seed) {
    return audit_key_of_seed(experiment.seed, experiment.experiment_id);
  }
  if (plan.log.empty()) return new_audit_key();
  const std::string file = plan.log + ".audit-key";
  std::error_code failed;
  constexpr std::size_t kMostBytes = 200;
  if (std::filesystem::exists(plan.log, failed) && std::filesystem::exists(file, failed)) {
    DUEL_ASSIGN(const std::string text, read_whole_file(file, kMostBytes));
    return std::string(trimmed(text));
  }
  const std::string key = new_audit_key();
  DUEL_RETURN_IF_ERROR(write_secret_file(file, key + "\n"));
  return key;
}

}  // namespace

void Interview::Heard::take(const LogEntry& entry) {
  answers.take(entry);
  if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
    dearest_duel = std::max(dearest_duel, outcome->cost);
  }
}

// A log that is there, or a new one. Two that begin at once meet at the lock of the file: one of
// them creates it, and the other is refused or goes on with what the first has left.
Result<LocalExperiment> Interview::open_log(const InterviewPlan& plan,
                                            const std::shared_ptr<Heard>& heard, bool& resumed) {
  const auto follower = [heard, other = plan.follower](const Ledger& ledger,
                                                       const LogEntry& entry) {
    heard->take(entry);
    if (other) other(ledger, entry);
  };
  if (plan.log.empty()) {
    return LocalExperiment::in_memory(plan.experiment, names_of(plan.tasks), follower,
                                      plan.audit_key);
  }
  const LocalExperiment::Options options{.store = log_files(),
                                         .name = plan.log,
                                         .tasks = names_of(plan.tasks),
                                         .follower = follower,
                                         .audit_key = plan.audit_key};
  auto created = LocalExperiment::create(options, plan.experiment);
  resumed = !created.ok() && created.error().code == ErrorCode::conflict;
  return resumed ? LocalExperiment::resume(options) : std::move(created);
}

Result<Interview> Interview::open(InterviewPlan plan) {
  plan.experiment.arms.clear();
  for (const ListedArm& arm : plan.arms) {
    plan.experiment.arms.push_back(entry_of(arm));
  }
  if (plan.tasks) {
    plan.experiment.tasks.count = plan.tasks->size();
    plan.experiment.tasks.sha256 = plan.tasks->sha256();
    plan.experiment.stopping.shared_causes |=
        plan.experiment.tasks.about == TaskScope::tasks_like_these;
  } else {
    plan.experiment.tasks = {};
  }
  if (std::error_code failed; !plan.changes.empty() && !std::filesystem::exists(plan.log, failed)) {
    return Error::not_found("there is no log yet to add an arm to or retire one from", plan.log,
                            "give the initial arms in `arms`")
        .in_field(plan.changes.joining.empty() ? "retire_arm" : "add_arm");
  }
  if (plan.experiment.audit.on()) {
    DUEL_ASSIGN(plan.audit_key, audit_key_beside(plan));
    plan.experiment.audit.key_sha256 = sha256_hex(plan.audit_key);
  }
  bool resumed = false;
  MatchedArms matched;
  const auto heard = std::make_shared<Heard>();
  DUEL_ASSIGN(LocalExperiment experiment, open_log(plan, heard, resumed));
  if (resumed) {
    const std::string& id = experiment.ledger().experiment().experiment_id;
    // The arms of another experiment need not match.
    if (id == plan.experiment.experiment_id && plan.experiment.space.dimensions.is_null()) {
      DUEL_ASSIGN(matched, match_arms(plan.log, experiment.ledger(), plan.arms, plan.changes));
    }
    ExperimentRecord logged = experiment.ledger().experiment();
    logged.tasks = experiment.ledger().tasks();
    const bool more_tasks = adds_tasks(plan, logged.tasks);
    ExperimentRecord wanted = plan.experiment;
    if (more_tasks) wanted.tasks = logged.tasks;
    if (wanted.arms.size() != logged.arms.size() && !plan.asked_policy.empty()) {
      wanted.policy = plan.asked_policy;
      DUEL_ASSIGN(wanted.policy, in_field("policy", canonical_policy(wanted, logged.arms.size())));
    }
    wanted.arms = logged.arms;
    if (const auto error = difference(plan.log, logged, std::move(wanted), plan.allows_new_judge)) {
      return *error;
    }
    // A certificate speaks of the tasks that it came from.
    const bool at_end = experiment.ledger().certificate() || experiment.ledger().completed();
    if (more_tasks && !at_end) {
      const TasksAddedRecord added{plan.tasks->size(), plan.tasks->sha256()};
      DUEL_RETURN_IF_ERROR(experiment.add_tasks(added, names_of(plan.tasks)));
    }
    for (const ArmEntry& arm : matched.joining) DUEL_RETURN_IF_ERROR(experiment.add_arm(arm));
    for (const std::string& arm : matched.left) DUEL_RETURN_IF_ERROR(experiment.retire_arm(arm));
    plan.arms = std::move(matched.arms);
  }
  const bool gives_up = !plan.keeps_open_duels;
  Interview interview(std::move(plan), std::move(experiment), heard);
  interview.resumed_ = resumed;
  interview.joined_ = std::move(matched.joined);
  interview.left_ = std::move(matched.left);
  if (gives_up) {
    DUEL_ASSIGN(interview.given_up_, interview.experiment_.give_up_open_duels());
  }
  return interview;
}

std::vector<std::string> Interview::task_names() const { return names_of(plan_.tasks); }

Result<IfWrong> Interview::if_wrong() const {
  return if_wrong_now(ledger(), [&](const RecordSink& sink) { return experiment_.replay(sink); });
}

LocalQuestions Interview::questions(const std::string& voter,
                                    std::function<bool(const Question&)> known) {
  const auto arm = [this](const std::string& arm_id) {
    const auto index = ledger().find_arm(arm_id);
    DUEL_CHECK(index && *index < plan_.arms.size());
    return plan_.arms[*index].shown;
  };
  const auto task = [this](const std::string& name) { return plan_.tasks->find(name)->content; };
  QuestionContents contents{.arm = arm, .task = task, .known = std::move(known)};
  if (ledger().parts().panel) {
    const ExperimentRecord& record = ledger().experiment();
    contents.subject = [member = local_subject(record.experiment_id, record.seed, voter)] {
      return std::optional(member);
    };
  }
  return {experiment_, std::move(contents), plan_.max_duels, plan_.at_certificate};
}

}  // namespace duel
