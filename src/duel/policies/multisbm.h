// MultiSBM: one bandit per arm; the arm that was just drawn asks its own bandit for its opponent.
// Ailon, Karnin, Joachims. Reducing dueling bandits to cardinal bandits. ICML 2014, Algorithm 2.
// Assumes    utilities with a linear link.
// Guarantee  O(K log T), up to log log T, where the bandit is that of the paper.
// Cost       O(K) per duel; 40 bytes per ordered pair.
// Departs    nowhere. Returns the arm it played most lately (cardinal_bandit.h).
//
// x_t = y_(t-1), y_t comes from the bandit of x_t, which alone learns whether y_t won. An arm that
// meets itself is settled by the fair coin of the self-duel, which is read: so no round can be
// jumped. Foreign duels are ignored.
#pragma once

#include <cstddef>
#include <vector>

#include "duel/policies/parts/cardinal_bandit.h"
#include "duel/policies/policy.h"

namespace duel {

class MultiSbm : public SelectingPolicy<MultiSbm> {
 public:
  using Options = UcbBanditOptions;

  MultiSbm(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng rng) const;
  void issued(const Duel& duel, RoundRng rng);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const { return plays_.most_played(options_.deterministic_ties, rng); }

  const UcbBandit& machine(Arm arm) const { return machines_[arm]; }

  void fields(auto& archive) {
    for (UcbBandit& machine : machines_) archive(machine);
    archive(next_, plays_);
  }
  bool restored();

 private:
  static constexpr Arm kNobody = ~Arm{0};

  Options options_;
  std::vector<UcbBandit> machines_;
  Arm next_ = kNobody;  // the first arm of the next duel, once there was one
  RecentPlays plays_;
};

}  // namespace duel
