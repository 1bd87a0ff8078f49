#include "duel/core/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace duel {

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  const auto last = text.find_last_not_of(" \t\r\n");
  return text.substr(first, last - first + 1);
}

Result<double> parse_number(std::string_view text) {
  std::string_view body = trimmed(text);
  // from_chars takes no plus sign, and a sign behind it must not slip through.
  if (body.size() > 1 && body[0] == '+' && body[1] != '-') body.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(body.data(), body.data() + body.size(), value);
  if (code == std::errc::result_out_of_range) {
    return Error::invalid_argument(fmt::format("'{}' is out of range", text));
  }
  if (code != std::errc() || end != body.data() + body.size() || !std::isfinite(value)) {
    return Error::invalid_argument(fmt::format("'{}' is not a number", text));
  }
  return value;
}

Result<std::uint64_t> parse_count(std::string_view text) {
  const std::string_view body = trimmed(text);
  const Error not_whole =
      Error::invalid_argument(fmt::format("'{}' is not a whole number, 0 or more", text));
  if (!body.empty() && (body[0] == '+' || body[0] == '-')) return not_whole;
  std::uint64_t whole = 0;
  const auto [end, code] = std::from_chars(body.data(), body.data() + body.size(), whole);
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  const Error too_large =
      Error::invalid_argument(fmt::format("'{}' is too large", text)).with_hint("at most 2^63 - 1");
  if (code == std::errc() && end == body.data() + body.size()) {
    if (whole >= kLimit) return too_large;
    return whole;
  }
  const auto number = parse_number(body);
  if (!number.ok()) {
    if (code == std::errc::result_out_of_range) return too_large;
    return number.error();
  }
  if (*number != std::floor(*number)) return not_whole;
  if (*number >= 0x1p63) return too_large;
  return static_cast<std::uint64_t>(*number);
}

std::string format_number(double value) { return fmt::format("{}", value); }

}  // namespace duel
