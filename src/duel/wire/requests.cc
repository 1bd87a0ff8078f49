#include "duel/wire/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "duel/core/digest.h"
#include "duel/experiment/live_experiment.h"
#include "duel/experiment/served_work.h"

namespace duel {
namespace {

Error wrong(std::string message, std::string pointer) {
  return Error::invalid_argument(std::move(message), std::move(pointer));
}

Status check_stopping(const ExperimentBody& body) {
  if (!(body.stopping.rule.alpha > 0 && body.stopping.rule.alpha < 1)) {
    return wrong(fmt::format("is {}, not between 0 and 1", body.stopping.rule.alpha),
                 "/stopping/alpha");
  }
  if (body.stopping.rule.arms != "open") return Done{};
  if (!body.stopping.rule.pairs_independent) {
    return wrong(
        "cannot be `open` unless `pairs_independent` is declared: the threshold for arms that come "
        "and go needs it",
        "/stopping/arms");
  }
  const bool assumes_order = body.goal.assume == Assumption::order;
  if (body.goal.is_score() || body.goal.is_order() || assumes_order) {
    return wrong(
        assumes_order
            ? std::string("has to be `fixed` where an order of the arms is assumed")
            : fmt::format("has to be `fixed` for the goal {}; only condorcet and epsilon take open "
                          "arms",
                          to_word(body.goal)),
        "/stopping/arms");
  }
  return Done{};
}

// No id may come twice; `list` and `name` say where the ids stand in the body.
template <class Item>
Status check_distinct(const std::vector<Item>& items, std::string Item::* id, std::string_view list,
                      std::string_view name) {
  std::set<std::string_view> known;
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (known.insert(items[k].*id).second) continue;
    return wrong(fmt::format("is '{}' a second time", items[k].*id),
                 fmt::format("/{}/{}/{}", list, k, name));
  }
  return Done{};
}

// Points of a space in the place of arms.
Status check_space(const ExperimentBody& body) {
  if (body.space.is_null()) {
    if (!body.default_point.is_null()) return wrong("is for a space", "/default_point");
    if (body.warmup > 0) return wrong("is for a space", "/warmup");
    if (body.stopping.on_certified == OnCertified::adopt) {
      return wrong("is `adopt`, which is for a space", "/stopping/on_certified");
    }
    return Done{};
  }
  if (!body.arms.empty()) return wrong("are compared, or the points of a `space`", "/arms");
  if (body.stopping.rule.arms == "open") return wrong("is for arms", "/stopping/arms");
  return Done{};
}

Status check_arms(const std::vector<ArmBody>& arms) {
  if (arms.size() < 2) return wrong("are too few: at least two are compared", "/arms");
  return check_distinct(arms, &ArmBody::arm_id, "arms", "arm_id");
}

Status check_tasks(const ExperimentBody& body) {
  if (body.tasks.empty()) return Done{};
  if (body.mode == Mode::interleave) return wrong("are for the mode `duel`", "/tasks");
  DUEL_RETURN_IF_ERROR(check_distinct(body.tasks, &TaskBody::task_id, "tasks", "task_id"));
  if (body.stopping.rule.pairs_independent) {
    return wrong("cannot be declared where there are tasks: a task may reach several pairs",
                 "/stopping/pairs_independent");
  }
  return Done{};
}

Status check_interleave(const ExperimentBody& body) {
  if (body.mode != Mode::interleave) return Done{};
  for (const auto& [action, weight] : body.interleave.rule.actions) {
    if (is_action_weight(weight)) continue;
    return wrong("is not a weight between 0 and 1e6", "/interleave/actions/" + action);
  }
  if (body.presentation.order == Placement::both) {
    return wrong("cannot be `both` where clicks decide: a page is seen once",
                 "/presentation/order");
  }
  return Done{};
}

}  // namespace

Status ShortText::operator()(std::string_view text) const {
  if (text.size() <= most_bytes) return Done{};
  return Error::invalid_argument(fmt::format("has more than {} bytes", most_bytes));
}

