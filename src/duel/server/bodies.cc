#include "duel/server/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/digest.h"
#include "duel/experiment/live_experiment.h"

namespace duel {
namespace {

Error wrong(std::string message, std::string pointer) {
  return Error::invalid_argument(std::move(message), std::move(pointer));
}

Status check_numbers(const ExperimentBody& body) {
  if (body.stopping.arms == "open" && !body.stopping.pairs_independent) {
    return wrong(
        "cannot be `open` unless `pairs_independent` is declared: the threshold for arms that come "
        "and go needs it",
        "/stopping/arms");
  }
  return Done{};
}

Status check_interleave(const ExperimentBody& body) {
  if (body.mode != Mode::interleave) return Done{};
  for (const auto& [action, weight] : body.interleave.rule.actions) {
    if (weight.is_number() && weight.get<double>() >= 0 && weight.get<double>() <= 1e6) continue;
    return wrong("is not a weight between 0 and 1e6", "/interleave/actions/" + action);
  }
  if (!body.tasks.empty()) return wrong("are for the mode `duel`", "/tasks");
  return Done{};
}

}  // namespace

Result<ExperimentRecord> experiment_of(const std::string& experiment_id, const ExperimentBody& body,
                                       const std::string& request, std::uint64_t random_seed) {
  DUEL_RETURN_IF_ERROR(check_id("an experiment", experiment_id));
  DUEL_RETURN_IF_ERROR(check_numbers(body));
  DUEL_RETURN_IF_ERROR(check_interleave(body));
  ExperimentRecord record;
  record.experiment_id = experiment_id;
  ServiceRule& service = record.service;
  for (std::size_t k = 0; k < body.arms.size(); ++k) {
    const ArmBody& arm = body.arms[k];
    record.arms.push_back({.id = arm.arm_id, .payload = "", .sha256 = "", .content = arm.payload});
    if (!arm.is_default) continue;
    if (!service.default_arm.empty()) {
      return wrong("is a second default arm", fmt::format("/arms/{}/default", k));
    }
    service.default_arm = arm.arm_id;
  }
  record.policy = body.policy;
  record.goal = body.goal;
  record.stopping = {.alpha = body.stopping.alpha,
                     .min_decisive_per_pair = body.stopping.min_decisive_per_pair,
                     .max_duels = body.stopping.max_duels,
                     .arms_fixed = body.stopping.arms == "fixed",
                     .shared_causes = !body.stopping.pairs_independent};
  record.order = body.presentation.order;
  record.aa_rate = body.guardrails.aa_rate;
  if (!body.tasks.empty()) {
    Json items = Json::array();
    for (const TaskBody& task : body.tasks) {
      items.push_back({{"task_id", task.task_id}, {"payload", task.payload}});
    }
    record.tasks.count = body.tasks.size();
    record.tasks.sha256 = sha256_hex(items.dump());
    record.tasks.items = std::move(items);
  }
  record.seed = body.seed.value_or(random_seed);
  service.name = body.name;
  service.mode = body.mode;
  service.starts = ExperimentState::draft;
  service.on_certified = body.stopping.on_certified;
  service.feedback = body.feedback.rule;
  service.guardrails = body.guardrails.rule;
  if (body.mode == Mode::interleave) service.interleave = body.interleave.rule;
  service.request = request;
  // What is really used, so that a later version of Duel means the same by it.
  auto policy = canonical_policy(record, record.arms.size());
  if (!policy.ok()) {
    Error error = policy.error();
    error.where = "/policy";
    return error;
  }
  record.policy = std::move(*policy);
  return record;
}

}  // namespace duel
