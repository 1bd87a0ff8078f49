// What the literal twins of the explore-then-exploit policies share: the steps of the wrapper as
// written, one duel at a time, and the draws in the order in which the policies make them.
#pragma once

#include <optional>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

namespace duel {

// One of the tied arms, in index order.
inline Arm pick(const std::vector<Arm>& tied, bool lowest, RoundRng& rng) {
  return tied.size() == 1 || lowest ? tied.front() : tied[rng.below(tied.size())];
}

// Wins of the first arm that an answer counts, or nothing.
inline std::optional<double> wins_of_first(Outcome outcome, Ties ties, RoundRng& rng) {
  if (outcome == Outcome::first_wins) return 1.0;
  if (outcome == Outcome::second_wins) return 0.0;
  if (outcome == Outcome::skip || outcome == Outcome::none) return std::nullopt;
  if (ties == Ties::drop) return std::nullopt;
  if (ties == Ties::half) return 0.5;
  return rng.coin() ? 1.0 : 0.0;
}

// EXPLORE has: pair(rng), the next pair; learn(first, second, wins of first, rng); done(); and
// leader(rng).
template <class Explore>
class LiteralExploreThenExploit {
 public:
  LiteralExploreThenExploit(Explore explore, std::optional<Round> horizon, Ties ties)
      : explore_(std::move(explore)), horizon_(horizon), ties_(ties) {}

  Duel next(Round round, RoundRng rng) {
    if (!winner_ && explore_.done()) winner_ = explore_.leader(rng);  // one arm
    if (winner_) return {*winner_, *winner_, round};
    ++played_;
    const auto [first, second] = explore_.pair(rng);
    return {first, second, round};
  }
  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (winner_) return;
    if (const auto wins = wins_of_first(outcome, ties_, rng)) {
      explore_.learn(duel.first, duel.second, *wins, rng);
    }
    if (explore_.done() || played_ == horizon_) winner_ = explore_.leader(rng);
  }
  Arm recommend(RoundRng rng) const { return winner_ ? *winner_ : explore_.leader(rng); }
  bool settled() const { return winner_.has_value() || explore_.done(); }
  const Explore& explore() const { return explore_; }

 private:
  Explore explore_;
  std::optional<Round> horizon_;
  Ties ties_;
  Round played_ = 0;
  std::optional<Arm> winner_;
};

}  // namespace duel
