// How to show most cheaply that an arm is a Copeland winner: the linear program of CW-RMED.
//
// An alternative turns some results around, so that i1 is no winner any more: some arm i2 has fewer
// losses. It turns wins of i1 and losses of i2, L_i2 - L_i1 + 1 of them at least, where a win of i1
// over i2 itself counts twice. The allocation q_ij minimises sum r_ij q_ij so that every alternative
// F is spoken against: sum over F of q_ij d_ij >= 1. There are exponentially many alternatives, but
// the one that an allocation speaks against least is found by sorting; so the program is solved over
// few of them, and those that its solution violates are added until there are none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "duel/core/duel.h"

namespace duel {

// Row-major matrices of num_arms^2. `evidence` is > 0 in row i where i loses to j, < 0 where it
// wins, 0 where neither; its size is n d in any unit.
struct AllocationProblem {
  std::size_t num_arms;
  Arm winner;  // i1
  std::span<const std::uint32_t> losses;
  std::span<const std::int64_t> evidence;
  std::span<const double> divergence;
};

// The evidence against the alternative that has least; `none` where no alternative exists.
std::int64_t least_alternative(const AllocationProblem& problem, std::int64_t none);

// r_ij of the program, for i < j: (L_i + L_j - 2 L_i1)/(2(K-1)), plus 1e-5 (1 + place/K^2), so that
// pairs of equal or no regret are told apart and the solution is one.
double allocation_regret(const AllocationProblem& problem, Arm i, Arm j);

// Writes q_ij at row i, column j, i < j, and gives sum r q in units of 2^-20, so that equally dear
// winners are equal.
std::int64_t cheapest_allocation(const AllocationProblem& problem, std::span<double> q);

}  // namespace duel
