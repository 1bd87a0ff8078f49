#include "duel/continuous/cosine_features.h"

#include <cmath>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/turns.h"

namespace duel {

CosineFeatures::CosineFeatures(std::size_t dimension, std::vector<double> frequencies)
    : dimension_(dimension),
      num_frequencies_(frequencies.size() / dimension),
      amplitude_(1.0 / std::sqrt(static_cast<double>(num_frequencies_))),
      frequencies_(std::move(frequencies)) {
  DUEL_CHECK(num_frequencies_ > 0 && frequencies_.size() == num_frequencies_ * dimension_);
}

CosineFeatures CosineFeatures::drawn(std::size_t dimension, std::size_t frequencies, double length,
                                     RoundRng rng) {
  constexpr double kTwoPi = 6.283185307179586;
  std::vector<double> drawn(frequencies * dimension);
  for (double& w : drawn) w = normal_by_turns(rng) / (kTwoPi * length);
  return {dimension, std::move(drawn)};
}

std::vector<double> CosineFeatures::at(std::span<const double> point) const {
  return of_all(point, 1);
}

std::vector<double> CosineFeatures::difference(std::span<const double> a,
                                               std::span<const double> b) const {
  std::vector<double> features = at(a);
  const std::vector<double> others = at(b);
  for (std::size_t m = 0; m < features.size(); ++m) features[m] -= others[m];
  return features;
}

std::vector<double> CosineFeatures::of_all(std::span<const double> coordinates,
                                           std::size_t num_points) const {
  DUEL_CHECK(coordinates.size() == num_points * dimension_);
  std::vector<double> features(size() * num_points);
  std::vector<double> turns(num_points);
  for (std::size_t m = 0; m < num_frequencies_; ++m) {
    turns.assign(num_points, 0.0);
    for (std::size_t k = 0; k < dimension_; ++k) {
      const double w = frequencies_[m * dimension_ + k];
      const double* const x = coordinates.data() + k * num_points;
      for (std::size_t c = 0; c < num_points; ++c) turns[c] += w * x[c];
    }
    double* const cosines = features.data() + m * num_points;
    double* const sines = features.data() + (num_frequencies_ + m) * num_points;
    for (std::size_t c = 0; c < num_points; ++c) {
      cosines[c] = amplitude_ * cosine_of_turns(turns[c]);
      sines[c] = amplitude_ * sine_of_turns(turns[c]);
    }
  }
  return features;
}

}  // namespace duel
