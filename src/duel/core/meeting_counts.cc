#include "duel/core/meeting_counts.h"

#include <utility>

#include "duel/core/rng.h"

namespace duel {

MeetingCounts::Slot& MeetingCounts::slot_of(std::uint64_t pair) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = static_cast<std::size_t>(mix64(pair)) & mask;
  while (slots_[place].pair != pair && slots_[place].pair != kNone) place = (place + 1) & mask;
  return slots_[place];
}

void MeetingCounts::grow() {
  constexpr std::size_t kFirst = 1024;
  std::vector<Slot> before =
      std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kFirst : 2 * slots_.size()));
  for (const Slot& slot : before) {
    if (slot.pair != kNone) slot_of(slot.pair) = slot;
  }
}

std::uint32_t MeetingCounts::next_sparse(std::uint64_t pair) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  Slot& slot = slot_of(pair);
  if (slot.pair == kNone) {
    slot.pair = pair;
    ++used_;
  }
  return slot.count++;
}

}  // namespace duel
