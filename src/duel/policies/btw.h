// Beat the Winner (BtW), and with resets (BtWR) for preferences that change.
// Kolpaczki, Bengs, Huellermeier. Non-stationary dueling bandits. 2022, Algorithms 2 and 3.
// Assumes    a Condorcet winner (BtWR: at each time).
// Guarantee  weak regret O(K log K) without changes (BtW), O(K log K) per change (BtWR), whatever
//            T.
// Cost       O(K) per bout; 4 bytes per arm.
// Departs    nowhere. The form of BtWR for strong regret is not offered: it compares the round with
//            a counter that a reset lowers, and so exploits after every reset.
//
// The arms stand in a queue in random order; the first two are incumbent and challenger. A bout
// goes to the first who wins r duels of it, r = 1 at first. If the incumbent does, r grows by one;
// if the challenger does, it becomes the incumbent and r grows by one (BtW) or begins at 1 again
// (BtWR). The loser goes to the back of the queue, and the next challenger comes from its front.
//
// Outstanding duels: the pair of a bout is asked again until it is decided; answers that come
// later are ignored, and so are foreign duels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/policies/policy.h"

namespace duel {

struct BtwOptions : PolicyOptions {};
struct BtwrOptions : PolicyOptions {};

template <bool resets>
class BeatTheWinner : public SelectingPolicy<BeatTheWinner<resets>> {
 public:
  using Options = std::conditional_t<resets, BtwrOptions, BtwOptions>;

  BeatTheWinner(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng /*rng*/) const {
    return {queue_.front(), queue_.size() > 1 ? queue_[1] : queue_.front(), round};
  }
  void issued(const Duel& duel, RoundRng /*rng*/) {
    if (began_ == 0) began_ = duel.round;
  }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  // The incumbent.
  Arm recommend(RoundRng /*rng*/) const { return queue_.front(); }

  // r.
  std::uint64_t target() const { return target_; }
  // Incumbent, challenger, and those who wait.
  const std::vector<Arm>& queue() const { return queue_; }

  void fields(auto& archive) { archive(queue_, target_, wins_, losses_, began_); }
  bool restored() const;

 private:
  Options options_;
  std::size_t num_arms_;
  std::vector<Arm> queue_;
  std::uint64_t target_ = 1;  // r
  std::uint64_t wins_ = 0;    // of the incumbent in this bout
  std::uint64_t losses_ = 0;
  Round began_ = 0;  // the first round of the bout; 0: none went out
};

using Btw = BeatTheWinner<false>;
using Btwr = BeatTheWinner<true>;

}  // namespace duel
