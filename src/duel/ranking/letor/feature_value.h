// Decimal text to the nearest float, fast for the short numbers that feature files are made of.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace duel {

enum class ValueFault { none, not_a_number, not_finite, too_large };

struct ParsedValue {
  float value = 0;
  const char* end = nullptr;  // behind what was read
  ValueFault fault = ValueFault::none;
};

namespace letor_internal {

inline constexpr std::array<double, 23> kPowersOfTen{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// The general case, by the standard library. `begin` .. `end` is a number without its sign, and
// `exponent` what stands behind its `e`.
ParsedValue parse_slowly(const char* begin, const char* end, bool negative, std::int64_t exponent);

// `nan`, `inf`, `infinity` in any case.
bool begins_non_finite(const char* c);

}  // namespace letor_internal

// Reads the longest number at `begin`: an optional sign, digits with at most one point, an optional
// exponent. The nearest float (ties to even); what is too small becomes 0 or a denormal, what is
// too large is a fault, and so are `nan` and `inf`. REQUIRES: a character that belongs to no
// number, such as a newline, stands before `end` of the buffer (the reader looks no further).
inline ParsedValue parse_feature_value(const char* begin) {
  const char* c = begin;
  const bool negative = *c == '-';
  if (*c == '-' || *c == '+') ++c;
  const char* const unsigned_begin = c;
  // Up to 19 digits fit in 64 bits; numbers with more take the general way.
  std::uint64_t mantissa = 0;
  while (letor_internal::is_digit(*c))
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*c++ - '0');
  std::int64_t digits = c - unsigned_begin;
  std::int64_t exponent = 0;
  if (*c == '.') {
    const char* const point = c++;
    while (letor_internal::is_digit(*c))
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*c++ - '0');
    exponent = point + 1 - c;
    digits -= exponent;
  }
  if (digits == 0) {
    return {
        0, c,
        letor_internal::begins_non_finite(c) ? ValueFault::not_finite : ValueFault::not_a_number};
  }
  std::int64_t written = 0;
  if (*c == 'e' || *c == 'E') {
    ++c;
    const bool down = *c == '-';
    if (*c == '-' || *c == '+') ++c;
    if (!letor_internal::is_digit(*c)) return {0, c, ValueFault::not_a_number};
    for (; letor_internal::is_digit(*c); ++c) {
      if (written < 100'000) written = written * 10 + (*c - '0');
    }
    if (down) written = -written;
    exponent += written;
  }
  // Clinger's fast path: mantissa and power of ten are exact doubles, so their product or quotient
  // d is the nearest double. Rounding d once more to float gives the nearest float unless d lies
  // exactly between two floats (the text may lie to either side of it), which the 29 bits that are
  // cut off show; float denormals are cut elsewhere and left to the general way.
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (digits <= 19 && mantissa <= kExact && exponent >= -22 && exponent <= 22) {
    const auto m = static_cast<double>(mantissa);
    const double d = exponent < 0
                         ? m / letor_internal::kPowersOfTen[static_cast<std::size_t>(-exponent)]
                         : m * letor_internal::kPowersOfTen[static_cast<std::size_t>(exponent)];
    constexpr std::uint64_t kCutOff = (std::uint64_t{1} << 29) - 1;
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 28;
    const bool halfway = (std::bit_cast<std::uint64_t>(d) & kCutOff) == kHalf;
    const bool normal = d >= std::numeric_limits<float>::min() && d < 3e38;
    if ((normal && !halfway) || mantissa == 0) {
      const auto value = static_cast<float>(d);
      return {negative ? -value : value, c, ValueFault::none};
    }
  }
  return letor_internal::parse_slowly(unsigned_begin, c, negative, written);
}

}  // namespace duel
