#include "duel/ranking/click_credit/credit_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duel/core/csv.h"
#include "duel/core/numbers.h"

namespace duel {
namespace {

Result<double> weight_of(std::string_view text) {
  const auto number = parse_number(trimmed(text));
  if (!number.ok() || *number < 0) {
    return Error::invalid_argument(fmt::format("'{}' is not a weight", text))
        .with_hint("a number, 0 or more");
  }
  return *number;
}

}  // namespace

std::optional<std::uint32_t> CreditRule::action(std::string_view name) const {
  for (std::uint32_t k = 0; k < actions.size(); ++k) {
    if (actions[k].first == name) return k;
  }
  return std::nullopt;
}

double CreditRule::position_weight(std::uint64_t ordinal) const {
  if (positions.empty()) return 1;
  return positions[std::min<std::size_t>(ordinal, positions.size()) - 1];
}

Status check_rule(const CreditRule& rule) {
  const bool any = std::any_of(rule.actions.begin(), rule.actions.end(),
                               [](const auto& action) { return action.second > 0; });
  if (!any) {
    return Error::invalid_argument("no action is worth anything")
        .with_hint("as in click=1,add_to_cart=3")
        .in_field("weights");
  }
  if (rule.actions.size() > 64) {
    return Error::invalid_argument("there are more than 64 actions").in_field("weights");
  }
  if (!(rule.item_cap >= 0) || !std::isfinite(rule.item_cap)) {
    return Error::invalid_argument(fmt::format("{} is out of range", rule.item_cap))
        .with_hint("0 (no cap) or more")
        .in_field("item_cap");
  }
  return Done{};
}

Result<std::vector<std::pair<std::string, double>>> parse_action_weights(std::string_view text) {
  std::vector<std::pair<std::string, double>> actions;
  for (const std::string& entry : split_at_commas(text)) {
    const std::size_t equals = entry.find('=');
    const std::string name(trimmed(std::string_view(entry).substr(0, equals)));
    if (equals == std::string::npos || name.empty()) {
      return Error::invalid_argument(fmt::format("'{}' is not an action with its weight", entry))
          .with_hint("as in click=1,add_to_cart=3");
    }
    DUEL_ASSIGN(const double weight, weight_of(std::string_view(entry).substr(equals + 1)));
    for (const auto& [known, value] : actions) {
      if (known == name) {
        return Error::invalid_argument(fmt::format("the action '{}' is given twice", name));
      }
    }
    actions.emplace_back(name, weight);
  }
  return actions;
}

Result<std::vector<double>> parse_position_weights(std::string_view text) {
  std::vector<double> weights;
  for (const std::string& entry : split_at_commas(text)) {
    DUEL_ASSIGN(const double weight, weight_of(entry));
    weights.push_back(weight);
  }
  return weights;
}

}  // namespace duel
