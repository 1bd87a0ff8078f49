#include "duel/judging/interview_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "duel/core/feature_rows.h"
#include "duel/core/numbers.h"

namespace duel {
namespace {

constexpr std::string_view kLogEnding = ".duel.jsonl";

// The policy a user gets who does not choose.
constexpr const char* kDefaultPolicy = "auto";

// Files of one folder are named after it.
std::string name_for(const std::vector<ListedArm>& arms) {
  std::string folder;
  for (const ListedArm& arm : arms) {
    const std::string parent =
        std::filesystem::path(arm.shown.path).parent_path().filename().string();
    if (parent.empty() || parent == "." || parent == ".." ||
        (!folder.empty() && folder != parent)) {
      return "duel";
    }
    folder = parent;
  }
  return id_from_name(folder);
}

Error wrong_panel(std::string message) {
  return Error::invalid_argument(std::move(message))
      .with_hint("a number of people, or their names with commas between: ann,bob,cem")
      .in_field("panel");
}

// That people audit the judge. The key that draws their duels is the log's, and comes with it.
Status read_audit(const InterviewRequest& request, ExperimentRecord& experiment) {
  if (!request.audited) return Done{};
  if (request.judge.command.empty()) {
    return Error::invalid_argument("there is no judge to audit")
        .with_hint("give `judge`")
        .in_field("audit");
  }
  if (experiment.about == Audience::these_people) {
    return Error::unsupported("these people answer everything themselves").in_field("audit");
  }
  if (!(request.audits > 0 && request.audits <= 1)) {
    return Error::invalid_argument(fmt::format("{} is no share", request.audits))
        .with_hint("0 < audits <= 1")
        .in_field("audits");
  }
  experiment.audit = {.share = request.audits,
                      .price = request.price,
                      .give_up_after = request.give_up_after,
                      .from_seed = request.audit_from_seed,
                      .auditor = request.auditor};
  if (experiment.audit.by_price()) experiment.audit.least = request.least_audits;
  return Done{};
}

// The thresholds for a set that changes are those of a winner, and of duels without a common cause.
Status check_open_arms(const ExperimentRecord& experiment) {
  if (experiment.stopping.arms_fixed) return Done{};
  const Goal& goal = experiment.goal;
  if (goal.is_score() || goal.is_order() || goal.assume == Assumption::order) {
    return Error::unsupported(
               goal.assume == Assumption::order
                   ? "an order can be assumed only for a fixed set of arms"
                   : fmt::format("the goal {} needs a fixed set of arms", describe(goal)))
        .with_hint("leave it out, or take the `goal` condorcet or epsilon")
        .in_field("open_arms");
  }
  if (experiment.stopping.shared_causes) {
    return Error::unsupported("a statement about tasks like these needs a fixed set of arms")
        .with_hint("leave it out, or ask `about` these-tasks")
        .in_field("open_arms");
  }
  return Done{};
}

}  // namespace

Result<TaskScope> task_scope_of(std::string about, bool has_tasks) {
  std::replace(about.begin(), about.end(), '-', '_');
  DUEL_ASSIGN(const TaskScope scope, in_field("about", parse_word<TaskScope>(about)));
  if (!has_tasks && scope == TaskScope::these_tasks) {
    return Error::invalid_argument("there are no tasks").with_hint("give tasks").in_field("about");
  }
  return scope;
}

Status read_about(const InterviewRequest& request, InterviewPlan& plan) {
  ExperimentRecord& experiment = plan.experiment;
  const auto wrong = [](const char* message, const char* hint) {
    return Error::invalid_argument(message).with_hint(hint).in_field("about");
  };
  std::string about = request.about;
  std::replace(about.begin(), about.end(), '-', '_');
  if (about == to_word(Audience::these_people)) {
    experiment.about = Audience::these_people;
    if (plan.tasks) experiment.tasks.about = TaskScope::these_tasks;
    const auto subject_of = [&](const std::string& name) {
      return local_subject(experiment.experiment_id, experiment.seed, name);
    };
    DUEL_ASSIGN(experiment.panel, request.members.empty()
                                      ? panel_of(request.panel, request.early, subject_of)
                                      : panel_of(request.members, request.early, subject_of));
    if (!request.judge.command.empty()) {
      return wrong("a judge program is no panel", "ask people, with 'duel vote' or a server");
    }
    return Done{};
  }
  if (!request.panel.empty() || !request.members.empty() || request.early) {
    return wrong("a panel is for a statement about these people", "these-people");
  }
  if (about == to_word(Audience::people_like_these)) {
    if (!plan.tasks) return Done{};
    return wrong("with tasks the certificate is about them", "tasks-like-these or these-tasks");
  }
  if (about.empty()) return Done{};
  DUEL_ASSIGN(experiment.tasks.about, task_scope_of(about, plan.tasks.has_value()));
  return Done{};
}

Result<PanelRule> panel_of(const std::string& text, bool early,
                           const std::function<std::string(const std::string&)>& subject_of) {
  PanelRule panel{.early = early};
  if (text.empty()) return panel;
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    const auto size = parse_count(text);
    if (!size.ok() || *size == 0) {
      return wrong_panel(fmt::format("'{}' is no size of a panel", text));
    }
    panel.size = *size;
    return panel;
  }
  std::vector<std::string> names;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    names.emplace_back(trimmed(rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return panel_of(names, early, subject_of);
}

Result<PanelRule> panel_of(const std::vector<std::string>& names, bool early,
                           const std::function<std::string(const std::string&)>& subject_of) {
  PanelRule panel{.early = early};
  for (const std::string& name : names) {
    if (name.empty()) return wrong_panel("a member has no name");
    panel.members.push_back(subject_of(name));
  }
  std::ranges::sort(panel.members);
  return panel;
}

namespace {

// Of the arms, from a file with a line for each; "": none, or those that the arms were listed with.
Status read_features(const std::string& file, std::vector<ListedArm>& arms) {
  if (file.empty()) return Done{};
  DUEL_ASSIGN(const FeatureRows rows, in_field("features", FeatureRows::read(file)));
  if (rows.size() != arms.size()) {
    return Error::invalid_data(
               fmt::format("there are features of {}, and {}", counted(rows.size(), "arm"),
                           counted(arms.size(), "arm")),
               file, "a line for each arm, in the order of the arms")
        .in_field("features");
  }
  for (std::size_t k = 0; k < arms.size(); ++k)
    arms[k].features.assign(rows[k].begin(), rows[k].end());
  return Done{};
}

}  // namespace

Result<InterviewPlan> plan_interview(const InterviewRequest& request) {
  InterviewPlan plan;
  const bool space = !request.space.is_null();
  if (!space) {
    DUEL_ASSIGN(plan.arms, list_arms(request.arms, request.arms_file));
    DUEL_RETURN_IF_ERROR(read_features(request.features, plan.arms));
  }
  DUEL_ASSIGN(plan.changes.joining, list_joining_arms(request.add_arm));
  plan.changes.leaving = request.retire_arm;
  if (!request.tasks.empty()) {
    DUEL_ASSIGN(plan.tasks, TaskList::read(request.tasks));
  }
  ExperimentRecord& experiment = plan.experiment;
  experiment.experiment_id = request.name.empty() ? name_for(plan.arms) : request.name;
  DUEL_RETURN_IF_ERROR(in_field("name", check_id("an experiment", experiment.experiment_id)));
  DUEL_ASSIGN(experiment.goal,
              parse_goal(request.goal, request.top, request.epsilon, request.assume));
  experiment.seed = request.seed;
  DUEL_RETURN_IF_ERROR(read_about(request, plan));
  DUEL_ASSIGN(experiment.order, in_field("order", parse_placement(request.order)));
  experiment.stopping.alpha = request.alpha;
  experiment.stopping.arms_fixed = !request.open_arms;
  experiment.stopping.shared_causes =
      plan.tasks && experiment.tasks.about == TaskScope::tasks_like_these;
  experiment.voting = request.voting;
  DUEL_RETURN_IF_ERROR(check_open_arms(experiment));
  plan.asked_policy = request.policy.empty() ? kDefaultPolicy : request.policy;
  experiment.policy = plan.asked_policy;
  if (space) {
    DUEL_ASSIGN(const Space read, in_field("space", Space::from_json(request.space)));
    experiment.space = {.dimensions = read.to_json(), .warmup = request.warmup};
  }
  // A learner that plans ahead is told how many answers there will be.
  ExperimentRecord planned = experiment;
  if (space) planned.stopping.max_duels = request.max_duels;
  DUEL_ASSIGN(experiment.policy, in_field("policy", canonical_policy(planned, plan.arms.size())));
  experiment.judge = request.judge;
  DUEL_RETURN_IF_ERROR(read_audit(request, experiment));
  plan.allows_new_judge = request.allows_new_judge;
  // Not part of the experiment: who wants to go on gives more.
  plan.max_duels = request.max_duels;
  plan.log = request.log.empty() ? experiment.experiment_id + std::string(kLogEnding) : request.log;
  return plan;
}

std::string certificate_beside(const std::string& log) {
  std::string base = log;
  for (const std::string_view ending : {kLogEnding, std::string_view(".jsonl")}) {
    if (base.ends_with(ending) && base.size() > ending.size()) {
      base.resize(base.size() - ending.size());
      break;
    }
  }
  return base + ".certificate.json";
}

}  // namespace duel
