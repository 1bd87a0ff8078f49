#include "duel/continuous/preference_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/continuous/link.h"
#include "duel/core/check.h"
#include "duel/core/cholesky.h"
#include "duel/core/vectors.h"

namespace duel {
namespace {

// The lower part of `matrix`, of m columns, plus weight x x^T.
void add_square(std::vector<double>& matrix, double weight, std::span<const double> x) {
  const std::size_t m = x.size();
  for (std::size_t k = 0; k < m; ++k) {
    add_to({matrix.data() + k * m + k, m - k}, weight * x[k], x.subspan(k));
  }
}

}  // namespace

PreferenceFit::PreferenceFit(std::vector<double> prior, std::size_t most_kept)
    : prior_(std::move(prior)), most_kept_(most_kept) {
  const std::size_t m = prior_.size();
  state_.theta = prior_;
  state_.factor.assign(m * m, 0.0);
  for (std::size_t k = 0; k < m; ++k) column(k)[k] = 1;
}

void PreferenceFit::add(std::span<const double> given, double answer, int steps) {
  DUEL_CHECK(given.size() == size());
  state_.differences.insert(state_.differences.end(), given.begin(), given.end());
  const double p = win_probability(Link::logistic, dot(given, state_.theta));
  const double weight = p * (1 - p);
  state_.answered.push_back(answer);
  state_.weights.push_back(weight);
  std::vector<double> x(given.begin(), given.end());
  scale(x, std::sqrt(weight));
  update_factor(state_.factor, std::move(x));
  const std::uint64_t n = answers();
  if (n >= state_.factored_at + std::max<std::uint64_t>(8, state_.factored_at / 2)) {
    newton_step();
    factor_anew();
    state_.factored_at = n;
  }
  bool strayed = false;
  for (int step = 0; step < steps; ++step) strayed = newton_step() || strayed;
  // Where answers turn round after many that agreed, the kept factor is of another curvature.
  if (strayed) {
    factor_anew();
    newton_step();
  }
  if (kept() >= most_kept_) fold_older_half();
}

// An answer's part of the gradient is (y - p) D, and near theta (y - p) D - w D D^T (x - theta): so
// it adds w D D^T to the precision, and (y - p) D + w D D^T theta to the pull. The gradient and the
// curvature at theta are as before.
void PreferenceFit::fold_older_half() {
  const std::size_t m = size();
  newton_step();
  if (state_.precision.empty()) {
    state_.precision.assign(m * m, 0.0);
    for (std::size_t k = 0; k < m; ++k) state_.precision[k * m + k] = 1;
    state_.pull = prior_;
  }
  const std::size_t half = kept() / 2;
  for (std::size_t t = 0; t < half; ++t) {
    const std::span<const double> d = difference(t);
    const double mean = dot(d, state_.theta);
    const double p = win_probability(Link::logistic, mean);
    const double weight = p * (1 - p);
    add_square(state_.precision, weight, d);
    add_to(state_.pull, state_.answered[t] - p + weight * mean, d);
  }
  const auto forget = [half](std::vector<double>& values, std::size_t each) {
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half * each));
  };
  forget(state_.differences, m);
  forget(state_.answered, 1);
  forget(state_.weights, 1);
  state_.folded += half;
  factor_anew();
  state_.factored_at = answers();
}

std::vector<double> PreferenceFit::precision_times(std::span<const double> x) const {
  const std::size_t m = size();
  std::vector<double> product(m);
  for (std::size_t k = 0; k < m; ++k) {
    const double* const column = state_.precision.data() + k * m;
    product[k] += column[k] * x[k];
    for (std::size_t i = k + 1; i < m; ++i) {
      product[i] += column[i] * x[k];
      product[k] += column[i] * x[i];
    }
  }
  return product;
}

// theta += (L L^T)^-1 (prior - theta + sum_t (y_t - s(D_t . theta)) D_t): the kept factor, the
// exact gradient. (pull - P theta in the place of prior - theta once answers were folded.) At most
// two deviations of the posterior at a time, which one answer cannot ask for: its gradient is at
// most |D| <= 2 long, and so is L^-1 of it. True where the step would have been longer.
bool PreferenceFit::newton_step() {
  constexpr double kFarthest = 2;
  const std::size_t m = size();
  std::vector<double> step(m);
  if (state_.precision.empty()) {
    for (std::size_t k = 0; k < m; ++k) step[k] = prior_[k] - state_.theta[k];
  } else {
    const std::vector<double> held = precision_times(state_.theta);
    for (std::size_t k = 0; k < m; ++k) step[k] = state_.pull[k] - held[k];
  }
  for (std::size_t t = 0; t < kept(); ++t) {
    const std::span<const double> d = difference(t);
    const double p = win_probability(Link::logistic, dot(d, state_.theta));
    state_.weights[t] = p * (1 - p);
    add_to(step, state_.answered[t] - p, d);
  }
  solve_lower(state_.factor, step);
  const double deviations = norm(step);
  solve_transposed(state_.factor, step);
  const bool strays = deviations > kFarthest;
  if (strays) scale(step, kFarthest / deviations);
  for (std::size_t k = 0; k < m; ++k) state_.theta[k] += step[k];
  return strays;
}

void PreferenceFit::factor_anew() {
  const std::size_t m = size();
  if (state_.precision.empty()) {
    std::fill(state_.factor.begin(), state_.factor.end(), 0.0);
    for (std::size_t k = 0; k < m; ++k) column(k)[k] = 1;
  } else {
    state_.factor = state_.precision;
  }
  for (std::size_t t = 0; t < kept(); ++t) {
    add_square(state_.factor, state_.weights[t], difference(t));
  }
  factorize(state_.factor, m);
}

void PreferenceFit::draw(std::span<double> z) const {
  solve_transposed(state_.factor, z);
  for (std::size_t k = 0; k < size(); ++k) z[k] += state_.theta[k];
}

PreferenceFit::Gap PreferenceFit::gap(std::span<const double> given) const {
  std::vector<double> x(given.begin(), given.end());
  const double mean = dot(x, state_.theta);
  solve_lower(state_.factor, x);
  return {mean, norm(x)};
}

bool PreferenceFit::restored(std::size_t size) const {
  const std::size_t n = state_.answered.size();
  return state_.theta.size() == size && state_.factor.size() == size * size &&
         state_.weights.size() == n && state_.differences.size() == n * size &&
         state_.factored_at <= answers() && n < most_kept_ &&
         state_.precision.size() == (state_.folded > 0 ? size * size : 0) &&
         state_.pull.size() == (state_.folded > 0 ? size : 0);
}

}  // namespace duel
