// What comparisons say about a linear utility: theta of P(a wins) = s((phi(a) - phi(b)) . theta),
// s logistic, with a normal prior. The posterior is kept as its mode and a Cholesky factor of the
// curvature there (Laplace).
//
// Of 16 384 answers the older half is folded into the prior: it stays what it says of theta near
// the mode of that moment, as a normal distribution, and the answers themselves are forgotten.
//
// Everything is plain loops in one fixed order, so that it has the same bits on every machine.
// Cost       n answers that are kept, M features: O(M^2 + n M) an answer, O(n M^2) where the factor
//            is made anew, which is after 8, 16, 24, 36, .. answers, each time half as many more,
//            and at each fold; M numbers are kept for each of the last 16 384 answers at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/core/archive.h"

namespace duel {

class PreferenceFit {
 public:
  static constexpr std::size_t kMostKept = 16'384;

  // theta ~ N(prior, I). `most_kept` answers are not kept, but half of them, at least 2.
  explicit PreferenceFit(std::vector<double> prior, std::size_t most_kept = kMostKept);

  std::size_t size() const { return state_.theta.size(); }
  // All of them, and those that are kept.
  std::uint64_t answers() const { return state_.folded + kept(); }
  std::size_t kept() const { return state_.answered.size(); }

  // An answer about features that differ by `given`, at most 2 long: 1 the first won, 0 the
  // second, 1/2 neither. It is followed by so many Newton steps; there is no test of convergence,
  // so that the work is known beforehand.
  void add(std::span<const double> given, double answer, int steps);

  std::span<const double> theta() const { return state_.theta; }
  // L of L L^T, the curvature; column by column, M numbers each.
  std::span<const double> factor() const { return state_.factor; }
  // theta + L^-T z: a draw of the posterior where z is standard normal. In place.
  void draw(std::span<double> z) const;

  struct Gap {
    double mean;
    double deviation;
  };
  // Of the difference of utilities.
  Gap gap(std::span<const double> given) const;

  struct State {
    std::vector<double> theta, factor;
    std::vector<double> differences;  // of every answer that is kept, M numbers each
    std::vector<double> answered, weights;
    std::uint64_t factored_at = 0;  // answers when the factor was last made anew
    std::uint64_t folded = 0;       // answers that are in the prior
    // The prior with them, once there are any: its precision P, column by column with what is
    // above the diagonal left out, and P times its mean.
    std::vector<double> precision, pull;

    void fields(auto& archive) {
      archive(theta, factor, differences, answered, weights, factored_at, folded, precision, pull);
    }
  };
  void fields(auto& archive) { archive(state_); }
  bool restored(std::size_t size) const;

 private:
  double* column(std::size_t k) { return state_.factor.data() + k * size(); }
  std::span<const double> difference(std::size_t t) const {
    return {state_.differences.data() + t * size(), size()};
  }
  bool newton_step();
  void factor_anew();
  void fold_older_half();
  // P times x, of the prior's precision.
  std::vector<double> precision_times(std::span<const double> x) const;

  std::vector<double> prior_;
  std::size_t most_kept_;
  State state_;
};

}  // namespace duel
