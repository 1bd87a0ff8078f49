#include "duel/experiment/features.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "duel/core/numbers.h"

namespace duel {
namespace {

constexpr const char* kAllOrNone = "every arm has equally many features, or none has any";

std::string features_in_words(const ArmEntry& arm) {
  return fmt::format("'{}' has {}", arm.id, counted(arm.features.size(), "feature"));
}

Status check_alike(const ArmEntry& arm, const ArmEntry& other) {
  if (arm.features.size() == other.features.size()) return Done{};
  return Error::invalid_argument(
             fmt::format("{}, and {}", features_in_words(other), features_in_words(arm)))
      .with_hint(kAllOrNone);
}

// Numbers that policies can take. None are fine, too.
Status check_numbers(const std::string& arm_id, const std::vector<double>& numbers) {
  if (numbers.empty()) return Done{};
  const auto made = FeatureRows::create({numbers});
  if (made.ok()) return Done{};
  return Error::invalid_argument(fmt::format("'{}': {}", arm_id, made.error().message))
      .with_hint(made.error().hint);
}

Error wrong_context(std::string what) {
  return Error::invalid_argument(std::move(what)).in_field("context");
}

}  // namespace

Status check_features(const std::vector<ArmEntry>& arms) {
  for (const ArmEntry& arm : arms) {
    DUEL_RETURN_IF_ERROR(in_field("arms", check_alike(arm, arms.front())));
    DUEL_RETURN_IF_ERROR(in_field("arms", check_numbers(arm.id, arm.features)));
  }
  return Done{};
}

Status check_features(const ArmField& field, const ArmEntry& joining) {
  DUEL_RETURN_IF_ERROR(in_field("features", check_alike(joining, field.arms().front().entry)));
  return in_field("features", check_numbers(joining.id, joining.features));
}

Status check_context(const ArmField& field, const Context& context) {
  if (context.empty()) return Done{};
  const std::size_t width = field.arms().front().entry.features.size();
  if (width == 0) {
    return wrong_context("the arms of the experiment have no features")
        .with_hint("an experiment whose duels have contexts gives each arm `features` of its own");
  }
  std::vector<bool> given(field.num_arms());
  for (const auto& [arm_id, features] : context) {
    const auto arm = field.arm_of(arm_id);
    if (!arm.ok()) return wrong_context(arm.error().message).with_hint(arm.error().hint);
    if (given[*arm]) return wrong_context(fmt::format("'{}' is there twice", arm_id));
    given[*arm] = true;
    if (features.size() != width) {
      return wrong_context(fmt::format("'{}' has {}, and the experiment's arms have {}", arm_id,
                                       counted(features.size(), "feature"), width));
    }
    if (Status fit = check_numbers(arm_id, features); !fit.ok()) {
      return wrong_context(fit.error().message).with_hint(fit.error().hint);
    }
  }
  for (Arm arm = 0; arm < field.num_arms(); ++arm) {
    if (field.arms()[arm].active && !given[arm]) {
      return wrong_context(fmt::format("'{}' is missing", field.id_of(arm)))
          .with_hint("a context has features of every arm");
    }
  }
  return Done{};
}

std::shared_ptr<const FeatureRows> features_of(const std::vector<const ArmEntry*>& arms) {
  if (arms.empty() || arms.front()->features.empty()) return nullptr;
  std::vector<double> values;
  for (const ArmEntry* arm : arms) {
    values.insert(values.end(), arm->features.begin(), arm->features.end());
  }
  return std::make_shared<const FeatureRows>(arms.front()->features.size(), std::move(values));
}

}  // namespace duel
