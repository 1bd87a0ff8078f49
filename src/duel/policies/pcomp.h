// PCOMP: all pairs in a few batches, and elimination between them.
// Agarwal, Ghuge, Nagarajan. Batched dueling bandits. ICML 2022, Algorithm 1. Inside
// explore-then-exploit (policies/parts/explore_then_exploit.h).
// Assumes    a Condorcet winner.
// Guarantee  regret O(K T^(1/B) ln(K B T) sum_j 1/D_j) with B batches: so often somebody has to
//            wait for answers. The winner is dropped with probability at most 1/T.
// Cost       O(1) per duel, O(K^2) per batch; 8 bytes per ordered pair.
// Departs    the constant of the radius is ours, from a union over both sides of K^2/2 pairs at B
//            looks. Duels that go out while answers of a batch are still awaited count in the next
//            ones.
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

#include "duel/policies/parts/savage.h"

namespace duel {

struct PcompOptions : PolicyOptions {
  std::uint64_t horizon = 0;
  std::uint64_t batches = 8;  // B
};

class PcompExplorer {
  auto alive() const {
    return [this](const ArmPair& pair) { return left_[pair.low] != 0 && left_[pair.high] != 0; };
  }

 public:
  using Options = PcompOptions;

  PcompExplorer(const Options& options, std::size_t num_arms, RoundRng rng);

  struct Choice {
    Duel duel;
    Sweep<ArmPair>::Place place;
  };
  Choice choose(Round round, RoundRng /*rng*/) const {
    const auto place = sweep_.next(alive());
    return {{place.item.low, place.item.high, round}, place};
  }
  void commit(const Choice& choice) { sweep_.asked(choice.place, alive()); }
  void answered(const Duel& duel, Points points, RoundRng& rng);
  void lost(const Duel& duel) {
    if (is_left(duel)) sweep_.ask_again({duel.first, duel.second});
  }
  bool finished() const { return num_left_ == 1; }
  // The arm that is left, or the one that beat the most others.
  Arm leader(RoundRng rng) const;

  // ceil(q^r), and gamma_r.
  std::uint64_t duels_of_batch(std::uint64_t batch) const;
  double radius(std::uint64_t batch) const;
  // The batch that is asked, from 1 on.
  std::uint64_t batch() const { return batch_; }
  const std::vector<std::uint8_t>& left() const { return left_; }
  // All arms would have been dropped.
  bool nobody_wins() const { return nobody_wins_ != 0; }

  void fields(auto& archive) { archive(counts_, left_, sweep_, batch_, nobody_wins_); }
  bool restored(std::span<const Duel> pending);

 private:
  bool is_left(const Duel& duel) const { return left_[duel.first] != 0 && left_[duel.second] != 0; }
  std::vector<Arm> arms_left() const;
  // N_r.
  std::uint64_t duels_until(std::uint64_t batch) const;
  // Pairs that are left and have not the answers of this batch yet.
  std::uint64_t count_open() const;
  void drop(RoundRng& rng);

  Options options_;
  PairCounts counts_;
  std::vector<std::uint8_t> left_;
  Sweep<ArmPair> sweep_;
  std::uint64_t batch_ = 1;
  std::uint8_t nobody_wins_ = 0;
  // Derived:
  std::size_t num_left_;
  std::uint64_t target_;  // N_r
  std::uint64_t open_;
};

using Pcomp = ExploreThenExploit<PcompExplorer>;

}  // namespace duel
