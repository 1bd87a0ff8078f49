// How often each pair of arms has met, in memory that follows the pairs that did where there are
// many arms: a table of all pairs up to 2000 arms (8 MB), a hash table of the pairs that met above.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/core/duel.h"

namespace duel {

class MeetingCounts {
 public:
  static constexpr std::size_t kMostArmsInTable = 2000;

  explicit MeetingCounts(std::size_t num_arms, std::size_t most_in_table = kMostArmsInTable) {
    if (num_arms <= most_in_table) table_.resize(num_arms * (num_arms - (num_arms > 0)) / 2);
    sparse_ = num_arms > most_in_table;
  }

  // Counts one more meeting and says how many there were before. REQUIRES: low < high.
  std::uint32_t next(Arm low, Arm high) {
    const std::uint64_t pair = std::uint64_t{high} * (high - 1) / 2 + low;
    if (!sparse_) [[likely]]
      return table_[pair]++;
    return next_sparse(pair);
  }

  // For the tests: what it takes beside itself.
  std::size_t bytes() const {
    return table_.capacity() * sizeof(std::uint32_t) + slots_.capacity() * sizeof(Slot);
  }

 private:
  struct Slot {
    std::uint64_t pair = kNone;
    std::uint32_t count = 0;
  };
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::uint32_t next_sparse(std::uint64_t pair);
  Slot& slot_of(std::uint64_t pair);
  void grow();

  bool sparse_ = false;
  std::vector<std::uint32_t> table_;  // pair (low, high) at high(high-1)/2 + low
  std::vector<Slot> slots_;           // a power of two, at most half of them used
  std::size_t used_ = 0;
};

}  // namespace duel
