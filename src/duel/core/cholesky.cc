#include "duel/core/cholesky.h"

#include <cmath>
#include <cstddef>

#include "duel/core/vectors.h"

namespace duel {

// Right-looking.
void factorize(std::span<double> matrix, std::size_t m) {
  for (std::size_t k = 0; k < m; ++k) {
    double* const l = matrix.data() + k * m;
    l[k] = std::sqrt(l[k]);
    for (std::size_t i = k + 1; i < m; ++i) l[i] /= l[k];
    for (std::size_t j = k + 1; j < m; ++j) {
      add_to({matrix.data() + j * m + j, m - j}, -l[j], {l + j, m - j});
    }
  }
}

void update_factor(std::span<double> factor, std::vector<double> x) {
  const std::size_t m = x.size();
  for (std::size_t k = 0; k < m; ++k) {
    double* const l = factor.data() + k * m;
    const double r = std::sqrt(l[k] * l[k] + x[k] * x[k]);
    const double c = r / l[k];
    const double s = x[k] / l[k];
    l[k] = r;
    for (std::size_t i = k + 1; i < m; ++i) {
      l[i] = (l[i] + s * x[i]) / c;
      x[i] = c * x[i] - s * l[i];
    }
  }
}

void solve_lower(std::span<const double> factor, std::span<double> x) {
  const std::size_t m = x.size();
  for (std::size_t k = 0; k < m; ++k) {
    const double* const l = factor.data() + k * m;
    x[k] /= l[k];
    add_to(x.subspan(k + 1), -x[k], {l + k + 1, m - k - 1});
  }
}

void solve_transposed(std::span<const double> factor, std::span<double> x) {
  const std::size_t m = x.size();
  for (std::size_t k = m; k-- > 0;) {
    const double* const l = factor.data() + k * m;
    x[k] = (x[k] - dot({l + k + 1, m - k - 1}, x.subspan(k + 1))) / l[k];
  }
}

}  // namespace duel
