#include "duel/experiment/served_work.h"

#include <fmt/format.h>

#include "duel/core/call_spec.h"
#include "duel/core/numbers.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

// Of a space. The policy's name has all options (canonical_tuner).
Status check_learner(const CallSpec& learner) {
  for (const auto& [name, value] : learner.arguments) {
    if (name != "features") continue;
    DUEL_ASSIGN(const std::uint64_t features, parse_count(value));
    if (features <= kMostServedPointFeatures) continue;
    return Error::invalid_argument(
               fmt::format("has features={}, and a server takes {}: each answer works on a matrix "
                           "of their square",
                           features, kMostServedPointFeatures))
        .in_field("policy");
  }
  return Done{};
}

}  // namespace

Status check_served_work(const ExperimentRecord& experiment, std::size_t num_arms) {
  DUEL_ASSIGN(const CallSpec policy, parse_call(experiment.policy));
  if (!experiment.space.dimensions.is_null()) return check_learner(policy);
  const auto kind = find_policy(policy.name);
  if (!kind.ok() || !(*kind)->facts.uses_features || experiment.arms.empty()) return Done{};
  const std::size_t given = experiment.arms.front().features.size();
  if (given > kMostServedFeatures) {
    return Error::invalid_argument(
               fmt::format("have {} features, and a server takes {} with the policy '{}': each "
                           "answer works on matrices of their square",
                           given, kMostServedFeatures, policy.name))
        .with_hint("project them to fewer numbers")
        .in_field("arms");
  }
  // Without features every arm is a dimension of its own.
  if (given == 0 && num_arms > kMostServedFeatures) {
    return Error::invalid_argument(
               fmt::format("would be {} without features, and a server takes {} with the policy "
                           "'{}': each answer works on matrices of their square",
                           num_arms, kMostServedFeatures, policy.name))
        .with_hint("give the arms features, or take a policy that learns pairs")
        .in_field("arms");
  }
  return Done{};
}

}  // namespace duel