Status ShortSource::operator()(const Source& source) const {
  constexpr std::size_t kMost = 200;
  if (source.type.size() <= kMost && source.id.size() <= kMost) return Done{};
  return Error::invalid_argument(fmt::format("has a text of more than {} bytes", kMost));
}

Error at_pointer(Error error, std::string_view otherwise) {
  constexpr auto kPlaces = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"aa_rate", "/guardrails/aa_rate"},
       {"stopping.arms_fixed", "/stopping/arms"},
       {"stopping.shared_causes", "/stopping/pairs_independent"},
       {"arms", "/arms"},
       {"goal", "/goal"},
       {"top", "/top"},
       {"epsilon", "/epsilon"},
       {"assume", "/assume"},
       {"about", "/about"},
       {"panel.size", "/panel/size"},
       {"panel.members", "/panel/members"},
       {"panel.early", "/panel/early"},
       {"guardrails.explore_floor", "/guardrails/explore_floor"},
       {"stopping.min_decisive_per_pair", "/stopping/min_decisive_per_pair"},
       {"audit", "/audit"},
       {"audit.share", "/audit/share"},
       {"audit.least", "/audit/least"},
       {"service.on_certified", "/stopping/on_certified"},
       {"service.interleave.method", "/interleave/method"},
       {"policy", "/policy"}});
  if (error.where.starts_with('/')) return error;
  const std::string_view name = error.field.empty() ? error.where : error.field;
  error.where = otherwise;
  for (const auto& [known, pointer] : kPlaces) {
    if (known == name) error.where = pointer;
  }
  return error;
}

Json merged(const Json& target, const Json& patch) {
  if (!target.is_object() || !patch.is_object()) return patch;
  Json::Object members;
  for (const auto& [name, value] : target.members()) {
    const Json* change = patch.find(name);
    if (change == nullptr) {
      members.push_back({name, value});
    } else if (!change->is_null()) {
      members.push_back({name, merged(value, *change)});
    }
  }
  for (const auto& [name, value] : patch.members()) {
    if (!target.contains(name)) members.push_back({name, value});
  }
  return Json(std::move(members));
}

namespace {

// What the certificate is about, in the record's words.
Status read_about(const ExperimentBody& body, ExperimentRecord& record,
                  const std::function<std::string(std::string_view)>& subject_of) {
  const bool of_tasks = body.about == "tasks-like-these" || body.about == "these-tasks";
  if (of_tasks && body.tasks.empty()) return wrong("there are no tasks", "/about");
  if (body.about == "people-like-these" && !body.tasks.empty()) {
    return wrong("with tasks it is `tasks-like-these` or `these-tasks`", "/about");
  }
  if (body.about == "these-tasks") {
    record.tasks.about = TaskScope::these_tasks;
    record.stopping.shared_causes = !body.stopping.rule.pairs_independent;
  }
  if (body.about != "these-people") {
    if (body.panel != PanelBody())
      return wrong("is for an experiment about `these-people`", "/panel");
    return Done{};
  }
  record.about = Audience::these_people;
  if (!body.tasks.empty()) record.tasks.about = TaskScope::these_tasks;
  const PanelBody& panel = body.panel;
  record.panel = {.size = panel.size.value_or(0), .members = {}, .early = panel.early};
  for (std::size_t k = 0; k < panel.members.size(); ++k) {
    const std::string& name = panel.members[k];
    if (name.empty()) return wrong("is empty", fmt::format("/panel/members/{}", k));
    record.panel.members.push_back(subject_of(name));
  }
  std::ranges::sort(record.panel.members);
  return Done{};
}

}  // namespace

