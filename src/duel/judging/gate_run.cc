#include "duel/judging/gate_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace duel {
namespace {

// With two arms there is one pair, and a policy that looks for a winner would leave it once it has
// found one.
constexpr const char* kPolicy = "uniform";

Result<std::vector<ListedArm>> listed(const std::string& field,
                                      const std::vector<std::string>& items) {
  auto arms = list_joining_arms(items);
  if (arms.ok()) return arms;
  Error error = arms.error();
  error.field = field;
  return error;
}

Status check_one_arm(const std::string& field, const std::string& item) {
  DUEL_ASSIGN(const auto arms, listed(field, {item}));
  if (arms.size() == 1) return Done{};
  return Error::invalid_argument(fmt::format("'{}' is {} arms", item, arms.size()))
      .with_hint("one file or name each")
      .in_field(field);
}

// The baseline and then the candidates, with ids that are different over all of them.
Result<std::vector<ListedArm>> listed_arms(const GateRequest& request) {
  DUEL_RETURN_IF_ERROR(check_one_arm("baseline", request.baseline));
  std::vector<std::string> items = {request.baseline};
  for (const std::string& candidate : request.candidates) {
    DUEL_RETURN_IF_ERROR(check_one_arm("candidate", candidate));
    items.push_back(candidate);
  }
  DUEL_ASSIGN(auto arms, listed("candidate", items));
  if (arms.size() == items.size()) return arms;
  return Error::invalid_argument("the same file is given twice")
      .with_hint("the baseline and each candidate are different files")
      .in_field("candidate");
}

std::string called(const ListedArm& arm) {
  return arm.shown.path.empty() ? arm.shown.arm_id : arm.shown.path;
}

}  // namespace

std::shared_ptr<GateKeeper> keep_gate(InterviewPlan& interview, const GateRule& rule) {
  auto keeper = std::make_shared<GateKeeper>(rule);
  interview.follower = [keeper](const Ledger& ledger, const LogEntry& entry) {
    keeper->hear(ledger, entry);
  };
  interview.at_certificate = AtCertificate::goes_on;
  return keeper;
}

Result<std::vector<GateInterviewPlan>> plan_gate(const GateRequest& request) {
  DUEL_RETURN_IF_ERROR(check_gate(request.rule));
  DUEL_ASSIGN(const std::vector<ListedArm> arms, listed_arms(request));
  const GateRule rule = rule_for_each(request.rule, request.candidates.size());
  std::vector<GateInterviewPlan> plans;
  for (std::size_t k = 1; k < arms.size(); ++k) {
    InterviewRequest interview = request.interview;
    interview.arms = {request.baseline, request.candidates[k - 1]};
    interview.policy = kPolicy;
    interview.alpha = rule.alpha;
    interview.name = "gate-" + arms[k].shown.arm_id;
    DUEL_ASSIGN(InterviewPlan plan, plan_interview(interview));
    plan.arms = {arms.front(), arms[k]};
    plan.log = (std::filesystem::path(request.folder) / plan.log).lexically_normal().string();
    plans.push_back({std::move(plan), rule, {called(arms[k]), called(arms.front())}});
  }
  return plans;
}

Result<std::unique_ptr<GateRun>> GateRun::open(GateInterviewPlan plan) {
  const auto keeper = keep_gate(plan.interview, plan.rule);
  DUEL_ASSIGN(Interview interview, Interview::open(std::move(plan.interview)));
  return std::unique_ptr<GateRun>(
      new GateRun(std::move(interview), keeper, plan.rule, std::move(plan.names)));
}

std::vector<HealthCheck> gate_health(const Interview& interview) {
  std::vector<HealthCheck> checks = check_health(interview.ledger());
  checks.push_back(interview.fresh_answers());
  return checks;
}

GateResult GateRun::result(GateStop ended) const {
  return gate_result_of(*keeper_, rule_, names_, ended, gate_health(interview_),
                        interview_.log_file());
}

GateStop gate_stop(RunEnding ending, bool money_is_out) {
  if (money_is_out) return GateStop::budget;
  switch (ending) {
    case RunEnding::certified:
      return GateStop::decided;
    case RunEnding::tasks_used_up:
      return GateStop::tasks_used_up;
    case RunEnding::interrupted:
      return GateStop::interrupted;
    default:
      return GateStop::max_duels;
  }
}

}  // namespace duel
