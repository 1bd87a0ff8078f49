#include "duel/inference/covariate_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/cholesky.h"
#include "duel/core/logistic.h"
#include "duel/inference/special_functions.h"

namespace duel {
namespace {

constexpr double kPriorPrecision = 0.01;
constexpr int kMostSteps = 100;
constexpr double kSmallStep = 1e-10;

// The design: an answer's row has 1 at its first arm, -1 at its second, and the scaled differences.
class Model {
 public:
  Model(std::size_t num_arms, std::span<const CovariateAnswer> answers,
        const std::vector<double>& scale)
      : num_arms_(num_arms), size_(num_arms + scale.size()), answers_(answers) {
    for (const CovariateAnswer& answer : answers) {
      std::vector<double>& row = scaled_.emplace_back(answer.differences);
      for (std::size_t k = 0; k < row.size(); ++k) row[k] /= scale[k];
    }
  }

  std::size_t size() const { return size_; }

  double log_odds(std::size_t n, const std::vector<double>& at) const {
    double sum = at[answers_[n].first] - at[answers_[n].second];
    for (std::size_t k = 0; k < scaled_[n].size(); ++k) sum += at[num_arms_ + k] * scaled_[n][k];
    return sum;
  }
  double penalised(const std::vector<double>& at) const {
    double sum = 0;
    for (std::size_t n = 0; n < answers_.size(); ++n) {
      const double odds = log_odds(n, at), share = answers_[n].share;
      sum -= share * log_one_plus_exp(-odds) + (1 - share) * log_one_plus_exp(odds);
    }
    for (const double one : at) sum -= 0.5 * kPriorPrecision * one * one;
    return sum;
  }
  // into[i] += amount * row_n[i].
  void add_row(std::size_t n, double amount, std::span<double> into) const {
    into[answers_[n].first] += amount;
    into[answers_[n].second] -= amount;
    for (std::size_t k = 0; k < scaled_[n].size(); ++k)
      into[num_arms_ + k] += amount * scaled_[n][k];
  }
  // Minus the second derivatives, a full matrix.
  std::vector<double> curvature(const std::vector<double>& at) const {
    std::vector<double> matrix(size_ * size_);
    std::vector<double> row(size_);
    for (std::size_t n = 0; n < answers_.size(); ++n) {
      const double odds = log_odds(n, at);
      const double weight = logistic(odds) * logistic(-odds);
      std::ranges::fill(row, 0.0);
      add_row(n, 1, row);
      add_row(n, weight * row[answers_[n].first], row_of(matrix, answers_[n].first));
      add_row(n, weight * row[answers_[n].second], row_of(matrix, answers_[n].second));
      for (std::size_t k = num_arms_; k < size_; ++k) {
        add_row(n, weight * row[k], row_of(matrix, k));
      }
    }
    for (std::size_t i = 0; i < size_; ++i) matrix[i * size_ + i] += kPriorPrecision;
    return matrix;
  }
  double residual(std::size_t n, const std::vector<double>& at) const {
    return answers_[n].share - logistic(log_odds(n, at));
  }

 private:
  std::span<double> row_of(std::vector<double>& matrix, std::size_t i) const {
    return {matrix.data() + i * size_, size_};
  }

