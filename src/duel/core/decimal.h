// Numbers of JSON by their exact values, whatever their size and number of digits.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace duel {

// By the grammar of RFC 8259, without white space.
inline bool is_json_number(std::string_view text) {
  const auto take = [&](std::string_view any_of) {
    const bool found = !text.empty() && any_of.find(text.front()) != std::string_view::npos;
    if (found) text.remove_prefix(1);
    return found;
  };
  const auto take_digits = [&] {
    bool some = false;
    while (take("0123456789")) some = true;
    return some;
  };
  take("-");
  if (!take("0") && !take_digits()) return false;
  if (take(".") && !take_digits()) return false;
  if (take("eE")) {
    take("+-");
    if (!take_digits()) return false;
  }
  return text.empty();
}

// Digits without zeros at either end, and the power of ten that they are multiplied with.
struct Decimal {
  bool negative = false;
  std::string digits;      // none: 0, which is not negative
  std::int64_t power = 0;  // beyond 1e15, which nobody means, it is 1e15

  std::string text() const;  // the same for equal numbers; "0" or "-123e4"
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

inline std::string Decimal::text() const {
  return digits.empty() ? "0" : fmt::format("{}{}e{}", negative ? "-" : "", digits, power);
}

// REQUIRES: is_json_number(text).
inline Decimal decimal_of(std::string_view text) {
  constexpr std::int64_t kMostPower = 1'000'000'000'000'000;
  Decimal decimal{.negative = text.starts_with('-'), .digits = "", .power = 0};
  text.remove_prefix(decimal.negative ? 1 : 0);
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  if (end < text.size()) {
    std::string_view power = text.substr(end + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto [rest, code] =
        std::from_chars(power.data(), power.data() + power.size(), decimal.power);
    if (code != std::errc()) decimal.power = power.starts_with('-') ? -kMostPower : kMostPower;
    decimal.power = std::clamp(decimal.power, -kMostPower, kMostPower);
  }
  std::string& digits = decimal.digits;
  digits = text.substr(0, end);
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    digits.erase(point, 1);
    decimal.power -= static_cast<std::int64_t>(digits.size() - point);
  }
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return {};
  const std::size_t kept = digits.find_last_not_of('0') + 1;
  decimal.power += static_cast<std::int64_t>(digits.size() - kept);
  digits.resize(kept);
  return decimal;
}

// The nearest double; an infinity beyond the largest. REQUIRES: is_json_number(text).
inline double double_of(std::string_view text) {
  double value = 0;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc::result_out_of_range) return value;
  // from_chars does not say on which side of the range the number is.
  const Decimal decimal = decimal_of(text);
  if (decimal.power + static_cast<std::int64_t>(decimal.digits.size()) < 0) return 0;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return decimal.negative ? -kInfinity : kInfinity;
}

}  // namespace duel
