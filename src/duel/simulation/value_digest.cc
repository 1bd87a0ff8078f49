#include "duel/simulation/value_digest.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "duel/core/check.h"

namespace duel {
namespace {

constexpr int kMantissaBits = 52;

// --- arithmetic on pairs of doubles: Knuth's two-sum, and Dekker's product by fma ----------------

using Pair = ExactSum::Pair;

Pair two_sum(double a, double b) {
  const double sum = a + b;
  const double rest = sum - a;
  return {sum, (a - (sum - rest)) + (b - rest)};
}
Pair two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}
Pair plus(const Pair& a, const Pair& b) {
  const Pair high = two_sum(a.high, b.high);
  return two_sum(high.high, high.low + a.low + b.low);
}
Pair minus(const Pair& a, const Pair& b) { return plus(a, {-b.high, -b.low}); }
Pair times(const Pair& a, const Pair& b) {
  const Pair high = two_product(a.high, b.high);
  return two_sum(high.high, high.low + a.high * b.low + a.low * b.high);
}
Pair divided(const Pair& a, double n) {
  const double first = a.high / n;
  const Pair rest = minus(a, two_product(first, n));
  return two_sum(first, rest.high / n);
}

// --- buckets ------------------------------------------------------------------------------------

// The sign, the exponent and the first 7 bits of the mantissa: ascending with the value, and exact.
constexpr int kBucketBits = 7;
constexpr int kDropped = kMantissaBits - kBucketBits;

std::int32_t bucket_of(double value) {
  const auto magnitude =
      static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(std::abs(value)) >> kDropped);
  return value < 0 ? -magnitude - 1 : magnitude;
}

double middle_of(std::int32_t bucket) {
  const auto magnitude = static_cast<std::uint64_t>(bucket < 0 ? -(bucket + 1) : bucket);
  // The first bucket holds zero, and beside it only what no regret comes near to: below 2^-1029.
  if (magnitude == 0) return 0;
  const auto low = std::bit_cast<double>(magnitude << kDropped);
  const auto high = std::bit_cast<double>((magnitude + 1) << kDropped);
  const double middle = low + (high - low) / 2;
  return bucket < 0 ? -middle : middle;
}

}  // namespace

void ExactSum::add(double x) {
  DUEL_CHECK(std::isfinite(x));
  if (x == 0) return;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<std::uint64_t>((bits >> kMantissaBits) & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << kMantissaBits) - 1);
  // x = mantissa 2^(place - 1074).
  const std::uint64_t place = exponent == 0 ? 0 : exponent - 1;
  if (exponent != 0) mantissa |= std::uint64_t{1} << kMantissaBits;
  const std::size_t limb = place / 32;
  const std::uint64_t shift = place % 32;
  const std::uint64_t low = mantissa << shift;
  const std::uint64_t high = shift == 0 ? 0 : mantissa >> (64 - shift);
  const std::int64_t sign = x < 0 ? -1 : 1;
  limbs_[limb] += sign * static_cast<std::int64_t>(low & 0xffff'ffff);
  limbs_[limb + 1] += sign * static_cast<std::int64_t>(low >> 32);
  limbs_[limb + 2] += sign * static_cast<std::int64_t>(high);
  if (++adds_ == kMostAdds) settle();
}

void ExactSum::add_square(double x) {
  DUEL_CHECK(std::abs(x) < 0x1p500);
  const Pair square = two_product(x, x);
  add(square.high);
  add(square.low);
}

void ExactSum::add(const ExactSum& other) {
  ExactSum settled = other;
  settled.settle();
  settle();
  for (std::size_t k = 0; k < kLimbs; ++k) limbs_[k] += settled.limbs_[k];
  settle();
}

// Carries, so that all limbs but the last are in 0 .. 2^32 - 1. The last one has the sign.
void ExactSum::settle() {
  for (std::size_t k = 0; k + 1 < kLimbs; ++k) {
    const std::int64_t carry = limbs_[k] >> 32;  // rounds down, also below zero (C++20)
    limbs_[k] -= carry * (std::int64_t{1} << 32);
    limbs_[k + 1] += carry;
  }
  adds_ = 0;
}

ExactSum::Pair ExactSum::value() const {
  ExactSum settled = *this;
  settled.settle();
  const bool negative = settled.limbs_.back() < 0;
  if (negative) {
    for (std::int64_t& limb : settled.limbs_) limb = -limb;
    settled.settle();
  }
  Pair sum;
  for (std::size_t k = kLimbs; k-- > 0;) {
    if (settled.limbs_[k] == 0) continue;
    const auto limb = static_cast<double>(settled.limbs_[k]);
    sum = plus(sum, {std::ldexp(limb, static_cast<int>(32 * k) - 1074), 0});
  }
  return negative ? Pair{-sum.high, -sum.low} : sum;
}

void ValueDigest::add(double value) {
  ++count_;
  if (std::isnan(value)) {
    undefined_ = true;
    return;
  }
  sum_.add(value);
  squares_.add_square(value);
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  ++buckets_[bucket_of(value)];
}

void ValueDigest::add(const ValueDigest& other) {
  count_ += other.count_;
  undefined_ = undefined_ || other.undefined_;
  sum_.add(other.sum_);
  squares_.add(other.squares_);
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  for (const auto& [bucket, count] : other.buckets_) buckets_[bucket] += count;
}

double ValueDigest::at_rank(std::uint64_t rank) const {
  // The ends are known.
  if (rank == 0) return min_;
  if (rank + 1 == count_) return max_;
  std::uint64_t before = 0;
  for (const auto& [bucket, count] : buckets_) {
    before += count;
    if (rank < before) return std::clamp(middle_of(bucket), min_, max_);
  }
  return max_;
}

// Type 7, as `quantile` of aggregate.h.
double ValueDigest::quantile(double p) const {
  const double h = static_cast<double>(count_ - 1) * p;
  const auto below = static_cast<std::uint64_t>(h);
  const double low = at_rank(below);
  if (below + 1 >= count_) return low;
  const double high = at_rank(below + 1);
  return std::min(low + (h - static_cast<double>(below)) * (high - low), high);
}

Summary ValueDigest::summary() const {
  DUEL_CHECK(count_ > 0);
  if (undefined_) return {};
  const auto n = static_cast<double>(count_);
  const Pair sum = sum_.value();
  Summary summary;
  summary.min = min_;
  summary.max = max_;
  summary.mean = std::clamp(divided(sum, n).high, min_, max_);
  if (count_ > 1) {
    // sum x^2 - (sum x)^2 / n: what cancels has about 100 bits.
    const Pair spread = minus(squares_.value(), divided(times(sum, sum), n));
    const double squares = min_ == max_ ? 0 : std::max(0.0, spread.high);
    summary.se = std::sqrt(squares / (n - 1) / n);
  }
  summary.median = quantile(0.5);
  summary.q10 = quantile(0.1);
  summary.q90 = quantile(0.9);
  return summary;
}

}  // namespace duel
