// Self-Sparring: the arms of a duel, or of a set of m, are drawn by Thompson sampling from one set
// of beliefs. Sui, Zhuang, Burdick, Yue. Multi-dueling bandits with dependent arms. UAI 2017,
// Algorithm 2.
// Assumes    approximately linear utilities.
// Guarantee  O(K log T / gap) in expectation. Its median is low and its tail heavy: it can lock on
//            a wrong arm where the Condorcet winner wins by less against common opponents.
// Cost       2 K Beta draws per duel; 16 bytes per arm.
// Departs    nowhere with m = 2. In a set of more an arm stands once: a repeat is drawn again, up
//            to 10 times, and then the next best of the last draw is taken. So such a set never
//            becomes one arm, and average regret grows with the rounds; weak regret does not.
//
// S_i and F_i count wins and losses, times the learning rate. The first arm has the largest of K
// draws from Beta(S + 1, F + 1), the second the largest of K fresh ones. Self-duels change nothing,
// but how often they come is known only by drawing, so they are not jumped (what a jump
// would cost: docs/scale.md). Foreign duels count; of a choice among several arms the chosen one
// has won once, and every other has lost once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/core/xoshiro.h"
#include "duel/policies/policy.h"

namespace duel {

struct SelfSparringOptions : PolicyOptions {
  std::uint64_t eta = 1;  // learning rate: what one duel adds to S and F
  std::uint64_t m = 2;    // most arms that are shown together, where so many can be
};

class SelfSparring : public SelectingPolicy<SelfSparring> {
 public:
  using Options = SelfSparringOptions;
  // All that a page of several arms tells, of which a certificate takes one pair.
  static constexpr bool kTakesHearsay = true;

  SelfSparring(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng rng) const;
  std::vector<Arm> select_set(Round round, std::size_t most, RoundRng rng) const;
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  void observe_choice(std::span<const Arm> shown, Arm chosen, RoundRng rng);
  // The largest share of wins among the arms that met others.
  Arm recommend(RoundRng rng) const;

  void fields(auto& archive) { archive(won_, lost_); }
  bool restored() const { return won_.size() == num_arms_ && lost_.size() == num_arms_; }

 private:
  double draw(Arm arm, Xoshiro& rng) const;
  Arm sample(Xoshiro& rng) const;

  Options options_;
  std::size_t num_arms_;
  std::vector<std::uint64_t> won_;  // 2 S / eta: half wins
  std::vector<std::uint64_t> lost_;
};

}  // namespace duel