  std::size_t num_arms_, size_;
  std::span<const CovariateAnswer> answers_;
  std::vector<std::vector<double>> scaled_;
};

// By Newton's method; the penalised likelihood is strictly concave, and a step that overshoots is
// halved.
std::vector<double> maximum_of(const Model& model, std::size_t num_answers) {
  std::vector<double> at(model.size());
  double value = model.penalised(at);
  for (int step = 0; step < kMostSteps; ++step) {
    std::vector<double> direction(model.size());
    for (std::size_t n = 0; n < num_answers; ++n) {
      model.add_row(n, model.residual(n, at), direction);
    }
    for (std::size_t i = 0; i < at.size(); ++i) direction[i] -= kPriorPrecision * at[i];
    std::vector<double> factor = model.curvature(at);
    factorize(factor, model.size());
    solve_lower(factor, direction);
    solve_transposed(factor, direction);
    double length = 1, largest = 0;
    for (const double one : direction) largest = std::max(largest, std::abs(one));
    for (; length > 1e-6; length /= 2) {
      std::vector<double> next = at;
      add_to(next, length, direction);
      const double reached = model.penalised(next);
      if (reached >= value) {
        at = std::move(next);
        value = reached;
        break;
      }
    }
    if (largest < kSmallStep || length <= 1e-6) break;
  }
  return at;
}

// H^-1 (G/(G-1) sum over clusters of s s^T) H^-1, s the sum of a cluster's scores.
std::vector<double> sandwich(const Model& model, std::span<const CovariateAnswer> answers,
                             const std::vector<double>& at, std::size_t clusters) {
  const std::size_t m = model.size();
  std::vector<double> factor = model.curvature(at);
  factorize(factor, m);
  std::vector<double> scores(clusters * m);
  for (std::size_t n = 0; n < answers.size(); ++n) {
    model.add_row(n, model.residual(n, at),
                  std::span<double>(scores).subspan(answers[n].cluster * m, m));
  }
  std::vector<double> covariance(m * m);
  const double correction = static_cast<double>(clusters) / static_cast<double>(clusters - 1);
  for (std::size_t c = 0; c < clusters; ++c) {
    const std::span<double> score = std::span<double>(scores).subspan(c * m, m);
    solve_lower(factor, score);
    solve_transposed(factor, score);
    for (std::size_t i = 0; i < m; ++i) {
      add_to(std::span<double>(covariance).subspan(i * m, m), correction * score[i], score);
    }
  }
  return covariance;
}

Interval around(double value, double standard_error, double delta) {
  DUEL_CHECK(delta > 0 && delta < 1);
  const double reach = normal_quantile(1 - delta / 2) * standard_error;
  return {value - reach, value + reach};
}

}  // namespace

double CovariateFit::standard_error(Arm i, Arm j) const {
  const std::size_t m = strength.size() + effect.size();
  return std::sqrt(
      std::max(covariance[i * m + i] + covariance[j * m + j] - 2 * covariance[i * m + j], 0.0));
}

double CovariateFit::effect_standard_error(std::size_t k) const {
  const std::size_t m = strength.size() + effect.size(), at = strength.size() + k;
  return std::sqrt(std::max(covariance[at * m + at], 0.0));
}

Interval CovariateFit::difference_interval(Arm i, Arm j, double delta) const {
  return around(strength[i] - strength[j], standard_error(i, j), delta);
}

Interval CovariateFit::effect_interval(std::size_t k, double delta) const {
  return around(effect[k], effect_standard_error(k), delta);
}

Result<CovariateFit> fit_with_covariates(std::size_t num_arms,
                                         const std::vector<std::string>& names,
                                         std::span<const CovariateAnswer> answers) {
  CovariateFit fit;
  for (const CovariateAnswer& answer : answers) {
    DUEL_CHECK(answer.first < num_arms && answer.second < num_arms);
    DUEL_CHECK(answer.first != answer.second && answer.differences.size() == names.size());
    fit.clusters = std::max(fit.clusters, answer.cluster + 1);
  }
  if (fit.clusters < 2) {
    return Error::invalid_argument(
        "the answers must come from two tasks or voters at least: the standard errors rest on how "
        "much these differ");
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    double squares = 0;
    for (const CovariateAnswer& answer : answers) {
      squares += answer.differences[k] * answer.differences[k];
    }
    if (!(squares > 0)) {
      return Error::invalid_argument(fmt::format("'{}' never differs between the two", names[k]));
    }
    fit.scale.push_back(std::sqrt(squares / static_cast<double>(answers.size())));
  }
  const Model model(num_arms, answers, fit.scale);
  const std::vector<double> at = maximum_of(model, answers.size());
  fit.strength.assign(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(num_arms));
  fit.effect.assign(at.begin() + static_cast<std::ptrdiff_t>(num_arms), at.end());
  fit.covariance = sandwich(model, answers, at, fit.clusters);
  return fit;
}

}  // namespace duel
