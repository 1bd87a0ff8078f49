// How many opponents each arm may still beat, as upper confidence bounds shrink with data and grow
// with the clock: score_i = #{j != i : u_ij > 1/2} = #{j : S > z_ij} with S = sqrt(alpha ln t) and
// z_ij = (1/2 - w_ij/n_ij) sqrt(n_ij). Kept up in O(K) where few bounds cross 1/2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/pair_counts.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/parts/crossing.h"

namespace duel {

class UpperScores {
 public:
  explicit UpperScores(std::size_t num_arms)
      : num_arms_(num_arms),
        deficit_(num_arms * num_arms, -kInfinity),
        score_(num_arms, static_cast<std::uint32_t>(num_arms - 1)),
        entry_(num_arms, kInfinity) {
    for (std::size_t i = 0; i < num_arms; ++i) deficit_[i * num_arms + i] = kInfinity;
    leaders_.reserve(num_arms);
    find_leaders();
  }

  // z_ij; minus infinity where they never met, plus infinity on the diagonal.
  double deficit(Arm i, Arm j) const { return deficit_[i * num_arms_ + j]; }
  std::uint32_t score(Arm i) const { return score_[i]; }
  // The arms with the largest score, in ascending order.
  const std::vector<Arm>& leaders() const { return leaders_; }
  // No score changes while S <= next_crossing().
  double next_crossing() const { return *std::min_element(entry_.begin(), entry_.end()); }

  // The clock stands at S = `width`.
  void follow(double width) {
    bool moved = false;
    const bool back = width < width_;
    width_ = width;
    for (std::size_t i = 0; i < num_arms_; ++i) {
      if (back || width > entry_[i]) {
        count(i);
        moved = true;
      }
    }
    if (moved) find_leaders();
  }

  // The pair has new counts. REQUIRES: they met.
  void refresh(Arm i, Arm j, const PairCounts& counts) {
    const double z = bound_deficit(counts, i, j);
    deficit_[i * num_arms_ + j] = z;
    deficit_[j * num_arms_ + i] = -z;
    count(i);
    count(j);
    find_leaders();
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  void count(std::size_t i) {
    const double* row = &deficit_[i * num_arms_];
    std::uint32_t score = 0;
    double entry = kInfinity;
    for (std::size_t j = 0; j < num_arms_; ++j) {
      const bool above = width_ > row[j];
      score += above ? 1 : 0;
      entry = std::min(entry, above ? kInfinity : row[j]);
    }
    score_[i] = score;
    entry_[i] = entry;
  }

  void find_leaders() {
    find_arms(score_, *std::max_element(score_.begin(), score_.end()), leaders_);
  }

  std::size_t num_arms_;
  std::vector<double> deficit_;
  std::vector<std::uint32_t> score_;
  std::vector<double> entry_;  // least z_ij >= S of a row
  std::vector<Arm> leaders_;
  double width_ = 0;
};

}  // namespace duel
