#include "duel/continuous/value_function.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "duel/core/exponential.h"
#include "duel/core/vectors.h"

namespace duel {
namespace {

constexpr double kLargestExponent = 600;

// core/exponential.h for two numbers of [0, 600] at a time: the same steps, so the same bits.
DoubleLanes exponential_lanes(DoubleLanes x) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 0x1.62e42fee00000p-1;
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  const IntLanes k = __builtin_convertvector(x * kLog2E + 0.5, IntLanes);
  const DoubleLanes whole = __builtin_convertvector(k, DoubleLanes);
  const DoubleLanes high = x - whole * kLn2High;
  const DoubleLanes low = whole * kLn2Low;
  const DoubleLanes r = high - low;
  constexpr double kCoefficients[] = {1.0 / 479001600.0,
                                      1.0 / 39916800.0,
                                      1.0 / 3628800.0,
                                      1.0 / 362880.0,
                                      1.0 / 40320.0,
                                      1.0 / 5040.0,
                                      1.0 / 720.0,
                                      1.0 / 120.0,
                                      1.0 / 24.0,
                                      1.0 / 6.0,
                                      0.5};
  DoubleLanes tail = {1.0 / 6227020800.0, 1.0 / 6227020800.0};
  for (const double coefficient : kCoefficients) tail = tail * r + coefficient;
  const DoubleLanes rounding = (high - r) - low;
  const DoubleLanes value = 1.0 + (r + (rounding + r * r * tail));
  const IntLanes bits = (k + 1023) << 52;
  DoubleLanes power;
  std::memcpy(&power, &bits, sizeof(power));
  return value * power;
}

DoubleLanes cut_exponential(DoubleLanes x) {
  const DoubleLanes most = {kLargestExponent, kLargestExponent};
  return exponential_lanes(x < most ? x : most);
}
double cut_exponential(double x) { return exponential(std::min(x, kLargestExponent)); }

DoubleLanes magnitudes(DoubleLanes x) { return x < 0 ? -x : x; }

double sum_of_magnitudes(std::span<const double> w) {
  return sum_of(
      w.size(), [&](std::size_t k) { return magnitudes(load_lanes<DoubleLanes>(&w[k])); },
      [&](std::size_t k) { return std::fabs(w[k]); });
}

// Lane 0 holds the odd coordinates (1-based), lane 1 the even ones.
double squares_and_magnitudes(std::span<const double> w) {
  return sum_of(
      w.size(),
      [&](std::size_t k) {
        const auto x = load_lanes<DoubleLanes>(&w[k]);
        const DoubleLanes factor = {x[0], x[1] < 0 ? -1.0 : 1.0};
        return x * factor;
      },
      [&](std::size_t k) { return k % 2 == 0 ? w[k] * w[k] : std::fabs(w[k]); });
}

double hyperbolic_sum(std::span<const double> w) {
  return sum_of(
      w.size(),
      [&](std::size_t k) {
        const DoubleLanes e = cut_exponential(magnitudes(load_lanes<DoubleLanes>(&w[k])));
        return e + 1.0 / e;
      },
      [&](std::size_t k) {
        const double e = cut_exponential(std::fabs(w[k]));
        return e + 1.0 / e;
      });
}

// In every three coordinates the first counts if it is positive, the second if it is
// negative.
double one_sided_exponentials(std::span<const double> w) {
  double sum = 0;
  std::size_t k = 0;
  for (; k + 2 <= w.size(); k += 3) {
    const DoubleLanes x = {std::max(w[k], 0.0), std::max(-w[k + 1], 0.0)};
    const DoubleLanes e = cut_exponential(x);
    sum += e[0] + e[1];
  }
  return k < w.size() ? sum + cut_exponential(std::max(w[k], 0.0)) : sum;
}

}  // namespace

double value_at(ValueFunction value, std::span<const double> point) {
  switch (value) {
    case ValueFunction::v1:
      return -squared_norm(point);
    case ValueFunction::v2:
      return -sum_of_magnitudes(point);
    case ValueFunction::v3:
      return -squares_and_magnitudes(point);
    case ValueFunction::v4:
      return -hyperbolic_sum(point);
    case ValueFunction::v5:
      return -squares_and_magnitudes(point) - one_sided_exponentials(point);
  }
  return 0;
}

double largest_value(ValueFunction value, std::size_t dimension) {
  const auto d = static_cast<double>(dimension);
  if (value == ValueFunction::v4) return -2.0 * d;
  // Each coordinate with i % 3 = 1 or 2 contributes exp(0).
  const std::size_t thirds = dimension / 3;
  if (value == ValueFunction::v5) return static_cast<double>(thirds) - d;
  return 0;
}

std::string_view value_name(ValueFunction value) {
  constexpr std::string_view kNames[] = {"v1", "v2", "v3", "v4", "v5"};
  return kNames[static_cast<std::size_t>(value)];
}

}  // namespace duel
