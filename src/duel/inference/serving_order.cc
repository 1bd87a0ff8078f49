#include "duel/inference/serving_order.h"

#include <bit>
#include <utility>

namespace duel {

void ServingOrder::grow(std::uint64_t ordinal) {
  std::vector<Slot> larger(std::bit_ceil(ordinal - base_ + 1));
  for (std::uint64_t k = base_; k < end_; ++k) larger[k & (larger.size() - 1)] = slot(k);
  mask_ = larger.size() - 1;
  slots_ = std::move(larger);
}

}  // namespace duel
