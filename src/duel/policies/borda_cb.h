// Borda confidence bound: uniform pairs until one arm's Borda score is surely the highest.
// Saha, Koren, Mansour. Adversarial dueling bandits. ICML 2021, section on a fixed gap (BCB).
// Inside explore-then-exploit (policies/parts/explore_then_exploit.h).
// Assumes    a gap between the highest Borda score and the others; preferences may change as long
//            as it is there on average.
// Guarantee  Borda regret O(K ln(K T/delta)/D^2) with probability 1 - delta, D the gap.
// Cost       O(K) per duel; 8 bytes per arm.
// Departs    nowhere. The constants are wide: with six arms, a gap of 0.1 and T = 1e5 it
//            would take some 156 000 duels.
//
// Every duel is between a uniform first arm and a uniform other one. After t duels
//   b_i = (K/t) (wins of i as the first arm),  c = 2 sqrt((K/t) ln(2 K T/delta));
// when b_i - c > b_j + c for all other j, arm i is exploited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/arms.h"
#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/policy.h"

namespace duel {

struct BordaCbOptions : PolicyOptions {
  std::uint64_t horizon = 0;
  double delta = 0.1;
};

class BordaCbExplorer {
 public:
  using Options = BordaCbOptions;

  BordaCbExplorer(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
      : options_(options), num_arms_(num_arms), points_(num_arms) {}

  struct Choice {
    Duel duel;
  };
  Choice choose(Round round, RoundRng rng) const {
    const auto first = static_cast<Arm>(rng.below(points_.size()));
    return {{first, draw_other(first, points_.size(), rng), round}};
  }
  void commit(const Choice& /*choice*/) {}
  void answered(const Duel& duel, Points points, RoundRng& rng);
  void lost(const Duel& /*duel*/) {}  // the next pair is as good
  bool finished() const { return finished_ != 0; }
  Arm leader(RoundRng rng) const;

  // c, and b_i.
  double width() const;
  double score(Arm arm) const;

  void fields(auto& archive) { archive(points_, answered_, finished_); }
  bool restored(std::span<const Duel> pending);

 private:
  bool is_decided() const;

  Options options_;
  std::size_t num_arms_;
  std::vector<std::uint64_t> points_;  // half wins as the first arm
  std::uint64_t answered_ = 0;         // t
  std::uint8_t finished_ = num_arms_ == 1 ? 1 : 0;
};

using BordaCb = ExploreThenExploit<BordaCbExplorer>;

}  // namespace duel
