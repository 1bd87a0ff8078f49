#include "duel/inference/serving_order.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "duel/core/archive_containers.h"

namespace duel {

void ServingOrder::grow(std::uint64_t ordinal) {
  std::vector<Slot> larger(std::bit_ceil(ordinal - base_ + 1));
  for (std::uint64_t k = base_; k < end_; ++k) larger[k & (larger.size() - 1)] = slot(k);
  mask_ = larger.size() - 1;
  slots_ = std::move(larger);
}

template <class Archive>
void ServingOrder::fields(Archive& archive) {
  // Without the blank part of the ring, whose size is no part of the state.
  std::vector<std::uint64_t> next;
  std::vector<Arm> arms;
  std::vector<std::uint8_t> marks;  // outcome, state and whether it was served
  if constexpr (!kReadsState<Archive>) {
    for (std::uint64_t k = base_; k < end_; ++k) {
      const Slot& one = slot(k);
      next.push_back(one.next_of_pair);
      arms.push_back(one.first);
      arms.push_back(one.second);
      marks.push_back(static_cast<std::uint8_t>(one.outcome));
      marks.push_back(static_cast<std::uint8_t>(one.state));
      marks.push_back(one.served ? 1 : 0);
    }
  }
  archive(base_, enqueued_, known_, released_, queues_, next, arms, marks);
  if constexpr (kReadsState<Archive>) {
    if (arms.size() != 2 * next.size() || marks.size() != 3 * next.size()) next.clear();
    end_ = base_ + next.size();
    slots_.assign(std::bit_ceil(std::max<std::size_t>(next.size(), 16)), Slot{});
    mask_ = slots_.size() - 1;
    for (std::size_t k = 0; k < next.size(); ++k) {
      slot(base_ + k) = {.next_of_pair = next[k],
                         .first = arms[2 * k],
                         .second = arms[2 * k + 1],
                         .outcome = static_cast<Outcome>(marks[3 * k]),
                         .state = static_cast<State>(marks[3 * k + 1]),
                         .served = marks[3 * k + 2] != 0};
    }
  }
}
template void ServingOrder::fields(StateWriter& archive);
template void ServingOrder::fields(StateReader& archive);

bool ServingOrder::restored() const {
  std::uint64_t unreleased = 0;
  for (std::uint64_t k = base_; k < end_; ++k) {
    const Slot& one = slots_[k & mask_];
    if (one.served && one.state != State::released) ++unreleased;
  }
  return enqueued_ <= end_ && base_ <= enqueued_ && known_ - released_ == unreleased;
}

}  // namespace duel
