// PLPAC: the best arm of a Plackett-Luce model, by quicksort with a budget.
// Szoerenyi, Busa-Fekete, Paul, Huellermeier. Online rank elicitation for Plackett-Luce: a dueling
// bandits approach. NIPS 2015, Algorithm PLPAC. Inside explore-then-exploit.
// Assumes    a Plackett-Luce (Bradley-Terry) model: only then is a comparison through a third arm
//            worth as much as a duel of the pair.
// Guarantee  with probability >= 1 - delta no arm beats the one that it returns by more than
//            epsilon; with epsilon = 0 it is the best.
// Cost       O(K) per duel of K arms left; 4 bytes per ordered pair.
// Departs    nowhere.
//
// A is the set of arms left. Over and over:
//   1. A pivot is drawn uniformly from A, and each other arm of A meets it once: quicksort of A
//      with a budget of |A| - 1 duels. The arms that won stand above the pivot, the others below.
//   2. Every pair of arms from different parts is a sample, won by the arm above.
//   3. With c_ij = sqrt(ln(4 K^2 n_ij^2/delta)/(2 n_ij)) an arm j leaves A if mean_ij - c_ij > 1/2
//      for some i of A.
//   4. Stop if some i has mean_ij - c_ij >= 1/2 - epsilon for all other j of A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/parts/match_play.h"
#include "duel/policies/registry.h"

namespace duel {

struct PlpacOptions : PolicyOptions {
  double epsilon = 0;
  double delta = 0.05;

  PlpacOptions() { ties = Ties::drop; }
  void set_defaults(const PolicySetting& setting) { delta = setting.alpha; }
};

class PlpacTournament {
 public:
  using Options = PlpacOptions;
  PlpacTournament(const Options& options, std::size_t num_arms, RoundRng& /*rng*/)
      : epsilon_(options.epsilon),
        log_constant_(natural_log_of_constant(num_arms, options.delta)),
        arms_(all_arms(num_arms)),
        counts_(num_arms) {}

  std::vector<Match> first_round(RoundRng& rng) { return next_matches(rng); }
  // One duel each.
  std::uint8_t judge(const Match& match, RoundRng& /*rng*/) const {
    if (match.first_points == match.second_points) return Match::undecided;
    return match.first_points > match.second_points ? Match::first_wins : Match::second_wins;
  }
  std::vector<Match> played(std::span<const Match> matches, RoundRng& rng);
  Arm leader(std::span<const Match> matches, RoundRng rng) const;

  const std::vector<Arm>& arms() const { return arms_; }
  const PairCounts& counts() const { return counts_; }

  void fields(auto& archive) { archive(arms_, counts_); }
  bool restored(std::size_t num_arms, std::span<const Match> matches) const;

 private:
  static double natural_log_of_constant(std::size_t num_arms, double delta);
  double radius(Arm i, Arm j) const;
  std::vector<Match> next_matches(RoundRng& rng) const;
  void sample(Arm above, Arm below) { counts_.add(above, below, {2, 0}); }

  double epsilon_;
  double log_constant_;    // ln(4 K^2/delta)
  std::vector<Arm> arms_;  // A, ascending; at the end the answer alone
  PairCounts counts_;
};

using Plpac = ExploreThenExploit<MatchPlay<PlpacTournament>>;

}  // namespace duel
