// Answers in the order in which their duels were served, not in which they came.
//
// If one side's answers arrive sooner, counting them as they arrive biases every interim look. What
// may be counted is, within each pair, the longest prefix in serving order whose duels are final.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/duel.h"

namespace duel {

// Serves carry gap-free ordinals 0, 1, 2, .. . Serves and outcomes may be told in any order, an outcome
// also before its serve; what is released does not depend on that order. An outcome is final:
// `Outcome::none` stands for a duel that expired or was lost. Memory is held from the oldest duel
// that still waits.
//
// `sink(duel, outcome)` is called for every duel that is released, as served (`duel.round` is the
// ordinal); the pairs' prefixes interleave in any order, which evidence by pair does not see.
class ServingOrder {
 public:
  enum class Taken { applied, duplicate };

  template <class Sink>
  Taken served(std::uint64_t ordinal, Arm first, Arm second, Sink&& sink);
  template <class Sink>
  Taken answered(std::uint64_t ordinal, Outcome outcome, Sink&& sink);

  std::uint64_t released() const { return released_; }
  // Known serves whose duels are not released yet.
  std::uint64_t waiting() const { return known_ - released_; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Slot {
    Arm first = 0;
    Arm second = 0;
    std::uint64_t next_of_pair = kNone;  // ordinal
    std::optional<Outcome> outcome;
    bool served = false;
    bool released = false;
  };
  struct Queue {
    std::uint64_t head = kNone;
    std::uint64_t tail = kNone;
  };

  Slot& slot(std::uint64_t ordinal);
  // Ordinals of a pair enter its queue once every earlier serve is known: until then a missing serve
  // may belong to the same pair and stand before them.
  void enqueue(std::uint64_t ordinal);
  template <class Sink>
  void release(Arm first, Arm second, Sink& sink);
  void forget_released();

  static std::uint64_t pair_key(Arm a, Arm b) {
    return a < b ? (std::uint64_t{a} << 32) | b : (std::uint64_t{b} << 32) | a;
  }

  std::deque<Slot> slots_;  // of ordinals base_, base_ + 1, ..
  std::uint64_t base_ = 0;
  std::uint64_t enqueued_ = 0;  // serves below are known and in their queues
  std::uint64_t known_ = 0;
  std::uint64_t released_ = 0;
  std::unordered_map<std::uint64_t, Queue> queues_;
};

template <class Sink>
ServingOrder::Taken ServingOrder::served(std::uint64_t ordinal, Arm first, Arm second,
                                         Sink&& sink) {
  if (ordinal < base_) return Taken::duplicate;
  Slot& mine = slot(ordinal);
  if (mine.served) return Taken::duplicate;
  mine.first = first;
  mine.second = second;
  mine.served = true;
  ++known_;
  const std::uint64_t from = enqueued_;
  while (enqueued_ < base_ + slots_.size() && slot(enqueued_).served) enqueue(enqueued_++);
  // Answers that came before the serves were known.
  for (std::uint64_t k = from; k < enqueued_; ++k) {
    const Slot& entered = slot(k);
    if (entered.outcome && !entered.released) release(entered.first, entered.second, sink);
  }
  forget_released();
  return Taken::applied;
}

template <class Sink>
ServingOrder::Taken ServingOrder::answered(std::uint64_t ordinal, Outcome outcome, Sink&& sink) {
  if (ordinal < base_) return Taken::duplicate;
  Slot& mine = slot(ordinal);
  if (mine.outcome) return Taken::duplicate;  // the first counts
  mine.outcome = outcome;
  if (ordinal < enqueued_) {
    release(mine.first, mine.second, sink);
    forget_released();
  }
  return Taken::applied;
}

template <class Sink>
void ServingOrder::release(Arm first, Arm second, Sink& sink) {
  Queue& queue = queues_[pair_key(first, second)];
  while (queue.head != kNone && slot(queue.head).outcome) {
    Slot& front = slot(queue.head);
    sink(Duel{.first = front.first, .second = front.second, .round = queue.head}, *front.outcome);
    front.released = true;
    ++released_;
    queue.head = front.next_of_pair;
    if (queue.head == kNone) queue.tail = kNone;
  }
}

}  // namespace duel
