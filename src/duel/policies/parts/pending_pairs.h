// The duels that went out and were not yet answered, as unordered pairs. Few at a time, so a plain
// list; in a simulation it holds one at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/duel.h"

namespace duel {

class PendingPairs {
 public:
  void issued(Arm i, Arm j) { pairs_.push_back(ordered(i, j)); }
  // Forgets one pending duel of the pair; false if there was none.
  bool settled(Arm i, Arm j) {
    const Pair pair = ordered(i, j);
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      if (pairs_[k].low == pair.low && pairs_[k].high == pair.high) {
        pairs_[k] = pairs_.back();
        pairs_.pop_back();
        return true;
      }
    }
    return false;
  }
  std::uint32_t count(Arm i, Arm j) const {
    const Pair pair = ordered(i, j);
    std::uint32_t count = 0;
    for (const Pair& other : pairs_) count += other.low == pair.low && other.high == pair.high;
    return count;
  }
  bool empty() const { return pairs_.empty(); }
  std::size_t size() const { return pairs_.size(); }

  struct Pair {
    Arm low;
    Arm high;
  };
  const std::vector<Pair>& pairs() const { return pairs_; }
  bool valid_for(std::size_t num_arms) const {
    for (const Pair& pair : pairs_) {
      if (pair.low >= num_arms || pair.high >= num_arms) return false;
    }
    return true;
  }

  template <class Archive>
  void fields(Archive& archive) {
    archive(pairs_);
  }

 private:
  static Pair ordered(Arm i, Arm j) { return i < j ? Pair{i, j} : Pair{j, i}; }

  std::vector<Pair> pairs_;
};

}  // namespace duel
