// Copeland Confidence Bound (CCB).
// Zoghi, Karnin, Whiteson, de Rijke. NIPS 2015, Algorithm 1.
// Assumes    no pair is even (p_ij != 1/2).
// Guarantee  O((K^2 + (C + L_C) K log T)/D^2) Copeland regret for alpha > 1/2, with C winners that
//            lose L_C duels each.
// Cost       O(K + sum |B^i|) per decision, O(K) where a Condorcet winner is found; 12 bytes per
//            ordered pair.
// Departs    nowhere. Outstanding duels are not counted.
//
// Hypotheses: B holds candidate winners, at first all arms; B^i arms believed to beat i, at first
// none; L how many duels a winner loses, at first K. The algorithm at round t:
//   1. u_ij, l_ij = w_ij/n_ij +- sqrt(alpha ln t/n_ij). Upper and lower Copeland scores
//      #{j : u_ij >= 1/2}, #{j : l_ij >= 1/2}; C: the arms with the largest upper score.
//   2. (A) Reset disproven hypotheses: if l_ij > 1/2 for a j of some B^i, all of them start over.
//      (B) Remove non-winners: an arm of B whose upper score is below another's lower one leaves;
//          if |B^i| != L + 1, B^i becomes {k : u_ik < 1/2}. If B is empty, all start over.
//      (C) Add winners: an arm i of C with equal scores enters B, B^i becomes empty, L its number
//          of losses; each other B^j keeps L + 1 arms at random, or none if it has fewer.
//   3. With probability 1/4: a uniform one of the pairs (i, j), j of B^i, with l_ij <= 1/2 <= u_ij
//      meets, if there is one, and the round is over.
//   4. If B n C is not empty: with probability 2/3, C becomes B n C.
//   5. c is uniform in C.
//   6. With probability 1/2 d is sought in B^c, else, or if that is empty, among all arms: the
//      largest u_jc over those with l_jc <= 1/2; on a tie not c.
//   7. c and d meet.
//
// With S = sqrt(alpha ln t) and z_ij = (1/2 - w_ij/n_ij) sqrt(n_ij) = -z_ji:
//   u_ij < 1/2 iff S < z_ij          l_ij > 1/2 iff S < -z_ij
// and a pair is settled once S < |z_ij|.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/parts/crossing.h"
#include "duel/policies/policy.h"

namespace duel {

struct CcbOptions : PolicyOptions {
  double alpha = 0.51;  // width of the bounds; the analysis needs alpha > 1/2
};

class Ccb : public ChoosingPolicy<Ccb> {
 public:
  using Options = CcbOptions;

  Ccb(const Options& options, std::size_t num_arms, RoundRng rng);

  // What the steps change while choosing.
  struct Hypotheses {
    explicit Hypotheses(std::size_t num_arms)
        : candidate(num_arms, 1),
          conquerors(num_arms),
          losses(static_cast<std::uint32_t>(num_arms)) {}

    std::vector<std::uint8_t> candidate;       // B
    std::vector<std::vector<Arm>> conquerors;  // B^i, ascending
    std::uint32_t losses;                      // L
    void fields(auto& archive) { archive(candidate, conquerors, losses); }
  };
  struct Choice {
    Duel duel;
    std::optional<Hypotheses> changed;
  };
  Choice choose(Round round, RoundRng rng) const;
  void commit(const Choice& choice) {
    if (choice.changed) hypotheses_ = *choice.changed;
  }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng) const { return empirical_copeland_leader(counts_); }
  Jump jump(Round round, Round limit, RoundRng rng) const;

  void fields(auto& archive) { archive(counts_, hypotheses_); }
  bool restored();

 private:
  double width(Round round) const { return bound_width(options_.alpha, round); }
  double deficit(Arm i, Arm j) const { return deficit_[i * counts_.num_arms() + j]; }
  bool surely_loses(Arm i, Arm j) const { return deficit(i, j) > width_; }  // u_ij < 1/2
  bool surely_wins(Arm i, Arm j) const { return -deficit(i, j) > width_; }  // l_ij > 1/2
  // Scores and C at this round's bounds; recounts the rows of which a bound crossed 1/2.
  void follow(double width) const;
  void count(Arm i) const;
  void find_leaders() const;
  // Steps 2 (A), (B), (C); nothing where they change nothing.
  std::optional<Hypotheses> revised(RoundRng& rng) const;
  Arm choose_second(Arm first, const std::vector<Arm>* pool, double width, RoundRng& rng) const;
  void refresh_pair(Arm i, Arm j);

  Options options_;
  PairCounts counts_;
  std::vector<double> deficit_;  // z; not a number where they never met and on the diagonal
  Hypotheses hypotheses_;
  // Follow the clock: caches, so they move in const calls as well.
  mutable double width_ = 0;
  mutable std::vector<std::uint32_t> most_;    // upper Copeland scores #{u >= 1/2}
  mutable std::vector<std::uint32_t> fewest_;  // lower ones #{l >= 1/2}
  mutable std::vector<double> entry_;          // least |z_ij| >= S of a row
  mutable std::vector<Arm> leaders_;           // C
  mutable std::vector<Arm> room_;              // scratch
};

}  // namespace duel
