#include "duel/policies/parts/linear_utility.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/cholesky.h"
#include "duel/core/logistic.h"
#include "duel/core/turns.h"
#include "duel/core/vectors.h"

namespace duel {
namespace {

constexpr double kRidge = 1;  // lambda

std::vector<double> ridge(std::size_t width) {
  std::vector<double> matrix(width * width);
  for (std::size_t k = 0; k < width; ++k) matrix[k * width + k] = kRidge;
  return matrix;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

LinearUtility::LinearUtility(std::size_t width, bool online)
    : online_(online),
      theta_(width),
      factor_(ridge(width)),
      spread_(ridge(width)),
      inverse_(ridge(width)) {}

std::vector<double> LinearUtility::drawn(double scale, RoundRng& rng) const {
  std::vector<double> draw(width());
  for (double& value : draw) value = scale * normal_by_turns(rng);
  solve_transposed(factor_, draw);
  for (std::size_t k = 0; k < width(); ++k) draw[k] += theta_[k];
  return draw;
}

void LinearUtility::hear(std::uint64_t pair, std::span<const double> z, double y) {
  DUEL_CHECK(z.size() == width());
  if (squared_norm(z) == 0) return;  // says nothing of theta
  ++answers_;
  if (!online_) {
    const auto [known, is_new] = rows_.try_emplace(pair, keys_.size());
    const std::size_t row = pair == kNoPair ? keys_.size() : known->second;
    if (row == keys_.size()) {
      keys_.push_back(pair);
      differences_.insert(differences_.end(), z.begin(), z.end());
      won_.push_back(0);
      asked_.push_back(0);
    }
    won_[row] += y;
    asked_[row] += 1;
    if (answers_ >= fitted_at_ + std::clamp<std::uint64_t>(fitted_at_ / 16, 1, 256)) return fit();
  }
  const double p = logistic(dot(theta_, z));
  std::vector<double> step(z.begin(), z.end());
  scale(step, std::sqrt(p * (1 - p)));
  update_factor(factor_, step);
  step.assign(z.begin(), z.end());
  scale(step, y - p);
  solve_lower(factor_, step);
  solve_transposed(factor_, step);
  add_to(theta_, 1, step);
}

double LinearUtility::objective(std::span<const double> theta) const {
  double sum = kRidge / 2 * squared_norm(theta);
  for (std::size_t row = 0; row < keys_.size(); ++row) {
    const double x = dot(theta, difference(row));
    sum += won_[row] * log_one_plus_exp(-x) + (asked_[row] - won_[row]) * log_one_plus_exp(x);
  }
  return sum;
}

void LinearUtility::fit(int most_steps) {
  fitted_at_ = answers_;
  const std::size_t d = width();
  const double enough = 1e-9 * (1 + static_cast<double>(answers_));
  double value = objective(theta_);
  for (int step_number = 0;; ++step_number) {
    std::vector<double> step(d);  // -gradient, then H^-1 of it
    for (std::size_t k = 0; k < d; ++k) step[k] = -kRidge * theta_[k];
    factor_ = ridge(d);
    for (std::size_t row = 0; row < keys_.size(); ++row) {
      const std::span<const double> z = difference(row);
      const double p = logistic(dot(theta_, z));
      add_to(step, won_[row] - asked_[row] * p, z);
      const double weight = asked_[row] * p * (1 - p);
      for (std::size_t k = 0; k < d; ++k) {
        if (z[k] != 0) add_to({factor_.data() + k * d + k, d - k}, weight * z[k], z.subspan(k));
      }
    }
    factorize(factor_, d);
    if (norm(step) < enough || step_number == most_steps) return;
    solve_lower(factor_, step);
    solve_transposed(factor_, step);
    // The whole step, or the half, .. of it, as long as what is minimised would grow.
    std::vector<double> next(d);
    double length = 1;
    for (int halvings = 0; halvings < 40; ++halvings, length /= 2) {
      add_scaled(theta_, length, step, next);
      const double there = objective(next);
      if (there <= value || halvings == 39) {
        value = there;
        break;
      }
    }
    theta_ = next;
  }
}

std::vector<double> LinearUtility::spread_times(std::span<const double> x) const {
  const std::size_t d = width();
  std::vector<double> product(d);
  for (std::size_t k = 0; k < d; ++k) {
    if (x[k] != 0) add_to(product, x[k], {inverse_.data() + k * d, d});
  }
  return product;
}

// Sherman and Morrison.
void LinearUtility::change_spread(std::span<const double> z, double sign) {
  const std::size_t d = width();
  const std::vector<double> v = spread_times(z);
  const double change = -sign / (1 + sign * dot(z, v));
  for (std::size_t k = 0; k < d; ++k) {
    if (z[k] != 0) add_to({spread_.data() + k * d, d}, sign * z[k], z);
    if (v[k] != 0) add_to({inverse_.data() + k * d, d}, change * v[k], v);
  }
  if (++changes_ >= 1024) invert_spread();
}

// The sum of so many changes has lost some digits.
void LinearUtility::invert_spread() {
  const std::size_t d = width();
  std::vector<double> factor = spread_;
  factorize(factor, d);
  for (std::size_t k = 0; k < d; ++k) {
    const std::span<double> column = {inverse_.data() + k * d, d};
    std::fill(column.begin(), column.end(), 0.0);
    column[k] = 1;
    solve_lower(factor, column);
    solve_transposed(factor, column);
  }
  changes_ = 0;
}

bool LinearUtility::restored(std::size_t width) {
  const std::size_t rows = keys_.size();
  if (theta_.size() != width || factor_.size() != width * width ||
      spread_.size() != width * width || inverse_.size() != width * width ||
      differences_.size() != rows * width || won_.size() != rows || asked_.size() != rows ||
      fitted_at_ > answers_ || !all_finite(theta_) || !all_finite(factor_) ||
      !all_finite(inverse_) || !all_finite(differences_)) {
    return false;
  }
  for (std::size_t k = 0; k < width; ++k) {
    if (!(factor_[k * width + k] > 0)) return false;
  }
  rows_.clear();
  for (std::size_t row = 0; row < rows; ++row) {
    if (!(won_[row] >= 0 && won_[row] <= asked_[row])) return false;
    if (!rows_.emplace(keys_[row], row).second && keys_[row] != kNoPair) return false;
  }
  return true;
}

}  // namespace duel
