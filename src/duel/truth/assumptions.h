// Which assumptions of theorems a matrix fulfils. Arms are compared along majority chains: ordered
// triples i, j, k with p_ij > 1/2 and p_jk > 1/2, which under a total order are the triples
// i > j > k. With e_ij = p_ij - 1/2, a chain fulfils
//
//   WST   weak stochastic transitivity        e_ik >= 0
//   SST   strong stochastic transitivity      e_ik >= max(e_ij, e_jk)
//   STI   stochastic triangle inequality      e_ik <= e_ij + e_jk
//
// Signs of e are taken exactly; sums and differences are compared with a slack of 1e-9, since e.g.
// equal steps of 0.05 fulfil STI with equality only up to rounding.
#pragma once

#include <cstdint>
#include <optional>

#include "duel/core/duel.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

struct Chain {
  Arm i = 0, j = 0, k = 0;
  double gap_ij = 0, gap_jk = 0, gap_ik = 0;
  double excess = 0;  // by how much the condition fails

  friend bool operator==(const Chain&, const Chain&) = default;
};

struct CheckCounts {
  std::uint64_t examined = 0;
  std::uint64_t violations = 0;

  bool holds() const { return violations == 0; }
};

struct ChainCheck : CheckCounts {
  std::optional<Chain> worst;  // the violation with the largest excess; the first such one

  // Share of chains that fulfil the condition; nullopt where there is no chain.
  std::optional<double> share() const;
};

struct ChainChecks {
  ChainCheck weak;      // WST
  ChainCheck strong;    // SST
  ChainCheck triangle;  // STI
  // Smallest c with e_ik <= c (e_ij + e_jk) on every chain, at least 0. STI holds where c <= 1.
  double triangle_factor = 0;
};

// The first arm should beat the second in the order of Copeland scores, and does not.
struct OrderWitness {
  Arm better = 0, worse = 0;
  double p = 0.5;
};

// Of pairs; one that the arm with more victories does not win violates it.
struct TotalOrderCheck : CheckCounts {
  std::optional<OrderWitness> worst;  // the one with the smallest p
};

struct Assumptions {
  TotalOrderCheck total_order;
  ChainChecks chains;
  std::optional<ChainChecks> winner_chains;  // only chains that start at the Condorcet winner
  // Smallest gamma >= 1 with gamma e_1k >= max(e_1j, e_jk) on every chain that starts at the
  // Condorcet winner 1: relaxed SST as Beat-the-Mean assumes it, in terms of e. (The condition is
  // sometimes printed with p in place of e, which gamma = 2 always fulfils.) nullopt where there
  // is no Condorcet winner.
  std::optional<double> relaxed_sst_gamma;
};

// O(K^3).
Assumptions check_assumptions(const PreferenceMatrix& matrix);

// The parts, for those who need one: O(K^2) each.
TotalOrderCheck check_total_order(const PreferenceMatrix& matrix);
std::optional<double> relaxed_sst_gamma(const PreferenceMatrix& matrix);

}  // namespace duel
