// One simulated trial of one policy: ask, answer, tell, and jump over the rounds that teach
// nothing. Instantiated for each policy by its registration, so that nothing in the loop is
// virtual.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <string_view>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/trial_arena.h"
#include "duel/policies/policy.h"

namespace duel {

// The streams of one trial of one policy.
struct TrialStreams {
  TrialStreams(std::uint64_t seed, std::uint32_t trial, std::string_view policy_name)
      : choice(seed, trial, Purpose::choice, policy_name),
        answer(seed, trial, Purpose::answer, policy_name),
        recommend(seed, trial, Purpose::recommend, policy_name) {}

  Stream choice;
  Stream answer;
  Stream recommend;
};

// How far the loop goes and who is told. `checkpoints` ascend and end the run at the last one.
// `jumping` off plays every round; it is for tests and benchmarks of the jump itself.
struct TrialPlan {
  std::span<const Round> checkpoints;
  bool jumping = true;
  // Set by another thread to leave early; looked at now and then. May be null.
  const std::atomic<bool>* stop = nullptr;
};

class TrialObserver {
 public:
  virtual ~TrialObserver() = default;
  // All rounds up to checkpoint number `index` were played.
  virtual void at_checkpoint(std::size_t index, const TrialArena& arena, Arm recommended) = 0;
};

// Sees each duel and each jumped stretch; for tests and signatures. The default sees nothing and
// costs nothing.
struct NoTrace {
  static void played(const Duel&) {}
  static void jumped(Arm, Round /*from*/, Round /*until*/) {}
};

// What few rounds do stays out of line: `play` inlines all it calls (registry.h), and would compile
// the policy's functions once more at each place.
template <Policy P>
[[gnu::noinline]] P fresh_policy(const typename P::Options& options, std::size_t num_arms,
                                 RoundRng rng) {
  return P(options, num_arms, rng);
}
template <Policy P>
[[gnu::noinline]] Arm recommended_by(const P& policy, RoundRng rng) {
  return policy.recommend(rng);
}
template <Policy P>
[[gnu::noinline]] void issue_prepared(P& policy, const Duel& duel, RoundRng rng) {
  policy.issued(duel, rng);
}

// Returns false if it was stopped before the last checkpoint.
template <Policy P, class Trace = NoTrace>
bool play_trial(P& policy, TrialArena& arena, const TrialStreams& streams, const TrialPlan& plan,
                TrialObserver& observer, Trace&& trace = {}) {
  constexpr Round kStopInterval = 1 << 14;
  Round t = 1;
  std::size_t next_checkpoint = 0;
  Round look_at_stop = kStopInterval;

  const auto reach = [&](Round played) {  // every round up to `played` is tallied
    while (next_checkpoint < plan.checkpoints.size() &&
           plan.checkpoints[next_checkpoint] <= played) {
      observer.at_checkpoint(next_checkpoint, arena,
                             recommended_by(policy, streams.recommend.at(played)));
      ++next_checkpoint;
    }
  };
  const auto idle = [&](Arm arm, Round until) {  // rounds t .. until - 1 repeat (arm, arm)
    trace.jumped(arm, t, until);
    while (t < until) {
      const Round part = std::min(until, plan.checkpoints[next_checkpoint] + 1);
      arena.idle(arm, part - t);
      t = part;
      reach(t - 1);
    }
  };

  const Round end = plan.checkpoints.empty() ? 1 : plan.checkpoints.back() + 1;
  std::optional<Duel> prepared;  // the duel that a jump has already drawn
  while (t < end) {
    Duel duel;
    if (prepared) {
      duel = *prepared;
      prepared.reset();
      issue_prepared(policy, duel, streams.choice.at(t));
    } else {
      duel = policy.take(t, streams.choice.at(t));
    }
    trace.played(duel);
    if (!duel.is_self()) {
      policy.observe(duel, arena.meet(duel), streams.answer.at(t));
      if (plan.checkpoints[next_checkpoint] == t) reach(t);
      ++t;
    } else {
      arena.idle(duel.first, 1);
      RoundRng answer = streams.answer.at(t);
      policy.observe(duel, answer.coin() ? Outcome::first_wins : Outcome::second_wins, answer);
      if (plan.checkpoints[next_checkpoint] == t) reach(t);
      ++t;
      if constexpr (JumpingPolicy<P>) {
        if (plan.jumping && t < end) {
          const Jump jump = policy.jump(t, end, streams.choice.at(t));
          if (jump.idle_until > t) idle(duel.first, jump.idle_until);
          if (t < end) prepared = jump.next;
        }
      }
    }
    if (t >= look_at_stop) {
      look_at_stop = t + kStopInterval;
      if (plan.stop != nullptr && plan.stop->load(std::memory_order_relaxed)) return false;
    }
  }
  return true;
}

}  // namespace duel
