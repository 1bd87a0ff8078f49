// The exponential function, from + - * alone, so that every machine gets the same bits. Within 2
// ulp of the true value where the result is a normal number.
#pragma once

#include <bit>
#include <cstdint>

namespace duel {

// 0 below about -745, where the true value is less than half the smallest double. REQUIRES: x <=
// 709.
inline double exponential(double x) {
  if (x < -746.0) return 0.0;
  // x = k ln 2 + r, |r| <= ln(2)/2.
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 0x1.62e42fee00000p-1;  // 32 bits: k * high is exact
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  const double scaled = x * kLog2E;
  const auto k = static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  const double high = x - static_cast<double>(k) * kLn2High;
  const double low = static_cast<double>(k) * kLn2Low;
  const double r = high - low;
  // Taylor: the term after r^13/13! lies below 2^-57. The low part is added once more to first
  // order, since r rounds.
  double tail = 1.0 / 6227020800.0;
  tail = tail * r + 1.0 / 479001600.0;
  tail = tail * r + 1.0 / 39916800.0;
  tail = tail * r + 1.0 / 3628800.0;
  tail = tail * r + 1.0 / 362880.0;
  tail = tail * r + 1.0 / 40320.0;
  tail = tail * r + 1.0 / 5040.0;
  tail = tail * r + 1.0 / 720.0;
  tail = tail * r + 1.0 / 120.0;
  tail = tail * r + 1.0 / 24.0;
  tail = tail * r + 1.0 / 6.0;
  tail = tail * r + 0.5;
  const double rounding = (high - r) - low;
  const double value = 1.0 + (r + (rounding + r * r * tail));
  const auto power = [](std::int64_t exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  };
  if (k > 1023) return value * 2.0 * power(k - 1);
  if (k >= -1022) return value * power(k);
  return value * power(k + 100) * 0x1p-100;  // a subnormal result rounds once
}

// 1 - exp(-x) for x >= 0, accurate also where x is small.
inline double complement_of_exponential(double x) {
  if (x < 0.03) {
    // The term after x^8/8! lies below 2^-56 of the sum.
    return x *
           (1 -
            x / 2 *
                (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6 * (1 - x / 7 * (1 - x / 8)))))));
  }
  return 1.0 - exponential(-x);
}

}  // namespace duel
