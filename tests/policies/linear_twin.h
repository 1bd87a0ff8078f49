// Utilities that are linear in features, as written: every answer is kept, theta is found from 0 by
// Newton's method each time it is asked for, matrices are inverted by Gauss and Jordan.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/feature_rows.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"
#include "duel/policies/parts/linear_policy.h"
#include "duel/policies/policy.h"
#include "tests/policies/side_by_side.h"

namespace duel {

// Rows of normal numbers: no two arms, and no two pairs, are equally far from anything.
inline std::shared_ptr<const FeatureRows> random_rows(std::size_t num_arms, std::size_t width,
                                                      std::uint64_t seed) {
  RoundRng rng = Stream(seed, 0, Purpose::test, "rows").at(num_arms);
  std::vector<double> values(num_arms * width);
  for (double& value : values) value = 0.5 * rng.normal();
  return std::make_shared<const FeatureRows>(width, std::move(values));
}

class LinearTwin {
 public:
  using Vector = std::vector<double>;

  LinearTwin(std::shared_ptr<const FeatureRows> rows, Ties ties)
      : rows_(std::move(rows)), ties_(ties), d_(rows_->width()), v_(d_ * d_) {
    for (std::size_t k = 0; k < d_; ++k) v_[k * d_ + k] = 1;
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    const auto points = points_of(outcome, ties_, rng);
    if (!points) return;
    const Vector z = difference(duel.first, duel.second);
    for (std::size_t a = 0; a < d_; ++a) {
      for (std::size_t b = 0; b < d_; ++b) v_[a * d_ + b] += z[a] * z[b];
    }
    differences_.push_back(z);
    shares_.push_back(points->first / 2.0);
  }

 protected:
  std::size_t num_arms() const { return rows_->size(); }
  std::size_t width() const { return d_; }

  Vector difference(Arm i, Arm j) const {
    Vector z(d_);
    for (std::size_t k = 0; k < d_; ++k) z[k] = (*rows_)[i][k] - (*rows_)[j][k];
    return z;
  }
  Vector row(Arm i) const { return {(*rows_)[i].begin(), (*rows_)[i].end()}; }
  static double product(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  }
  // sqrt(x . V^-1 x).
  double length(const Vector& x) const { return std::sqrt(product(x, solved(v_, x))); }

  // H at theta, and theta.
  std::pair<Vector, Vector> curvature_and_theta() const {
    Vector theta(d_), h;
    for (int step = 0; step < 100; ++step) {
      Vector gradient = theta;
      h.assign(d_ * d_, 0);
      for (std::size_t k = 0; k < d_; ++k) h[k * d_ + k] = 1;
      for (std::size_t s = 0; s < shares_.size(); ++s) {
        const Vector& z = differences_[s];
        const double p = 1 / (1 + std::exp(-product(theta, z)));
        for (std::size_t a = 0; a < d_; ++a) {
          gradient[a] -= (shares_[s] - p) * z[a];
          for (std::size_t b = 0; b < d_; ++b) h[a * d_ + b] += p * (1 - p) * z[a] * z[b];
        }
      }
      const Vector change = solved(h, gradient);
      for (std::size_t k = 0; k < d_; ++k) theta[k] -= change[k];
    }
    return {h, theta};
  }
  Vector theta() const { return curvature_and_theta().second; }

  // A^-1 x.
  static Vector solved(Vector a, Vector x) {
    const std::size_t d = x.size();
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t i = 0; i < d; ++i) {
        if (i == k) continue;
        const double factor = a[i * d + k] / a[k * d + k];
        for (std::size_t j = 0; j < d; ++j) a[i * d + j] -= factor * a[k * d + j];
        x[i] -= factor * x[k];
      }
    }
    for (std::size_t k = 0; k < d; ++k) x[k] /= a[k * d + k];
    return x;
  }

 private:
  std::shared_ptr<const FeatureRows> rows_;
  Ties ties_;
  std::size_t d_;
  Vector v_;
  std::vector<Vector> differences_;
  Vector shares_;
};

// Of policies whose bounds are so many lengths.
class WidthTwin : public LinearTwin {
 public:
  explicit WidthTwin(const LinearWidthOptions& options)
      : LinearTwin(options.features, options.ties), factor_(options.width) {}

 protected:
  double bound(Round round) const {
    return factor_ *
           std::sqrt(static_cast<double>(width()) * std::log(static_cast<double>(round) + 1));
  }

 private:
  double factor_;
};

template <class P, class Twin>
void expect_choices_of_width_twin() {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::size_t num_arms = 1 + seed % 7;
    LinearWidthOptions options;
    options.features = random_rows(num_arms, 1 + seed % 4, seed);
    options.width = seed % 5 == 0 ? 1 : 0.05 * static_cast<double>(seed % 5);
    options.ties = static_cast<Ties>(seed % 3);
    expect_same_choices_as_twin<P>(
        options, num_arms, seed, 32,
        [](const LinearWidthOptions& given, std::size_t, RoundRng) { return Twin(given); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace duel
