// PCOMP: all pairs in a few batches, and elimination between them.
// Agarwal, Ghuge, Nagarajan. Batched dueling bandits. ICML 2022, Algorithm 1. Inside
// explore-then-exploit (policies/parts/explore_then_exploit.h).
// Assumes    a Condorcet winner.
// Guarantee  regret O(K T^(1/B) ln(K B T) sum_j 1/D_j) with B batches: so often somebody has to
//            wait for answers. The winner is dropped with probability at most 1/T.
// Cost       O(1) per duel, O(K^2) per batch; 8 bytes per ordered pair.
// Departs    the constant of the radius is ours, from a union over both sides of K^2/2 pairs at B
//            looks (policies/parts/pair_batches.h).
//
// With q = T^(1/B), batch r asks every pair of the arms left ceil(q^r) times, pair by pair in turn.
// Once all answers are in, with N_r = sum_{s <= r} ceil(q^s) and
//   gamma_r = sqrt(ln(K^2 B T)/(2 N_r)),
// arm j is dropped if mean_ij > 1/2 + gamma_r for some arm i that was left. The last arm is
// exploited. Where all would be dropped, so that nobody is the Condorcet winner, the one with the
// most wins stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/parts/pair_batches.h"

namespace duel {

struct PcompOptions : PolicyOptions {
  std::uint64_t horizon = 0;
  std::uint64_t batches = 8;  // B
};

class PcompExplorer {
 public:
  using Options = PcompOptions;

  PcompExplorer(const Options& options, std::size_t num_arms, RoundRng rng);

  using Choice = PairBatches::Choice;
  Choice choose(Round round, RoundRng /*rng*/) const { return batches_.choose(round); }
  void commit(const Choice& choice) { batches_.commit(choice); }
  void answered(const Duel& duel, Points points, RoundRng& rng);
  void lost(const Duel& duel) { batches_.lost(duel); }
  bool finished() const { return batches_.num_left() == 1; }
  // The arm that is left, or the one that beat the most others.
  Arm leader(RoundRng rng) const;

  // ceil(q^r), and gamma_r.
  std::uint64_t duels_of_batch(std::uint64_t batch) const;
  double radius(std::uint64_t batch) const;
  // The batch that is asked, from 1 on.
  std::uint64_t batch() const { return batches_.batch(); }
  const std::vector<std::uint8_t>& left() const { return batches_.left(); }
  // All arms would have been dropped.
  bool nobody_wins() const { return nobody_wins_ != 0; }

  void fields(auto& archive) { archive(batches_, nobody_wins_); }
  bool restored(std::span<const Duel> /*pending*/) {
    return nobody_wins_ <= 1 &&
           batches_.restored([this](std::uint64_t batch) { return duels_until(batch); });
  }

 private:
  // N_r.
  std::uint64_t duels_until(std::uint64_t batch) const;
  void drop(RoundRng& rng);

  Options options_;
  std::size_t num_arms_;
  PairBatches batches_;
  std::uint8_t nobody_wins_ = 0;
};

using Pcomp = ExploreThenExploit<PcompExplorer>;

}  // namespace duel
