#include "duel/judging/interview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/numbers.h"
#include "duel/core/whole_file.h"
#include "duel/experiment/timestamp.h"
#include "duel/judging/printable.h"

namespace duel {
namespace {

Error other_experiment(const std::string& log, const std::string& message,
                       const std::string& hint) {
  return Error::invalid_argument("this log is of another experiment: " + message, log,
                                 hint.empty() ? "give another `log` to begin anew" : hint);
}

// The first thing that differs, as an error; nothing where the log goes on.
std::optional<Error> difference(const std::string& log, const ExperimentRecord& logged,
                                const ExperimentRecord& wanted) {
  const auto differs = [&](const char* what, const std::string& there, const std::string& here) {
    return other_experiment(log, fmt::format("its {} is {}, not {}", what, there, here), "");
  };
  if (logged.experiment_id != wanted.experiment_id) {
    return differs("name", logged.experiment_id, wanted.experiment_id);
  }
  for (std::size_t i = 0; i < std::max(logged.arms.size(), wanted.arms.size()); ++i) {
    if (i >= logged.arms.size()) {
      return other_experiment(log, fmt::format("it has no arm '{}'", wanted.arms[i].id), "");
    }
    if (i >= wanted.arms.size()) {
      return other_experiment(log, fmt::format("it has the arm '{}', too", logged.arms[i].id), "");
    }
    if (logged.arms[i].id != wanted.arms[i].id) {
      return other_experiment(
          log,
          fmt::format("its arm {} is '{}', not '{}'", i + 1, logged.arms[i].id, wanted.arms[i].id),
          "");
    }
    if (logged.arms[i].sha256 != wanted.arms[i].sha256) {
      return other_experiment(
          log,
          fmt::format("the content of arm '{}' ({}) has changed since", wanted.arms[i].id,
                      wanted.arms[i].payload),
          "duels about the old content say nothing of the new; give another `log` to begin anew");
    }
  }
  if (logged.policy != wanted.policy) return differs("policy", logged.policy, wanted.policy);
  if (logged.goal != wanted.goal) {
    return differs("goal", std::string(to_word(logged.goal)), std::string(to_word(wanted.goal)));
  }
  if (logged.stopping.alpha != wanted.stopping.alpha) {
    return differs("alpha", format_number(logged.stopping.alpha),
                   format_number(wanted.stopping.alpha));
  }
  if (logged.order != wanted.order) {
    return differs("order", std::string(to_word(logged.order)), std::string(to_word(wanted.order)));
  }
  if (logged.seed != wanted.seed) {
    return differs("seed", std::to_string(logged.seed), std::to_string(wanted.seed));
  }
  if (logged != wanted) {
    ExperimentRecord same = wanted;  // where a file lies is no difference
    for (std::size_t i = 0; i < same.arms.size(); ++i)
      same.arms[i].payload = logged.arms[i].payload;
    if (logged != same) return other_experiment(log, "its stopping rule is not this one", "");
  }
  return std::nullopt;
}

// A kill while the log was made leaves a beginning of its first line, or nothing. Nothing was asked
// then, and the log is made anew. Any other file is left for the reader to refuse.
bool was_cut_at_birth(const std::string& file) {
  constexpr std::string_view kBeginning = R"({"seq":1,"time":")";
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) return false;
  const auto content = read_whole_file(file, std::size_t{16} << 20);
  if (!content.ok() || content->find('\n') != std::string::npos) return false;
  const std::size_t length = std::min(content->size(), kBeginning.size());
  return content->compare(0, length, kBeginning, 0, length) == 0;
}

Answer answer_of(Outcome outcome, const std::string& first, const std::string& second) {
  switch (outcome) {
    case Outcome::first_wins:
      return {.result = Answered::win, .winner = first};
    case Outcome::second_wins:
      return {.result = Answered::win, .winner = second};
    case Outcome::tie:
      return {.result = Answered::tie, .winner = ""};
    case Outcome::both_bad:
      return {.result = Answered::both_bad, .winner = ""};
    case Outcome::skip:
      return {.result = Answered::skip, .winner = ""};
    case Outcome::none:
      break;
  }
  return {.result = Answered::invalid, .winner = ""};
}

}  // namespace

JudgeQuestion turned_round(const JudgeQuestion& question) {
  JudgeQuestion turned = question;
  std::swap(turned.first, turned.second);
  return turned;
}

Result<Interview> Interview::open(InterviewPlan plan) {
  plan.experiment.arms.clear();
  for (const ListedArm& arm : plan.arms) {
    plan.experiment.arms.push_back({arm.shown.arm_id, arm.reference, arm.sha256});
  }
  std::error_code ignored;
  if (was_cut_at_birth(plan.log)) std::filesystem::remove(plan.log, ignored);
  const bool resumed = std::filesystem::exists(plan.log, ignored);
  DUEL_ASSIGN(RecordedExperiment experiment,
              resumed ? RecordedExperiment::resume(plan.log)
                      : RecordedExperiment::create(plan.log, plan.experiment, current_time_ms()));
  if (resumed) {
    if (const auto error =
            difference(plan.log, experiment.ledger().experiment(), plan.experiment)) {
      return *error;
    }
  }
  Interview interview(std::move(plan), std::move(experiment));
  interview.resumed_ = resumed;
  DUEL_RETURN_IF_ERROR(interview.find_unanswered());
  return interview;
}

