// What an action on a shown item is worth to the ranker whose pick it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"

namespace duel {

// The action that is worth its weight for every second instead of once.
inline constexpr std::string_view kDwell = "dwell";

// Worth must not depend on who picked the item, or the comparison would favour somebody; actions,
// positions and items do not.
struct CreditRule {
  // Actions that count, with their weights; all others are passed over. An action on an item counts
  // once, however often it is repeated.
  std::vector<std::pair<std::string, double>> actions = {{"click", 1.0}};
  // What the weights are multiplied by at ordinal 1, 2, ..; the last one holds for all that follow.
  // Empty: 1 everywhere.
  std::vector<double> positions;
  // The most that one item can earn; 0: no cap.
  double item_cap = 0;

  // By number, or nothing where the action does not count.
  std::optional<std::uint32_t> action(std::string_view name) const;
  double position_weight(std::uint64_t ordinal) const;
  double capped(double worth) const { return item_cap > 0 && worth > item_cap ? item_cap : worth; }
};

// Errors name the field.
Status check_rule(const CreditRule& rule);
// `click=1,add_to_cart=3,dwell=0.01`.
Result<std::vector<std::pair<std::string, double>>> parse_action_weights(std::string_view text);
// `1,0.8,0.6`.
Result<std::vector<double>> parse_position_weights(std::string_view text);

}  // namespace duel
