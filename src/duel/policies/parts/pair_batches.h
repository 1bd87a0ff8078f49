// All pairs of the arms that are left, asked equally often in batches: arms are dropped when all
// answers of a batch are in. For PCOMP and halving.
//
// Duels that go out while answers of a batch are still awaited count in the next ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/policies/parts/savage.h"

namespace duel {

class PairBatches {
  auto alive() const {
    return [this](const ArmPair& pair) { return left_[pair.low] != 0 && left_[pair.high] != 0; };
  }

 public:
  // In the first batch every pair is to have met `target` times.
  PairBatches(std::size_t num_arms, std::uint64_t target);

  struct Choice {
    Duel duel;
    Sweep<ArmPair>::Place place;
  };
  Choice choose(Round round) const {
    const auto place = sweep_.next(alive());
    return {{place.item.low, place.item.high, round}, place};
  }
  void commit(const Choice& choice) { sweep_.asked(choice.place, alive()); }
  void lost(const Duel& duel) {
    if (is_left(duel)) sweep_.ask_again({duel.first, duel.second});
  }
  void answered(const Duel& duel, Points points);
  // All answers of the batch are in.
  bool complete() const { return open_ == 0; }
  // REQUIRES: not all that are left.
  void drop(std::span<const Arm> arms);
  // From now on every pair is to have met `target` times, those of earlier batches included.
  void begin_next(std::uint64_t target);

  // The batch that is asked, from 1 on.
  std::uint64_t batch() const { return batch_; }
  std::size_t num_left() const { return num_left_; }
  const std::vector<std::uint8_t>& left() const { return left_; }
  std::vector<Arm> arms_left() const;
  const PairCounts& counts() const { return counts_; }

  void fields(auto& archive) { archive(counts_, left_, sweep_, batch_); }
  // `target_of(batch)` is what was asked for.
  template <class Target>
  bool restored(Target target_of) {
    if (!fits()) return false;
    target_ = target_of(batch_);
    open_ = count_open();
    return open_ > 0 || num_left_ == 1;
  }

 private:
  bool is_left(const Duel& duel) const { return left_[duel.first] != 0 && left_[duel.second] != 0; }
  // Pairs that are left and have not met often enough.
  std::uint64_t count_open() const;
  bool fits();

  PairCounts counts_;
  std::vector<std::uint8_t> left_;
  Sweep<ArmPair> sweep_;
  std::uint64_t batch_ = 1;
  // Derived:
  std::size_t num_left_;
  std::uint64_t target_;
  std::uint64_t open_;
};

}  // namespace duel
