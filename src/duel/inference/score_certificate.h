// Certificates of a Copeland or Borda winner among a fixed set of K arms: each pair gets a
// beta-binomial confidence sequence at level 2 alpha/(K (K - 1)), so that all of them hold at all
// times with probability 1 - alpha; a winner is settled when its score's lower bound reaches every
// other arm's upper bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/inference/interval.h"

namespace duel {

enum class Score {
  copeland,  // #{j : p_ij > 1/2}
  borda,     // mean over j != i of p_ij
};

// When one looks at the bounds. Borda's take tens of microseconds for a pair, so that a simulation
// looks when the duels have grown by a fiftieth: it usually sees a winner up to 2 % later, and more
// where the bounds met for a moment only. `once`: when `look` is called, for answers whose order is
// unknown.
enum class Looks { every_duel, every_fiftieth, once };

// Counts one duel at a time: at a look only the pairs that met since the last are looked at again,
// O(K) each. The winner is settled once and for good.
class ScoreCertifier {
 public:
  // No winner before each pair has had `min_decisive_per_pair` decisive duels. An error names what
  // is out of range: fewer than two arms, alpha outside (0, 1).
  static Result<ScoreCertifier> make(std::size_t num_arms, Score score, double alpha,
                                     std::uint64_t min_decisive_per_pair = 0,
                                     Looks looks = Looks::every_duel);

  // A decisive duel, in serving order within its pair.
  void observe(Arm winner, Arm loser);
  // The one look, after which nothing counts any more. REQUIRES: Looks::once, no look before.
  void look();

  // Only the arm of the lowest index among those with the largest lower bound can be settled: the
  // rule of logs of format 1, whose certificates depend on how the arms are numbered.
  void settle_the_lowest_only() { lowest_only_ = true; }

  Score score() const { return score_; }
  // As of the last look; per arm, all valid at once.
  const std::vector<Interval>& scores() const { return scores_; }
  // Whether it is known exactly what the pair adds to the scores. Never for Borda.
  bool decided(Arm i, Arm j) const {
    const Interval& part = parts_[i * num_arms_ + j];
    return part.lower == part.upper;
  }
  // The lowest index where several arms are settled at once: their scores are equal.
  const std::optional<Arm>& winner() const { return winner_; }
  std::uint64_t decisive() const { return decisive_; }

  // The state between two calls (core/archive.h), for one of the same arms and options; `restored`
  // says whether it makes sense.
  template <class Archive>
  void fields(Archive& archive);
  bool restored() const;

 private:
  struct Pair {
    Arm low;
    Arm high;
  };

  ScoreCertifier(std::size_t num_arms, Score score, double delta,
                 std::uint64_t min_decisive_per_pair, Looks looks);

  std::uint64_t& wins(Arm i, Arm j) { return wins_[i * num_arms_ + j]; }
  void look_at_unseen();
  void look_at(const Pair& pair);
  void sum_up(Arm arm);
  void look_for_winner();

  std::size_t num_arms_;
  Score score_;
  double delta_;
  std::uint64_t min_decisive_;
  Looks looks_;
  bool looked_ = false;
  bool lowest_only_ = false;
  std::uint64_t decisive_ = 0;
  std::uint64_t next_look_ = 0;  // in decisive duels
  std::vector<Pair> unseen_;     // pairs that met since the last look
  std::vector<bool> is_unseen_;  // the same by low * K + high
  std::size_t short_pairs_;      // pairs with fewer than min_decisive_ duels
  std::vector<std::uint64_t> wins_;
  std::vector<Interval> parts_;  // what the pair (i, j) adds to i's score
  std::vector<Interval> scores_;
  std::optional<Arm> winner_;
};

}  // namespace duel
