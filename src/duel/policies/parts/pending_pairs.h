// The duels that went out and were not yet answered, as unordered pairs with their number. In a
// simulation there is one at most; a server under load has many thousands, of few pairs, so what is
// looked for is found among the pairs and not among the duels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/duel.h"

namespace duel {

class PendingPairs {
 public:
  struct Pair {
    Arm low;
    Arm high;
    std::uint32_t count;  // duels; at least 1
  };

  void issued(Arm i, Arm j) {
    const auto at = find(i, j);
    if (at != pairs_.end() && is(*at, i, j)) {
      ++at->count;
    } else {
      pairs_.insert(at, {std::min(i, j), std::max(i, j), 1});
    }
  }
  // Forgets one pending duel of the pair; false if there was none.
  bool settled(Arm i, Arm j) {
    const auto at = find(i, j);
    if (at == pairs_.end() || !is(*at, i, j)) return false;
    if (--at->count == 0) pairs_.erase(at);
    return true;
  }
  std::uint32_t count(Arm i, Arm j) const {
    const auto at = const_cast<PendingPairs*>(this)->find(i, j);
    return at != pairs_.end() && is(*at, i, j) ? at->count : 0;
  }
  bool empty() const { return pairs_.empty(); }

  // Each pair once, in the order of its arms.
  const std::vector<Pair>& pairs() const { return pairs_; }
  bool valid_for(std::size_t num_arms) const {
    const auto before = [](const Pair& a, const Pair& b) {
      return a.low != b.low ? a.low < b.low : a.high < b.high;
    };
    return std::all_of(pairs_.begin(), pairs_.end(),
                       [&](const Pair& pair) {
                         return pair.low <= pair.high && pair.high < num_arms && pair.count > 0;
                       }) &&
           std::is_sorted(pairs_.begin(), pairs_.end(), before);
  }

  void fields(auto& archive) { archive(pairs_); }

 private:
  static bool is(const Pair& pair, Arm i, Arm j) {
    return pair.low == std::min(i, j) && pair.high == std::max(i, j);
  }
  // Where the pair is, or would be.
  std::vector<Pair>::iterator find(Arm i, Arm j) {
    const Arm low = std::min(i, j), high = std::max(i, j);
    return std::lower_bound(pairs_.begin(), pairs_.end(), 0, [&](const Pair& pair, int) {
      return pair.low != low ? pair.low < low : pair.high < high;
    });
  }

  std::vector<Pair> pairs_;
};

}  // namespace duel
