// Doubler: in epochs of doubling length, a bandit plays against the arms it drew an epoch before.
// Ailon, Karnin, Joachims. Reducing dueling bandits to cardinal bandits. ICML 2014, Algorithm 1.
// Assumes    utilities with a linear link.
// Guarantee  O(K log^2 T / gap) with upper confidence bounds.
// Cost       O(K) per duel; 64 bytes per arm.
// Departs    nowhere. Returns the arm it played most lately (cardinal_bandit.h).
//
// Epoch i = 1, 2, .. has 2^i duels of x, uniform from the multiset L, against y, drawn by a fresh
// bandit that learns whether y won; then L becomes the multiset of the y of the epoch. L is kept as
// one count per arm. An epoch ends with the duels that went out; answers that come in a later epoch
// are ignored, and so are foreign duels. The coin of a self-duel is read: no round can be jumped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/policies/parts/cardinal_bandit.h"
#include "duel/policies/policy.h"

namespace duel {

class Doubler : public SelectingPolicy<Doubler> {
 public:
  using Options = UcbBanditOptions;

  // The arm that L holds at first is uniform.
  Doubler(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng rng) const;
  void issued(const Duel& duel, RoundRng rng);
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const { return plays_.most_played(options_.deterministic_ties, rng); }

  const UcbBandit& machine() const { return machine_; }

  void fields(auto& archive) {
    archive(opponents_, drawn_, epoch_length_, epoch_duels_, epoch_begins_, machine_, plays_);
  }
  bool restored();

 private:
  Options options_;
  std::size_t num_arms_;
  std::vector<std::uint64_t> opponents_;  // L, as how often each arm is in it
  std::vector<std::uint64_t> drawn_;      // the same of this epoch's y
  std::uint64_t epoch_length_ = 2;
  std::uint64_t epoch_duels_ = 0;  // of this epoch, so far
  Round epoch_begins_ = 0;         // no duel of it has an earlier round
  UcbBandit machine_;
  RecentPlays plays_;
};

}  // namespace duel
