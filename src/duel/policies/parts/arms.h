// Arms, draws among them, and the best of them.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"

namespace duel {

// 0 .. num_arms - 1.
inline std::vector<Arm> all_arms(std::size_t num_arms) {
  std::vector<Arm> arms(num_arms);
  std::iota(arms.begin(), arms.end(), Arm{0});
  return arms;
}

template <class T>
void shuffle(std::vector<T>& items, RoundRng& rng) {
  for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[rng.below(k)]);
}

// Uniform among the arms other than this one. REQUIRES: there is one.
inline Arm draw_other(Arm arm, std::size_t num_arms, RoundRng& rng) {
  const auto other = static_cast<Arm>(rng.below(num_arms - 1));
  return other < arm ? other : other + 1;
}

// One of `count` tied candidates: the lowest under `deterministic_ties`, else uniform.
inline std::size_t pick_tied(std::size_t count, bool deterministic_ties, RoundRng& rng) {
  return count == 1 || deterministic_ties ? 0 : static_cast<std::size_t>(rng.below(count));
}

// The arms with the best value among those offered so far, in the order in which they were offered.
template <class Value, class Better>
class BestArms {
 public:
  // `room` has a place for every arm that may be offered. An arm worse than `bar` does not count.
  BestArms(std::span<Arm> room, Value bar) : room_(room), best_(bar) {}
  explicit BestArms(std::span<Arm> room) : BestArms(room, worst()) {}

  void offer(Arm arm, Value value) {
    if (Better{}(value, best_)) {
      best_ = value;
      size_ = 0;
    } else if (value != best_) {
      return;
    }
    room_[size_++] = arm;
  }

  bool empty() const { return size_ == 0; }
  std::span<const Arm> arms() const { return room_.first(size_); }
  // The value of each of them.
  Value value() const { return best_; }
  // REQUIRES: an arm counts.
  Arm pick(bool deterministic_ties, RoundRng& rng) const {
    return room_[pick_tied(size_, deterministic_ties, rng)];
  }

 private:
  static constexpr Value worst() {
    using Limits = std::numeric_limits<Value>;
    constexpr Value high = Limits::has_infinity ? Limits::infinity() : Limits::max();
    constexpr Value low = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    return Better{}(high, low) ? low : high;
  }

  std::span<Arm> room_;
  std::size_t size_ = 0;
  Value best_;
};
template <class Value>
using LargestArms = BestArms<Value, std::greater<>>;
template <class Value>
using LeastArms = BestArms<Value, std::less<>>;

// One of the arms at which value(arm) is best. REQUIRES: there is an arm.
template <class Better, class Value>
Arm best_of(std::span<const Arm> arms, bool deterministic_ties, RoundRng& rng, Value value) {
  std::vector<Arm> room(arms.size());
  BestArms<decltype(value(Arm{})), Better> best(room);
  for (const Arm arm : arms) best.offer(arm, value(arm));
  return best.pick(deterministic_ties, rng);
}
template <class Value>
Arm largest_of(std::span<const Arm> arms, bool deterministic_ties, RoundRng& rng, Value value) {
  return best_of<std::greater<>>(arms, deterministic_ties, rng, value);
}
template <class Value>
Arm least_of(std::span<const Arm> arms, bool deterministic_ties, RoundRng& rng, Value value) {
  return best_of<std::less<>>(arms, deterministic_ties, rng, value);
}

// The arms whose entry is `value`, ascending.
template <class Value>
void find_arms(const std::vector<Value>& values, Value value, std::vector<Arm>& arms) {
  arms.clear();
  for (Arm arm = 0; arm < values.size(); ++arm) {
    if (values[arm] == value) arms.push_back(arm);
  }
}

}  // namespace duel
