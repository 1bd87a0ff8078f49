#include "duel/ranking/letor/feature_value.h"

#include <charconv>
#include <cstdint>

namespace duel {
namespace {

using letor_internal::is_digit;

// Whether a non-zero number is below 1: the place of its first non-zero digit, and the exponent.
bool is_below_one(const char* begin, const char* end, std::int64_t exponent) {
  const char* point = begin;
  while (point != end && is_digit(*point)) ++point;
  const char* digit = begin;
  while (digit != end && (*digit == '0' || *digit == '.')) ++digit;
  // 10^place is the weight of that digit.
  const std::int64_t place = digit < point ? point - digit - 1 : point - digit;
  return place + exponent < 0;
}

}  // namespace

// The general case, by the standard library. `begin` .. `end` is a number without its sign, and
// `exponent` what stands behind its `e`.
ParsedValue letor_internal::parse_slowly(const char* begin, const char* end, bool negative,
                                         std::int64_t exponent) {
  float value = 0;
  const auto result = std::from_chars(begin, end, value);
  if (result.ec == std::errc::result_out_of_range) {
    if (!is_below_one(begin, end, exponent)) return {0, end, ValueFault::too_large};
    double wide = 0;  // stays 0 where it is too small even for a double
    std::from_chars(begin, end, wide);
    value = static_cast<float>(wide);
  } else if (result.ec != std::errc() || result.ptr != end) {
    return {0, end, ValueFault::not_a_number};
  }
  return {negative ? -value : value, end, ValueFault::none};
}

// `nan`, `inf`, `infinity` in any case.
bool letor_internal::begins_non_finite(const char* c) {
  const auto lower = [](char x) { return static_cast<char>(x | 0x20); };
  return (lower(c[0]) == 'n' && lower(c[1]) == 'a' && lower(c[2]) == 'n') ||
         (lower(c[0]) == 'i' && lower(c[1]) == 'n' && lower(c[2]) == 'f');
}

}  // namespace duel
