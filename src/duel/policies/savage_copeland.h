// SAVAGE with the Copeland criterion.
// Urvoy, Clerot, Feraud, Naamane. ICML 2013, Algorithm 1 (policies/parts/savage.h).
// Assumes    nothing: a Copeland winner always exists. Exact draws p_ij = 1/2 keep it exploring.
// Guarantee  stops on a Copeland winner with probability 1 - delta, within
//            O(sum over pairs ln(KT/delta)/D_ij^2) duels.
// Cost       O(1) per duel, O(K) when a pair is settled; 10 bytes per ordered pair.
// Departs    nowhere.
#pragma once

#include <cstdint>
#include <vector>

#include "duel/policies/parts/savage.h"

namespace duel {

// C-(i) = #{j : l_ij > 1/2} and C+(i) = #{j : u_ij > 1/2} bound the Copeland score of i. A pair is
// irrelevant iff its sign is settled or C+ < max C- at both its ends.
class CopelandCriterion {
 public:
  explicit CopelandCriterion(std::size_t num_arms);

  void update(Arm i, Arm j, const PairCounts& counts, double c, LivePairs& live);
  void rebuild(const PairCounts& counts, const SavageRadius& radius);
  // Some arm has C- >= C+ of every other.
  bool decided() const { return decided_; }
  // The most empirical victories among the arms with the largest C+.
  Arm leader(const PairCounts& counts, bool deterministic_ties, RoundRng rng) const;

 private:
  // Whether u_ij > 1/2 and l_ij > 1/2.
  static constexpr std::uint8_t kMayWin = 1;
  static constexpr std::uint8_t kWins = 2;

  std::uint8_t& sign(Arm i, Arm j) { return signs_[i * num_arms_ + j]; }
  // True if a bound on the score of i has changed.
  bool judge(Arm i, Arm j, double mean, double c);
  void decide();

  std::size_t num_arms_;
  std::vector<std::uint8_t> signs_;
  std::vector<std::uint32_t> least_;  // C-
  std::vector<std::uint32_t> most_;   // C+
  HopelessArms hopeless_;
  bool decided_ = false;
};

using SavageCopeland = ExploreThenExploit<SavagePairsExplorer<CopelandCriterion>>;

}  // namespace duel
