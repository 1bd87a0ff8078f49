// Self-Sparring with duels (m = 2): both arms are drawn by Thompson sampling from one set of
// beliefs. Sui, Zhuang, Burdick, Yue. Multi-dueling bandits with dependent arms. UAI 2017,
// Algorithm 2.
// Assumes    approximately linear utilities.
// Guarantee  O(K log T / gap) in expectation. Its median is low and its tail heavy: it can lock on
//            a wrong arm where the Condorcet winner wins by less against common opponents.
// Cost       2 K Beta draws per duel; 16 bytes per arm.
// Departs    nowhere.
//
// S_i and F_i count wins and losses, times the learning rate. The first arm has the largest of K
// draws from Beta(S + 1, F + 1), the second the largest of K fresh ones. Self-duels change nothing,
// but how often they come is known only by drawing, so they are not jumped. Foreign duels count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/xoshiro.h"
#include "duel/policies/policy.h"

namespace duel {

struct SelfSparringOptions : PolicyOptions {
  std::uint64_t eta = 1;  // learning rate: what one duel adds to S and F
};

class SelfSparring : public SelectingPolicy<SelfSparring> {
 public:
  using Options = SelfSparringOptions;

  SelfSparring(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng rng) const;
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  // The largest share of wins among the arms that met others.
  Arm recommend(RoundRng rng) const;

  void fields(auto& archive) { archive(won_, lost_); }
  bool restored() const { return won_.size() == num_arms_ && lost_.size() == num_arms_; }

 private:
  Arm sample(Xoshiro& rng) const;

  Options options_;
  std::size_t num_arms_;
  std::vector<std::uint64_t> won_;  // 2 S / eta: half wins
  std::vector<std::uint64_t> lost_;
};

}  // namespace duel
