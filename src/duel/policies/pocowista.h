// POCOWISTA: a Copeland winner where arms may be equally good, and its form for transitive arms.
// Bengs, Haddenhorst, Huellermeier. Identifying Copeland winners in dueling bandits with
// indifferences. 2023, Algorithms POCOWISTA and TRA-POCOWISTA. Inside explore-then-exploit.
// Assumes    nothing (TRA: transitive preferences and indifferences); a tie is an answer like the
//            others, and of each pair one of win, tie and loss is the most likely.
// Guarantee  stops on a Copeland winner with probability >= 1 - delta; the number of duels is near
//            the lower bound.
// Cost       O(1) per duel, O(K) per decided pair (TRA: O(K^3)); 2 bytes per ordered pair.
// Departs    TRA: scores and sets are worked out anew from the closed relation; the update printed
//            in the paper takes complements of the wrong sets in two places.
//
// D_i: the arms that were compared with i, and i itself; score_i: wins plus half the ties of i
// among them; potential_i = K - |D_i| + score_i.
//   1. i has the largest potential, j the largest score of the arms not in D_i; the lowest
//      of equals.
//   2. The pair duels until, of its counts of wins, ties and losses, the two largest x >= y satisfy
//      2^(x+y) B(x+1, y+1) >= 2/d; the category with x is the pair's. d = delta/(K(K-1)/2); TRA:
//      delta/(K ln K).
//   3. A win scores 1 and a tie 1/2 each; i and j join each other's D. TRA: so do all pairs that
//      follow, i > j >= k or i >= j > k making i > k, and i = j = k making i = k.
//   4. It ends when the largest score is at least every other arm's potential.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/parts/match_play.h"
#include "duel/policies/registry.h"

namespace duel {

struct PocowistaOptions : PolicyOptions {
  double delta = 0.05;

  PocowistaOptions() { ties = Ties::half; }
  void set_defaults(const PolicySetting& setting) { delta = setting.alpha; }
};

// The tournament of both; `transitive` is TRA.
class CopelandSearch {
 public:
  CopelandSearch(double delta, bool transitive, std::size_t num_arms);

  std::vector<Match> first_round(RoundRng& /*rng*/) { return next_match(); }
  std::uint8_t judge(const Match& match, RoundRng& rng) const;
  std::vector<Match> played(std::span<const Match> matches, RoundRng& rng);
  Arm leader(std::span<const Match> matches, RoundRng rng) const;

  enum Relation : std::uint8_t { kUnknown, kWins, kTies, kLoses };
  Relation relation(Arm i, Arm j) const {
    return static_cast<Relation>(relations_[i * num_arms_ + j]);
  }
  // Twice the score.
  std::uint64_t score_halves(Arm i) const { return scores_[i]; }
  std::uint64_t compared(Arm i) const { return compared_[i]; }

  void fields(auto& archive) { archive(relations_); }
  bool restored(std::size_t num_arms, std::span<const Match> matches);

 private:
  std::uint64_t potential_halves(Arm i) const {
    return 2 * (num_arms_ - compared_[i]) + scores_[i];
  }
  Arm best() const;
  void set_relation(Arm i, Arm j, Relation relation);
  void close();
  void count();
  std::vector<Match> next_match() const;

  std::size_t num_arms_;
  bool transitive_;
  double log_bar_;  // ln(2/d)
  std::vector<std::uint8_t> relations_;
  // Derived from the relations.
  std::vector<std::uint64_t> scores_;
  std::vector<std::uint64_t> compared_;  // |D_i|
};

template <bool transitive>
class PocowistaTournament : public CopelandSearch {
 public:
  struct Options : PocowistaOptions {};
  PocowistaTournament(const Options& options, std::size_t num_arms, RoundRng& /*rng*/)
      : CopelandSearch(options.delta, transitive, num_arms) {}
};

using Pocowista = ExploreThenExploit<MatchPlay<PocowistaTournament<false>>>;
using TraPocowista = ExploreThenExploit<MatchPlay<PocowistaTournament<true>>>;

}  // namespace duel
