// The natural logarithm, from + - * / alone, so that every machine gets the same bits: decisions
// and wake-up times depend on it. Within 2 ulp of the true value; non-decreasing on the integers
// that rounds are made of (tested).
#pragma once

#include <bit>
#include <cstdint>

namespace duel {

// REQUIRES: x is finite, normal and > 0.
inline double natural_log(double x) {
  // x = 2^k * m with m in [sqrt(1/2), sqrt(2)).
  const auto bits = std::bit_cast<std::uint64_t>(x);
  constexpr std::uint64_t kHalfRootBits = 0x3fe6a09e667f3bcdULL;  // sqrt(1/2)
  constexpr std::uint64_t kMantissa = 0x000fffffffffffffULL;
  const std::uint64_t shifted = bits + (0x3ff0000000000000ULL - kHalfRootBits);
  const double k = static_cast<double>(static_cast<std::int64_t>(shifted >> 52) - 1023);
  const double m = std::bit_cast<double>((shifted & kMantissa) + kHalfRootBits);
  // ln m = 2 artanh(s), s = (m - 1)/(m + 1), |s| < 0.1716: the series in s^2 has fallen below
  // 2^-54 of the leading term after eleven terms. Split into even and odd terms for two chains.
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double y = z * z;
  const double odd =
      z *
      (1.0 / 3 + y * (1.0 / 7 + y * (1.0 / 11 + y * (1.0 / 15 + y * (1.0 / 19 + y * (1.0 / 23))))));
  const double even =
      y * (1.0 / 5 + y * (1.0 / 9 + y * (1.0 / 13 + y * (1.0 / 17 + y * (1.0 / 21)))));
  // ln m = f - s (f - 2 (tail)) is the form that keeps the leading term exact.
  const double tail = 2.0 * (odd + even);
  const double log_m = f - s * (f - tail);
  constexpr double kLn2High = 0x1.62e42fee00000p-1;  // 32 bits: k * high is exact
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  return k * kLn2High + (log_m + k * kLn2Low);
}

}  // namespace duel
