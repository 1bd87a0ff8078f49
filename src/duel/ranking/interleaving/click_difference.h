// The difference of two rankers' clicks when each click belongs to the one, the other or neither by
// chance: exact, by adding one click after the other, O(c^2) for c clicks instead of 2^c or 3^c
// cases.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace duel {

class ClickDifference {
 public:
  // REQUIRES: at most `most_clicks` calls of `add`.
  explicit ClickDifference(std::size_t most_clicks) : center_(most_clicks + 1) {
    const std::size_t size = 2 * center_ + 1;
    if (size > small_.size()) large_.resize(size);
    mass_ =
        size > small_.size() ? std::span<double>(large_) : std::span<double>(small_).first(size);
    std::fill(mass_.begin(), mass_.end(), 0.0);
    mass_[center_] = 1;
  }

  // A click that adds 1 with probability `up`, -1 with `down`, and 0 otherwise.
  void add(double up, double down) {
    ++clicks_;
    const double stay = std::max(0.0, 1 - (up + down));
    double below = 0;
    for (std::size_t d = center_ - clicks_; d <= center_ + clicks_; ++d) {
      const double here = mass_[d];
      // Summed so that exchanging the rankers mirrors every rounding: equal rankers give exactly 0.
      mass_[d] = (below * up + mass_[d + 1] * down) + here * stay;
      below = here;
    }
  }

  // P(difference > 0) - P(difference < 0).
  double expected_sign() const {
    double sum = 0;
    for (std::size_t k = 1; k <= clicks_; ++k) sum += mass_[center_ + k] - mass_[center_ - k];
    return sum;
  }

 private:
  std::size_t center_;
  std::size_t clicks_ = 0;
  std::span<double> mass_;  // mass_[center_ + d]: probability of difference d
  std::array<double, 67> small_;
  std::vector<double> large_;
};

}  // namespace duel
