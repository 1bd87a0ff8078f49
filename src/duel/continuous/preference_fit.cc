#include "duel/continuous/preference_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/continuous/link.h"
#include "duel/core/check.h"
#include "duel/core/cholesky.h"
#include "duel/core/vectors.h"

namespace duel {
PreferenceFit::PreferenceFit(std::vector<double> prior) : prior_(std::move(prior)) {
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
  if (!strayed) return;
  factor_anew();
  newton_step();
}

// theta += (L L^T)^-1 (prior - theta + sum_t (y_t - s(D_t . theta)) D_t): the kept factor, the
// exact gradient. At most two deviations of the posterior at a time, which one answer cannot ask
// for: its gradient is at most |D| <= 2 long, and so is L^-1 of it. True where the step would have
// been longer.
bool PreferenceFit::newton_step() {
  constexpr double kFarthest = 2;
  const std::size_t m = size();
  std::vector<double> step(m);
  for (std::size_t k = 0; k < m; ++k) step[k] = prior_[k] - state_.theta[k];
  for (std::size_t t = 0; t < answers(); ++t) {
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
  std::fill(state_.factor.begin(), state_.factor.end(), 0.0);
  for (std::size_t k = 0; k < m; ++k) column(k)[k] = 1;
  for (std::size_t t = 0; t < answers(); ++t) {
    const std::span<const double> d = difference(t);
    for (std::size_t k = 0; k < m; ++k) {
      add_to({column(k) + k, m - k}, state_.weights[t] * d[k], d.subspan(k));
    }
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
         state_.factored_at <= n;
}

}  // namespace duel
