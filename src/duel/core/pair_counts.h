// Who beat whom how often. Counts are kept in half wins ("points"), so that a tie shared by both
// sides stays an integer; a win is 2 points. 4 bytes per ordered pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/duel.h"
#include "duel/core/ties.h"

namespace duel {

[[noreturn]] void throw_pair_count_overflow();

class PairCounts {
 public:
  explicit PairCounts(std::size_t num_arms) : num_arms_(num_arms), points_(num_arms * num_arms) {}

  std::size_t num_arms() const { return num_arms_; }

  // REQUIRES: i != j. Throws std::overflow_error past 2^31 wins of one arm over another.
  void add(Arm i, Arm j, Points points) {
    std::uint32_t& won = points_[i * num_arms_ + j];
    std::uint32_t& lost = points_[j * num_arms_ + i];
    std::uint32_t won_after = 0, lost_after = 0;
    if (__builtin_add_overflow(won, points.first, &won_after) ||
        __builtin_add_overflow(lost, points.second, &lost_after)) [[unlikely]] {
      throw_pair_count_overflow();
    }
    won = won_after;
    lost = lost_after;
  }

  // Half wins of i over j.
  std::uint32_t points(Arm i, Arm j) const { return points_[i * num_arms_ + j]; }
  // Half duels of the pair: twice n_ij.
  std::uint64_t total(Arm i, Arm j) const {
    return static_cast<std::uint64_t>(points(i, j)) + points(j, i);
  }
  // Calls visit(i, j), i < j, for every pair that met, in order.
  template <class Visit>
  void for_each_met_pair(Visit visit) const {
    for (Arm i = 0; i < num_arms_; ++i) {
      for (Arm j = i + 1; j < num_arms_; ++j) {
        if (total(i, j) != 0) visit(i, j);
      }
    }
  }
  double wins(Arm i, Arm j) const { return 0.5 * points(i, j); }
  double duels(Arm i, Arm j) const { return 0.5 * static_cast<double>(total(i, j)); }
  // The share of duels that i won against j; 1/2 where they never met.
  double mean(Arm i, Arm j) const {
    const std::uint64_t n = total(i, j);
    return n == 0 ? 0.5 : static_cast<double>(points(i, j)) / static_cast<double>(n);
  }

  template <class Archive>
  void fields(Archive& archive) {
    archive(points_);
  }
  // After a restore: the table still belongs to this number of arms, and every duel is whole.
  bool consistent() const;

 private:
  std::size_t num_arms_;
  std::vector<std::uint32_t> points_;
};

// The arm with the largest empirical Copeland score #{j : mean(i, j) > 1/2}; ties by the larger sum
// of means over the pairs that met, then by the lowest index. What RUCB returns on request.
Arm empirical_copeland_leader(const PairCounts& counts);

}  // namespace duel
