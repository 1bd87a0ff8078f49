// Double Thompson Sampling: D-TS and D-TS+.
// Wu and Liu. NIPS 2016, Algorithms 1 and 2.
// Assumes    nothing but a fixed matrix: regret is against the Copeland winners, so also against a
//            Condorcet winner.
// Guarantee  O(K^2 log T) Copeland; O(K log T + K^2 log log T) with a Condorcet winner (alpha >
//            1/2).
// Cost       O(K) to jump, O(K |C|) where the likely winner loses to somebody; O(K) for the second
//            arm and the changed pair. For the first arm flips are asked one by one until an arm
//            has lost more often than the best: O(K log K) where strengths are spread, O(K |C|) at
//            worst. D-TS+ decides all K^2/2 flips in a round whose best scores tie. 28 bytes per
//            ordered pair.
// Departs    nowhere. Of a sample theta the side of 1/2 is drawn first and its value, where it is
//            needed, given that side: the same law. Jumps are equal in law, not in path.
//            Outstanding duels are not counted: the sampling spreads the choices.
//
// The algorithm at round t. First candidate:
//   1. u_ij, l_ij = w_ij/n_ij +- sqrt(alpha ln t/n_ij); u = 2, l = 0 where they never met.
//   2. C: the arms with the most opponents j for which u_ij > 1/2.
//   3. theta_ij ~ Beta(w_ij + 1, w_ji + 1) for i < j, theta_ji = 1 - theta_ij.
//   4. a: of C the arm with the most opponents for which theta_ij > 1/2. Ties are broken at random;
//      by D-TS+ for the least sum over j of r_ij/d(theta_ij, 1/2), r_ij the regret of the pair in
//      the sampled tournament.
// Second candidate:
//   5. A second sample theta_ia ~ Beta(w_ia + 1, w_ai + 1) for i != a, theta_aa = 1/2.
//   6. b: the largest theta_ia over {i : l_ia <= 1/2}, which holds a: who surely beats a is left
//      out.
//   7. a and b meet.
//
// With S = sqrt(alpha ln t) and z_ij = (1/2 - w_ij/n_ij) sqrt(n_ij):  u_ij > 1/2 iff S > z_ij, and
// l_ij <= 1/2 iff S >= z_ji. A pair that never met has z = -infinity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/parts/beliefs.h"
#include "duel/policies/parts/crossing.h"
#include "duel/policies/parts/upper_scores.h"
#include "duel/policies/policy.h"

namespace duel {

struct DtsOptions : PolicyOptions {
  double alpha = 0.51;  // width of the bounds; the analysis needs alpha > 1/2
};

class Dts : public SelectingPolicy<Dts> {
 public:
  using Options = DtsOptions;

  // `plus` makes it D-TS+.
  Dts(const Options& options, std::size_t num_arms, RoundRng rng, bool plus = false);

  Duel select(Round round, RoundRng rng) const { return choose(round, rng, nullptr); }
  // A jump may have drawn the duel that went out, so nothing is worked out again.
  void issued(const Duel& duel, RoundRng /*rng*/) { last_ = duel; }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng) const { return empirical_copeland_leader(counts_); }
  Jump jump(Round round, Round limit, RoundRng rng) const;

  void fields(auto& archive) { archive(counts_, last_); }
  bool restored();

 private:
  double width(Round round) const { return bound_width(options_.alpha, round); }
  Duel choose(Round round, RoundRng& rng, const Setback* setback) const;
  Arm choose_first(RoundRng& rng, const Setback* setback) const;
  // The flips that, if they all go as is likely, leave `arm` with the best sampled score of the
  // candidates, in `required_`; returns the sum of their costs.
  double require_best_score(Arm arm) const;
  // The duel's second arm, from samples of all arms not known to beat the first. With
  // `first_success` the samples before that arm lie below 1/2 and its own above.
  Arm choose_second(Arm first, double width, RoundRng& rng,
                    std::optional<Arm> first_success = {}) const;
  // Among tied arms, those with the least sum of r_ij/d(theta_ij, 1/2).
  void keep_cheapest(const SampledTournament& tournament, RoundRng& rng) const;
  bool may_challenge(Arm i, Arm first, double width) const {  // l <= 1/2
    return width >= scores_.deficit(first, i);
  }

  Options options_;
  bool plus_;
  PairCounts counts_;
  Beliefs beliefs_;
  // Follows the clock; a cache, so it moves in const calls as well.
  mutable UpperScores scores_;
  mutable std::vector<Arm> tied_;            // scratch
  mutable std::vector<std::uint32_t> wins_;  // scratch: sampled scores
  struct Flip {
    Arm winner;
    Arm loser;
    double cost;
  };
  mutable std::vector<Flip> required_;      // scratch
  mutable std::vector<Flip> losses_;        // scratch
  mutable std::vector<std::int8_t> known_;  // scratch: what a jump knows of its last tournament
  Duel last_;
};

class DtsPlus : public Dts {
 public:
  DtsPlus(const Options& options, std::size_t num_arms, RoundRng rng)
      : Dts(options, num_arms, rng, true) {}
};

}  // namespace duel
