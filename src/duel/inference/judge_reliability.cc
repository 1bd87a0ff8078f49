#include "duel/inference/judge_reliability.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/cholesky.h"
#include "duel/core/logistic.h"
#include "duel/inference/special_functions.h"

namespace duel {
namespace {

constexpr double kStrengthPrecision = 0.01;
constexpr double kGammaPrecision = 1.0 / 9;
constexpr int kMostSteps = 500;
constexpr double kSmallStep = 1e-9;

// One judge's answers to one pair.
struct Cell {
  std::size_t judge;
  Arm i, j;
  double wins, losses;  // of i
};

std::vector<Cell> cells_of(const std::vector<DuelTable>& judges) {
  std::vector<Cell> cells;
  for (std::size_t m = 0; m < judges.size(); ++m) {
    const DuelTable& table = judges[m];
    for (Arm i = 0; i < table.num_arms; ++i) {
      for (Arm j = i + 1; j < table.num_arms; ++j) {
        const double half = table.tied(i, j) / 2;
        const double wins = table.won(i, j) + half, losses = table.won(j, i) + half;
        if (wins + losses > 0) cells.push_back({m, i, j, wins, losses});
      }
    }
  }
  return cells;
}

// The maximum of the penalised likelihood over strengths and gamma together. The parameters are the
// strengths, then gamma.
class Fit {
 public:
  Fit(std::vector<Cell> cells, std::size_t num_arms, std::size_t num_judges)
      : cells_(std::move(cells)), num_arms_(num_arms), at_(num_arms + num_judges) {
    std::fill(at_.begin() + static_cast<std::ptrdiff_t>(num_arms), at_.end(), 1.0);
  }

  // Newton's method where the likelihood is concave, towards the gradient where it is not
  // (Levenberg's damping).
  void run() {
    double value = penalised(at_), damping = 1e-3;
    for (int step = 0; step < kMostSteps && damping < 1e12; ++step) {
      std::vector<double> direction = gradient();
      std::vector<double> matrix = curvature();
      for (std::size_t i = 0; i < at_.size(); ++i) matrix[i * at_.size() + i] += damping;
      factorize(matrix, at_.size());
      solve_lower(matrix, direction);
      solve_transposed(matrix, direction);
      std::vector<double> next = at_;
      add_to(next, 1, direction);
      const double reached = penalised(next);
      // A matrix that is not positive definite gives steps that are no numbers.
      if (!(reached >= value)) {
        damping *= 10;
        continue;
      }
      double largest = 0;
      for (const double one : direction) largest = std::max(largest, std::abs(one));
      at_ = std::move(next);
      value = reached;
      damping = std::max(damping / 10, 1e-12);
      if (largest < kSmallStep) break;
    }
  }

  std::vector<double> strength() const {
    return {at_.begin(), at_.begin() + static_cast<std::ptrdiff_t>(num_arms_)};
  }
  std::vector<double> gamma() const {
    return {at_.begin() + static_cast<std::ptrdiff_t>(num_arms_), at_.end()};
  }
  // The variance of sum_k weights_k gamma_k: by the inverse of minus all second derivatives.
  double variance(const std::vector<double>& weights) const {
    std::vector<double> matrix = curvature(), solved(at_.size());
    std::ranges::copy(weights, solved.begin() + static_cast<std::ptrdiff_t>(num_arms_));
    factorize(matrix, at_.size());
    solve_lower(matrix, solved);
    double sum = 0;
    for (const double one : solved) sum += one * one;
    return sum;
  }

