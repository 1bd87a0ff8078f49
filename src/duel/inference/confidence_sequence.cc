#include "duel/inference/confidence_sequence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "duel/core/check.h"
#include "duel/core/logarithm.h"

namespace duel {
namespace {

// ln Gamma for x >= 1/2 from + - * / and natural_log: the recurrence up to 16, then Stirling's
// series, whose first term left out is below 1e-17 there.
double log_gamma(double x) {
  double product = 1;
  while (x < 16.0) {
    product *= x;
    x += 1.0;
  }
  const double y = 1.0 / (x * x);
  const double series =
      (1.0 / 12 +
       y * (-1.0 / 360 +
            y * (1.0 / 1260 + y * (-1.0 / 1680 + y * (1.0 / 1188 + y * (-691.0 / 360360)))))) /
      x;
  constexpr double kHalfLogTwoPi = 0x1.d67f1c864beb5p-1;
  return (x - 0.5) * natural_log(x) - x + kHalfLogTwoPi + series - natural_log(product);
}

double log_beta(double a, double b) { return log_gamma(a) + log_gamma(b) - log_gamma(a + b); }

// count ln(1/p), with 0 ln(1/0) = 0.
double log_cost(double count, double p) {
  if (count == 0) return 0;
  return p > 0 ? -count * natural_log(p) : std::numeric_limits<double>::infinity();
}

// The end between `outside`, which is ruled out, and `inside`, which is not: the ruled-out
// neighbour.
template <class RuledOut>
double bisect(double inside, double outside, const RuledOut& ruled_out) {
  for (;;) {
    const double middle = 0.5 * (inside + outside);
    if (middle == inside || middle == outside || middle < 1e-300) return outside;
    (ruled_out(middle) ? outside : inside) = middle;
  }
}

}  // namespace

double beta_binomial_log_evidence(std::uint64_t successes, std::uint64_t failures, double p,
                                  double a, double b) {
  DUEL_CHECK(a >= 0.5 && b >= 0.5 && p >= 0 && p <= 1);
  const auto s = static_cast<double>(successes), f = static_cast<double>(failures);
  return log_beta(a + s, b + f) - log_beta(a, b) + log_cost(s, p) + log_cost(f, 1.0 - p);
}

Interval beta_binomial_sequence(std::uint64_t successes, std::uint64_t failures, double delta,
                                double a, double b) {
  DUEL_CHECK(a >= 0.5 && b >= 0.5 && delta > 0 && delta < 1);
  if (successes + failures == 0) return {};
  const auto s = static_cast<double>(successes), f = static_cast<double>(failures);
  const double mixture = log_beta(a + s, b + f) - log_beta(a, b);
  const double level = natural_log(1.0 / delta);
  const auto ruled_out = [&](double p) {
    return mixture + log_cost(s, p) + log_cost(f, 1.0 - p) >= level;
  };
  const double mean = s / (s + f);
  Interval interval;
  if (ruled_out(0.0)) interval.lower = bisect(mean, 0.0, ruled_out);
  if (ruled_out(1.0)) interval.upper = bisect(mean, 1.0, ruled_out);
  return interval;
}

HedgedCapital::HedgedCapital(double delta)
    : log_two_over_delta_(natural_log(2.0 / delta)), level_(2.0 / delta), above_{}, below_{} {
  DUEL_CHECK(delta > 0 && delta < 1);
  above_.fill(1.0);
  below_.fill(1.0);
}

void HedgedCapital::observe(double x) {
  DUEL_CHECK(x >= 0 && x <= 1);
  // The bet on answer i is fixed by the i - 1 answers before it.
  const auto i = static_cast<double>(count_ + 1);
  const double variance = (0.25 + squares_) / i;
  const double bet = std::sqrt(2.0 * log_two_over_delta_ / (variance * i * natural_log(i + 1.0)));
  constexpr double kCap = 0.5;  // at most half of what could be lost
  for (std::size_t k = first_; k <= last_; ++k) {
    const double m = static_cast<double>(k) / static_cast<double>(kCells);
    above_[k] *= 1.0 + std::min(bet, kCap / m) * (x - m);
    below_[k] *= 1.0 - std::min(bet, kCap / (1.0 - m)) * (x - m);
  }
  while (first_ <= last_ && above_[first_] >= level_) ++first_;
  while (first_ <= last_ && below_[last_] >= level_) --last_;
  ++count_;
  sum_ += x;
  const double mean = (0.5 + sum_) / (i + 1.0);
  squares_ += (x - mean) * (x - mean);
}

Interval HedgedCapital::interval() const {
  const auto cells = static_cast<double>(kCells);
  return {static_cast<double>(first_ - 1) / cells, static_cast<double>(last_ + 1) / cells};
}

}  // namespace duel
