// Answers in the order in which their duels were served, not in which they came.
//
// If one side's answers arrive sooner, counting them as they arrive biases every interim look. What
// may be counted is, within each pair, the longest prefix in serving order whose duels are final.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/duel.h"

namespace duel {

// Serves carry gap-free ordinals 0, 1, 2, .. . Serves and outcomes may be told in any order, an
// outcome also before its serve; what is released does not depend on that order. An outcome is
// final: `Outcome::none` stands for a duel that expired or was lost. Memory is held from the oldest
// duel that still waits.
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

  // Calls visit(ordinal, first, second, outcome) for each of them in the order of serving; no
  // outcome: the duel is open.
  template <class Visit>
  void visit_waiting(Visit&& visit) const {
    for (std::uint64_t k = base_; k < end_; ++k) {
      const Slot& one = slots_[k & mask_];
      if (!one.served || one.state == State::released) continue;
      const bool open = one.state == State::open;
      visit(k, one.first, one.second, open ? std::nullopt : std::optional(one.outcome));
    }
  }

  // The state between two calls (core/archive.h); `restored` says whether it makes sense.
  template <class Archive>
  void fields(Archive& archive);
  bool restored() const;

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  enum class State : std::uint8_t { open, answered, released };
  struct Slot {
    std::uint64_t next_of_pair = kNone;  // ordinal
    Arm first = 0;
    Arm second = 0;
    Outcome outcome = Outcome::none;
    State state = State::open;
    bool served = false;
  };
  struct Queue {
    std::uint64_t head = kNone;
    std::uint64_t tail = kNone;  // of no meaning while the queue is empty
  };

  // REQUIRES: base_ <= ordinal < end_.
  Slot& slot(std::uint64_t ordinal) { return slots_[ordinal & mask_]; }
  // Makes room up to the ordinal.
  Slot& reach(std::uint64_t ordinal) {
    if (ordinal - base_ > mask_) grow(ordinal);
    if (ordinal >= end_) end_ = ordinal + 1;
    return slot(ordinal);
  }
  void grow(std::uint64_t ordinal);

  Queue& queue(Arm a, Arm b) {
    const Arm high = a < b ? b : a;
    const std::size_t index = std::size_t{high} * (std::size_t{high} + 1) / 2 + (a < b ? a : b);
    if (index >= queues_.size()) queues_.resize((std::size_t{high} + 1) * (high + 2) / 2);
    return queues_[index];
  }

  // Ordinals of a pair enter its queue once every earlier serve is known: until then a missing
  // serve may belong to the same pair and stand before them.
  void enqueue(std::uint64_t ordinal) {
    const Slot& mine = slot(ordinal);
    Queue& pair = queue(mine.first, mine.second);
    if (pair.head == kNone) {
      pair.head = ordinal;
    } else {
      slot(pair.tail).next_of_pair = ordinal;
    }
    pair.tail = ordinal;
  }
  template <class Sink>
  void release(Queue& queue, Sink& sink);
  void forget_released() {
    while (base_ < end_ && slot(base_).state == State::released) slot(base_++) = Slot{};
  }

  // A ring of the ordinals base_ .. end_ - 1, its size a power of two; the rest of it is blank.
  std::vector<Slot> slots_ = std::vector<Slot>(16);
  std::uint64_t mask_ = 15;
  std::uint64_t base_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t enqueued_ = 0;  // serves below are known and in their queues
  std::uint64_t known_ = 0;
  std::uint64_t released_ = 0;
  std::vector<Queue> queues_;  // of unordered pairs, (low, high) at high (high + 1)/2 + low
};

template <class Sink>
ServingOrder::Taken ServingOrder::served(std::uint64_t ordinal, Arm first, Arm second,
                                         Sink&& sink) {
  if (ordinal < base_) return Taken::duplicate;
  Slot& mine = reach(ordinal);
  if (mine.served) return Taken::duplicate;
  mine.first = first;
  mine.second = second;
  mine.served = true;
  ++known_;
  if (ordinal == enqueued_ && ordinal + 1 == end_ && mine.state == State::open) {
    enqueue(enqueued_++);  // in order, as mostly
    return Taken::applied;
  }
  const std::uint64_t from = enqueued_;
  while (enqueued_ < end_ && slot(enqueued_).served) enqueue(enqueued_++);
  // Answers that came before the serves were known.
  for (std::uint64_t k = from; k < enqueued_; ++k) {
    const Slot& entered = slot(k);
    if (entered.state == State::answered) release(queue(entered.first, entered.second), sink);
  }
  forget_released();
  return Taken::applied;
}

template <class Sink>
ServingOrder::Taken ServingOrder::answered(std::uint64_t ordinal, Outcome outcome, Sink&& sink) {
  if (ordinal < base_) return Taken::duplicate;
  Slot& mine = reach(ordinal);
  if (mine.state != State::open) return Taken::duplicate;  // the first counts
  mine.outcome = outcome;
  mine.state = State::answered;
  if (ordinal < enqueued_) {
    release(queue(mine.first, mine.second), sink);
    forget_released();
  }
  return Taken::applied;
}

template <class Sink>
void ServingOrder::release(Queue& queue, Sink& sink) {
  while (queue.head != kNone) {
    Slot& front = slot(queue.head);
    if (front.state == State::open) return;
    sink(Duel{.first = front.first, .second = front.second, .round = queue.head}, front.outcome);
    front.state = State::released;
    ++released_;
    queue.head = front.next_of_pair;
  }
}

}  // namespace duel