 private:
  double penalised(const std::vector<double>& at) const {
    double sum = 0;
    for (const Cell& cell : cells_) {
      const double odds = at[num_arms_ + cell.judge] * (at[cell.i] - at[cell.j]);
      if (!std::isfinite(odds)) return odds - odds;  // no number
      sum -= cell.wins * log_one_plus_exp(-odds) + cell.losses * log_one_plus_exp(odds);
    }
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double off = at[i] - mean(i);
      sum -= 0.5 * precision(i) * off * off;
    }
    return sum;
  }
  std::vector<double> gradient() const {
    std::vector<double> sum(at_.size());
    for (const Cell& cell : cells_) {
      const double d = at_[cell.i] - at_[cell.j], gamma = at_[num_arms_ + cell.judge];
      const double residual = cell.wins - (cell.wins + cell.losses) * logistic(gamma * d);
      sum[cell.i] += gamma * residual;
      sum[cell.j] -= gamma * residual;
      sum[num_arms_ + cell.judge] += d * residual;
    }
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] -= precision(i) * (at_[i] - mean(i));
    return sum;
  }
  // Minus the second derivatives.
  std::vector<double> curvature() const {
    const std::size_t m = at_.size();
    std::vector<double> matrix(m * m);
    const auto add = [&](std::size_t row, std::size_t column, double amount) {
      matrix[row * m + column] += amount;
      if (row != column) matrix[column * m + row] += amount;
    };
    for (const Cell& cell : cells_) {
      const std::size_t g = num_arms_ + cell.judge;
      const double d = at_[cell.i] - at_[cell.j], gamma = at_[g];
      const double p = logistic(gamma * d), n = cell.wins + cell.losses;
      const double weight = n * p * (1 - p), both = weight * gamma * d - (cell.wins - n * p);
      add(cell.i, cell.i, weight * gamma * gamma);
      add(cell.j, cell.j, weight * gamma * gamma);
      add(cell.i, cell.j, -weight * gamma * gamma);
      add(g, g, weight * d * d);
      add(g, cell.i, both);
      add(g, cell.j, -both);
    }
    for (std::size_t i = 0; i < m; ++i) matrix[i * m + i] += precision(i);
    return matrix;
  }
  double precision(std::size_t i) const {
    return i < num_arms_ ? kStrengthPrecision : kGammaPrecision;
  }
  double mean(std::size_t i) const { return i < num_arms_ ? 0 : 1; }

  std::vector<Cell> cells_;
  std::size_t num_arms_;
  std::vector<double> at_;
};

}  // namespace

Interval JudgeReliability::interval(std::size_t judge, double delta) const {
  DUEL_CHECK(delta > 0 && delta < 1);
  const double reach = normal_quantile(1 - delta / 2) * gamma_standard_error[judge];
  return {gamma[judge] - reach, gamma[judge] + reach};
}

Result<JudgeReliability> fit_judge_reliability(const std::vector<DuelTable>& judges) {
  DUEL_CHECK(!judges.empty() && judges.front().num_arms >= 2);
  std::vector<Cell> cells = cells_of(judges);
  std::vector<bool> answered(judges.size());
  for (const Cell& cell : cells) answered[cell.judge] = true;
  if (std::ranges::count(answered, true) < 2) {
    return Error::invalid_argument("one judge alone has nobody to be compared with");
  }
  Fit fit(std::move(cells), judges.front().num_arms, judges.size());
  fit.run();

  JudgeReliability found{
      .strength = fit.strength(), .gamma = fit.gamma(), .gamma_standard_error = {}};
  const auto [lowest, highest] = std::ranges::minmax_element(found.strength);
  if (*highest - *lowest < 1e-6) {
    return Error::invalid_argument("the judges prefer no arm, so that nothing tells them apart");
  }
  // A coin's gamma is near 0, and its logarithm without bound.
  double largest = 0, logs = 0, sum = 0;
  for (const double g : found.gamma) largest = std::max(largest, std::abs(g));
  for (const double g : found.gamma) {
    logs += std::log(std::max(std::abs(g), 0.01 * largest));
    sum += g;
  }
  // The likelihood is the same for -u and -gamma; the prior prefers most judges above 0, and so do
  // we.
  const double scale =
      std::exp(logs / static_cast<double>(found.gamma.size())) * (sum < 0 ? -1.0 : 1.0);
  const std::vector<double> raw = found.gamma;
  for (double& u : found.strength) u *= scale;
  for (double& g : found.gamma) g /= scale;
  double mean = 0;
  for (const double g : raw) mean += std::abs(g) / static_cast<double>(raw.size());
  for (std::size_t m = 0; m < raw.size(); ++m) {
    // The derivatives of gamma_m over the mean of |gamma|: the common scale of all gamma is not
    // determined by the answers, and drops out.
    std::vector<double> weights(raw.size());
    for (std::size_t k = 0; k < raw.size(); ++k) {
      weights[k] =
          -found.gamma[m] * (raw[k] < 0 ? -1 : 1) / (static_cast<double>(raw.size()) * mean);
    }
    weights[m] += 1 / scale;
    const double variance = fit.variance(weights);
    if (!(variance >= 0)) {
      return Error::invalid_argument("the answers do not determine how reliable each judge is");
    }
    found.gamma_standard_error.push_back(std::sqrt(variance));
  }
  return found;
}

}  // namespace duel
