// Utilities that are linear in features, as written: every answer is kept, theta is found from 0 by
// Newton's method each time it is asked for, matrices are inverted by Gauss and Jordan.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/feature_rows.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"
#include "duel/policies/policy.h"

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

}  // namespace duel
