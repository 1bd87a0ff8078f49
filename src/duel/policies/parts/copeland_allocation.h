// How to show most cheaply that an arm is a Copeland winner: the linear program of CW-RMED.
//
// An alternative turns some results around, so that i1 is no winner any more: some arm i2 has fewer
// losses. It turns wins of i1 and losses of i2, L_i2 - L_i1 + 1 of them at least, where a win of i1
// over i2 itself counts twice. The allocation q_ij minimises sum r_ij q_ij so that every
// alternative F is spoken against: sum over F of q_ij d_ij >= 1.
//
// There are exponentially many alternatives, but the one that an allocation speaks against least is
// found by sorting. So the dual program, max sum z_F with sum over F that contain a pair <= its
// cost, is solved by the simplex method from z = 0, and the alternative that enters is looked for
// when it is needed; the prices of the pairs are the allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "duel/core/duel.h"

namespace duel {

inline constexpr std::size_t kMostAllocationArms = 8;

// Row-major matrices of num_arms^2, num_arms <= kMostAllocationArms. `evidence` is > 0 in row i
// where i loses to j, < 0 where it wins, 0 where neither; its size is n d in any unit.
struct AllocationProblem {
  std::size_t num_arms;
  Arm winner;  // i1, with the fewest losses
  std::span<const std::uint32_t> losses;
  std::span<const std::int64_t> evidence;
  std::span<const double> divergence;
};

// The evidence against the alternative that has least; `none` where no alternative exists.
std::int64_t least_alternative(const AllocationProblem& problem, std::int64_t none);

// r_ij of the program, for i < j: (L_i + L_j - 2 L_i1)/(2(K-1)), plus 1e-5 (1 + place/K^2), so that
// pairs of equal or no regret are told apart and the solution is one.
double allocation_regret(const AllocationProblem& problem, Arm i, Arm j);

inline constexpr std::size_t kMostAllocationPairs =
    kMostAllocationArms * (kMostAllocationArms - 1) / 2;

// max sum z_F, sum over F of z_F [pair in F] <= cost[pair], z >= 0. A row per pair; the basis
// begins with the slacks.
class PackingProgram {
 public:
  using Row = std::array<double, kMostAllocationPairs>;

  PackingProgram(std::size_t num_pairs, const Row& costs);
  const Row& prices() const { return prices_; }
  // Brings a column into the basis: an alternative (gain 1), or the slack of one pair (gain 0).
  void enter(std::uint32_t pairs, double gain);
  // Whether the basis is feasible for other costs as well. Prices do not depend on the costs, so a
  // basis that was optimal then still is.
  bool feasible_for(const Row& costs) const;

 private:
  std::size_t num_pairs_;
  Row basic_;  // values of the basic columns
  Row gains_{};
  std::array<Row, kMostAllocationPairs> inverse_{};  // of the basis
  Row prices_{};
};

// Remembers the basis of the last solution: as long as nobody changes sides, most new evidence
// leaves it optimal.
class AllocationSolver {
 public:
  // Writes q_ij at row i, column j, i < j, and gives sum r q in units of 2^-20, so that equally
  // dear winners are equal. REQUIRES: `winner`, `losses` and the signs of `evidence` are those of
  // the last call, or `forget` was called since.
  std::int64_t solve(const AllocationProblem& problem, std::span<double> q);
  void forget() { program_.reset(); }

 private:
  std::optional<PackingProgram> program_;
};

}  // namespace duel
