// Certificates of a Copeland or Borda winner among a fixed set of K arms: each pair gets a
// beta-binomial confidence sequence at level 2 alpha/(K (K - 1)), so that all of them hold at all
// times with probability 1 - alpha; a winner is settled when its score's lower bound reaches every
// other arm's upper bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/pair_counts.h"
#include "duel/core/result.h"
#include "duel/inference/interval.h"

namespace duel {

enum class Score {
  copeland,  // #{j : p_ij > 1/2}
  borda,     // mean over j != i of p_ij
};

struct ScoreBoard {
  std::vector<Interval> scores;  // per arm, all valid at once
  std::optional<Arm> winner;     // lowest index if scores are settled to be equal
};

// Counts must be whole decisive duels in serving order. O(K^2). An error names what is out of
// range: fewer than two arms, alpha outside (0, 1), a half count.
Result<ScoreBoard> score_board(const PairCounts& counts, Score score, double alpha);

// The same, one duel at a time: only the pair that met is looked at again. O(K) for a decisive
// duel. The winner is settled once and for good.
class ScoreCertifier {
 public:
  // No winner before each pair has had `min_decisive_per_pair` decisive duels. Errors as above.
  static Result<ScoreCertifier> make(std::size_t num_arms, Score score, double alpha,
                                     std::uint64_t min_decisive_per_pair = 0);

  // A decisive duel, in serving order within its pair.
  void observe(Arm winner, Arm loser);

  Score score() const { return score_; }
  const std::vector<Interval>& scores() const { return scores_; }
  const std::optional<Arm>& winner() const { return winner_; }
  std::uint64_t decisive() const { return decisive_; }

 private:
  ScoreCertifier(std::size_t num_arms, Score score, double delta,
                 std::uint64_t min_decisive_per_pair);

  std::uint64_t& wins(Arm i, Arm j) { return wins_[i * num_arms_ + j]; }
  void sum_up(Arm arm);
  void look_for_winner();

  std::size_t num_arms_;
  Score score_;
  double delta_;
  std::uint64_t min_decisive_;
  std::uint64_t decisive_ = 0;
  std::size_t short_pairs_;  // pairs with fewer than min_decisive_ duels
  std::vector<std::uint64_t> wins_;
  std::vector<Interval> parts_;  // what the pair (i, j) adds to i's score
  std::vector<Interval> scores_;
  std::optional<Arm> winner_;
};

}  // namespace duel
