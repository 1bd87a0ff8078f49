#include "duel/ranking/learners/orthonormal_basis.h"

#include <algorithm>

#include "duel/core/vectors.h"

namespace duel {
namespace {

// One pass of modified Gram-Schmidt: takes the projection on each of `vectors` away.
void sweep(std::span<const double> vectors, std::span<double> rest) {
  const std::size_t d = rest.size();
  for (std::size_t k = 0; k < vectors.size(); k += d) {
    const std::span<const double> q = vectors.subspan(k, d);
    add_scaled(rest, -dot(rest, q), q, rest);
  }
}

}  // namespace

void OrthonormalBasis::add(std::span<const double> vector) {
  constexpr double kDependent = 1e-10;
  const std::size_t d = vector.size();
  const double length = norm(vector);
  if (length == 0) return;
  const std::size_t begin = vectors_.size();
  vectors_.insert(vectors_.end(), vector.begin(), vector.end());
  const std::span<double> rest(vectors_.data() + begin, d);
  scale(rest, 1 / length);
  for (int pass = 0; pass < 2; ++pass) {
    sweep(std::span(vectors_).first(begin), rest);
    const double left = norm(rest);
    if (left < kDependent) {
      vectors_.resize(begin);
      return;
    }
    scale(rest, 1 / left);
  }
}

void OrthonormalBasis::project(std::span<double> vector) const {
  const std::size_t d = vector.size();
  const std::vector<double> original(vector.begin(), vector.end());
  std::fill(vector.begin(), vector.end(), 0.0);
  for (std::size_t k = 0; k < vectors_.size(); k += d) {
    const std::span<const double> q(vectors_.data() + k, d);
    add_scaled(vector, dot(original, q), q, vector);
  }
}

void OrthonormalBasis::remove(std::span<double> vector) const {
  for (int pass = 0; pass < 2; ++pass) sweep(vectors_, vector);
}

}  // namespace duel
