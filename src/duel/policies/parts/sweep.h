// A round-robin over items (arms, pairs): each is asked once per sweep in the order given, over and
// over. Items die and are passed over; who is alive is the caller's knowledge and comes as a
// predicate. An item whose answer was lost is asked again before the sweep goes on.
//
// O(1) amortised per item: the dead are passed once and forgotten at the end of the sweep.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "duel/core/check.h"

namespace duel {

template <class Item>
class Sweep {
 public:
  // `items` ascend.
  explicit Sweep(std::vector<Item> items) : items_(std::move(items)) {}

  enum class From { lost, this_sweep, next_sweep };
  struct Place {
    Item item;
    std::size_t position;
    From from;
  };

  // What is asked next. REQUIRES: some item is alive.
  Place next(auto alive) const {
    for (std::size_t k = lost_.size(); k-- > 0;) {
      if (alive(lost_[k])) return {lost_[k], k, From::lost};
    }
    for (std::size_t k = position_; k < items_.size(); ++k) {
      if (alive(items_[k])) return {items_[k], k, From::this_sweep};
    }
    for (std::size_t k = 0; k < position_; ++k) {
      if (alive(items_[k])) return {items_[k], k, From::next_sweep};
    }
    DUEL_CHECK(!"an item is alive");
    return {};
  }

  // `next` was asked.
  void asked(const Place& place, auto alive) {
    switch (place.from) {
      case From::lost:  // those behind it are dead
        lost_.erase(lost_.begin() + static_cast<std::ptrdiff_t>(place.position), lost_.end());
        return;
      case From::this_sweep:
        position_ = place.position + 1;
        break;
      case From::next_sweep:  // the first one alive, so the first of the new sweep
        ++sweeps_;
        position_ = 0;
        forget_dead(alive);
        position_ = 1;
        break;
    }
    if (position_ == items_.size()) {
      ++sweeps_;
      position_ = 0;
      forget_dead(alive);
    }
  }

  // The answer did not come or counts for nothing.
  void ask_again(const Item& item) { lost_.push_back(item); }

  void forget_dead(auto alive) {
    std::size_t kept = 0;
    std::size_t asked = 0;  // of those kept, in this sweep
    for (std::size_t k = 0; k < items_.size(); ++k) {
      if (!alive(items_[k])) continue;
      if (k < position_) ++asked;
      items_[kept++] = items_[k];
    }
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(kept), items_.end());
    std::erase_if(lost_, [&](const Item& item) { return !alive(item); });
    position_ = asked;
    if (position_ > 0 && position_ == kept) {  // what was left of the sweep is dead
      ++sweeps_;
      position_ = 0;
    }
  }

  const std::vector<Item>& items() const { return items_; }
  // Sweeps asked in full, and how far the present one is; 0: it has not begun.
  std::uint64_t sweeps() const { return sweeps_; }
  std::size_t position() const { return position_; }
  bool none_lost() const { return lost_.empty(); }

  void fields(auto& archive) { archive(items_, lost_, position_, sweeps_); }
  // After a restore: `allowed` says which items make sense.
  bool restored(auto allowed) const {
    return std::all_of(items_.begin(), items_.end(), allowed) &&
           std::all_of(lost_.begin(), lost_.end(), allowed) &&
           std::adjacent_find(items_.begin(), items_.end(),
                              [](const Item& a, const Item& b) { return !(a < b); }) ==
               items_.end() &&
           (position_ == 0 || position_ < items_.size());
  }

 private:
  std::vector<Item> items_;
  std::vector<Item> lost_;
  std::size_t position_ = 0;
  std::uint64_t sweeps_ = 0;
};

}  // namespace duel
