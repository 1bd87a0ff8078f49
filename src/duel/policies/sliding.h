// sliding, discount: policies that forget, for preferences that drift.
// Heuristics of our own over any policy that counts duels; sliding windows and discounts are those
// of Garivier, Moulines: On upper-confidence bound policies for switching bandit problems. ALT
// 2011.
// Assumes    what the inner policy assumes of the preferences of late.
// Guarantee  none.
// Cost       that of the inner policy, and about nine answers told to it for each one; 24 bytes for
//            each answer that is not forgotten.
// Departs    the window moves in steps of an eighth of its length. A discounted count is a whole
//            number: it has the discounted value on average.
//
// sliding(window=n): the inner policy knows what was answered in the last n rounds, and its clock
// shows n at most. discount(half_life=h): each answer is forgotten after a random time, in each
// round with probability 1 - 2^(-1/h), and the clock shows at most the sum of all weights, which is
// 1/(1 - 2^(-1/h)), about 1.44 h.
//
// Every n/8 (or h/8) rounds the inner policy begins again and is told what is not forgotten, as
// duels that it did not choose. Schedules and policies with exponential weights do not use such
// duels, and would begin from nothing each time. With a window of T or more this is the inner
// policy itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "duel/policies/parts/inner_policy.h"

namespace duel {

struct SlidingOptions : InnerPolicyOptions {
  std::uint64_t window = 10'000;
};
struct DiscountOptions : InnerPolicyOptions {
  std::uint64_t half_life = 10'000;
};

template <class Given>
class Forgetting : public SelectingPolicy<Forgetting<Given>> {
 public:
  using Options = Given;

  Forgetting(const Options& options, std::size_t num_arms, RoundRng rng);

  Duel select(Round round, RoundRng rng) const { return inner_.select(round, rng); }
  void issued(const Duel& duel, RoundRng rng) {
    last_round_ = duel.round;
    inner_.issued(duel, rng);
  }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng);
  Arm recommend(RoundRng rng) const { return inner_.recommend(rng); }
  Jump jump(Round round, Round limit, RoundRng rng) const;

  // Answers that are not forgotten.
  std::size_t remembered() const { return memory_.size(); }

  void fields(auto& archive) { archive(inner_, memory_, last_round_, rebuilt_, due_); }
  bool restored() const;

 private:
  struct Answer {
    Arm first;
    Arm second;
    Outcome outcome;
    Round until;  // the last round that knows of it
    void fields(auto& archive) { archive(first, second, outcome, until); }
  };
  // The last round that knows of what is answered to a duel of `round`.
  Round remembered_until(Round round, RoundRng& rng) const;
  void rebuild(RoundRng rng);

  std::size_t num_arms_;
  InnerPolicy inner_;
  double decay_ = 0;      // -ln of the share that a round leaves, where answers are discounted
  std::uint64_t length_;  // the window, or the half-life
  std::uint64_t memory_length_;  // what the clock shows at most
  std::uint64_t step_;
  std::vector<Answer> memory_;
  Round last_round_ = 0;  // that went out
  Round rebuilt_ = 0;     // the inner policy knows its duels after this round
  Round due_;             // it is rebuilt once this round is answered
};

using Sliding = Forgetting<SlidingOptions>;
using Discount = Forgetting<DiscountOptions>;

}  // namespace duel
