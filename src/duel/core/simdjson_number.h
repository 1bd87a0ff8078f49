// Numbers with a fraction of a text that simdjson reads. For sources only: include it after
// simdjson.h.
#pragma once

#include <cmath>
#include <cstddef>
#include <string_view>

#include "duel/core/decimal.h"

namespace duel {

// The value's text if it is a number.
inline std::string_view number_token(simdjson::ondemand::value value) {
  const std::string_view rest = value.raw_json_token();
  return rest.substr(0, rest.find_last_not_of(" \t\r\n") + 1);
}

// False: it is no number, or beyond the largest double. simdjson 3.0 reads wrong numbers where more
// than 19 digits follow "0.": 0.33333333333333333333 became 0.149.
inline bool read_double(simdjson::ondemand::value value, double& out) {
  constexpr std::size_t kMostForSimdjson = 19;
  const std::string_view token = number_token(value);
  if (token.size() <= kMostForSimdjson) return value.get_double().get(out) == simdjson::SUCCESS;
  if (!is_json_number(token)) return false;
  out = double_of(token);
  return std::isfinite(out);
}

}  // namespace duel
