// Intervals for a mean that hold at all times at once: with probability 1 - delta no interval of
// the sequence ever misses the truth, so one may look after every answer and stop when one likes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "duel/inference/interval.h"

namespace duel {

// ln of the beta-binomial mixture's statistic against "the success probability is p":
//     B(a + s, b + f)/B(a, b) p^-s (1 - p)^-f,
// an e-process under it. Infinite where p excludes what was seen. REQUIRES: a, b >= 1/2, 0 <= p <=
// 1.
double beta_binomial_log_evidence(std::uint64_t successes, std::uint64_t failures, double p,
                                  double a = 0.5, double b = 0.5);

// {p : the statistic above is < 1/delta}. Its logarithm is convex in p with its minimum at s/n, so
// that the ends are found by bisection; they are rounded outwards. REQUIRES: 0 < delta < 1.
Interval beta_binomial_sequence(std::uint64_t successes, std::uint64_t failures, double delta,
                                double a = 0.5, double b = 0.5);

// Hedged capital (Waudby-Smith and Ramdas 2024): for answers anywhere in [0, 1], such as ties that
// count one half, narrower than what only knows their range. For each candidate mean m two gamblers
// bet against m from above and below; m is ruled out for good once half the richer one's capital
// reaches 1/delta. Candidates are the 999 interior points of a grid of 1/1000. Capital falls
// (rises) with m, so that what is left is an interval, and its ends, the last points ruled out, are
// safe.
class HedgedCapital {
 public:
  explicit HedgedCapital(double delta);  // REQUIRES: 0 < delta < 1

  void observe(double x);  // REQUIRES: 0 <= x <= 1. O(points still in).

  Interval interval() const;
  std::uint64_t count() const { return count_; }

  static constexpr std::size_t kCells = 1000;

 private:
  double log_two_over_delta_;
  double level_;  // 2/delta
  std::uint64_t count_ = 0;
  double sum_ = 0;
  double squares_ = 0;                    // sum of (x_l - mean_l)^2, mean_l after l answers
  std::array<double, kCells + 1> above_;  // K+ at m = k/1000
  std::array<double, kCells + 1> below_;  // K-
  std::size_t first_ = 1;                 // points first_ .. last_ are still in
  std::size_t last_ = kCells - 1;
};

}  // namespace duel
