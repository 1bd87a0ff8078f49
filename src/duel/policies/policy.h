// A policy is asked for a duel and told the outcome. It owns no loop, clock, thread or output, and
// its randomness is an argument.
//
//   select(round, rng) -> Duel      pure: the same state, round and key give the same duel
//   issued(duel, rng)               the duel went out; `rng` repeats the draws of its `select`
//   observe(duel, outcome, rng)     the answer, perhaps late, out of order, or `none` if lost
//   recommend(rng) -> Arm           the arm it would return now
//   jump(round, limit, rng) -> Jump optional: how long nothing but one self-duel would be chosen
//
// Every issued duel is observed exactly once. What choosing changes (a list's position, a
// hypothesis) is worked out in `select` on the side and committed by `issued`; what the result
// changes, in `observe`. A duel marked `foreign` was not chosen by the policy: count-based policies
// use its outcome, schedules ignore it. Outcomes of self-duels are a fair coin and change no
// counts.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>

#include "duel/core/archive.h"
#include "duel/core/duel.h"
#include "duel/core/options.h"
#include "duel/core/pair_counts.h"
#include "duel/core/result.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

namespace duel {

// Options that every policy has; a policy's own options derive from it.
struct PolicyOptions {
  Ties ties = Ties::coin;
  bool deterministic_ties = false;
};

// Says that the rounds up to `idle_until` (exclusive) all repeat the self-duel just played and
// leave the state as it is. `next`, where given, is the duel of round `idle_until`, drawn with the
// knowledge that it ended the stretch; otherwise `select` is asked. A policy that gives `next` must
// not repeat its choice in `issued`: it would draw another.
struct Jump {
  Round idle_until = 0;
  std::optional<Duel> next = std::nullopt;
};

// REQUIRES of `jump(round, limit, rng)`: round - 1 was a self-duel, fully observed, and no duel is
// outstanding. The answer is at most `limit`. `rng` is the choice stream at `round`.
template <class P>
concept JumpingPolicy = requires(const P& policy, Round round, RoundRng rng) {
  { policy.jump(round, round, rng) } -> std::same_as<Jump>;
};

template <class P>
concept Policy = std::copyable<P> && requires(P& policy, const P& constant, Round round, Duel duel,
                                              Outcome outcome, RoundRng rng) {
  typename P::Options;
  requires std::derived_from<typename P::Options, PolicyOptions>;
  P(typename P::Options{}, std::size_t{1}, rng);
  { constant.select(round, rng) } -> std::same_as<Duel>;
  { policy.take(round, rng) } -> std::same_as<Duel>;  // select, then issued, in one pass
  policy.issued(duel, rng);
  policy.observe(duel, outcome, rng);
  { constant.recommend(rng) } -> std::same_as<Arm>;
  { policy.restored() } -> std::same_as<bool>;
};

// Counts the answer to a duel; false where it changes no counts.
inline bool count_duel(PairCounts& counts, const Duel& duel, Outcome outcome, Ties ties,
                       RoundRng& rng) {
  if (duel.is_self()) return false;
  const auto points = points_of(outcome, ties, rng);
  if (points) counts.add(duel.first, duel.second, *points);
  return points.has_value();
}

// Gives `take` to a policy that has `select` and an `issued` that asks for no more than the duel
// that went out; and an `issued` to one that changes nothing then.
template <class Derived>
class SelectingPolicy {
 public:
  void issued(const Duel& /*duel*/, RoundRng /*rng*/) {}
  Duel take(Round round, RoundRng rng) {
    Derived& self = static_cast<Derived&>(*this);
    const Duel duel = self.select(round, rng);
    self.issued(duel, rng);
    return duel;
  }
};

// Gives `select`, `issued` and `take` to a policy that has
//   Choice choose(Round, RoundRng) const   with a member `duel`, and
//   void commit(const Choice&)             what the choosing changed.
template <class Derived>
class ChoosingPolicy {
 public:
  Duel select(Round round, RoundRng rng) const { return self().choose(round, rng).duel; }
  void issued(const Duel& duel, RoundRng rng) { self().commit(self().choose(duel.round, rng)); }
  Duel take(Round round, RoundRng rng) {
    const auto choice = self().choose(round, rng);
    self().commit(choice);
    return choice.duel;
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
  Derived& self() { return static_cast<Derived&>(*this); }
};

}  // namespace duel
