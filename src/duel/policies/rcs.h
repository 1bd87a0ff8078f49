// Relative Confidence Sampling (RCS).
// Zoghi, Whiteson, de Rijke, Munos. WSDM 2014, Algorithm 1.
// Assumes    a Condorcet winner.
// Guarantee  none proved.
// Cost       O(K) per decision: the sampled champion is found with 2 K of the K^2/2 flips, and the
//            rest is left undecided. 36 bytes per ordered pair.
// Departs    nowhere. Of a sample theta only the side of 1/2 is drawn. Jumps are equal in law, not
//            in path. Outstanding duels are not counted: the sampling spreads the choices.
//
// Champion c: the arm that beats all others in a tournament sampled from the beliefs, or where
// there is none, the arm that has been champion least often. Challenger: argmax_j u_jc with RUCB's
// bounds, which is c itself where no u_jc reaches 1/2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/parts/beliefs.h"
#include "duel/policies/parts/crossing.h"
#include "duel/policies/policy.h"

namespace duel {

struct RcsOptions : PolicyOptions {
  double alpha = 0.501;  // width of the bounds, as published; meant to be > 1/2
};

class Rcs : public SelectingPolicy<Rcs> {
 public:
  using Options = RcsOptions;

  Rcs(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng rng) const { return choose(round, rng, nullptr); }
  // A jump may have drawn the duel that went out, so nothing is worked out again.
  void issued(const Duel& duel, RoundRng rng);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng) const { return empirical_copeland_leader(counts_); }
  Jump jump(Round round, Round limit, RoundRng rng) const;

  void fields(auto& archive) { archive(counts_, championships_, last_); }
  bool restored();

 private:
  double width(Round round) const { return bound_width(options_.alpha, round); }
  Duel choose(Round round, RoundRng& rng, const Setback* setback) const;
  Arm choose_champion(Round round, RoundRng& rng, const Setback* setback) const;
  Arm choose_challenger(Arm champion, double width, RoundRng& rng) const;
  double upper(Arm champion, Arm j, double width) const {  // u_jc
    return share_[champion * counts_.num_arms() + j] +
           width * inverse_root_[champion * counts_.num_arms() + j];
  }
  // How often the arm was champion before `round`. Rounds that went by without a call were jumped
  // over: the champion of the last self-duel was champion in each.
  std::uint64_t championships(Arm i, Round round) const;
  void refresh_pair(Arm i, Arm j);

  Options options_;
  PairCounts counts_;
  Beliefs beliefs_;
  // Of row c: w_jc/n and 1/sqrt(n); 2 and 0 where they never met, far below on the diagonal.
  std::vector<double> share_;
  std::vector<double> inverse_root_;
  std::vector<std::uint64_t> championships_;
  Duel last_{0, 0, 0, true};       // the last duel that went out; foreign: none yet
  mutable std::vector<Arm> room_;  // scratch
};

}  // namespace duel
