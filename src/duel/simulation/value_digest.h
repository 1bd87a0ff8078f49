// What remains of many values when there are too many to keep: count, mean, standard error, minimum
// and maximum as if they had been kept, and quantiles with a relative error of at most 1/256.
// Digests of parts merge into the digest of the whole, the same bits however the values were split
// and in whatever order they came.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>

#include "duel/simulation/aggregate.h"

namespace duel {

// The sum of any doubles without rounding, so that their order does not matter: an integer long
// enough for the whole range of a double, as Kulisch proposed (Kulisch and Miranker, 1986).
class ExactSum {
 public:
  // A value as the unevaluated sum of two doubles, about 100 bits.
  struct Pair {
    double high = 0;
    double low = 0;
  };

  // REQUIRES: x is finite.
  void add(double x);
  // x^2 without rounding. REQUIRES: |x| < 2^500.
  void add_square(double x);
  void add(const ExactSum& other);

  Pair value() const;

 private:
  // Limb k counts units of 2^(32 k - 1074). Between two `settle`s it may grow beyond its 32 bits.
  static constexpr std::size_t kLimbs = 68;
  static constexpr std::uint32_t kMostAdds = 1u << 30;  // each adds less than 2^32 to a limb

  void settle();

  std::array<std::int64_t, kLimbs> limbs_{};
  std::uint32_t adds_ = 0;  // since the last `settle`
};

class ValueDigest {
 public:
  // Quantiles are off by at most this share of the value: a bucket of the histogram is an interval
  // [x, x + x/128) or smaller, and its middle stands for what is in it.
  static constexpr double kQuantileError = 1.0 / 256;

  void add(double value);
  void add(const ValueDigest& other);

  std::uint64_t count() const { return count_; }
  // As `summarize` of all values, but for the error of the quantiles. REQUIRES: count() > 0.
  Summary summary() const;

 private:
  double at_rank(std::uint64_t rank) const;
  double quantile(double p) const;

  std::uint64_t count_ = 0;
  bool undefined_ = false;  // a value was NaN
  ExactSum sum_;
  ExactSum squares_;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  std::map<std::int32_t, std::uint64_t> buckets_;
};

}  // namespace duel
