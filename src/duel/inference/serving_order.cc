#include "duel/inference/serving_order.h"

namespace duel {

ServingOrder::Slot& ServingOrder::slot(std::uint64_t ordinal) {
  DUEL_CHECK(ordinal >= base_);
  const std::uint64_t index = ordinal - base_;
  if (index >= slots_.size()) slots_.resize(index + 1);
  return slots_[index];
}

void ServingOrder::enqueue(std::uint64_t ordinal) {
  const Slot& mine = slot(ordinal);
  Queue& queue = queues_[pair_key(mine.first, mine.second)];
  if (queue.tail == kNone) {
    queue.head = ordinal;
  } else {
    slot(queue.tail).next_of_pair = ordinal;
  }
  queue.tail = ordinal;
}

void ServingOrder::forget_released() {
  while (!slots_.empty() && slots_.front().released) {
    slots_.pop_front();
    ++base_;
  }
}

}  // namespace duel