Result<ExperimentRecord> experiment_of(
    const std::string& experiment_id, const ExperimentBody& body, const std::string& request,
    std::uint64_t random_seed, const std::function<std::string(std::string_view)>& subject_of) {
  DUEL_RETURN_IF_ERROR(check_id("an experiment", experiment_id));
  DUEL_RETURN_IF_ERROR(check_stopping(body));
  DUEL_RETURN_IF_ERROR(check_space(body));
  const bool has_space = !body.space.is_null();
  if (!has_space) DUEL_RETURN_IF_ERROR(check_arms(body.arms));
  DUEL_RETURN_IF_ERROR(check_tasks(body));
  DUEL_RETURN_IF_ERROR(check_interleave(body));
  ExperimentRecord record;
  record.experiment_id = experiment_id;
  ServiceRule& service = record.service;
  for (std::size_t k = 0; k < body.arms.size(); ++k) {
    const ArmBody& arm = body.arms[k];
    record.arms.push_back({.id = arm.arm_id,
                           .payload = "",
                           .sha256 = "",
                           .content = arm.payload,
                           .features = arm.features});
    if (!arm.is_default) continue;
    if (!service.default_arm.empty()) {
      return wrong("is a second default arm", fmt::format("/arms/{}/default", k));
    }
    service.default_arm = arm.arm_id;
  }
  if (has_space) {
    auto space = Space::from_json(body.space, body.default_point);
    if (!space.ok()) {
      Error error = space.error();
      const bool of_default = error.field == "default_point";
      std::string at = of_default ? "" : error.field;
      std::ranges::replace(at, '.', '/');
      error.where = of_default ? "/default_point" : at.empty() ? "/space" : "/space/" + at;
      error.field.clear();
      return error;
    }
    record.space = {.dimensions = space->to_json(), .warmup = body.warmup};
  }
  record.policy = body.policy;
  record.goal = body.goal;
  record.stopping = {.alpha = body.stopping.rule.alpha,
                     .min_decisive_per_pair = body.stopping.rule.min_decisive_per_pair,
                     .max_duels = body.stopping.rule.max_duels,
                     .arms_fixed = body.stopping.rule.arms == "fixed",
                     .shared_causes = !body.stopping.rule.pairs_independent};
  record.order = body.presentation.order;
  record.aa_rate = body.guardrails.aa_rate;
  if (!body.tasks.empty()) {
    Json items = Json::array();
    for (const TaskBody& task : body.tasks) {
      Json item{{"task_id", task.task_id}, {"payload", task.payload}};
      if (!task.slices.empty()) item["slices"] = described_json(task.slices);
      items.push_back(std::move(item));
    }
    record.tasks.count = body.tasks.size();
    record.tasks.sha256 = sha256_hex(items.dump());
    record.tasks.items = std::move(items);
  }
  DUEL_RETURN_IF_ERROR(read_about(body, record, subject_of));
  record.voting = body.voting.rule;
  record.slices = body.slices;
  // The key that draws the audits is the server's, which adds its hash.
  if (body.audit) {
    record.audit = {.share = body.audit->share,
                    .price = body.audit->price,
                    .give_up_after = body.audit->give_up_after};
    if (record.audit.by_price()) record.audit.least = body.audit->least;
  }
  record.seed = body.seed.value_or(random_seed);
  service.name = body.name;
  service.mode = body.mode;
  service.starts = ExperimentState::draft;
  service.on_certified =
      body.stopping.on_certified.value_or(default_on_certified(body.mode, has_space));
  service.feedback = body.feedback.rule(body.mode);
  service.guardrails = body.guardrails.rule;
  if (body.mode == Mode::interleave) service.interleave = body.interleave.rule;
  service.request = request;
  // Recorded with all its options, so that new defaults in a later version of Duel change nothing.
  auto policy = canonical_policy(record, record.arms.size());
  if (!policy.ok()) return at_pointer(policy.error(), "/policy");
  record.policy = std::move(*policy);
  const Status work = check_served_work(record, record.arms.size());
  if (!work.ok()) return at_pointer(work.error(), "");
  return record;
}

}  // namespace duel
