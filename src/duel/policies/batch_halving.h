// Halving in a few batches: of all pairs, asked equally often, so many arms stay that after B
// batches one is left. For a fixed number of duels, and of times at which somebody waits for
// answers. Ours; after Karnin, Koren, Somekh. Almost optimal exploration in multi-armed bandits.
// ICML 2013 (Sequential Halving), with the rates of Agarwal, Agarwal, Assadi, Khanna. Learning with
// limited rounds of adaptivity. COLT 2017. Inside explore-then-exploit (policies/parts).
// Assumes    a Condorcet winner.
// Guarantee  with n_r duels of a pair until batch r and A_r arms in it, the winner is dropped with
//            probability at most sum_r |A_r| exp(-2 n_r D^2), D what it beats every other by at
//            least: a majority in each of its pairs keeps it. It asks `budget` duels at most, if
//            that is K(K-1)/2 or more.
// Cost       O(1) per duel, O(K^2) per batch; 8 bytes per ordered pair.
// Departs    not a published algorithm.
//
// Batch r asks every pair of A_r floor(budget/(B |A_r| (|A_r| - 1)/2)) times, at least once, pair
// by pair in turn. Once all answers are in, the K^(1 - r/B) arms, rounded up, that beat the most
// others of A_r stay, of equal ones those with the most wins; after the last batch one, which is
// exploited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/parts/pair_batches.h"

namespace duel {

struct BatchHalvingOptions : PolicyOptions {
  std::uint64_t horizon = 0;
  std::uint64_t batches = 3;  // B
  double share = 0.1;         // of the horizon, the budget
};

class BatchHalvingExplorer {
 public:
  using Options = BatchHalvingOptions;

  BatchHalvingExplorer(const Options& options, std::size_t num_arms, RoundRng rng);

  using Choice = PairBatches::Choice;
  Choice choose(Round round, RoundRng /*rng*/) const { return batches_.choose(round); }
  void commit(const Choice& choice) { batches_.commit(choice); }
  void answered(const Duel& duel, Points points, RoundRng& rng);
  void lost(const Duel& duel) { batches_.lost(duel); }
  bool finished() const { return batches_.num_left() == 1; }
  // The arm that is left, or the one that beat the most others.
  Arm leader(RoundRng rng) const;

  // |A_r|, and how often a pair of them has met after batch r.
  std::size_t arms_of_batch(std::uint64_t batch) const;
  std::uint64_t duels_until(std::uint64_t batch) const;
  std::uint64_t batch() const { return batches_.batch(); }

  void fields(auto& archive) { archive(batches_); }
  bool restored(std::span<const Duel> /*pending*/) {
    return batches_.restored([this](std::uint64_t batch) { return duels_until(batch); });
  }

 private:
  Options options_;
  std::size_t num_arms_;
  PairBatches batches_;
};

using BatchHalving = ExploreThenExploit<BatchHalvingExplorer>;

}  // namespace duel