Status Interview::find_unanswered() {
  const std::vector<std::string> pending = experiment_.experiment().pending();
  if (pending.empty()) return Done{};
  const std::set<std::string> wanted(pending.begin(), pending.end());
  // The ledger keeps no tasks; the log has them.
  DUEL_ASSIGN(
      const LogExtent extent, read_log(plan_.log, [&](const LogEntry& entry) -> Status {
        const auto* serve = std::get_if<ServeRecord>(&entry.record);
        if (serve == nullptr || !wanted.contains(serve->duel_id)) return Done{};
        if (!serve->task.empty() && (!plan_.tasks || plan_.tasks->find(serve->task) == nullptr)) {
          return other_experiment(
              plan_.log,
              fmt::format("duel {} waits for an answer about task {}, which is not "
                          "among the tasks",
                          serve->duel_id, excerpt(serve->task)),
              "give the tasks that the experiment began with: `tasks`");
        }
        unanswered_.push_back(*serve);
        return Done{};
      }));
  DUEL_CHECK(unanswered_.size() == pending.size() && extent.records > 0);
  asked_again_ = unanswered_.size();
  return Done{};
}

JudgeQuestion Interview::question_of(const ServeRecord& serve) const {
  const auto first = ledger().find_arm(serve.first);
  const auto second = ledger().find_arm(serve.second);
  DUEL_CHECK(first && second && *first < plan_.arms.size() && *second < plan_.arms.size());
  JudgeQuestion question{.duel_id = serve.duel_id,
                         .first = plan_.arms[*first].shown,
                         .second = plan_.arms[*second].shown,
                         .task = std::nullopt};
  if (!serve.task.empty()) question.task = plan_.tasks->find(serve.task)->content;
  return question;
}

Result<std::optional<JudgeQuestion>> Interview::next() {
  if (certified() || ledger().completed()) return std::optional<JudgeQuestion>();
  if (!unanswered_.empty()) {
    const JudgeQuestion question = question_of(unanswered_.front());
    unanswered_.pop_front();
    return std::optional(question);
  }
  if (plan_.max_duels != 0 && ledger().served() >= plan_.max_duels) {
    return std::optional<JudgeQuestion>();
  }
  std::optional<ServeRecord> serve = experiment_.next();
  if (!serve) return std::optional<JudgeQuestion>();
  if (plan_.tasks) {
    const auto i = ledger().find_arm(serve->first);
    const auto j = ledger().find_arm(serve->second);
    serve->task =
        plan_.tasks->draw(ledger().experiment().seed, *i, *j, ledger().pair(*i, *j).served)
            .reference;
  }
  DUEL_ASSIGN(const Effect effect, experiment_.record(*serve, current_time_ms()));
  DUEL_CHECK(effect == Effect::applied);
  return std::optional(question_of(*serve));
}

OutcomeRecord Interview::outcome_of(const JudgeQuestion& question,
                                    std::span<const Outcome> outcomes, const Source& source,
                                    double response_ms) const {
  const std::string& first = question.first.arm_id;
  const std::string& second = question.second.arm_id;
  OutcomeRecord record;
  record.duel_id = question.duel_id;
  record.source = source;
  record.response_ms = static_cast<std::uint64_t>(std::llround(std::max(0.0, response_ms)));
  if (outcomes.size() == 1) {
    record.answer = answer_of(outcomes[0], first, second);
    return record;
  }
  DUEL_CHECK(outcomes.size() == 2);
  record.judgements.push_back({first, answer_of(outcomes[0], first, second)});
  record.judgements.push_back({second, answer_of(outcomes[1], second, first)});
  record.answer = combined(record.judgements);
  return record;
}

Status Interview::record(std::span<const Record> records) {
  DUEL_ASSIGN(const std::vector<Effect> effects, experiment_.record(records, current_time_ms()));
  DUEL_CHECK(effects.size() == records.size());
  return Done{};
}

Status Interview::complete() {
  if (!certified() || ledger().completed()) return Done{};
  const GivenCertificate& given = *ledger().certificate();
  std::vector<Record> records;
  for (const std::string& duel_id : experiment_.experiment().pending()) {
    records.emplace_back(ExpiredRecord{duel_id});
  }
  records.emplace_back(CertifiedRecord{
      given.kind, given.winner ? ledger().id_of(*given.winner) : std::string(), given.sequence});
  records.emplace_back(CompletedRecord{"certified"});
  return record(records);
}

}  // namespace duel
