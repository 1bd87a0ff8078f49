#include "duel/core/sample_mean.h"

#include <cmath>

#include "duel/core/undefined.h"

namespace duel {
namespace {

// Adds what rounding took from a running sum (Neumaier 1974).
class CompensatedSum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    lost_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace

double compensated_sum(std::span<const double> values) {
  CompensatedSum sum;
  for (const double x : values) sum.add(x);
  return sum.value();
}

double mean(std::span<const double> values) {
  return compensated_sum(values) / static_cast<double>(values.size());
}

double standard_error(std::span<const double> values, double mean) {
  if (values.size() < 2) return kUndefined;
  CompensatedSum squares;
  for (const double x : values) squares.add((x - mean) * (x - mean));
  const double n = static_cast<double>(values.size());
  return std::sqrt(squares.value() / (n - 1) / n);
}

}  // namespace duel
