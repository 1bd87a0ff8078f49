#include "duel/policies/delayed_trial.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

#include "duel/core/check.h"

namespace duel {

bool play_delayed(const ConfiguredPolicy& configured, TrialArena& arena,
                  const TrialStreams& streams, const TrialPlan& plan, const Feedback& feedback,
                  TrialObserver& observer) {
  DUEL_CHECK(feedback.batch >= 1);
  struct Answer {
    Duel duel;
    Outcome outcome;
  };
  constexpr Round kStopInterval = 1 << 14;
  const std::unique_ptr<AnyPolicy> policy = configured.make(streams.choice.at(0));
  const bool jumps = plan.jumping && configured.facts().jumping != Jumping::none;
  std::deque<Answer> unheard;  // the earliest first, and so the first to be heard
  std::size_t next_checkpoint = 0;
  const Round end = plan.checkpoints.empty() ? 1 : plan.checkpoints.back() + 1;

  const auto hear = [&](Round played) {
    while (!unheard.empty() && feedback.heard_after(unheard.front().duel.round) <= played) {
      const auto [duel, outcome] = unheard.front();
      unheard.pop_front();
      policy->observe(duel, outcome, streams.answer.at(duel.round));
    }
  };
  const auto reach = [&](Round played) {  // every round up to `played` is tallied
    while (next_checkpoint < plan.checkpoints.size() &&
           plan.checkpoints[next_checkpoint] <= played) {
      observer.at_checkpoint(next_checkpoint, arena,
                             policy->recommend(streams.recommend.at(played)));
      ++next_checkpoint;
    }
  };

  std::optional<Duel> prepared;  // the duel that a jump has already drawn
  Round look_at_stop = kStopInterval;
  for (Round t = 1; t < end;) {
    const Duel duel = prepared ? *prepared : policy->select(t, streams.choice.at(t));
    prepared.reset();
    policy->issued(duel, streams.choice.at(t));
    if (duel.is_self()) {
      arena.idle(duel.first, 1);
      RoundRng answer = streams.answer.at(t);
      policy->observe(duel, answer.coin() ? Outcome::first_wins : Outcome::second_wins, answer);
    } else {
      unheard.push_back({duel, arena.meet(duel)});
    }
    hear(t);
    reach(t);
    ++t;
    if (duel.is_self() && unheard.empty() && jumps && t < end) {
      const Jump jump = policy->jump(t, end, streams.choice.at(t));
      while (t < jump.idle_until) {
        const Round part = std::min(jump.idle_until, plan.checkpoints[next_checkpoint] + 1);
        arena.idle(duel.first, part - t);
        t = part;
        reach(t - 1);
      }
      if (t < end) prepared = jump.next;
    }
    if (t >= look_at_stop) {
      look_at_stop = t + kStopInterval;
      if (plan.stop != nullptr && plan.stop->load(std::memory_order_relaxed)) return false;
    }
  }
  return true;
}

}  // namespace duel
