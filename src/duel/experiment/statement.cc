#include "duel/experiment/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "duel/core/check.h"

namespace duel {

Result<Referee> Statement::referee_of(const Rule& rule, const Parts& parts, std::size_t num_arms) {
  Result<Referee> referee = parts.one_look
                                ? Referee::of_one_look(num_arms, rule.goal, rule.stopping)
                                : Referee::make(num_arms, rule.goal, rule.stopping);
  if (referee.ok() && rule.lowest_only) referee->settle_the_lowest_only();
  return referee;
}

Result<Statement> Statement::make(const ExperimentRecord& experiment, const Parts& parts) {
  if (parts.tasks_end && !experiment.stopping.shared_causes) {
    return Error::invalid_argument("a task may reach several pairs")
        .with_hint("true, where a certificate is about tasks like these")
        .in_field("stopping.shared_causes");
  }
  if (experiment.stopping.shared_causes && !parts.fixed_set) {
    return Error::unsupported("where pairs share causes the set of arms is fixed")
        .in_field("stopping.arms_fixed");
  }
  if (parts.one_look && (!parts.comparisons_count || !parts.fixed_set)) {
    return Error::invalid_argument("one look is for comparisons that count, of a fixed set of arms")
        .in_field("one_look_after");
  }
  if (!parts.panel && experiment.panel != PanelRule()) {
    return Error::invalid_argument("a panel is for an experiment about these people")
        .with_hint("these_people")
        .in_field("about");
  }
  std::optional<Panel> panel;
  if (parts.panel) {
    DUEL_ASSIGN(panel, Panel::make(experiment));
  }
  if (parts.audited) DUEL_RETURN_IF_ERROR(check_audit(experiment, parts));
  std::optional<TunedSpace> tuned;
  if (parts.space) {
    DUEL_ASSIGN(tuned, TunedSpace::make(experiment));
  }
  const Rule rule{experiment.goal, experiment.stopping, experiment.format == 1};
  const std::size_t arms = parts.space ? std::size_t{point_role::kAll} : experiment.arms.size();
  DUEL_ASSIGN(Referee referee, referee_of(rule, parts, arms));
  return Statement(rule, parts, experiment.tasks, std::move(referee), std::move(panel),
                   std::move(tuned));
}

Status Statement::check_audit(const ExperimentRecord& experiment, const Parts& parts) {
  const AuditRule& audit = experiment.audit;
  if (!(audit.share > 0 && audit.share <= 1)) {
    return Error::invalid_argument(fmt::format("{} is out of range", audit.share))
        .with_hint("0 < share <= 1")
        .in_field("audit.share");
  }
  if (!(audit.least >= 0 && audit.least <= audit.share)) {
    return Error::invalid_argument(fmt::format("{} is out of range", audit.least))
        .with_hint("0 <= least <= share")
        .in_field("audit.least");
  }
  if (parts.panel) {
    return Error::unsupported("these people answer everything themselves")
        .with_hint("people-like-these or tasks-like-these")
        .in_field("audit");
  }
  if (parts.pages || parts.comparisons_count) {
    return Error::unsupported(parts.pages ? "clicks on pages are not audited"
                                          : "comparisons made elsewhere are not audited")
        .in_field("audit");
  }
  if (experiment.goal.is_score() || experiment.goal.kind == Goal::epsilon) {
    return Error::unsupported(
               fmt::format("the goal {} takes wins and losses only", to_word(experiment.goal)))
        .with_hint("condorcet, set, order or ranking")
        .in_field("audit");
  }
  return Done{};
}

Statement::Statement(const Rule& rule, const Parts& parts, TaskSet tasks, Referee referee,
                     std::optional<Panel> panel, std::optional<TunedSpace> tuned)
    : rule_(rule),
      parts_(parts),
      tasks_(std::move(tasks)),
      referee_(std::move(referee)),
      panel_(std::move(panel)),
      tuned_(std::move(tuned)) {
  if (parts_.audited) program_alone_ = referee_;
}

Error Statement::no_space() {
  return Error::invalid_data("the experiment compares arms, not the points of a space");
}

Status Statement::admits(const ServeRecord& serve, Arm first, Arm second) const {
  if (first != second && parts_.audited != (serve.audit > 0)) {
    return Error::invalid_data(
               fmt::format("the duel '{}' is to count, but {}", serve.duel_id,
                           parts_.audited ? "nobody could ever audit it" : "there are no audits"))
        .with_hint(parts_.audited ? "a share above 0 in `audit`" : "leave `audit` out");
  }
  if (parts_.one_look) {
    return Error::invalid_data(
               fmt::format("the duel '{}' is to count, but there is one look at a fixed number",
                           serve.duel_id))
        .with_hint("evidence: false");
  }
  if (panel_) return panel_->admits(serve, first, second);
  if (tuned_) return tuned_->admits(serve);
  if (!parts_.tasks_once || serve.task.empty()) return Done{};
  DUEL_RETURN_IF_ERROR(takes_tasks());
  if (!has_met(first, second, serve.task)) return Done{};
  return Error::invalid_data(
             fmt::format("'{}' and '{}' meet about the task '{}' again, and it is to count",
                         serve.first, serve.second, serve.task))
      .with_hint("a task is evidence about a pair once");
}

Status Statement::takes_tasks() const {
  if (tuned_ || !parts_.tasks_once || rule_.stopping.shared_causes) return Done{};
  return Error::invalid_argument(
             "a task may reach several pairs, and the pairs are declared to be independent")
      .with_hint("leave the task out, or do not declare pairs_independent");
}

std::uint64_t Statement::fresh_tasks(Arm i, Arm j) const {
  const auto found = met_.find(std::minmax(i, j));
  const std::uint64_t met = found == met_.end() ? 0 : found->second.size();
  return tasks_.count - std::min(tasks_.count, met);
}

bool Statement::has_met(Arm i, Arm j, std::string_view task) const {
  const auto found = met_.find(std::minmax(i, j));
  return found != met_.end() && found->second.find(task) != found->second.end();
}

Status Statement::check_arms(std::size_t num_arms) const {
  DUEL_RETURN_IF_ERROR(referee_of(rule_, parts_, num_arms));
  return Done{};
}

void Statement::set_arms(std::size_t num_arms) {
  auto referee = referee_of(rule_, parts_, num_arms);
  DUEL_CHECK(referee.ok());
  referee_ = std::move(*referee);
  if (program_alone_) program_alone_ = referee_;
  if (panel_) panel_->set_arms(num_arms);
}

// The thresholds of a fixed set hold for the arms that it starts with, so that it gets a referee of
// its own whenever they change.
void Statement::add_arm() {
  if (parts_.fixed_set) {
    set_arms(referee_.certifier().num_arms() + 1);
  } else {
    referee_.add_arm();
    if (program_alone_) program_alone_->add_arm();
  }
}

void Statement::retire(Arm arm) {
  if (parts_.fixed_set) {
    set_arms(referee_.certifier().num_arms() - 1);
  } else {
    referee_.retire(arm);
    if (program_alone_) program_alone_->retire(arm);
  }
}

void Statement::add_tasks(const TasksAddedRecord& record) {
  tasks_.count = record.count;
  tasks_.sha256 = record.sha256;
  pairs_without_fresh_tasks_ = 0;  // there are more tasks than any pair can have met
}

std::uint64_t Statement::served(const ServeRecord& serve, Arm first, Arm second) {
  if (panel_) return panel_->served(serve, first, second);
  if (tuned_) return tuned_->place_of(serve);
  const std::string& task = serve.task;
  if (!task.empty() && tasks_.about == TaskScope::tasks_like_these) {
    auto& met = met_[std::minmax(first, second)];
    met.insert(task);
    if (parts_.tasks_end && met.size() == tasks_.count) ++pairs_without_fresh_tasks_;
  }
  if (program_alone_) program_alone_->served(first, second);  // the same place
  return referee_.served(first, second);
}

void Statement::final_answer(std::uint64_t place, const EvidenceAnswer& answer) {
  if (panel_) {
    panel_->final_answer(place, std::get<Outcome>(answer));
    return;
  }
  if (tuned_) {
    tuned_->final_answer(place, std::get<Outcome>(answer));
    return;
  }
  if (const auto* audited = std::get_if<AuditedAnswer>(&answer); audited && program_alone_) {
    const double said = audited->program;
    const bool whole = said == 1 || said == -1 || said == 0;
    program_alone_->answered(place, !whole     ? EvidenceAnswer(GradedAnswer{said})
                                    : said > 0 ? Outcome::first_wins
                                    : said < 0 ? Outcome::second_wins
                                               : Outcome::tie);
  }
  referee_.answered(place, answer);
}

namespace {

Error no_panel() {
  return Error::invalid_data("the experiment is not about a panel").with_hint("these_people");
}

}  // namespace

Status Statement::check(const PanelClosedRecord& record) const {
  return panel_ ? panel_->check(record) : Status(no_panel());
}

Status Statement::check(const AbsentRecord& record) const {
  return panel_ ? panel_->check(record) : Status(no_panel());
}

void Statement::served_in_vain(const ServeRecord& serve, Arm first, Arm second) {
  // What the search asks is no evidence, and is not asked in vain.
  if (tuned_ && !tuned_->admits(serve).ok() && !tuned_->has_met(serve.task)) return;
  if (serve.around_loss) {
    ++no_evidence_.lost_serves;
  } else if (serve.by == ServedBy::recovered) {
    ++no_evidence_.recovered;
  } else if (!admits(serve, first, second).ok() && !has_met(first, second, serve.task)) {
    ++no_evidence_.other;
  } else if (!serve.task.empty() && has_met(first, second, serve.task)) {
    ++no_evidence_.task_again;
  } else if (!serve.subject.empty()) {
    ++no_evidence_.subject_again;
  } else {
    ++no_evidence_.other;
  }
}

void Statement::decide(std::uint64_t sequence, const std::string& hash) {
  if (tuned_) {
    if (const auto decision = tuned_->decide()) {
      certificate_ = GivenCertificate{*decision, sequence, hash};
      certificate_recorded_ = false;
    }
    return;
  }
  if (certificate_) return;
  if (const auto decision = panel_ ? panel_->decision() : referee_.decision()) {
    certificate_ = GivenCertificate{*decision, sequence, hash};
  }
}

bool Statement::restored(std::size_t num_arms) const {
  if (panel_ && !panel_->restored(num_arms)) return false;
  if (program_alone_ && !program_alone_->restored()) return false;
  return referee_.restored() && referee_.certifier().num_arms() == num_arms &&
         (!certificate_ || !certificate_->winner || *certificate_->winner < num_arms);
}

}  // namespace duel
