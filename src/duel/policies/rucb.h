// Relative Upper Confidence Bound (RUCB), two forms.
// Zoghi, Whiteson, Munos, de Rijke. ICML 2014, Algorithm 1: `rucb`. The arXiv version (1312.3393),
// without the hypothesised best arm: `rucb-seed`.
// Assumes    a Condorcet winner.
// Guarantee  ICML form O(K^2 + K log T), seed form O(K^2 log T), both for alpha > 1/2.
// Cost       O(K) per informative duel, one pass over two rows; 20 bytes per ordered pair.
// Departs    nowhere. Choices with duels outstanding count those in the width of the bounds.
//
// The algorithm at round t, with a hypothesis B of at most one arm, empty at first:
//   1. u_ij = w_ij/n_ij + sqrt(alpha ln t / n_ij), u_ii = 1/2.
//   2. The candidates C = {i : u_ij >= 1/2 for all j}. If there are none, c is uniform among all.
//   3. B <- B n C. If C = {c}: B <- C.
//   4. If |C| > 1: c is drawn, the arm of B with probability 1/2, the rest shared by C \ B.
//   5. d = argmax_j u_jc; on a tie not c.
//   6. c and d meet.
// The arXiv version (its Algorithm 1, lines 3 to 7) has no B: c is uniform in C.
//
// With S = sqrt(alpha ln t), r_ij = 1/sqrt(n_ij) and z_ij = (1/2 - w_ij/n_ij) sqrt(n_ij) = -z_ji it
// reads
//   u_ij >= 1/2  iff  S >= z_ij          u_jc - 1/2 = r_cj (S + z_cj).
// So C = {i : S >= Z_i}, Z_i = max_j z_ij, and (c,c) is played iff C = {c} and S < -Z_c: nothing
// but S moves then, and the round at which it reaches -Z_c is known.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/parts/crossing.h"
#include "duel/policies/parts/pending_pairs.h"
#include "duel/policies/parts/threshold_set.h"
#include "duel/policies/policy.h"

namespace duel {

// What u_ij is for a pair that never met: the paper reads x/0 := 1 in both fractions, hence 2;
// other implementations use 1 or infinity.
enum class UnplayedBound { two, one, infinite };

enum class RucbForm { icml, seed };

struct RucbOptions : PolicyOptions {
  double alpha = 0.51;  // width of the bounds; the analysis needs alpha > 1/2
  UnplayedBound unplayed = UnplayedBound::two;
};

template <RucbForm form>
class Rucb : public ChoosingPolicy<Rucb<form>> {
 public:
  using Options = RucbOptions;

  Rucb(const Options& options, std::size_t num_arms, RoundRng rng);

  struct Choice {
    Duel duel;
    Arm hypothesis;  // B after this round; kNoArm for the empty set
  };
  Choice choose(Round round, RoundRng rng) const;
  // As ChoosingPolicy's, and lets the candidates follow the clock, so that they need not be looked
  // for in every round.
  Duel take(Round round, RoundRng rng);
  void commit(const Choice& choice) {
    hypothesis_ = choice.hypothesis;
    if (!choice.duel.is_self()) pending_.issued(choice.duel.first, choice.duel.second);
  }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng) const { return empirical_copeland_leader(counts_); }
  Jump jump(Round round, Round limit, RoundRng rng) const;

  void fields(auto& archive) { archive(counts_, hypothesis_, pending_); }
  bool restored();

 private:
  static constexpr Arm kNoArm = ~Arm{0};

  // S at round t, as every comparison uses it.
  double width(Round round) const { return bound_width(options_.alpha, round); }
  Choice choose_at_width(Round round, double width, std::span<const Arm> candidates,
                         RoundRng& rng) const;
  // Fills r and z of a pair from its counts, in both directions.
  void refresh_pair(Arm i, Arm j);
  // Sets z_ij and keeps Z_i, rescanning the row only where its largest entry fell.
  void set_z(Arm i, Arm j, double z);
  double row_max_of(const double* z) const;
  std::span<const double> row_max() const { return {row_max_.data(), counts_.num_arms()}; }
  // c from the candidates C, and B with it; `row_max` is Z, or Z with pending duels counted.
  Arm choose_champion(std::span<const Arm> candidates, const double* row_max, double width,
                      RoundRng& rng, Arm& hypothesis) const;
  // argmax_j u_jc over j != c from the rows r and z of c.
  Arm choose_challenger(const double* r, const double* z, double width, RoundRng& rng) const;
  // The same decision with duels outstanding; slower, and not met in a simulation.
  Choice choose_with_pending(Round round, double width, RoundRng& rng) const;

  Options options_;
  PairCounts counts_;
  std::size_t stride_;  // padded row length
  // Of a pair that never met z is kNeverMet and r makes r (S + z) the excess of its bound. On the
  // diagonal and the padding z lies far below, so that they are never chosen.
  std::vector<double> r_;
  std::vector<double> z_;
  std::vector<double> row_max_;  // Z_i; a pair that never met counts as 0
  ThresholdSet candidates_;
  Arm hypothesis_ = kNoArm;
  PendingPairs pending_;
};

extern template class Rucb<RucbForm::icml>;
extern template class Rucb<RucbForm::seed>;

}  // namespace duel
