// SAVAGE with the Condorcet criterion.
// Urvoy, Clerot, Feraud, Naamane. ICML 2013, Algorithm 1 (policies/parts/savage.h).
// Assumes    a Condorcet winner.
// Guarantee  stops on it within C sum_{j<K} j ln(KT/delta)/D_{j+1}^2 duels with probability
//            1 - delta, gaps D ascending.
// Cost       O(1) amortised per duel, O(K) per arm that falls out; 9 bytes per ordered pair.
// Departs    nowhere. The arm it would name before it has stopped (the paper: none) is the one with
//            the most empirical victories among the arms that are not out.
#pragma once

#include <cstdint>
#include <vector>

#include "duel/policies/parts/savage.h"

namespace duel {

// An arm is out when some u_ij < 1/2. A pair is irrelevant iff either end is out.
class CondorcetCriterion {
 public:
  explicit CondorcetCriterion(std::size_t num_arms) : out_(num_arms) {}

  void update(Arm i, Arm j, const PairCounts& counts, double c, LivePairs& live) {
    // The side that is behind; the other one's bound is above 1/2.
    const Arm behind = counts.points(i, j) < counts.points(j, i) ? i : j;
    const Arm ahead = behind == i ? j : i;
    if (counts.mean(behind, ahead) + c < 0.5) leave_out(behind, live);
  }
  void rebuild(const PairCounts& counts, const SavageRadius& radius);
  // The last live pair goes with the last but one arm.
  bool decided() const { return false; }
  Arm leader(const PairCounts& counts, bool deterministic_ties, RoundRng rng) const;

 private:
  void leave_out(Arm arm, LivePairs& live);

  std::vector<std::uint8_t> out_;
};

using SavageCondorcet = ExploreThenExploit<SavagePairsExplorer<CondorcetCriterion>>;

}  // namespace duel
