// Sparring: two bandits choose one side each, with upper confidence bounds or Thompson sampling.
// Ailon, Karnin, Joachims. Reducing dueling bandits to cardinal bandits. ICML 2014, Algorithm 3.
// Assumes    utilities with a linear link; works in practice beyond.
// Guarantee  none in general.
// Cost       O(K) per duel (Thompson: 2 K Beta draws); 100 bytes per arm.
// Departs    nowhere. Returns the arm it played most lately (cardinal_bandit.h).
//
// The left bandit gets a reward where the first arm wins, the right one where the second does. An
// arm that meets itself is settled by the fair coin of the self-duel, which is read: so no round
// can be jumped. Foreign duels are ignored, since their arms were not drawn against the other
// bandit.
#pragma once

#include <cstddef>

#include "duel/policies/parts/cardinal_bandit.h"
#include "duel/policies/policy.h"

namespace duel {

template <class Bandit>
class Sparring : public SelectingPolicy<Sparring<Bandit>> {
 public:
  using Options = typename Bandit::Options;

  Sparring(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : options_(options),
        num_arms_(num_arms),
        left_(options, num_arms),
        right_(options, num_arms),
        plays_(num_arms) {}

  Duel select(Round round, RoundRng rng) const {
    typename Bandit::Draws draws(rng);
    const Arm first = left_.advance(draws);
    const Arm second = right_.advance(draws);
    return {first, second, round};
  }
  void issued(const Duel& duel, RoundRng /*rng*/) {
    left_.pulled(duel.first);
    right_.pulled(duel.second);
    plays_.played(duel.first, duel.second);
  }
  // Hands the answer to both sides; the two rewards sum to one.
  void observe(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.foreign || !left_.expects(duel.first) || !right_.expects(duel.second)) return;
    if (const auto points = points_of(outcome, options_.ties, rng)) {
      left_.rewarded(duel.first, points->first);
      right_.rewarded(duel.second, points->second);
    } else {
      left_.lost(duel.first);
      right_.lost(duel.second);
    }
  }
  Arm recommend(RoundRng rng) const { return plays_.most_played(options_.deterministic_ties, rng); }

  const Bandit& left() const { return left_; }
  const Bandit& right() const { return right_; }

  void fields(auto& archive) { archive(left_, right_, plays_); }
  bool restored() { return left_.restored() && right_.restored() && plays_.consistent(num_arms_); }

 private:
  Options options_;
  std::size_t num_arms_;
  Bandit left_;
  Bandit right_;
  RecentPlays plays_;
};

using SparringUcb = Sparring<UcbBandit>;
using SparringTs = Sparring<ThompsonBandit>;

}  // namespace duel
