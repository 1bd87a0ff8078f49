// Numbers of JSON by their exact values, whatever their size and number of digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace duel {

// By the grammar of RFC 8259, without white space.
bool is_json_number(std::string_view text);

// Digits without zeros at either end, and the power of ten that they are multiplied with.
struct Decimal {
  bool negative = false;
  std::string digits;      // none: 0, which is not negative
  std::int64_t power = 0;  // beyond 1e15, which nobody means, it is 1e15

  std::string text() const;  // the same for equal numbers; "0" or "-123e4"
  friend bool operator==(const Decimal&, const Decimal&) = default;
};
// REQUIRES: is_json_number(text).
Decimal decimal_of(std::string_view text);

// The nearest double; an infinity beyond the largest. REQUIRES: is_json_number(text).
double double_of(std::string_view text);

}  // namespace duel
