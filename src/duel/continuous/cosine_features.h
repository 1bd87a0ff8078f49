// Random cosine features of points (Rahimi and Recht, NIPS 2007): phi(x) = F^-1/2 (cos 2 pi w_m . x
// for all m, then sin 2 pi w_m . x for all m), so that |phi| = 1 and phi(x) . phi(y) is close to
// exp(-|x - y|^2 / (2 l^2)) for frequencies w = z/(2 pi l), z standard normal.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "duel/core/rng.h"

namespace duel {

class CosineFeatures {
 public:
  // Frequencies in turns, `dimension` numbers each.
  CosineFeatures(std::size_t dimension, std::vector<double> frequencies);
  static CosineFeatures drawn(std::size_t dimension, std::size_t frequencies, double length,
                              RoundRng rng);

  std::size_t size() const { return 2 * num_frequencies_; }
  std::vector<double> at(std::span<const double> point) const;
  // phi(a) - phi(b).
  std::vector<double> difference(std::span<const double> a, std::span<const double> b) const;
  // Of many points, feature by feature: feature m of point c is at m * num_points + c. The points
  // are given coordinate by coordinate.
  std::vector<double> of_all(std::span<const double> coordinates, std::size_t num_points) const;

 private:
  std::size_t dimension_;
  std::size_t num_frequencies_;
  double amplitude_;
  std::vector<double> frequencies_;
};

}  // namespace duel
